//! Finding a text in a text, whatever the case of its letters and the way its lines end.

use std::borrow::Cow;
use std::ops::Range;

use jig_text::LineEnding;

/// Places that are looked for at most; one more is given to show that there are more.
pub(crate) const MOST_HITS: usize = 1_000_000;

/// What counts as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Letters must be the same.
    Exact,
    /// Upper and lower case are the same.
    Any,
}

impl Case {
    pub(crate) const fn of(match_case: bool) -> Self {
        if match_case { Self::Exact } else { Self::Any }
    }
}

/// A text made ready for searching: line ends as `\n`, letters in lower case where that is wanted.
///
/// Only the places where that changed a length are remembered, so that it costs little more than the text.
pub(crate) struct Haystack<'a> {
    folded: Cow<'a, str>,
    drifts: Vec<Drift>,
    case: Case,
}

/// From here on, a position in the folded text is this far from its original.
#[derive(Debug, Clone, Copy)]
struct Drift {
    folded: usize,
    original: usize,
    /// Whether what begins here is one character that became several: a hit cannot begin or end inside.
    solid: bool,
}

impl<'a> Haystack<'a> {
    pub(crate) fn new(text: &'a str, ending: LineEnding, case: Case) -> Self {
        let plain = case == Case::Exact && !text.contains('\r');
        if plain {
            return Self { folded: Cow::Borrowed(text), drifts: Vec::new(), case };
        }
        let (folded, drifts) = fold(text, ending, case);
        Self { folded: Cow::Owned(folded), drifts, case }
    }

    /// Every place of a text, in order and without overlap.
    pub(crate) fn find_all(&self, needle: &str) -> Vec<Range<usize>> {
        let needle = fold(&needle.replace("\r\n", "\n"), LineEnding::Lf, self.case).0;
        if needle.is_empty() {
            return Vec::new();
        }
        let hits = self.folded.match_indices(&needle);
        hits.filter_map(|(at, found)| Some(self.original(at)?..self.original(at + found.len())?))
            .take(MOST_HITS + 1)
            .collect()
    }

    fn original(&self, at: usize) -> Option<usize> {
        let after = self.drifts.partition_point(|drift| drift.folded <= at);
        match after.checked_sub(1).and_then(|last| self.drifts.get(last)) {
            None => Some(at),
            Some(drift) if drift.solid && at > drift.folded => None,
            Some(drift) => Some(drift.original + (at - drift.folded)),
        }
    }
}

fn fold(text: &str, ending: LineEnding, case: Case) -> (String, Vec<Drift>) {
    let mut folded = String::with_capacity(text.len());
    let mut drifts = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let start = folded.len();
        let mut length = c.len_utf8();
        if c == '\r' && characters.next_if(|(_, next)| *next == '\n').is_some() {
            folded.push('\n');
            length = 2;
        } else if c == '\r' && ending == LineEnding::Cr {
            folded.push('\n');
        } else if case == Case::Any {
            folded.extend(c.to_lowercase());
        } else {
            folded.push(c);
        }
        if folded.len() - start != length {
            drifts.push(Drift { folded: start, original: at, solid: true });
            drifts.push(Drift { folded: folded.len(), original: at + length, solid: false });
        }
    }
    (folded, drifts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needle: &str, case: Case) -> Vec<String> {
        let hits = Haystack::new(text, LineEnding::of(text), case).find_all(needle);
        hits.into_iter().map(|hit| text[hit].to_owned()).collect()
    }

    #[test]
    fn line_ends_and_case_are_folded_and_places_are_the_texts_own() {
        assert_eq!(found("a\r\nb\r\nA\nb", "a\nb", Case::Exact), ["a\r\nb"]);
        assert_eq!(found("a\r\nb\r\nA\nb", "a\r\nb", Case::Any), ["a\r\nb", "A\nb"]);
        assert_eq!(found("a\rb\rc", "b\nc", Case::Exact), ["b\rc"]);
        assert_eq!(found("Straße STRASSE", "straße", Case::Any), ["Straße"]);
        assert_eq!(found("ÄÖ äö", "äö", Case::Any), ["ÄÖ", "äö"]);
    }

    #[test]
    fn a_hit_never_cuts_a_character() {
        // The capital İ becomes two characters in lower case, of which the first is a plain i.
        assert_eq!(found("xİy", "i", Case::Any), Vec::<String>::new());
        assert_eq!(found("xİy i", "y I", Case::Any), ["y i"]);
        assert_eq!(found("xİy", "xİy", Case::Any), ["xİy"]);
        assert_eq!(found("aaaa", "aa", Case::Exact), ["aa", "aa"]);
        assert_eq!(found("a", "", Case::Exact), Vec::<String>::new());
    }
}
