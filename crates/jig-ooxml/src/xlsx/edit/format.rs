//! Ops that format ranges and clear them.

use std::rc::Rc;

use jig_file_api::ops::xlsx::{ClearRange, FormatRange};

use super::cells::patch;
use super::layout::{self, ColumnChange, MOST_ROWS, filled, format_range, present, range_at};
use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, comments, hyperlinks, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};

/// The most ranges that one op formats.
const MOST_RANGES: usize = 1_000;

/// Formats cells, entire rows or entire columns.
pub(super) fn format(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &FormatRange) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let ranges = ranges_at(&op.range, &input.at("range"))?;
    let Some(patch) = patch(op.style.as_ref(), &input.at("style"))? else {
        let why = "nothing to format: give `style` with at least one valid property, such as `font_bold`";
        return Err(input.error("style", why).into());
    };
    let mut cells = 0;
    for range in &ranges {
        cells += format_range(editor, input, &part, *range, &Rc::clone(&patch))?;
    }
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let list = listed(ranges.iter(), 8);
    let summary = format!("Formatted {list} on {sheet}.");
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("range", list).with("cells", cells))
}

/// One range, or several with commas or blanks between them.
pub(super) fn ranges_at(text: &str, at: &str) -> Result<Vec<CellRange>, EditError> {
    let items = text.split([',', ';']).flat_map(str::split_ascii_whitespace);
    let ranges = items.map(|item| range_at(item, at)).collect::<Result<Vec<_>, _>>()?;
    match ranges.len() {
        0 => Err(EditError::new(at, "missing or empty: give a range such as `A1:C3`")),
        count if count > MOST_RANGES => {
            Err(EditError::new(at, format!("{count} ranges; one op takes at most {MOST_RANGES}")))
        }
        _ => Ok(ranges),
    }
}

/// Clears contents, formats, comments or links of a range, and reports what it cleared.
pub(super) fn clear(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &ClearRange) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let ranges = ranges_at(&op.range, &input.at("range"))?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let what = op.what.as_deref().unwrap_or("contents");
    let clears = |kind: &str| what == kind || what == "all";
    let (mut contents, mut formats) = (Vec::new(), 0);
    let (mut notes, mut links) = (Vec::new(), Vec::new());
    for range in &ranges {
        if clears("contents") {
            contents.append(&mut clear_contents(editor, input, &part, *range)?);
        }
        if clears("formats") {
            formats += clear_formats(editor, &part, *range)?;
        }
        if clears("comments") {
            notes.append(&mut comments::remove_all(editor, &part, *range)?);
        }
        if clears("hyperlinks") {
            links.append(&mut hyperlinks::remove_in(editor, &part, *range)?);
        }
    }
    let list = listed(ranges.iter(), 8);
    let mut cleared = Vec::new();
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            cleared.push(format!("{count} {what}{}", if count == 1 { "" } else { "s" }));
        }
    };
    note(contents.len(), "value");
    note(formats, "cell format");
    note(notes.len(), "comment");
    note(links.len(), "link");
    let summary = match cleared.as_slice() {
        [] => format!("{list} on {sheet} had nothing to clear ({what})."),
        all => format!("Cleared {} in {list} on {sheet}.", all.join(", ")),
    };
    let mut change = OpReport::new(input, summary).with("sheet", sheet).with("range", list).with("what", what);
    if clears("contents") {
        change = change.with("cells", contents.len());
    }
    if clears("formats") {
        change = change.with("formats", formats);
    }
    if clears("comments") {
        change = change.with("comments", notes.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    if clears("hyperlinks") {
        change = change.with("hyperlinks", links);
    }
    Ok(change)
}

fn clear_contents(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    range: CellRange,
) -> Result<Vec<CellRef>, Error> {
    let cells = filled(editor, part, range)?;
    let write = |at: CellRef| CellWrite { at, value: Some(NewValue::Blank), patch: None, field: input.at("range") };
    editor.write_cells(input, part, cells.into_iter().map(write).collect())
}

/// Gives cells the plain format; entire rows and columns lose theirs.
fn clear_formats(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<usize, Error> {
    let cells = present(editor, part, range)?;
    let state = editor.sheet(part)?;
    for cell in &cells {
        let edit = state.edit(*cell);
        edit.patches.clear();
        edit.format = Some(0);
    }
    if range.rows() == MAX_ROW {
        let known = layout::column_elements(editor, part)?;
        let (first, last) = (range.start().col(), range.end().col());
        let styled = known.into_iter().filter(|(.., element)| element.attr("style").is_some());
        let changes = styled.filter_map(|(min, max, _)| {
            let (min, max) = (min.max(first), max.min(last));
            (min <= max).then_some((min, max, ColumnChange::Format(0)))
        });
        let changes = changes.collect();
        layout::change_columns(editor, part, changes)?;
    } else if range.columns() == MAX_COLUMN && range.rows() <= MOST_ROWS {
        let state = editor.sheet(part)?;
        for row in range.start().row()..=range.end().row() {
            if state.rows.contains(row) {
                let edit = state.row_edit(row);
                edit.patches.clear();
                edit.plain = true;
            }
        }
    }
    Ok(cells.len())
}
