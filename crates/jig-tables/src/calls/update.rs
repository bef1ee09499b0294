//! `TabularUpdateFromExport`: the rows of a query into a sheet of a workbook.

use std::sync::Arc;

use crate::{ResultColumn, ResultRow, RowSink, TableError};
use serde_json::{Map, Value, json};

use jig_worker::apply_reply;
use jig_worker::table_params::ending;

use super::parameters::Call;
use super::workbook::{Notes, Typed, typed};
use super::{OpenTable, TableEngine, Told};
use jig_ooxml::xlsx::Workbook;
use jig_ooxml::xlsx::address::{CellRange, CellRef, ColumnName};

use jig_files::engine::{EditOptions, Edited, FileError, Format, Reason};

/// Cells that are put into a workbook at a time. A new workbook by `TabularExport` has no such bound.
const MOST_CELLS: usize = 4_000_000;
const MOST_ROWS: u64 = 1_048_576;
/// Ranges that are emptied each by an op of its own; more of them are emptied cell by cell in one.
const MOST_RANGES: usize = 50;
/// Told when a header is asked for below data.
const HEADER_SKIPPED: &str = "header_skipped_on_append; sheet already has data";

/// First row and column and last, from 1.
type Area = (u64, u64, u64, u64);

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
    /// Cells that need more said than a value: row and column in the block, the value, its kind.
    special: Vec<(usize, usize, Value, Special)>,
    notes: Notes,
}

/// What a value alone does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Date,
    /// A time of day, as the part of a day.
    Time,
    /// Text that would be taken for a formula.
    Text,
}

impl Special {
    fn cell(self, cell: &str, value: &Value) -> Value {
        match self {
            Self::Date => json!({ "cell": cell, "value": value, "type": "date" }),
            Self::Time => json!({ "cell": cell, "value": value, "style": { "number_format": "h:mm:ss" } }),
            Self::Text => json!({ "cell": cell, "value": value, "type": "string" }),
        }
    }
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
            let text_of = |value: &crate::CellValue<'_>| match value {
                crate::CellValue::Moment(text) => text.replacen(' ', "T", 1),
                _ => String::new(),
            };
            line.push(match typed(*value, &mut self.notes) {
                Typed::Nothing => Value::Null,
                Typed::Boolean(flag) => flag.into(),
                Typed::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
                // A time of day has no date to be written with.
                Typed::Moment { serial, .. } if serial < 1.0 => {
                    self.special.push((number, column, serial.into(), Special::Time));
                    Value::Null
                }
                Typed::Moment { .. } => {
                    self.special.push((number, column, text_of(value).into(), Special::Date));
                    Value::Null
                }
                Typed::Text(text) if text.starts_with('=') => {
                    self.special.push((number, column, text.into(), Special::Text));
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
    /// Where it holds anything.
    used: Option<Area>,
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
        let call = Call::new("TabularUpdateFromExport", params, self.strictness)?;
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
        let clear = call.flag("clear_target_range", false)?;
        if clear && mode != Mode::WriteRange {
            let words = "clear_target_range: only for the mode write_range, where it clears the cells that are written";
            return Err(FileError::invalid(words));
        }
        if before.is_none() && !call.flag("create_workbook_if_missing", true)? {
            return Err(FileError::new(Reason::NotFound, format!("there is no file {target_path}")));
        }
        let target = self.target(before.as_ref(), sheet)?;
        if !target.exists && !call.flag("create_sheet_if_missing", true)? {
            return Err(FileError::invalid(format!(
                "sheet: unknown sheet `{sheet}`; leave out `create_sheet_if_missing` to add it, as `ensure_sheet` does"
            )));
        }
        let query = call.text("query")?;
        let (block, rows, mut warnings) = self.with_reader(&call, open, |reader| {
            let mut block = Block::default();
            let (rows, warnings) = reader.each_row(query, &mut block).map_err(Told::Table)?;
            Ok((block, rows, warnings))
        })?;
        let plan = Plan::new(&call, mode, &target, &block, &mut warnings)?;
        warnings.splice(0..0, call.warnings.iter().map(ToString::to_string));
        warnings.extend(block.notes.words());
        let cleared = plan.cleared(&target, clear);
        let blanked = match (before.as_ref(), cleared) {
            (Some(bytes), Some(cleared)) => self.blanked(bytes, sheet, cleared, &plan)?,
            _ => Vec::new(),
        };
        let ops = plan.ops(sheet, &target, &block, &blanked);
        let width = block.names.len();
        // What is text in the query's result is meant as text.
        let options = EditOptions { texts_are_meant: true, ..*options };
        let edited = self.office.apply(Format::Xlsx, before.map(Into::into), &ops, &options)?;
        Ok((answer(&edited, &plan, target_path, sheet, &call, rows, width, warnings), edited.bytes))
    }

    fn target(&self, before: Option<&Arc<[u8]>>, sheet: &str) -> Result<Target, FileError> {
        let none = Target { exists: false, used: None };
        let Some(bytes) = before else { return Ok(none) };
        let info = self.office.read_workbook(bytes, Workbook::info)?;
        if !info.sheets.iter().any(|one| one.name.to_lowercase() == sheet.to_lowercase()) {
            return Ok(none);
        }
        let extent = self.office.read_workbook(bytes, |book| book.extent(Some(sheet), None))?;
        Ok(Target { exists: true, used: extent.used.map(area_of) })
    }

    /// What is to be emptied of an area: where it has cells, so that a far one does not bring in all before it. The
    /// header of a table is never empty: it is left to the rows that are written over it.
    fn blanked(&self, bytes: &Arc<[u8]>, sheet: &str, cleared: Area, plan: &Plan) -> Result<Vec<Area>, FileError> {
        let Some(range) = range_within_sheet(cleared) else { return Ok(Vec::new()) };
        let filled = self.office.read_workbook(bytes, |book| book.filled_ranges(sheet, range))?;
        let mut areas: Vec<Area> = filled.into_iter().map(area_of).collect();
        for (table, header) in self.table_headers(bytes, sheet)? {
            if !areas.iter().any(|area| overlap(*area, header)) {
                continue;
            }
            if !plan.covers(header) {
                let words = format!(
                    "sheet: the header of the table {table} ({}) would be left empty, which a table does not allow; the rows \
                     that are written ({}) must reach over all of it, or go to another sheet",
                    range_of(header),
                    plan.range()
                );
                return Err(FileError::invalid(words));
            }
            areas = areas.into_iter().flat_map(|area| without(area, header)).collect();
        }
        // The first cell of a formula that fills many must go before the others.
        areas.sort_unstable();
        Ok(areas)
    }

    /// The tables of a sheet by name, with their headers.
    fn table_headers(&self, bytes: &Arc<[u8]>, sheet: &str) -> Result<Vec<(String, Area)>, FileError> {
        let map = self.office.read_workbook(bytes, Workbook::map)?;
        let found = map.sheets.into_iter().find(|one| one.name.to_lowercase() == sheet.to_lowercase());
        let tables = found.into_iter().flat_map(|sheet| sheet.tables).filter(|table| table.header_row);
        Ok(tables
            .filter_map(|table| {
                let (top, left, _, right) = area_of(table.range?.parse().ok()?);
                Some((table.name, (top, left, top, right)))
            })
            .collect())
    }
}

fn area_of(range: CellRange) -> Area {
    let (start, end) = (range.start(), range.end());
    (start.row().into(), start.col().into(), end.row().into(), end.col().into())
}

/// None if a corner is outside the sheet.
fn range_within_sheet((top, left, bottom, right): Area) -> Option<CellRange> {
    let cell = |row: u64, column: u64| CellRef::new(u32::try_from(row).ok()?, u32::try_from(column).ok()?);
    Some(CellRange::new(cell(top, left)?, cell(bottom, right)?))
}

/// Where the rows go.
struct Plan {
    mode: Mode,
    top: u64,
    left: u64,
    header: bool,
    /// How many rows are written, with the header.
    height: u64,
    bottom: u64,
    right: u64,
}

impl Plan {
    fn new(
        call: &Call,
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
        Ok(Self { mode, top, left, header, height, bottom, right })
    }

    fn range(&self) -> String {
        range_of((self.top, self.left, self.bottom, self.right))
    }

    /// What is emptied before the rows are written: the sheet when it is replaced, or the rectangle that they go to.
    fn cleared(&self, target: &Target, clear: bool) -> Option<Area> {
        let used = target.used?;
        match self.mode {
            Mode::ReplaceSheet => Some(used),
            Mode::WriteRange if clear && self.height > 0 => {
                let (top, left) = (self.top.max(used.0), self.left.max(used.1));
                let (bottom, right) = (self.bottom.min(used.2), self.right.min(used.3));
                (top <= bottom && left <= right).then_some((top, left, bottom, right))
            }
            Mode::WriteRange | Mode::AppendRows => None,
        }
    }

    /// Whether every cell of an area is written.
    fn covers(&self, (top, left, bottom, right): Area) -> bool {
        let inside = self.top <= top && self.left <= left && bottom <= self.bottom && right <= self.right;
        self.height > 0 && inside
    }

    fn ops(&self, sheet: &str, target: &Target, block: &Block, blanked: &[Area]) -> Value {
        let mut ops = vec![json!({ "op": "ensure_sheet", "sheet": sheet })];
        ops.extend(blanks(sheet, blanked));
        let first = self.top + u64::from(self.header);
        if self.header {
            ops.push(json!({
                "op": "set_range", "sheet": sheet, "start": address(self.top, self.left), "values": [header_texts(block)],
                "style": { "font_bold": true },
            }));
        }
        if block.rows.is_empty() {
            // Nothing but a header, if that.
        } else if self.mode == Mode::AppendRows && target.used.is_some() {
            ops.push(json!({ "op": "append_rows", "sheet": sheet, "rows": block.rows, "start_column": self.left }));
        } else {
            let start = address(first, self.left);
            ops.push(json!({ "op": "set_range", "sheet": sheet, "start": start, "values": block.rows }));
        }
        let mut cells: Vec<Value> = header_formulas(block)
            .filter(|_| self.header)
            .map(|(column, name)| Special::Text.cell(&address(self.top, self.left + column), name))
            .collect();
        cells.extend(block.special.iter().map(|(row, column, value, kind)| {
            kind.cell(&address(first + *row as u64, self.left + *column as u64), value)
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
fn blanks(sheet: &str, areas: &[Area]) -> Vec<Value> {
    if areas.len() <= MOST_RANGES {
        return areas.iter().filter_map(|area| blank_range(sheet, *area)).collect();
    }
    let cells = areas.iter().flat_map(|(top, left, bottom, right)| {
        (*top..=*bottom).flat_map(move |row| {
            (*left..=*right).map(move |column| json!({ "cell": address(row, column), "value": null }))
        })
    });
    vec![json!({ "op": "set_cells", "sheet": sheet, "cells": cells.collect::<Vec<_>>() })]
}

fn blank_range(sheet: &str, (top, left, bottom, right): Area) -> Option<Value> {
    let width = usize::try_from(right.checked_sub(left)? + 1).ok()?;
    let height = usize::try_from(bottom.checked_sub(top)? + 1).ok()?;
    let values = vec![vec![Value::Null; width]; height];
    Some(json!({ "op": "set_range", "sheet": sheet, "start": address(top, left), "values": values }))
}

fn overlap(one: Area, other: Area) -> bool {
    one.0 <= other.2 && other.0 <= one.2 && one.1 <= other.3 && other.1 <= one.3
}

/// An area without a part of it: what is above, left, right and below.
fn without(area: Area, hole: Area) -> Vec<Area> {
    if !overlap(area, hole) {
        return vec![area];
    }
    let (top, bottom) = (area.0.max(hole.0), area.2.min(hole.2));
    let pieces = [
        (area.0, area.1, top.saturating_sub(1), area.3),
        (top, area.1, bottom, hole.1.saturating_sub(1)),
        (top, hole.3 + 1, bottom, area.3),
        (bottom + 1, area.1, area.2, area.3),
    ];
    pieces.into_iter().filter(|piece| piece.0 <= piece.2 && piece.1 <= piece.3).collect()
}

fn range_of((top, left, bottom, right): Area) -> String {
    format!("{}:{}", address(top, left), address(bottom, right))
}

#[expect(clippy::too_many_arguments, reason = "the fields of one answer")]
fn answer(
    edited: &Edited,
    plan: &Plan,
    target_path: &str,
    sheet: &str,
    call: &Call,
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
    let Ok(Value::Object(told)) = apply_reply(edited) else { return Value::Object(answer) };
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
    match text.trim().replace('$', "").parse::<CellRef>() {
        Ok(cell) => Ok((cell.row().into(), cell.col().into())),
        Err(_) => Err(FileError::invalid(format!("start_cell: `{text}` is no cell; one is written like B2"))),
    }
}

/// The address of a cell, which may lie outside the sheet.
fn address(row: u64, column: u64) -> String {
    format!("{}{row}", ColumnName(u32::try_from(column).unwrap_or(u32::MAX)))
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
