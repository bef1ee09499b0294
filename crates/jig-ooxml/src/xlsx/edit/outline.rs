//! Rows and columns as such: hidden or shown, grouped under an outline.

use std::collections::BTreeMap;

use jig_file_api::ops::xlsx::{GroupColumns, GroupRows, HideColumns, HideRows, UngroupColumns, UngroupRows};
use serde_json::Value;

use super::WorkbookEdit;
use super::layout::{ColumnChange, MOST_ROWS, change_columns, column_elements};
use super::order::{WORKSHEET, insert_in_order};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, ColumnName, MAX_COLUMN, MAX_ROW, column_number, split_sheet};
use crate::xlsx::sheet::markup::{attr, number_attr};
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xml::Ns;

/// The deepest level of an outline.
const MOST_LEVELS: u8 = 7;

/// Rows as `3:8`, `3-8`, a number, or a list of rows that follow one another.
pub(super) fn rows_at(value: &Value, at: &str) -> Result<(u32, u32), EditError> {
    let wrong = || EditError::new(at, format!("rows are written `3:8`, or as a number from 1 to {MAX_ROW}"));
    lines_at(value, MAX_ROW, &|text| text.trim().trim_start_matches('$').parse::<u32>().ok()).ok_or_else(wrong)
}

/// Columns as `B:D`, `B`, a number from 1, or a list of columns that follow one another.
pub(super) fn columns_at(value: &Value, at: &str) -> Result<(u32, u32), EditError> {
    let wrong =
        || EditError::new(at, format!("columns are written `B:D` or `B`, or as a number from 1 to {MAX_COLUMN}"));
    let one = |text: &str| {
        let text = text.trim().trim_start_matches('$');
        column_number(text).or_else(|| text.parse::<u32>().ok())
    };
    lines_at(value, MAX_COLUMN, &one).ok_or_else(wrong)
}

fn lines_at(value: &Value, last: u32, one: &dyn Fn(&str) -> Option<u32>) -> Option<(u32, u32)> {
    let inside = |line: &u32| (1..=last).contains(line);
    match value {
        Value::Number(number) => {
            let line = number.as_u64().and_then(|line| u32::try_from(line).ok()).filter(inside)?;
            Some((line, line))
        }
        Value::String(text) => {
            let text = split_sheet(text).map_or(text.as_str(), |(_, cells)| cells);
            if let Some((first, second)) = text.split_once([':', '-']) {
                let (first, second) = (one(first).filter(inside), one(second).filter(inside));
                if let Some((a, b)) = first.zip(second) {
                    return Some((a.min(b), a.max(b)));
                }
                // A range of cells stands for its rows or columns.
                let range = text.trim().parse::<CellRange>().ok()?;
                return Some(match last {
                    MAX_ROW => (range.start().row(), range.end().row()),
                    _ => (range.start().col(), range.end().col()),
                });
            }
            let line = one(text).filter(inside)?;
            Some((line, line))
        }
        Value::Array(items) => {
            let mut pieces = items.iter().map(|item| lines_at(item, last, one)).collect::<Option<Vec<_>>>()?;
            pieces.sort_unstable();
            let (mut first, mut end) = *pieces.first()?;
            for (from, to) in pieces {
                if from > end.saturating_add(1) {
                    return None;
                }
                first = first.min(from);
                end = end.max(to);
            }
            Some((first, end))
        }
        _ => None,
    }
}

fn check_count(input: &OpInput, first: u32, last: u32) -> Result<(), EditError> {
    let count = last - first + 1;
    if count > MOST_ROWS {
        let why = format!("{count} rows; one op changes at most {MOST_ROWS} rows");
        return Err(input.error("rows", why));
    }
    Ok(())
}

/// What the sheet has of its rows.
#[derive(Clone, Copy, Default)]
struct RowFacts {
    level: u8,
    hidden: bool,
}

fn row_facts(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<BTreeMap<u32, RowFacts>, Error> {
    editor.sheet(part)?;
    let mut facts: BTreeMap<u32, RowFacts> = BTreeMap::new();
    let Some(state) = editor.loaded(part) else { return Ok(facts) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        if let Piece::Row(row) = piece {
            let level = number_attr(row.tag(), b"outlineLevel").and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
            let hidden = attr(row.tag(), b"hidden").is_some_and(|value| matches!(value, b"1" | b"true"));
            if level > 0 || hidden {
                facts.insert(row.number, RowFacts { level, hidden });
            }
        }
        Ok(())
    })?;
    for (row, edit) in &state.row_edits {
        let entry = facts.entry(*row).or_default();
        entry.level = edit.level.unwrap_or(entry.level);
        entry.hidden = edit.hidden.unwrap_or(entry.hidden);
    }
    Ok(facts)
}

/// Hides or shows rows.
pub(super) fn hide_rows(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &HideRows) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = rows_at(&op.rows, &input.at("rows"))?;
    check_count(input, first, last)?;
    let hidden = op.hidden != Some(false);
    let facts = row_facts(editor, &part)?;
    let state = editor.sheet(&part)?;
    let mut changed = 0;
    for row in first..=last {
        if facts.get(&row).copied().unwrap_or_default().hidden != hidden {
            state.row_edit(row).hidden = Some(hidden);
            changed += 1;
        }
    }
    Ok(lines_report(editor, input, place, if hidden { "Hid" } else { "Showed" }, "row", first, last)
        .with("hidden", hidden)
        .with("changed", changed))
}

/// Hides or shows columns.
pub(super) fn hide_columns(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &HideColumns,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = columns_at(&op.columns, &input.at("columns"))?;
    let hidden = op.hidden != Some(false);
    let known = column_elements(editor, &part)?;
    // Columns without an element are shown.
    let any = known.iter().any(|(min, max, _)| *min <= last && *max >= first);
    if hidden || any {
        change_columns(editor, &part, vec![(first, last, ColumnChange::Hidden(hidden))])?;
    }
    Ok(lines_report(editor, input, place, if hidden { "Hid" } else { "Showed" }, "column", first, last)
        .with("hidden", hidden))
}

fn lines_report(
    editor: &WorkbookEdit<'_>,
    input: &OpInput,
    place: usize,
    verb: &str,
    word: &str,
    first: u32,
    last: u32,
) -> OpReport {
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let name = |line: u32| if word == "row" { line.to_string() } else { ColumnName(line).to_string() };
    let list = format!("{}:{}", name(first), name(last));
    let shown = if first == last { format!("{word} {}", name(first)) } else { format!("{word}s {list}") };
    OpReport::new(input, format!("{verb} {shown} of {sheet}.")).with("sheet", sheet).with(&format!("{word}s"), list)
}

/// Groups rows one level deeper.
pub(super) fn group_rows(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &GroupRows) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = rows_at(&op.rows, &input.at("rows"))?;
    check_count(input, first, last)?;
    let facts = row_facts(editor, &part)?;
    let level = |row: u32| facts.get(&row).map_or(0, |facts| facts.level);
    let deepest = (first..=last).map(level).max().unwrap_or(0) + 1;
    if deepest > MOST_LEVELS {
        return Err(input.error("rows", format!("an outline has at most {MOST_LEVELS} levels")).into());
    }
    let collapsed = op.collapsed == Some(true);
    let state = editor.sheet(&part)?;
    for row in first..=last {
        let edit = state.row_edit(row);
        edit.level = Some(level(row) + 1);
        if collapsed {
            edit.hidden = Some(true);
        }
    }
    if collapsed && last < MAX_ROW {
        state.row_edit(last + 1).collapsed = Some(true);
    }
    let deepest = facts.values().map(|facts| facts.level).max().unwrap_or(0).max(deepest);
    outline_depth(editor, &part, "outlineLevelRow", deepest)?;
    Ok(lines_report(editor, input, place, "Grouped", "row", first, last).with("collapsed", collapsed))
}

/// Takes rows out of their innermost group.
pub(super) fn ungroup_rows(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &UngroupRows,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = rows_at(&op.rows, &input.at("rows"))?;
    let mut facts = row_facts(editor, &part)?;
    let grouped: Vec<u32> =
        facts.range(first..=last).filter(|(_, facts)| facts.level > 0).map(|(row, _)| *row).collect();
    if grouped.is_empty() {
        return Err(input.error("rows", format!("none of the rows {first} to {last} is in a group")).into());
    }
    let state = editor.sheet(&part)?;
    for row in &grouped {
        let entry = facts.entry(*row).or_default();
        entry.level -= 1;
        let edit = state.row_edit(*row);
        edit.level = Some(entry.level);
        // Rows of a collapsed group would have no button left to show them.
        if entry.level == 0 && entry.hidden {
            edit.hidden = Some(false);
        }
    }
    if last < MAX_ROW && state.rows.contains(last + 1) {
        state.row_edit(last + 1).collapsed = Some(false);
    }
    let deepest = facts.values().map(|facts| facts.level).max().unwrap_or(0);
    outline_depth(editor, &part, "outlineLevelRow", deepest)?;
    Ok(lines_report(editor, input, place, "Ungrouped", "row", first, last).with("changed", grouped.len()))
}

/// The levels of columns, by their elements.
fn column_levels(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Vec<(u32, u32, u8, bool)>, Error> {
    let known = column_elements(editor, part)?;
    let levels = known.into_iter().map(|(min, max, element)| {
        let level = element.number("outlineLevel").and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
        let hidden = element.attr("hidden").is_some_and(|hidden| matches!(hidden, "1" | "true"));
        (min, max.min(MAX_COLUMN), level, hidden)
    });
    Ok(levels.collect())
}

/// Groups columns one level deeper.
pub(super) fn group_columns(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &GroupColumns,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = columns_at(&op.columns, &input.at("columns"))?;
    let levels = column_levels(editor, &part)?;
    let level = |column: u32| levels.iter().find(|(min, max, ..)| (*min..=*max).contains(&column)).map_or(0, |l| l.2);
    let deepest = (first..=last).map(level).max().unwrap_or(0) + 1;
    if deepest > MOST_LEVELS {
        return Err(input.error("columns", format!("an outline has at most {MOST_LEVELS} levels")).into());
    }
    let collapsed = op.collapsed == Some(true);
    let mut changes: Vec<(u32, u32, ColumnChange)> =
        runs(first, last, &level).into_iter().map(|(a, b, l)| (a, b, ColumnChange::Level(l + 1))).collect();
    if collapsed {
        changes.push((first, last, ColumnChange::Hidden(true)));
        if last < MAX_COLUMN {
            changes.push((last + 1, last + 1, ColumnChange::Collapsed(true)));
        }
    }
    change_columns(editor, &part, changes)?;
    let deepest = levels.iter().map(|(_, _, level, _)| *level).max().unwrap_or(0).max(deepest);
    outline_depth(editor, &part, "outlineLevelCol", deepest)?;
    Ok(lines_report(editor, input, place, "Grouped", "column", first, last).with("collapsed", collapsed))
}

/// Columns of one level that follow one another.
fn runs(first: u32, last: u32, level: &dyn Fn(u32) -> u8) -> Vec<(u32, u32, u8)> {
    let mut found: Vec<(u32, u32, u8)> = Vec::new();
    for column in first..=last {
        let own = level(column);
        match found.last_mut() {
            Some((_, end, known)) if *known == own => *end = column,
            _ => found.push((column, column, own)),
        }
    }
    found
}

/// Takes columns out of their innermost group.
pub(super) fn ungroup_columns(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &UngroupColumns,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let (first, last) = columns_at(&op.columns, &input.at("columns"))?;
    let levels = column_levels(editor, &part)?;
    let of = |column: u32| {
        levels.iter().find(|(min, max, ..)| (*min..=*max).contains(&column)).map_or((0, false), |l| (l.2, l.3))
    };
    let grouped: Vec<u32> = (first..=last).filter(|column| of(*column).0 > 0).collect();
    if grouped.is_empty() {
        let (first, last) = (ColumnName(first), ColumnName(last));
        return Err(input.error("columns", format!("none of the columns {first} to {last} is in a group")).into());
    }
    let mut changes = Vec::new();
    for column in &grouped {
        let (level, hidden) = of(*column);
        changes.push((*column, *column, ColumnChange::Level(level - 1)));
        if level == 1 && hidden {
            changes.push((*column, *column, ColumnChange::Hidden(false)));
        }
    }
    if last < MAX_COLUMN && levels.iter().any(|(min, max, ..)| (*min..=*max).contains(&(last + 1))) {
        changes.push((last + 1, last + 1, ColumnChange::Collapsed(false)));
    }
    change_columns(editor, &part, changes)?;
    let levels = column_levels(editor, &part)?;
    let deepest = levels.iter().map(|(_, _, level, _)| *level).max().unwrap_or(0);
    outline_depth(editor, &part, "outlineLevelCol", deepest)?;
    Ok(lines_report(editor, input, place, "Ungrouped", "column", first, last).with("changed", grouped.len()))
}

/// Tells Excel how many levels the outline has, so that it leaves room for their buttons.
fn outline_depth(editor: &mut WorkbookEdit<'_>, part: &str, name: &str, depth: u8) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        match root.child(Ns::S, "sheetFormatPr") {
            Some(node) if depth == 0 => splice.remove_attr(node, name),
            Some(node) => splice.set_attr(node, name, &depth.to_string()),
            None if depth == 0 => {}
            None => {
                let markup = format!("<{}sheetFormatPr defaultRowHeight=\"15\" {name}=\"{depth}\"/>", root.prefix());
                insert_in_order(splice, root, "sheetFormatPr", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_and_columns_are_written_in_many_ways() {
        let rows = |value: Value| rows_at(&value, "rows").ok();
        assert_eq!(rows(json!("3:8")), Some((3, 8)));
        assert_eq!(rows(json!("8-3")), Some((3, 8)));
        assert_eq!(rows(json!(3)), Some((3, 3)));
        assert_eq!(rows(json!([3, 4, "5:6"])), Some((3, 6)));
        assert_eq!(rows(json!([3, 5])), None);
        assert_eq!(rows(json!("A3:C8")), Some((3, 8)));
        assert_eq!(rows(json!(0)), None);
        assert_eq!(rows(json!("1:1048577")), None);
        let columns = |value: Value| columns_at(&value, "columns").ok();
        assert_eq!(columns(json!("B:D")), Some((2, 4)));
        assert_eq!(columns(json!("$D")), Some((4, 4)));
        assert_eq!(columns(json!(["A", "B"])), Some((1, 2)));
        assert_eq!(columns(json!("XFE")), None);
        assert_eq!(columns(json!(3)), Some((3, 3)));
    }
}
