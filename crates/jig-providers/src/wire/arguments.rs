//! Parses the arguments of tool calls, which models generate as text.
//!
//! A mistake with an unambiguous meaning (a code fence, a trailing comma, JSON inside a JSON string, raw line breaks
//! inside a string) is corrected and reported. Anything else makes only that call malformed: other calls, the text and
//! the usage of the answer are preserved. Truncated JSON is never completed, because what is missing could be anything.

use serde_json::{Map, Value};

use crate::request::Malformed;

/// How much of malformed arguments is repeated to the model, in characters.
const SENT_MAX: usize = 2_000;

/// Parsed arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arguments {
    /// Always an object; empty if the arguments are malformed, so that the call can be sent back to any provider.
    pub(super) value: Value,
    /// The corrections.
    pub(super) corrected: Option<String>,
    /// Why they are unusable, if so.
    pub(super) malformed: Option<Malformed>,
}

/// Whether the answer ended inside this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    /// The output limit was reached, possibly within the arguments.
    Cut,
}

impl Arguments {
    /// Parses JSON text, as most formats send it.
    pub(super) fn of_text(text: &str, ending: Ending) -> Self {
        if text.trim().is_empty() {
            return match ending {
                // Servers send nothing for tools without arguments.
                Ending::Complete => Self::object(Value::Object(Map::new()), None),
                Ending::Cut => Self::malformed("the answer was cut off before the arguments", text),
            };
        }
        match serde_json::from_str::<Value>(text) {
            Ok(value) => Self::of_parsed(value, text),
            Err(error) => match lenient(text) {
                Some((value, slip)) => {
                    let read = Self::of_parsed(value, text);
                    Self { corrected: read.corrected.or_else(|| Some(slip.to_owned())), ..read }
                }
                None if ending == Ending::Cut => Self::malformed("the answer was cut off inside the arguments", text),
                None if error.is_eof() => Self::malformed("the JSON ends before it is complete", text),
                None => Self::malformed(format!("not valid JSON: {error}"), text),
            },
        }
    }

    /// Parses a JSON value, for formats that do not encode arguments as a string.
    pub(super) fn of_value(value: &Value, ending: Ending) -> Self {
        match value {
            Value::Object(_) => Self::object(value.clone(), None),
            Value::String(text) => {
                let read = Self::of_text(text, ending);
                let corrected = read.corrected.clone().or_else(|| Some(IN_A_STRING.to_owned()));
                if read.malformed.is_some() { read } else { Self { corrected, ..read } }
            }
            other => Self::of_parsed(other.clone(), &other.to_string()),
        }
    }

    fn of_parsed(value: Value, sent: &str) -> Self {
        match value {
            value @ Value::Object(_) => Self::object(value, None),
            Value::Null => Self::object(Value::Object(Map::new()), Some("`null` was read as no arguments")),
            Value::String(inner) => match serde_json::from_str(&inner).ok().or_else(|| lenient(&inner).map(|(v, _)| v))
            {
                Some(value @ Value::Object(_)) => Self::object(value, Some(IN_A_STRING)),
                _ => Self::malformed("the arguments must be a JSON object, not a string", sent),
            },
            Value::Array(_) => Self::malformed("the arguments must be a JSON object, not an array", sent),
            Value::Number(_) => Self::malformed("the arguments must be a JSON object, not a number", sent),
            Value::Bool(_) => Self::malformed("the arguments must be a JSON object, not a boolean", sent),
        }
    }

    fn object(value: Value, corrected: Option<&str>) -> Self {
        Self { value, corrected: corrected.map(str::to_owned), malformed: None }
    }

    fn malformed(why: impl Into<String>, sent: &str) -> Self {
        let mut shown: String = sent.chars().take(SENT_MAX).collect();
        if sent.chars().nth(SENT_MAX).is_some() {
            shown.push('…');
        }
        let malformed = Some(Malformed { why: why.into(), sent: shown });
        Self { value: Value::Object(Map::new()), corrected: None, malformed }
    }
}

pub(super) const IN_A_STRING: &str = "the arguments were JSON inside a string";

/// Parses JSON with unambiguous mistakes, and returns which mistake was corrected.
fn lenient(text: &str) -> Option<(Value, &'static str)> {
    let (inner, fenced) = match fenced(text) {
        Some(inner) => (inner, true),
        None => (text, false),
    };
    if fenced && let Ok(value) = serde_json::from_str(inner) {
        return Some((value, "a code fence around the arguments was ignored"));
    }
    let tidied = tidied(inner)?;
    let value = serde_json::from_str(&tidied).ok()?;
    Some((value, "a trailing comma or a raw line break in the arguments was corrected"))
}

/// The content of a code fence that is the entire text.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    // The rest of the opening line is the language.
    let (language, inner) = inner.split_once('\n')?;
    let named = language.trim().chars().all(|c| c.is_ascii_alphanumeric());
    (named && !inner.contains("```")).then_some(inner)
}

/// The text without trailing commas, and with control characters inside strings escaped; `None` if nothing was changed.
fn tidied(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped, mut changed) = (false, false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                '\n' | '\r' | '\t' => {
                    out.push_str(match c {
                        '\n' => "\\n",
                        '\r' => "\\r",
                        _ => "\\t",
                    });
                    changed = true;
                    continue;
                }
                _ => {}
            }
        } else if c == '"' {
            in_string = true;
        } else if c == ',' {
            let rest = text.get(at + 1..).unwrap_or_default().trim_start();
            let after_a_value = !out.trim_end().ends_with(['{', '[', ',', ':']) && !out.trim_end().is_empty();
            if after_a_value && rest.starts_with(['}', ']']) {
                changed = true;
                continue;
            }
        }
        out.push(c);
    }
    changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Arguments {
        Arguments::of_text(text, Ending::Complete)
    }

    #[test]
    fn slips_with_a_certain_meaning_are_corrected_and_reported() {
        let object = json!({ "path": "a", "n": [1, 2] });
        for text in [
            r#"{"path": "a", "n": [1, 2],}"#,
            r#"{"path": "a", "n": [1, 2, ], }"#,
            "```json\n{\"path\": \"a\", \"n\": [1, 2]}\n```",
            "```\n{\"path\": \"a\", \"n\": [1, 2],}\n```",
            r#""{\"path\": \"a\", \"n\": [1, 2]}""#,
        ] {
            let read = read(text);
            assert_eq!((&read.value, &read.malformed), (&object, &None), "{text}");
            assert!(read.corrected.is_some(), "{text}");
        }
        assert_eq!(read("{\"t\": \"one\ntwo\"}").value, json!({ "t": "one\ntwo" }));
        assert_eq!(read("null").value, json!({}));
        assert_eq!(read(r#"{"t": "a,}"}"#), Arguments::object(json!({ "t": "a,}" }), None));
        assert_eq!(read("  "), Arguments::object(json!({}), None));
        assert!(Arguments::of_value(&json!("{\"a\":1}"), Ending::Complete).corrected.is_some());
    }

    #[test]
    fn everything_else_is_malformed_with_what_was_sent() {
        for text in [
            "{not json",
            "[1,2]",
            "7",
            "true",
            "\"words\"",
            "{'path': 'a'}",
            "{path: \"a\"}",
            "{\"path\": \"a\"}{\"path\": \"b\"}",
            "{\"path\": \"ba",
            "{,}",
            "Here you are: {\"path\": \"a\"}",
            "```json\n{\"a\":1}\n```\n```json\n{\"b\":2}\n```",
        ] {
            let read = read(text);
            let malformed = read.malformed.unwrap_or_else(|| panic!("{text}"));
            assert_eq!((malformed.sent.as_str(), &read.value), (text, &json!({})), "{text}");
        }
        let long = read(&format!("[{}", "1,".repeat(5_000)));
        assert_eq!(long.malformed.unwrap().sent.chars().count(), SENT_MAX + 1);
    }

    #[test]
    fn what_was_cut_off_is_never_completed() {
        for text in ["", "  ", "{\"path\": \"a", "{\"ops\": [1,"] {
            let read = Arguments::of_text(text, Ending::Cut);
            assert!(read.malformed.is_some_and(|malformed| malformed.why.contains("cut off")), "{text}");
        }
        assert_eq!(Arguments::of_text("{\"a\":1}", Ending::Cut), Arguments::object(json!({ "a": 1 }), None));
    }
}
