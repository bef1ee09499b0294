//! Shortens maps that are too large, and states what was left out.
//!
//! A map is a value of lists and objects. It is shortened by depth: everything down to some level stays, and deeper
//! values are replaced by their count. The deepest level that fits is used; nothing is cut in the middle.

use serde_json::{Map, Value};

use crate::count::as_count;
use crate::words;

/// The levels to try, deepest first. The last one is the map's top level.
pub(crate) const LEVELS: [usize; 3] = [5, 3, 1];

/// The map down to this level; `None` if that is the entire map.
pub(crate) fn shorten(map: &Value, level: usize) -> Option<Value> {
    (depth(map) > level).then(|| cut(map, level))
}

/// The nesting depth of lists and objects.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn cut(value: &Value, level: usize) -> Value {
    match value {
        Value::Array(items) if level == 0 && !items.is_empty() => left_out(items.len(), "item", "items"),
        Value::Object(fields) if level == 0 && !fields.is_empty() => left_out(fields.len(), "field", "fields"),
        Value::Array(items) => items.iter().map(|item| cut(item, level.saturating_sub(1))).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().map(|(name, field)| (name.clone(), cut(field, level.saturating_sub(1))));
            Value::Object(kept.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn left_out(length: usize, one: &str, many: &str) -> Value {
    Value::String(format!("({} left out)", words::count(as_count(length), one, many)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_lies_deeper_is_counted() {
        let map = json!({ "sheets": [{ "name": "A", "chunks": [1, 2] }, { "name": "B", "chunks": [] }], "total": 3 });
        assert_eq!(shorten(&map, 1), Some(json!({ "sheets": "(2 items left out)", "total": 3 })));
        assert_eq!(
            shorten(&map, 2),
            Some(json!({ "sheets": ["(2 fields left out)", "(2 fields left out)"], "total": 3 }))
        );
        let third = json!({ "sheets": [{ "name": "A", "chunks": "(2 items left out)" }, { "name": "B", "chunks": [] }], "total": 3 });
        assert_eq!(shorten(&map, 3), Some(third));
        assert_eq!(shorten(&map, 4), None);
        assert_eq!(shorten(&json!(1), 0), None);
    }
}
