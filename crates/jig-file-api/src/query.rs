//! The parameters of a read as a typed query.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Parameters that name the file, and those that Jig adds to every call.
const OF_EVERY_CALL: &[&str] = &["path", "root", "workbench_id", "now", "allow_outside_formulas"];

/// A parameter that a query cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct QueryError {
    /// The path of the field; `params` for all of them.
    pub field: String,
    /// What is wrong with its value.
    pub why: String,
}

/// Reads the parameters of a call as a query. `null` is the same as not given; unknown fields become warnings.
pub fn parse_query<T: DeserializeOwned>(params: &Value, warnings: &mut Vec<String>) -> Result<T, QueryError> {
    let fields = match params {
        Value::Object(fields) => fields.clone(),
        Value::Null => Map::new(),
        _ => return Err(QueryError { field: "params".to_owned(), why: "an object is needed".to_owned() }),
    };
    let own = fields.into_iter().filter(|(name, value)| !value.is_null() && !OF_EVERY_CALL.contains(&name.as_str()));
    let fields = Value::Object(own.collect());
    let mut track = serde_path_to_error::Track::new();
    let mut note = |path: serde_ignored::Path<'_>| warnings.push(format!("{path}: unknown field, skipped"));
    let deserializer = serde_path_to_error::Deserializer::new(&fields, &mut track);
    serde_ignored::deserialize(deserializer, &mut note).map_err(|error: serde_json::Error| {
        let path = track.path().to_string();
        // An error about a field that is missing has no path of its own.
        let field = if path == "." { "params".to_owned() } else { path };
        QueryError { field, why: error.to_string() }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read::text::LinesQuery;

    #[test]
    fn null_is_absent_and_unknown_fields_are_warnings() {
        let mut warnings = Vec::new();
        let params = json!({ "path": "a.txt", "now": "t", "line_start": 3, "line_count": null, "lnes": 1 });
        let query: LinesQuery = parse_query(&params, &mut warnings).unwrap();
        assert_eq!(query, LinesQuery { line_start: Some(3), ..LinesQuery::default() });
        assert_eq!(warnings, ["lnes: unknown field, skipped"]);
        assert_eq!(parse_query::<LinesQuery>(&Value::Null, &mut warnings), Ok(LinesQuery::default()));
    }

    #[test]
    fn an_error_names_its_field() {
        let error = |params| parse_query::<LinesQuery>(&params, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(error(json!({ "line_start": "x" })), "line_start: invalid type: string \"x\", expected usize");
        assert_eq!(error(json!([1])), "params: an object is needed");
    }
}
