//! Where a text occurs in a presentation.

use jig_file_api::read::FindQuery;
use jig_file_api::read::pptx::{CellPlace, DeckMatches, ShapePlace, SlideMatch, SlidePlace};

use super::text::{chart_title, smart_art_texts, table_texts};
use crate::edit::EditError;
use crate::error::{DeckIssue, Error};
use crate::pptx::deck::DeckReader;
use crate::pptx::shape::{Shape, ShapeKind, flat};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::text::body_text;
use crate::search::{SearchPattern, snippet};

/// The default limit of listed matches.
const DEFAULT_RESULTS: usize = 50;
/// The most matches in one reply.
const MAX_RESULTS: usize = 1_000;

pub(in crate::pptx) fn find(deck: &DeckReader<'_>, query: &FindQuery) -> Result<DeckMatches, Error> {
    let text = query.query.as_deref().filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| EditError::new("query", DeckIssue::Missing { what: "the text to search for" }))?;
    let limit = query.max_results.unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS);
    let pattern = SearchPattern::new(text, query.match_case);
    let mut search = Search { pattern, limit, matches: Vec::new(), match_count: 0 };
    let mut warnings = Vec::new();
    for index in 0..deck.presentation.slides.len() {
        if let Err(error) = search.slide(deck, index) {
            warnings.push(format!("slide {index} cannot be read: {error}"));
        }
    }
    let Search { matches, match_count, .. } = search;
    let has_more = match_count > matches.len();
    Ok(DeckMatches { query: text.to_owned(), matches, match_count, has_more, warnings })
}

struct Search {
    pattern: SearchPattern,
    limit: usize,
    matches: Vec<SlideMatch>,
    match_count: usize,
}

/// Where a text is looked for.
#[derive(Clone, Copy)]
struct Place<'a, 't> {
    slide_index: usize,
    shape: Option<&'a Shape<'t>>,
    kind: SlidePlace,
    cell: Option<CellPlace>,
}

impl Search {
    fn slide(&mut self, deck: &DeckReader<'_>, slide_index: usize) -> Result<(), Error> {
        let slide = deck.slide(slide_index, Inherited::Skip)?;
        let notes = deck.notes(&slide)?;
        slide.view(deck.package.limits(), |_, shapes| {
            for shape in flat(shapes) {
                self.shape(deck, &slide, slide_index, shape);
            }
            Ok(())
        })?;
        if let Some(notes) = notes {
            self.look(&notes, Place { slide_index, shape: None, kind: SlidePlace::Notes, cell: None });
        }
        Ok(())
    }

    fn shape(&mut self, deck: &DeckReader<'_>, slide: &Slide, slide_index: usize, shape: &Shape<'_>) {
        let place = |kind: SlidePlace| Place { slide_index, shape: Some(shape), kind, cell: None };
        if let Some(body) = shape.body() {
            self.look(&body_text(body), place(SlidePlace::Text));
        }
        for (row, cells) in shape.table().map(table_texts).unwrap_or_default().iter().enumerate() {
            for (col, cell) in cells.iter().enumerate() {
                self.look(cell, Place { cell: Some(CellPlace { row, col }), ..place(SlidePlace::Table) });
            }
        }
        if shape.kind == ShapeKind::Chart
            && let Some(title) = chart_title(&deck.package, &slide.relationships, shape.node)
        {
            self.look(&title, place(SlidePlace::Chart));
        }
        if shape.kind == ShapeKind::SmartArt {
            for text in smart_art_texts(&deck.package, &slide.relationships, shape.node).unwrap_or_default() {
                self.look(&text, place(SlidePlace::SmartArt));
            }
        }
    }

    fn look(&mut self, text: &str, place: Place<'_, '_>) {
        for range in self.pattern.find_all(text) {
            self.match_count += 1;
            if self.matches.len() < self.limit {
                self.matches.push(SlideMatch {
                    slide_index: place.slide_index,
                    shape: place.shape.map(shape_place),
                    place: place.kind,
                    cell: place.cell,
                    snippet: snippet(text, &range),
                });
            }
        }
    }
}

/// A shape as replies name it.
pub(super) fn shape_place(shape: &Shape<'_>) -> ShapePlace {
    ShapePlace { shape_index: shape.address.first().copied(), shape_address: shape.address(), shape_name: shape.name() }
}
