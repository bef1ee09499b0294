//! Validates tool schemas, and tool input against them. Remote references are never fetched.

use serde_json::Value;

/// How many errors are reported per schema or input.
const TOLD_MAX: usize = 10;

/// Errors of a tool's input schema, with their location.
pub(super) fn problems(schema: &Value) -> Vec<(String, String)> {
    if !schema.is_object() {
        return vec![(String::new(), "a schema is an object".to_owned())];
    }
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return vec![("/type".to_owned(), "the input of a tool is an object".to_owned())];
    }
    as_schema(schema)
}

/// Errors of any schema.
pub(super) fn as_schema(schema: &Value) -> Vec<(String, String)> {
    let meta = jsonschema::draft202012::meta::validator();
    let told = meta.iter_errors(schema).take(TOLD_MAX);
    let mut found: Vec<(String, String)> =
        told.map(|error| (error.instance_path().to_string(), short(&error.to_string()))).collect();
    // Invalid patterns and dangling references are only found when the validator is built.
    if found.is_empty()
        && let Err(error) = jsonschema::draft202012::new(schema)
    {
        found.push((error.instance_path().to_string(), short(&error.to_string())));
    }
    found
}

/// Validates input against a tool's schema. Returns the errors with their location in the input.
pub fn check_input(schema: &Value, input: &Value) -> Result<(), Vec<(String, String)>> {
    let validator =
        jsonschema::draft202012::new(schema).map_err(|error| vec![(String::new(), short(&error.to_string()))])?;
    let errors = validator.iter_errors(input).take(TOLD_MAX);
    let found: Vec<(String, String)> =
        errors.map(|error| (error.instance_path().to_string(), short(&error.to_string()))).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The validator quotes the value, which can be too long for a message.
fn short(text: &str) -> String {
    const SHOWN: usize = 300;
    let mut out: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
