//! `rpc.discover`: all methods with their schemas, as an OpenRPC document.

use jig_contract::{ErrorInfo, EventRecord, OPERATIONS, OpSpec};
use serde_json::{Value, json};

use crate::schemas::Shared;

/// The OpenRPC document of this interface.
pub(super) fn document() -> Value {
    let mut shared = Shared::default();
    let mut methods: Vec<Value> =
        OPERATIONS.iter().filter(|op| op.surfaces.rpc).map(|op| method(op, &mut shared)).collect();
    shared.keep("EventRecord", schemars::schema_for!(EventRecord).to_value());
    shared.keep("ErrorInfo", schemars::schema_for!(ErrorInfo).to_value());
    methods.extend(events());
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "Jig",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "One message to a line. Errors carry an ErrorInfo as `data`; `$/cancel` with an `id` cancels a call."
        },
        "methods": methods,
        "components": { "schemas": shared.0 }
    })
}

fn method(op: &OpSpec, shared: &mut Shared) -> Value {
    let params = shared.take((op.params_schema)().to_value());
    let result = shared.take((op.output_schema)().to_value());
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
