//! Structured output: with the provider's own feature if available, otherwise by instruction.

use serde_json::Value;

use crate::registry::{Ability, Format, Model};
use crate::request::{Output, Request};

/// Whether every object of the schema forbids additional properties and requires all its own. Strict modes only accept
/// such schemas.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let object = schema["type"] == "object" || map.contains_key("properties");
            (!object || is_closed(schema)) && map.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

fn is_closed(object: &Value) -> bool {
    let required: Vec<&str> = object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = object["properties"].as_object().is_none_or(|map| map.keys().all(|key| required.contains(&key.as_str())));
    object["additionalProperties"] == false && all
}

/// The output format, if the provider can enforce it.
pub(super) fn native<'a>(model: &Model, request: &'a Request) -> Option<&'a Output> {
    let output = request.output.as_ref().filter(|_| model.can(Ability::Structured))?;
    let able = match model.format {
        Format::Anthropic => is_strict(&output.schema),
        // Not every model of this format supports tools together with structured output.
        Format::Gemini => request.tools.is_empty(),
        _ => true,
    };
    able.then_some(output)
}

/// The instruction used otherwise.
pub(super) fn instruction(model: &Model, request: &Request) -> Option<String> {
    let output = request.output.as_ref().filter(|_| native(model, request).is_none())?;
    Some(format!(
        "Answer with one JSON value that fits the following JSON schema. Write nothing before or after it.\n{}",
        output.schema
    ))
}

/// The system text, with the instruction if one is required.
pub(super) fn system_text(model: &Model, request: &Request) -> Option<String> {
    let texts = [Some(request.system_text()).filter(|text| !text.is_empty()), instruction(model, request)];
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strict_schemas_are_told_from_open_ones() {
        let strict = json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
            "a": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {}}}}});
        assert!(is_strict(&strict));
        for open in [
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": false, "properties": {"a": {}}}),
            json!({"anyOf": [{"type": "object"}]}),
        ] {
            assert!(!is_strict(&open), "{open}");
        }
    }
}
