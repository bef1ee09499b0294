//! What all lists of ops share: reading their parameters, and saying what was done, what was skipped
//! and what is wrong.

use jig_file_api::{OpSet, OpsError, Strictness, parse_ops};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::docx::DocumentIssue;
use crate::error::{Error, InternalError, PackageError};
use crate::limits::Limits;
use crate::package::PartChange;
use crate::pptx::DeckIssue;
use crate::xlsx::formula::{CellValue, FormulaEngine};
use crate::xml::Overlap;

pub use jig_file_api::nearest;
pub use jig_file_api::ops::style::Color;

/// Why an op fails. The message names the op and the field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct EditError {
    /// Which op and field, such as `ops[2].cells[0].cell`.
    pub at: String,
    /// What is wrong.
    #[source]
    pub why: EditIssue,
    /// Values that would be right, the nearest first.
    pub suggestions: Vec<String>,
    /// What helps to correct the op.
    pub help: Option<Box<OpHelp>>,
}

/// What is wrong with an op or a read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditIssue {
    /// With one on a document.
    #[error(transparent)]
    Document(#[from] DocumentIssue),
    /// With one on a presentation.
    #[error(transparent)]
    Deck(#[from] DeckIssue),
    /// With another one, as a message.
    #[error("{0}")]
    Message(String),
}

impl From<String> for EditIssue {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<&str> for EditIssue {
    fn from(message: &str) -> Self {
        Self::Message(message.to_owned())
    }
}

/// What helps to correct an op.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpHelp {
    /// The fields of the op.
    pub signature: Option<String>,
    /// A list of ops that would be accepted, where it can be known.
    pub corrected: Option<Value>,
    /// Whether the op could not be read, so that its fields belong into the message.
    pub unreadable: bool,
}

impl EditError {
    /// An error at a place.
    pub fn new(at: impl Into<String>, why: impl Into<EditIssue>) -> Self {
        Self { at: at.into(), why: why.into(), suggestions: Vec::new(), help: None }
    }

    /// With values that would be right.
    #[must_use]
    pub fn suggest(mut self, suggestions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions = suggestions.into_iter().map(Into::into).collect();
        self
    }
}

impl From<Box<OpsError>> for EditError {
    fn from(error: Box<OpsError>) -> Self {
        Self {
            at: error.issue.at().to_owned(),
            why: error.issue.why().into(),
            suggestions: error.issue.suggestions(),
            help: Some(Box::new(OpHelp { signature: error.signature, corrected: error.corrected, unreadable: true })),
        }
    }
}

/// Which op of a list is applied.
#[derive(Debug, Clone)]
pub struct OpInput {
    /// Its position in the list.
    pub index: usize,
    /// Its name.
    pub name: &'static str,
}

impl OpInput {
    /// The place of a field for messages.
    pub fn at(&self, field: &str) -> String {
        if field.is_empty() { format!("ops[{}]", self.index) } else { format!("ops[{}].{field}", self.index) }
    }

    /// An error at a field of this op.
    pub fn error(&self, field: &str, why: impl Into<EditIssue>) -> EditError {
        EditError::new(self.at(field), why)
    }
}

/// Reads a list of ops; what was coerced or skipped becomes a warning.
pub fn read_ops<T: OpSet>(
    ops: &Value,
    strictness: Strictness,
    warnings: &mut Vec<String>,
) -> Result<Vec<(OpInput, T)>, EditError> {
    let parsed = parse_ops::<T>(ops, strictness)?;
    warnings.extend(parsed.warnings.iter().map(ToString::to_string));
    Ok(parsed.list.into_iter().map(|op| (OpInput { index: op.index, name: op.name }, op.op)).collect())
}

/// The assets of a copy: a list, one asset alone, or the JSON text of a list. None at all is an error, since that is
/// what a misspelt parameter looks like.
pub(crate) fn asset_list(assets: &Value) -> Result<Vec<Value>, EditError> {
    let inner = assets.as_str().filter(|text| text.trim_start().starts_with('['));
    let inner = inner.and_then(|text| serde_json::from_str::<Value>(text).ok());
    match inner.as_ref().unwrap_or(assets) {
        Value::Array(list) if !list.is_empty() => Ok(list.clone()),
        one @ (Value::String(_) | Value::Object(_)) => Ok(vec![one.clone()]),
        Value::Array(_) | Value::Null => {
            Err(EditError::new("assets", "missing or empty: give a list with at least one asset to copy"))
        }
        _ => Err(EditError::new("assets", "expected a list of assets")),
    }
}

/// The error of an op with the fields that it takes.
pub fn with_signature<T: OpSet>(mut error: Error, input: &OpInput) -> Error {
    if let Error::Edit(error) = &mut error {
        let signature = || jig_file_api::ops::schema::op_signature::<T>(input.name);
        error.help.get_or_insert_with(|| Box::new(OpHelp { signature: signature(), ..OpHelp::default() }));
    }
    error
}

/// What an edit may use besides the file itself. Everything from outside comes in here.
#[derive(Clone, Copy)]
pub struct ApplyOptions<'a> {
    /// Bounds of the package.
    pub limits: Limits,
    /// Whose name tracked changes carry.
    pub author: &'a str,
    /// The time that tracked changes carry, in UTC as RFC 3339 has it; without one they carry none.
    pub now: Option<&'a str>,
    /// Computes formulas after an edit; without it, values that may be wrong are removed.
    pub formulas: Option<&'a FormulaEngine>,
    /// Whether the values of formulas that the edit does not affect are computed and stored too, as far as the
    /// file has no trusted value for them.
    pub recalculate_workbook: bool,
    /// Whether new formulas may reach outside the workbook.
    pub allow_outside_formulas: bool,
    /// The bytes of another file of the workbench, for images named by path.
    pub files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What happens to fields that an op does not have.
    pub strictness: Strictness,
    /// Whether a sheet that an op names must be there; else it is created.
    pub must_exist: bool,
    /// Whether texts that look like numbers are meant as texts, so that no warning is needed.
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
    pub changes: Vec<Change>,
    /// What was skipped, and what a person should know.
    pub warnings: Vec<String>,
    /// The parts that differ now.
    pub parts: Vec<PartChange>,
    /// Sheets that ops named and that were created.
    pub created_sheets: Vec<String>,
    /// Cells whose value could not be brought up to date. They have no stored value any more.
    pub stale: Vec<StaleCell>,
    /// Cells of a workbook with another value than before, and formulas with another result.
    pub cells: CellChanges,
}

/// Cells with another value than before: the first of them, and how many there are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CellChanges {
    /// The first cells that ops wrote.
    pub written: Vec<CellChange>,
    /// How many cells ops gave another value.
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
    /// What it held: a value, or a formula with its `=`; null for nothing.
    pub old: Value,
    /// What it holds now.
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
pub struct Change {
    /// The position of the op in its list.
    pub index: usize,
    /// The op's name.
    pub op: String,
    /// What changed, as a short sentence.
    pub summary: String,
    /// Counts and addresses, such as `cells: 3`, `range: "A1:B2"`.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Change {
    /// A change with its sentence; details are added by [`with`](Self::with).
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

/// The most characters of a text in a receipt.
const SHOWN: usize = 200;
/// The most texts that one change lists as old or new; its counts cover all.
pub(crate) const MOST_LISTED: usize = 20;

/// The beginning of a text, for receipts.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A search as readers show it: tables in Markdown have `\\|` for a pipe. None when that makes no difference.
pub(crate) fn without_table_escapes(search: &str) -> Option<String> {
    search.contains("\\|").then(|| search.replace("\\|", "|"))
}

/// The error of an edit whose own changes overlap.
pub(crate) fn overlap(part: &str, overlap: &Overlap) -> Error {
    let fault = InternalError::Overlap { part: part.to_owned(), source: overlap.clone() };
    PackageError::Internal(fault).into()
}
