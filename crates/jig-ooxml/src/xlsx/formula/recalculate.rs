//! What the workbook editor asks of a calculation engine, and the picture of the workbook it gives it.
//! The engine itself lives elsewhere: this crate only rewrites.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::xlsx::address::{CellRef, RangeRef};

/// What a calculation engine must do for the workbook editor.
///
/// Implementers compute only what depends on the changed cells, take the stored value of every other
/// formula as it is, never reach outside the workbook, and say of each cell they could not compute why.
/// They never panic and end within bounds of time and memory, whatever the workbook holds.
pub trait Calculator {
    /// Computes every formula whose value depends on `changed`; a changed cell that holds a formula is
    /// itself computed.
    fn calculate(&self, book: &BookModel, changed: &[CellKey]) -> Calculated;
}

/// A cell of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellKey {
    /// The sheet's place in [`BookModel::sheets`], from 0.
    pub sheet: usize,
    /// The cell on it.
    pub cell: CellRef,
}

/// The contents of a workbook as far as formulas can see them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BookModel {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<SheetModel>,
    /// The defined names.
    pub names: Vec<DefinedName>,
    /// The tables of all sheets.
    pub tables: Vec<TableModel>,
    /// Whether dates count from 1904 instead of 1900.
    pub date_1904: bool,
}

/// A sheet: its name and the cells that are not empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SheetModel {
    /// The name on its tab.
    pub name: String,
    /// Rows that are hidden, by hand or by a filter: some functions leave them out.
    pub hidden_rows: BTreeSet<u32>,
    // By column first: formulas read long pieces of few columns.
    columns: BTreeMap<u32, BTreeMap<u32, CellContent>>,
}

impl SheetModel {
    /// An empty sheet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets what a cell holds.
    pub fn set(&mut self, cell: CellRef, content: CellContent) {
        self.columns.entry(cell.col()).or_default().insert(cell.row(), content);
    }

    /// What a cell holds; `None` for an empty one.
    pub fn get(&self, cell: CellRef) -> Option<&CellContent> {
        self.columns.get(&cell.col())?.get(&cell.row())
    }

    /// The cells of a range that are not empty, column by column. The cost is that of the cells found, not
    /// that of the range: whole columns are fine.
    pub fn cells_in(&self, range: RangeRef) -> impl Iterator<Item = (CellRef, &CellContent)> {
        let (start, end) = (range.start(), range.end());
        self.columns.range(start.col()..=end.col()).flat_map(move |(col, rows)| {
            rows.range(start.row()..=end.row()).filter_map(|(row, content)| Some((CellRef::new(*row, *col)?, content)))
        })
    }

    /// All cells that are not empty, column by column.
    pub fn cells(&self) -> impl Iterator<Item = (CellRef, &CellContent)> {
        self.columns
            .iter()
            .flat_map(|(col, rows)| rows.iter().filter_map(|(row, content)| Some((CellRef::new(*row, *col)?, content))))
    }

    /// The rectangle around all cells that are not empty.
    pub fn used(&self) -> Option<RangeRef> {
        let left = *self.columns.keys().next()?;
        let right = *self.columns.keys().next_back()?;
        let top = *self.columns.values().filter_map(|rows| rows.keys().next()).min()?;
        let bottom = *self.columns.values().filter_map(|rows| rows.keys().next_back()).max()?;
        Some(RangeRef::new(CellRef::new(top, left)?, CellRef::new(bottom, right)?))
    }
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum CellContent {
    /// A value typed in.
    Value(CellValue),
    /// A formula.
    Formula(FormulaCell),
}

/// A formula with the value stored beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaCell {
    /// The formula without `=`, a shared one already written out for this cell.
    pub text: String,
    /// The value stored in the file, if there is one to trust.
    pub cached: Option<CellValue>,
    /// Which cells it fills.
    pub shape: FormulaShape,
}

/// Which cells a formula fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaShape {
    /// Only its own; a range where one value is meant stands for the cell in its own row or column.
    Single,
    /// A fixed area, its own cell first: an array formula entered with Ctrl+Shift+Enter (`t="array"`).
    Array(RangeRef),
    /// As many as its result has, these when it was stored: a dynamic array formula (`t="array"` with `cm`).
    Spill(RangeRef),
}

impl FormulaShape {
    /// The area that is filled, unless it is the one cell.
    pub fn area(self) -> Option<RangeRef> {
        match self {
            Self::Single => None,
            Self::Array(range) | Self::Spill(range) => Some(range),
        }
    }
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// Nothing.
    Empty,
    /// A number; dates are numbers too.
    Number(f64),
    /// Text.
    Text(String),
    /// A truth value.
    Bool(bool),
    /// An error.
    Error(CellError),
}

/// The errors a cell can show and a file can store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellError {
    /// `#NULL!`
    Null,
    /// `#DIV/0!`
    Div,
    /// `#VALUE!`
    Value,
    /// `#REF!`
    Ref,
    /// `#NAME?`
    Name,
    /// `#NUM!`
    Num,
    /// `#N/A`
    NotAvailable,
    /// Any newer error, which files store as `#VALUE!` beside its rich value: `#SPILL!`, `#CALC!` and others.
    Other,
}

impl CellError {
    const TEXTS: [(Self, &'static str); 8] = [
        (Self::Null, "#NULL!"),
        (Self::Div, "#DIV/0!"),
        (Self::Value, "#VALUE!"),
        (Self::Ref, "#REF!"),
        (Self::Name, "#NAME?"),
        (Self::Num, "#NUM!"),
        (Self::NotAvailable, "#N/A"),
        (Self::Other, "#VALUE!"),
    ];

    /// The error a text such as `#N/A` stands for.
    pub fn from_text(text: &str) -> Self {
        Self::TEXTS.iter().find(|(_, known)| known.eq_ignore_ascii_case(text)).map_or(Self::Other, |(error, _)| *error)
    }

    /// The text that cells show and files store.
    pub fn as_str(self) -> &'static str {
        Self::TEXTS.iter().find(|(error, _)| *error == self).map_or("#VALUE!", |(_, text)| text)
    }
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A defined name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedName {
    /// The name.
    pub name: String,
    /// The sheet it belongs to; `None` for the whole workbook.
    pub scope: Option<usize>,
    /// The formula it stands for, without `=`.
    pub refers_to: String,
}

/// A table of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableModel {
    /// The name formulas use.
    pub name: String,
    /// The sheet's place in [`BookModel::sheets`].
    pub sheet: usize,
    /// All its cells, headers and totals included.
    pub range: RangeRef,
    /// The names of its columns in order.
    pub columns: Vec<String>,
    /// How many header rows it has, 0 or 1.
    pub header_rows: u32,
    /// How many rows of totals it has, 0 or 1.
    pub totals_rows: u32,
}

/// What a calculation found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calculated {
    /// The new value of each formula cell that depends on the changed cells, and of each cell that an
    /// array formula among them fills; ordered by sheet, row and column.
    pub values: Vec<(CellKey, CellValue)>,
    /// The cells whose value is no longer known, in the same order. Their stored values are stale.
    pub not_computed: Vec<(CellKey, Why)>,
}

/// Why a cell could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The engine does not know a function.
    #[error("the function {0} is not supported")]
    Function(String),
    /// The formula reaches outside the workbook, which is never done.
    #[error("it reaches outside the workbook ({0})")]
    Outside(String),
    /// The formula asks for the time or for chance, and none was given.
    #[error("{0} changes with every calculation")]
    ClockOrChance(String),
    /// The formula refers to itself, directly or through others.
    #[error("it refers to itself")]
    Cycle,
    /// The formula cannot be read.
    #[error("the formula cannot be read: {0}")]
    Syntax(String),
    /// Something in it that the engine does not do.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// A cell it reads could not be computed.
    #[error("it depends on {0}, which was not computed")]
    DependsOn(String),
    /// Computing it would take more than the limits allow.
    #[error("it exceeds the limit of {0}")]
    Limit(String),
}
