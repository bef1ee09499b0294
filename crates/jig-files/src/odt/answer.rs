//! Replies about a document: its map, its text, search hits.

use std::ops::Range;

use jig_file_api::read::docx::SectionRef;
use jig_ooxml::docx::sections::{ambiguity, find_section};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Block, Document, What};
use crate::engine::FileError;
use crate::params::parse;
use crate::text::find::snippet;
use crate::text::search::{Case, Haystack};
use jig_text::LineEnding;

/// Entries of a list in a map.
const MOST: usize = 2_000;

#[derive(Deserialize)]
struct NoParams {}

#[derive(Deserialize)]
struct TextParams {
    #[serde(alias = "section_index")]
    section: Option<SectionRef>,
    include_headers_footers: Option<bool>,
    // Dealt with by the pages that the text is given in.
    #[serde(rename = "max_tokens")]
    _max_tokens: Option<Value>,
    #[serde(rename = "cursor")]
    _cursor: Option<Value>,
}

#[derive(Deserialize)]
struct FindParams {
    #[serde(alias = "search", alias = "find")]
    query: Option<String>,
    #[serde(default)]
    match_case: bool,
    max_results: Option<usize>,
}

pub(super) fn map(document: &Document, params: &Value, warnings: &mut Vec<String>) -> Result<Value, FileError> {
    let NoParams {} = parse(params, warnings)?;
    let Document { sections, counts, notes, margins, .. } = document;
    let in_sections = || {
        sections.iter().enumerate().flat_map(|(at, section)| {
            let blocks = document.blocks.get(section.blocks.clone()).unwrap_or_default();
            blocks.iter().map(move |block| (at, section, block))
        })
    };
    let tables = in_sections().filter_map(|(at, section, block)| match block.what {
        What::Table { rows, columns } => Some((at, section, rows, columns)),
        _ => None,
    });
    let tables = tables.enumerate().map(|(index, (at, section, rows, columns))| {
        json!({ "index": index, "section": section.heading, "section_index": at, "rows": rows, "cols": columns })
    });
    let images = in_sections().flat_map(|(at, section, block)| block.images.iter().map(move |one| (at, section, one)));
    let images = images.enumerate().map(|(index, (at, section, words))| {
        json!({ "index": index, "section": section.heading, "section_index": at, "alt_text": words })
    });
    let entries = sections.iter().enumerate().map(|(at, section)| {
        let blocks = document.blocks.get(section.blocks.clone()).unwrap_or_default();
        json!({
            "index": at,
            "heading": section.heading,
            "level": section.level,
            "char_count": join(document, section.blocks.clone()).chars().count(),
            "has_tables": blocks.iter().any(|block| matches!(block.what, What::Table { .. })),
            "has_images": blocks.iter().any(|block| !block.images.is_empty()),
        })
    });
    let margins: Vec<Value> =
        margins.iter().map(|one| json!({ "kind": one.kind, "pages": one.pages, "text": one.text })).collect();
    let endnotes = notes.iter().filter(|note| note.endnote).count();
    Ok(json!({
        "sections": capped(entries, "sections", warnings),
        "tables": capped(tables, "tables", warnings),
        "images": capped(images, "images", warnings),
        "has_headers_footers": !margins.is_empty(),
        "headers_footers": margins,
        "total_char_count": join(document, 0..document.blocks.len()).chars().count(),
        "paragraph_count": document.blocks.iter().filter(|block| !matches!(block.what, What::Table { .. })).count(),
        "comments": counts.comments,
        "footnotes": notes.len() - endnotes,
        "endnotes": endnotes,
        "text_boxes": counts.text_boxes,
        "objects": counts.objects,
        "has_tracked_changes": counts.insertions + counts.deletions + counts.formatting > 0,
        "tracked_changes": {
            "insertions": counts.insertions, "deletions": counts.deletions, "formatting": counts.formatting,
        },
    }))
}

fn capped(entries: impl Iterator<Item = Value>, what: &str, warnings: &mut Vec<String>) -> Vec<Value> {
    let mut all: Vec<Value> = entries.collect();
    if all.len() > MOST {
        warnings.push(format!("{what}: the first {MOST} of {} are listed", all.len()));
        all.truncate(MOST);
    }
    all
}

pub(super) fn text(document: &Document, params: &Value, warnings: &mut Vec<String>) -> Result<Value, FileError> {
    let params: TextParams = parse(params, warnings)?;
    let blocks = match &params.section {
        None => 0..document.blocks.len(),
        Some(section) => {
            let index = find_section(&document.sections, section, "section")?;
            warnings.extend(ambiguity(&document.sections, section, index));
            document.sections.get(index).map(|section| section.blocks.clone()).unwrap_or_default()
        }
    };
    let mut text = join(document, blocks.clone());
    let cited = document.blocks.get(blocks).unwrap_or_default().iter().flat_map(|block| &block.notes);
    for (at, note) in cited.filter_map(|at| document.notes.get(*at)).enumerate() {
        text.push_str(if at == 0 { "\n\n" } else { "\n" });
        text.push_str(&format!("[^{}]: {}", note.label, note.text));
    }
    if params.include_headers_footers.unwrap_or(params.section.is_none()) {
        for (at, margin) in document.margins.iter().enumerate() {
            text.push_str(if at == 0 { "\n\n---\n" } else { "\n" });
            let kind = if margin.kind == "header" { "Header" } else { "Footer" };
            let pages = match margin.pages {
                "first" => " (first page)",
                "even" => " (even pages)",
                _ => "",
            };
            text.push_str(&format!("[{kind}{pages}] {}", margin.text));
        }
    }
    Ok(json!({ "text": text }))
}

/// The text of blocks: one line each, tables and headings set apart by an empty line.
fn join(document: &Document, blocks: Range<usize>) -> String {
    let blocks = document.blocks.get(blocks).unwrap_or_default().iter().filter(|block| !block.text.is_empty());
    let mut out = String::new();
    let mut before: Option<&Block> = None;
    for block in blocks {
        let apart = !matches!(block.what, What::Paragraph);
        let after_table = before.is_some_and(|before| matches!(before.what, What::Table { .. }));
        if before.is_some() {
            out.push_str(if apart || after_table { "\n\n" } else { "\n" });
        }
        out.push_str(&block.text);
        before = Some(block);
    }
    out
}

pub(super) fn find(document: &Document, params: &Value, warnings: &mut Vec<String>) -> Result<Value, FileError> {
    let params: FindParams = parse(params, warnings)?;
    let query = params.query.filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| FileError::invalid("query: a text to look for is needed"))?;
    let case = Case::of(params.match_case);
    let mut found = SearchHits {
        query,
        case,
        most: params.max_results.unwrap_or(50).min(1_000),
        matches: Vec::new(),
        total: 0,
        places: 0,
    };
    let mut table = 0;
    for (at, section) in document.sections.iter().enumerate() {
        let blocks = document.blocks.get(section.blocks.clone()).unwrap_or_default();
        for (offset, block) in blocks.iter().enumerate() {
            let place = if matches!(block.what, What::Table { .. }) {
                table += 1;
                json!({ "place": "table", "section_index": at, "section": section.heading, "table": table - 1 })
            } else {
                let paragraph = section.blocks.start + offset;
                json!({ "place": "body", "section_index": at, "section": section.heading, "block": paragraph })
            };
            found.look(&block.text, place);
        }
    }
    for note in &document.notes {
        let kind = if note.endnote { "endnote" } else { "footnote" };
        found.look(&note.text, json!({ "place": kind, "note": note.label }));
    }
    for margin in &document.margins {
        found.look(&margin.text, json!({ "place": margin.kind, "pages": margin.pages }));
    }
    Ok(json!({
        "truncated": found.places > found.matches.len(),
        "matches": found.matches,
        "match_count": found.total,
        "place_count": found.places,
    }))
}

struct SearchHits {
    query: String,
    case: Case,
    most: usize,
    matches: Vec<Value>,
    total: usize,
    places: usize,
}

impl SearchHits {
    fn look(&mut self, text: &str, mut place: Value) {
        let hits = Haystack::new(text, LineEnding::Lf, self.case).find_all(&self.query);
        let Some(first) = hits.first() else { return };
        self.total += hits.len();
        self.places += 1;
        if self.matches.len() < self.most {
            place["count"] = hits.len().into();
            place["snippet"] = snippet(text, first.start, first.len()).into();
            self.matches.push(place);
        }
    }
}
