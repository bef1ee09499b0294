//! Output schemas of tools: the members of lean results.

use serde_json::{Map, Value, json};

/// The schema of the result of an operation, as `lean` makes it: its members with their types.
pub(super) fn outline(op: &str, schema: &Value) -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer" });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let members: Vec<(&str, Value)> = match op {
        "FileList" => vec![
            ("root", text()),
            ("total", count()),
            ("columns", texts()),
            ("files", json!({ "type": "array", "items": { "type": "array" } })),
            ("cursor", text()),
            ("left_alone", texts()),
        ],
        "FileGetMap" => vec![("path", text()), ("hash", text()), ("map", texts()), ("cursor", text())],
        "FileRead" => vec![
            ("text", text()),
            ("hash", text()),
            ("headers", texts()),
            ("chunk_info", json!({ "type": "object", "properties": { "has_more": { "type": "boolean" } } })),
            ("cursor", text()),
            ("warnings", texts()),
        ],
        "FileSearch" => vec![
            ("hits", json!({ "type": "array", "items": { "type": "object" } })),
            ("more", json!({ "type": "boolean" })),
            ("skipped", texts()),
        ],
        "FileGetPreview" => vec![("page", count()), ("page_count", count()), ("notice", text())],
        "EditDescribe" => {
            vec![("ops", json!({ "type": "array", "items": { "type": "object" } })), ("style_guide", text())]
        }
        _ => {
            let members = schema["properties"].as_object().into_iter().flatten();
            members.map(|(name, _)| (name.as_str(), json!({}))).collect()
        }
    };
    let members: Map<String, Value> = members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(members))])
}
