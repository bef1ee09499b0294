//! The parameters of a read, as the methods of all formats take them.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::engine::FileError;

/// Fields that say which file is meant.
const ADDRESS: &[&str] = &["path", "root", "workbench_id"];

/// Reads parameters. Null is the same as not given; unknown fields become warnings.
pub(crate) fn parse<T: DeserializeOwned>(params: &Value, warnings: &mut Vec<String>) -> Result<T, FileError> {
    let fields = match params {
        Value::Object(fields) => fields.clone(),
        Value::Null => Map::new(),
        _ => return Err(FileError::invalid("params: an object is needed")),
    };
    let kept = fields.into_iter().filter(|(name, value)| !value.is_null() && !ADDRESS.contains(&name.as_str()));
    let fields = Value::Object(kept.collect());
    let mut track = serde_path_to_error::Track::new();
    let mut note = |path: serde_ignored::Path<'_>| warnings.push(format!("{path}: unknown field, skipped"));
    let deserializer = serde_path_to_error::Deserializer::new(&fields, &mut track);
    serde_ignored::deserialize(deserializer, &mut note).map_err(|error: serde_json::Error| {
        let path = track.path().to_string();
        let place = if path == "." { "params" } else { &path };
        FileError::invalid(format!("{place}: {error}"))
    })
}

/// Puts warnings into an answer, where there are any.
pub(crate) fn with_warnings(mut answer: Value, warnings: Vec<String>) -> Value {
    if let (Some(answer), false) = (answer.as_object_mut(), warnings.is_empty()) {
        answer.insert("warnings".to_owned(), warnings.into());
    }
    answer
}

/// The name of the file that a call is on, where it says one.
pub(crate) fn file_name(params: &Value) -> &str {
    params.get("path").and_then(Value::as_str).unwrap_or_default()
}
