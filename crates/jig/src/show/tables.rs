//! Tables as a person reads them.

use serde_json::{Map, Value};

use super::table::{cell, table};
use super::{Shown, generic};
use crate::terminal::plain;

/// Rows of a table or of a query.
pub(super) fn rows(output: &Value) -> Shown {
    let list = |key: &str| output[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = list("columns").iter().filter_map(Value::as_str).collect();
    let lines =
        list("rows").iter().map(|row| row.as_array().into_iter().flatten().map(|value| cell(&text(value))).collect());
    let mut shown = table(&names, lines.collect());
    if list("rows").is_empty() {
        shown.push_str("no rows\n");
    }
    Shown { text: shown, notes: notes(output) }
}

/// What is known of each column, and of the table.
pub(super) fn columns(output: &Value) -> Shown {
    let columns: Vec<&Map<String, Value>> =
        output["columns"].as_array().into_iter().flatten().filter_map(Value::as_object).collect();
    let hidden = ["index", "most_common", "examples", "inferred_type", "type"];
    let mut keys: Vec<&str> = Vec::new();
    for key in columns.iter().flat_map(|column| column.keys()) {
        if !hidden.contains(&key.as_str()) && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let lines = columns
        .iter()
        .map(|column| keys.iter().map(|key| cell(&column.get(*key).map(text).unwrap_or_default())).collect());
    let mut shown = table(&keys, lines.collect());
    let rest: Map<String, Value> = output
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !matches!(key.as_str(), "columns" | "chunks" | "warnings"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    shown.push_str(&generic::members(&Value::Object(rest)));
    Shown { text: shown, notes: notes(output) }
}

fn notes(output: &Value) -> Vec<String> {
    let mut notes: Vec<String> = output["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|words| plain(words))
        .collect();
    if output["has_more"] == true {
        let total = output["total_rows"].as_u64().or_else(|| output["total_row_count"].as_u64());
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        notes.push(format!("{}{of} rows are shown", output["row_count"]));
    }
    notes
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text),
        other => other.to_string(),
    }
}
