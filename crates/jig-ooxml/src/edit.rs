//! What all lists of ops share: reading their parameters, and saying what was done, what was skipped
//! and what is wrong.

mod fields;
mod values;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::PartChange;
use crate::xlsx::formula::recalculate::{Calculator, CellValue};
use crate::xml::Overlap;

pub use fields::{OpInput, op_inputs};
pub use values::{Color, nearest};

/// Why an op cannot be carried out. The message names the op and the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct EditError {
    /// Which op and field, such as `ops[2].cells[0].cell`.
    pub at: String,
    /// What is wrong, in words.
    pub why: String,
    /// Values that would be right, the nearest first.
    pub suggestions: Vec<String>,
}

impl EditError {
    /// An error at a place.
    pub fn new(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self { at: at.into(), why: why.into(), suggestions: Vec::new() }
    }

    /// With values that would be right.
    #[must_use]
    pub fn suggest(mut self, suggestions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions = suggestions.into_iter().map(Into::into).collect();
        self
    }
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
    /// What computes formulas after an edit; without one, values that may be wrong are taken out.
    pub calculator: Option<&'a dyn Calculator>,
    /// Whether the values of formulas that the edit does not affect are computed and stored too, as far as the
    /// file has no trusted value for them.
    pub recalculate_workbook: bool,
    /// Whether new formulas may reach outside the workbook.
    pub allow_outside_formulas: bool,
    /// The bytes of another file of the workbench, for pictures named by path.
    pub files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Default for ApplyOptions<'_> {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            author: "Jig",
            now: None,
            calculator: None,
            recalculate_workbook: false,
            allow_outside_formulas: false,
            files: &|_| None,
        }
    }
}

/// What a list of ops did. The file is given whole or not at all.
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
    /// Cells whose value could not be brought up to date. They have no stored value any more.
    pub stale: Vec<StaleCell>,
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
        Self { index: input.index, op: input.name.clone(), summary: summary.into(), details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// Two ops of our own making that change the same bytes: a fault of ours, told as damage of the part.
pub(crate) fn overlap(part: &str, overlap: &Overlap) -> Error {
    PackageError::part(part, overlap.at, "two changes fall on the same bytes").into()
}
