//! Ops on the frame of a sheet: widths, heights, panes, merged cells, number formats.

use std::collections::BTreeMap;
use std::rc::Rc;

use jig_file_api::ops::xlsx::{FreezePanes, MergeCells, SetColumnWidths, SetNumberFormat, SetRowHeights, UnmergeCells};

use super::cells::{column_at, letters};
use super::order::{WORKSHEET, insert_in_order};
use super::sheet::{CellEdit, SheetState};
use super::styles::{Element, StylePatch};
use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, cells_of, listed, reach};
use crate::edit::{EditError, OpInput, OpReport, overlap};
use crate::error::Error;
use crate::limits::Limits;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xml::{Node, Ns, Splice};

/// Sets the widths of columns, in characters.
pub(super) fn set_column_widths(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: SetColumnWidths,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let mut widths = BTreeMap::new();
    for (index, entry) in op.columns.iter().enumerate() {
        let column = column_at(&entry.column, &input.at(&format!("columns[{index}].column")))?;
        widths.insert(column, entry.width);
    }
    editor.edit_frame(&part, |root, splice| {
        set_columns(root, splice, widths.iter().map(|(col, width)| (*col, *col, ColumnChange::Width(*width))));
        Ok(())
    })?;
    let list = listed(widths.keys().map(|column| letters(*column)), 10);
    let summary = match widths.len() {
        0 => format!("No column widths to set on {}.", op.sheet),
        1 => format!("Set the width of column {list} on {}.", op.sheet),
        count => format!("Set the widths of {count} columns on {} ({list}).", op.sheet),
    };
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("columns", widths.len()))
}

/// A change of columns.
#[derive(Debug, Clone)]
pub(super) enum ColumnChange {
    Width(f64),
    /// A width that fits the content.
    Fit(f64),
    Format(u32),
    Hidden(bool),
    /// The outline level; 0 for none.
    Level(u8),
    /// Whether the group that ends before the column is collapsed.
    Collapsed(bool),
    /// The attributes of another column; none for one without any.
    Like(Option<Element>),
}

impl ColumnChange {
    fn make(&self, column: &mut Element) {
        let flag = |column: &mut Element, name: &str, on: bool| match on {
            true => column.set(name, "1"),
            false => column.unset(name),
        };
        match self {
            Self::Width(width) => {
                column.set("width", width.to_string());
                column.set("customWidth", "1");
                column.unset("bestFit");
            }
            Self::Fit(width) => {
                column.set("width", width.to_string());
                column.set("customWidth", "1");
                column.set("bestFit", "1");
            }
            Self::Format(format) => column.set("style", format.to_string()),
            Self::Hidden(hidden) => flag(column, "hidden", *hidden),
            Self::Level(0) => column.unset("outlineLevel"),
            Self::Level(level) => column.set("outlineLevel", level.to_string()),
            Self::Collapsed(collapsed) => flag(column, "collapsed", *collapsed),
            Self::Like(Some(other)) => *column = other.clone(),
            Self::Like(None) => {
                for name in ["width", "customWidth", "style", "hidden", "outlineLevel", "collapsed", "bestFit"] {
                    column.unset(name);
                }
            }
        }
        if column.attr("width").is_none() {
            column.set("width", "9.140625");
        }
    }
}

/// Records changes of columns in the sheet's frame.
pub(super) fn change_columns(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    changes: Vec<(u32, u32, ColumnChange)>,
) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        set_columns(root, splice, changes.into_iter());
        Ok(())
    })
}

/// The columns that have an element, with it.
pub(super) fn column_elements(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<Vec<(u32, u32, Element)>, Error> {
    let limits = *editor.package.limits();
    let frame = editor.sheet(part)?.frame_part();
    let tree = frame.tree(&limits)?;
    let list = tree.root().child(Ns::S, "cols");
    let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "col"));
    let columns = nodes.filter_map(|node| {
        let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
        Some((number("min")?, number("max")?, Element::of(node)))
    });
    Ok(columns.collect())
}

/// Gives columns the widths and formats of others.
pub(super) fn columns_like(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    from: u32,
    to: u32,
    count: u32,
) -> Result<(), Error> {
    let known = column_elements(editor, part)?;
    let of = |column: u32| known.iter().find(|(min, max, _)| (*min..=*max).contains(&column)).map(|(.., e)| e.clone());
    let changes = (0..count).filter_map(|step| {
        let like = of(from + step);
        // Neither has an element: nothing to change.
        (like.is_some() || of(to + step).is_some()).then(|| (to + step, to + step, ColumnChange::Like(like)))
    });
    let changes = changes.collect();
    change_columns(editor, part, changes)
}

/// Changes columns; elements that cover more than the changed columns are split.
fn set_columns(root: Node<'_>, splice: &mut Splice<'_>, changes: impl Iterator<Item = (u32, u32, ColumnChange)>) {
    let prefix = root.prefix();
    let list = root.child(Ns::S, "cols");
    let mut pieces: Vec<(u32, u32, Element, Option<String>)> = Vec::new();
    for node in list.into_iter().flat_map(|list| list.children_named(Ns::S, "col")) {
        let number = |name: &str| node.attr(name).and_then(|value| value.trim().parse::<u32>().ok());
        let (Some(min), Some(max)) = (number("min"), number("max")) else { continue };
        pieces.push((min, max.max(min).min(MAX_COLUMN), Element::of(node), Some(node.source().to_owned())));
    }
    for (first, last, change) in changes {
        let mut next = Vec::with_capacity(pieces.len() + 2);
        let mut open = vec![(first, last)];
        for (min, max, element, source) in pieces {
            let (from, to) = (min.max(first), max.min(last));
            if from > to {
                next.push((min, max, element, source));
                continue;
            }
            if min < from {
                next.push((min, from - 1, element.clone(), None));
            }
            let mut changed = element.clone();
            change.make(&mut changed);
            next.push((from, to, changed, None));
            if max > to {
                next.push((to + 1, max, element, None));
            }
            open = open.into_iter().flat_map(|gap| without(gap, (from, to))).collect();
        }
        for (from, to) in open {
            let mut element = Element::new(format!("{prefix}col")).with("min", "").with("max", "");
            change.make(&mut element);
            next.push((from, to, element, None));
        }
        next.sort_by_key(|(min, ..)| *min);
        pieces = next;
    }
    let inner: String = pieces
        .into_iter()
        .map(|(min, max, mut element, source)| {
            source.unwrap_or_else(|| {
                element.set("min", min.to_string());
                element.set("max", max.to_string());
                element.markup()
            })
        })
        .collect();
    match list {
        Some(list) => splice.set_inner(list, inner),
        None if inner.is_empty() => {}
        None => {
            let markup = format!("<{prefix}cols>{inner}</{prefix}cols>");
            insert_in_order(splice, root, "cols", &markup, &WORKSHEET);
        }
    }
}

/// A gap without a piece that was found in it.
fn without(gap: (u32, u32), piece: (u32, u32)) -> Vec<(u32, u32)> {
    let left = (gap.0, gap.1.min(piece.0.saturating_sub(1)));
    let right = (gap.0.max(piece.1 + 1), gap.1);
    let whole = piece.1 < gap.0 || piece.0 > gap.1;
    if whole { vec![gap] } else { [left, right].into_iter().filter(|(from, to)| from <= to).collect() }
}

/// Sets the heights of rows, in points.
pub(super) fn set_row_heights(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: SetRowHeights,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let heights: BTreeMap<u32, f64> = op.rows.iter().map(|entry| (entry.row, entry.height)).collect();
    let summary = match heights.len() {
        0 => format!("No row heights to set on {}.", op.sheet),
        1 => format!("Set the height of row {} on {}.", listed(heights.keys(), 1), op.sheet),
        count => format!("Set the heights of {count} rows on {} ({}).", op.sheet, listed(heights.keys(), 10)),
    };
    let count = heights.len();
    let state = editor.sheet(&part)?;
    for (row, height) in heights {
        state.row_edit(row).height = Some(height);
    }
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("rows", count))
}

/// Freezes the rows above and the columns left of a cell, counted from 0.
pub(super) fn freeze_panes(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: FreezePanes) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let (row, column) = (op.row.unwrap_or(0), op.column.unwrap_or(0));
    if row >= MAX_ROW {
        return Err(input.error("row", format!("at most {} rows can be frozen", MAX_ROW - 1)).into());
    }
    let Some(corner) = CellRef::new(row + 1, column.saturating_add(1)) else {
        return Err(input.error("column", format!("at most {} columns can be frozen", MAX_COLUMN - 1)).into());
    };
    editor.edit_frame(&part, |root, splice| {
        set_panes(root, splice, row, column, corner);
        Ok(())
    })?;
    let summary = match (row, column) {
        (0, 0) => format!("Unfroze the panes of {}.", op.sheet),
        _ => format!("Froze {row} row(s) and {column} column(s) on {}.", op.sheet),
    };
    let change = OpReport::new(input, summary).with("sheet", op.sheet).with("row", row).with("column", column);
    Ok(change.with("top_left_cell", corner.to_string()))
}

fn set_panes(root: Node<'_>, splice: &mut Splice<'_>, row: u32, column: u32, corner: CellRef) {
    let prefix = root.prefix();
    let (pane, panes) = pane_markup(prefix, row, column, corner);
    let Some(views) = root.child(Ns::S, "sheetViews") else {
        if !pane.is_empty() {
            let markup = format!(
                "<{prefix}sheetViews><{prefix}sheetView workbookViewId=\"0\">{pane}{}</{prefix}sheetView></{prefix}sheetViews>",
                selections(prefix, &panes, None)
            );
            insert_in_order(splice, root, "sheetViews", &markup, &WORKSHEET);
        }
        return;
    };
    let Some(view) = views.child(Ns::S, "sheetView") else {
        if !pane.is_empty() {
            let markup = format!("<{prefix}sheetView workbookViewId=\"0\">{pane}</{prefix}sheetView>");
            splice.prepend(views, markup);
        }
        return;
    };
    let old = view.children_named(Ns::S, "selection").last();
    let kept = old.map(|node| {
        let text = |name: &str| node.attr(name).map(std::borrow::Cow::into_owned);
        (text("activeCell"), text("sqref"))
    });
    for node in view.elements().filter(|node| node.is(Ns::S, "pane") || node.is(Ns::S, "selection")) {
        splice.remove(node);
    }
    let selections = selections(prefix, &panes, kept);
    // A scroll position further down would hide the frozen rows.
    if !pane.is_empty() && view.attr("topLeftCell").is_some() {
        splice.remove_attr(view, "topLeftCell");
    }
    splice.prepend(view, format!("{pane}{selections}"));
}

fn pane_markup(prefix: &str, row: u32, column: u32, corner: CellRef) -> (String, Vec<&'static str>) {
    let (active, panes) = match (row, column) {
        (0, 0) => return (String::new(), Vec::new()),
        (_, 0) => ("bottomLeft", vec!["bottomLeft"]),
        (0, _) => ("topRight", vec!["topRight"]),
        _ => ("bottomRight", vec!["topRight", "bottomLeft", "bottomRight"]),
    };
    let split = |name: &str, count: u32| if count > 0 { format!(" {name}=\"{count}\"") } else { String::new() };
    let (x, y) = (split("xSplit", column), split("ySplit", row));
    (format!("<{prefix}pane{x}{y} topLeftCell=\"{corner}\" activePane=\"{active}\" state=\"frozen\"/>"), panes)
}

/// One selection for each pane; the last pane is active and keeps the old selection.
fn selections(prefix: &str, panes: &[&str], kept: Option<(Option<String>, Option<String>)>) -> String {
    let (active, sqref) = kept.unwrap_or((None, None));
    let attr = |name: &str, value: &Option<String>| match value {
        Some(value) => format!(" {name}=\"{}\"", crate::xml::escape_attribute(value)),
        None => String::new(),
    };
    let selected = format!("{}{}", attr("activeCell", &active), attr("sqref", &sqref));
    match panes.split_last() {
        None if selected.is_empty() => String::new(),
        None => format!("<{prefix}selection{selected}/>"),
        Some((last, others)) => {
            let others: String = others.iter().map(|pane| format!("<{prefix}selection pane=\"{pane}\"/>")).collect();
            format!("{others}<{prefix}selection pane=\"{last}\"{selected}/>")
        }
    }
}

/// Merges a range, or with `unmerge` splits all merged areas in it.
pub(super) fn merge_cells(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: MergeCells) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    editor.sheet(&part)?;
    let merges = editor.loaded(&part).map(|state| state.merges(&editor.package)).transpose()?.unwrap_or_default();
    if op.unmerge == Some(true) {
        return unmerge(editor, input, &part, &op.sheet, range, &merges);
    }
    if range.cells() < 2 {
        return Err(input.error("range", format!("{range} is a single cell; merging needs at least two")).into());
    }
    if merges.contains(&range) {
        let summary = format!("{range} on {} was merged already.", op.sheet);
        return Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("range", range.to_string()));
    }
    if let Some(other) = merges.iter().find(|merge| merge.intersection(range).is_some()) {
        let why = format!("{range} overlaps the merged area {other}; unmerge that first");
        return Err(input.error("range", why).suggest([other.to_string()]).into());
    }
    if let Some(table) = editor.tables(&part)?.iter().find(|table| table.range.intersection(range).is_some()) {
        let why =
            format!("{range} overlaps the table {} ({}); cells of tables cannot be merged", table.name, table.range);
        return Err(input.error("range", why).into());
    }
    clear_covered(editor, input, &part, range)?;
    add_merges(editor, &part, &[range])?;
    let summary = format!("Merged {range} on {}.", op.sheet);
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("range", range.to_string()))
}

/// Adds merged areas to the sheet's list.
pub(super) fn add_merges(editor: &mut WorkbookEdit<'_>, part: &str, areas: &[CellRange]) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        let prefix = root.prefix();
        let merges: String = areas.iter().map(|area| format!("<{prefix}mergeCell ref=\"{area}\"/>")).collect();
        match root.child(Ns::S, "mergeCells") {
            Some(list) => {
                splice.append(list, merges);
                if list.attr("count").is_some() {
                    let count = list.children_named(Ns::S, "mergeCell").count() + areas.len();
                    splice.set_attr(list, "count", &count.to_string());
                }
            }
            None => {
                let count = areas.len();
                let markup = format!("<{prefix}mergeCells count=\"{count}\">{merges}</{prefix}mergeCells>");
                insert_in_order(splice, root, "mergeCells", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })
}

/// Removes merged areas from the sheet's list.
pub(super) fn remove_merges(editor: &mut WorkbookEdit<'_>, part: &str, areas: &[CellRange]) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        let Some(list) = root.child(Ns::S, "mergeCells") else { return Ok(()) };
        let nodes: Vec<Node<'_>> = list.children_named(Ns::S, "mergeCell").collect();
        let is_one = |node: &&Node<'_>| {
            let own = node.attr("ref").and_then(|text| text.parse::<CellRange>().ok());
            own.is_some_and(|own| areas.contains(&own))
        };
        let gone: Vec<&Node<'_>> = nodes.iter().filter(is_one).collect();
        if gone.len() == nodes.len() {
            splice.remove(list);
            return Ok(());
        }
        gone.iter().for_each(|node| splice.remove(**node));
        if list.attr("count").is_some() {
            splice.set_attr(list, "count", &(nodes.len() - gone.len()).to_string());
        }
        Ok(())
    })
}

/// A merged area shows its first cell only; as in Excel, the others lose their values.
fn clear_covered(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, range: CellRange) -> Result<(), Error> {
    let covered: Vec<CellRef> = filled(editor, part, range)?.into_iter().filter(|at| *at != range.start()).collect();
    if covered.is_empty() {
        return Ok(());
    }
    let list = listed(covered.iter(), 10);
    editor.warnings.push(format!("{}: values under the merged area were cleared: {list}", input.at("range")));
    let clear = |at: CellRef| CellWrite { at, value: Some(NewValue::Blank), patch: None, field: input.at("range") };
    editor.write_cells(input, part, covered.into_iter().map(clear).collect())?;
    Ok(())
}

/// Splits all merged areas that reach into a range.
pub(super) fn unmerge_cells(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &UnmergeCells,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    editor.sheet(&part)?;
    let merges = editor.loaded(&part).map(|state| state.merges(&editor.package)).transpose()?.unwrap_or_default();
    unmerge(editor, input, &part, &op.sheet, range, &merges)
}

fn unmerge(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    sheet: &str,
    range: CellRange,
    merges: &[CellRange],
) -> Result<OpReport, Error> {
    let hit: Vec<&CellRange> = merges.iter().filter(|merge| merge.intersection(range).is_some()).collect();
    if hit.is_empty() {
        let near: Vec<String> = merges.iter().take(5).map(ToString::to_string).collect();
        return Err(input.error("range", format!("no cells are merged in {range}")).suggest(near).into());
    }
    let hit: Vec<CellRange> = hit.into_iter().copied().collect();
    remove_merges(editor, part, &hit)?;
    let summary = format!("Unmerged {} on {sheet}.", listed(hit.iter(), 8));
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("range", range.to_string()).with("unmerged", hit.len()))
}

/// The most cells that get a format of their own though they are empty.
const MOST_FORMATTED: u64 = 200_000;
/// The most rows that one op changes as rows.
pub(super) const MOST_ROWS: u32 = 100_000;

/// Gives a range a number format.
pub(super) fn set_number_format(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: SetNumberFormat,
) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    let code = crate::xml::strip_illegal(&op.format).0.into_owned();
    if code.is_empty() || code.chars().count() > 255 {
        return Err(input.error("format", "a number format is a code of 1 to 255 characters, such as `0.00`").into());
    }
    let patch = Rc::new(StylePatch::number_format(code.clone()));
    let count = format_range(editor, input, &part, range, &patch)?;
    let summary = format!("Set the number format {code} on {range} of {}.", op.sheet);
    let change = OpReport::new(input, summary).with("sheet", op.sheet).with("range", range.to_string());
    Ok(change.with("cells", count).with("format", code))
}

/// Formats a range: every cell of a small one; of a large one the existing cells, and entire rows and columns as such.
pub(super) fn format_range(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    range: CellRange,
    patch: &Rc<StylePatch>,
) -> Result<usize, Error> {
    editor.styles()?;
    let whole_columns = range.rows() == MAX_ROW;
    let whole_rows = range.columns() == MAX_COLUMN && !whole_columns && range.rows() <= MOST_ROWS;
    let cells: Vec<CellRef> = if range.cells() <= MOST_FORMATTED && !whole_columns && !whole_rows {
        cells_of(range).collect()
    } else {
        present(editor, part, range)?
    };
    if whole_columns {
        format_columns(editor, part, range, patch)?;
    } else if whole_rows {
        let state = editor.sheet(part)?;
        for row in range.start().row()..=range.end().row() {
            state.row_edit(row).patches.push(Rc::clone(patch));
        }
    } else if range.cells() > MOST_FORMATTED {
        let why = format!("{range} is large: only the cells that exist got the format");
        editor.warnings.push(format!("{}: {why}", input.at("range")));
    }
    let write = |at: CellRef| CellWrite { at, value: None, patch: Some(Rc::clone(patch)), field: input.at("range") };
    Ok(editor.write_cells(input, part, cells.into_iter().map(write).collect())?.len())
}

fn format_columns(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    range: CellRange,
    patch: &StylePatch,
) -> Result<(), Error> {
    let limits = *editor.package.limits();
    let frame = editor.sheet(part)?.frame_part();
    let tree = frame.tree(&limits)?;
    let list = tree.root().child(Ns::S, "cols");
    let mut changes: Vec<(u32, u32, ColumnChange)> = Vec::new();
    let mut at = range.start().col();
    let styles = editor.styles()?;
    let mut known: Vec<(u32, u32, u32)> = list
        .into_iter()
        .flat_map(|list| list.children_named(Ns::S, "col"))
        .filter_map(|node| {
            let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
            Some((number("min")?, number("max")?, number("style").unwrap_or(0)))
        })
        .collect();
    known.sort_unstable();
    for (min, max, style) in known {
        let (from, to) = (min.max(at), max.min(range.end().col()));
        if from > to {
            continue;
        }
        if at < from {
            changes.push((at, from - 1, ColumnChange::Format(styles.apply(0, patch)?)));
        }
        changes.push((from, to, ColumnChange::Format(styles.apply(style, patch)?)));
        at = to + 1;
    }
    if at <= range.end().col() {
        changes.push((at, range.end().col(), ColumnChange::Format(styles.apply(0, patch)?)));
    }
    editor.edit_frame(part, |root, splice| {
        set_columns(root, splice, changes.into_iter());
        Ok(())
    })
}

/// A range of cells.
pub(super) fn range_at(text: &str, at: &str) -> Result<CellRange, EditError> {
    text.trim().parse::<CellRange>().map_err(|error| EditError::new(at, error.to_string()))
}

/// The cells of a range that have an element, recorded changes included.
pub(super) fn present(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<Vec<CellRef>, Error> {
    look(editor, part, range, false)
}

/// The cells of a range that hold a value, recorded changes included.
pub(super) fn filled(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<Vec<CellRef>, Error> {
    look(editor, part, range, true)
}

fn look(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange, only_filled: bool) -> Result<Vec<CellRef>, Error> {
    editor.sheet(part)?;
    let mut cells = std::collections::BTreeSet::new();
    let Some(state) = editor.loaded(part) else { return Ok(Vec::new()) };
    walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
        let Piece::Row(row) = piece else { return Ok(()) };
        if row.number < range.start().row() || row.number > range.end().row() {
            return Ok(());
        }
        let wanted = row.cells().filter(|cell| !only_filled || !cell.inner().is_empty());
        cells.extend(wanted.filter_map(|cell| cell.at).filter(|at| range.contains(*at)));
        Ok(())
    })?;
    for (cell, edit) in &state.cells {
        match &edit.value {
            _ if !range.contains(*cell) => {}
            Some(NewValue::Blank) if only_filled => {
                cells.remove(cell);
            }
            None if only_filled => {}
            _ => {
                cells.insert(*cell);
            }
        }
    }
    Ok(cells.into_iter().collect())
}

/// Extends the sheet's `dimension` to the cells that are about to be written.
pub(super) fn update_dimension(sheet: &mut SheetState, limits: &Limits) -> Result<(), Error> {
    let is_written = |edit: &CellEdit| match &edit.element {
        Some(element) => !element.is_empty(),
        None => !matches!(edit.value, None | Some(NewValue::Blank)),
    };
    let written = sheet.cells.iter().filter(|(_, edit)| is_written(edit));
    let Some(written) = reach(written.map(|(cell, _)| *cell)) else { return Ok(()) };
    let frame = sheet.frame_part();
    let tree = frame.tree(limits)?;
    let Some(node) = tree.root().child(Ns::S, "dimension") else { return Ok(()) };
    let Some(old) = node.attr("ref").and_then(|text| text.parse::<CellRange>().ok()) else { return Ok(()) };
    // Excel declares `A1` for an empty sheet.
    let empty = sheet.used.row == 0 && old.cells() == 1;
    let corners = [old.start(), old.end()].into_iter().filter(|_| !empty);
    let Some(new) = reach(corners.chain([written.start(), written.end()])) else { return Ok(()) };
    if new != old {
        let mut splice = Splice::new(&frame.text);
        splice.set_attr(node, "ref", &new.to_string());
        let text = splice.finish().map_err(|e| overlap(&frame.name, &e))?;
        sheet.set_frame(text);
    }
    Ok(())
}
