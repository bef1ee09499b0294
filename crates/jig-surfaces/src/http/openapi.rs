//! The OpenAPI 3.1 document, generated from the list of operations and the table of routes.

mod operations;
mod resources;

use jig_contract::{ErrorInfo, EventRecord, OPERATIONS};
use serde_json::{Map, Value, json};

use super::problem;
use super::routes::ROUTES;
use crate::schemas::Shared;

const ABOUT: &str = "All of Jig over HTTP. Every operation is `POST /api/op/{Name}` with its parameters as a JSON object; \
resources are routes on the same operations. Failures are problems (RFC 9457) that carry a stable `error_code` and what to \
do next. On the machine itself no token is needed until there is one; from then on every call carries `Authorization: \
Bearer jig_…`. A token is never taken from the query.";

/// The complete document.
pub fn document() -> Value {
    let mut shared = Shared::default();
    let error_info = shared.take(schemars::schema_for!(ErrorInfo).to_value());
    // Named differently from any type of an operation: the store check has a `Problem` too.
    shared.keep("ProblemDetails", problem::schema(&error_info));
    shared.keep("EventRecord", schemars::schema_for!(EventRecord).to_value());
    let mut paths = Map::new();
    for ready in ROUTES.iter() {
        let place = paths.entry(ready.route.path.replace("{*", "{")).or_insert_with(|| json!({}));
        place[ready.route.verb.word()] = resources::route(ready, &mut shared);
    }
    for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
        paths.insert(format!("/api/op/{}", op.name), json!({ "post": operations::by_name(op, &mut shared) }));
    }
    paths.extend(own());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Jig",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, {}],
        "tags": tags(),
        "paths": paths,
        "components": {
            "schemas": shared.0,
            "responses": { "Problem": problem_response() },
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "A token of `jig token create`" },
            },
        },
    })
}

/// Adds the error responses of every route.
pub(super) fn with_problems(mut responses: Map<String, Value>) -> Value {
    for status in ["4XX", "5XX"] {
        responses.insert(status.to_owned(), json!({ "$ref": "#/components/responses/Problem" }));
    }
    Value::Object(responses)
}

fn problem_response() -> Value {
    let header = |words: &str| json!({ "description": words, "schema": { "type": "string" } });
    json!({
        "description": "What went wrong, and what to do next",
        "headers": {
            "X-Request-Id": header("Names the request, in the log too"),
            "Retry-After": header("With 429 and 503: when to come back, in seconds"),
            "WWW-Authenticate": header("With 401: how to say who you are"),
        },
        "content": { (problem::MEDIA_TYPE): { "schema": { "$ref": "#/components/schemas/ProblemDetails" } } },
    })
}

/// A tag per noun, in the order of the reference.
fn tags() -> Vec<Value> {
    let mut names: Vec<String> = Vec::new();
    for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
        let noun = op.noun_and_verb().0;
        if !names.contains(&noun) {
            names.push(noun);
        }
    }
    names.push("server".to_owned());
    names.into_iter().map(|name| json!({ "name": name })).collect()
}

/// The routes that are not operations.
fn own() -> [(String, Value); 4] {
    let text = |id: &str, path: &str, summary: &str, media_type: &str| {
        let content = json!({ (media_type): { "schema": { "type": "string" } } });
        let responses = Map::from_iter([("200".to_owned(), json!({ "description": summary, "content": content }))]);
        let get = json!({
            "operationId": id, "tags": ["server"], "summary": summary, "responses": with_problems(responses),
        });
        (path.to_owned(), json!({ "get": get }))
    };
    let mut schema = text("getOpenapi", "/api/openapi.json", "This document", "application/json");
    schema.1["get"]["responses"]["200"]["content"]["application/json"]["schema"] = json!({ "type": "object" });
    [
        schema,
        text("getHealthz", "/healthz", "Whether the server is alive", "text/plain"),
        text("getReadyz", "/readyz", "Whether the server can work: the store answers", "text/plain"),
        text("getMetrics", "/metrics", "Counts for Prometheus; for owners", "text/plain"),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reference_has_a_target_and_every_name_is_unique() {
        let document = document();
        let text = document.to_string();
        for (at, _) in text.match_indices("#/components/") {
            let pointer = text[at..].split('"').next().unwrap();
            assert!(document.pointer(&pointer[1..]).is_some(), "{pointer}");
        }
        for wrong in ["$defs", "not over HTTP"] {
            let at = text.find(wrong);
            assert_eq!(at.map(|at| &text[at.saturating_sub(200)..at]), None, "{wrong}");
        }
        let mut ids = BTreeSet::new();
        for methods in document["paths"].as_object().unwrap().values() {
            for operation in methods.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(ids.insert(id.to_owned()), "{id} is there twice");
            }
        }
    }

    #[test]
    fn every_operation_of_this_door_has_its_path() {
        let document = document();
        for op in OPERATIONS {
            let path = document["paths"].get(format!("/api/op/{}", op.name));
            assert_eq!(path.is_some(), op.surfaces.http, "{}", op.name);
        }
    }
}
