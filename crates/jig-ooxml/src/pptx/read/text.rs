//! The text of slides in reading order: tables as Markdown, charts and SmartArt by their texts, notes marked.

use jig_file_api::read::ChunkInfo;
use jig_file_api::read::pptx::{DeckText, TextQuery};

use crate::error::Error;
use crate::package::Package;
use crate::pptx::deck::DeckReader;
use crate::pptx::shape::{Shape, ShapeKind, graphic_data};
use crate::pptx::slide::{Inherited, Slide, is_hidden};
use crate::pptx::text::{body_text, level, one_line, paragraph_text, paragraphs};
use crate::relationships::Relationships;
use crate::threads;
use crate::xml::{Node, Ns};

pub(in crate::pptx) fn text(deck: &DeckReader<'_>, query: &TextQuery) -> Result<DeckText, Error> {
    let count = deck.presentation.slides.len();
    if let Some(index) = query.slide_index {
        let text = slide_text(deck, index)?;
        let info = ChunkInfo {
            chunk_index: index,
            total_chunks: count,
            has_more: index + 1 < count,
            range: format!("slide {index}"),
        };
        return Ok(DeckText { text, chunk_info: Some(info) });
    }
    let texts = threads::each(count, |index| {
        // A damaged slide must not hide the others, and its place in the text reports it.
        slide_text(deck, index).unwrap_or_else(|error| format!("# Slide {}\n(cannot be read: {error})\n", index + 1))
    });
    Ok(DeckText { text: texts.join("\n"), chunk_info: None })
}

fn slide_text(deck: &DeckReader<'_>, index: usize) -> Result<String, Error> {
    let slide = deck.slide(index, Inherited::Skip)?;
    let notes = deck.notes(&slide)?;
    slide.view(deck.package.limits(), |root, shapes| {
        let hidden = if is_hidden(root) { " (hidden)" } else { "" };
        let mut text = format!("# Slide {}{hidden}\n", index + 1);
        let is_title = |shape: &Shape<'_>| shape.placeholder().is_some_and(|found| found.is_title());
        // The title is read first, wherever it is in the file.
        for shape in shapes.iter().filter(|shape| is_title(shape)) {
            push_shape(&mut text, deck, &slide, shape);
        }
        for shape in shapes.iter().filter(|shape| !is_title(shape)) {
            push_shape(&mut text, deck, &slide, shape);
        }
        if let Some(notes) = notes {
            text.push_str("\nNotes:\n");
            text.push_str(&notes);
            text.push('\n');
        }
        Ok(text)
    })
}

fn push_shape(text: &mut String, deck: &DeckReader<'_>, slide: &Slide, shape: &Shape<'_>) {
    // Its only text is the number that the heading has.
    if shape.placeholder().is_some_and(|found| found.kind == "sldNum") {
        return;
    }
    if let Some(body) = shape.body() {
        push_body(text, body);
    }
    match shape.kind {
        ShapeKind::Table => text.extend(shape.table().map(markdown_table)),
        ShapeKind::Chart => match chart_title(&deck.package, &slide.relationships, shape.node) {
            Some(title) => text.push_str(&format!("[Chart: {title}]\n")),
            None => text.push_str("[Chart]\n"),
        },
        ShapeKind::SmartArt => {
            text.push_str("[SmartArt]\n");
            for line in smart_art_texts(&deck.package, &slide.relationships, shape.node).unwrap_or_default() {
                text.push_str(&line);
                text.push('\n');
            }
        }
        _ => {}
    }
    for child in &shape.children {
        push_shape(text, deck, slide, child);
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

/// The texts of a table's cells, row by row. A cell that a merged one covers is empty.
pub(in crate::pptx) fn table_texts(table: Node<'_>) -> Vec<Vec<String>> {
    let row = |row: Node<'_>| row.children_named(Ns::A, "tc").map(cell_text).collect();
    table.children_named(Ns::A, "tr").map(row).collect()
}

fn cell_text(cell: Node<'_>) -> String {
    let is_covered =
        ["hMerge", "vMerge"].iter().any(|name| cell.attr(name).is_some_and(|flag| matches!(&*flag, "1" | "true")));
    if is_covered {
        return String::new();
    }
    cell.child(Ns::A, "txBody").map(body_text).unwrap_or_default()
}

fn markdown_table(table: Node<'_>) -> String {
    let rows = table_texts(table);
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

/// The title of a chart, from its own part. A part that cannot be read has no title: the slide still shows a chart.
pub(super) fn chart_title(package: &Package, relationships: &Relationships, frame: Node<'_>) -> Option<String> {
    let chart = graphic_data(frame)?.elements().next()?;
    let content = package.xml(relationships.part(&chart.attr_ns(Ns::R, "id")?)?).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    let chart = tree.root().elements().find(|node| node.local() == "chart")?;
    let title = chart.elements().find(|node| node.local() == "title")?;
    let texts = title.descendants().filter(|node| node.is(Ns::A, "t") || node.is(Ns::C, "v"));
    let title = one_line(&texts.map(|node| node.text().into_owned()).collect::<String>());
    (!title.is_empty()).then_some(title)
}

/// The texts of SmartArt, from its data part and in the order of that; none when the part cannot be read.
pub(super) fn smart_art_texts(
    package: &Package,
    relationships: &Relationships,
    frame: Node<'_>,
) -> Option<Vec<String>> {
    let ids = graphic_data(frame)?.child(Ns::Dgm, "relIds")?;
    let content = package.xml(relationships.part(&ids.attr_ns(Ns::R, "dm")?)?).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    let points = tree.root().child(Ns::Dgm, "ptLst")?;
    let texts = points.children_named(Ns::Dgm, "pt").filter_map(|point| point.child(Ns::Dgm, "t"));
    Some(texts.map(body_text).filter(|text| !text.trim().is_empty()).collect())
}
