//! The rows of a sheet, or of a part of one.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{RowSource, SheetCell};
use jig_file_api::read::xlsx::SheetMap;
use jig_ooxml::xlsx::address::{CellRange, CellRef};
use jig_ooxml::xlsx::{RowValue, SheetRow, Workbook};
use serde_json::Number;

use super::TablePart;
use jig_files::engine::{Engine, FileError, Format};

/// Cells and ranges that are named in a warning.
const NAMED: usize = 5;

/// Reads a range of a sheet row by row.
pub(super) struct SheetRows {
    book: Arc<Workbook>,
    bytes: Arc<[u8]>,
    sheet: String,
    /// None if the sheet has no cells.
    range: Option<CellRange>,
    /// The number of the next row.
    next: u32,
    /// Rows that were read and are still to be given.
    window: VecDeque<SheetRow>,
    /// What of the range is still to be read.
    rest: Option<CellRange>,
    /// What of the sheet is not read.
    left_out: Option<String>,
    stale: Listed,
    computed: Listed,
    cut_texts: u64,
}

/// Cells for a warning: how many, and the first of them.
#[derive(Default)]
struct Listed {
    count: u64,
    first: Vec<String>,
}

impl Listed {
    fn add(&mut self, row: u32, column: u32) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.extend(CellRef::new(row, column).map(|cell| cell.to_string()));
        }
    }

    /// The warning: what is the case for one formula and for several.
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
    pub(super) fn open(engine: &Engine, bytes: &Arc<[u8]>, part: &TablePart) -> Result<Self, FileError> {
        let (sheet, range, left_out) = match &part.range {
            Some(range) => (part.sheet.clone(), range.clone(), None),
            None => {
                let map = engine.read_workbook(bytes, Workbook::map)?;
                let (sheet, block, left_out) = data_block(&map.sheets, part.sheet.as_deref())?;
                (Some(sheet), block.map_or_else(|| "A1:XFD1048576".to_owned(), |block| block.to_string()), left_out)
            }
        };
        let extent = engine.read_workbook(bytes, |book| book.extent(sheet.as_deref(), Some(&range)))?;
        Ok(Self {
            book: engine.workbook(bytes)?,
            bytes: bytes.clone(),
            sheet: extent.name,
            range: extent.used,
            next: extent.used.map_or(1, |range| range.start().row()),
            window: VecDeque::new(),
            rest: extent.used,
            left_out,
            stale: Listed::default(),
            computed: Listed::default(),
            cut_texts: 0,
        })
    }

    /// Reads more rows if none are left, for the row that comes next.
    fn fill(&mut self) -> Result<(), String> {
        while let Some(rest) = self.rest.filter(|rest| self.window.is_empty() && rest.start().row() <= self.next) {
            let window = self.book.rows(&self.sheet, rest);
            let message = |error| FileError::from(error).of_file(Format::Xlsx, Some(&self.bytes)).message;
            let window = window.map_err(message)?;
            self.window = window.rows.into();
            self.rest = window.rest;
            self.cut_texts += window.cut_texts;
        }
        Ok(())
    }
}

impl RowSource for SheetRows {
    fn rewind(&mut self) -> Result<(), String> {
        self.next = self.range.map_or(1, |range| range.start().row());
        self.window.clear();
        self.rest = self.range;
        (self.stale, self.computed, self.cut_texts) = (Listed::default(), Listed::default(), 0);
        Ok(())
    }

    fn next_row(&mut self, row: &mut Vec<SheetCell>) -> Result<Option<u64>, String> {
        let Some(range) = self.range.filter(|range| self.next <= range.end().row()) else { return Ok(None) };
        self.fill()?;
        row.resize(range.columns() as usize, SheetCell::Empty);
        // Rows without cells are not in the window.
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
            .then(|| format!("{} texts are too long to be read completely; they end with `…`", self.cut_texts));
        self.left_out.iter().cloned().chain(stale).chain(computed).chain(cut).collect()
    }
}

fn sheet_cell(value: RowValue) -> SheetCell {
    match value {
        RowValue::Empty => SheetCell::Empty,
        // Whole numbers without a point.
        RowValue::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            SheetCell::Number((number as i64).to_string())
        }
        RowValue::Number(number) => {
            Number::from_f64(number).map_or(SheetCell::Empty, |number| SheetCell::Number(number.to_string()))
        }
        RowValue::Date(text) | RowValue::Time(text) => SheetCell::Moment(text),
        RowValue::Boolean(value) => SheetCell::Boolean(value),
        RowValue::Text(text) | RowValue::Error(text) => SheetCell::Text(text),
    }
}

/// A sheet, a block of data in it, and what is to be said of the rest.
type Chosen = (String, Option<CellRange>, Option<String>);

/// The largest data block of a sheet: the first sheet, or the one that is asked for.
fn data_block(sheets: &[SheetMap], asked: Option<&str>) -> Result<Chosen, FileError> {
    let wanted = match asked {
        None => sheets.first(),
        Some(name) => sheets.iter().find(|sheet| sheet.name.to_lowercase() == name.to_lowercase()),
    };
    let Some(sheet) = wanted else {
        let mut error = FileError::invalid(format!("sheet: there is no sheet `{}`", asked.unwrap_or_default()));
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
        1 => Some(format!("read {read}; {named} also holds data: give `range`")),
        _ => Some(format!("read {read}; {named}{more} also hold data: give `range`")),
    }
}
