//! Sorts rows as Excel does: numbers, then texts without regard to case, then FALSE and TRUE, then errors; blank cells
//! last in both directions. Equal rows keep their order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use jig_file_api::ops::xlsx::{SortKey, SortRange};

use super::attachments;
use super::layout::range_at;
use super::recalculate::{cell_value, current_values, load_strings};
use super::relocate::{self, check_arrays, check_pivots, check_size, clipped, covers, elements, merges, placed};
use super::{WorkbookEdit, calc_chain, cells_of};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, ColumnName, column_number};
use crate::xlsx::formula::{
    CellKey, CellValue, FormulaText, ParsedFormula, Reference, Target, TokenKind, same_sheet, translate,
};
use crate::xlsx::serial_date::serial_of_iso;
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::markup::attr;
use crate::xlsx::sheet::rows::{Piece, walk_rows};

/// Sorts the rows of a range.
pub(super) fn sort_range(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SortRange) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let given = range_at(&op.range, &input.at("range"))?;
    if op.by.is_empty() {
        return Err(input.error("by", "missing or empty: give at least one column to sort by").into());
    }
    editor.flush()?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let Some(range) = clipped(editor, &part, given)? else {
        return Err(input.error("range", format!("{given} has no cells to sort")).into());
    };
    check_size(input, "range", range)?;
    check_arrays(editor, input, "range", &part, range, false)?;
    check_pivots(editor, input, "range", &part, range)?;
    if let Some(area) = merges(editor, &part)?.into_iter().find(|area| area.intersection(range).is_some()) {
        let why = format!("{range} has merged cells ({area}), which cannot be sorted; unmerge them first");
        return Err(input.error("range", why).suggest([area.to_string()]).into());
    }
    relocate::unshare(editor, &part, &[range])?;
    let values = values(editor, &part, place, range)?;
    let header = header(editor, input, op, &part, range, &values)?;
    let first = range.start().row() + u32::from(header);
    let Some(body) = CellRef::new(first, range.start().col()).map(|start| CellRange::new(start, range.end())) else {
        return Err(input.error("range", format!("{range} has no rows below its header")).into());
    };
    if first > range.end().row() {
        return Err(input.error("range", format!("{range} has no rows below its header")).into());
    }
    check_tables(editor, input, &part, body)?;
    let keys = keys(op, input, range, header, &values)?;
    let unknown = cells_of(body)
        .filter(|cell| keys.iter().any(|key| key.column == cell.col()))
        .find(|cell| matches!(values.get(cell), Some(None)));
    if let Some(cell) = unknown {
        let why = format!("{cell} is a formula without a computed value, so it cannot be sorted by");
        return Err(input.error("by", why).into());
    }
    let order = order(body, &keys, &values);
    let moves: BTreeMap<u32, u32> =
        (body.start().row()..).zip(&order).filter(|(to, from)| to != *from).map(|(to, from)| (*from, to)).collect();
    let names: Vec<String> = keys.iter().map(Key::describe).collect();
    let summary = format!("Sorted {} rows of {sheet} ({body}) by {}.", body.rows(), names.join(", "));
    let report = OpReport::new(input, summary)
        .with("sheet", sheet.clone())
        .with("range", body.to_string())
        .with("header", header)
        .with("rows", body.rows())
        .with("moved", moves.len());
    if moves.is_empty() {
        return Ok(report);
    }
    let found = elements(editor, &part, body)?;
    check_formulas(input, &found, body, &sheet, &moves)?;
    warn_of_hidden(editor, input, &part, body)?;
    let mut placed_cells: BTreeMap<CellRef, String> = BTreeMap::new();
    for at in found.keys().filter(|at| moves.contains_key(&at.row())) {
        placed_cells.entry(*at).or_default();
    }
    for (at, element) in &found {
        let to = moves.get(&at.row()).and_then(|row| CellRef::new(*row, at.col()));
        let Some(to) = to else { continue };
        let text = relocate::formula_text(element, *at).map(|text| translate(&text, *at, to).text.into_owned());
        placed_cells.insert(to, placed(element, *at, to, text.as_deref()));
    }
    editor.dirty.entry(part.clone()).or_default().extend(placed_cells.keys().copied());
    relocate::put(editor, &part, placed_cells)?;
    let moved = |at: CellRef| {
        let row = moves.get(&at.row()).filter(|_| body.contains(at));
        row.map_or(Some(at), |row| CellRef::new(*row, at.col()))
    };
    attachments::relocate(editor, &part, &moved)?;
    calc_chain::remove(&mut editor.package, &editor.book)?;
    editor.book = crate::xlsx::workbook_part::WorkbookPart::read(&editor.package)?;
    Ok(report)
}

/// A column to sort by.
struct Key {
    column: u32,
    descending: bool,
}

impl Key {
    fn describe(&self) -> String {
        format!("{} {}", ColumnName(self.column), if self.descending { "desc" } else { "asc" })
    }
}

/// The values of cells; none for a formula whose value is not known.
type Values = HashMap<CellRef, Option<CellValue>>;

fn values(editor: &mut WorkbookEdit<'_>, part: &str, sheet: usize, range: CellRange) -> Result<Values, Error> {
    let strings = load_strings(editor)?;
    let has_formulas = !editor.sheet(part)?.formulas.is_empty();
    let computed = if has_formulas { current_values(editor)? } else { HashMap::new() };
    let dates = editor.book.dates();
    let mut found = HashMap::new();
    let Some(state) = editor.loaded(part) else { return Ok(found) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if !(range.start().row()..=range.end().row()).contains(&row.number) {
            return Ok(());
        }
        for cell in row.cells() {
            let Some(at) = cell.at.filter(|at| range.contains(*at)) else { continue };
            if let Some(value) = computed.get(&CellKey { sheet, cell: at }) {
                found.insert(at, value.clone());
                continue;
            }
            let value = match cell.data() {
                CellData::Date(text) => Some(
                    serial_of_iso(&text, dates)
                        .map_or_else(|| CellValue::Text(text.clone().into_owned()), CellValue::Number),
                ),
                data => cell_value(data, &strings),
            };
            if value.is_some() || cell.child(b"f").is_some() {
                found.insert(at, value);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Whether the first row is a header: as given, as a key names it, as a table has it, or where its cells are all texts
/// and those below are not.
fn header(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &SortRange,
    part: &str,
    range: CellRange,
    values: &Values,
) -> Result<bool, Error> {
    let table = editor.tables(part)?.iter().find(|table| table.header_rows > 0 && table.range.contains(range.start()));
    let table = table.map(|table| (table.name.clone(), table.range.start().row() == range.start().row()));
    if let Some((name, true)) = &table
        && op.header == Some(false)
    {
        let why = format!("the first row is the header of the table {name}, which cannot be sorted with its data");
        return Err(input.error("header", why).into());
    }
    if let Some(header) = op.header {
        return Ok(header);
    }
    if let Some((_, is_header)) = table {
        return Ok(is_header);
    }
    if op.by.iter().any(|key| is_header_text(&key.column, range, values)) {
        return Ok(true);
    }
    let row = |row: u32| {
        (range.start().col()..=range.end().col())
            .filter_map(move |col| CellRef::new(row, col))
            .map(|cell| values.get(&cell).and_then(Option::as_ref))
    };
    let is_text = |value: Option<&CellValue>| matches!(value, Some(CellValue::Text(_)));
    let top = range.start().row();
    Ok(row(top).all(is_text) && top < range.end().row() && !row(top + 1).all(is_text))
}

/// Whether a key is the text of a header and not letters.
fn is_header_text(name: &str, range: CellRange, values: &Values) -> bool {
    let inside = column_number(name.trim()).is_some_and(|col| (range.start().col()..=range.end().col()).contains(&col));
    !inside && header_column(name, range, values).is_some()
}

/// The column with a header of this text.
fn header_column(name: &str, range: CellRange, values: &Values) -> Option<u32> {
    let wanted = name.trim().to_lowercase();
    (range.start().col()..=range.end().col()).find(|col| {
        let cell = CellRef::new(range.start().row(), *col);
        let value = cell.and_then(|cell| values.get(&cell)?.clone());
        matches!(value, Some(CellValue::Text(text)) if text.trim().to_lowercase() == wanted)
    })
}

fn keys(
    op: &SortRange,
    input: &OpInput,
    range: CellRange,
    header: bool,
    values: &Values,
) -> Result<Vec<Key>, EditError> {
    op.by.iter().enumerate().map(|(index, key)| key_of(key, index, input, range, header, values)).collect()
}

fn key_of(
    key: &SortKey,
    index: usize,
    input: &OpInput,
    range: CellRange,
    header: bool,
    values: &Values,
) -> Result<Key, EditError> {
    let at = |field: &str| format!("by[{index}].{field}");
    let order = key.order.as_deref().map(|order| order.trim().to_lowercase());
    let named = match order.as_deref() {
        None | Some("") => None,
        Some("asc" | "ascending" | "up" | "az" | "a" | "1") => Some(false),
        Some("desc" | "descending" | "down" | "za" | "d" | "-1" | "reverse") => Some(true),
        Some(_) => {
            let why = format!("`{}` is not an order; give `asc` or `desc`", key.order.as_deref().unwrap_or_default());
            return Err(input.error(&at("order"), why).suggest(["asc", "desc"]));
        }
    };
    let descending = named.or(key.descending).or(key.ascending.map(|ascending| !ascending)).unwrap_or(false);
    let by_header = header.then(|| header_column(&key.column, range, values)).flatten();
    let by_letters = column_number(key.column.trim());
    let by_number = key.column.trim().parse::<u32>().ok();
    let inside = |column: &u32| (range.start().col()..=range.end().col()).contains(column);
    match by_header.or(by_letters.or(by_number).filter(inside)) {
        Some(column) => Ok(Key { column, descending }),
        None => {
            let texts = (range.start().col()..=range.end().col()).filter(|_| header).filter_map(|col| {
                match values.get(&CellRef::new(range.start().row(), col)?)? {
                    Some(CellValue::Text(text)) => Some(text.clone()),
                    _ => None,
                }
            });
            let texts: Vec<String> = texts.take(20).collect();
            let have = if texts.is_empty() { String::new() } else { format!(" with the headers {}", texts.join(", ")) };
            let near = crate::edit::nearest(&key.column, texts.iter().map(String::as_str));
            let (left, right) = (ColumnName(range.start().col()), ColumnName(range.end().col()));
            let why = format!("`{}` is not a column of {range}; it has {left} to {right}{have}", key.column);
            Err(input.error(&at("column"), why).suggest(near))
        }
    }
}

/// The rows in their new order.
fn order(body: CellRange, keys: &[Key], values: &Values) -> Vec<u32> {
    let mut rows: Vec<(u32, Vec<Option<Rank>>)> = (body.start().row()..=body.end().row())
        .map(|row| {
            let ranks = keys.iter().map(|key| {
                let cell = CellRef::new(row, key.column)?;
                Rank::of(values.get(&cell)?.as_ref()?)
            });
            (row, ranks.collect())
        })
        .collect();
    rows.sort_by(|(_, a), (_, b)| {
        let pairs = a.iter().zip(b).zip(keys);
        let mut found = pairs.map(|((a, b), key)| compare(a.as_ref(), b.as_ref(), key.descending));
        found.find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
    });
    rows.into_iter().map(|(row, _)| row).collect()
}

/// A value as it is compared.
enum Rank {
    Number(f64),
    Text(String),
    Bool(bool),
    Error,
}

impl Rank {
    fn of(value: &CellValue) -> Option<Self> {
        Some(match value {
            CellValue::Empty => return None,
            CellValue::Number(number) => Self::Number(*number),
            // As in Excel, hyphens and apostrophes do not count.
            CellValue::Text(text) => {
                Self::Text(text.chars().filter(|c| !matches!(c, '-' | '\'')).flat_map(char::to_lowercase).collect())
            }
            CellValue::Bool(flag) => Self::Bool(*flag),
            CellValue::Error(_) => Self::Error,
        })
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Text(_) => 1,
            Self::Bool(_) => 2,
            Self::Error => 3,
        }
    }
}

/// Blank cells come last in both directions.
fn compare(a: Option<&Rank>, b: Option<&Rank>, descending: bool) -> Ordering {
    let (a, b) = match (a, b) {
        (None, None) => return Ordering::Equal,
        (None, Some(_)) => return Ordering::Greater,
        (Some(_), None) => return Ordering::Less,
        (Some(a), Some(b)) => (a, b),
    };
    let order = match (a, b) {
        (Rank::Number(a), Rank::Number(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Rank::Text(a), Rank::Text(b)) => a.cmp(b),
        (Rank::Bool(a), Rank::Bool(b)) => a.cmp(b),
        (a, b) => a.kind().cmp(&b.kind()),
    };
    if descending { order.reverse() } else { order }
}

/// Only rows of a table's data can be sorted, and only together with all its columns or none of the others' formulas.
fn check_tables(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, body: CellRange) -> Result<(), Error> {
    for table in editor.tables(part)?.iter().filter(|table| table.range.intersection(body).is_some()) {
        let top = table.range.start().row() + table.header_rows;
        let bottom = table.range.end().row().saturating_sub(table.totals_rows);
        let start = CellRef::new(top, table.range.start().col());
        let end = CellRef::new(bottom.max(top), table.range.end().col());
        let data = start.zip(end).map(|(start, end)| CellRange::new(start, end));
        if !data.is_some_and(|data| covers(data, body)) {
            let why = format!(
                "{body} reaches beyond the data of the table {} ({}); sort the rows of its data",
                table.name, table.range
            );
            return Err(input.error("range", why).suggest(data.map(|data| data.to_string())).into());
        }
    }
    Ok(())
}

/// A formula may move with its row if it reads cells of its own row, cells that do not move, or all rows that do. Any
/// other would read other values afterwards, without an error.
fn check_formulas(
    input: &OpInput,
    found: &BTreeMap<CellRef, String>,
    body: CellRange,
    sheet: &str,
    moves: &BTreeMap<u32, u32>,
) -> Result<(), EditError> {
    for (at, element) in found.iter().filter(|(at, _)| moves.contains_key(&at.row())) {
        let Some(text) = relocate::formula_text(element, *at) else { continue };
        let parsed = ParsedFormula::parse(text);
        let dynamic = parsed.dependencies().dynamic;
        let unsafe_reference = parsed.tokens().find(|token| {
            let TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) = token.kind else {
                return false;
            };
            let own = prefix.is_none_or(|prefix| {
                let sheets = prefix.sheets();
                sheets.book.is_none() && sheets.last.is_none() && same_sheet(&sheets.first, sheet)
            });
            let (Some(range), Some(rows)) = (area.range(), area.rows()) else { return false };
            let moves_along = !rows.first.fixed && !rows.last.fixed;
            let own_row = range.start().row() == at.row() && range.end().row() == at.row();
            let touches = own
                && range.start().row() <= body.end().row()
                && range.end().row() >= body.start().row()
                && range.start().col() <= body.end().col()
                && range.end().col() >= body.start().col();
            let all = range.start().row() <= body.start().row() && range.end().row() >= body.end().row();
            match (moves_along, own_row) {
                (true, true) => false,
                // A reference that counts from its own row would point to another row.
                (true, false) => true,
                (false, _) if rows.first.fixed && rows.last.fixed => touches && !all,
                _ => true,
            }
        });
        let why = match unsafe_reference {
            Some(token) => format!(
                "the formula of {at} reads {} outside of its own row, so it would read other cells when sorted; \
                 write it with references to its own row or with `$`, or sort without that column",
                token.text
            ),
            None if dynamic => {
                format!("the formula of {at} computes which cells it reads, so it may read others when sorted")
            }
            None => continue,
        };
        return Err(input.error("range", why));
    }
    Ok(())
}

fn warn_of_hidden(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, body: CellRange) -> Result<(), Error> {
    editor.sheet(part)?;
    let mut hidden = 0_usize;
    if let Some(state) = editor.loaded(part) {
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            if let Piece::Row(row) = piece
                && (body.start().row()..=body.end().row()).contains(&row.number)
                && attr(row.tag(), b"hidden").is_some_and(|hidden| matches!(hidden, b"1" | b"true"))
            {
                hidden += 1;
            }
            Ok(())
        })?;
    }
    if hidden > 0 {
        let why = format!("{hidden} hidden rows were sorted too; the places that are hidden did not change");
        editor.warnings.push(format!("{}: {why}", input.at("range")));
    }
    Ok(())
}
