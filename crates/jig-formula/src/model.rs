//! The workbook as a calculation sees it, what a caller asks for, and what it gets back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use jig_file_api::address::{CellRange, CellRef};

use crate::not_computed::NotComputed;
use crate::parse::ParsedFormula;

/// Which formulas are to be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Cells whose content has changed. A changed cell that holds a formula is itself computed.
    pub changed: &'a [CellKey],
    /// Whether formulas that the change does not affect are computed too, as far as their stored value is
    /// not trusted.
    pub whole_workbook: bool,
}

/// Where the values of cells come from.
pub trait CellSource {
    /// Puts the content of the cells in these ranges into the model: constants as [`CellContent::Value`], the
    /// stored value of a formula as its [`StoredValue::Known`].
    fn load(&mut self, book: &mut CalcModel, ranges: &CellRanges) -> Result<(), NotComputed>;
}

/// A source for models that hold all their values.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllLoaded;

impl CellSource for AllLoaded {
    fn load(&mut self, _: &mut CalcModel, _: &CellRanges) -> Result<(), NotComputed> {
        Ok(())
    }
}

/// A cell of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellKey {
    /// The sheet's place in [`CalcModel::sheets`], from 0.
    pub sheet: usize,
    /// The cell on it.
    pub cell: CellRef,
}

/// The contents of a workbook as far as formulas can see them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CalcModel {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<SheetModel>,
    /// The defined names.
    pub names: Vec<DefinedName>,
    /// The tables of all sheets.
    pub tables: Vec<TableModel>,
    /// Whether dates count from 1904 instead of 1900.
    pub date_1904: bool,
    /// Whether no stored value is trusted: the file asks for a full calculation that has not happened.
    pub untrusted: bool,
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

    /// The formula of a cell, to be changed.
    pub fn formula_mut(&mut self, cell: CellRef) -> Option<&mut FormulaCell> {
        match self.columns.get_mut(&cell.col())?.get_mut(&cell.row())? {
            CellContent::Formula(formula) => Some(formula),
            CellContent::Value(_) => None,
        }
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
    pub fn cells_in(&self, range: CellRange) -> impl Iterator<Item = (CellRef, &CellContent)> {
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
    pub fn used(&self) -> Option<CellRange> {
        let left = *self.columns.keys().next()?;
        let right = *self.columns.keys().next_back()?;
        let top = *self.columns.values().filter_map(|rows| rows.keys().next()).min()?;
        let bottom = *self.columns.values().filter_map(|rows| rows.keys().next_back()).max()?;
        Some(CellRange::new(CellRef::new(top, left)?, CellRef::new(bottom, right)?))
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
    /// The formula, a shared one already written out for this cell.
    pub formula: Arc<ParsedFormula>,
    /// The value stored beside it in the file.
    pub stored: StoredValue,
    /// Which cells it fills.
    pub shape: FormulaShape,
}

impl FormulaCell {
    /// A formula from its text, without `=`.
    pub fn new(text: impl Into<Box<str>>, stored: StoredValue, shape: FormulaShape) -> Self {
        Self { formula: Arc::new(ParsedFormula::parse(text)), stored, shape }
    }
}

/// The value that a file stores beside a formula.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredValue {
    /// The file has none: the formula has never been computed, or its value was removed.
    Missing,
    /// The file has one that has not been loaded. It cannot be used before it is.
    NotLoaded,
    /// The value.
    Known(CellValue),
}

impl StoredValue {
    /// Whether the file has a value.
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::Missing)
    }

    /// The value, if the file has one and it has been loaded.
    pub fn known(&self) -> Option<&CellValue> {
        match self {
            Self::Known(value) => Some(value),
            Self::Missing | Self::NotLoaded => None,
        }
    }
}

/// Which cells a formula fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaShape {
    /// Only its own. Where one value is expected, a range gives the cell in the row or column of the formula.
    Single,
    /// A fixed area, its own cell first: an array formula entered with Ctrl+Shift+Enter (`t="array"`).
    Array(CellRange),
    /// As many as its result has, these when it was stored: a dynamic array formula (`t="array"` with `cm`).
    Spill(CellRange),
    /// The results of a what-if data table (`t="dataTable"`). Its formula text names the input cells; the
    /// formulas that it repeats are in the row above and the column left of the area.
    DataTable(CellRange),
}

impl FormulaShape {
    /// The area that is filled, unless it is the one cell.
    pub fn area(self) -> Option<CellRange> {
        match self {
            Self::Single => None,
            Self::Array(range) | Self::Spill(range) | Self::DataTable(range) => Some(range),
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

    /// The error of a text such as `#N/A`.
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
    /// The formula it refers to, without `=`.
    pub refers_to: String,
}

/// A table of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableModel {
    /// The name formulas use.
    pub name: String,
    /// The sheet's place in [`CalcModel::sheets`].
    pub sheet: usize,
    /// All its cells, headers and totals included.
    pub range: CellRange,
    /// The names of its columns in order.
    pub columns: Vec<String>,
    /// How many header rows it has, 0 or 1.
    pub header_rows: u32,
    /// How many rows of totals it has, 0 or 1.
    pub totals_rows: u32,
}

/// The outcome of a calculation. All lists are ordered by sheet, row and column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calculated {
    /// The new value of each formula cell that the changed cells affect, and of each cell that an array
    /// formula among them fills.
    pub values: Vec<(CellKey, CellValue)>,
    /// The affected cells whose value is no longer known. Their stored values are outdated.
    pub not_computed: Vec<(CellKey, NotComputed)>,
    /// Values of cells that are not affected, but whose stored value was missing or not trusted.
    pub other_values: Vec<(CellKey, CellValue)>,
    /// Cells that are not affected, have no trusted value and could not be computed.
    pub other_not_computed: Vec<(CellKey, NotComputed)>,
    /// Why nothing at all is known: the formulas are more than can be followed. No stored value can be kept then.
    pub not_followed: Option<NotComputed>,
}

/// Cells of all sheets as ranges, for one pass over each sheet.
#[derive(Debug, Clone, Default)]
pub struct CellRanges {
    sheets: HashMap<usize, SheetRanges>,
}

/// The cells of one sheet.
#[derive(Debug, Clone, Default)]
pub struct SheetRanges {
    /// Rows of narrow ranges by column, joined and in order once sealed.
    columns: HashMap<u32, RowSpans>,
    /// Ranges of many columns.
    wide: Vec<CellRange>,
    /// All rows with any cell of it, joined and in order once sealed.
    rows: RowSpans,
}

/// Ranges of more columns than this are held as such.
const NARROW: u32 = 64;
/// More wide ranges than this are held as the rectangle around them: more is loaded than needed, nothing less.
const MOST_WIDE: usize = 64;

impl CellRanges {
    /// No cells.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the cells of a range.
    pub fn add(&mut self, sheet: usize, range: CellRange) {
        let ranges = self.sheets.entry(sheet).or_default();
        let (start, end) = (range.start(), range.end());
        if range.columns() <= NARROW {
            for col in start.col()..=end.col() {
                ranges.columns.entry(col).or_default().add(start.row(), end.row());
            }
        } else if !ranges.wide.iter().any(|known| known.contains(start) && known.contains(end)) {
            ranges.wide.push(range);
            if ranges.wide.len() > MOST_WIDE {
                let around = |a: CellRange, b: CellRange| {
                    let first = CellRange::new(a.start(), b.start()).start();
                    CellRange::new(first, CellRange::new(a.end(), b.end()).end())
                };
                ranges.wide = ranges.wide.drain(..).reduce(around).into_iter().collect();
            }
        }
        ranges.rows.add(start.row(), end.row());
    }

    /// Makes the cells searchable. Call it once, after the last [`add`](Self::add).
    pub fn seal(&mut self) {
        for ranges in self.sheets.values_mut() {
            ranges.columns.values_mut().chain([&mut ranges.rows]).for_each(RowSpans::seal);
        }
    }

    /// Whether it has no cells.
    pub fn is_empty(&self) -> bool {
        self.sheets.is_empty()
    }

    /// The cells on a sheet.
    pub fn sheet(&self, sheet: usize) -> Option<&SheetRanges> {
        self.sheets.get(&sheet)
    }
}

impl SheetRanges {
    /// Whether any cell of a row is among them.
    pub fn has_row(&self, row: u32) -> bool {
        self.rows.contains(row)
    }

    /// Whether a cell is among them.
    pub fn contains(&self, cell: CellRef) -> bool {
        self.columns.get(&cell.col()).is_some_and(|rows| rows.contains(cell.row()))
            || self.wide.iter().any(|range| range.contains(cell))
    }
}

/// Rows of one column: spans that are added in any order, then searched.
#[derive(Debug, Clone, Default)]
pub struct RowSpans(Vec<(u32, u32)>);

impl RowSpans {
    /// Adds the rows from the first to the last.
    pub fn add(&mut self, first: u32, last: u32) {
        self.0.push((first, last));
    }

    /// Sorts the spans and joins those that touch. Call it once, after the last [`add`](Self::add).
    pub fn seal(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|next, last| {
            let touches = next.0 <= last.1.saturating_add(1);
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
    }

    /// Whether a row is in one of the spans.
    pub fn contains(&self, row: u32) -> bool {
        let after = self.0.partition_point(|span| span.0 <= row);
        after.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|span| span.1 >= row)
    }
}
