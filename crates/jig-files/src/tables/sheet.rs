//! The rows of a sheet, or of a part of one.

use std::sync::Arc;

use jig_tables::{RowSource, SheetCell};
use serde_json::{Value, json};

use super::TablePart;
use crate::engine::{Engine, FileError, Method, Reason};

/// Rows and columns that are asked for at a time.
const ROWS: u64 = 100;
const COLUMNS: u64 = 50;

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
}

impl SheetRows {
    pub(super) fn open(engine: Arc<Engine>, bytes: Arc<[u8]>, part: &TablePart) -> Result<Self, FileError> {
        let (sheet, range) = match &part.range {
            Some(range) => (part.sheet.clone(), range.clone()),
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
        })
    }

    fn fetch(&mut self, rows: u64) -> Result<(), FileError> {
        let rows = rows.min(self.rows.1 + 1 - self.next);
        let mut lines: Vec<Vec<SheetCell>> = vec![Vec::new(); usize::try_from(rows).unwrap_or(0)];
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
            for (line, cells) in lines.iter_mut().zip(grid["cells"].as_array().into_iter().flatten()) {
                line.extend(cells.as_array().into_iter().flatten().map(cell));
            }
            column += count;
        }
        self.next += rows;
        self.waiting.extend(lines);
        Ok(())
    }
}

impl RowSource for SheetRows {
    fn rewind(&mut self) -> Result<(), String> {
        self.next = self.rows.0;
        self.waiting.clear();
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
}

fn cell(cell: &Value) -> SheetCell {
    if let Some(date) = cell["date"].as_str() {
        return SheetCell::Moment(date.trim_end_matches("T00:00:00").to_owned());
    }
    match &cell["value"] {
        Value::Null => SheetCell::Empty,
        Value::Bool(value) => SheetCell::Boolean(*value),
        Value::Number(number) => SheetCell::Number(number.to_string()),
        Value::String(text) => SheetCell::Text(text.clone()),
        other => SheetCell::Text(other.to_string()),
    }
}

fn ask(engine: &Engine, bytes: &Arc<[u8]>, method: &str, question: &Value) -> Result<Value, FileError> {
    engine.ask_workbook(method, bytes, question)
}

/// The largest island of a sheet: the first, or the one that is asked for.
fn island(engine: &Engine, bytes: &Arc<[u8]>, part: &TablePart) -> Result<(Option<String>, String), FileError> {
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
    let ranges = sheet["islands"].as_array().into_iter().flatten().filter_map(|island| island["range"].as_str());
    let largest = ranges.max_by_key(|range| area(range));
    Ok((Some(name_of(sheet)), largest.unwrap_or("A1:XFD1048576").to_owned()))
}

fn area(range: &str) -> u64 {
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    let place = |text: &str| {
        let split = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let (letters, digits) = text.split_at(split);
        (column_number(letters), digits.parse::<u64>().unwrap_or(0))
    };
    let ((left, top), (right, bottom)) = (place(from), place(to));
    (right.saturating_sub(left) + 1) * (bottom.saturating_sub(top) + 1)
}

pub(super) fn column_number(letters: &str) -> u64 {
    letters
        .bytes()
        .fold(0, |number, letter| number * 26 + u64::from(letter.to_ascii_uppercase().saturating_sub(b'A')) + 1)
}
