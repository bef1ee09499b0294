//! Cells as they are while ops are applied: the part, recorded changes and computed formulas; and the references of ops
//! to them.

use std::collections::{BTreeMap, HashMap};

use super::layout::filled;
use super::recalculate::{cell_value, current_values, load_strings, written};
use super::values::NewValue;
use super::{WorkbookEdit, no_sheet};
use crate::edit::{EditError, OpInput, nearest};
use crate::error::Error;
use crate::xlsx::address::{
    CellRange, CellRef, ColumnName, MAX_COLUMN, MAX_ROW, SheetRange, quoted_sheet, split_sheet,
};
use crate::xlsx::formula::{CellValue, same_sheet};
use crate::xlsx::sheet::rows::{Piece, walk_rows};

/// A cell with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CurrentCell {
    /// None for a formula whose value is unknown.
    pub(super) value: Option<CellValue>,
    /// Its format in the part.
    pub(super) format: u32,
    /// Whether an op has just written a date to it.
    pub(super) new_date: bool,
}

/// Cells of one sheet that an op names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// The position of the sheet.
    pub(super) place: usize,
    pub(super) sheet: String,
    pub(super) part: String,
    pub(super) range: CellRange,
}

impl Source {
    /// The reference as formulas write it, which moves to no other cells when it is copied.
    pub(super) fn formula(&self) -> String {
        absolute(&self.sheet, self.range)
    }

    /// The same sheet with other cells.
    pub(super) fn with(&self, range: CellRange) -> Self {
        Self { range, ..self.clone() }
    }
}

/// A range with its sheet, anchored.
pub(super) fn absolute(sheet: &str, range: CellRange) -> String {
    format!("{}!{}", quoted_sheet(sheet), anchored(range))
}

/// A range with anchors, without a sheet.
pub(super) fn anchored(range: CellRange) -> String {
    let cell = |cell: CellRef| format!("${}${}", ColumnName(cell.col()), cell.row());
    match range.start() == range.end() {
        true => cell(range.start()),
        false => format!("{}:{}", cell(range.start()), cell(range.end())),
    }
}

/// The values of a range that have one, by their cell.
pub(super) fn current_cells(
    editor: &mut WorkbookEdit<'_>,
    source: &Source,
) -> Result<BTreeMap<CellRef, CurrentCell>, Error> {
    let range = source.range;
    let state = editor.sheet(&source.part)?;
    let formulas = state.formulas.iter().any(|formula| range.contains(formula.at))
        || state.cells.iter().any(|(at, edit)| range.contains(*at) && matches!(edit.value, Some(NewValue::Formula(_))));
    let computed = if formulas { current_values(editor)? } else { HashMap::new() };
    let mut cells = stored_cells(editor, source)?;
    for (key, value) in computed.into_iter().filter(|(key, _)| key.sheet == source.place && range.contains(key.cell)) {
        let format = cells.get(&key.cell).map_or(0, |cell| cell.format);
        cells.insert(key.cell, CurrentCell { value, format, new_date: false });
    }
    let Some(state) = editor.loaded(&source.part) else { return Ok(cells) };
    for (at, edit) in state.cells.iter().filter(|(at, _)| range.contains(**at)) {
        let format = cells.get(at).map_or(0, |cell| cell.format);
        match &edit.value {
            None | Some(NewValue::Formula(_)) => {}
            Some(NewValue::Blank) => {
                cells.remove(at);
            }
            Some(value) => {
                let new_date = matches!(value, NewValue::Date { .. });
                cells.insert(*at, CurrentCell { value: Some(written(value)), format, new_date });
            }
        }
    }
    Ok(cells)
}

/// The values that the part of a sheet has for a range.
pub(super) fn stored_cells(
    editor: &mut WorkbookEdit<'_>,
    source: &Source,
) -> Result<BTreeMap<CellRef, CurrentCell>, Error> {
    let strings = load_strings(editor)?;
    editor.sheet(&source.part)?;
    let mut cells = BTreeMap::new();
    let Some(state) = editor.loaded(&source.part) else { return Ok(cells) };
    let (first, last) = (source.range.start().row(), source.range.end().row());
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if !(first..=last).contains(&row.number) {
            return Ok(());
        }
        for cell in row.cells() {
            let Some(at) = cell.at.filter(|at| source.range.contains(*at)) else { continue };
            let value = cell_value(cell.data(), &strings);
            if value.is_some() || cell.child(b"f").is_some() {
                cells.insert(at, CurrentCell { value, format: cell.style().unwrap_or(0), new_date: false });
            }
        }
        Ok(())
    })?;
    Ok(cells)
}

/// The rectangle around all values of a sheet.
pub(super) fn used_range(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Option<CellRange>, Error> {
    Ok(super::reach(filled(editor, part, CellRange::ALL)?.into_iter()))
}

/// Resolves a reference of an op: `A1:B5`, `Sheet2!A:A`, a defined name, a table or its column (`Sales[Amount]`). Whole
/// columns and rows end where the data does.
pub(super) fn resolve(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    text: &str,
    own_sheet: &str,
) -> Result<Source, Error> {
    let plain = text.trim();
    let plain = plain.strip_prefix('=').unwrap_or(plain).trim();
    if let Some(found) = table_part(editor, input, field, plain)? {
        return Ok(found);
    }
    let (sheet, cells) = match split_sheet(plain) {
        Some((sheet, cells)) if !sheet.is_empty() => (sheet.into_owned(), cells.trim()),
        _ => (own_sheet.to_owned(), plain),
    };
    if cells.contains(',') || cells.contains(';') {
        let why = format!("`{text}` names several areas; give one range, such as `A1:B9`");
        return Err(input.error(field, why).into());
    }
    if sheet.contains(['[', ']']) {
        let why = format!("`{text}` reaches outside the workbook; give cells of this workbook");
        return Err(input.error(field, why).into());
    }
    let range = match cells.parse::<CellRange>() {
        Ok(range) => range,
        Err(error) => {
            let named = editor.book.names.iter().find(|name| name.name.eq_ignore_ascii_case(plain));
            match named.and_then(|name| name.formula.parse::<SheetRange>().ok()) {
                Some(found) => return place_of(editor, input, field, &found.sheet, found.range),
                None => return Err(input.error(field, unknown_cells(editor, plain, &error.to_string())).into()),
            }
        }
    };
    place_of(editor, input, field, &sheet, range)
}

fn unknown_cells(editor: &WorkbookEdit<'_>, text: &str, why: &str) -> String {
    let near = nearest(text, editor.book.names.iter().map(|name| name.name.as_str()));
    match near.first() {
        Some(near) => format!("{why}; the workbook has the name `{near}`"),
        None => why.to_owned(),
    }
}

fn place_of(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    sheet: &str,
    range: CellRange,
) -> Result<Source, Error> {
    if sheet.is_empty() {
        let why = format!("name the sheet of the cells too, such as `Data!{range}`");
        return Err(input.error(field, why).into());
    }
    let Some(place) = editor.book.sheet_place(sheet) else {
        return Err(no_sheet(&editor.book, input.at(field), sheet).into());
    };
    let (_, part) = editor.grid(input, field, sheet)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let endless = range.rows() == MAX_ROW || range.columns() == MAX_COLUMN;
    let range = match endless {
        false => range,
        true => match used_range(editor, &part)?.and_then(|used| used.intersection(range)) {
            Some(used) => used,
            None => return Err(input.error(field, format!("{range} of `{sheet}` has no values")).into()),
        },
    };
    Ok(Source { place, sheet, part, range })
}

/// A table by its name, or a column of one.
fn table_part(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    text: &str,
) -> Result<Option<Source>, Error> {
    let (name, column) = match text.split_once('[') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(']').map(str::trim)),
        None => (text, None),
    };
    if name.is_empty() || name.contains(['!', ':', '$']) {
        return Ok(None);
    }
    let mut known: Vec<String> = Vec::new();
    for place in 0..editor.book.sheets.len() {
        let Some(part) = super::grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else {
            continue;
        };
        let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        for table in editor.tables(&part)?.iter() {
            known.push(table.name.clone());
            if !same_sheet(&table.name, name) {
                continue;
            }
            let whole = table.range;
            let column = match column {
                None | Some("#All") => return Ok(Some(Source { place, sheet, part, range: whole })),
                Some(column) => column,
            };
            let columns: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
            let Some(at) = columns.iter().position(|name| name.eq_ignore_ascii_case(column)) else {
                let near = nearest(column, columns.iter().copied());
                let why = format!("the table {} has no column `{column}`; it has {}", table.name, columns.join(", "));
                return Err(EditError::new(input.at(field), why).suggest(near).into());
            };
            let col = whole.start().col() + u32::try_from(at).unwrap_or(0);
            let top = CellRef::new(whole.start().row() + table.header_rows, col);
            let end = CellRef::new(whole.end().row().saturating_sub(table.totals_rows), col);
            return match (top, end) {
                (Some(top), Some(end)) if top <= end => {
                    Ok(Some(Source { place, sheet, part, range: CellRange::new(top, end) }))
                }
                _ => Err(input.error(field, format!("the table {} has no rows", table.name)).into()),
            };
        }
    }
    if column.is_some() {
        let near = nearest(name, known.iter().map(String::as_str));
        let have = if known.is_empty() { "none".to_owned() } else { super::listed(known.iter(), 10) };
        let why = format!("unknown table `{name}`; tables of the workbook: {have}");
        return Err(EditError::new(input.at(field), why).suggest(near).into());
    }
    Ok(None)
}
