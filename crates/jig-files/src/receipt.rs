//! The replies of the methods that edit: what each op changed, and a receipt that proves what the edit did to the file.
//!
//! The order of the fields is that of the JSON.

use jig_ooxml::edit::{CellChange, OpReport, StaleCell};
use jig_ooxml::xlsx::formula::CellValue;
use jig_ooxml::{PartChange, PartDigest};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::engine::Edited;

/// The most cells that a receipt lists as stale; the count covers all.
const MOST_STALE: usize = 1000;

/// The reply of a method that applies ops.
#[derive(Debug, Serialize)]
pub struct ApplyReply<'e> {
    ok: bool,
    changes: &'e [OpReport],
    warnings: &'e [String],
    receipt: Receipt<'e>,
}

/// The reply of a method that copies from one file into another.
#[derive(Debug, Serialize)]
pub struct CopyReply<'e> {
    ok: bool,
    copied_count: usize,
    copied: Vec<&'e Map<String, Value>>,
    warnings: &'e [String],
    receipt: Receipt<'e>,
}

/// Hashes of the file, the parts that differ, and the cells of a workbook with another value.
#[derive(Debug, Serialize)]
struct Receipt<'e> {
    hash_before: Option<&'e str>,
    hash_after: &'e str,
    parts: Vec<PartReceipt<'e>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale: Vec<StaleReceipt<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<&'e [CellChange]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recalculated: Option<&'e [CellChange]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recalculated_count: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    created_file: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    created_sheets: &'e [String],
}

#[derive(Debug, Serialize)]
struct PartReceipt<'e> {
    name: &'e str,
    before: Option<DigestReceipt>,
    after: Option<DigestReceipt>,
}

#[derive(Debug, Serialize)]
struct DigestReceipt {
    bytes: u64,
    crc32: String,
}

#[derive(Debug, Serialize)]
struct StaleReceipt<'e> {
    cell: &'e str,
    #[serde(serialize_with = "cell_value")]
    old: Option<&'e CellValue>,
    reason: &'e str,
}

impl Edited {
    /// The reply of a method that applied ops.
    pub fn apply_reply(&self) -> ApplyReply<'_> {
        ApplyReply { ok: true, changes: &self.changes, warnings: &self.warnings, receipt: self.receipt() }
    }

    /// The reply of a method that copied assets: the details of each, without the op that they came by.
    pub fn copy_reply(&self) -> CopyReply<'_> {
        let copied: Vec<_> = self.changes.iter().map(|change| &change.details).collect();
        CopyReply { ok: true, copied_count: copied.len(), copied, warnings: &self.warnings, receipt: self.receipt() }
    }

    fn receipt(&self) -> Receipt<'_> {
        let some = |count: usize| Some(count).filter(|count| *count > 0);
        let cells = &self.cells;
        Receipt {
            hash_before: self.hash_before.as_deref(),
            hash_after: &self.hash_after,
            parts: self.parts.iter().map(PartReceipt::from).collect(),
            stale: self.stale.iter().take(MOST_STALE).map(StaleReceipt::from).collect(),
            stale_count: some(self.stale.len()),
            cells: some(cells.written_count).map(|_| cells.written.as_slice()),
            cells_count: some(cells.written_count),
            recalculated: some(cells.recalculated_count).map(|_| cells.recalculated.as_slice()),
            recalculated_count: some(cells.recalculated_count),
            created_file: self.created_file,
            created_sheets: &self.created_sheets,
        }
    }
}

impl<'e> From<&'e PartChange> for PartReceipt<'e> {
    fn from(change: &'e PartChange) -> Self {
        let digest = |digest: PartDigest| DigestReceipt { bytes: digest.bytes, crc32: format!("{:08x}", digest.crc32) };
        Self { name: &change.name, before: change.before.map(digest), after: change.after.map(digest) }
    }
}

impl<'e> From<&'e StaleCell> for StaleReceipt<'e> {
    fn from(stale: &'e StaleCell) -> Self {
        Self { cell: &stale.cell, old: stale.old.as_ref(), reason: &stale.reason }
    }
}

fn cell_value<S: Serializer>(value: &Option<&CellValue>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        None | Some(CellValue::Empty) => serializer.serialize_none(),
        Some(CellValue::Number(number)) => serializer.serialize_f64(*number),
        Some(CellValue::Text(text)) => serializer.serialize_str(text),
        Some(CellValue::Bool(flag)) => serializer.serialize_bool(*flag),
        Some(CellValue::Error(error)) => serializer.serialize_str(error.as_str()),
    }
}
