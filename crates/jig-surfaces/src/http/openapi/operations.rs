//! Operations by name.

use jig_contract::OpSpec;
use jig_workbench::needed_role;
use serde_json::{Map, Value, json};

use super::super::app::is_offered;
use super::with_problems;
use crate::schemas::Shared;

/// `POST /api/op/{Name}`.
pub(super) fn by_name(op: &OpSpec, shared: &mut Shared) -> Value {
    let params = params_schema(op);
    let required = params["required"].as_array().is_some_and(|names| !names.is_empty());
    let name = params["title"].as_str().unwrap_or(op.name).to_owned();
    let schema = shared.keep(&name, params);
    let example: Value = serde_json::from_str(op.example).unwrap_or_default();
    let output = output(op, shared);
    let responses = Map::from_iter([("200".to_owned(), json!({ "description": "Done", "content": output }))]);
    let mut operation = described(op, op.name);
    operation["requestBody"] = json!({
        "required": required, "content": { "application/json": { "schema": schema, "example": example } },
    });
    operation["responses"] = with_problems(responses);
    operation
}

/// The description of an operation, shared by all its routes.
pub(super) fn described(op: &OpSpec, id: &str) -> Value {
    let role = serde_json::to_value(needed_role(op)).unwrap_or_default();
    let word = role.as_str().unwrap_or_default();
    json!({
        "operationId": id,
        "tags": [op.noun_and_verb().0],
        "summary": op.summary(),
        "description": format!("The operation `{}`. Needs the role `{word}`.", op.name),
        "x-jig-operation": op.name,
        "x-jig-effect": op.effect,
        "x-jig-role": role,
    })
}

/// The schema of an operation's parameters, as available over HTTP.
pub(super) fn params_schema(op: &OpSpec) -> Value {
    let mut schema = (op.params_schema)().to_value();
    if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        members.retain(|name, _| is_offered(op, name));
    }
    schema
}

/// An operation's output as response content.
pub(super) fn output(op: &OpSpec, shared: &mut Shared) -> Value {
    let schema = (op.output_schema)().to_value();
    let name = schema["title"].as_str().unwrap_or(op.name).to_owned();
    let schema = shared.keep(&name, schema);
    json!({ "application/json": { "schema": schema } })
}
