//! What moving, sorting and copying cells share: elements of cells taken as they are, and put in another place.

use std::collections::BTreeMap;

use super::cells::element_prefix;
use super::sheet::{FormulaEdit, SheetState};
use super::{WorkbookEdit, rows};
use crate::edit::{EditError, OpInput};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, split_sheet};
use crate::xlsx::sheet::markup::{self, attrs, local, tag_name};
use crate::xlsx::sheet::rows::{CellView, Piece, element_with_text, walk_rows};
use crate::xml::escape_text;

/// The most cells that one op moves, sorts or copies.
const MOST_CELLS: u64 = 2_000_000;

/// A range without the rows and columns behind the last cell of the sheet, so that whole columns can be worked on.
pub(super) fn clipped(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<Option<CellRange>, Error> {
    let cells = super::layout::present(editor, part, range)?;
    let Some(reach) = super::reach(cells.into_iter()) else { return Ok(None) };
    let end = CellRef::new(reach.end().row(), reach.end().col());
    Ok(end.map(|end| CellRange::new(range.start(), end)))
}

/// Refuses to touch more cells than an op can.
pub(super) fn check_size(input: &OpInput, field: &str, range: CellRange) -> Result<(), EditError> {
    if range.cells() > MOST_CELLS {
        let why = format!("{range} has {} cells; one op touches at most {MOST_CELLS}", range.cells());
        return Err(input.error(field, why));
    }
    Ok(())
}

/// The elements of the cells of a range. All recorded changes must be written.
pub(super) fn elements(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    range: CellRange,
) -> Result<BTreeMap<CellRef, String>, Error> {
    editor.sheet(part)?;
    let mut found = BTreeMap::new();
    let Some(state) = editor.loaded(part) else { return Ok(found) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if (range.start().row()..=range.end().row()).contains(&row.number) {
            for cell in row.cells() {
                if let Some(at) = cell.at.filter(|at| range.contains(*at)) {
                    found.insert(at, markup::text(cell.element()).into_owned());
                }
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Gives each cell of the shared formulas that reach into one of the ranges a formula of its own, since a group cannot be
/// taken apart cell by cell. The values stay.
pub(super) fn unshare(editor: &mut WorkbookEdit<'_>, part: &str, ranges: &[CellRange]) -> Result<(), Error> {
    let state = editor.sheet(part)?;
    let prefix = element_prefix(state);
    let is_touched = |cell: &CellRef| ranges.iter().any(|range| range.contains(*cell));
    let mut formulas = Vec::new();
    for group in state.shared.values().filter(|group| group.members.iter().any(is_touched)) {
        for cell in &group.members {
            if let Some(text) = group.formula_at(*cell) {
                formulas.push((*cell, format!("<{prefix}f>{}</{prefix}f>", escape_text(&text))));
            }
        }
    }
    for (cell, markup) in formulas {
        state.edit(cell).formula = Some(FormulaEdit::Element(markup));
    }
    editor.flush()
}

/// The formula of a cell's element, as its text. None for a value, and for a formula that has no text of its own.
pub(super) fn formula_text(element: &str, at: CellRef) -> Option<String> {
    let cell = CellView::of(element.as_bytes(), at)?;
    cell.formula().map(|formula| formula.text()).filter(|text| !text.is_empty())
}

/// A cell's element in another place. `formula` is the new text of its formula; the range of an array formula moves
/// along.
pub(super) fn placed(element: &str, from: CellRef, to: CellRef, formula: Option<&str>) -> String {
    let bytes = element.as_bytes();
    let Some(cell) = CellView::of(bytes, from) else { return element.to_owned() };
    let mut tag = cell.tag().to_vec();
    rows::set(&mut tag, b"r", &to.to_string());
    let mut out = markup::text(&tag).into_owned();
    let inner = cell.inner();
    let found = markup::elements(inner)
        .find(|found| inner.get(found.tag.clone()).is_some_and(|tag| local(tag_name(tag)) == b"f"));
    let mut done = cell.inner_start();
    if let Some(found) = found {
        let start = cell.inner_start();
        let mut tag = inner.get(found.tag.clone()).unwrap_or_default().to_vec();
        for name in [b"ref".as_slice(), b"r1", b"r2"] {
            let value = attrs(&tag).find(|attr| attr.name == name).map(|attr| markup::text(attr.value).into_owned());
            let range = value.and_then(|value| value.parse::<CellRange>().ok());
            if let Some(new) = range.and_then(|range| offset_range(range, from, to)) {
                rows::set(&mut tag, name, &new.to_string());
            }
        }
        let text = cell.formula().map(|formula| formula.text()).unwrap_or_default();
        out.push_str(&markup::text(bytes.get(done..start + found.range.start).unwrap_or_default()));
        out.push_str(&element_with_text(&tag, formula.unwrap_or(&text)));
        done = start + found.range.end;
    }
    out.push_str(&markup::text(bytes.get(done..).unwrap_or_default()));
    out
}

/// A range moved by the way from one cell to another.
fn offset_range(range: CellRange, from: CellRef, to: CellRef) -> Option<CellRange> {
    let moved = |cell: CellRef| {
        let row = i64::from(cell.row()) + i64::from(to.row()) - i64::from(from.row());
        let col = i64::from(cell.col()) + i64::from(to.col()) - i64::from(from.col());
        CellRef::new(u32::try_from(row).ok()?, u32::try_from(col).ok()?)
    };
    Some(CellRange::new(moved(range.start())?, moved(range.end())?))
}

/// The element with the prefix of another sheet. Extensions of a cell, which only its own sheet can name, are left out.
pub(super) fn reprefixed(element: &str, old: &str, new: &str) -> String {
    if old == new {
        return element.to_owned();
    }
    let mut out = String::with_capacity(element.len());
    let mut rest = element;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        out.push_str(text);
        let (open, name) = match tag.strip_prefix("</") {
            Some(name) => ("</", name),
            None => ("<", tag.strip_prefix('<').unwrap_or_default()),
        };
        out.push_str(open);
        rest = match name.strip_prefix(old) {
            Some(local) if !name.starts_with(['!', '?']) => {
                out.push_str(new);
                local
            }
            _ => name,
        };
    }
    out.push_str(rest);
    out
}

/// Replaces cells by elements from elsewhere; an empty element removes a cell. The sheet is written at once.
pub(super) fn put(editor: &mut WorkbookEdit<'_>, part: &str, elements: BTreeMap<CellRef, String>) -> Result<(), Error> {
    let state = editor.sheet(part)?;
    for (cell, element) in elements {
        state.edit(cell).element = Some(element);
    }
    editor.flush()
}

/// Refuses a range that cuts through an array formula; `whole` allows those that are completely inside.
pub(super) fn check_arrays(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    part: &str,
    range: CellRange,
    whole: bool,
) -> Result<(), Error> {
    for (area, anchor) in &editor.sheet(part)?.arrays {
        let inside = range.contains(area.start()) && range.contains(area.end());
        if area.intersection(range).is_some() && !(whole && inside) {
            let why = format!("{range} cuts through the formula of {anchor}, which fills {area}");
            return Err(input.error(field, why).suggest([area.to_string()]).into());
        }
    }
    Ok(())
}

/// Refuses a range that pivot tables reach into.
pub(super) fn check_pivots(
    editor: &WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    part: &str,
    range: CellRange,
) -> Result<(), Error> {
    for (name, area) in rows::frame::pivots(&editor.package, part)? {
        if area.intersection(range).is_some() {
            let why = format!("{range} reaches into the pivot table {name} ({area}), whose cells Excel fills");
            return Err(input.error(field, why).into());
        }
    }
    Ok(())
}

/// The merged areas of a sheet.
pub(super) fn merges(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Vec<CellRange>, Error> {
    editor.sheet(part)?;
    Ok(editor.loaded(part).map(|state| state.merges(&editor.package)).transpose()?.unwrap_or_default())
}

/// A place such as `B2`, `Other!B2` or a range, with the sheet that it names.
pub(super) fn place_at(text: &str, at: &str) -> Result<(Option<String>, CellRange), EditError> {
    let (sheet, cells) = match split_sheet(text.trim()) {
        Some((sheet, cells)) => (Some(sheet.into_owned()), cells),
        None => (None, text.trim()),
    };
    Ok((sheet, super::layout::range_at(cells, at)?))
}

/// The ranges of tables on a sheet, with their names.
pub(super) fn tables(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Vec<(String, CellRange)>, Error> {
    Ok(editor.tables(part)?.iter().map(|table| (table.name.clone(), table.range)).collect())
}

/// Whether a range contains all cells of another.
pub(super) fn covers(range: CellRange, other: CellRange) -> bool {
    range.contains(other.start()) && range.contains(other.end())
}

/// The prefix of the elements of a sheet's rows.
pub(super) fn prefix_of(state: &SheetState) -> String {
    element_prefix(state)
}
