//! `rpc.discover`: all methods with their schemas, as an OpenRPC document.

use jig_contract::{ErrorInfo, EventRecord, OPERATIONS, OpSpec};
use serde_json::{Map, Value, json};

/// The OpenRPC document of this door.
pub(super) fn document() -> Value {
    let mut shared = Map::new();
    let mut methods: Vec<Value> =
        OPERATIONS.iter().filter(|op| op.surfaces.rpc).map(|op| method(op, &mut shared)).collect();
    hoist(schemars::schema_for!(EventRecord).to_value(), Some("EventRecord"), &mut shared);
    hoist(schemars::schema_for!(ErrorInfo).to_value(), Some("ErrorInfo"), &mut shared);
    methods.extend(events());
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "Jig",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "One message to a line. Errors carry an ErrorInfo as `data`; `$/cancel` with an `id` cancels a call."
        },
        "methods": methods,
        "components": { "schemas": shared }
    })
}

fn method(op: &OpSpec, shared: &mut Map<String, Value>) -> Value {
    let params = hoist((op.params_schema)().to_value(), None, shared);
    let result = hoist((op.output_schema)().to_value(), None, shared);
    let required = params.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let members: Vec<Value> = params
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, schema)| json!({ "name": name, "required": required.contains(&json!(name)), "schema": schema }))
        .collect();
    json!({
        "name": op.name,
        "summary": op.summary(),
        "paramStructure": "by-name",
        "params": members,
        "result": { "name": "result", "schema": result },
        "x-effect": op.effect
    })
}

fn events() -> [Value; 2] {
    let schema = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let workbench = json!({ "name": "workbench_id", "required": true, "schema": { "type": "string" } });
    let after = json!({ "name": "after", "required": false, "schema": { "type": "integer" } });
    let one = |name: &str, value: Value| json!({ "type": "object", "required": [name], "properties": { name: value } });
    let subscribe = json!({
        "name": "EventSubscribe",
        "summary": "Send the workbench's events as `event` notifications: those after `after` first, then live",
        "paramStructure": "by-name",
        "params": [workbench, after],
        "result": { "name": "result", "schema": one("cursor", json!({ "type": "integer" })) },
        "x-effect": "read",
        "x-notifications": { "event": schema("EventRecord"), "event_error": schema("ErrorInfo") }
    });
    let unsubscribe = json!({
        "name": "EventUnsubscribe",
        "summary": "End the notifications of a workbench",
        "paramStructure": "by-name",
        "params": [workbench],
        "result": { "name": "result", "schema": one("ended", json!({ "type": "boolean" })) },
        "x-effect": "read"
    });
    [subscribe, unsubscribe]
}

/// Moves a schema's own definitions to the shared ones, and itself too when it has a name.
fn hoist(mut schema: Value, name: Option<&str>, shared: &mut Map<String, Value>) -> Value {
    if let Some(own) = schema.as_object_mut() {
        own.remove("$schema");
        if let Some(Value::Object(definitions)) = own.remove("$defs") {
            for (name, mut definition) in definitions {
                point_to_shared(&mut definition);
                shared.insert(name, definition);
            }
        }
    }
    point_to_shared(&mut schema);
    if let Some(name) = name {
        shared.insert(name.to_owned(), schema.clone());
    }
    schema
}

fn point_to_shared(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            members.values_mut().for_each(point_to_shared);
        }
        Value::Array(items) => items.iter_mut().for_each(point_to_shared),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_a_target() {
        let document = document();
        let text = document.to_string();
        let wanted: Vec<&str> =
            text.match_indices("#/components/schemas/").map(|(at, _)| text[at..].split('"').next().unwrap()).collect();
        assert!(wanted.contains(&"#/components/schemas/FileInfo"), "{wanted:?}");
        for pointer in wanted {
            assert!(document.pointer(&pointer[1..]).is_some(), "{pointer}");
        }
        assert!(!text.contains("$defs"), "all definitions are shared");
    }

    #[test]
    fn every_operation_of_this_door_is_a_method() {
        let document = document();
        let names: Vec<&str> =
            document["methods"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
        let mut expected: Vec<&str> = OPERATIONS.iter().filter(|op| op.surfaces.rpc).map(|op| op.name).collect();
        expected.extend(["EventSubscribe", "EventUnsubscribe"]);
        assert_eq!(names, expected);
    }
}
