//! Which lines of a text contain another one.

use jig_file_api::read::text::LineMatch;

use super::Text;
use super::search::{Case, Haystack};

/// Characters shown on either side of what was found.
const AROUND: usize = 80;

impl Text {
    /// The lines in which a text begins, in order.
    #[must_use]
    pub fn find(&self, query: &str, match_case: bool) -> Vec<LineMatch> {
        let haystack = Haystack::new(self.content(), self.line_ending(), Case::of(match_case));
        let mut hits: Vec<LineMatch> = Vec::new();
        for found in haystack.find_all(query) {
            let at = self.line_at(found.start);
            match hits.last_mut().filter(|hit| hit.line == at + 1) {
                Some(hit) => hit.count += 1,
                None => {
                    let line = self.raw_lines(at, at + 1);
                    let start = found.start - self.start_of(at);
                    let column = line.get(..start).unwrap_or_default().chars().count() + 1;
                    hits.push(LineMatch { line: at + 1, column, count: 1, snippet: snippet(line, start, found.len()) });
                }
            }
        }
        hits
    }
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
