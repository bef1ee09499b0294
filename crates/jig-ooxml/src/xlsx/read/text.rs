//! `XlsxReadRange` and `XlsxExtractText`: cells as tab-separated lines.
//!
//! Inside a cell a tab is written `\t`, a line break `\n`. Empty cells at the end of a line are left out,
//! and more than a few blank rows are told in one line.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::cell::{Cell, Origin};
use super::map::{self, CHUNK_ROWS};
use super::params::Params;
use super::show::{CELL_CHARS, FULL_CHARS, Merges, Shower, cut, one_line};
use super::store::SheetData;
use crate::edit::EditError;
use crate::error::Error;
use crate::xlsx::address::{CellRef, RangeRef};
use crate::xlsx::book::SheetState;

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

/// What is shown of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Values,
    Formulas,
    Both,
}

impl Mode {
    fn of(params: Params<'_>) -> Result<Self, EditError> {
        Ok(match params.choice("mode", &["values", "formulas", "both"])? {
            Some("formulas") => Self::Formulas,
            Some("both") => Self::Both,
            _ => Self::Values,
        })
    }
}

/// The answer to `XlsxReadRange`.
pub(super) fn read_range(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let mode = Mode::of(params)?;
    let most = params.number("max_bytes")?.map_or(RANGE_BYTES, |most| usize::try_from(most).unwrap_or(WHOLE_BYTES));
    let (place, asked) = target(call, params)?;
    let data = call.sheet(place)?;
    call.note_faults(place, &data);
    let name = call.book.sheets.get(place).map_or("", |sheet| sheet.name.as_str());
    let mut text = format!("# Sheet: {name}\n");
    let Some(window) = Window::of(data.facts.used, asked) else {
        let mut answer = json!({"text": text.trim_end(), "sheet": name, "range": asked.map(|range| range.to_string())});
        call.warn(&mut answer);
        return Ok(answer);
    };
    let mut lines = Lines::new(&mut text, &call.shower, &data, window.range, mode, most.min(WHOLE_BYTES));
    call.each_cell(place, &data, window.range, &mut |cell| lines.cell(&cell))?;
    let found = lines.finish();
    let shown = found.shown.unwrap_or(window.range);
    let mut fields = Map::new();
    window.mark(shown, asked.is_none(), &mut text);
    fields.insert("text".to_owned(), json!(text.trim_end_matches('\n')));
    fields.insert("sheet".to_owned(), json!(name));
    fields.insert("range".to_owned(), json!(shown.to_string()));
    if let Some(info) = window.chunk_info(shown, asked.is_none()) {
        fields.insert("chunk_info".to_owned(), info);
        repeat_headers(call, place, &data, shown, &mut fields)?;
    }
    found.tell(call, &mut fields);
    let mut answer = Value::Object(fields);
    call.warn(&mut answer);
    Ok(answer)
}

/// Says what the columns are, when the range lies in the first island below its headers.
fn repeat_headers(
    call: &Call<'_>,
    place: usize,
    data: &SheetData,
    shown: RangeRef,
    fields: &mut Map<String, Value>,
) -> Result<(), Error> {
    let Some(headers) = map::headers(call, place, data)? else { return Ok(()) };
    let first = headers.range.start();
    if shown.start().row() > first.row() && headers.island.contains(shown.start()) {
        let skip = (shown.start().col() - first.col()) as usize;
        let texts: Vec<_> = headers.texts.iter().skip(skip).take(shown.columns() as usize).collect();
        fields.insert("headers".to_owned(), json!(texts));
        fields.insert("header_range".to_owned(), json!(headers.range.to_string()));
    }
    Ok(())
}

/// The sheet and the range that are asked for; the range may name the sheet.
pub(super) fn target(call: &Call<'_>, params: Params<'_>) -> Result<(usize, Option<RangeRef>), EditError> {
    let given = params.sheet(call.book)?;
    let Some(text) = params.text("range")?.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok((params.sheet_or_first(call.book)?, None));
    };
    let (named, cells) = match text.rsplit_once('!') {
        Some((sheet, cells)) => {
            let quoted = sheet.strip_prefix('\'').and_then(|sheet| sheet.strip_suffix('\''));
            let sheet = quoted.map_or(Cow::Borrowed(sheet), |sheet| sheet.replace("''", "'").into());
            (
                Params(&json!({"sheet": sheet}))
                    .sheet(call.book)
                    .map_err(|error| EditError { at: "range".to_owned(), ..error })?,
                cells,
            )
        }
        None => (None, text),
    };
    if let (Some(given), Some(named)) = (given, named)
        && given != named
    {
        return Err(EditError::new("range", format!("`{text}` is on another sheet than `sheet` says")));
    }
    let range = cells.parse::<RangeRef>().map_err(|error| EditError::new("range", error.to_string()))?;
    let place = match given.or(named) {
        Some(place) => place,
        None => params.sheet_or_first(call.book)?,
    };
    Ok((place, Some(range)))
}

/// What of a sheet is read.
struct Window {
    used: RangeRef,
    /// What would be read without bounds.
    wanted: RangeRef,
    range: RangeRef,
}

impl Window {
    /// None when there is nothing in it.
    fn of(used: Option<RangeRef>, asked: Option<RangeRef>) -> Option<Self> {
        let used = used?;
        let Some(asked) = asked else {
            let start = used.start();
            let last = |first: u32, count: u32, end: u32| first.saturating_add(count - 1).min(end);
            let end =
                CellRef::new(last(start.row(), ROWS, used.end().row()), last(start.col(), COLUMNS, used.end().col()))?;
            return Some(Self { used, wanted: used, range: RangeRef::new(start, end) });
        };
        // What lies behind the last used cell is blank; what lies before the first keeps its place.
        let end = CellRef::new(asked.end().row().min(used.end().row()), asked.end().col().min(used.end().col()))?;
        let start = asked.start();
        if start.row() > end.row() || start.col() > end.col() {
            return None;
        }
        let range = RangeRef::new(start, end);
        Some(Self { used, wanted: range, range })
    }

    /// Says in the text what is missing from it.
    fn mark(&self, shown: RangeRef, whole: bool, text: &mut String) {
        if shown.end().row() < self.wanted.end().row() {
            let _ = writeln!(text, "... (truncated at {} rows)", shown.rows());
        }
        if whole && shown.end().col() < self.wanted.end().col() {
            let _ = writeln!(text, "... (truncated at {} columns)", shown.columns());
        }
    }

    fn chunk_info(&self, shown: RangeRef, whole: bool) -> Option<Value> {
        let step = if whole { ROWS } else { CHUNK_ROWS };
        let total = self.used.rows().div_ceil(step);
        let more_rows = shown.end().row() < self.used.end().row();
        let more_columns = shown.end().col() < self.wanted.end().col();
        if total <= 1 && !more_rows && !more_columns {
            return None;
        }
        let mut info = json!({
            "chunk_index": shown.start().row().saturating_sub(self.used.start().row()) / step,
            "total_chunks": total,
            "has_more": more_rows || more_columns,
            "range": shown.to_string(),
        });
        let fields = info.as_object_mut()?;
        if more_rows {
            fields.insert("next_range".to_owned(), json!(self.below(shown)?.to_string()));
        }
        if more_columns {
            fields.insert("next_columns".to_owned(), json!(self.beside(shown)?.to_string()));
        }
        Some(info)
    }

    fn below(&self, shown: RangeRef) -> Option<RangeRef> {
        let first = shown.end().row() + 1;
        let last = (first + shown.rows() - 1).min(self.used.end().row());
        Some(RangeRef::new(CellRef::new(first, shown.start().col())?, CellRef::new(last, shown.end().col())?))
    }

    fn beside(&self, shown: RangeRef) -> Option<RangeRef> {
        let first = shown.end().col() + 1;
        let last = (first + shown.columns() - 1).min(self.used.end().col());
        Some(RangeRef::new(CellRef::new(shown.start().row(), first)?, CellRef::new(shown.end().row(), last)?))
    }
}

/// Writes cells as lines.
struct Lines<'l> {
    text: &'l mut String,
    shower: &'l Shower,
    merges: Merges,
    range: RangeRef,
    mode: Mode,
    most: usize,
    /// The row that is being written, and the column that comes next in it.
    row: u32,
    col: u32,
    found: Found,
}

/// What is to be told besides the text: formulas whose value is not known, and how far the text goes.
#[derive(Default)]
struct Found {
    /// Formulas whose value was computed here.
    computed: u64,
    count: u64,
    cells: Vec<String>,
    shown: Option<RangeRef>,
    /// Cells that are not shown whole.
    short: u64,
}

impl Found {
    fn tell(&self, call: &Call<'_>, fields: &mut Map<String, Value>) {
        if self.short > 0 {
            call.note(format!("{} cells are too long to be shown whole; they end with `…`", self.short));
        }
        if self.count > 0 {
            fields.insert("stale".to_owned(), json!(true));
            fields.insert("stale_count".to_owned(), json!(self.count));
            fields.insert("stale_cells".to_owned(), json!(self.cells));
        }
        if self.computed > 0 {
            fields.insert("computed_count".to_owned(), json!(self.computed));
        }
    }
}

impl<'l> Lines<'l> {
    fn new(
        text: &'l mut String,
        shower: &'l Shower,
        data: &SheetData,
        range: RangeRef,
        mode: Mode,
        most: usize,
    ) -> Self {
        let (row, col) = (range.start().row(), range.start().col());
        let merges = Merges::new(&data.facts.merges);
        Self { text, shower, merges, range, mode, most, row, col, found: Found::default() }
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
        if self.merges.covers(at) {
            return ControlFlow::Continue(());
        }
        let shown = self.shown(cell);
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
        self.found.shown = end.map(|end| RangeRef::new(self.range.start(), end));
    }

    fn finish(self) -> Found {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.found
    }

    fn shown(&mut self, cell: &Cell<'_>) -> String {
        let value = self.shower.value(cell);
        let value = cut(&value, CELL_CHARS + 1);
        self.found.computed += u64::from(cell.origin == Origin::Computed);
        let unknown = cell.is_stale();
        if unknown {
            self.found.count += 1;
            if self.found.cells.len() < STALE {
                self.found.cells.push(cell.at.to_string());
            }
        }
        let Some(formula) = &cell.formula else { return one_line(&value).into_owned() };
        // A value that is not known is not shown as nothing: its formula stands for it.
        match self.mode {
            Mode::Values if !unknown => one_line(&value).into_owned(),
            Mode::Both if !unknown => format!("{} [{}]", one_line(&value), one_line(&formula.text(cell.at))),
            _ => one_line(&formula.text(cell.at)).into_owned(),
        }
    }
}

/// The answer to `XlsxExtractText`.
pub(super) fn extract(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let mode = Mode::of(params)?;
    let hidden_too = params.flag("include_hidden")?;
    let mut text = String::new();
    let (mut stale, mut computed, mut short) = (0, 0, 0);
    let mut skipped = Vec::new();
    for (place, sheet) in call.sheets() {
        if sheet.state != SheetState::Visible && !hidden_too {
            skipped.push(json!({"name": sheet.name, "state": sheet.state.word()}));
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
        let most = WHOLE_BYTES;
        let mut lines = Lines::new(&mut text, &call.shower, &data, used, mode, most);
        call.each_cell(place, &data, used, &mut |cell| lines.cell(&cell))?;
        let found = lines.finish();
        stale += found.count;
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
    let mut answer = json!({"text": text.trim_end_matches('\n')});
    if short > 0 {
        call.note(format!("{short} cells are too long to be shown whole; they end with `…`"));
    }
    if let Some(fields) = answer.as_object_mut() {
        if !skipped.is_empty() {
            call.note(format!("{} hidden sheets are left out; `include_hidden` adds them", skipped.len()));
            fields.insert("skipped_sheets".to_owned(), json!(skipped));
        }
        if stale > 0 {
            fields.insert("stale".to_owned(), json!(true));
            fields.insert("stale_count".to_owned(), json!(stale));
        }
        if computed > 0 {
            fields.insert("computed_count".to_owned(), json!(computed));
        }
    }
    call.warn(&mut answer);
    Ok(answer)
}
