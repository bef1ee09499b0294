//! `PptxExtractText`: the text of slides in reading order, tables as Markdown, notes marked.

use serde_json::{Value, json};

use super::{Reading, graphic, index_param, is_hidden};
use crate::error::Error;
use crate::pptx::page::{Depth, Page};
use crate::pptx::shape::{Shape, ShapeKind};
use crate::pptx::text::{body_text, level, paragraph_text, paragraphs};
use crate::threads;
use crate::xml::{Node, Ns};

pub(super) fn extract(reading: &Reading<'_>, params: &Value) -> Result<Value, Error> {
    let count = reading.presentation.slides.len();
    if let Some(number) = index_param(params, &["slide_index", "index"])? {
        let text = slide(reading, number)?;
        let range = format!("slide {number}");
        let chunk =
            json!({"chunk_index": number, "total_chunks": count, "has_more": number + 1 < count, "range": range});
        return Ok(json!({"text": text, "chunk_info": chunk}));
    }
    let texts = threads::each(count, |number| {
        // One damaged slide does not hide the others, and is not passed over in silence either.
        slide(reading, number).unwrap_or_else(|error| format!("# Slide {}\n(cannot be read: {error})\n", number + 1))
    });
    Ok(json!({"text": texts.join("\n")}))
}

/// The text of one slide.
pub(super) fn slide(reading: &Reading<'_>, number: usize) -> Result<String, Error> {
    let page = reading.page(number, Depth::Slide)?;
    let notes = reading.notes(&page)?;
    page.view(reading.package.limits(), |root, shapes| {
        let hidden = if is_hidden(root) { " (hidden)" } else { "" };
        let mut text = format!("# Slide {}{hidden}\n", number + 1);
        let is_title = |shape: &Shape<'_>| shape.placeholder().is_some_and(|found| found.is_title());
        // The title is read first wherever it stands in the file.
        for shape in shapes.iter().filter(|shape| is_title(shape)) {
            push_shape(&mut text, reading, &page, shape);
        }
        for shape in shapes.iter().filter(|shape| !is_title(shape)) {
            push_shape(&mut text, reading, &page, shape);
        }
        if let Some(notes) = notes {
            text.push_str("\nNotes:\n");
            text.push_str(&notes);
            text.push('\n');
        }
        Ok(text)
    })
}

fn push_shape(text: &mut String, reading: &Reading<'_>, page: &Page, shape: &Shape<'_>) {
    // Its only text is the number that the heading has.
    if shape.placeholder().is_some_and(|found| found.kind == "sldNum") {
        return;
    }
    if let Some(body) = shape.body() {
        push_body(text, body);
    }
    match shape.kind {
        ShapeKind::Table => text.extend(shape.table().map(markdown)),
        ShapeKind::Chart => text.push_str(&graphic::chart_text(&reading.package, &page.relationships, shape.node)),
        ShapeKind::SmartArt => text.push_str(&graphic::diagram_text(&reading.package, &page.relationships, shape.node)),
        _ => {}
    }
    for child in &shape.children {
        push_shape(text, reading, page, child);
    }
}

fn push_body(text: &mut String, body: Node<'_>) {
    for paragraph in paragraphs(body) {
        let line = paragraph_text(paragraph);
        if !line.trim().is_empty() {
            text.push_str(&"  ".repeat(level(paragraph)));
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}

/// The texts of a table's cells, row by row. What a merged cell covers is empty.
pub(super) fn cells(table: Node<'_>) -> Vec<Vec<String>> {
    let row = |row: Node<'_>| row.children_named(Ns::A, "tc").map(cell).collect();
    table.children_named(Ns::A, "tr").map(row).collect()
}

fn cell(cell: Node<'_>) -> String {
    if is_covered(cell) {
        return String::new();
    }
    cell.child(Ns::A, "txBody").map(body_text).unwrap_or_default()
}

/// Whether another cell lies over this one.
pub(super) fn is_covered(cell: Node<'_>) -> bool {
    ["hMerge", "vMerge"].iter().any(|name| cell.attr(name).is_some_and(|flag| matches!(&*flag, "1" | "true")))
}

fn markdown(table: Node<'_>) -> String {
    let rows = cells(table);
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        text.push('|');
        for column in 0..width {
            let cell = row.get(column).map(String::as_str).unwrap_or_default();
            text.push(' ');
            text.push_str(&cell.replace('|', "\\|").replace('\n', "<br>"));
            text.push_str(" |");
        }
        text.push('\n');
        if number == 0 {
            text.push('|');
            text.push_str(&" --- |".repeat(width));
            text.push('\n');
        }
    }
    text
}
