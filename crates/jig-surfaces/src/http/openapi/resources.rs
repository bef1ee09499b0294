//! Routes of the table.

use jig_contract::ops::FileGetInfo;
use jig_contract::{Operation, find};
use serde_json::{Map, Value, json};

use super::super::app::is_offered;
use super::super::params::Shape;
use super::super::routes::{Form, Ready, Verb, names};
use super::operations::{described, output, params_schema};
use super::with_problems;
use crate::schemas::Shared;

/// A method of a path.
pub(super) fn route(ready: &Ready, shared: &mut Shared) -> Value {
    let mut schema = shared.take(params_schema(ready.op));
    if ready.route.form.names_file() {
        schema["properties"]["path"] = path_of_file(shared);
    }
    let mut operation = described(ready.op, &id(ready));
    if let [(name, value)] = ready.route.fixed {
        let words = operation["description"].as_str().unwrap_or_default();
        operation["description"] = json!(format!("{words} Here `{name}` is `{value}`."));
    }
    let mut parameters = in_path(ready, &schema);
    match (ready.route.verb.has_body(), ready.route.form) {
        (true, Form::Upload) => {
            parameters.extend(in_query(ready, &schema, |name| name != "content_base64"));
            operation["requestBody"] = upload(&body(ready, &schema));
        }
        (true, Form::FileUpload) => operation["requestBody"] = file_body(),
        (true, _) => operation["requestBody"] = json_body(ready, &schema),
        (false, Form::Events) => parameters.extend(in_query(ready, &schema, |name| name == "after")),
        (false, Form::AssetBytes | Form::FileRemoval) => {}
        (false, _) => parameters.extend(in_query(ready, &schema, |_| true)),
    }
    parameters.extend(in_header(ready));
    operation["parameters"] = Value::Array(parameters);
    operation["responses"] = with_problems(responses(ready, shared));
    operation
}

/// The schema of a file path in a URL.
fn path_of_file(shared: &mut Shared) -> Value {
    let schema = find(FileGetInfo::NAME).map(|op| shared.take(params_schema(op))).unwrap_or_default();
    schema["properties"]["path"].clone()
}

/// The operation id, such as `getWorkbenchesContextEntriesRole`: the method and the words of the path.
fn id(ready: &Ready) -> String {
    let mut id = ready.route.verb.word().to_owned();
    let words = ready.route.path.split(['/', '-', '_', '{', '}', '*']).filter(|word| !word.is_empty());
    for word in words.skip(1) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}

fn in_path(ready: &Ready, schema: &Value) -> Vec<Value> {
    let one = |name: &str| {
        let member = &schema["properties"][name];
        let words = match name {
            "entry_key" => json!("Which one of its kind; `_` where there is one only"),
            _ => member["description"].clone(),
        };
        json!({ "name": name, "in": "path", "required": true, "description": words, "schema": not_null(member) })
    };
    names(ready.route.path).map(one).collect()
}

/// Removes `null` from a schema: a path parameter always has a value.
fn not_null(member: &Value) -> Value {
    let mut schema = member.clone();
    if let Some(own) = schema.as_object_mut() {
        own.remove("description");
        own.remove("default");
        if let Some(Value::Array(words)) = own.get_mut("type") {
            words.retain(|word| word != "null");
            if let [only] = &words[..] {
                let only = only.clone();
                own.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(options)) = own.get_mut("anyOf") {
            options.retain(|option| option["type"] != "null");
            if let [only] = &options[..] {
                return only.clone();
            }
        }
    }
    schema
}

fn in_query(ready: &Ready, schema: &Value, offered: impl Fn(&str) -> bool) -> Vec<Value> {
    let required = schema["required"].as_array();
    let members = ready.members.iter().filter(|member| is_offered(ready.op, &member.name) && offered(&member.name));
    members
        .map(|member| {
            let own = &schema["properties"][&member.name];
            let needed = required.is_some_and(|names| names.iter().any(|name| *name == member.name));
            let mut parameter = json!({
                "name": member.name, "in": "query", "required": needed, "description": own["description"],
                "schema": not_null(own),
            });
            if matches!(member.shape, Shape::List(_)) {
                parameter["style"] = json!("form");
                parameter["explode"] = json!(false);
            }
            parameter
        })
        .collect()
}

fn in_header(ready: &Ready) -> Vec<Value> {
    let header = |name: &str, words: &str| json!({ "name": name, "in": "header", "required": false, "description": words, "schema": { "type": "string" } });
    match (ready.route.verb, ready.route.form) {
        (Verb::Get, Form::Events) => {
            vec![header("Last-Event-ID", "The number of the last event that was seen; comes before `after`")]
        }
        (Verb::Get, Form::FileBytes | Form::AssetBytes) => vec![
            header("Range", "A part of the bytes, as `bytes=0-1023`"),
            header("If-None-Match", "The tag of the bytes you have: 304 when they are the same"),
        ],
        (Verb::Get, _) => vec![header("If-None-Match", "The tag of the answer you have: 304 when it is the same")],
        (_, Form::FileRemoval) => {
            vec![header("If-Match", "The tag of the file that you have seen, or `*`: 412 when it has changed")]
        }
        _ if ready.takes_base || ready.route.form == Form::FileUpload => vec![
            header("If-Match", "The tag of what you have seen, or `*`: 412 when there is something newer"),
            header("If-None-Match", "`*` to write only where there is nothing yet"),
        ],
        _ => Vec::new(),
    }
}

/// The schema of a body: the operation's parameters without those of the path.
fn body(ready: &Ready, schema: &Value) -> Value {
    let in_path: Vec<&str> = names(ready.route.path).chain(ready.route.fixed.iter().map(|(name, _)| *name)).collect();
    let mut body = schema.clone();
    if let Some(own) = body.as_object_mut() {
        own.remove("title");
        own.remove("description");
    }
    if let Some(members) = body.get_mut("properties").and_then(Value::as_object_mut) {
        members.retain(|name, _| !in_path.contains(&name.as_str()));
    }
    if let Some(required) = body.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !in_path.contains(&name)));
        if required.is_empty()
            && let Some(own) = body.as_object_mut()
        {
            own.remove("required");
        }
    }
    body
}

fn json_body(ready: &Ready, schema: &Value) -> Value {
    let mut example: Map<String, Value> = serde_json::from_str(ready.op.example).unwrap_or_default();
    names(ready.route.path).for_each(|name| drop(example.remove(name)));
    let body = body(ready, schema);
    let required = body.get("required").is_some();
    json!({ "required": required, "content": { "application/json": { "schema": body, "example": example } } })
}

fn file_body() -> Value {
    json!({
        "required": true,
        "description": "The bytes as they are, of whatever type: what a file is is told by its content",
        "content": { "application/octet-stream": { "schema": {} } },
    })
}

fn upload(json_body: &Value) -> Value {
    json!({
        "required": true,
        "description": "The bytes as they are; or a form with one file, whose other fields are parameters; or JSON",
        "content": {
            "application/octet-stream": { "schema": {} },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": { "type": "string", "contentMediaType": "application/octet-stream" },
                        "name": { "type": "string" }, "role": { "type": "string" },
                        "entry_key": { "type": "string" }, "field": { "type": "string" },
                    },
                },
            },
            "application/json": { "schema": json_body },
        },
    })
}

fn responses(ready: &Ready, shared: &mut Shared) -> Map<String, Value> {
    let header = |words: &str| json!({ "description": words, "schema": { "type": "string" } });
    let (tag, place) = (header("Names this answer, and its revision"), header("Where it is"));
    let bytes = json!({ "*/*": { "schema": {} } });
    let empty = |words: &str| json!({ "description": words });
    let of =
        |pairs: Vec<(&str, Value)>| pairs.into_iter().map(|(status, answer)| (status.to_owned(), answer)).collect();
    let unchanged = ("304", empty("You have it already"));
    match ready.route.form {
        Form::FileBytes | Form::AssetBytes => of(vec![
            ("200", json!({ "description": "The bytes", "headers": { "ETag": tag }, "content": bytes })),
            ("206", json!({ "description": "A part of the bytes", "headers": { "ETag": tag }, "content": bytes })),
            unchanged,
            ("416", json!({ "description": "There is no such part", "content": bytes })),
        ]),
        Form::Events => of(vec![(
            "200",
            json!({
                "description": "Events: `id` is the number, `data` an `EventRecord`",
                "content": { "text/event-stream": { "schema": { "type": "string" } } },
            }),
        )]),
        Form::Made(_) | Form::Upload => of(vec![(
            "201",
            json!({ "description": "Made", "headers": { "Location": place }, "content": output(ready.op, shared) }),
        )]),
        Form::FileUpload => {
            let content = output(ready.op, shared);
            let made = json!({ "ETag": tag, "Location": place });
            of(vec![
                (
                    "200",
                    json!({ "description": "Replaced, or there already", "headers": { "ETag": tag }, "content": content }),
                ),
                ("201", json!({ "description": "Added", "headers": made, "content": content })),
            ])
        }
        Form::Kept(_) => {
            let content = output(ready.op, shared);
            of(vec![
                ("200", json!({ "description": "Written", "headers": { "ETag": tag }, "content": content })),
                (
                    "201",
                    json!({ "description": "Made", "headers": { "ETag": tag, "Location": place }, "content": content }),
                ),
                ("202", json!({ "description": "Proposed: a person decides", "content": content })),
            ])
        }
        Form::Page(..) | Form::Backwards => {
            let next = header("Where the list goes on, with `rel=\"next\"`");
            let headers = json!({ "ETag": tag, "Link": next });
            let done = json!({ "description": "Done", "headers": headers, "content": output(ready.op, shared) });
            of(vec![("200", done), unchanged])
        }
        Form::Plain | Form::Revised(_) if ready.route.verb == Verb::Get => {
            let headers = json!({ "ETag": tag });
            let done = json!({ "description": "Done", "headers": headers, "content": output(ready.op, shared) });
            of(vec![("200", done), unchanged])
        }
        Form::Plain | Form::Revised(_) | Form::FileRemoval => {
            of(vec![("200", json!({ "description": "Done", "content": output(ready.op, shared) }))])
        }
    }
}
