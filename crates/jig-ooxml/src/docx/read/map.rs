//! `DocxGetMap`: what is where, without the text.

use serde::Deserialize;
use serde_json::{Value, json};

use super::capped::capped;
use super::chunks::{self, CHUNK_CHARS, Keep};
use super::counts::Counts;
use super::notes::{self, Comments};
use super::render::{BlockKind, Options, Rendered, RenderedBlock};
use super::source::Source;
use super::{Document, params};
use crate::docx::sections::Section;
use crate::error::Error;
use crate::xml::XmlPart;

#[derive(Deserialize)]
struct Params {}

/// The map of a document.
pub(super) fn map(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let _: Params = params::parse(given, warnings)?;
    let source = &document.source;
    let rendered = document.rendered(Options::default())?;
    warnings.extend(rendered.warnings.iter().cloned());
    let counts = Counts::of(source)?;
    let total: usize = rendered.sections.iter().map(|section| chunks::count(&rendered, section.blocks.clone())).sum();
    let entries = rendered.sections.iter().enumerate().map(|(at, section)| section_entry(&rendered, at, section));
    let sections = capped(entries, "sections", warnings);
    let (tables, images) = contents(&rendered, source, warnings);
    let margins: Vec<Value> = rendered
        .margins
        .iter()
        .map(|margin| json!({ "kind": margin.kind, "pages": margin.pages, "part": margin.part, "text": margin.text }))
        .collect();
    Ok(json!({
        "sections": sections,
        "tables": tables,
        "images": images,
        "has_headers_footers": rendered.margins.iter().any(|margin| !margin.text.is_empty()),
        "headers_footers": margins,
        "total_char_count": total,
        "paragraph_count": counts_of_paragraphs(&rendered),
        "comments": Comments::read(source)?.len(),
        "footnotes": count_notes(source.beside().footnotes.as_ref(), source)?,
        "endnotes": count_notes(source.beside().endnotes.as_ref(), source)?,
        "fields": counts.fields,
        "content_controls": counts.content_controls,
        "text_boxes": counts.text_boxes,
        "equations": counts.equations,
        "charts": counts.charts,
        "tracked_changes": {
            "insertions": counts.insertions,
            "deletions": counts.deletions,
            "moves": counts.moves,
            "formatting": counts.formatting,
            "authors": counts.authors,
        },
        "has_tracked_changes": counts.is_tracked(),
    }))
}

fn section_entry(rendered: &Rendered, at: usize, section: &Section) -> Value {
    let blocks = rendered.blocks.get(section.blocks.clone()).unwrap_or_default();
    let chars = chunks::count(rendered, section.blocks.clone());
    let mut entry = json!({
        "index": at,
        "heading": section.heading,
        "level": section.level,
        "char_count": chars,
        "has_tables": blocks.iter().any(|block| matches!(block.what, BlockKind::Table { .. })),
        "has_images": blocks.iter().any(|block| !block.pictures.is_empty()),
        "paragraphs": paragraphs(blocks),
    });
    if let (Some(object), true) = (entry.as_object_mut(), chars > CHUNK_CHARS) {
        let chunks = chunks::chunks(rendered, section.blocks.clone(), Keep::Counts);
        let chunks = chunks.iter().enumerate().map(|(index, chunk)| {
            let tables = chunk.tables.map(chunks::written);
            json!({
                "index": index,
                "paragraphs": chunk.paragraphs.map(chunks::written),
                "tables": tables,
                "char_count": chunk.chars,
            })
        });
        object.insert("chunks".to_owned(), chunks.collect());
    }
    entry
}

/// The paragraphs of blocks as a range of indexes.
fn paragraphs(blocks: &[RenderedBlock]) -> Option<String> {
    let index = |block: &RenderedBlock| match block.what {
        BlockKind::Paragraph { index, .. } => Some(index),
        _ => None,
    };
    let first = blocks.iter().find_map(index)?;
    let last = blocks.iter().rev().find_map(index)?;
    Some(chunks::written((first, last)))
}

fn counts_of_paragraphs(rendered: &Rendered) -> usize {
    rendered.blocks.iter().filter(|block| matches!(block.what, BlockKind::Paragraph { .. })).count()
}

/// Tables and images with the sections they are in.
fn contents(rendered: &Rendered, source: &Source, warnings: &mut Vec<String>) -> (Vec<Value>, Vec<Value>) {
    let blocks = || {
        rendered.sections.iter().enumerate().flat_map(|(at, section)| {
            let blocks = rendered.blocks.get(section.blocks.clone()).unwrap_or_default();
            blocks.iter().map(move |block| (at, section, block))
        })
    };
    let tables = blocks().filter_map(|(at, section, block)| {
        let BlockKind::Table { index, rows, columns } = block.what else { return None };
        Some(json!({ "index": index, "section": section.heading, "section_index": at, "rows": rows, "cols": columns }))
    });
    let pictures = blocks().flat_map(|(at, section, block)| block.pictures.iter().map(move |one| (at, section, one)));
    let images = pictures.enumerate().map(|(index, (at, section, picture))| {
        json!({
            "index": index,
            "section": section.heading,
            "section_index": at,
            "alt_text": picture.alt_text,
            "rel_id": picture.rel_id,
            "target": source.names.relationships.by_id(&picture.rel_id).map(|found| &found.target),
        })
    });
    (capped(tables, "tables", warnings), capped(images, "images", warnings))
}

fn count_notes(part: Option<&XmlPart>, source: &Source) -> Result<usize, Error> {
    let tree = part.map(|part| part.tree(&source.limits)).transpose()?;
    Ok(notes::by_id(tree.as_ref()).len())
}
