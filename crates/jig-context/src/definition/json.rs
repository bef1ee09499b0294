//! Canonical JSON: the same value always has the same bytes.

use serde::Serialize;
use serde_json::{Value, json};

/// Serialises a value with sorted object keys, as a workbench stores kinds and recipes.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(&sorted(&json!(value))).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            Value::Object(members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter() {
        let one = to_json(&json!({"b": [{"y": 1, "x": 2}], "a": null}));
        assert_eq!(one, to_json(&json!({"a": null, "b": [{"x": 2, "y": 1}]})));
        assert_eq!(serde_json::from_slice::<Value>(&one).unwrap(), json!({"a": null, "b": [{"x": 2, "y": 1}]}));
        assert!(one.ends_with(b"}\n"));
    }
}
