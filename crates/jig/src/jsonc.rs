//! Sets values in a JSON file with comments and trailing commas, and changes nothing else of it: settings of editors are
//! written by people.

use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

/// Why a file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsoncError {
    /// Not JSON, also without its comments.
    NotJson {
        /// What the parser says.
        why: String,
    },
    /// A value on the way is not an object.
    NotAnObject {
        /// Its key; empty for the file itself.
        key: String,
    },
}

impl fmt::Display for JsoncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { why } => write!(f, "it is not JSON: {why}"),
            Self::NotAnObject { key } if key.is_empty() => f.write_str("it is not a JSON object"),
            Self::NotAnObject { key } => write!(f, "`{key}` is not an object"),
        }
    }
}

/// The value of a text with comments and trailing commas. An empty text is an empty object.
pub(crate) fn parse(text: &str) -> Result<Value, JsoncError> {
    let plain = plain(text);
    if plain.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_str(&plain).map_err(|error| JsoncError::NotJson { why: error.to_string() })
}

/// The text with a value set, in an object that may have to be created.
pub(crate) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, JsoncError> {
    parse(text)?;
    let plain = plain(text);
    let Some(start) = plain.find(|c: char| !c.is_whitespace()) else {
        let nested = path.iter().rev().fold(value.clone(), |inner, key| one(key, inner));
        return Ok(format!("{text}{nested:#}\n"));
    };
    set_in(text, &plain, start, path, value, "")
}

fn one(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// Sets a value below the object that starts at an offset.
fn set_in(
    text: &str,
    plain: &str,
    start: usize,
    path: &[&str],
    value: &Value,
    parent: &str,
) -> Result<String, JsoncError> {
    let not_an_object = || JsoncError::NotAnObject { key: parent.to_owned() };
    let members = members(plain, start).ok_or_else(not_an_object)?;
    let Some((key, rest)) = path.split_first() else { return Ok(text.to_owned()) };
    if let Some(member) = members.list.iter().find(|member| member.key == *key) {
        if !rest.is_empty() {
            return set_in(text, plain, member.value.start, rest, value, key);
        }
        let indent = indent_of(text, member.start);
        return Ok(replaced(text, member.value.clone(), &indented(value, &indent)));
    }
    let nested = rest.iter().rev().fold(value.clone(), |inner, key| one(key, inner));
    let outer = indent_of(text, start);
    let inner = match members.list.first() {
        Some(first) if text.get(start..first.start).is_some_and(|between| between.contains('\n')) => {
            indent_of(text, first.start)
        }
        _ => format!("{outer}  "),
    };
    let member = format!("{inner}{}: {}", Value::from(*key), indented(&nested, &inner));
    let Some(last) = members.list.last() else {
        // Comments of an empty object stay in front of the new member.
        let kept = text.get(start + 1..members.end).unwrap_or_default().trim_end();
        return Ok(replaced(text, start + 1..members.end, &format!("{kept}\n{member}\n{outer}")));
    };
    // A comment behind the last member belongs to it, so the new one follows that comment. A trailing comma stays.
    let tail = text.get(last.value.end..members.end).unwrap_or_default().trim_end();
    let comma = if has_comma(tail) { "" } else { "," };
    Ok(replaced(text, last.value.end..members.end, &format!("{comma}{tail}\n{member}\n{outer}")))
}

/// Whether there is a comma outside of comments.
fn has_comma(tail: &str) -> bool {
    // Behind the comma stands a value, so that it is not a trailing one and stays in the plain text.
    plain(&format!("{tail}\n0")).contains(',')
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    format!("{before}{new}{after}")
}

/// A value in lines, of which all but the first are indented.
fn indented(value: &Value, indent: &str) -> String {
    format!("{value:#}").replace('\n', &format!("\n{indent}"))
}

/// The white space at the start of a line.
fn indent_of(text: &str, at: usize) -> String {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

/// The members of an object.
struct Members {
    list: Vec<Member>,
    /// The offset of the closing brace.
    end: usize,
}

struct Member {
    key: String,
    /// The offset of the key.
    start: usize,
    value: Range<usize>,
}

/// Reads the members of the object at an offset of text without comments. It has been parsed already, so the structure
/// can be trusted.
fn members(plain: &str, start: usize) -> Option<Members> {
    let bytes = plain.as_bytes();
    if bytes.get(start) != Some(&b'{') {
        return None;
    }
    let (mut list, mut at) = (Vec::new(), start + 1);
    loop {
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            b'}' => return Some(Members { list, end: at }),
            b',' => at += 1,
            _ => {
                let key_end = value_end(bytes, at)?;
                let key = serde_json::from_str(plain.get(at..key_end)?).ok()?;
                let colon = skip_space(bytes, key_end);
                let value_start = skip_space(bytes, colon + 1);
                let end = value_end(bytes, value_start)?;
                list.push(Member { key, start: at, value: value_start..end });
                at = end;
            }
        }
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value at an offset.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut at, mut in_text) = (0_usize, start, false);
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            b',' | b':' if depth == 0 => return Some(at),
            _ if depth == 0 && byte.is_ascii_whitespace() => return Some(at),
            _ => {}
        }
        at += 1;
        let closed = depth == 0 && !in_text && matches!(byte, b'"' | b'}' | b']');
        if closed {
            return Some(at);
        }
    }
}

/// The text with spaces in place of comments and trailing commas, so that offsets stay.
fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut in_text) = (0, false);
    let mut comma: Option<usize> = None;
    // A byte order mark is not part of the value.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes[..3].fill(b' ');
        at = 3;
    }
    while at < bytes.len() {
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied();
        if in_text {
            match byte {
                b'\\' => at += 1,
                b'"' => in_text = false,
                _ => {}
            }
            at += 1;
            continue;
        }
        match (byte, next) {
            (b'/', Some(b'/')) => {
                let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |line| at + line);
                bytes[at..end].fill(b' ');
                at = end;
                continue;
            }
            (b'/', Some(b'*')) => {
                let close = bytes[at + 2..].windows(2).position(|two| two == b"*/");
                let end = close.map_or(bytes.len(), |close| at + 2 + close + 2);
                for byte in bytes[at..end].iter_mut().filter(|byte| **byte != b'\n') {
                    *byte = b' ';
                }
                at = end;
                continue;
            }
            (b'"', _) => (in_text, comma) = (true, None),
            (b',', _) => comma = Some(at),
            (b'}' | b']', _) => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            _ if !byte.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        at += 1;
    }
    // Whole characters were replaced by spaces, so this is UTF-8 still.
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with_jig(text: &str) -> String {
        set(text, &["servers", "jig"], &json!({ "command": "jig", "args": ["mcp"] })).unwrap()
    }

    #[test]
    fn comments_order_and_formatting_stay() {
        let before = "{\n\t// my servers\n\t\"servers\": {\n\t\t\"other\": { \"url\": \"http://x//y\" }, // keep\n\t},\n\t/* end */ \"z\": [1, 2,],\n}\n";
        let after = with_jig(before);
        for kept in ["// my servers", "{ \"url\": \"http://x//y\" }", "// keep", "/* end */ \"z\": [1, 2,],"] {
            assert!(after.contains(kept), "{kept} in {after}");
        }
        let value = parse(&after).unwrap();
        assert_eq!(value["servers"]["jig"]["args"], json!(["mcp"]), "{after}");
        assert_eq!(value["servers"]["other"]["url"], "http://x//y");
        assert!(after.contains("\n\t\t\"jig\": {\n"), "indented like its neighbours: {after}");
        assert_eq!(with_jig(&after), after, "a second time changes nothing");
    }

    #[test]
    fn objects_are_created_where_they_are_missing() {
        for before in ["", "{}", "  \n", "// nothing yet\n{}", "{ /* here */ }", "{\"a\":1}", "\u{feff}{}"] {
            let after = with_jig(before);
            assert_eq!(parse(&after).unwrap()["servers"]["jig"]["command"], "jig", "{before:?}: {after}");
            assert!(!before.contains("nothing yet") || after.contains("// nothing yet"), "{after}");
            assert!(!before.contains("here") || after.contains("/* here */"), "{after}");
        }
    }

    #[test]
    fn a_value_is_replaced_in_place() {
        let before =
            "{\n  \"servers\": {\n    \"jig\": { \"command\": \"old\", \"env\": { \"A\": \"1\" } } // mine\n  }\n}\n";
        let after = set(before, &["servers", "jig", "command"], &json!("new")).unwrap();
        assert_eq!(after, before.replace("\"old\"", "\"new\""));
    }

    #[test]
    fn invalid_json_and_values_that_are_not_objects_are_refused() {
        assert!(matches!(parse("{"), Err(JsoncError::NotJson { .. })));
        assert!(matches!(set("[1]", &["a"], &json!(1)), Err(JsoncError::NotAnObject { .. })));
        let wrong = set("{\"servers\": 3}", &["servers", "jig"], &json!(1)).unwrap_err();
        assert_eq!(wrong, JsoncError::NotAnObject { key: "servers".to_owned() });
        // An unclosed comment or text does not run past the end.
        for text in ["/*", "{\"a", "{\"a\\", "//", "{\"a\":1,/"] {
            assert!(parse(text).is_err() || text.starts_with('/'), "{text}");
        }
    }
}
