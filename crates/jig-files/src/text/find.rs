//! `TextFind`: which lines have a text.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Text;
use super::search::{Case, Haystack};
use crate::engine::FileError;

#[derive(Deserialize)]
pub(super) struct Params {
    #[serde(alias = "search", alias = "find")]
    query: Option<String>,
    #[serde(default)]
    match_case: bool,
    max_results: Option<usize>,
}

/// Hits that an answer has unless the caller says otherwise, and at most.
const USUAL: usize = 50;
const MOST: usize = 1_000;
/// Characters shown on either side of what was found.
const AROUND: usize = 80;

/// A line that has a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHit {
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// How often the text begins in this line.
    pub count: usize,
    /// The first place with some of what is around it.
    pub snippet: String,
}

impl Text {
    /// The lines in which a text begins, in order.
    #[must_use]
    pub fn find(&self, query: &str, match_case: bool) -> Vec<LineHit> {
        let haystack = Haystack::new(self.content(), self.line_ending(), Case::of(match_case));
        let mut hits: Vec<LineHit> = Vec::new();
        for found in haystack.find_all(query) {
            let at = self.line_at(found.start);
            match hits.last_mut().filter(|hit| hit.line == at + 1) {
                Some(hit) => hit.count += 1,
                None => {
                    let line = self.raw_lines(at, at + 1);
                    let start = found.start - self.start_of(at);
                    let column = line.get(..start).unwrap_or_default().chars().count() + 1;
                    hits.push(LineHit { line: at + 1, column, count: 1, snippet: snippet(line, start, found.len()) });
                }
            }
        }
        hits
    }
}

pub(super) fn find(text: &Text, params: &Params) -> Result<Value, FileError> {
    let query = params.query.as_deref().filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| FileError::invalid("query: a text to look for is needed"))?;
    let hits = text.find(query, params.match_case);
    let most = params.max_results.unwrap_or(USUAL).min(MOST);
    let shown = hits.iter().take(most);
    let shown: Vec<Value> = shown
        .map(|hit| json!({ "line": hit.line, "column": hit.column, "count": hit.count, "snippet": hit.snippet }))
        .collect();
    Ok(json!({
        "truncated": shown.len() < hits.len(),
        "matches": shown,
        "match_count": hits.iter().map(|hit| hit.count).sum::<usize>(),
        "place_count": hits.len(),
    }))
}

/// A piece of a line around a place in it, on one line itself.
pub(crate) fn snippet(line: &str, at: usize, length: usize) -> String {
    let (before, rest) = line.split_at_checked(at).unwrap_or((line, ""));
    let start = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let found = rest.get(..length).unwrap_or(rest);
    let found_end = found.char_indices().nth(2 * AROUND).map_or(found.len(), |(at, _)| at);
    let after = rest.get(found_end..).unwrap_or_default();
    let end = after.char_indices().nth(AROUND).map_or(after.len(), |(at, _)| at);
    let shown = line.get(start..at + found_end + end).unwrap_or_default();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut_behind = !after.get(end..).unwrap_or_default().trim().is_empty();
    format!("{}{shown}{}", if start > 0 { "…" } else { "" }, if cut_behind { "…" } else { "" })
}
