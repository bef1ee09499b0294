//! Moves cells as Excel's cut and paste does: the cells are taken as they are, and formulas, names, formats, charts and
//! tables that refer to all of them follow.

use std::collections::BTreeMap;

use jig_file_api::ops::xlsx::{MoveColumns, MoveRange, MoveRows};
use serde_json::Value;

use super::attachments;
use super::cells::{column_at, letters};
use super::layout::{columns_like, filled, range_at};
use super::relocate::{
    self, check_arrays, check_pivots, check_size, clipped, covers, elements, merges, place_at, placed, reprefixed,
};
use super::rewrite_references::{self, Report, Rewriter};
use super::rows;
use super::stale::Stale;
use super::{WorkbookEdit, calc_chain, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xlsx::formula::{Axis, Edit, EditKind, MovedCells, ParsedFormula, follow_move, same_sheet};
use crate::xlsx::sheet::markup::attrs;
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xlsx::workbook_part::WorkbookPart;
use crate::xml::{Node, Ns, Splice};

/// Moves cells to another place.
pub(super) fn move_range(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &MoveRange) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let given = range_at(&op.range, &input.at("range"))?;
    let (named, to) = place_at(&op.to, &input.at("to"))?;
    let to_sheet = target_sheet(input, named, op.to_sheet.as_deref(), &op.sheet)?;
    let (to_place, to_part) = editor.grid(input, "to_sheet", &to_sheet)?;
    editor.flush()?;
    let from = clipped(editor, &part, given)?.unwrap_or_else(|| CellRange::from(given.start()));
    let from = if is_lines(given) { from } else { given };
    check_size(input, "range", from)?;
    let name = |place: usize| editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let moved = MovedCells { from_sheet: name(place), from, to_sheet: name(to_place), to: to.start(), lines: None };
    let target = target_of(input, &moved)?;
    if to.cells() > 1 && (to.rows(), to.columns()) != (from.rows(), from.columns()) {
        let why = format!("{to} has another size than {from}; give its first cell");
        return Err(input.error("to", why).suggest([to.start().to_string()]).into());
    }
    if to_part == part && moved.to == from.start() {
        let summary = format!("{from} on {} is there already.", moved.from_sheet);
        return Ok(OpReport::new(input, summary).with("sheet", moved.from_sheet).with("range", from.to_string()));
    }
    check(editor, input, &part, &to_part, &moved, target)?;
    if op.overwrite != Some(true) {
        let lost = filled(editor, &to_part, target)?;
        let lost: Vec<CellRef> = lost.into_iter().filter(|cell| to_part != part || !from.contains(*cell)).collect();
        if !lost.is_empty() {
            let list = listed(lost.iter(), 8);
            let why = format!("the new place {target} holds values ({list}); set `overwrite` to replace them");
            return Err(input.error("to", why).into());
        }
    }
    let count = carry(editor, &part, &to_part, &moved)?;
    let where_to = if same_sheet(&moved.from_sheet, &moved.to_sheet) {
        target.to_string()
    } else {
        format!("{}!{target}", moved.to_sheet)
    };
    let summary = format!("Moved {from} on {} to {where_to}.", moved.from_sheet);
    let change = OpReport::new(input, summary).with("sheet", moved.from_sheet.clone()).with("range", from.to_string());
    let change = change.with("to", target.to_string()).with("cells", count);
    Ok(if to_part == part { change } else { change.with("to_sheet", moved.to_sheet) })
}

/// Whole rows or columns.
fn is_lines(range: CellRange) -> bool {
    range.rows() == MAX_ROW || range.columns() == MAX_COLUMN
}

/// The sheet of the new place, which may be given beside it or in front of it.
pub(super) fn target_sheet(
    input: &OpInput,
    named: Option<String>,
    given: Option<&str>,
    own: &str,
) -> Result<String, EditError> {
    match (named, given) {
        (Some(named), Some(given)) if !same_sheet(&named, given) => {
            Err(input.error("to", format!("it names the sheet `{named}`, and `to_sheet` is `{given}`; give one")))
        }
        (Some(named), _) => Ok(named),
        (None, given) => Ok(given.unwrap_or(own).to_owned()),
    }
}

fn target_of(input: &OpInput, moved: &MovedCells) -> Result<CellRange, EditError> {
    moved.target().ok_or_else(|| {
        let why = format!("{} does not fit there: the sheet ends at XFD{MAX_ROW}", moved.from);
        input.error("to", why)
    })
}

/// Refuses, like Excel, moves that cut through array formulas, merged areas, tables and pivots.
fn check(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    to_part: &str,
    moved: &MovedCells,
    target: CellRange,
) -> Result<(), Error> {
    let from = moved.from;
    check_arrays(editor, input, "range", part, from, true)?;
    check_arrays(editor, input, "to", to_part, target, part == to_part)?;
    check_pivots(editor, input, "range", part, from)?;
    check_pivots(editor, input, "to", to_part, target)?;
    for area in merges(editor, part)?.into_iter().filter(|area| area.intersection(from).is_some()) {
        if !covers(from, area) {
            let why = format!("{from} cuts through the merged area {area}");
            return Err(input.error("range", why).suggest([area.to_string()]).into());
        }
    }
    let stays = |area: &CellRange| part != to_part || !covers(from, *area);
    let merged = merges(editor, to_part)?;
    if let Some(area) = merged.into_iter().filter(stays).find(|area| area.intersection(target).is_some()) {
        let why = format!("the new place {target} overlaps the merged area {area}; unmerge that first");
        return Err(input.error("to", why).suggest([area.to_string()]).into());
    }
    for (name, area) in relocate::tables(editor, part)?.into_iter().filter(|(_, a)| a.intersection(from).is_some()) {
        if covers(from, area) && part != to_part {
            let why = format!("the table {name} ({area}) cannot be moved to another sheet; copy its cells instead");
            return Err(input.error("range", why).into());
        }
        let is_header = from.start().row() <= area.start().row();
        if !covers(from, area) && is_header {
            let why = format!("{from} cuts through the table {name} ({area})");
            return Err(input.error("range", why).suggest([area.to_string()]).into());
        }
    }
    for (name, area) in relocate::tables(editor, to_part)?.into_iter().filter(|(_, a)| a.intersection(target).is_some())
    {
        let moves_along = part == to_part && covers(from, area);
        if !moves_along && target.start().row() <= area.start().row() {
            let why = format!("the new place {target} covers the header of the table {name} ({area})");
            return Err(input.error("to", why).into());
        }
    }
    Ok(())
}

/// Takes the cells to their new place; everything that refers to them follows. Returns how many cells moved.
fn carry(editor: &mut WorkbookEdit<'_>, part: &str, to_part: &str, moved: &MovedCells) -> Result<usize, Error> {
    let target = moved.target();
    let areas: Vec<CellRange> = std::iter::once(moved.from).chain(target).collect();
    relocate::unshare(editor, part, &areas)?;
    relocate::unshare(editor, to_part, &areas)?;
    let mut report = Report::default();
    let rewriter = Rewriter::Move(moved);
    let stale = Stale::new(editor, &rewriter);
    for place in 0..editor.book.sheets.len() {
        rewrite_references::sheet(editor, place, &stale, &mut report)?;
    }
    rewrite_references::around(editor, &rewriter, &mut report)?;
    let found = elements(editor, part, moved.from)?;
    let prefixes = {
        let own = relocate::prefix_of(editor.sheet(part)?);
        (own, relocate::prefix_of(editor.sheet(to_part)?))
    };
    let mut arriving: BTreeMap<CellRef, String> = BTreeMap::new();
    let mut dirty = Vec::new();
    for (at, element) in &found {
        let Some(to) = moved.place_of(*at) else { continue };
        let formula = relocate::formula_text(element, *at).map(ParsedFormula::parse);
        let text = formula.as_ref().and_then(|parsed| {
            if stale.changes(parsed, &moved.from_sheet, *at) {
                dirty.push(to);
            }
            let rewritten = follow_move(parsed, &moved.from_sheet, true, moved);
            report.take(rewritten, || format!("{}!{to}", moved.to_sheet))
        });
        let element = placed(element, *at, to, text.as_deref());
        arriving.insert(to, reprefixed(&element, &prefixes.0, &prefixes.1));
    }
    let count = arriving.len();
    let overwritten = overwritten_tables(editor, part, to_part, moved)?;
    if overwritten {
        dirty.extend(arriving.keys().copied());
    }
    if part == to_part {
        let mut all = BTreeMap::new();
        let present = elements(editor, part, target.unwrap_or(moved.from))?;
        for at in found.keys().chain(present.keys()) {
            all.entry(*at).or_insert_with(String::new);
        }
        all.append(&mut arriving);
        relocate::put(editor, part, all)?;
    } else {
        let leaving = found.keys().map(|at| (*at, String::new())).collect();
        let present = elements(editor, to_part, target.unwrap_or(moved.from))?;
        let mut all: BTreeMap<CellRef, String> = present.into_keys().map(|at| (at, String::new())).collect();
        all.append(&mut arriving);
        relocate::put(editor, part, leaving)?;
        relocate::put(editor, to_part, all)?;
    }
    editor.dirty.entry(to_part.to_owned()).or_default().extend(dirty);
    frames(editor, part, to_part, moved)?;
    calc_chain::remove(&mut editor.package, &editor.book)?;
    editor.book = WorkbookPart::read(&editor.package)?;
    report.warn(&mut editor.warnings);
    Ok(count)
}

/// Whether cells of a table that does not move are overwritten.
fn overwritten_tables(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    to_part: &str,
    moved: &MovedCells,
) -> Result<bool, Error> {
    let target = moved.target();
    let tables = relocate::tables(editor, to_part)?;
    Ok(tables.into_iter().any(|(_, area)| {
        let stays = part != to_part || moved.range_of(area).is_none();
        stays && target.is_some_and(|target| target.intersection(area).is_some())
    }))
}

/// Moves what belongs to the cells on their sheet: merged areas, rules, links, notes, tables.
fn frames(editor: &mut WorkbookEdit<'_>, part: &str, to_part: &str, moved: &MovedCells) -> Result<(), Error> {
    if part != to_part {
        return to_other_sheet(editor, part, to_part, moved);
    }
    editor.edit_frame(part, |root, splice| {
        ranges_in(root, splice, moved);
        Ok(())
    })?;
    let tables = Relationships::read(&editor.package, part)?;
    for found in tables.of_kind("table").filter_map(|found| found.part.clone()) {
        if editor.package.has(&found) {
            attachments::edit_part(editor, &found, |root, splice| {
                set_range(root, "ref", splice, moved);
                ranges_in(root, splice, moved);
            })?;
        }
    }
    editor.forget_tables();
    let target = moved.target();
    attachments::relocate(editor, part, &|at| match moved.place_of(at) {
        Some(new) => Some(new),
        None if target.is_some_and(|target| target.contains(at)) => None,
        None => Some(at),
    })
}

/// Moves every range whose cells all move.
fn ranges_in(root: Node<'_>, splice: &mut Splice<'_>, moved: &MovedCells) {
    for node in root.descendants().filter(|node| node.is_element()) {
        match (node.ns(), node.local()) {
            (_, "selection" | "sheetData" | "dimension" | "hyperlink") => {}
            (Ns::Xm, "sqref") => {
                let old = node.text();
                if let Some(new) = moved_list(&old, moved) {
                    splice.set_text(node, &new);
                }
            }
            (Ns::S | Ns::X14, _) => {
                set_range(node, "ref", splice, moved);
                set_range(node, "sqref", splice, moved);
            }
            _ => {}
        }
    }
}

fn set_range(node: Node<'_>, name: &str, splice: &mut Splice<'_>, moved: &MovedCells) {
    if let Some(new) = node.attr(name).and_then(|old| moved_list(&old, moved)) {
        splice.set_attr(node, name, &new);
    }
}

/// A list of ranges with those moved whose cells all move; none if it stays as it is.
fn moved_list(list: &str, moved: &MovedCells) -> Option<String> {
    let mut changed = false;
    let items = list.split_ascii_whitespace().map(|item| {
        let range = item.parse::<CellRange>().ok();
        let range = range.and_then(|range| moved.joined(range).or_else(|| moved.range_of(range)));
        match range {
            Some(range) => {
                changed = true;
                range.to_string()
            }
            None => item.to_owned(),
        }
    });
    let new = items.collect::<Vec<_>>().join(" ");
    changed.then_some(new)
}

/// Merged areas move to the other sheet; of rules, links and notes, which are kept in lists of their sheet, a warning
/// reports that they stay.
fn to_other_sheet(editor: &mut WorkbookEdit<'_>, part: &str, to_part: &str, moved: &MovedCells) -> Result<(), Error> {
    let areas: Vec<CellRange> = merges(editor, part)?.into_iter().filter(|area| covers(moved.from, *area)).collect();
    if !areas.is_empty() {
        super::layout::remove_merges(editor, part, &areas)?;
        let new: Vec<CellRange> = areas.iter().filter_map(|area| moved.range_of(*area)).collect();
        super::layout::add_merges(editor, to_part, &new)?;
    }
    let mut left: Vec<&str> = Vec::new();
    editor.edit_frame(part, |root, _| {
        let reaches = |node: Node<'_>| {
            let list = node.attr("sqref").or_else(|| node.attr("ref")).unwrap_or_default().into_owned();
            let mut ranges = list.split_ascii_whitespace().filter_map(|item| item.parse::<CellRange>().ok());
            ranges.any(|range| range.intersection(moved.from).is_some())
        };
        let kinds = [
            ("conditionalFormatting", "conditional formats"),
            ("dataValidation", "data validation"),
            ("hyperlink", "links"),
        ];
        for (local, name) in kinds {
            if root.descendants().any(|node| node.is_element() && node.local() == local && reaches(node)) {
                left.push(name);
            }
        }
        Ok(())
    })?;
    if super::comments::has_any(editor, part, moved.from)? {
        left.push("notes and comments");
    }
    if !left.is_empty() {
        let list = left.join(", ");
        editor.warnings.push(format!("{list} of the moved cells stay on {}", moved.from_sheet));
    }
    Ok(())
}

/// Moves rows before another row.
pub(super) fn move_rows(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &MoveRows) -> Result<OpReport, Error> {
    let lines = MovedLines { axis: Axis::Rows, from: op.row, count: op.count.unwrap_or(1), to: op.to };
    move_lines(editor, input, &op.sheet, &lines)
}

/// Moves columns before another column.
pub(super) fn move_columns(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &MoveColumns,
) -> Result<OpReport, Error> {
    let from = column_at(&op.column, &input.at("column"))?;
    let to = column_at(&op.to, &input.at("to"))?;
    let lines = MovedLines { axis: Axis::Columns, from, count: op.count.unwrap_or(1), to };
    move_lines(editor, input, &op.sheet, &lines)
}

/// Rows or columns that are moved before another one.
struct MovedLines {
    axis: Axis,
    from: u32,
    count: u32,
    to: u32,
}

impl MovedLines {
    fn name(&self, at: u32) -> String {
        match self.axis {
            Axis::Rows => at.to_string(),
            Axis::Columns => letters(at),
        }
    }

    /// As the op names it: a number for a row, letters for a column.
    fn value(&self, at: u32) -> Value {
        match self.axis {
            Axis::Rows => at.into(),
            Axis::Columns => letters(at).into(),
        }
    }

    fn word(&self) -> &'static str {
        match self.axis {
            Axis::Rows => "row",
            Axis::Columns => "column",
        }
    }

    /// All cells from one row or column on.
    fn range(&self, at: u32) -> Option<CellRange> {
        let last = at.checked_add(self.count - 1)?;
        let (start, end) = match self.axis {
            Axis::Rows => (CellRef::new(at, 1)?, CellRef::new(last, MAX_COLUMN)?),
            Axis::Columns => (CellRef::new(1, at)?, CellRef::new(MAX_ROW, last)?),
        };
        Some(CellRange::new(start, end))
    }
}

/// Inserts lines at the new place, moves the cells there, and deletes the old lines, as Excel inserts cut cells.
fn move_lines(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    sheet: &str,
    lines: &MovedLines,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", sheet)?;
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let MovedLines { axis, from, count, to } = *lines;
    let beyond = || input.error("count", "the sheet ends before the last of them");
    let own = lines.range(from).ok_or_else(beyond)?;
    let last = from + count - 1;
    let word = if count == 1 { lines.word().to_owned() } else { format!("{}s", lines.word()) };
    let report = |summary: String| {
        let change = OpReport::new(input, summary).with("sheet", name.clone());
        change.with(lines.word(), lines.value(from)).with("count", count).with("to", lines.value(to))
    };
    if (from..=last + 1).contains(&to) {
        return Ok(report(format!("The {word} on {name} are there already.")));
    }
    editor.flush()?;
    check_lines(editor, input, &part, own, lines)?;
    let edit = |kind, at| Edit { sheet: name.clone(), axis, kind, at, count };
    rows::shift(editor, input, place, &part, &edit(EditKind::Insert, to))?;
    let now = if to < from { from + count } else { from };
    let moved_from = lines.range(now).ok_or_else(beyond)?;
    let moved = MovedCells {
        from_sheet: name.clone(),
        from: moved_from,
        to_sheet: name.clone(),
        to: lines.range(to).ok_or_else(beyond)?.start(),
        lines: Some(axis),
    };
    copy_lines(editor, &part, lines, now)?;
    carry(editor, &part, &part, &moved)?;
    rows::shift(editor, input, place, &part, &edit(EditKind::Delete, now))?;
    let landed = if to < from { to } else { to - count };
    let summary = format!(
        "Moved {count} {word} ({} to {}) on {name} to {}.",
        lines.name(from),
        lines.name(last),
        lines.name(landed)
    );
    Ok(report(summary).with("now", lines.value(landed)))
}

/// Lines through a table can move within its data only; those through merged areas and arrays only with all of them.
fn check_lines(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    own: CellRange,
    lines: &MovedLines,
) -> Result<(), Error> {
    check_arrays(editor, input, lines.word(), part, own, true)?;
    check_pivots(editor, input, lines.word(), part, own)?;
    let across = |area: CellRange| match lines.axis {
        Axis::Rows => (area.start().row(), area.end().row()),
        Axis::Columns => (area.start().col(), area.end().col()),
    };
    for area in merges(editor, part)? {
        let (first, last) = across(area);
        let cuts = area.intersection(own).is_some() && !covers(own, area);
        if cuts || (lines.to > first && lines.to <= last) {
            let why = format!("this would cut through the merged area {area}; unmerge it first");
            return Err(input.error(lines.word(), why).suggest([area.to_string()]).into());
        }
    }
    for (name, area) in relocate::tables(editor, part)? {
        let inside = lines.to > area.start().col() && lines.to <= area.end().col();
        if lines.axis == Axis::Columns && inside && !covers(own, area) {
            let why = format!("column {} is inside the table {name} ({area})", letters(lines.to));
            return Err(input.error("to", why).into());
        }
    }
    for table in editor.tables(part)?.iter().filter(|table| table.range.intersection(own).is_some()) {
        if covers(own, table.range) {
            continue;
        }
        let top = table.range.start().row() + table.header_rows;
        let bottom = table.range.end().row().saturating_sub(table.totals_rows);
        let last = lines.from + lines.count - 1;
        let within = lines.axis == Axis::Rows
            && lines.from >= top
            && last <= bottom
            && lines.to > top
            && lines.to <= bottom
            && (lines.from > top || last < bottom);
        if !within {
            let why = format!(
                "the {}s cut through the table {} ({}); within a table, only rows of its data can be moved, \
                 between other rows of its data",
                lines.word(),
                table.name,
                table.range
            );
            return Err(input.error(lines.word(), why).into());
        }
    }
    Ok(())
}

/// Gives the new lines the heights, widths and formats of the old ones.
fn copy_lines(editor: &mut WorkbookEdit<'_>, part: &str, lines: &MovedLines, now: u32) -> Result<(), Error> {
    if lines.axis == Axis::Columns {
        return columns_like(editor, part, now, lines.to, lines.count);
    }
    editor.sheet(part)?;
    let mut found: Vec<(u32, Vec<(String, String)>)> = Vec::new();
    if let Some(state) = editor.loaded(part) {
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            let Piece::Row(row) = piece else { return Ok(()) };
            if (now..now + lines.count).contains(&row.number) {
                let kept = attrs(row.tag()).filter(|attr| !matches!(attr.name, b"r" | b"spans"));
                let kept = kept.map(|attr| {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    (text(attr.name), text(attr.value))
                });
                found.push((lines.to + (row.number - now), kept.collect()));
            }
            Ok(())
        })?;
    }
    let state = editor.sheet(part)?;
    for (row, attributes) in found.into_iter().filter(|(_, attributes)| !attributes.is_empty()) {
        state.row_edit(row).attributes = attributes;
    }
    editor.flush()
}
