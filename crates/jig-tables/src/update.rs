//! `TabularUpdateFromExport`: the rows of a query in a sheet of a workbook, as one list of edit operations.

use std::sync::Arc;

use jig_file_api::address::{CellRange, CellRef, ColumnName};
use jig_file_api::table::{TableUpdate, UpdateMode};
use jig_files::engine::{EditOptions, Edited, Engine, FileError, Format, Reason};
use jig_ooxml::xlsx::Workbook;
use jig_worker::apply_reply;
use serde_json::{Map, Value, json};

use crate::error::TableError;
use crate::export::{CellValue, ResultRow, RowSink};
use crate::limits::{MAX_SHEET_ROWS, MAX_UPDATE_CELLS};
use crate::query::{Reader, ResultColumn};
use crate::sheet_rows::{open_workbook, workbook_error};
use crate::workbook_writer::{CellContent, CellLosses, cell_content};

/// Up to this many ranges are cleared by an op each; more of them are cleared cell by cell in one op.
const MAX_RANGE_OPS: usize = 50;
/// The warning about a header below data. The worker protocol specifies its text.
const HEADER_SKIPPED: &str = "header_skipped_on_append; sheet already has data";

/// The top row, left column, bottom row and right column of cells, from 1. It may reach beyond the sheet.
type Area = (u64, u64, u64, u64);

/// The rows of a query as values of cells.
#[derive(Default)]
pub(crate) struct UpdateRows {
    names: Vec<Value>,
    rows: Vec<Vec<Value>>,
    /// Cells that are not determined by a value alone: row and column in the rows, the value, and its kind.
    special: Vec<(usize, usize, Value, SpecialCell)>,
    losses: CellLosses,
}

/// What a value alone does not determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpecialCell {
    Date,
    /// A time of day as a fraction of a day.
    Time,
    /// Text that would be read as a formula.
    Text,
}

impl SpecialCell {
    fn cell(self, cell: &str, value: &Value) -> Value {
        match self {
            Self::Date => json!({ "cell": cell, "value": value, "type": "date" }),
            Self::Time => json!({ "cell": cell, "value": value, "style": { "number_format": "h:mm:ss" } }),
            Self::Text => json!({ "cell": cell, "value": value, "type": "string" }),
        }
    }
}

impl RowSink for UpdateRows {
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError> {
        self.names = columns.iter().map(|column| Value::String(column.name.clone())).collect();
        Ok(())
    }

    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError> {
        if self.rows.len() * self.names.len().max(1) >= MAX_UPDATE_CELLS {
            return Err(TableError::TooLarge {
                what: "the result",
                limit: format!("{MAX_UPDATE_CELLS} cells"),
                hint: "choose fewer columns or rows (LIMIT), or create a workbook with TabularExport, which has no such limit",
            });
        }
        let number = self.rows.len();
        let mut line = Vec::with_capacity(row.len());
        for (column, value) in row.iter().enumerate() {
            line.push(match cell_content(*value, &mut self.losses) {
                CellContent::Empty => Value::Null,
                CellContent::Boolean(flag) => flag.into(),
                CellContent::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
                // A time of day has no date to be written with.
                CellContent::DateTime { serial, .. } if serial < 1.0 => {
                    self.special.push((number, column, serial.into(), SpecialCell::Time));
                    Value::Null
                }
                CellContent::DateTime { .. } => {
                    let CellValue::DateTime(text) = *value else { continue };
                    self.special.push((number, column, text.replacen(' ', "T", 1).into(), SpecialCell::Date));
                    Value::Null
                }
                CellContent::Text(text) if text.starts_with('=') => {
                    self.special.push((number, column, text.into(), SpecialCell::Text));
                    Value::Null
                }
                CellContent::Text(text) => text.into(),
            });
        }
        self.rows.push(line);
        Ok(())
    }
}

/// The target sheet before the update.
#[derive(Default)]
struct TargetSheet {
    exists: bool,
    /// Where it has cells.
    used: Option<Area>,
}

/// The workbook that is updated, opened for reading.
pub(crate) struct UpdateTarget {
    book: Option<(Arc<Workbook>, Arc<[u8]>)>,
    sheet: TargetSheet,
}

impl UpdateTarget {
    /// Opens the target and checks that it may be updated. `None` is a workbook that does not exist yet.
    pub(crate) fn open(request: &TableUpdate, before: Option<Arc<[u8]>>) -> Result<Self, FileError> {
        let Some(bytes) = before else {
            if !request.create_workbook {
                return Err(FileError::new(Reason::NotFound, format!("file not found: {}", request.target_path)));
            }
            return Self { book: None, sheet: TargetSheet::default() }.checked(request);
        };
        let book = open_workbook(&bytes)?;
        let info = book.info().map_err(|error| workbook_error(error, &bytes))?;
        let exists = info.sheets.iter().any(|one| one.name.to_lowercase() == request.sheet.to_lowercase());
        let mut sheet = TargetSheet { exists, used: None };
        if exists {
            let extent = book.extent(Some(&request.sheet), None).map_err(|error| workbook_error(error, &bytes))?;
            sheet.used = extent.used.map(area_of);
        }
        Self { book: Some((book, bytes)), sheet }.checked(request)
    }

    fn checked(self, request: &TableUpdate) -> Result<Self, FileError> {
        if self.sheet.exists || request.create_sheet {
            return Ok(self);
        }
        Err(FileError::invalid(format!(
            "sheet: unknown sheet `{}`; omit `create_sheet_if_missing` to create it",
            request.sheet
        )))
    }

    /// Writes rows into the workbook. Returns the reply and the new file.
    pub(crate) fn write(
        self,
        request: &TableUpdate,
        rows: &UpdateRows,
        row_count: u64,
        mut warnings: Vec<String>,
        options: &EditOptions<'_>,
    ) -> Result<(Value, Vec<u8>), FileError> {
        let plan = UpdatePlan::new(request, &self.sheet, rows, &mut warnings)?;
        warnings.extend(rows.losses.warnings());
        let cleared = match (&self.book, plan.cleared(&self.sheet, request.clear_range)) {
            (Some((book, bytes)), Some(cleared)) => {
                filled_areas(book, &request.sheet, cleared, &plan).map_err(|error| match error {
                    ClearError::Workbook(error) => workbook_error(error, bytes),
                    ClearError::File(error) => error,
                })?
            }
            _ => Vec::new(),
        };
        let ops = plan.ops(&request.sheet, &self.sheet, rows, &cleared);
        // Text in the result of a query is text, whatever it looks like.
        let options = EditOptions { texts_are_meant: true, ..*options };
        let before = self.book.map(|(_, bytes)| bytes);
        let edited = Engine::default().apply(Format::Xlsx, before.map(Into::into), &ops, &options)?;
        let answer = answer(&edited, &plan, request, row_count, rows.names.len(), warnings);
        Ok((answer, edited.bytes))
    }
}

/// Why the cells to clear could not be determined.
enum ClearError {
    Workbook(jig_ooxml::Error),
    File(FileError),
}

impl From<jig_ooxml::Error> for ClearError {
    fn from(error: jig_ooxml::Error) -> Self {
        Self::Workbook(error)
    }
}

/// The parts of an area that have cells, so that a cell far away does not bring in all before it. The header of a table
/// object must not be empty, so it is left to the rows that are written over it.
fn filled_areas(book: &Workbook, sheet: &str, cleared: Area, plan: &UpdatePlan) -> Result<Vec<Area>, ClearError> {
    let Some(range) = range_within_sheet(cleared) else { return Ok(Vec::new()) };
    let filled = book.filled_ranges(sheet, range)?;
    let mut areas: Vec<Area> = filled.into_iter().map(area_of).collect();
    for (table, header) in table_headers(book, sheet)? {
        if !areas.iter().any(|area| overlap(*area, header)) {
            continue;
        }
        if !plan.covers(header) {
            return Err(ClearError::File(FileError::invalid(format!(
                "sheet: the header of the table {table} ({}) would be left empty, which a table does not allow; write rows \
                 that cover it (they go to {}), or write to another sheet",
                range_of(header),
                plan.range()
            ))));
        }
        areas = areas.into_iter().flat_map(|area| without(area, header)).collect();
    }
    // The first cell of an array formula must be cleared before the others.
    areas.sort_unstable();
    Ok(areas)
}

/// The table objects of a sheet by name, with their header rows.
fn table_headers(book: &Workbook, sheet: &str) -> Result<Vec<(String, Area)>, jig_ooxml::Error> {
    let found = book.map()?.sheets.into_iter().find(|one| one.name.to_lowercase() == sheet.to_lowercase());
    let tables = found.into_iter().flat_map(|sheet| sheet.tables).filter(|table| table.header_row);
    Ok(tables
        .filter_map(|table| {
            let (top, left, _, right) = area_of(table.range?.parse().ok()?);
            Some((table.name, (top, left, top, right)))
        })
        .collect())
}

fn area_of(range: CellRange) -> Area {
    let (start, end) = (range.start(), range.end());
    (start.row().into(), start.col().into(), end.row().into(), end.col().into())
}

/// `None` if a corner is outside the sheet.
fn range_within_sheet((top, left, bottom, right): Area) -> Option<CellRange> {
    let cell = |row: u64, column: u64| CellRef::new(u32::try_from(row).ok()?, u32::try_from(column).ok()?);
    Some(CellRange::new(cell(top, left)?, cell(bottom, right)?))
}

/// Where the rows are written.
struct UpdatePlan {
    mode: UpdateMode,
    top: u64,
    left: u64,
    header: bool,
    /// How many rows are written, with the header.
    height: u64,
    bottom: u64,
    right: u64,
}

impl UpdatePlan {
    fn new(
        request: &TableUpdate,
        target: &TargetSheet,
        rows: &UpdateRows,
        warnings: &mut Vec<String>,
    ) -> Result<Self, FileError> {
        let mut header = request.include_header;
        let (top, left) = match request.mode {
            UpdateMode::ReplaceSheet => (1, 1),
            UpdateMode::WriteRange => (request.start.row().into(), request.start.col().into()),
            UpdateMode::AppendRows => match target.used {
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
        let height = rows.rows.len() as u64 + u64::from(header);
        let (bottom, right) =
            ((top + height).saturating_sub(1).max(top), (left + rows.names.len() as u64).saturating_sub(1).max(left));
        if bottom > MAX_SHEET_ROWS {
            let why = format!("the rows would reach row {bottom}; a sheet has at most {MAX_SHEET_ROWS}");
            return Err(FileError::new(Reason::TooLarge, why));
        }
        Ok(Self { mode: request.mode, top, left, header, height, bottom, right })
    }

    fn range(&self) -> String {
        range_of((self.top, self.left, self.bottom, self.right))
    }

    /// The cells to clear before the rows are written: those of a replaced sheet, or of the rectangle that is written.
    fn cleared(&self, target: &TargetSheet, clear: bool) -> Option<Area> {
        let used = target.used?;
        match self.mode {
            UpdateMode::ReplaceSheet => Some(used),
            UpdateMode::WriteRange if clear && self.height > 0 => {
                let (top, left) = (self.top.max(used.0), self.left.max(used.1));
                let (bottom, right) = (self.bottom.min(used.2), self.right.min(used.3));
                (top <= bottom && left <= right).then_some((top, left, bottom, right))
            }
            UpdateMode::WriteRange | UpdateMode::AppendRows => None,
        }
    }

    /// Whether every cell of an area is written.
    fn covers(&self, (top, left, bottom, right): Area) -> bool {
        let inside = self.top <= top && self.left <= left && bottom <= self.bottom && right <= self.right;
        self.height > 0 && inside
    }

    fn ops(&self, sheet: &str, target: &TargetSheet, rows: &UpdateRows, cleared: &[Area]) -> Value {
        let mut ops = vec![json!({ "op": "ensure_sheet", "sheet": sheet })];
        ops.extend(clear_ops(sheet, cleared));
        let first = self.top + u64::from(self.header);
        if self.header {
            ops.push(json!({
                "op": "set_range", "sheet": sheet, "start": address(self.top, self.left), "values": [header_texts(rows)],
                "style": { "font_bold": true },
            }));
        }
        if rows.rows.is_empty() {
            // Only the header, or not even that.
        } else if self.mode == UpdateMode::AppendRows && target.used.is_some() {
            ops.push(json!({ "op": "append_rows", "sheet": sheet, "rows": rows.rows, "start_column": self.left }));
        } else {
            let start = address(first, self.left);
            ops.push(json!({ "op": "set_range", "sheet": sheet, "start": start, "values": rows.rows }));
        }
        let mut cells: Vec<Value> = header_formulas(rows)
            .filter(|_| self.header)
            .map(|(column, name)| SpecialCell::Text.cell(&address(self.top, self.left + column), name))
            .collect();
        cells.extend(rows.special.iter().map(|(row, column, value, kind)| {
            kind.cell(&address(first + *row as u64, self.left + *column as u64), value)
        }));
        if !cells.is_empty() {
            ops.push(json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
        }
        Value::Array(ops)
    }
}

fn header_texts(rows: &UpdateRows) -> Vec<Value> {
    let is_formula = |name: &Value| name.as_str().is_some_and(|name| name.starts_with('='));
    rows.names.iter().map(|name| if is_formula(name) { Value::Null } else { name.clone() }).collect()
}

fn header_formulas(rows: &UpdateRows) -> impl Iterator<Item = (u64, &Value)> {
    let names = rows.names.iter().enumerate().map(|(column, name)| (column as u64, name));
    names.filter(|(_, name)| name.as_str().is_some_and(|name| name.starts_with('=')))
}

/// Ops that clear cells and keep their formats.
fn clear_ops(sheet: &str, areas: &[Area]) -> Vec<Value> {
    if areas.len() <= MAX_RANGE_OPS {
        return areas.iter().filter_map(|area| clear_range_op(sheet, *area)).collect();
    }
    let cells = areas.iter().flat_map(|(top, left, bottom, right)| {
        (*top..=*bottom).flat_map(move |row| {
            (*left..=*right).map(move |column| json!({ "cell": address(row, column), "value": null }))
        })
    });
    vec![json!({ "op": "set_cells", "sheet": sheet, "cells": cells.collect::<Vec<_>>() })]
}

fn clear_range_op(sheet: &str, (top, left, bottom, right): Area) -> Option<Value> {
    let width = usize::try_from(right.checked_sub(left)? + 1).ok()?;
    let height = usize::try_from(bottom.checked_sub(top)? + 1).ok()?;
    let values = vec![vec![Value::Null; width]; height];
    Some(json!({ "op": "set_range", "sheet": sheet, "start": address(top, left), "values": values }))
}

fn overlap(one: Area, other: Area) -> bool {
    one.0 <= other.2 && other.0 <= one.2 && one.1 <= other.3 && other.1 <= one.3
}

/// An area without a part of it: the areas above, left, right and below.
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

fn answer(
    edited: &Edited,
    plan: &UpdatePlan,
    request: &TableUpdate,
    row_count: u64,
    column_count: usize,
    mut warnings: Vec<String>,
) -> Value {
    let mut answer = Map::from_iter([
        ("target_path".to_owned(), json!(request.target_path)),
        ("sheet".to_owned(), json!(request.sheet)),
        ("mode".to_owned(), json!(request.mode.as_str())),
        ("row_count".to_owned(), json!(row_count)),
        ("column_count".to_owned(), json!(column_count)),
        ("written_range".to_owned(), json!(plan.range())),
    ]);
    let Ok(Value::Object(receipt)) = apply_reply(edited) else { return Value::Object(answer) };
    for (key, value) in receipt {
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

/// Reads the rows of a query for an update.
pub(crate) fn read_rows(reader: &Reader, query: Option<&str>) -> Result<(UpdateRows, u64, Vec<String>), TableError> {
    let mut rows = UpdateRows::default();
    let (count, warnings) = reader.each_row(query, &mut rows)?;
    Ok((rows, count, warnings))
}

/// The address of a cell, which may be outside the sheet.
fn address(row: u64, column: u64) -> String {
    format!("{}{row}", ColumnName(u32::try_from(column).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cells_than_fit_into_memory_are_refused_with_an_alternative() {
        let mut rows = UpdateRows { names: vec![Value::Null; 1_000], ..UpdateRows::default() };
        rows.rows = vec![Vec::new(); MAX_UPDATE_CELLS / 1_000 - 1];
        assert!(rows.row(&[]).is_ok());
        let error = rows.row(&[]).unwrap_err().to_string();
        assert!(error.contains("more than 4000000 cells") && error.contains("TabularExport"), "{error}");
    }
}
