//! `DocxExtractText`.
//!
//! The text is plain but for what Markdown has a sign for: `#` before headings, tables, `-` or its number
//! before an item of a list, `[^1]` for notes, whose texts follow at the end. What is no text stands in
//! brackets: `[image: …]`, `[chart: …]`, `[diagram: …]`, `[text box] …`. Headers and footers come last,
//! behind a line, and only with the whole document unless they are asked for.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::chunks::{self, Chunk, Keep};
use super::render::{BlockKind, Options, Rendered};
use super::{Document, params};
use crate::docx::inline::View;
use crate::docx::sections::{ambiguity, find_section};
use crate::edit::EditError;
use crate::error::Error;

#[derive(Deserialize)]
struct Params {
    /// A heading's text, or an index from 0.
    #[serde(alias = "section_index")]
    section: Option<Value>,
    /// One chunk of what would be given, from 0.
    #[serde(alias = "chunk_index")]
    chunk: Option<usize>,
    /// Paragraphs by index, `4-9`, as the map's chunks name them, with the tables among them.
    paragraphs: Option<String>,
    #[serde(default)]
    view: View,
    #[serde(default)]
    include_deleted: bool,
    include_headers_footers: Option<bool>,
}

/// The text of the document, of a section, of some paragraphs, or of one chunk of these.
pub(super) fn extract(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let params: Params = params::parse(given, warnings)?;
    let options = Options { view: params.view, deleted: params.include_deleted };
    let rendered = document.rendered(options)?;
    warnings.extend(rendered.warnings.iter().cloned());
    let whole = params.section.is_none() && params.paragraphs.is_none();
    let blocks = chosen(&rendered, &params, warnings)?;
    let keep = if params.chunk.is_some() { Keep::Text } else { Keep::Counts };
    let parts = chunks::chunks(&rendered, blocks.clone(), keep);
    if let Some(index) = params.chunk {
        let Some(chunk) = parts.get(index) else { return Err(no_chunk(index, parts.len()).into()) };
        let info = info(index, parts.len(), index + 1 < parts.len(), &chunk.range());
        let mut result = json!({ "text": chunk.text, "chunk_info": info });
        let notes = notes_of(&rendered, &chunk.text);
        if let (Some(object), false) = (result.as_object_mut(), notes.is_empty()) {
            object.insert("notes".to_owned(), notes.into());
        }
        return Ok(result);
    }
    let mut text = chunks::text(&rendered, blocks.clone());
    add_notes(&mut text, &rendered, blocks, whole);
    if whole && params.include_headers_footers.unwrap_or(true) || params.include_headers_footers == Some(true) {
        add_margins(&mut text, &rendered);
    }
    let mut result = Map::from_iter([("text".to_owned(), text.into())]);
    let sections = rendered.sections.len();
    if let Some(index) = section_read(&rendered, &params, sections)? {
        let heading = rendered.sections.get(index).map(|section| section.heading.as_str()).unwrap_or_default();
        let range = if heading.is_empty() { format!("section {index}") } else { heading.to_owned() };
        result.insert("chunk_info".to_owned(), info(index, sections, index + 1 < sections, &range));
    } else if parts.len() > 1 {
        // Everything is here; the number of chunks says into how many smaller reads it divides.
        result.insert("chunk_info".to_owned(), info(0, parts.len(), false, &range_of(&parts)));
    }
    Ok(result.into())
}

/// The section that is read completely, in a document with several: sections are what the map divides it into.
fn section_read(rendered: &Rendered, params: &Params, sections: usize) -> Result<Option<usize>, Error> {
    match &params.section {
        Some(section) if params.paragraphs.is_none() && sections > 1 => {
            Ok(Some(find_section(&rendered.sections, section, "section")?))
        }
        _ => Ok(None),
    }
}

fn chosen(rendered: &Rendered, params: &Params, warnings: &mut Vec<String>) -> Result<Range<usize>, Error> {
    let mut blocks = match &params.section {
        Some(section) => {
            let index = find_section(&rendered.sections, section, "section")?;
            warnings.extend(ambiguity(&rendered.sections, section, index));
            rendered.sections.get(index).map(|section| section.blocks.clone()).unwrap_or_default()
        }
        None => 0..rendered.blocks.len(),
    };
    if let Some(paragraphs) = &params.paragraphs {
        let wanted = among(rendered, paragraphs)?;
        blocks = blocks.start.max(wanted.start)..blocks.end.min(wanted.end);
    }
    Ok(blocks)
}

/// The blocks from one paragraph to another, with the tables that follow the last.
fn among(rendered: &Rendered, given: &str) -> Result<Range<usize>, EditError> {
    let wrong = |why: String| EditError::new("paragraphs", why);
    let (first, last) = given.split_once('-').unwrap_or((given, given));
    let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) else {
        return Err(wrong("paragraphs are given by their indexes, such as 4-9".to_owned()));
    };
    let place = |index: usize| {
        rendered
            .blocks
            .iter()
            .position(|block| matches!(block.what, BlockKind::Paragraph { index: at, .. } if at >= index))
    };
    let Some(start) = place(first) else {
        return Err(wrong(format!("there is no paragraph {first}")));
    };
    let end = last.checked_add(1).and_then(place).unwrap_or(rendered.blocks.len());
    if end <= start {
        return Err(wrong(format!("{given} ends before it begins")));
    }
    Ok(start..end)
}

fn add_notes(text: &mut String, rendered: &Rendered, blocks: Range<usize>, whole: bool) {
    let blocks = rendered.blocks.get(blocks).unwrap_or_default();
    let mut wanted: Vec<usize> = if whole {
        (0..rendered.notes.len()).collect()
    } else {
        blocks.iter().flat_map(|block| block.notes.iter().copied()).collect()
    };
    wanted.sort_unstable();
    wanted.dedup();
    for (at, (label, note)) in wanted.iter().filter_map(|at| rendered.notes.get(*at)).enumerate() {
        text.push_str(if at == 0 { "\n\n" } else { "\n" });
        text.push_str(&format!("[^{label}]: {note}"));
    }
}

/// The notes that a chunk refers to. They stand beside it, so that it keeps its length.
fn notes_of(rendered: &Rendered, chunk: &str) -> Vec<Value> {
    let known: HashMap<&str, &str> =
        rendered.notes.iter().map(|(label, text)| (label.as_str(), text.as_str())).collect();
    let mut seen = HashSet::new();
    let labels = chunk.split("[^").skip(1).filter_map(|rest| rest.split_once(']')).map(|(label, _)| label);
    let labels = labels.filter(|label| seen.insert(*label));
    labels.filter_map(|label| Some(json!({ "label": label, "text": known.get(label)? }))).collect()
}

fn add_margins(text: &mut String, rendered: &Rendered) {
    let shown = rendered.margins.iter().filter(|margin| !margin.text.trim().is_empty());
    for (at, margin) in shown.enumerate() {
        text.push_str(if at == 0 { "\n\n---\n" } else { "\n" });
        let kind = if margin.kind == "header" { "Header" } else { "Footer" };
        let pages = match margin.pages.as_str() {
            "first" => " (first page)",
            "even" => " (even pages)",
            _ => "",
        };
        text.push_str(&format!("[{kind}{pages}] {}", margin.text));
    }
}

fn no_chunk(index: usize, total: usize) -> EditError {
    let why = match total {
        0 => "there is no text, so there are no chunks".to_owned(),
        _ => format!("there is no chunk {index}; there are chunks 0 to {}", total - 1),
    };
    EditError::new("chunk", why)
}

fn info(index: usize, total: usize, more: bool, range: &str) -> Value {
    json!({ "chunk_index": index, "total_chunks": total, "has_more": more, "range": range })
}

fn range_of(parts: &[Chunk]) -> String {
    let first = parts.iter().find_map(|chunk| chunk.paragraphs).map(|(first, _)| first);
    let last = parts.iter().rev().find_map(|chunk| chunk.paragraphs).map(|(_, last)| last);
    first.zip(last).map(chunks::written).unwrap_or_default()
}
