//! Inserting and deleting rows and columns of a table. Merged cells grow and shrink with what is inside them.

use jig_file_api::ops::pptx::{DeleteTableColumns, DeleteTableRows, InsertTableColumns, InsertTableRows};
use serde_json::Value;

use super::new_table::{cell_text, check_size};
use super::tables::{find, grid};
use super::text::{Base, NewParagraph, paragraph_markup};
use super::{DeckEdit, place};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::markup::Prefixes;
use crate::pptx::shape::{shapes, transform};
use crate::pptx::text::paragraphs;
use crate::xml::{Node, Ns, Splice};

/// The texts of new rows or columns, line by line.
type Lines = Vec<Vec<Vec<NewParagraph>>>;

/// One direction of a table: how its cells are merged, and where its sizes are.
#[derive(Clone, Copy)]
struct Axis {
    /// The attribute of the first cell of a merged area.
    span: &'static str,
    /// The attribute of the other cells.
    covered: &'static str,
    /// In messages.
    name: &'static str,
    names: &'static str,
}

const ROWS: Axis = Axis { span: "rowSpan", covered: "vMerge", name: "row", names: "rows" };
const COLUMNS: Axis = Axis { span: "gridSpan", covered: "hMerge", name: "column", names: "columns" };

pub(super) fn insert_rows(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertTableRows,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let (count, new) = new_lines(edit, input, fields.values.as_deref(), fields.count)?;
    let (name, at) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find(input, index, fields.table.as_ref(), &shapes)?;
        let table = shape.table().ok_or_else(|| input.error("table", DeckIssue::ShapeWithoutTable))?;
        let rows: Vec<Node<'_>> = table.children_named(Ns::A, "tr").collect();
        let cells = grid(table);
        let at = position(input, "row", ROWS, fields.row, rows.len())?;
        check_size(input, rows.len() + count, cells.iter().map(Vec::len).max().unwrap_or(0))?;
        // A row after the header looks like the other rows, not like the header.
        let like = if at == 1 && rows.len() > 1 { 1 } else { at.saturating_sub(1) };
        let (Some(model), Some(model_cells)) = (rows.get(like), cells.get(like)) else {
            return Err(input.error("table", DeckIssue::ShapeWithoutTable).into());
        };
        check_values(input, &new, model_cells.len())?;
        let prefixes = Prefixes::text_at(*model);
        let mut markup = String::new();
        for line in 0..count {
            let open = open_tag(*model);
            markup.push_str(&open);
            for (column, model) in model_cells.iter().enumerate() {
                let text = new.get(line).and_then(|line| line.get(column));
                let inside = cells.get(at).and_then(|row| row.get(column)).filter(|cell| is_covered(**cell, ROWS));
                let merged = inside.map(|cell| merge_attributes(*cell)).unwrap_or_default();
                markup.push_str(&cell_markup(&prefixes, *model, &merged, text.map(Vec::as_slice)));
            }
            markup.push_str(&format!("</{}>", model.qualified()));
        }
        match rows.get(at) {
            Some(row) => splice.before(*row, markup),
            None => splice.after(*model, markup),
        }
        for column in 0..model_cells.len() {
            let line: Vec<Option<Node<'_>>> = cells.iter().map(|row| row.get(column).copied()).collect();
            grow(splice, &line, at, count, ROWS);
        }
        let height = model.attr("h").and_then(|height| height.parse::<f64>().ok()).unwrap_or(0.0);
        resize(splice, shape.node, "cy", height * count as f64);
        Ok((shape.name(), at))
    })?;
    let summary = format!("Inserted {} into the table {name} on slide {}.", counted(count, "row"), index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("table", name);
    Ok(report.with("row", at).with("rows", count))
}

pub(super) fn delete_rows(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &DeleteTableRows,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let count = fields.count.unwrap_or(1).max(1);
    let name = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find(input, index, fields.table.as_ref(), &shapes)?;
        let table = shape.table().ok_or_else(|| input.error("table", DeckIssue::ShapeWithoutTable))?;
        let rows: Vec<Node<'_>> = table.children_named(Ns::A, "tr").collect();
        check_range(input, "row", ROWS, fields.row, count, rows.len())?;
        let cells = grid(table);
        for column in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let line: Vec<Option<Node<'_>>> = cells.iter().map(|row| row.get(column).copied()).collect();
            shrink(splice, &line, fields.row, count, ROWS);
        }
        let gone = rows.iter().skip(fields.row).take(count);
        let height: f64 =
            gone.clone().filter_map(|row| row.attr("h")?.parse::<f64>().ok()).filter(|h| h.is_finite()).sum();
        gone.for_each(|row| splice.remove(*row));
        resize(splice, shape.node, "cy", -height);
        Ok(shape.name())
    })?;
    let summary = format!("Deleted {} of the table {name} on slide {}.", counted(count, "row"), index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("table", name);
    Ok(report.with("row", fields.row).with("rows", count))
}

pub(super) fn insert_columns(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertTableColumns,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let (count, new) = new_lines(edit, input, fields.values.as_deref(), fields.count)?;
    let (name, at) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find(input, index, fields.table.as_ref(), &shapes)?;
        let table = shape.table().ok_or_else(|| input.error("table", DeckIssue::ShapeWithoutTable))?;
        let rows: Vec<Node<'_>> = table.children_named(Ns::A, "tr").collect();
        let columns = grid_columns(table);
        let cells = grid(table);
        let width = columns.len().max(cells.iter().map(Vec::len).max().unwrap_or(0));
        let at = position(input, "col", COLUMNS, fields.col, width)?;
        check_size(input, rows.len(), width + count)?;
        check_values(input, &new, rows.len())?;
        let like = if at == 1 && width > 1 { 1 } else { at.saturating_sub(1) };
        for (number, (row, row_cells)) in rows.iter().zip(&cells).enumerate() {
            let prefixes = Prefixes::text_at(*row);
            let Some(model) = row_cells.get(like).or_else(|| row_cells.last()) else { continue };
            let inside = row_cells.get(at).filter(|cell| is_covered(**cell, COLUMNS));
            let merged = inside.map(|cell| merge_attributes(*cell)).unwrap_or_default();
            let markup: String = (0..count)
                .map(|line| {
                    let text = new.get(line).and_then(|line| line.get(number));
                    cell_markup(&prefixes, *model, &merged, text.map(Vec::as_slice))
                })
                .collect();
            match row_cells.get(at) {
                Some(cell) => splice.before(*cell, markup),
                None => splice.after(*row_cells.last().unwrap_or(model), markup),
            }
            let line: Vec<Option<Node<'_>>> = row_cells.iter().copied().map(Some).collect();
            grow(splice, &line, at, count, COLUMNS);
        }
        widen(splice, table, &columns, at, like, count);
        Ok((shape.name(), at))
    })?;
    let summary = format!("Inserted {} into the table {name} on slide {}.", counted(count, "column"), index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("table", name);
    Ok(report.with("col", at).with("columns", count))
}

pub(super) fn delete_columns(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &DeleteTableColumns,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let count = fields.count.unwrap_or(1).max(1);
    let name = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find(input, index, fields.table.as_ref(), &shapes)?;
        let table = shape.table().ok_or_else(|| input.error("table", DeckIssue::ShapeWithoutTable))?;
        let columns = grid_columns(table);
        let cells = grid(table);
        let width = columns.len().max(cells.iter().map(Vec::len).max().unwrap_or(0));
        check_range(input, "col", COLUMNS, fields.col, count, width)?;
        for row in &cells {
            let line: Vec<Option<Node<'_>>> = row.iter().copied().map(Some).collect();
            shrink(splice, &line, fields.col, count, COLUMNS);
            row.iter().skip(fields.col).take(count).for_each(|cell| splice.remove(*cell));
        }
        let gone = columns.iter().skip(fields.col).take(count);
        let lost: f64 = gone.clone().map(|column| column_width(*column)).sum();
        gone.for_each(|column| splice.remove(*column));
        resize(splice, shape.node, "cx", -lost);
        Ok(shape.name())
    })?;
    let summary = format!("Deleted {} of the table {name} on slide {}.", counted(count, "column"), index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("table", name);
    Ok(report.with("col", fields.col).with("columns", count))
}

/// How many rows or columns are new, and their texts.
fn new_lines(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    values: Option<&[Vec<Value>]>,
    count: Option<usize>,
) -> Result<(usize, Lines), EditError> {
    let values = values.unwrap_or_default();
    let count = count.unwrap_or(values.len().max(1));
    if values.len() > count {
        let issue = DeckIssue::TooManyValues { axis: "the list", given: values.len(), count };
        return Err(input.error("values", issue));
    }
    let mut lines = Vec::with_capacity(values.len());
    for (number, line) in values.iter().enumerate() {
        let mut cells = Vec::with_capacity(line.len());
        for (place, value) in line.iter().enumerate() {
            cells.push(cell_text(edit, input, &format!("values[{number}][{place}]"), value)?);
        }
        lines.push(cells);
    }
    Ok((count, lines))
}

fn check_values(input: &OpInput, lines: &Lines, room: usize) -> Result<(), EditError> {
    let Some((number, line)) = lines.iter().enumerate().find(|(_, line)| line.len() > room) else { return Ok(()) };
    let issue = DeckIssue::TooManyValues { axis: "the list", given: line.len(), count: room };
    Err(input.error(&format!("values[{number}]"), issue))
}

fn position(input: &OpInput, field: &str, axis: Axis, given: Option<usize>, count: usize) -> Result<usize, EditError> {
    let at = given.unwrap_or(count);
    if at > count {
        return Err(input.error(field, DeckIssue::NoTablePosition { axis: axis.name, index: at, count }));
    }
    Ok(at)
}

fn check_range(
    input: &OpInput,
    field: &str,
    axis: Axis,
    first: usize,
    count: usize,
    all: usize,
) -> Result<(), EditError> {
    let last = first.saturating_add(count) - 1;
    if last >= all {
        let index = if first >= all { first } else { last };
        return Err(input.error(field, DeckIssue::NoCell { axis: axis.name.to_owned(), index, count: all }));
    }
    if count >= all {
        return Err(input.error("count", DeckIssue::WholeTable { what: axis.names, count: all }));
    }
    Ok(())
}

fn is_covered(cell: Node<'_>, axis: Axis) -> bool {
    cell.attr(axis.covered).is_some_and(|flag| matches!(&*flag, "1" | "true"))
}

/// The attributes by which a cell belongs to a merged area, for a new cell inside the same area.
fn merge_attributes(cell: Node<'_>) -> String {
    let kept = cell.attributes().filter(|found| matches!(found.name, "rowSpan" | "gridSpan" | "hMerge" | "vMerge"));
    kept.map(|found| format!(r#" {}="{}""#, found.name, found.raw.replace('"', "&quot;"))).collect()
}

/// The opening tag of a row like another, without the ids that only one row may have.
fn open_tag(row: Node<'_>) -> String {
    let height = row.attributes().find(|found| found.name == "h").map_or("370840", |found| found.raw);
    format!(r#"<{} h="{}">"#, row.qualified(), height.replace('"', "&quot;"))
}

/// A new cell with the format of another.
fn cell_markup(prefixes: &Prefixes, model: Node<'_>, merged: &str, text: Option<&[NewParagraph]>) -> String {
    let (a, declared) = (&prefixes.a, &prefixes.declared);
    let inner = Prefixes { declared: String::new(), ..prefixes.clone() };
    let body = model.child(Ns::A, "txBody");
    let base = body.and_then(|body| paragraphs(body).next()).map(Base::of).unwrap_or_default();
    let empty = [NewParagraph::default()];
    let text = text.filter(|text| !text.is_empty()).unwrap_or(&empty);
    let text: String = text.iter().map(|new| paragraph_markup(&inner, base, new)).collect();
    let part = |name: &'static str| body.and_then(|body| body.child(Ns::A, name)).map(Node::source);
    let properties = part("bodyPr").map_or_else(|| format!("<{a}bodyPr/>"), str::to_owned);
    let list = part("lstStyle").unwrap_or_default();
    let cell = model.child(Ns::A, "tcPr").map(Node::source).unwrap_or_default();
    format!("<{a}tc{declared}{merged}><{a}txBody>{properties}{list}{text}</{a}txBody>{cell}</{a}tc>")
}

/// Makes a merged area that new cells are inside of larger.
fn grow(splice: &mut Splice<'_>, line: &[Option<Node<'_>>], at: usize, count: usize, axis: Axis) {
    let covered = |place: usize| line.get(place).copied().flatten().is_some_and(|cell| is_covered(cell, axis));
    if !covered(at) {
        return;
    }
    let first = (0..at).rev().find(|place| !covered(*place));
    let Some(cell) = first.and_then(|first| line.get(first).copied().flatten()) else { return };
    let span = cell.attr(axis.span).and_then(|span| span.parse::<usize>().ok()).unwrap_or(1);
    splice.set_attr(cell, axis.span, &(span + count).to_string());
}

/// Makes merged areas smaller that lose cells. One that loses its first cell keeps its text in the next.
fn shrink(splice: &mut Splice<'_>, line: &[Option<Node<'_>>], at: usize, count: usize, axis: Axis) {
    let covered = |place: usize| line.get(place).copied().flatten().is_some_and(|cell| is_covered(cell, axis));
    let is_gone = |place: usize| (at..at + count).contains(&place);
    let mut start = 0;
    while start < line.len() {
        let end = (start + 1..line.len()).find(|place| !covered(*place)).unwrap_or(line.len());
        let left: Vec<usize> = (start..end).filter(|place| !is_gone(*place)).collect();
        if let (true, Some(first), Some(Some(old))) = (left.len() < end - start, left.first(), line.get(start)) {
            let first_cell = line.get(*first).copied().flatten();
            if let Some(cell) = first_cell {
                if is_gone(start) {
                    splice.remove_attr(cell, axis.covered);
                    take_text(splice, *old, cell);
                }
                if left.len() > 1 {
                    splice.set_attr(cell, axis.span, &left.len().to_string());
                } else {
                    splice.remove_attr(cell, axis.span);
                }
            }
        }
        start = end;
    }
}

/// Gives a cell the text of another.
fn take_text(splice: &mut Splice<'_>, from: Node<'_>, to: Node<'_>) {
    let Some(text) = from.child(Ns::A, "txBody") else { return };
    match to.child(Ns::A, "txBody") {
        Some(old) => splice.replace(old.range(), text.source()),
        None => splice.prepend(to, text.source()),
    }
}

fn grid_columns(table: Node<'_>) -> Vec<Node<'_>> {
    table.child(Ns::A, "tblGrid").into_iter().flat_map(|grid| grid.children_named(Ns::A, "gridCol")).collect()
}

fn column_width(column: Node<'_>) -> f64 {
    column.attr("w").and_then(|width| width.parse::<f64>().ok()).filter(|width| width.is_finite()).unwrap_or(0.0)
}

/// Adds columns to the grid. The table stays as wide as it was, so that it stays on the slide.
fn widen(splice: &mut Splice<'_>, table: Node<'_>, columns: &[Node<'_>], at: usize, like: usize, count: usize) {
    let Some(grid) = table.child(Ns::A, "tblGrid") else { return };
    let all: f64 = columns.iter().map(|column| column_width(*column)).sum();
    let own = columns.get(like).map_or(0.0, |column| column_width(*column));
    let scale = if all > 0.0 { all / (all + own * count as f64) } else { 1.0 };
    for column in columns {
        splice.set_attr(*column, "w", &place::emu(column_width(*column) * scale).max(1).to_string());
    }
    let a = &Prefixes::text_at(grid).a;
    let new = format!(r#"<{a}gridCol w="{}"/>"#, place::emu(own * scale).max(1)).repeat(count);
    match columns.get(at) {
        Some(column) => splice.before(*column, new),
        None => splice.append(grid, new),
    }
}

/// Makes the frame of a table larger or smaller.
fn resize(splice: &mut Splice<'_>, frame: Node<'_>, side: &str, change: f64) {
    let Some(ext) = transform(frame).and_then(|transform| transform.child(Ns::A, "ext")) else { return };
    let Some(size) = ext.attr(side).and_then(|size| size.parse::<f64>().ok()) else { return };
    if change.is_finite() {
        splice.set_attr(ext, side, &place::emu((size + change).clamp(0.0, 1e12)).to_string());
    }
}
