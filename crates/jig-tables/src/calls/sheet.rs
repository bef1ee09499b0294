//! The rows of a sheet, or of a part of one.

use std::sync::Arc;

use crate::{RowSource, SheetCell};
use jig_ooxml::xlsx::numfmt::NumberFormat;
use serde_json::{Value, json};

use super::TablePart;
use super::update::address;
use jig_files::engine::{Engine, FileError, Method, Reason};

/// Rows and columns that are asked for at a time.
const ROWS: u64 = 100;
const COLUMNS: u64 = 50;
/// Cells and ranges that are named in a warning.
const NAMED: usize = 5;

/// Reads a range of a sheet row by row.
pub(super) struct SheetRows {
    engine: Arc<Engine>,
    bytes: Arc<[u8]>,
    sheet: String,
    /// First and last row and column, from 1.
    rows: (u64, u64),
    columns: (u64, u64),
    next: u64,
    waiting: std::collections::VecDeque<Vec<SheetCell>>,
    /// What of the sheet is not read.
    left_out: Option<String>,
    stale: Listed,
    computed: Listed,
}

/// Cells for a warning: how many, and the first of them.
#[derive(Default)]
struct Listed {
    count: u64,
    first: Vec<String>,
}

impl Listed {
    fn add(&mut self, row: u64, column: u64) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(address(row, column));
        }
    }

    fn follow(&mut self, later: Self) {
        self.count += later.count;
        let room = NAMED.saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
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
    pub(super) fn open(engine: Arc<Engine>, bytes: Arc<[u8]>, part: &TablePart) -> Result<Self, FileError> {
        let (sheet, range, left_out) = match &part.range {
            Some(range) => (part.sheet.clone(), range.clone(), None),
            None => island(&engine, &bytes, part)?,
        };
        let question = json!({ "sheet": sheet, "range": range, "first_sheet": true });
        let extent = ask(&engine, &bytes, "XlsxGetExtent", &question)?;
        let found = &extent["sheets"][0];
        let number = |key: &str| found[key].as_u64().unwrap_or(0);
        let column = |key: &str| found[key].as_str().map_or(0, column_number);
        Ok(Self {
            sheet: found["name"].as_str().unwrap_or_default().to_owned(),
            rows: (number("first_row").max(1), number("last_row")),
            columns: (column("first_column").max(1), column("last_column")),
            next: number("first_row").max(1),
            engine,
            bytes,
            waiting: std::collections::VecDeque::new(),
            left_out,
            stale: Listed::default(),
            computed: Listed::default(),
        })
    }

    fn fetch(&mut self, rows: u64) -> Result<(), FileError> {
        let rows = rows.min(self.rows.1 + 1 - self.next);
        let mut lines: Vec<Vec<SheetCell>> = vec![Vec::new(); usize::try_from(rows).unwrap_or(0)];
        let (mut stale, mut computed) = (Listed::default(), Listed::default());
        let mut column = self.columns.0;
        while column <= self.columns.1 {
            let count = COLUMNS.min(self.columns.1 + 1 - column);
            let question = json!({
                "sheet": self.sheet, "row_start": self.next - 1, "row_count": rows, "col_start": column - 1, "col_count": count,
            });
            let grid = ask(&self.engine, &self.bytes, "XlsxRenderGrid", &question)?;
            let cut = grid["warnings"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|words| words.as_str().is_some_and(|words| words.contains("too long to be given whole")));
            if cut && rows > 1 {
                return self.fetch(1);
            }
            for ((row, line), cells) in
                (self.next..).zip(&mut lines).zip(grid["cells"].as_array().into_iter().flatten())
            {
                for (at, found) in (column..).zip(cells.as_array().into_iter().flatten()) {
                    if found["stale"] == true {
                        stale.add(row, at);
                    }
                    if found["computed"] == true {
                        computed.add(row, at);
                    }
                    line.push(cell(found));
                }
            }
            column += count;
        }
        self.next += rows;
        self.waiting.extend(lines);
        self.stale.follow(stale);
        self.computed.follow(computed);
        Ok(())
    }
}

impl RowSource for SheetRows {
    fn rewind(&mut self) -> Result<(), String> {
        self.next = self.rows.0;
        self.waiting.clear();
        (self.stale, self.computed) = (Listed::default(), Listed::default());
        Ok(())
    }

    fn next_row(&mut self, row: &mut Vec<SheetCell>) -> Result<Option<u64>, String> {
        if self.waiting.is_empty() {
            if self.next > self.rows.1 || self.columns.1 == 0 {
                return Ok(None);
            }
            self.fetch(ROWS).map_err(|error| error.message)?;
        }
        let Some(line) = self.waiting.pop_front() else { return Ok(None) };
        *row = line;
        Ok(Some(self.next - 1 - self.waiting.len() as u64))
    }

    fn warnings(&self) -> Vec<String> {
        let stale =
            self.stale.warning("has no stored value and is read as null", "have no stored value and are read as null");
        let computed = self.computed.warning(
            "has no up-to-date stored value and was computed",
            "have no up-to-date stored value and were computed",
        );
        self.left_out.iter().cloned().chain(stale).chain(computed).collect()
    }
}

fn cell(cell: &Value) -> SheetCell {
    if let Some(date) = cell["date"].as_str() {
        return SheetCell::Moment(date.trim_end_matches("T00:00:00").to_owned());
    }
    if let Some(time) = time_of_day(cell) {
        return SheetCell::Moment(time);
    }
    match &cell["value"] {
        Value::Null => SheetCell::Empty,
        Value::Bool(value) => SheetCell::Boolean(*value),
        Value::Number(number) => SheetCell::Number(number.to_string()),
        Value::String(text) => SheetCell::Text(text.clone()),
        other => SheetCell::Text(other.to_string()),
    }
}

/// The time of day that a number is shown as. Durations are numbers, and so is a time that has days in front of it,
/// which a time of day would lose.
fn time_of_day(cell: &Value) -> Option<String> {
    let code = cell["number_format"].as_str().filter(|code| code.contains(['h', 'H', 's', 'S']))?;
    let part = cell["value"].as_f64().filter(|part| (0.0..1.0).contains(part))?;
    // To the millisecond, as Excel has it: behind that is what its sums leave.
    let millis = (part * 86_400_000.0).round() as u64;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    if seconds >= 86_400 || !NumberFormat::parse(code).is_time() {
        return None;
    }
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(if millis == 0 { time } else { format!("{time}.{millis:03}") })
}

fn ask(engine: &Engine, bytes: &Arc<[u8]>, method: &str, question: &Value) -> Result<Value, FileError> {
    engine.ask_workbook(method, bytes, question)
}

/// A sheet, a range of it, and what is to be told of the rest.
type Chosen = (Option<String>, String, Option<String>);

/// The largest island of a sheet: the first, or the one that is asked for.
fn island(engine: &Engine, bytes: &Arc<[u8]>, part: &TablePart) -> Result<Chosen, FileError> {
    let method = Method::find("XlsxGetMap").ok_or_else(|| FileError::new(Reason::Damaged, "no method XlsxGetMap"))?;
    let map = engine.read(method, bytes, &json!({}))?;
    let sheets = map["sheets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name_of = |sheet: &Value| sheet["name"].as_str().unwrap_or_default().to_owned();
    let wanted = match &part.sheet {
        None => sheets.first(),
        Some(name) => sheets.iter().find(|sheet| name_of(sheet).to_lowercase() == name.to_lowercase()),
    };
    let Some(sheet) = wanted else {
        let names: Vec<String> = sheets.iter().map(name_of).collect();
        let asked = part.sheet.clone().unwrap_or_default();
        let mut error = FileError::invalid(format!("sheet: there is no sheet `{asked}`"));
        error.suggestions = names;
        return Err(error);
    };
    let islands = sheet["islands"].as_array().into_iter().flatten();
    let mut ranges: Vec<&str> = islands.filter_map(|island| island["range"].as_str()).collect();
    let Some(largest) = ranges.iter().copied().max_by_key(|range| area(range)) else {
        return Ok((Some(name_of(sheet)), "A1:XFD1048576".to_owned(), None));
    };
    let all = sheet["island_count"].as_u64().unwrap_or(ranges.len() as u64);
    ranges.retain(|range| *range != largest);
    Ok((Some(name_of(sheet)), largest.to_owned(), left_out(largest, &ranges, all.saturating_sub(1))))
}

/// What to tell of the islands beside the one that is read.
fn left_out(read: &str, others: &[&str], count: u64) -> Option<String> {
    let named = others.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if count > NAMED as u64 { ", …" } else { "" };
    match count {
        0 => None,
        1 => Some(format!("read {read}; {named} also holds data: give `range`")),
        _ => Some(format!("read {read}; {named}{more} also hold data: give `range`")),
    }
}

fn area(range: &str) -> u64 {
    let (top, left, bottom, right) = corners(range);
    (right.saturating_sub(left) + 1) * (bottom.saturating_sub(top) + 1)
}

/// The first row and column of a range and its last, from 1.
pub(super) fn corners(range: &str) -> (u64, u64, u64, u64) {
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    let place = |text: &str| {
        let split = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let (letters, digits) = text.split_at(split);
        (column_number(letters), digits.parse::<u64>().unwrap_or(0))
    };
    let ((left, top), (right, bottom)) = (place(from), place(to));
    (top, left, bottom, right)
}

pub(super) fn column_number(letters: &str) -> u64 {
    letters
        .bytes()
        .fold(0, |number, letter| number * 26 + u64::from(letter.to_ascii_uppercase().saturating_sub(b'A')) + 1)
}
