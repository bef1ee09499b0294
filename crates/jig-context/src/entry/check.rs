//! Checks the values of a write against a kind, and finds the assets they refer to.

use jig_contract::AssetId;
use jig_contract::ops::{FieldType, KindDefinition};
use serde_json::{Map, Value};

use super::kind::{field, fields};
use super::value::{asset_of, check_value};
use crate::definition::Problem;
use crate::document::{nearest, shown};

/// The errors in values, one per field. `null` is valid for every field and removes its value.
pub fn check_data(kind: &KindDefinition, data: &Map<String, Value>) -> Vec<Problem> {
    data.iter().filter_map(|(key, value)| problem(kind, key, value)).collect()
}

fn problem(kind: &KindDefinition, key: &str, value: &Value) -> Option<Problem> {
    let Some(field) = field(kind, key) else {
        let all = fields(kind);
        let suggestions = nearest(key, all.iter().map(|field| field.key.as_str()));
        let message = format!("{} has no such field", kind.anchor_role);
        return Some(Problem::new(shown(key), message).suggest(suggestions));
    };
    if value.is_null() {
        return None;
    }
    check_value(&field, value).err().map(|message| Problem::new(key, message))
}

/// The assets that values refer to, with their fields, in the order of the kind's fields.
pub fn asset_references(kind: &KindDefinition, data: &Map<String, Value>) -> Vec<(String, AssetId)> {
    let mut found = Vec::new();
    for field in fields(kind) {
        let is_asset = field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset);
        let Some(value) = data.get(&field.key).filter(|_| is_asset) else { continue };
        let texts = match value {
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        };
        found.extend(texts.into_iter().filter_map(asset_of).map(|asset| (field.key.clone(), asset)));
    }
    found
}

/// The asset that a value refers to: `asset://` and its id.
pub fn named_asset(value: &Value) -> Option<AssetId> {
    asset_of(value.as_str()?)
}
