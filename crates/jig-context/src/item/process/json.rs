//! Finds JSON in model output: alone, in a code fence, or surrounded by prose.

use serde_json::{Deserializer, Value};

/// The maximum number of positions that are tried. Prose full of brackets is not JSON, and trying each one takes time.
const STARTS_MAX: usize = 10_000;

/// The result of a search.
pub(crate) struct Found {
    /// The values, in order, without nested ones.
    pub(crate) values: Vec<Value>,
    /// The start of a value that is cut off at the end of the text.
    pub(crate) cut_off: Option<usize>,
    /// Why the first candidate for an object could not be parsed.
    pub(crate) fault: Option<String>,
}

/// Every JSON object and list in a text.
pub(crate) fn find(text: &str) -> Found {
    let mut found = Found { values: Vec::new(), cut_off: None, fault: None };
    let mut at = 0;
    for _ in 0..STARTS_MAX {
        let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) else { break };
        let mut stream = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = start + stream.byte_offset();
                found.values.push(value);
            }
            // The rest of the text is the beginning of one value.
            Some(Err(error)) if error.is_eof() => {
                found.cut_off = Some(start);
                break;
            }
            Some(Err(error)) => {
                if text[start..].starts_with('{') && found.fault.is_none() {
                    found.fault = Some(error.to_string());
                }
                at = start + 1;
            }
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find;

    #[test]
    fn values_are_found_whatever_stands_around_them() {
        for text in [
            r#"{"a":1}"#,
            "\u{feff}{\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "Here it is, as in {curly} braces [sic]:\n{\"a\":1}\nBye {",
        ] {
            assert_eq!(find(text).values, [json!({"a": 1})], "{text}");
        }
        assert_eq!(find("{} [1] {\"a\":[{}]}").values, [json!({}), json!([1]), json!({"a": [{}]})]);
        assert!(find("nothing at all").values.is_empty());
    }

    #[test]
    fn a_value_that_breaks_off_is_told_and_its_inside_is_not_taken() {
        let found = find(r#"{"files":[{"path":"a","content":"b"},{"path":"c","con"#);
        assert_eq!((found.cut_off, found.values.len()), (Some(0), 0));
        assert_eq!(find(r#"{"a":1} and ["#).cut_off, Some(12));
        assert_eq!(find(r#"{"a":1}"#).cut_off, None);
        assert!(find("{'a': 1}").fault.is_some());
    }

    #[test]
    fn brackets_without_end_take_no_time_and_no_stack() {
        for text in ["[".repeat(2_000_000), "{".repeat(2_000_000), "{\"a\":".repeat(400_000), "[0,".repeat(600_000)] {
            assert!(find(&text).values.is_empty());
        }
    }
}
