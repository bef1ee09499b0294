//! `set_table_cells`: text in the cells of a table.

use std::collections::BTreeMap;

use jig_file_api::ops::pptx::{SetTableCells, SlideTableCell};
use serde_json::{Value, json};

use super::DeckEdit;
use super::text::{
    Base, NewParagraph, ParagraphFormat, new_paragraphs, new_text, paragraph_markup, plain_runs, set_body,
};
use crate::edit::{EditError, MOST_LISTED, OpInput, OpReport, excerpt, nearest};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::markup::Prefixes;
use crate::pptx::shape::{Shape, flat, shapes};
use crate::pptx::text::body_text;
use crate::xml::{Node, NodeId, Ns, Splice};

struct NewCell {
    row: usize,
    col: usize,
    text: Vec<NewParagraph>,
}

pub(super) fn set_table_cells(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: SetTableCells,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    if fields.cells.is_empty() {
        return Err(input.error("cells", DeckIssue::Empty { item: "cell" }).into());
    }
    let cells = new_cells(edit, input, fields.cells)?;
    let mut texts = Vec::new();
    let (name, warnings) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find(input, index, fields.table.as_ref(), &shapes)?;
        let table = shape.table().ok_or_else(|| input.error("table", DeckIssue::ShapeWithoutTable))?;
        let rows = grid(table);
        let mut warnings = Vec::new();
        let mut targets: BTreeMap<NodeId, (Node<'_>, &NewCell)> = BTreeMap::new();
        for (number, cell) in cells.iter().enumerate() {
            let node = anchor(input, number, &rows, cell, &mut warnings)?;
            // The last text for a cell is used.
            targets.insert(node.id(), (node, cell));
        }
        let listed = targets.values().take(MOST_LISTED).map(|(node, cell)| {
            let old = node.child(Ns::A, "txBody").map(body_text).unwrap_or_default();
            json!({ "row": cell.row, "col": cell.col, "old": excerpt(&old), "new": new_text(&cell.text) })
        });
        texts.extend(listed);
        targets.values().for_each(|(node, cell)| write(splice, *node, &cell.text));
        Ok((shape.name(), warnings))
    })?;
    edit.warnings.extend(warnings);
    let summary = format!("Set {} of the table {name} on slide {}.", counted(cells.len(), "cell"), index + 1);
    let change = OpReport::new(input, summary).with("slide_index", index).with("table", name);
    Ok(change.with("cells", cells.len()).with("texts", texts))
}

fn new_cells(edit: &mut DeckEdit<'_>, input: &OpInput, cells: Vec<SlideTableCell>) -> Result<Vec<NewCell>, EditError> {
    let mut new = Vec::with_capacity(cells.len());
    for (number, cell) in cells.into_iter().enumerate() {
        let at = |field: &str| format!("cells[{number}].{field}");
        let (text, runs) = (cell.text, plain_runs(cell.runs));
        let format = ParagraphFormat::default();
        let text =
            new_paragraphs(edit, input, (&at("text"), text.as_deref()), (&at("runs"), runs.as_deref()), &format)?;
        let text = text.ok_or_else(|| input.error(&at("text"), DeckIssue::Missing { what: "the text of the cell" }))?;
        new.push(NewCell { row: cell.row, col: cell.col, text });
    }
    Ok(new)
}

/// The table by its number on the slide or by the name of its shape; without either the first.
pub(super) fn find<'s, 't>(
    input: &OpInput,
    index: usize,
    wanted: Option<&Value>,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let tables: Vec<&Shape<'t>> = flat(shapes).into_iter().filter(|shape| shape.table().is_some()).collect();
    let names: Vec<String> = tables.iter().map(|shape| shape.name()).collect();
    if tables.is_empty() {
        return Err(input.error("table", DeckIssue::NoTables { index }));
    }
    let missing = |what: String| {
        let near = nearest(&what, names.iter().map(String::as_str));
        let issue = DeckIssue::NoTable { wanted: what, index, known: names.clone() };
        input.error("table", issue).suggest(if near.is_empty() { names.clone() } else { near })
    };
    match wanted {
        None => tables.first().copied().ok_or_else(|| missing(String::new())),
        Some(Value::String(name)) => {
            let found = tables.iter().find(|shape| shape.name().eq_ignore_ascii_case(name));
            let by_number = || name.trim().parse::<usize>().ok().and_then(|number| tables.get(number));
            found.or_else(by_number).copied().ok_or_else(|| missing(name.clone()))
        }
        Some(value) => {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            let number = number.ok_or_else(|| input.error("table", DeckIssue::InvalidTable))?;
            tables.get(number).copied().ok_or_else(|| missing(number.to_string()))
        }
    }
}

/// The cells of a table, row by row.
pub(super) fn grid(table: Node<'_>) -> Vec<Vec<Node<'_>>> {
    table.children_named(Ns::A, "tr").map(|row| row.children_named(Ns::A, "tc").collect()).collect()
}

/// The cell at a position; in a merged area the visible one.
fn anchor<'t>(
    input: &OpInput,
    number: usize,
    rows: &[Vec<Node<'t>>],
    cell: &NewCell,
    warnings: &mut Vec<String>,
) -> Result<Node<'t>, EditError> {
    let at = |row: usize, col: usize| rows.get(row).and_then(|cells| cells.get(col)).copied();
    let outside = |field: &str, count: usize, given: usize| {
        let issue = DeckIssue::NoCell { axis: field.to_owned(), index: given, count };
        input.error(&format!("cells[{number}].{field}"), issue)
    };
    let width = rows.get(cell.row).ok_or_else(|| outside("row", rows.len(), cell.row))?.len();
    at(cell.row, cell.col).ok_or_else(|| outside("col", width, cell.col))?;
    let covered = |row, col, name: &str| {
        at(row, col).and_then(|node| node.attr(name)).is_some_and(|flag| matches!(&*flag, "1" | "true"))
    };
    let (mut row, mut col) = (cell.row, cell.col);
    while col > 0 && covered(row, col, "hMerge") {
        col -= 1;
    }
    while row > 0 && covered(row, col, "vMerge") {
        row -= 1;
    }
    if (row, col) != (cell.row, cell.col) {
        let place = input.at(&format!("cells[{number}]"));
        warnings.push(format!("{place}: the cell is merged; its text went to row {row}, column {col}"));
    }
    at(row, col).ok_or_else(|| outside("col", width, col))
}

fn write(splice: &mut Splice<'_>, cell: Node<'_>, text: &[NewParagraph]) {
    if let Some(body) = cell.child(Ns::A, "txBody") {
        return set_body(splice, body, text);
    }
    let prefixes = Prefixes::text_at(cell);
    let (a, declared) = (&prefixes.a, &prefixes.declared);
    let inner = Prefixes { declared: String::new(), ..prefixes.clone() };
    let text: String = text.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
    splice.prepend(cell, format!("<{a}txBody{declared}><{a}bodyPr/><{a}lstStyle/>{text}</{a}txBody>"));
}

/// A value of a cell as text; none for lists and objects.
pub(super) fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Object(fields) => {
            fields.get("text").or_else(|| fields.get("value")).filter(|_| fields.len() == 1).and_then(value_text)
        }
        Value::Array(_) => None,
    }
}
