//! The parameters of a read.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::edit::EditError;

/// Fields that say which file is meant, or that are dealt with before a read gets here.
const ADDRESS: &[&str] = &["path", "root", "workbench_id", "max_tokens", "cursor"];

/// Reads parameters. Null is the same as not given; unknown fields become warnings.
pub(super) fn parse<T: DeserializeOwned>(params: &Value, warnings: &mut Vec<String>) -> Result<T, EditError> {
    let fields = match params {
        Value::Object(fields) => fields.clone(),
        Value::Null => Map::new(),
        _ => return Err(EditError::new("params", "an object is needed")),
    };
    let kept = fields.into_iter().filter(|(name, value)| !value.is_null() && !ADDRESS.contains(&name.as_str()));
    let fields = Value::Object(kept.collect());
    let mut track = serde_path_to_error::Track::new();
    let mut unknown = Vec::new();
    let mut note = |path: serde_ignored::Path<'_>| unknown.push(path.to_string());
    let deserializer = serde_path_to_error::Deserializer::new(&fields, &mut track);
    let parsed = serde_ignored::deserialize(deserializer, &mut note);
    let parsed = parsed.map_err(|error: serde_json::Error| {
        let path = track.path().to_string();
        EditError::new(if path == "." { "params".to_owned() } else { path }, error.to_string())
    })?;
    warnings.extend(unknown.into_iter().map(|name| format!("{name}: unknown field, skipped")));
    Ok(parsed)
}
