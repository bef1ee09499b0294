//! `PptxFind`: where a text stands in the deck.

use serde_json::{Value, json};

use super::{Reading, extract, graphic};
use crate::edit::EditError;
use crate::error::Error;
use crate::pptx::page::{Depth, Page};
use crate::pptx::search::{Case, find_all};
use crate::pptx::shape::{Shape, ShapeKind, flat};
use crate::pptx::text::{body_text, one_line};

/// Matches that are listed when the call does not say how many.
const DEFAULT_RESULTS: usize = 50;
/// Matches that are listed at most.
const MAX_RESULTS: usize = 1_000;
/// Characters around a match in its snippet.
const AROUND: usize = 60;

pub(super) fn find(reading: &Reading<'_>, params: &Value) -> Result<Value, Error> {
    let query = params.get("query").and_then(Value::as_str).filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| EditError::new("query", "missing: the text to look for"))?;
    let case = Case::matching(params.get("match_case").and_then(Value::as_bool).unwrap_or(false));
    let limit = super::index_param(params, &["max_results"])?.unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS);
    let mut found = Search { query, case, limit, matches: Vec::new(), count: 0 };
    let mut warnings = Vec::new();
    for number in 0..reading.presentation.slides.len() {
        if let Err(error) = slide(reading, number, &mut found) {
            warnings.push(format!("slide {number} cannot be read: {error}"));
        }
    }
    let cut = found.count > found.matches.len();
    Ok(
        json!({"query": query, "matches": found.matches, "match_count": found.count, "has_more": cut, "warnings": warnings}),
    )
}

fn slide(reading: &Reading<'_>, number: usize, found: &mut Search<'_>) -> Result<(), Error> {
    let page = reading.page(number, Depth::Slide)?;
    let notes = reading.notes(&page)?;
    page.view(reading.package.limits(), |_, shapes| {
        for shape in flat(shapes) {
            in_shape(reading, &page, number, shape, found);
        }
        Ok(())
    })?;
    if let Some(notes) = notes {
        found.look(&notes, &json!({"slide_index": number, "where": "notes"}));
    }
    Ok(())
}

fn in_shape(reading: &Reading<'_>, page: &Page, number: usize, shape: &Shape<'_>, found: &mut Search<'_>) {
    let place = |kind: &str| {
        json!({
            "slide_index": number,
            "shape_index": shape.address.first(),
            "shape_address": shape.address(),
            "shape_name": shape.name(),
            "where": kind,
        })
    };
    if let Some(body) = shape.body() {
        found.look(&body_text(body), &place("text"));
    }
    for (row, cells) in shape.table().map(extract::cells).unwrap_or_default().iter().enumerate() {
        for (col, cell) in cells.iter().enumerate() {
            let mut place = place("table");
            if let Some(place) = place.as_object_mut() {
                place.insert("row".to_owned(), row.into());
                place.insert("col".to_owned(), col.into());
            }
            found.look(cell, &place);
        }
    }
    if shape.kind == ShapeKind::Chart
        && let Some(title) = graphic::chart_title(&reading.package, &page.relationships, shape.node)
    {
        found.look(&title, &place("chart"));
    }
    if shape.kind == ShapeKind::SmartArt {
        for line in graphic::diagram_lines(&reading.package, &page.relationships, shape.node).unwrap_or_default() {
            found.look(&line, &place("smart_art"));
        }
    }
}

struct Search<'a> {
    query: &'a str,
    case: Case,
    limit: usize,
    matches: Vec<Value>,
    count: usize,
}

impl Search<'_> {
    fn look(&mut self, text: &str, place: &Value) {
        for range in find_all(text, self.query, self.case) {
            self.count += 1;
            if self.matches.len() >= self.limit {
                continue;
            }
            let mut found = place.clone();
            if let Some(found) = found.as_object_mut() {
                found.insert("snippet".to_owned(), snippet(text, range.start, range.end).into());
            }
            self.matches.push(found);
        }
    }
}

/// The text around a match on one line, with marks where it was cut.
fn snippet(text: &str, start: usize, end: usize) -> String {
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let from = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let to = end + after.char_indices().nth(AROUND).map_or(after.len(), |(at, _)| at);
    let cut = |yes: bool| if yes { "…" } else { "" };
    let middle = one_line(text.get(from..to).unwrap_or_default());
    format!("{}{middle}{}", cut(from > 0), cut(to < text.len()))
}
