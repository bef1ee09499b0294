//! Answers as JSON text. Nearly all of an answer is one long text, which is looked through many bytes at a time.

use serde_json::Value;

/// How many bytes are looked at in one step.
const STEP: usize = 32;

/// The text of an answer with the end of its line.
pub(super) fn line(answer: &Value) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(room(answer));
    write(answer, &mut out)?;
    out.push(b'\n');
    Ok(out)
}

/// About how long the text becomes.
fn room(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + text.len() / 32 + 2,
        Value::Array(items) => items.iter().map(|item| room(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + 4 + room(value)).sum::<usize>() + 2,
        _ => 8,
    }
}

fn write(value: &Value, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match value {
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(item, out)?;
            }
            out.push(b']');
        }
        Value::Object(members) => {
            out.push(b'{');
            for (at, (name, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                string(name, out);
                out.push(b':');
                write(value, out)?;
            }
            out.push(b'}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => serde_json::to_writer(out, value)?,
    }
    Ok(())
}

fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let (steps, rest) = text.as_bytes().as_chunks::<STEP>();
    for step in steps {
        if step.iter().fold(false, |any, byte| any | is_escaped(*byte)) {
            escaped(step, out);
        } else {
            out.extend_from_slice(step);
        }
    }
    escaped(rest, out);
    out.push(b'"');
}

fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        let short = match byte {
            byte if !is_escaped(*byte) => {
                out.push(*byte);
                continue;
            }
            b'"' | b'\\' => *byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            8 => b'b',
            12 => b'f',
            _ => {
                out.extend_from_slice(b"\\u00");
                out.extend([byte >> 4, byte & 15].map(|half| HEX.get(usize::from(half)).copied().unwrap_or(b'0')));
                continue;
            }
        };
        out.extend([b'\\', short]);
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn same(value: &Value) {
        let expected = format!("{}\n", serde_json::to_string(value).unwrap());
        assert_eq!(String::from_utf8(line(value).unwrap()).unwrap(), expected);
    }

    #[test]
    fn every_sort_of_value_is_written_as_the_library_does() {
        same(
            &json!({ "a": [], "b": {}, "c": [null, true, -1, 1.5e300, 18_446_744_073_709_551_615_u64], "\"\n": { "ü": "" } }),
        );
        let all: String = (0..0x250).filter_map(char::from_u32).collect();
        for start in 0..40 {
            same(&json!([format!("{}{all}", "x".repeat(start))]));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_the_library_does(text in "\\PC*|[\\x00-\\x7f]{0,100}") {
            same(&json!({ "text": text }));
        }
    }
}
