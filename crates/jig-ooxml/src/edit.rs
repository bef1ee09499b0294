//! What the lists of ops of all formats share: parsing, the options of a call, and the report of what changed.

use jig_file_api::{OpSet, Strictness, parse_ops};
use jig_formula::{CellValue, FormulaEngine};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, InternalError, Overlap};
use crate::limits::Limits;
use crate::package::PartChange;

pub use crate::error::{EditError, EditIssue, OpHelp};
pub use jig_file_api::nearest;
pub use jig_file_api::ops::style::Color;

/// The op of a list that is being applied.
#[derive(Debug, Clone)]
pub struct OpInput {
    /// Its position in the list.
    pub index: usize,
    /// Its name.
    pub name: &'static str,
}

impl OpInput {
    /// The path of a field, for messages.
    pub fn at(&self, field: &str) -> String {
        if field.is_empty() { format!("ops[{}]", self.index) } else { format!("ops[{}].{field}", self.index) }
    }

    /// An error at a field of this op.
    pub fn error(&self, field: &str, why: impl Into<EditIssue>) -> EditError {
        EditError::new(self.at(field), why)
    }
}

/// Parses a list of ops; coerced and skipped values become warnings.
pub fn read_ops<T: OpSet>(
    ops: &Value,
    strictness: Strictness,
    warnings: &mut Vec<String>,
) -> Result<Vec<(OpInput, T)>, EditError> {
    let parsed = parse_ops::<T>(ops, strictness)?;
    warnings.extend(parsed.warnings.iter().map(ToString::to_string));
    Ok(parsed.list.into_iter().map(|op| (OpInput { index: op.index, name: op.name }, op.op)).collect())
}

/// The assets of a copy: a list, a single asset, or the JSON text of a list. An empty list is an error, because a misspelt
/// parameter looks like one.
pub(crate) fn asset_list(assets: &Value) -> Result<Vec<Value>, EditError> {
    let inner = assets.as_str().filter(|text| text.trim_start().starts_with('['));
    let inner = inner.and_then(|text| serde_json::from_str::<Value>(text).ok());
    match inner.as_ref().unwrap_or(assets) {
        Value::Array(list) if !list.is_empty() => Ok(list.clone()),
        one @ (Value::String(_) | Value::Object(_)) => Ok(vec![one.clone()]),
        Value::Array(_) | Value::Null => Err(EditError::new("assets", EditIssue::NoAssets)),
        _ => Err(EditError::new("assets", EditIssue::InvalidAssets)),
    }
}

/// Adds the signature of an op to its error.
pub fn with_signature<T: OpSet>(mut error: Error, input: &OpInput) -> Error {
    if let Error::Edit(error) = &mut error {
        let signature = || jig_file_api::ops::schema::op_signature::<T>(input.name);
        error.help.get_or_insert_with(|| Box::new(OpHelp { signature: signature(), ..OpHelp::default() }));
    }
    error
}

/// The options of an edit. Everything from outside the file comes from here.
#[derive(Clone, Copy)]
pub struct ApplyOptions<'a> {
    /// Limits of the package.
    pub limits: Limits,
    /// The author of tracked changes.
    pub author: &'a str,
    /// The time of tracked changes, in UTC as in RFC 3339; without it they have none.
    pub now: Option<&'a str>,
    /// Computes formulas after an edit; without it, values that may be wrong are removed.
    pub formulas: Option<&'a FormulaEngine>,
    /// Whether the values of formulas that the edit does not affect are computed and stored too, as far as the
    /// file has no trusted value for them.
    pub recalculate_workbook: bool,
    /// Whether new formulas may refer to data outside the workbook.
    pub allow_outside_formulas: bool,
    /// The bytes of another file of the workbench, for images named by path.
    pub files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What to do with fields that an op does not have.
    pub strictness: Strictness,
    /// Whether a sheet that an op names must exist; otherwise it is created.
    pub must_exist: bool,
    /// Whether texts that look like numbers are deliberately texts, so that no warning is needed.
    pub texts_are_meant: bool,
}

impl Default for ApplyOptions<'_> {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            author: "Jig",
            now: None,
            formulas: None,
            recalculate_workbook: false,
            allow_outside_formulas: false,
            files: &|_| None,
            strictness: Strictness::default(),
            must_exist: false,
            texts_are_meant: false,
        }
    }
}

/// What a list of ops did.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The new file.
    pub bytes: Vec<u8>,
    /// What each op changed.
    pub changes: Vec<OpReport>,
    /// What was skipped, and what a user should know.
    pub warnings: Vec<String>,
    /// The parts that changed.
    pub parts: Vec<PartChange>,
    /// Sheets that ops named and that were created.
    pub created_sheets: Vec<String>,
    /// Cells whose value could not be updated. They no longer have a stored value.
    pub stale: Vec<StaleCell>,
    /// Cells of a workbook with another value than before, and formulas with another result.
    pub cells: CellChanges,
}

/// Cells with another value than before: the first of them, and how many there are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CellChanges {
    /// The first cells that ops wrote.
    pub written: Vec<CellChange>,
    /// How many cells got another value from ops.
    pub written_count: usize,
    /// The first formulas with another result.
    pub recalculated: Vec<CellChange>,
    /// How many formulas have another result.
    pub recalculated_count: usize,
}

/// One cell before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellChange {
    /// The cell, such as `Budget!C9`.
    pub cell: String,
    /// Its content before: a value, or a formula with its `=`; null for nothing.
    pub old: Value,
    /// Its content now.
    pub new: Value,
}

/// A formula cell without an up-to-date value.
#[derive(Debug, Clone, PartialEq)]
pub struct StaleCell {
    /// The cell, such as `Budget!C9`.
    pub cell: String,
    /// The value that the file had before the edit.
    pub old: Option<CellValue>,
    /// Why the new one was not computed.
    pub reason: String,
}

/// What one op changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpReport {
    /// The position of the op in its list.
    pub index: usize,
    /// The op's name.
    pub op: String,
    /// The change as a short sentence.
    pub summary: String,
    /// Counts and addresses, such as `cells: 3`, `range: "A1:B2"`.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl OpReport {
    /// A change with its sentence; [`with`](Self::with) adds details.
    pub fn new(input: &OpInput, summary: impl Into<String>) -> Self {
        Self { index: input.index, op: input.name.to_owned(), summary: summary.into(), details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// Limit of characters of a text in a receipt.
const EXCERPT_CHARS: usize = 200;
/// The most texts that one change lists as old or new; its counts cover all.
pub(crate) const MOST_LISTED: usize = 20;

/// The start of a text, for receipts.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A search text without the escapes of Markdown tables, where reads show a pipe as `\|`. None if it has none.
pub(crate) fn without_table_escapes(search: &str) -> Option<String> {
    search.contains("\\|").then(|| search.replace("\\|", "|"))
}

/// The error of an edit whose own changes overlap.
pub(crate) fn overlap(part: &str, overlap: &Overlap) -> Error {
    InternalError::overlap(part, overlap).into()
}
