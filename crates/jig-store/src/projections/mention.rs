//! The assets that a document refers to.

use serde_json::{Map, Value};

/// The URI scheme of asset references.
const SCHEME: &str = "asset://";

/// A reference from a field to an asset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    pub(crate) field: String,
    pub(crate) asset: String,
}

/// All asset references in a document's fields, at any depth. Values set aside by a changed kind count too, because
/// they may be restored.
///
/// A reference must be the entire value; a URI inside a longer text does not count.
pub(super) fn mentions(document: &Value) -> Vec<Mention> {
    let mut found = Vec::new();
    for part in ["data", "kept_aside"] {
        let fields: Option<&Map<String, Value>> = document.get(part).and_then(Value::as_object);
        for (field, value) in fields.into_iter().flatten() {
            collect(field, value, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn collect(field: &str, value: &Value, found: &mut Vec<Mention>) {
    match value {
        Value::String(text) => {
            let asset = text.strip_prefix(SCHEME).filter(|id| !id.is_empty());
            found.extend(asset.map(|id| Mention { field: field.to_owned(), asset: id.to_ascii_lowercase() }));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(field, item, found)),
        Value::Object(members) => members.values().for_each(|member| collect(field, member, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_name_assets_at_any_depth() {
        let document = json!({
            "data": { "logo": "asset://A1", "more": [{ "x": ["asset://b2", "asset://b2"] }], "n": 1,
                      "text": "see asset://c3", "none": "asset://" },
            "kept_aside": { "old": "asset://d4" },
            "title": "asset://e5",
        });
        let found: Vec<(String, String)> = mentions(&document).into_iter().map(|m| (m.field, m.asset)).collect();
        let expected = [("logo", "a1"), ("more", "b2"), ("old", "d4")];
        assert_eq!(found, expected.map(|(field, asset)| (field.to_owned(), asset.to_owned())));
        assert_eq!(mentions(&json!({ "data": [] })), []);
    }
}
