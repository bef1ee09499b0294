//! Reads cells: as lines of text, as a grid with types, and row by row.
//!
//! In lines of text, a tab inside a cell is written `\t`, a line break `\n`. Empty cells at the end of a line are left
//! out, and more than a few blank rows become one line with their numbers.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use jig_file_api::read::xlsx::{
    ChunkInfo, FormulaMode, Grid, GridCell, GridQuery, GridType, GridValue, RangeQuery, RangeText, SkippedSheet,
    TextQuery, WorkbookText,
};

use super::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW, split_sheet};
use super::cell_formatter::{CELL_CHARS, CellFormatter, FULL_CHARS, MergedCells, cut, one_line};
use super::map::{self, CHUNK_ROWS};
use super::regions::FilledRanges;
use super::sheet::cell::{Cell, CellData, Origin};
use super::workbook::{BlockHeaders, ReadCall, SheetData, Workbook};
use super::workbook_part::SheetState;
use crate::edit::EditError;
use crate::error::Error;

/// What is read when no range is given.
const ROWS: u32 = 200;
const COLUMNS: u32 = 50;
/// The most text of one call.
const RANGE_BYTES: usize = 1 << 20;
const WHOLE_BYTES: usize = 16 << 20;
/// This many blank rows are still written as such.
const BLANK_ROWS: u32 = 20;
/// How many formulas without a value are named.
const STALE: usize = 20;

/// Rows and columns of a grid, and its most text before cells are cut short.
const GRID_ROWS: u64 = 200;
const GRID_COLUMNS: u64 = 50;
const GRID_BYTES: usize = 4 << 20;
/// After so many cells or bytes of text, a window of rows ends with the row.
const WINDOW_CELLS: usize = 20_000;
const WINDOW_BYTES: usize = 4 << 20;

/// The cells of a sheet that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetExtent {
    /// The position of the sheet.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Whether it is hidden.
    pub hidden: bool,
    /// The rectangle around all cells that are not empty, within the range that was asked for.
    pub used: Option<CellRange>,
}

/// Some rows of a range, and where the others begin.
#[derive(Debug, Clone, PartialEq)]
pub struct RowWindow {
    /// The rows with cells, from top to bottom.
    pub rows: Vec<SheetRow>,
    /// The part of the range that is still to be read.
    pub rest: Option<CellRange>,
    /// How many texts were too long to be given complete; they end with `…`.
    pub cut_texts: u64,
}

/// A row with its cells that are not empty, from left to right. Cells under a merged range are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetRow {
    /// Its number, from 1.
    pub number: u32,
    /// Its cells.
    pub cells: Vec<RowCell>,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowCell {
    /// Its column, from 1.
    pub column: u32,
    /// Its value.
    pub value: RowValue,
    /// Whether its formula has no up-to-date value.
    pub stale: bool,
    /// Whether its value was computed here, because the file has none that can be trusted.
    pub computed: bool,
}

/// The value of a cell, as its number format interprets it.
#[derive(Debug, Clone, PartialEq)]
pub enum RowValue {
    /// None: a formula without a value.
    Empty,
    /// A number.
    Number(f64),
    /// A number that is shown as a date, in ISO form, with the time if it has one.
    Date(String),
    /// A number below 1 that is shown as a time of day, to the millisecond.
    Time(String),
    /// Text.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// An error, such as `#N/A`.
    Error(String),
}

impl Workbook {
    /// The cells of a range as lines of text, with what comes next.
    pub fn read(&self, query: &RangeQuery) -> Result<RangeText, Error> {
        let call = ReadCall::new(self)?;
        let most = query.max_bytes.unwrap_or(RANGE_BYTES);
        let (place, asked) = self.target(query.sheet.as_deref(), query.range.as_deref())?;
        let data = call.sheet(place)?;
        call.note_faults(place, &data);
        let name = call.sheet_name(place);
        let mut text = format!("# Sheet: {name}\n");
        let mut reply = RangeText {
            text: String::new(),
            sheet: name.to_owned(),
            range: asked.map(|range| range.to_string()),
            chunk_info: None,
            headers: None,
            header_range: None,
            stale: false,
            stale_count: 0,
            stale_cells: Vec::new(),
            computed_count: 0,
            warnings: Vec::new(),
        };
        let Some(window) = Window::of(data.facts.used, asked) else {
            text.truncate(text.trim_end().len());
            return Ok(RangeText { text, warnings: call.into_warnings(), ..reply });
        };
        let mut lines = Lines::new(&mut text, &call.formatter, &data, window.range, query.mode, most.min(WHOLE_BYTES));
        call.each_cell(place, &data, window.range, &mut |cell| lines.cell(&cell))?;
        let found = lines.finish();
        let shown = found.shown.unwrap_or(window.range);
        window.mark(shown, asked.is_none(), &mut text);
        text.truncate(text.trim_end_matches('\n').len());
        reply.range = Some(shown.to_string());
        reply.chunk_info = window.chunk_info(shown, asked.is_none());
        if reply.chunk_info.is_some()
            && let Some(headers) = map::headers(&call, place, &data)?
        {
            repeat_headers(headers, shown, &mut reply);
        }
        call.note_cut_cells(found.short);
        reply.stale = found.stale > 0;
        Ok(RangeText {
            text,
            stale_count: found.stale,
            stale_cells: found.cells,
            computed_count: found.computed,
            warnings: call.into_warnings(),
            ..reply
        })
    }

    /// The text of all sheets.
    pub fn text(&self, query: &TextQuery) -> Result<WorkbookText, Error> {
        let call = ReadCall::new(self)?;
        let mut text = String::new();
        let (mut stale, mut computed, mut short) = (0, 0, 0);
        let mut skipped_sheets = Vec::new();
        for (place, sheet) in call.sheets() {
            if sheet.state != SheetState::Visible && !query.include_hidden {
                skipped_sheets.push(SkippedSheet { name: sheet.name.clone(), state: sheet.state.as_str() });
                continue;
            }
            if text.len() > WHOLE_BYTES {
                call.note(format!("the sheet {} is left out: the text is too long; read it by range", sheet.name));
                continue;
            }
            let data = call.sheet(place)?;
            call.note_faults(place, &data);
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "# Sheet: {}", sheet.name);
            let Some(used) = data.facts.used else { continue };
            let mut lines = Lines::new(&mut text, &call.formatter, &data, used, query.mode, WHOLE_BYTES);
            call.each_cell(place, &data, used, &mut |cell| lines.cell(&cell))?;
            let found = lines.finish();
            stale += found.stale;
            computed += found.computed;
            short += found.short;
            if let Some(shown) = found.shown {
                let _ = writeln!(text, "... (truncated at row {})", shown.end().row());
                call.note(format!(
                    "{}: the text ends at row {} of {}; read the rest by range",
                    sheet.name,
                    shown.end().row(),
                    used.end().row()
                ));
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        call.note_cut_cells(short);
        if !skipped_sheets.is_empty() {
            call.note(format!("{} hidden sheets are left out; `include_hidden` adds them", skipped_sheets.len()));
        }
        Ok(WorkbookText {
            text,
            skipped_sheets,
            stale: stale > 0,
            stale_count: stale,
            computed_count: computed,
            warnings: call.into_warnings(),
        })
    }

    /// A window of cells with their types.
    pub fn grid(&self, query: &GridQuery) -> Result<Grid, Error> {
        let call = ReadCall::new(self)?;
        let place = self.sheet_index(query.sheet.as_deref())?;
        let (row_start, col_start) = (query.row_start, query.col_start);
        let data = call.sheet(place)?;
        call.note_faults(place, &data);
        let end = data.facts.used.map(CellRange::end);
        // Without a count, no more than there is.
        let left = |used: u32, start: u64| u64::from(used).saturating_sub(start);
        let (used_rows, used_cols) = (end.map_or(0, CellRef::row), end.map_or(0, CellRef::col));
        let rows = query.row_count.unwrap_or_else(|| left(used_rows, row_start));
        let rows = rows.min(GRID_ROWS).min(left(MAX_ROW, row_start));
        let cols = query.col_count.unwrap_or_else(|| left(used_cols, col_start));
        let cols = cols.min(GRID_COLUMNS).min(left(MAX_COLUMN, col_start));
        let counts = [("row_count", query.row_count, GRID_ROWS), ("col_count", query.col_count, GRID_COLUMNS)];
        for (name, asked, most) in counts {
            if asked.is_some_and(|asked| asked > most) {
                call.note(format!("{name} is cut to {most}"));
            }
        }
        let range = grid_range(row_start, rows, col_start, cols);
        let mut found = HashMap::new();
        let mut text = TextBudget::new(GRID_BYTES);
        if let Some(range) = range {
            let mut merged = MergedCells::new(&data.facts.merges);
            call.each_cell(place, &data, range, &mut |cell| {
                if !merged.covers(cell.at) {
                    found.insert((cell.at.row(), cell.at.col()), grid_cell(&call.formatter, &cell, &mut text));
                }
                ControlFlow::Continue(())
            })?;
        }
        if text.cut > 0 {
            call.note(format!("{} texts are too long to be given completely; they end with `…`", text.cut));
        }
        let mut row = |row: u64| {
            let cell = |col: u64| {
                let key = ((row_start + row + 1) as u32, (col_start + col + 1) as u32);
                found.remove(&key).unwrap_or_default()
            };
            (0..cols).map(cell).collect()
        };
        Ok(Grid {
            sheets: call.book.sheets.iter().map(|sheet| sheet.name.clone()).collect(),
            row_count: used_rows,
            col_count: used_cols,
            cells: (0..rows).map(&mut row).collect(),
            sheet: call.book.sheets.get(place).map(|sheet| sheet.name.clone()),
            row_start,
            col_start,
            range: range.map(|range| range.to_string()),
            warnings: call.into_warnings(),
        })
    }

    /// The next rows of a range. A window ends after a few megabytes, so that memory does not grow with the range.
    pub fn rows(&self, sheet: &str, range: CellRange) -> Result<RowWindow, Error> {
        let call = ReadCall::new(self)?;
        let place = self.sheet_index(Some(sheet))?;
        let data = call.sheet(place)?;
        let mut merged = MergedCells::new(&data.facts.merges);
        let mut window = RowWindow { rows: Vec::new(), rest: None, cut_texts: 0 };
        let mut text = TextBudget::new(WINDOW_BYTES);
        let mut cells = 0;
        call.each_cell(place, &data, range, &mut |cell| {
            let number = cell.at.row();
            if window.rows.last().is_none_or(|row| row.number != number) {
                if cells >= WINDOW_CELLS || text.bytes > WINDOW_BYTES {
                    let corner = CellRef::new(number, range.start().col());
                    window.rest = corner.map(|corner| CellRange::new(corner, range.end()));
                    return ControlFlow::Break(());
                }
                window.rows.push(SheetRow { number, cells: Vec::new() });
            }
            if !merged.covers(cell.at)
                && let Some(row) = window.rows.last_mut()
            {
                row.cells.push(row_cell(&call.formatter, &cell, &mut text));
                cells += 1;
            }
            ControlFlow::Continue(())
        })?;
        window.cut_texts = text.cut;
        Ok(window)
    }

    /// The extent of a sheet, or of a range of it.
    pub fn extent(&self, sheet: Option<&str>, range: Option<&str>) -> Result<SheetExtent, Error> {
        let call = ReadCall::new(self)?;
        let (place, asked) = self.target(sheet, range)?;
        extent(&call, place, asked)
    }

    /// The extents of all sheets.
    pub fn extents(&self) -> Result<Vec<SheetExtent>, Error> {
        let call = ReadCall::new(self)?;
        (0..call.book.sheets.len()).map(|place| extent(&call, place, None)).collect()
    }

    /// Ranges that hold all filled cells of a range and little else, from the top down. They do not overlap.
    pub fn filled_ranges(&self, sheet: &str, range: CellRange) -> Result<Vec<CellRange>, Error> {
        let call = ReadCall::new(self)?;
        let place = self.sheet_index(Some(sheet))?;
        let data = call.sheet(place)?;
        let mut filled = FilledRanges::default();
        if let Some(range) = data.facts.used.and_then(|used| used.intersection(range)) {
            call.each_cell(place, &data, range, &mut |cell| {
                filled.cell(cell.at);
                ControlFlow::Continue(())
            })?;
        }
        Ok(filled.finish())
    }

    /// The sheet and the range that are asked for; the range may name the sheet.
    fn target(&self, sheet: Option<&str>, range: Option<&str>) -> Result<(usize, Option<CellRange>), EditError> {
        let given = sheet.map(|name| self.sheet_index(Some(name))).transpose()?;
        let first = |given: Option<usize>| given.map_or_else(|| self.sheet_index(None), Ok);
        let Some(text) = range.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok((first(given)?, None));
        };
        let (named, cells) = match split_sheet(text) {
            Some((sheet, cells)) => {
                let in_range = |error| EditError { at: "range".to_owned(), ..error };
                (Some(self.sheet_index(Some(&sheet)).map_err(in_range)?), cells)
            }
            None => (None, text),
        };
        if let (Some(given), Some(named)) = (given, named)
            && given != named
        {
            return Err(EditError::new("range", format!("`{text}` is on another sheet than `sheet` says")));
        }
        let range = cells.parse::<CellRange>().map_err(|error| EditError::new("range", error.to_string()))?;
        Ok((first(given.or(named))?, Some(range)))
    }
}

fn extent(call: &ReadCall<'_>, place: usize, asked: Option<CellRange>) -> Result<SheetExtent, Error> {
    let used = call.sheet(place)?.facts.used;
    let sheet = call.book.sheets.get(place);
    Ok(SheetExtent {
        index: place,
        name: call.sheet_name(place).to_owned(),
        hidden: sheet.is_some_and(|sheet| sheet.state != SheetState::Visible),
        used: used.and_then(|used| asked.map_or(Some(used), |asked| used.intersection(asked))),
    })
}

/// Adds the headers of the columns, if the range is in the first data block below its headers.
fn repeat_headers(headers: &BlockHeaders, shown: CellRange, reply: &mut RangeText) {
    let first = headers.range.start();
    if shown.start().row() > first.row() && headers.block.contains(shown.start()) {
        let skip = (shown.start().col() - first.col()) as usize;
        let texts = headers.texts.iter().skip(skip).take(shown.columns() as usize);
        reply.headers = Some(texts.cloned().collect());
        reply.header_range = Some(headers.range.to_string());
    }
}

fn grid_range(row_start: u64, rows: u64, col_start: u64, cols: u64) -> Option<CellRange> {
    let corner = |row: u64, col: u64| CellRef::new(u32::try_from(row).ok()?, u32::try_from(col).ok()?);
    if rows == 0 || cols == 0 {
        return None;
    }
    Some(CellRange::new(corner(row_start + 1, col_start + 1)?, corner(row_start + rows, col_start + cols)?))
}

/// How much text a reply holds, so that it stays within bounds: once they are reached, texts are cut short.
struct TextBudget {
    bytes: usize,
    most: usize,
    /// How many texts were cut.
    cut: u64,
}

impl TextBudget {
    fn new(most: usize) -> Self {
        Self { bytes: 0, most, cut: 0 }
    }

    fn fit(&mut self, text: &str) -> String {
        let fits = cut(text, if self.bytes > self.most { FULL_CHARS } else { CELL_CHARS });
        self.bytes += fits.len();
        self.cut += u64::from(fits.len() != text.len());
        fits.into_owned()
    }
}

fn grid_cell(formatter: &CellFormatter, cell: &Cell<'_>, text: &mut TextBudget) -> GridCell {
    let (value, kind) = match &cell.data {
        CellData::Empty => (GridValue::Blank, GridType::Blank),
        CellData::Number(number) => (GridValue::Number(*number), GridType::Number),
        CellData::Bool(value) => (GridValue::Boolean(*value), GridType::Boolean),
        CellData::Error(found) | CellData::Date(found) => (GridValue::Text(text.fit(found)), GridType::String),
        CellData::Shared(_) | CellData::Text(_) => {
            let found = cell.data.text(&formatter.strings).unwrap_or_default();
            (GridValue::Text(text.fit(found)), GridType::String)
        }
    };
    let formula = cell.formula.as_ref().map(|formula| text.fit(&formula.text(cell.at)));
    let display = Some(text.fit(&formatter.value(cell)));
    let format = formatter.styles.code(formatter.styles.format_id(cell.style));
    GridCell {
        value,
        kind,
        formula,
        display,
        number_format: (format != "General").then(|| format.to_owned()),
        date: formatter.iso(cell),
        error: matches!(cell.data, CellData::Error(_)),
        stale: cell.is_stale(),
        computed: cell.origin == Origin::Computed,
    }
}

fn row_cell(formatter: &CellFormatter, cell: &Cell<'_>, text: &mut TextBudget) -> RowCell {
    let value = match &cell.data {
        CellData::Empty => RowValue::Empty,
        CellData::Number(number) => match (formatter.iso(cell), formatter.time_of_day(*number, cell.style)) {
            (Some(date), _) => RowValue::Date(date),
            (None, Some(time)) => RowValue::Time(time),
            (None, None) => RowValue::Number(*number),
        },
        CellData::Bool(value) => RowValue::Boolean(*value),
        CellData::Error(found) => RowValue::Error(text.fit(found)),
        CellData::Date(found) => RowValue::Text(text.fit(found)),
        CellData::Shared(_) | CellData::Text(_) => {
            RowValue::Text(text.fit(cell.data.text(&formatter.strings).unwrap_or_default()))
        }
    };
    RowCell { column: cell.at.col(), value, stale: cell.is_stale(), computed: cell.origin == Origin::Computed }
}

/// The cells that one call reads.
struct Window {
    used: CellRange,
    /// The cells that would be read without limits.
    wanted: CellRange,
    range: CellRange,
}

impl Window {
    /// None when there is nothing in it.
    fn of(used: Option<CellRange>, asked: Option<CellRange>) -> Option<Self> {
        let used = used?;
        let Some(asked) = asked else {
            let start = used.start();
            let last = |first: u32, count: u32, end: u32| first.saturating_add(count - 1).min(end);
            let end =
                CellRef::new(last(start.row(), ROWS, used.end().row()), last(start.col(), COLUMNS, used.end().col()))?;
            return Some(Self { used, wanted: used, range: CellRange::new(start, end) });
        };
        // Cells after the last used one are blank; those before the first keep their positions.
        let end = CellRef::new(asked.end().row().min(used.end().row()), asked.end().col().min(used.end().col()))?;
        let start = asked.start();
        if start.row() > end.row() || start.col() > end.col() {
            return None;
        }
        let range = CellRange::new(start, end);
        Some(Self { used, wanted: range, range })
    }

    /// Marks in the text that rows or columns are missing.
    fn mark(&self, shown: CellRange, whole: bool, text: &mut String) {
        if shown.end().row() < self.wanted.end().row() {
            let _ = writeln!(text, "... (truncated at {} rows)", shown.rows());
        }
        if whole && shown.end().col() < self.wanted.end().col() {
            let _ = writeln!(text, "... (truncated at {} columns)", shown.columns());
        }
    }

    fn chunk_info(&self, shown: CellRange, whole: bool) -> Option<ChunkInfo> {
        let step = if whole { ROWS } else { CHUNK_ROWS };
        let total = self.used.rows().div_ceil(step);
        let more_rows = shown.end().row() < self.used.end().row();
        let more_columns = shown.end().col() < self.wanted.end().col();
        if total <= 1 && !more_rows && !more_columns {
            return None;
        }
        let next = |more: bool, range: Option<CellRange>| range.filter(|_| more).map(|range| range.to_string());
        Some(ChunkInfo {
            chunk_index: shown.start().row().saturating_sub(self.used.start().row()) / step,
            total_chunks: total,
            has_more: more_rows || more_columns,
            range: shown.to_string(),
            next_range: next(more_rows, self.below(shown)),
            next_columns: next(more_columns, self.beside(shown)),
        })
    }

    fn below(&self, shown: CellRange) -> Option<CellRange> {
        let first = shown.end().row() + 1;
        let last = (first + shown.rows() - 1).min(self.used.end().row());
        Some(CellRange::new(CellRef::new(first, shown.start().col())?, CellRef::new(last, shown.end().col())?))
    }

    fn beside(&self, shown: CellRange) -> Option<CellRange> {
        let first = shown.end().col() + 1;
        let last = (first + shown.columns() - 1).min(self.used.end().col());
        Some(CellRange::new(CellRef::new(shown.start().row(), first)?, CellRef::new(shown.end().row(), last)?))
    }
}

/// Writes cells as lines.
struct Lines<'l> {
    text: &'l mut String,
    formatter: &'l CellFormatter,
    merged: MergedCells,
    range: CellRange,
    mode: FormulaMode,
    most: usize,
    /// The row that is being written, and the column that comes next in it.
    row: u32,
    col: u32,
    found: LineReport,
}

/// Counts for the reply: stale and computed formulas, and where the text was truncated.
#[derive(Default)]
struct LineReport {
    /// Formulas whose value was computed here.
    computed: u64,
    stale: u64,
    cells: Vec<String>,
    shown: Option<CellRange>,
    /// Cells that were cut short.
    short: u64,
}

impl<'l> Lines<'l> {
    fn new(
        text: &'l mut String,
        formatter: &'l CellFormatter,
        data: &SheetData,
        range: CellRange,
        mode: FormulaMode,
        most: usize,
    ) -> Self {
        let (row, col) = (range.start().row(), range.start().col());
        let merged = MergedCells::new(&data.facts.merges);
        Self { text, formatter, merged, range, mode, most, row, col, found: LineReport::default() }
    }

    fn cell(&mut self, cell: &Cell<'_>) -> ControlFlow<()> {
        let at = cell.at;
        if at.row() > self.row {
            if self.text.len() > self.most {
                self.cut_off();
                return ControlFlow::Break(());
            }
            self.go_to(at.row());
        }
        if self.merged.covers(at) {
            return ControlFlow::Continue(());
        }
        let shown = self.display(cell);
        if shown.is_empty() {
            return ControlFlow::Continue(());
        }
        while self.col < at.col() {
            self.text.push('\t');
            self.col += 1;
        }
        // A row may be longer than the whole text should be.
        let room = if self.text.len() > self.most { FULL_CHARS } else { CELL_CHARS };
        let fits = cut(&shown, room);
        self.found.short += u64::from(fits.len() != shown.len());
        self.text.push_str(&fits);
        ControlFlow::Continue(())
    }

    /// Ends the line and writes blank ones up to a row.
    fn go_to(&mut self, row: u32) {
        self.text.push('\n');
        let blank = row - self.row - 1;
        if blank > BLANK_ROWS {
            let _ = writeln!(self.text, "... (rows {}-{} are blank)", self.row + 1, row - 1);
        } else {
            self.text.extend(std::iter::repeat_n('\n', blank as usize));
        }
        (self.row, self.col) = (row, self.range.start().col());
    }

    /// Notes that the text ends with this row.
    fn cut_off(&mut self) {
        let end = CellRef::new(self.row, self.range.end().col());
        self.found.shown = end.map(|end| CellRange::new(self.range.start(), end));
    }

    fn finish(self) -> LineReport {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.found
    }

    fn display(&mut self, cell: &Cell<'_>) -> String {
        let value = self.formatter.value(cell);
        let value = cut(&value, CELL_CHARS + 1);
        self.found.computed += u64::from(cell.origin == Origin::Computed);
        let unknown = cell.is_stale();
        if unknown {
            self.found.stale += 1;
            if self.found.cells.len() < STALE {
                self.found.cells.push(cell.at.to_string());
            }
        }
        let Some(formula) = &cell.formula else { return one_line(&value).into_owned() };
        // An unknown value must not look like an empty cell: the formula is given instead.
        match self.mode {
            FormulaMode::Values if !unknown => one_line(&value).into_owned(),
            FormulaMode::Both if !unknown => format!("{} [{}]", one_line(&value), one_line(&formula.text(cell.at))),
            _ => one_line(&formula.text(cell.at)).into_owned(),
        }
    }
}
