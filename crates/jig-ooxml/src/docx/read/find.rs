//! Where a text occurs in a document.

use jig_file_api::read::FindQuery;
use jig_file_api::read::docx::{DocumentMatch, DocumentMatches, DocumentPlace, HeaderFooterKind};

use super::MOST_LISTED;
use crate::docx::document::Document;
use crate::docx::render::notes::Comments;
use crate::docx::render::{BlockKind, RenderOptions, Rendered};
use crate::edit::EditError;
use crate::error::{DocumentIssue, Error};
use crate::search::{SearchPattern, snippet};

/// The default limit of listed matches.
const DEFAULT_RESULTS: usize = 50;

/// The occurrences of a text in body, tables, notes, headers, footers and comments. One match for each place, with how
/// often the text occurs there.
pub(in crate::docx) fn find(document: &Document, query: &FindQuery) -> Result<DocumentMatches, Error> {
    let text = query.query.as_deref().filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| EditError::new("query", DocumentIssue::NoQuery))?;
    let rendered = document.rendered(RenderOptions::default())?;
    let pattern = SearchPattern::new(text, query.match_case);
    let limit = query.max_results.unwrap_or(DEFAULT_RESULTS).min(MOST_LISTED);
    let mut search = Search { pattern, limit, matches: Vec::new(), match_count: 0, place_count: 0 };
    search.body(&rendered);
    for note in &rendered.notes {
        let label = note.label.clone();
        // Labels of endnotes begin with an `e`.
        search.look(&note.text, || match label.starts_with('e') {
            true => DocumentPlace::Endnote { note: label.clone() },
            false => DocumentPlace::Footnote { note: label.clone() },
        });
    }
    for shown in &rendered.headers_footers {
        let (pages, part) = (shown.pages.clone(), shown.part.clone());
        search.look(&shown.text, || match shown.kind {
            HeaderFooterKind::Header => DocumentPlace::Header { pages, part },
            HeaderFooterKind::Footer => DocumentPlace::Footer { pages, part },
        });
    }
    for (id, comment) in Comments::read(document)?.in_order() {
        let place = || DocumentPlace::Comment { comment: id.to_owned(), author: comment.author.clone() };
        search.look(&comment.text, place);
    }
    let Search { matches, match_count, place_count, .. } = search;
    let truncated = place_count > matches.len();
    Ok(DocumentMatches { matches, match_count, place_count, truncated, warnings: document.warnings(&rendered) })
}

struct Search {
    pattern: SearchPattern,
    limit: usize,
    matches: Vec<DocumentMatch>,
    match_count: usize,
    place_count: usize,
}

impl Search {
    fn body(&mut self, rendered: &Rendered) {
        let mut sections = rendered.sections.iter().enumerate().peekable();
        let mut current = None;
        for (at, block) in rendered.blocks.iter().enumerate() {
            while let Some(section) = sections.next_if(|(_, section)| section.blocks.start <= at) {
                current = Some(section);
            }
            let section_index = current.map(|(index, _)| index);
            let section = || current.map(|(_, section)| section.heading.clone()).unwrap_or_default();
            self.look(&block.text, || match block.kind {
                BlockKind::Table { index: table, .. } => {
                    DocumentPlace::Table { section_index, section: section(), table }
                }
                BlockKind::Paragraph { index, .. } => {
                    DocumentPlace::Body { section_index, section: section(), paragraph: Some(index) }
                }
                BlockKind::Empty => DocumentPlace::Body { section_index, section: section(), paragraph: None },
            });
        }
    }

    fn look(&mut self, text: &str, place: impl FnOnce() -> DocumentPlace) {
        let found = self.pattern.find_all(text);
        let Some(first) = found.first() else { return };
        self.match_count += found.len();
        self.place_count += 1;
        if self.matches.len() < self.limit {
            self.matches.push(DocumentMatch { place: place(), count: found.len(), snippet: snippet(text, first) });
        }
    }
}
