//! An edited file and what can be said about the edit.

use jig_ooxml::PartChange;
use jig_ooxml::edit::{Applied, CellChanges, OpReport, StaleCell};
use jig_ooxml::xlsx::formula::CellValue;
use serde_json::{Map, Value, json};

use crate::file::FileBytes;

/// The most cells that a receipt lists as stale; the count covers all.
const MOST_STALE: usize = 1000;

/// The outcome of an edit.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The new file.
    pub bytes: Vec<u8>,
    /// What each op changed.
    pub changes: Vec<OpReport>,
    /// What was skipped, and what a person should know.
    pub warnings: Vec<String>,
    /// Formula cells without an up-to-date value.
    pub stale: Vec<StaleCell>,
    /// Whether the file did not exist before.
    pub created_file: bool,
    /// Sheets that ops named and that were created.
    pub created_sheets: Vec<String>,
    /// Cells of a workbook with another value than before.
    pub cells: CellChanges,
    parts: Vec<PartChange>,
    before: Option<String>,
    after: String,
}

impl Edited {
    pub(super) fn new(source: Option<&FileBytes>, applied: Applied) -> Self {
        let Applied { bytes, changes, warnings, parts, created_sheets, stale, cells } = applied;
        let (before, after) = (source.map(FileBytes::hash_text), blake3::hash(&bytes).to_hex().to_string());
        let created_file = false;
        Self { bytes, changes, warnings, stale, created_file, created_sheets, cells, parts, before, after }
    }

    /// Warnings and the receipt: hashes of the file, and every part that differs.
    pub(super) fn common(&self) -> Map<String, Value> {
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        let mut receipt = json!({ "hash_before": self.before, "hash_after": self.after, "parts": parts });
        if let (false, Some(fields)) = (self.stale.is_empty(), receipt.as_object_mut()) {
            let stale: Vec<Value> = self.stale.iter().take(MOST_STALE).map(stale_cell).collect();
            fields.insert("stale".to_owned(), json!(stale));
            fields.insert("stale_count".to_owned(), json!(self.stale.len()));
        }
        for (name, list, count) in [
            ("cells", &self.cells.written, self.cells.written_count),
            ("recalculated", &self.cells.recalculated, self.cells.recalculated_count),
        ] {
            if count > 0 {
                receipt[name] = json!(list);
                receipt[format!("{name}_count")] = json!(count);
            }
        }
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

fn stale_cell(stale: &StaleCell) -> Value {
    let old = match &stale.old {
        None | Some(CellValue::Empty) => Value::Null,
        Some(CellValue::Number(number)) => json!(number),
        Some(CellValue::Text(text)) => json!(text),
        Some(CellValue::Bool(flag)) => json!(flag),
        Some(CellValue::Error(error)) => json!(error.as_str()),
    };
    json!({ "cell": stale.cell, "old": old, "reason": stale.reason })
}
