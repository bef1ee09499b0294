//! Parses definitions as strict YAML, which includes JSON.

use serde_json::Value;

use super::Problem;

/// The maximum size of a definition, in bytes.
pub const DEFINITION_BYTES_MAX: usize = 256 << 10;

/// Parses a definition given as text or as a value. Duplicate keys are errors, and alias expansion is limited.
pub fn read(given: &Value) -> Result<Value, Problem> {
    let Value::String(text) = given else { return Ok(given.clone()) };
    if text.len() > DEFINITION_BYTES_MAX {
        let message = format!("the definition has {} bytes; at most {DEFINITION_BYTES_MAX} are read", text.len());
        return Err(Problem::new("", message));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Text that looks like JSON gets the error messages of the JSON parser.
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| Problem::new("", format!("invalid JSON: {error}")));
    }
    let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| Problem::new("", format!("invalid YAML: {}", one_line(&error.to_string()))))
}

/// Formats a definition as YAML that can be edited and parsed again.
pub fn to_yaml(definition: &impl serde::Serialize) -> String {
    serde_saphyr::to_string(definition).unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> Result<Value, Problem> {
        read(&Value::String(text.to_owned()))
    }

    #[test]
    fn yaml_and_json_give_the_same() {
        let yaml = "a: \"x\" # why\nfields: [\"name\", voice]\nyes: true\nno: 3\nmore:\n  - key: k\n    text: |\n      one\n      two\n";
        let expected = json!({"a": "x", "fields": ["name", "voice"], "yes": true, "no": 3,
            "more": [{"key": "k", "text": "one\ntwo\n"}]});
        assert_eq!(text(yaml), Ok(expected.clone()));
        assert_eq!(text(&expected.to_string()), Ok(expected.clone()));
        assert_eq!(read(&expected), Ok(expected));
    }

    #[test]
    fn what_is_neither_is_refused_with_the_place() {
        assert!(text("a: [1, 2").unwrap_err().message.starts_with("invalid YAML:"));
        assert!(text("a: 1\na: 2\n").is_err(), "a key twice");
        assert!(text("{\"a\": }").unwrap_err().message.starts_with("invalid JSON:"));
        assert!(text(&"a".repeat(DEFINITION_BYTES_MAX + 1)).unwrap_err().message.contains("at most"));
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f]\n";
        let read = text(bomb);
        assert!(read.is_err() || read.is_ok_and(|value| value.to_string().len() < 10_000_000));
        assert!(text(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let value = json!({"recipe": "x", "prompt": "one\ntwo: 3\n", "list": ["yes", "1", "null", ""], "n": 0.5});
        assert_eq!(text(&to_yaml(&value)), Ok(value));
    }
}
