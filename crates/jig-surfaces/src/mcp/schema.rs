//! Schemas made small: a model pays for every token of the tool list in every conversation.

use serde_json::{Map, Value};

/// How much of a schema is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Descriptions stay: a model must know what to put in.
    Keep,
    /// Names and types stay: they say what comes out, and the result itself shows the rest.
    Drop,
}

/// A schema with all that neither a model nor a validator needs taken out.
pub(super) fn slim(schema: &Value, words: Words) -> Map<String, Value> {
    match slim_value(schema, words) {
        Value::Object(mut schema) => {
            drop_unused(&mut schema);
            schema
        }
        _ => Map::new(),
    }
}

/// Takes out the definitions that nothing points at any more.
fn drop_unused(schema: &mut Map<String, Value>) {
    loop {
        let text = Value::Object(schema.clone()).to_string();
        let Some(Value::Object(definitions)) = schema.get_mut("$defs") else { return };
        let before = definitions.len();
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        let after = definitions.len();
        if after == 0 {
            schema.remove("$defs");
        }
        if before == after || after == 0 {
            return;
        }
    }
}

fn slim_value(schema: &Value, words: Words) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut slim = Map::new();
    for (key, value) in members {
        match key.as_str() {
            "$schema" | "title" | "format" | "minimum" | "maximum" | "default" | "pattern" => {}
            "description" | "required" if words == Words::Drop => {}
            "additionalProperties" => {}
            "properties" | "$defs" => {
                slim.insert(key.clone(), each(value, words));
            }
            "oneOf" if constants(value).is_some() => {
                slim.insert("enum".to_owned(), Value::Array(constants(value).unwrap_or_default()));
            }
            "anyOf" => merge(&mut slim, without_null(value, words)),
            "type" => {
                slim.insert(key.clone(), without_null_type(value));
            }
            // One of several shapes, told apart by their own `type`.
            "oneOf" if words == Words::Drop => {
                slim.insert("type".to_owned(), "object".into());
            }
            "oneOf" | "allOf" | "items" | "prefixItems" => {
                slim.insert(key.clone(), nested(value, words));
            }
            _ => {
                slim.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(slim)
}

fn each(members: &Value, words: Words) -> Value {
    let members = members.as_object().into_iter().flatten();
    Value::Object(members.map(|(name, schema)| (name.clone(), slim_value(schema, words))).collect())
}

fn nested(value: &Value, words: Words) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(|item| slim_value(item, words)).collect()),
        other => slim_value(other, words),
    }
}

/// A choice among plain values is an enum; the values' descriptions are names said twice.
fn constants(choices: &Value) -> Option<Vec<Value>> {
    choices.as_array()?.iter().map(|choice| choice.get("const").cloned()).collect()
}

/// An optional member is absent and not null, so “or null” says nothing.
fn without_null_type(value: &Value) -> Value {
    match value.as_array().map(|types| types.iter().filter(|t| *t != "null").collect::<Vec<_>>()) {
        Some(types) if types.len() == 1 => types[0].clone(),
        _ => value.clone(),
    }
}

fn without_null(value: &Value, words: Words) -> Value {
    let choices: Vec<&Value> = value.as_array().into_iter().flatten().filter(|c| c["type"] != "null").collect();
    match choices.as_slice() {
        [one] => slim_value(one, words),
        _ => Value::Object(Map::from_iter([("anyOf".to_owned(), nested(value, words))])),
    }
}

fn merge(into: &mut Map<String, Value>, from: Value) {
    if let Value::Object(members) = from {
        for (key, value) in members {
            into.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_model_needs_stays_and_the_rest_goes() {
        let schema = json!({
            "$schema": "x", "title": "Params", "description": "Do it", "type": "object",
            "additionalProperties": false, "required": ["path"],
            "properties": {
                "title": { "description": "A member with that name", "type": "string", "pattern": "^a$" },
                "count": { "type": ["integer", "null"], "format": "uint64", "minimum": 0 },
                "root": { "anyOf": [{ "oneOf": [{ "const": "a", "description": "A" }, { "const": "b" }] }, { "type": "null" }],
                          "description": "Which" }
            }
        });
        let expected = json!({
            "description": "Do it", "type": "object", "required": ["path"],
            "properties": {
                "title": { "description": "A member with that name", "type": "string" },
                "count": { "type": "integer" },
                "root": { "enum": ["a", "b"], "description": "Which" }
            }
        });
        assert_eq!(Value::Object(slim(&schema, Words::Keep)), expected);
        assert!(!Value::Object(slim(&schema, Words::Drop)).to_string().contains("description"));
    }

    #[test]
    fn an_output_keeps_its_names_and_only_the_definitions_it_uses() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "$ref": "#/$defs/A" },
                "b": { "oneOf": [{ "type": "object", "properties": { "c": { "$ref": "#/$defs/C" } } }, { "type": "object" }] }
            },
            "$defs": { "A": { "type": "string" }, "C": { "$ref": "#/$defs/D" }, "D": { "type": "string" } }
        });
        let expected = json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "type": "object" } },
            "$defs": { "A": { "type": "string" } }
        });
        assert_eq!(Value::Object(slim(&schema, Words::Drop)), expected);
    }
}
