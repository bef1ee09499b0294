//! Finding text without regard to case, with places in the text as it is written.

use std::ops::Range;

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// As they are.
    Match,
    /// Upper and lower case are one.
    Ignore,
}

impl Case {
    /// From a parameter `match_case`.
    pub(super) fn matching(matched: bool) -> Self {
        if matched { Self::Match } else { Self::Ignore }
    }
}

/// The places of a needle in a text, none overlapping. An empty needle is nowhere.
pub(super) fn find_all(text: &str, needle: &str, case: Case) -> Vec<Range<usize>> {
    if needle.is_empty() {
        return Vec::new();
    }
    match case {
        Case::Match => text.match_indices(needle).map(|(at, found)| at..at + found.len()).collect(),
        Case::Ignore => find_folded(text, needle),
    }
}

fn find_folded(text: &str, needle: &str) -> Vec<Range<usize>> {
    let folded: String = needle.chars().flat_map(char::to_lowercase).collect();
    // Lower case may have another length, so each byte of it remembers the character it came from.
    let mut lower = String::with_capacity(text.len());
    let mut origin: Vec<(usize, usize)> = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let from = lower.len();
        lower.extend(c.to_lowercase());
        origin.extend(std::iter::repeat_n((at, at + c.len_utf8()), lower.len() - from));
    }
    let found = lower.match_indices(&folded).filter_map(|(at, found)| {
        let start = origin.get(at)?.0;
        let end = origin.get(at + found.len() - 1)?.1;
        Some(start..end)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_text() {
        let cases = [
            ("Straße STRASSE", "strasse", Case::Ignore, vec![(8, 15)]),
            ("İstanbul istanbul", "ISTANBUL", Case::Ignore, vec![(10, 18)]),
            ("aaa", "aa", Case::Match, vec![(0, 2)]),
            ("ÄÖ äö", "äö", Case::Ignore, vec![(0, 4), (5, 9)]),
            ("abc", "B", Case::Match, vec![]),
            ("abc", "", Case::Ignore, vec![]),
        ];
        for (text, needle, case, wanted) in cases {
            let found: Vec<(usize, usize)> =
                find_all(text, needle, case).into_iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(found, wanted, "{needle} in {text}");
        }
    }
}
