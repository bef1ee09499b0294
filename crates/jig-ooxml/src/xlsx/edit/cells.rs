//! Ops that write cells: single ones, a block of values, rows below the data.

use std::rc::Rc;

use serde::Deserialize;
use serde_json::Value;

use super::editor::{CellWrite, Editor, listed, reach};
use super::sheet::SheetState;
use super::styles::{StyleInput, StylePatch};
use super::values;
use crate::edit::{Change, EditError, OpInput};
use crate::error::Error;
use crate::xlsx::address::{CellRef, ColumnName, MAX_COLUMN, MAX_ROW, RangeRef, column_number};
use crate::xml::escape_text;

#[derive(Deserialize)]
struct SetCells {
    sheet: String,
    cells: Vec<CellInput>,
}

#[derive(Deserialize)]
struct CellInput {
    cell: String,
    value: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<String>,
    style: Option<StyleInput>,
}

/// Sets single cells.
pub(super) fn set_cells(editor: &mut Editor<'_>, input: &OpInput) -> Result<Change, Error> {
    let op: SetCells = input.parse(&mut editor.warnings)?;
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let rules = editor.rules();
    let mut writes = Vec::with_capacity(op.cells.len());
    for (index, cell) in op.cells.iter().enumerate() {
        let field = |name: &str| input.at(&format!("cells[{index}].{name}"));
        let at = cell_at(&cell.cell, &field("cell"))?;
        let patch = patch(cell.style.as_ref(), &field("style"))?;
        let only_format = cell.value.is_none() && cell.kind.is_none() && patch.is_some();
        let value = if only_format {
            None
        } else {
            let place = input.at(&format!("cells[{index}]"));
            let kind = cell.kind.as_deref();
            let value = values::read(cell.value.as_ref(), kind, &place, rules, &mut editor.warnings);
            Some(value.map_err(|error| at_value(error, &place))?)
        };
        writes.push(CellWrite { at, value, patch, field: field("cell") });
    }
    let name = op.sheet;
    let written = editor.write_cells(input, &part, writes)?;
    let list = listed(written.iter(), 8);
    let summary = match written.len() {
        0 => format!("No cells to set on {name}."),
        1 => format!("Set 1 cell on {name} ({list})."),
        count => format!("Set {count} cells on {name} ({list})."),
    };
    let change = Change::new(input, summary).with("sheet", name).with("cells", written.len());
    Ok(match reach(written.iter().copied()) {
        Some(range) => change.with("range", range.to_string()),
        None => change,
    })
}

/// Errors about a value name the field `value`, unless they are about another.
fn at_value(mut error: EditError, place: &str) -> EditError {
    if error.at == place {
        error.at = format!("{place}.value");
    }
    error
}

#[derive(Deserialize)]
struct SetRange {
    sheet: String,
    start: String,
    values: Vec<Vec<Value>>,
    style: Option<StyleInput>,
}

/// Writes a block of values from a cell on.
pub(super) fn set_range(editor: &mut Editor<'_>, input: &OpInput) -> Result<Change, Error> {
    let op: SetRange = input.parse(&mut editor.warnings)?;
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let start = start_at(&op.start, &input.at("start"))?;
    let patch = patch(op.style.as_ref(), &input.at("style"))?;
    let writes = block(editor, input, start, &op.values, "values", patch.as_ref())?;
    let written = editor.write_cells(input, &part, writes)?;
    Ok(block_change(input, &op.sheet, "Wrote", start, &op.values, written.len()))
}

/// A range is accepted as a start too: its first cell.
fn start_at(text: &str, at: &str) -> Result<CellRef, EditError> {
    match text.trim().parse::<RangeRef>() {
        Ok(range) => Ok(range.start()),
        Err(error) => Err(EditError::new(at, error.to_string())),
    }
}

fn block(
    editor: &mut Editor<'_>,
    input: &OpInput,
    start: CellRef,
    values: &[Vec<Value>],
    field: &str,
    patch: Option<&Rc<StylePatch>>,
) -> Result<Vec<CellWrite>, Error> {
    let rules = editor.rules();
    let mut writes = Vec::with_capacity(values.iter().map(Vec::len).sum());
    for (down, row) in values.iter().enumerate() {
        for (right, value) in row.iter().enumerate() {
            let field = input.at(&format!("{field}[{down}][{right}]"));
            let at = offset(start, down, right).ok_or_else(|| {
                EditError::new(&field, format!("the values reach beyond the last row {MAX_ROW} or column XFD"))
            })?;
            let value = values::read(Some(value), None, &field, rules, &mut editor.warnings)?;
            writes.push(CellWrite { at, value: Some(value), patch: patch.cloned(), field });
        }
    }
    Ok(writes)
}

fn offset(start: CellRef, down: usize, right: usize) -> Option<CellRef> {
    let row = start.row().checked_add(u32::try_from(down).ok()?)?;
    let col = start.col().checked_add(u32::try_from(right).ok()?)?;
    CellRef::new(row, col)
}

fn block_change(
    input: &OpInput,
    sheet: &str,
    verb: &str,
    start: CellRef,
    values: &[Vec<Value>],
    written: usize,
) -> Change {
    let width = values.iter().map(Vec::len).max().unwrap_or(0);
    let end = offset(start, values.len().saturating_sub(1), width.saturating_sub(1)).unwrap_or(start);
    let range = RangeRef::new(start, end);
    let summary = match (values.len(), width) {
        (0, _) | (_, 0) => format!("No values to write on {sheet}."),
        (rows, cols) => format!("{verb} {rows} × {cols} values on {sheet} ({range})."),
    };
    let change = Change::new(input, summary).with("sheet", sheet).with("cells", written);
    if values.is_empty() || width == 0 {
        return change;
    }
    change.with("range", range.to_string()).with("rows", values.len()).with("columns", width)
}

#[derive(Deserialize)]
struct AppendRows {
    sheet: String,
    rows: Vec<Vec<Value>>,
    start_column: Option<Value>,
    style: Option<StyleInput>,
}

/// Writes rows below the data; a table that the data ends in grows with them.
pub(super) fn append_rows(editor: &mut Editor<'_>, input: &OpInput) -> Result<Change, Error> {
    let op: AppendRows = input.parse(&mut editor.warnings)?;
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let patch = patch(op.style.as_ref(), &input.at("style"))?;
    let used = editor.sheet(&part)?.used_with_edits();
    let given = op.start_column.as_ref().map(|column| column_at(column, &input.at("start_column"))).transpose()?;
    let table = super::tables::ending_at(editor, input, &part, used.row, given)?;
    let left = match (given, &table) {
        (Some(column), _) => column,
        (None, Some(table)) => table.left,
        (None, None) => used.left.max(1),
    };
    let top = used.row + 1;
    let Some(start) = CellRef::new(top, left) else {
        return Err(input.error("rows", "the sheet has no row left").into());
    };
    let writes = block(editor, input, start, &op.rows, "rows", patch.as_ref())?;
    let written = editor.write_cells(input, &part, writes)?;
    let change = block_change(input, &op.sheet, "Appended", start, &op.rows, written.len());
    let Some(table) = table.filter(|_| !op.rows.is_empty()) else { return Ok(change) };
    let grown = super::tables::grow(editor, input, &part, &table, &op.rows, top)?;
    Ok(change.with("table", grown.0).with("table_range", grown.1))
}

/// A cell's address.
pub(super) fn cell_at(text: &str, at: &str) -> Result<CellRef, EditError> {
    text.trim().parse::<CellRef>().map_err(|error| EditError::new(at, error.to_string()))
}

/// A column as letters or as a number from 1.
pub(super) fn column_at(value: &Value, at: &str) -> Result<u32, EditError> {
    let wrong =
        || EditError::new(at, format!("a column is written `A` to `XFD`, or as a number from 1 to {MAX_COLUMN}"));
    let number = match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => {
            let text = text.trim();
            column_number(text).or_else(|| text.parse().ok())
        }
        _ => None,
    };
    number.filter(|number| (1..=MAX_COLUMN).contains(number)).ok_or_else(wrong)
}

/// A style that says anything.
pub(super) fn patch(style: Option<&StyleInput>, at: &str) -> Result<Option<Rc<StylePatch>>, EditError> {
    let Some(style) = style else { return Ok(None) };
    let patch = StylePatch::check(style, at)?;
    Ok((!patch.is_empty()).then(|| Rc::new(patch)))
}

/// Where the cell that holds a shared formula gets another value, the rest of its group must go on
/// without it: the next cell takes the formula over, or each gets its own.
pub(super) fn settle_shared(sheet: &mut SheetState) {
    let prefix = element_prefix(sheet);
    let mut formulas: Vec<(CellRef, String)> = Vec::new();
    for (number, group) in &sheet.shared {
        let Some((master, _)) = &group.master else { continue };
        let overwritten = |cell: &CellRef| sheet.cells.get(cell).is_some_and(|edit| edit.value.is_some());
        if !overwritten(master) {
            continue;
        }
        let left: Vec<CellRef> = group.members.iter().copied().filter(|cell| !overwritten(cell)).collect();
        let Some(range) = reach(left.iter().copied()) else { continue };
        let heir = left.iter().copied().find(|cell| *cell == range.start());
        match heir {
            Some(heir) if left.len() > 1 => {
                let text = group.formula_at(heir).unwrap_or_default();
                let text = escape_text(&text).into_owned();
                let markup = format!("<{prefix}f t=\"shared\" ref=\"{range}\" si=\"{number}\">{text}</{prefix}f>");
                formulas.push((heir, markup));
            }
            _ => formulas.extend(left.iter().map(|cell| {
                let text = group.formula_at(*cell).unwrap_or_default();
                (*cell, format!("<{prefix}f>{}</{prefix}f>", escape_text(&text)))
            })),
        }
    }
    for (cell, markup) in formulas {
        sheet.edit(cell).formula = Some(markup);
    }
}

/// The prefix of the sheet's own elements.
pub(super) fn element_prefix(sheet: &SheetState) -> String {
    let text = sheet.frame.text.as_str();
    let at = text.find("sheetData").unwrap_or(0);
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('<').next().filter(|prefix| prefix.ends_with(':')).unwrap_or_default().to_owned()
}

/// A column's letters.
pub(super) fn letters(column: u32) -> String {
    ColumnName(column).to_string()
}
