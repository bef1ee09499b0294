//! `TabularUpdateFromExport`: the rows of a query into a sheet of a workbook.

use std::sync::Arc;

use jig_tables::{ResultColumn, ResultRow, RowSink, TableError};
use serde_json::{Map, Value, json};

use super::call::{Call, ending};
use super::workbook::{Notes, Typed, typed};
use super::{OpenTable, TableEngine, Told};
use crate::engine::{EditOptions, Edited, FileError, Format, Reason, applied};

/// Cells that are put into a workbook at a time. A new workbook by `TabularExport` has no such bound.
const MOST_CELLS: usize = 4_000_000;
const MOST_ROWS: u64 = 1_048_576;
/// Told when a header is asked for below data.
const HEADER_SKIPPED: &str = "header_skipped_on_append; sheet already has data";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    ReplaceSheet,
    AppendRows,
    WriteRange,
}

/// The rows of a query, as values of cells.
#[derive(Default)]
struct Block {
    names: Vec<Value>,
    rows: Vec<Vec<Value>>,
    /// Cells that need their type said: row and column in the block, the value, the type.
    special: Vec<(usize, usize, Value, &'static str)>,
    notes: Notes,
}

impl RowSink for Block {
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError> {
        self.names = columns.iter().map(|column| Value::String(column.name.clone())).collect();
        Ok(())
    }

    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError> {
        if self.rows.len() * self.names.len().max(1) >= MOST_CELLS {
            let words = format!(
                "the query gives more than {MOST_CELLS} cells, the most that go into a workbook at once; choose fewer columns \
                 or rows (LIMIT), or make a new workbook with TabularExport, which has no such bound"
            );
            return Err(TableError::TooLarge(words));
        }
        let number = self.rows.len();
        let mut line = Vec::with_capacity(row.len());
        for (column, value) in row.iter().enumerate() {
            let text_of = |value: &jig_tables::CellValue<'_>| match value {
                jig_tables::CellValue::Moment(text) => text.replacen(' ', "T", 1),
                _ => String::new(),
            };
            line.push(match typed(*value, &mut self.notes) {
                Typed::Nothing => Value::Null,
                Typed::Boolean(flag) => flag.into(),
                Typed::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
                // A time of day has no date to be written with.
                Typed::Moment { serial, .. } if serial < 1.0 => serial.into(),
                Typed::Moment { .. } => {
                    self.special.push((number, column, text_of(value).into(), "date"));
                    Value::Null
                }
                Typed::Text(text) if text.starts_with('=') => {
                    self.special.push((number, column, text.into(), "string"));
                    Value::Null
                }
                Typed::Text(text) => text.into(),
            });
        }
        self.rows.push(line);
        Ok(())
    }
}

/// The target sheet as it is.
struct Target {
    exists: bool,
    /// First and last row and column that hold anything, from 1.
    used: Option<(u64, u64, u64, u64)>,
}

impl TableEngine {
    /// Puts the rows of a query into a workbook, and gives the answer to `TabularUpdateFromExport` and the new file.
    pub fn update(
        &self,
        params: &Value,
        open: &OpenTable<'_>,
        before: Option<Arc<[u8]>>,
        options: &EditOptions<'_>,
    ) -> Result<(Value, Vec<u8>), FileError> {
        let call = Call::new("TabularUpdateFromExport", params)?;
        let (target_path, sheet) = (call.needed("target_path")?, call.needed("sheet")?);
        if !Format::Xlsx.endings().contains(&ending(target_path).as_str()) {
            return Err(FileError::invalid(format!("target_path: {target_path} is not a .xlsx file")));
        }
        let mode = match call.needed("mode")? {
            "replace_sheet" => Mode::ReplaceSheet,
            "append_rows" => Mode::AppendRows,
            "write_range" => Mode::WriteRange,
            other => {
                let words = format!("mode: `{other}` is none of replace_sheet, append_rows, write_range");
                return Err(FileError::invalid(words));
            }
        };
        if before.is_none() && !call.flag("create_workbook_if_missing", true)? {
            return Err(FileError::new(Reason::NotFound, format!("there is no file {target_path}")));
        }
        let target = self.target(before.as_ref(), sheet)?;
        if !target.exists && !call.flag("create_sheet_if_missing", true)? {
            return Err(FileError::invalid(format!("sheet: there is no sheet `{sheet}`")));
        }
        let query = call.text("query")?;
        let (block, rows, mut warnings) = self.with_reader(&call, open, |reader| {
            let mut block = Block::default();
            let (rows, warnings) = reader.each_row(query, &mut block).map_err(Told::Table)?;
            Ok((block, rows, warnings))
        })?;
        let plan = Plan::new(&call, mode, &target, &block, &mut warnings)?;
        warnings.extend(block.notes.words());
        let ops = plan.ops(sheet, &target, &block, call.flag("clear_target_range", false)?);
        let width = block.names.len();
        let edited = self.office.apply(Format::Xlsx, before, &ops, options)?;
        Ok((answer(&edited, &plan, target_path, sheet, &call, rows, width, warnings), edited.bytes))
    }

    fn target(&self, before: Option<&Arc<[u8]>>, sheet: &str) -> Result<Target, FileError> {
        let none = Target { exists: false, used: None };
        let Some(bytes) = before else { return Ok(none) };
        let info = self.office.ask_workbook("XlsxGetInfo", bytes, &json!({}))?;
        let sheets = info["sheets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let name = |one: &Value| one.as_str().or_else(|| one["name"].as_str()).unwrap_or_default().to_lowercase();
        if !sheets.iter().any(|one| name(one) == sheet.to_lowercase()) {
            return Ok(none);
        }
        let extent = self.office.ask_workbook("XlsxGetExtent", bytes, &json!({ "sheet": sheet }))?;
        let found = &extent["sheets"][0];
        let number = |key: &str| found[key].as_u64();
        let column = |key: &str| found[key].as_str().map(super::sheet::column_number);
        let used = number("first_row").zip(number("last_row")).zip(column("first_column").zip(column("last_column")));
        Ok(Target { exists: true, used: used.map(|((top, bottom), (left, right))| (top, left, bottom, right)) })
    }
}

/// Where the rows go.
struct Plan {
    mode: Mode,
    top: u64,
    left: u64,
    header: bool,
    bottom: u64,
    right: u64,
}

impl Plan {
    fn new(
        call: &Call<'_>,
        mode: Mode,
        target: &Target,
        block: &Block,
        warnings: &mut Vec<String>,
    ) -> Result<Self, FileError> {
        let mut header = call.flag("include_header", true)?;
        let (top, left) = match mode {
            Mode::ReplaceSheet => (1, 1),
            Mode::WriteRange => start_cell(call.text("start_cell")?.unwrap_or("A1"))?,
            Mode::AppendRows => match target.used {
                None => (1, 1),
                Some((_, left, bottom, _)) => {
                    if header {
                        warnings.push(HEADER_SKIPPED.to_owned());
                        header = false;
                    }
                    (bottom + 1, left)
                }
            },
        };
        let height = block.rows.len() as u64 + u64::from(header);
        let (bottom, right) =
            ((top + height).saturating_sub(1).max(top), (left + block.names.len() as u64).saturating_sub(1).max(left));
        if bottom > MOST_ROWS {
            let words = format!("the rows would reach row {bottom}; a sheet ends at row {MOST_ROWS}");
            return Err(FileError::new(Reason::TooLarge, words));
        }
        Ok(Self { mode, top, left, header, bottom, right })
    }

    fn range(&self) -> String {
        format!("{}:{}", address(self.top, self.left), address(self.bottom, self.right))
    }

    fn ops(&self, sheet: &str, target: &Target, block: &Block, clear: bool) -> Value {
        let mut ops = vec![json!({ "op": "ensure_sheet", "sheet": sheet })];
        match (self.mode, target.used) {
            (Mode::ReplaceSheet, Some(used)) => ops.extend(blanks(sheet, used)),
            (Mode::WriteRange, Some((_, _, bottom, _))) if clear && bottom > self.bottom => {
                ops.extend(blanks(sheet, (self.bottom + 1, self.left, bottom, self.right)));
            }
            _ => {}
        }
        let first = self.top + u64::from(self.header);
        if self.header {
            ops.push(json!({
                "op": "set_range", "sheet": sheet, "start": address(self.top, self.left), "values": [header_texts(block)],
                "style": { "font_bold": true },
            }));
        }
        if self.mode == Mode::AppendRows && target.used.is_some() {
            ops.push(json!({ "op": "append_rows", "sheet": sheet, "rows": block.rows, "start_column": self.left }));
        } else if !block.rows.is_empty() {
            let start = address(first, self.left);
            ops.push(json!({ "op": "set_range", "sheet": sheet, "start": start, "values": block.rows }));
        }
        let mut cells: Vec<Value> = header_formulas(block)
            .filter(|_| self.header)
            .map(|(column, name)| json!({ "cell": address(self.top, self.left + column), "value": name, "type": "string" }))
            .collect();
        cells.extend(block.special.iter().map(|(row, column, value, kind)| {
            json!({ "cell": address(first + *row as u64, self.left + *column as u64), "value": value, "type": kind })
        }));
        if !cells.is_empty() {
            ops.push(json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
        }
        Value::Array(ops)
    }
}

fn header_texts(block: &Block) -> Vec<Value> {
    let is_formula = |name: &Value| name.as_str().is_some_and(|name| name.starts_with('='));
    block.names.iter().map(|name| if is_formula(name) { Value::Null } else { name.clone() }).collect()
}

fn header_formulas(block: &Block) -> impl Iterator<Item = (u64, &Value)> {
    let names = block.names.iter().enumerate().map(|(column, name)| (column as u64, name));
    names.filter(|(_, name)| name.as_str().is_some_and(|name| name.starts_with('=')))
}

/// Empties cells; their formats stay.
fn blanks(sheet: &str, (top, left, bottom, right): (u64, u64, u64, u64)) -> Option<Value> {
    let width = usize::try_from(right.checked_sub(left)? + 1).ok()?;
    let height = usize::try_from(bottom.checked_sub(top)? + 1).ok()?;
    let values = vec![vec![Value::Null; width]; height];
    Some(json!({ "op": "set_range", "sheet": sheet, "start": address(top, left), "values": values }))
}

#[expect(clippy::too_many_arguments, reason = "the fields of one answer")]
fn answer(
    edited: &Edited,
    plan: &Plan,
    target_path: &str,
    sheet: &str,
    call: &Call<'_>,
    rows: u64,
    width: usize,
    mut warnings: Vec<String>,
) -> Value {
    let mut answer = Map::from_iter([
        ("target_path".to_owned(), json!(target_path)),
        ("sheet".to_owned(), json!(sheet)),
        ("mode".to_owned(), json!(call.text("mode").ok().flatten())),
        ("row_count".to_owned(), json!(rows)),
        ("column_count".to_owned(), json!(width)),
        ("written_range".to_owned(), json!(plan.range())),
    ]);
    let Value::Object(told) = applied(edited) else { return Value::Object(answer) };
    for (key, value) in told {
        match (key.as_str(), value) {
            ("warnings", Value::Array(more)) => {
                warnings.extend(more.iter().filter_map(|one| one.as_str().map(str::to_owned)));
            }
            ("ok", _) => {}
            (_, value) => {
                answer.insert(key, value);
            }
        }
    }
    answer.insert("warnings".to_owned(), json!(warnings));
    Value::Object(answer)
}

fn start_cell(text: &str) -> Result<(u64, u64), FileError> {
    let text = text.trim().replace('$', "");
    let split = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (letters, digits) = text.split_at(split);
    let row = digits.parse().ok().filter(|row| (1..=MOST_ROWS).contains(row));
    let plain = !letters.is_empty() && letters.len() <= 3 && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    match (row, plain) {
        (Some(row), true) => Ok((row, super::sheet::column_number(letters))),
        _ => Err(FileError::invalid(format!("start_cell: `{text}` is no cell; one is written like B2"))),
    }
}

fn address(row: u64, column: u64) -> String {
    let mut letters = Vec::new();
    let mut rest = column;
    while rest > 0 {
        letters.push(b'A' + ((rest - 1) % 26) as u8);
        rest = (rest - 1) / 26;
    }
    letters.reverse();
    format!("{}{row}", String::from_utf8_lossy(&letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cells_than_fit_into_memory_are_refused_with_a_way_out() {
        let mut block = Block { names: vec![Value::Null; 1_000], ..Block::default() };
        block.rows = vec![Vec::new(); MOST_CELLS / 1_000 - 1];
        assert!(block.row(&[]).is_ok());
        let error = block.row(&[]).unwrap_err().to_string();
        assert!(error.contains("more than 4000000 cells") && error.contains("TabularExport"), "{error}");
    }
}
