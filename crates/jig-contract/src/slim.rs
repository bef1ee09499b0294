//! Compact schemas, because a model pays for every token of the tool list in every conversation.

use serde_json::{Map, Value};

/// Removes everything from a parameter schema that neither a model nor a validator needs.
pub fn slim(schema: &Value) -> Map<String, Value> {
    match slim_value(schema) {
        Value::Object(mut schema) => {
            drop_unused(&mut schema);
            schema
        }
        _ => Map::new(),
    }
}

/// Removes the definitions that are no longer referenced.
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

fn slim_value(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut slim = Map::new();
    for (key, value) in members {
        match key.as_str() {
            "$schema" | "title" | "format" | "minimum" | "maximum" | "default" | "pattern" => {}
            // Grammars of constrained decoders allow only declared fields unless a schema says otherwise.
            "additionalProperties" if value != true => {}
            key if key.starts_with("x-") => {}
            "properties" | "$defs" => {
                slim.insert(key.clone(), each(value));
            }
            "oneOf" if constants(value).is_some() => {
                slim.insert("enum".to_owned(), Value::Array(constants(value).unwrap_or_default()));
            }
            "anyOf" => merge(&mut slim, without_null(value)),
            "type" => {
                slim.insert(key.clone(), without_null_type(value));
            }
            "oneOf" | "allOf" | "items" | "prefixItems" => {
                slim.insert(key.clone(), without_words(nested(value)));
            }
            _ => {
                slim.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(slim)
}

fn each(members: &Value) -> Value {
    let members = members.as_object().into_iter().flatten();
    Value::Object(members.map(|(name, schema)| (name.clone(), slim_value(schema))).collect())
}

/// Removes the descriptions of plain texts in a list; the list describes them.
fn without_words(mut item: Value) -> Value {
    if let (true, Value::Object(members)) = (item["type"] == "string", &mut item) {
        members.remove("description");
    }
    item
}

fn nested(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(slim_value).collect()),
        other => slim_value(other),
    }
}

/// A choice of plain values becomes an enum; the values' descriptions only repeat their names.
fn constants(choices: &Value) -> Option<Vec<Value>> {
    choices.as_array()?.iter().map(|choice| choice.get("const").cloned()).collect()
}

/// An optional member is omitted and never null, so “or null” is redundant.
fn without_null_type(value: &Value) -> Value {
    match value.as_array().map(|types| types.iter().filter(|t| *t != "null").collect::<Vec<_>>()) {
        Some(types) if types.len() == 1 => types[0].clone(),
        _ => value.clone(),
    }
}

fn without_null(value: &Value) -> Value {
    let choices: Vec<&Value> = value.as_array().into_iter().flatten().filter(|c| c["type"] != "null").collect();
    match choices.as_slice() {
        [one] => slim_value(one),
        _ => Value::Object(Map::from_iter([("anyOf".to_owned(), nested(value))])),
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
        assert_eq!(Value::Object(slim(&schema)), expected);
    }
}
