//! Ops that write cells: single ones, a block of values, rows below the data.

use std::collections::BTreeSet;
use std::rc::Rc;

use jig_file_api::Strictness;
use jig_file_api::ops::xlsx::{AppendRows, CellInput, CellStyle, SetCells, SetRange};
use serde_json::Value;

use super::sheet::{FormulaEdit, SheetState};
use super::styles::StylePatch;
use super::values::{self, NewValue, Rules};
use super::{CellWrite, WorkbookEdit, listed, reach};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, ColumnName, MAX_COLUMN, MAX_ROW, column_number};
use crate::xml::escape_text;

/// Sets single cells.
pub(super) fn set_cells(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: SetCells) -> Result<OpReport, Error> {
    if op.cells.is_empty() {
        return Err(input.error("cells", "missing or empty: give at least one cell").into());
    }
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let rules = editor.rules();
    let mut writes = Vec::with_capacity(op.cells.len());
    let mut digits = DigitTexts::default();
    let (mut with_value, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for (index, cell) in op.cells.iter().enumerate() {
        let field = |name: &str| input.at(&format!("cells[{index}].{name}"));
        let at = cell_at(&cell.cell, &field("cell"))?;
        let patch = patch(cell.style.as_ref(), &field("style"))?;
        let place = input.at(&format!("cells[{index}]"));
        let value = new_value(cell, &place, rules, &mut editor.warnings)?;
        if value.is_none() && cell.style.is_none() {
            let why = "nothing to write: give `value`, `formula`, `clear` or `style`";
            // The original client's worker cleared the cell here; the value is kept in the compatibility profile too.
            if editor.options.strictness == Strictness::Refuse {
                return Err(EditError::new(place, why).into());
            }
            editor.warnings.push(format!("{place}: {why}; the cell stays as it is"));
            continue;
        }
        if cell.kind.is_none() {
            digits.note(value.as_ref(), at);
        }
        if value.is_some() && !with_value.insert(at) {
            repeated.insert(at);
        }
        writes.push(CellWrite { at, value, patch, field: field("cell") });
    }
    if !repeated.is_empty() {
        let cells = listed(repeated.iter(), 8);
        editor.warnings.push(format!("{}: more than one value for {cells}; the last one counts", input.at("cells")));
    }
    digits.report(editor, &input.at("cells"));
    let name = op.sheet;
    let written = editor.write_cells(input, &part, writes)?;
    let list = listed(written.iter(), 8);
    let summary = match written.len() {
        0 => format!("No cells to set on {name}."),
        1 => format!("Set 1 cell on {name} ({list})."),
        count => format!("Set {count} cells on {name} ({list})."),
    };
    let change = OpReport::new(input, summary).with("sheet", name).with("cells", written.len());
    Ok(match reach(written.iter().copied()) {
        Some(range) => change.with("range", range.to_string()),
        None => change,
    })
}

/// The new value of a cell; none if the op only styles it. Only `clear`, null and an empty text remove a value.
fn new_value(
    cell: &CellInput,
    place: &str,
    rules: Rules,
    warnings: &mut Vec<String>,
) -> Result<Option<NewValue>, EditError> {
    let formula = cell.formula.as_deref().filter(|formula| !formula.trim().is_empty());
    let given = cell.value.as_ref();
    let kind = cell.kind.as_deref();
    if cell.clear == Some(true) {
        let other = formula.is_some() || given.is_some_and(|value| value.as_ref().is_some_and(|value| *value != ""));
        return match other {
            true => Err(EditError::new(format!("{place}.clear"), "`clear` and a value exclude each other; give one")),
            false => Ok(Some(NewValue::Blank)),
        };
    }
    if let Some(formula) = formula {
        // `value` may repeat the formula; null counts as missing.
        let same = |value: &Value| value.as_str().is_some_and(|text| text.is_empty() || plain(text) == plain(formula));
        if given.is_some_and(|value| value.as_ref().is_some_and(|value| !same(value))) {
            let why = "`value` and `formula` are both given; give one";
            return Err(EditError::new(format!("{place}.formula"), why));
        }
        let formula = Value::from(formula);
        let read = values::read(Some(&formula), Some("formula"), place, rules, warnings);
        return read.map(Some).map_err(|error| at_value(error, place, "formula"));
    }
    if given.is_none() && kind != Some("blank") {
        return Ok(None);
    }
    let value = given.and_then(Option::as_ref);
    let read = values::read(value, kind, place, rules, warnings).map_err(|error| at_value(error, place, "value"))?;
    Ok(Some(read))
}

/// A formula without `=` and spaces around it.
fn plain(formula: &str) -> &str {
    formula.trim().trim_start_matches('=').trim()
}

/// Adds the field to errors about the value itself.
fn at_value(mut error: EditError, place: &str, field: &str) -> EditError {
    if error.at == place {
        error.at = format!("{place}.{field}");
    }
    error
}

/// Collects texts that look like numbers: they are written as text, because a code such as 007 is not the number 7.
#[derive(Default)]
struct DigitTexts {
    count: usize,
    first: Option<CellRef>,
}

impl DigitTexts {
    fn note(&mut self, value: Option<&NewValue>, at: CellRef) {
        let Some(NewValue::Text(text)) = value else { return };
        let text = text.trim();
        if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) && text.parse::<f64>().is_ok()
        {
            self.count += 1;
            self.first.get_or_insert(at);
        }
    }

    fn report(&self, editor: &mut WorkbookEdit<'_>, at: &str) {
        let Some(first) = self.first.filter(|_| !editor.options.texts_are_meant) else { return };
        let what = match self.count {
            1 => format!("the value of {first} looks like a number but is a text, and is written as text"),
            count => format!(
                "{count} values (the first in {first}) look like numbers but are texts, and are written as text"
            ),
        };
        editor.warnings.push(format!("{at}: {what}; give numbers without quotes"));
    }
}

/// Writes a block of values, starting at a cell.
pub(super) fn set_range(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SetRange) -> Result<OpReport, Error> {
    check_values(&op.values, input, "values")?;
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let start = start_at(&op.start, &input.at("start"))?;
    check_size(editor, input, op);
    let patch = patch(op.style.as_ref(), &input.at("style"))?;
    let writes = block(editor, input, start, &op.values, "values", patch.as_ref())?;
    let written = editor.write_cells(input, &part, writes)?;
    Ok(block_change(input, &op.sheet, "Wrote", start, &op.values, written.len()))
}

/// Refuses a block without values: it usually means a misspelt or misplaced field.
fn check_values(values: &[Vec<Value>], input: &OpInput, field: &str) -> Result<(), EditError> {
    if values.iter().all(Vec::is_empty) {
        return Err(input.error(field, "missing or empty: give at least one row with one value"));
    }
    Ok(())
}

/// Warns if the values do not have the size of the given range, of which only the first cell is used.
fn check_size(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SetRange) {
    let Ok(range) = op.start.trim().parse::<CellRange>() else { return };
    let (rows, columns) = (op.values.len(), op.values.iter().map(Vec::len).max().unwrap_or(0));
    let size = (range.rows() as usize, range.columns() as usize);
    if op.start.contains(':') && size != (rows, columns) {
        let why = format!(
            "{} has {} × {} cells and there are {rows} × {columns} values, written from {} on",
            op.start.trim(),
            size.0,
            size.1,
            range.start()
        );
        editor.warnings.push(format!("{}: {why}", input.at("start")));
    }
}

/// The first cell of a start, which may be a range.
fn start_at(text: &str, at: &str) -> Result<CellRef, EditError> {
    match text.trim().parse::<CellRange>() {
        Ok(range) => Ok(range.start()),
        Err(error) => Err(EditError::new(at, error.to_string())),
    }
}

fn block(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    start: CellRef,
    values: &[Vec<Value>],
    field: &str,
    patch: Option<&Rc<StylePatch>>,
) -> Result<Vec<CellWrite>, Error> {
    let rules = editor.rules();
    let mut writes = Vec::with_capacity(values.iter().map(Vec::len).sum());
    let mut digits = DigitTexts::default();
    for (down, row) in values.iter().enumerate() {
        for (right, value) in row.iter().enumerate() {
            let place = input.at(&format!("{field}[{down}][{right}]"));
            let at = offset(start, down, right).ok_or_else(|| {
                EditError::new(&place, format!("the values reach beyond the last row {MAX_ROW} or column XFD"))
            })?;
            let value = values::read(Some(value), None, &place, rules, &mut editor.warnings)?;
            digits.note(Some(&value), at);
            writes.push(CellWrite { at, value: Some(value), patch: patch.cloned(), field: place });
        }
    }
    digits.report(editor, &input.at(field));
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
) -> OpReport {
    let width = values.iter().map(Vec::len).max().unwrap_or(0);
    let end = offset(start, values.len().saturating_sub(1), width.saturating_sub(1)).unwrap_or(start);
    let range = CellRange::new(start, end);
    let summary = match (values.len(), width) {
        (0, _) | (_, 0) => format!("No values to write on {sheet}."),
        (rows, cols) => format!("{verb} {rows} × {cols} values on {sheet} ({range})."),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cells", written);
    if values.is_empty() || width == 0 {
        return change;
    }
    change.with("range", range.to_string()).with("rows", values.len()).with("columns", width)
}

/// Writes rows below the data; a table that ends with the data grows.
pub(super) fn append_rows(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &AppendRows) -> Result<OpReport, Error> {
    check_values(&op.rows, input, "rows")?;
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
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

/// A checked style; none if it changes nothing.
pub(super) fn patch(style: Option<&CellStyle>, at: &str) -> Result<Option<Rc<StylePatch>>, EditError> {
    let Some(style) = style else { return Ok(None) };
    let patch = StylePatch::check(style, at)?;
    Ok((!patch.is_empty()).then(|| Rc::new(patch)))
}

/// Keeps shared formulas valid when the cell that holds the text gets another value: the next cell of the group becomes
/// the holder, or each cell gets its own formula.
pub(super) fn settle_shared(sheet: &mut SheetState) {
    let prefix = element_prefix(sheet);
    let mut formulas: Vec<(CellRef, String)> = Vec::new();
    for (number, group) in &sheet.shared {
        let Some((master, _)) = &group.master else { continue };
        let overwritten =
            |cell: &CellRef| sheet.cells.get(cell).is_some_and(|edit| edit.value.is_some() || edit.element.is_some());
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
        sheet.edit(cell).formula = Some(FormulaEdit::Element(markup));
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
