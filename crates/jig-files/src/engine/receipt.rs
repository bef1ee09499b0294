//! An edited file and what can be said about the edit.

use jig_ooxml::PartChange;
use jig_ooxml::edit::{Applied, Change};
use serde_json::{Map, Value, json};

/// The outcome of an edit.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The new file.
    pub bytes: Vec<u8>,
    /// What each op changed.
    pub changes: Vec<Change>,
    /// What was skipped, and what a person should know.
    pub warnings: Vec<String>,
    /// Whether the file did not exist before.
    pub created_file: bool,
    /// Sheets that ops named and that were created.
    pub created_sheets: Vec<String>,
    parts: Vec<PartChange>,
    before: Option<String>,
    after: String,
}

impl Edited {
    pub(super) fn new(source: Option<&[u8]>, applied: Applied) -> Self {
        let Applied { bytes, changes, warnings, parts, created_sheets } = applied;
        let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        let (before, after) = (source.map(hash), hash(&bytes));
        let created_file = false;
        Self { bytes, changes, warnings, created_file, created_sheets, parts, before, after }
    }

    /// Warnings and the receipt: hashes of the file, and every part that differs.
    pub(super) fn common(&self) -> Map<String, Value> {
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        let mut receipt = json!({ "hash_before": self.before, "hash_after": self.after, "parts": parts });
        if self.created_file {
            receipt["created_file"] = json!(true);
        }
        if !self.created_sheets.is_empty() {
            receipt["created_sheets"] = json!(self.created_sheets);
        }
        Map::from_iter([("warnings".to_owned(), json!(self.warnings)), ("receipt".to_owned(), receipt)])
    }
}

fn part(change: &PartChange) -> Value {
    let side = |digest: Option<jig_ooxml::PartDigest>| {
        digest.map(|digest| json!({ "bytes": digest.bytes, "crc32": format!("{:08x}", digest.crc32) }))
    };
    json!({ "name": change.name, "before": side(change.before), "after": side(change.after) })
}
