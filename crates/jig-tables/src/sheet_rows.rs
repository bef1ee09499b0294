//! The rows of a sheet, or of a range of it.
//!
//! Values are those that `XlsxReadRange` shows: dates by their number format, computed values where the file has none that
//! can be trusted, errors as text, and null for a formula without a value.

use std::collections::VecDeque;
use std::sync::Arc;

use jig_file_api::address::{CellRange, CellRef};
use jig_file_api::read::xlsx::SheetMap;
use jig_file_api::table::TableSource;
use jig_files::engine::{FileError, Format};
use jig_ooxml::Limits;
use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::xlsx::{RowValue, SheetRow, Workbook};
use serde_json::Number;

use crate::error::TableError;
use crate::source::{RowSource, SourceCell};

/// Opens a workbook whose formulas without a trusted value are computed when they are read.
pub(crate) fn open_workbook(bytes: &Arc<[u8]>) -> Result<Arc<Workbook>, FileError> {
    let book = Workbook::open(bytes.clone(), Limits::default()).map_err(|error| workbook_error(error, bytes))?;
    Ok(Arc::new(book.with_formulas(FormulaEngine::default())))
}

/// The error of a workbook that was opened from these bytes.
pub(crate) fn workbook_error(error: jig_ooxml::Error, bytes: &[u8]) -> FileError {
    FileError::from(error).of_file(Format::Xlsx, Some(bytes))
}

/// How many cells or ranges a warning names.
const NAMED: usize = 5;

/// Reads a range of a sheet row by row.
pub(crate) struct SheetRows {
    book: Arc<Workbook>,
    bytes: Arc<[u8]>,
    sheet: String,
    /// `None` if the sheet has no cells.
    range: Option<CellRange>,
    /// The number of the next row.
    next: u32,
    /// Rows that were read and not given yet.
    window: VecDeque<SheetRow>,
    /// The part of the range that was not read yet.
    rest: Option<CellRange>,
    /// The warning about other data blocks of the sheet.
    left_out: Option<String>,
    stale: NamedCells,
    computed: NamedCells,
    cut_texts: u64,
}

/// Cells for a warning: how many, and the first ones.
#[derive(Default)]
struct NamedCells {
    count: u64,
    first: Vec<String>,
}

impl NamedCells {
    fn add(&mut self, row: u32, column: u32) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.extend(CellRef::new(row, column).map(|cell| cell.to_string()));
        }
    }

    /// The warning, with its text for one formula and for several.
    fn warning(&self, one: &str, several: &str) -> Option<String> {
        let (named, more) = (self.first.join(", "), if self.count > NAMED as u64 { ", …" } else { "" });
        match self.count {
            0 => None,
            1 => Some(format!("1 formula {one}: {named}")),
            count => Some(format!("{count} formulas {several}: {named}{more}")),
        }
    }
}

impl SheetRows {
    /// Opens the sheet or range of a source; without a range its largest data block.
    pub(crate) fn open(bytes: &Arc<[u8]>, source: &TableSource) -> Result<Self, FileError> {
        let book = open_workbook(bytes)?;
        let failed = |error: jig_ooxml::Error| workbook_error(error, bytes);
        let (sheet, range, left_out) = match &source.range {
            Some(range) => (source.sheet.clone(), range.clone(), None),
            None => {
                let map = book.map().map_err(failed)?;
                let (sheet, block, left_out) = data_block(&map.sheets, source.sheet.as_deref())?;
                (Some(sheet), block.map_or_else(|| "A1:XFD1048576".to_owned(), |block| block.to_string()), left_out)
            }
        };
        let extent = book.extent(sheet.as_deref(), Some(&range)).map_err(failed)?;
        Ok(Self {
            book,
            bytes: bytes.clone(),
            sheet: extent.name,
            range: extent.used,
            next: extent.used.map_or(1, |range| range.start().row()),
            window: VecDeque::new(),
            rest: extent.used,
            left_out,
            stale: NamedCells::default(),
            computed: NamedCells::default(),
            cut_texts: 0,
        })
    }

    /// Reads more rows if none are left before the next row.
    fn fill(&mut self) -> Result<(), TableError> {
        while let Some(rest) = self.rest.filter(|rest| self.window.is_empty() && rest.start().row() <= self.next) {
            let window = self.book.rows(&self.sheet, rest).map_err(|error| workbook_error(error, &self.bytes))?;
            self.window = window.rows.into();
            self.rest = window.rest;
            self.cut_texts += window.cut_texts;
        }
        Ok(())
    }
}

impl RowSource for SheetRows {
    fn rewind(&mut self) -> Result<(), TableError> {
        self.next = self.range.map_or(1, |range| range.start().row());
        self.window.clear();
        self.rest = self.range;
        (self.stale, self.computed, self.cut_texts) = (NamedCells::default(), NamedCells::default(), 0);
        Ok(())
    }

    fn next_row(&mut self, row: &mut Vec<SourceCell>) -> Result<Option<u64>, TableError> {
        let Some(range) = self.range.filter(|range| self.next <= range.end().row()) else { return Ok(None) };
        self.fill()?;
        row.resize(range.columns() as usize, SourceCell::Empty);
        // The window has no rows without cells: those are null in all columns.
        if let Some(found) = self.window.pop_front_if(|found| found.number == self.next) {
            for cell in found.cells {
                if cell.stale {
                    self.stale.add(found.number, cell.column);
                }
                if cell.computed {
                    self.computed.add(found.number, cell.column);
                }
                let place = cell.column.checked_sub(range.start().col()).and_then(|at| row.get_mut(at as usize));
                if let Some(place) = place {
                    *place = sheet_cell(cell.value);
                }
            }
        }
        self.next += 1;
        Ok(Some(u64::from(self.next) - 1))
    }

    fn warnings(&self) -> Vec<String> {
        let stale =
            self.stale.warning("has no stored value and is read as null", "have no stored value and are read as null");
        let computed = self.computed.warning(
            "has no up-to-date stored value and was computed",
            "have no up-to-date stored value and were computed",
        );
        let cut = (self.cut_texts > 0)
            .then(|| format!("{} texts are too long to be read completely and end with `…`", self.cut_texts));
        self.left_out.iter().cloned().chain(stale).chain(computed).chain(cut).collect()
    }
}

fn sheet_cell(value: RowValue) -> SourceCell {
    match value {
        RowValue::Empty => SourceCell::Empty,
        // An integer is written without a decimal point, so that a column of integers has an integer type.
        RowValue::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            SourceCell::Number((number as i64).to_string())
        }
        RowValue::Number(number) => {
            Number::from_f64(number).map_or(SourceCell::Empty, |number| SourceCell::Number(number.to_string()))
        }
        RowValue::Date(text) | RowValue::Time(text) => SourceCell::DateTime(text),
        RowValue::Boolean(value) => SourceCell::Boolean(value),
        RowValue::Text(text) | RowValue::Error(text) => SourceCell::Text(text),
    }
}

/// A sheet, a data block of it, and the warning about its other blocks.
type ChosenBlock = (String, Option<CellRange>, Option<String>);

/// The largest data block of the requested sheet, or of the first one.
fn data_block(sheets: &[SheetMap], requested: Option<&str>) -> Result<ChosenBlock, FileError> {
    let found = match requested {
        None => sheets.first(),
        Some(name) => sheets.iter().find(|sheet| sheet.name.to_lowercase() == name.to_lowercase()),
    };
    let Some(sheet) = found else {
        let mut error = FileError::invalid(format!("sheet: unknown sheet `{}`", requested.unwrap_or_default()));
        error.suggestions = sheets.iter().map(|sheet| sheet.name.clone()).collect();
        return Err(error);
    };
    let mut blocks: Vec<CellRange> = sheet.islands.iter().filter_map(|block| block.range.parse().ok()).collect();
    let Some(largest) = blocks.iter().copied().max_by_key(|block| block.cells()) else {
        return Ok((sheet.name.clone(), None, None));
    };
    let all = sheet.island_count.unwrap_or(blocks.len() as u64);
    blocks.retain(|block| *block != largest);
    Ok((sheet.name.clone(), Some(largest), left_out(largest, &blocks, all.saturating_sub(1))))
}

/// The warning about the data blocks that are not read.
fn left_out(read: CellRange, others: &[CellRange], count: u64) -> Option<String> {
    let named = others.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = if count > NAMED as u64 { ", …" } else { "" };
    match count {
        0 => None,
        1 => Some(format!("read {read}; {named} also has data: set `range` to read it")),
        _ => Some(format!("read {read}; {named}{more} also have data: set `range` to read them")),
    }
}
