//! Finding a text in another, with or without regard to case.

use std::ops::Range;

use memchr::memmem::Finder;

/// What is looked for.
#[derive(Debug, Clone)]
pub(super) struct Needle {
    /// Prepared once for all paragraphs; empty when nothing is looked for.
    finder: Finder<'static>,
    match_case: bool,
}

impl Needle {
    pub(super) fn new(text: &str, match_case: bool) -> Self {
        let text = text.replace("\r\n", "\n");
        let text = if match_case { text } else { folded(&text) };
        Self { finder: Finder::new(&text).into_owned(), match_case }
    }

    /// All places, from left to right, none over another.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
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
        let bounds = bounds(text);
        let whole =
            |at: usize| bounds.binary_search_by_key(&at, |(folded, _)| *folded).ok().and_then(|i| bounds.get(i));
        found
            // A match may begin or end inside what one character became; such a one is none.
            .filter_map(|at| Some(whole(at)?.1..whole(at + length)?.1))
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

/// Where each character begins, in the folded text and in the text itself; the ends too.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(needle: &str, match_case: bool, text: &str) -> Vec<(usize, usize)> {
        Needle::new(needle, match_case).find_all(text).into_iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn case_matters_only_when_asked() {
        assert_eq!(found("Über", false, "über ÜBER Über"), [(0, 5), (6, 11), (12, 17)]);
        assert_eq!(found("Über", true, "über ÜBER Über"), [(12, 17)]);
        assert_eq!(found("aa", true, "aaaaa"), [(0, 2), (2, 4)]);
        assert_eq!(found("", true, "a"), []);
    }

    #[test]
    fn characters_that_fold_to_several_are_taken_whole() {
        // The dotted capital I becomes two characters in lower case.
        assert_eq!(found("i", false, "İ"), []);
        assert_eq!(found("İstanbul", false, "in İstanbul"), [(3, 12)]);
    }
}
