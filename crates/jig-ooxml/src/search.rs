//! Searching a text, with or without regard to case.

use std::ops::Range;

use memchr::memmem::Finder;

/// A search text, prepared once for all texts in which it is searched.
#[derive(Debug, Clone)]
pub(crate) struct SearchPattern {
    /// Empty for an empty search text.
    finder: Finder<'static>,
    match_case: bool,
}

impl SearchPattern {
    /// A pattern; line ends in it are `\n`.
    pub(crate) fn new(text: &str, match_case: bool) -> Self {
        let text = text.replace("\r\n", "\n");
        let text = if match_case { text } else { folded(&text) };
        Self { finder: Finder::new(&text).into_owned(), match_case }
    }

    /// All matches in a text, from left to right without overlaps. An empty pattern has none.
    pub(crate) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let length = self.finder.needle().len();
        if length == 0 {
            return Vec::new();
        }
        if self.match_case {
            return self.finder.find_iter(text.as_bytes()).map(|at| at..at + length).collect();
        }
        let lower = folded(text);
        let mut found = self.finder.find_iter(lower.as_bytes()).peekable();
        if found.peek().is_none() {
            return Vec::new();
        }
        if text.is_ascii() {
            return found.map(|at| at..at + length).collect();
        }
        // Lower case can have another length, so positions are mapped back by the starts of characters.
        let bounds = bounds(text);
        let original =
            |at: usize| bounds.binary_search_by_key(&at, |(folded, _)| *folded).ok().and_then(|i| bounds.get(i));
        found
            // A match that begins or ends inside the lower case of one character does not consist of complete characters.
            .filter_map(|at| Some(original(at)?.1..original(at + length)?.1))
            .filter(|range| range.start < range.end)
            .collect()
    }
}

fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Where each character begins in the folded text and in the text itself, and where both end.
fn bounds(text: &str) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut bounds = Vec::with_capacity(text.len() + 1);
    for (index, c) in text.char_indices() {
        bounds.push((at, index));
        at += c.to_lowercase().map(char::len_utf8).sum::<usize>();
    }
    bounds.push((at, text.len()));
    bounds
}

/// Characters on either side of a match in its snippet.
const SNIPPET_CONTEXT: usize = 60;

/// A match on one line with the text around it, and an ellipsis where the text is cut off.
pub(crate) fn snippet(text: &str, found: &Range<usize>) -> String {
    let (before, after) = (text.get(..found.start).unwrap_or_default(), text.get(found.end..).unwrap_or_default());
    let start = before.char_indices().rev().nth(SNIPPET_CONTEXT - 1).map_or(0, |(at, _)| at);
    let end = found.end + after.char_indices().nth(SNIPPET_CONTEXT).map_or(after.len(), |(at, _)| at);
    let shown = text.get(start..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let (front, back) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    format!("{front}{shown}{back}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, match_case: bool, text: &str) -> Vec<(usize, usize)> {
        let found = SearchPattern::new(pattern, match_case).find_all(text);
        found.into_iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn case_matters_only_when_asked() {
        assert_eq!(found("Über", false, "über ÜBER Über"), [(0, 5), (6, 11), (12, 17)]);
        assert_eq!(found("Über", true, "über ÜBER Über"), [(12, 17)]);
        assert_eq!(found("B", true, "abc"), []);
        assert_eq!(found("strasse", false, "Straße STRASSE"), [(8, 15)]);
    }

    #[test]
    fn matches_do_not_overlap_and_an_empty_pattern_has_none() {
        assert_eq!(found("aa", true, "aaaaa"), [(0, 2), (2, 4)]);
        assert_eq!(found("", true, "a"), []);
        assert_eq!(found("", false, "a"), []);
    }

    #[test]
    fn characters_that_fold_to_several_are_matched_whole() {
        // The dotted capital I becomes two characters in lower case.
        assert_eq!(found("i", false, "İ"), []);
        assert_eq!(found("İstanbul", false, "in İstanbul"), [(3, 12)]);
        assert_eq!(found("ISTANBUL", false, "İstanbul istanbul"), [(10, 18)]);
    }

    #[test]
    fn a_snippet_is_one_line_around_the_match() {
        let text = format!("{} a\nb {}", "x".repeat(70), "y".repeat(70));
        let shown = format!("…{} a b {}…", "x".repeat(59), "y".repeat(57));
        assert_eq!(snippet(&text, &(71..72)), shown);
        assert_eq!(snippet("a b", &(0..1)), "a b");
    }
}
