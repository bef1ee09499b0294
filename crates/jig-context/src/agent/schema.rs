//! JSON Schemas of tools: whether one is a schema, and whether an input fits it. Nothing is fetched from anywhere.

use serde_json::Value;

/// The most problems that are told of one schema or input.
const TOLD_MAX: usize = 10;

/// What is wrong with a schema for a tool's input, each with its place in it.
pub(super) fn problems(schema: &Value) -> Vec<(String, String)> {
    if !schema.is_object() {
        return vec![(String::new(), "a schema is an object".to_owned())];
    }
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return vec![("/type".to_owned(), "the input of a tool is an object".to_owned())];
    }
    as_schema(schema)
}

/// What is wrong with any schema.
pub(super) fn as_schema(schema: &Value) -> Vec<(String, String)> {
    let meta = jsonschema::draft202012::meta::validator();
    let told = meta.iter_errors(schema).take(TOLD_MAX);
    let mut found: Vec<(String, String)> =
        told.map(|error| (error.instance_path().to_string(), short(&error.to_string()))).collect();
    // A pattern that cannot be read, or a reference to nowhere, is only seen when it is built.
    if found.is_empty()
        && let Err(error) = jsonschema::draft202012::new(schema)
    {
        found.push((error.instance_path().to_string(), short(&error.to_string())));
    }
    found
}

/// What of an input does not fit a tool's schema, each with its place in the input.
pub fn check_input(schema: &Value, input: &Value) -> Result<(), Vec<(String, String)>> {
    let validator =
        jsonschema::draft202012::new(schema).map_err(|error| vec![(String::new(), short(&error.to_string()))])?;
    let errors = validator.iter_errors(input).take(TOLD_MAX);
    let found: Vec<(String, String)> =
        errors.map(|error| (error.instance_path().to_string(), short(&error.to_string()))).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The validator repeats the value; a large one would be the whole message.
fn short(text: &str) -> String {
    const SHOWN: usize = 300;
    let mut out: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
