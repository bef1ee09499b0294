//! Compact output schemas of tools.

use serde_json::{Map, Value, json};

/// The top-level properties of an output schema; results show the rest.
pub(super) fn outline(schema: &Value) -> Map<String, Value> {
    let members = schema["properties"].as_object().into_iter().flatten();
    let members = members.map(|(name, _)| (name.clone(), json!({})));
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(members.collect()))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_told_by_its_members() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "$ref": "#/$defs/A" }, "b": { "type": "array", "items": { "type": "string" } },
                "c": { "type": ["integer", "null"], "description": "words" }
            },
            "$defs": { "A": { "type": "object" } }
        });
        let expected = json!({
            "type": "object",
            "properties": { "a": {}, "b": {}, "c": {} }
        });
        assert_eq!(Value::Object(outline(&schema)), expected);
    }
}
