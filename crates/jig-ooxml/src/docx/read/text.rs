//! The text of a document, of a section, of some paragraphs, or one chunk of these.
//!
//! The texts of notes follow at the end. Headers and footers come last, after a line, and only with the complete document
//! unless they are requested.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jig_file_api::read::ChunkInfo;
use jig_file_api::read::docx::{DocumentText, HeaderFooterKind, NoteText, TextQuery};

use super::chunks::{self, Chunk, ChunkContent};
use crate::docx::document::Document;
use crate::docx::render::{BlockKind, RenderOptions, Rendered};
use crate::docx::sections::{ambiguity, find_section};
use crate::edit::EditError;
use crate::error::{DocumentIssue, Error};

pub(in crate::docx) fn text(document: &Document, query: &TextQuery) -> Result<DocumentText, Error> {
    let options = RenderOptions { view: query.view, deleted: query.include_deleted };
    let rendered = document.rendered(options)?;
    let mut warnings = document.warnings(&rendered);
    let blocks = selected(&rendered, query, &mut warnings)?;
    if let Some(index) = query.chunk {
        let chunks = chunks::chunks(&rendered, blocks, ChunkContent::Text);
        return Ok(DocumentText { warnings, ..chunk(&rendered, &chunks, index)? });
    }
    let is_whole = query.section.is_none() && query.paragraphs.is_none();
    let mut text = chunks::text(&rendered, blocks.clone());
    add_notes(&mut text, &rendered, blocks.clone(), is_whole);
    if query.include_headers_footers.unwrap_or(is_whole) {
        add_headers_footers(&mut text, &rendered);
    }
    Ok(DocumentText { text, chunk_info: chunk_info(&rendered, query, blocks)?, notes: Vec::new(), warnings })
}

fn chunk(rendered: &Rendered, chunks: &[Chunk], index: usize) -> Result<DocumentText, EditError> {
    let Some(chunk) = chunks.get(index) else {
        return Err(EditError::new("chunk", DocumentIssue::NoChunk { index, count: chunks.len() }));
    };
    let info = ChunkInfo {
        chunk_index: index,
        total_chunks: chunks.len(),
        has_more: index + 1 < chunks.len(),
        range: chunk.range(),
    };
    let notes = notes_of(rendered, &chunk.text);
    Ok(DocumentText { text: chunk.text.clone(), chunk_info: Some(info), notes, warnings: Vec::new() })
}

/// The position of the text: a section among all sections, otherwise into how many chunks it divides.
fn chunk_info(rendered: &Rendered, query: &TextQuery, blocks: Range<usize>) -> Result<Option<ChunkInfo>, EditError> {
    let sections = &rendered.sections;
    if let (Some(section), None, true) = (&query.section, &query.paragraphs, sections.len() > 1) {
        let index = find_section(sections, section, "section")?;
        let heading = sections.get(index).map(|section| section.heading.as_str()).unwrap_or_default();
        return Ok(Some(ChunkInfo {
            chunk_index: index,
            total_chunks: sections.len(),
            has_more: index + 1 < sections.len(),
            range: if heading.is_empty() { format!("section {index}") } else { heading.to_owned() },
        }));
    }
    let chunks = chunks::chunks(rendered, blocks, ChunkContent::Counts);
    let whole =
        || ChunkInfo { chunk_index: 0, total_chunks: chunks.len(), has_more: false, range: paragraph_range(&chunks) };
    Ok((chunks.len() > 1).then(whole))
}

/// The blocks that a query selects.
fn selected(rendered: &Rendered, query: &TextQuery, warnings: &mut Vec<String>) -> Result<Range<usize>, EditError> {
    let mut blocks = match &query.section {
        Some(section) => {
            let index = find_section(&rendered.sections, section, "section")?;
            warnings.extend(ambiguity(&rendered.sections, section, index));
            rendered.sections.get(index).map(|section| section.blocks.clone()).unwrap_or_default()
        }
        None => 0..rendered.blocks.len(),
    };
    if let Some(paragraphs) = &query.paragraphs {
        let among = paragraph_blocks(rendered, paragraphs)?;
        blocks = blocks.start.max(among.start)..blocks.end.min(among.end);
    }
    Ok(blocks)
}

/// The blocks from one paragraph to another, with the tables that follow the last.
fn paragraph_blocks(rendered: &Rendered, given: &str) -> Result<Range<usize>, EditError> {
    let wrong = |issue: DocumentIssue| EditError::new("paragraphs", issue);
    let (first, last) = given.split_once('-').unwrap_or((given, given));
    let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) else {
        return Err(wrong(DocumentIssue::InvalidParagraphs));
    };
    let place = |index: usize| {
        rendered
            .blocks
            .iter()
            .position(|block| matches!(block.kind, BlockKind::Paragraph { index: at, .. } if at >= index))
    };
    let Some(start) = place(first) else {
        return Err(wrong(DocumentIssue::NoParagraphFrom { index: first }));
    };
    let end = last.checked_add(1).and_then(place).unwrap_or(rendered.blocks.len());
    if end <= start {
        return Err(wrong(DocumentIssue::ReversedParagraphs { range: given.to_owned() }));
    }
    Ok(start..end)
}

fn add_notes(text: &mut String, rendered: &Rendered, blocks: Range<usize>, is_whole: bool) {
    let blocks = rendered.blocks.get(blocks).unwrap_or_default();
    let mut shown: Vec<usize> = if is_whole {
        (0..rendered.notes.len()).collect()
    } else {
        blocks.iter().flat_map(|block| block.notes.iter().copied()).collect()
    };
    shown.sort_unstable();
    shown.dedup();
    for (at, note) in shown.iter().filter_map(|at| rendered.notes.get(*at)).enumerate() {
        text.push_str(if at == 0 { "\n\n" } else { "\n" });
        text.push_str(&format!("[^{}]: {}", note.label, note.text));
    }
}

/// The notes that a chunk refers to. A chunk may divide a block, so they are found by the labels in its text.
fn notes_of(rendered: &Rendered, chunk: &str) -> Vec<NoteText> {
    let known: HashMap<&str, &NoteText> = rendered.notes.iter().map(|note| (note.label.as_str(), note)).collect();
    let mut seen = HashSet::new();
    let labels = chunk.split("[^").skip(1).filter_map(|rest| rest.split_once(']')).map(|(label, _)| label);
    let labels = labels.filter(|label| seen.insert(*label));
    labels.filter_map(|label| known.get(label).map(|note| (*note).clone())).collect()
}

fn add_headers_footers(text: &mut String, rendered: &Rendered) {
    let shown = rendered.headers_footers.iter().filter(|shown| !shown.text.trim().is_empty());
    for (at, shown) in shown.enumerate() {
        text.push_str(if at == 0 { "\n\n---\n" } else { "\n" });
        let kind = match shown.kind {
            HeaderFooterKind::Header => "Header",
            HeaderFooterKind::Footer => "Footer",
        };
        let pages = match shown.pages.as_str() {
            "first" => " (first page)",
            "even" => " (even pages)",
            _ => "",
        };
        text.push_str(&format!("[{kind}{pages}] {}", shown.text));
    }
}

/// The paragraphs of all chunks.
fn paragraph_range(chunks: &[Chunk]) -> String {
    let first = chunks.iter().find_map(|chunk| chunk.paragraphs).map(|(first, _)| first);
    let last = chunks.iter().rev().find_map(|chunk| chunk.paragraphs).map(|(_, last)| last);
    first.zip(last).map(chunks::range_text).unwrap_or_default()
}
