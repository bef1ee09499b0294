//! Frequent terms of a text.

use std::collections::BTreeMap;

use super::plain::line;

const TERMS_MAX: usize = 15;
const WORDS_MAX: usize = 200_000;
const WORD_CHARS: usize = 40;

/// Stop words.
const COMMON: &[&str] = &[
    "about", "after", "again", "also", "always", "among", "and", "any", "are", "because", "been", "before", "being",
    "between", "both", "but", "can", "could", "did", "does", "done", "down", "each", "every", "few", "first", "for",
    "from", "further", "had", "has", "have", "having", "here", "how", "into", "its", "just", "last", "like", "made",
    "make", "many", "may", "more", "most", "much", "must", "need", "never", "new", "next", "not", "now", "off", "one",
    "only", "other", "our", "out", "over", "own", "per", "same", "shall", "should", "since", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "two", "under",
    "until", "upon", "use", "used", "using", "very", "was", "well", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "within", "without", "would", "you", "your",
];

/// The most frequent words of the lines, with ties in alphabetical order. A name or abbreviation counts from two
/// occurrences on, any other word from three.
pub(super) fn terms(lines: &[&str]) -> Vec<String> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let words = lines.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '-'));
    for word in words.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty()).take(WORDS_MAX) {
        if let Some(folded) = countable(word) {
            let count = counts.entry(folded).or_default();
            count.times += 1;
            count.as_name += usize::from(word.chars().next().is_some_and(char::is_uppercase));
            count.shown.get_or_insert_with(|| line(word));
        }
    }
    let mut frequent: Vec<&Count> = counts.values().filter(|count| count.times >= count.needed()).collect();
    // The map is sorted and the sort is stable, so ties stay in alphabetical order.
    frequent.sort_by_key(|count| std::cmp::Reverse(count.times));
    frequent.into_iter().take(TERMS_MAX).filter_map(|count| count.shown.clone()).collect()
}

#[derive(Default)]
struct Count {
    times: usize,
    as_name: usize,
    shown: Option<String>,
}

impl Count {
    fn needed(&self) -> usize {
        if self.as_name == self.times { 2 } else { 3 }
    }
}

/// The word in lower case if it may be a term: long enough or an abbreviation, with letters, and not a stop word.
fn countable(word: &str) -> Option<String> {
    let chars = word.chars().take(WORD_CHARS + 1).count();
    let abbreviation = chars >= 2 && word.chars().all(|c| c.is_uppercase() || c.is_numeric());
    let fits = (chars >= 4 || abbreviation) && chars <= WORD_CHARS && word.chars().any(char::is_alphabetic);
    let folded = word.to_lowercase();
    (fits && !COMMON.contains(&folded.as_str())).then_some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_abbreviations_and_frequent_words_are_terms() {
        let text = "Acme tracks ARR. The ARR of Acme grows; their ropes are ropes, and rope-makers make ropes. Their plan is a plan.";
        assert_eq!(terms(&[text]), ["ropes", "Acme", "ARR"]);
        assert_eq!(terms(&["with with with with 2025 2025 2025 at at at"]), Vec::<String>::new());
        assert_eq!(terms(&["Продажи растут.", "Продажи"]), ["Продажи"]);
    }

    #[test]
    fn common_words_are_in_order_and_terms_are_few() {
        assert!(COMMON.is_sorted());
        let many: String = (0..100).map(|n| format!("Term{n} Term{n} ")).collect();
        assert_eq!(terms(&[&many]).len(), TERMS_MAX);
    }
}
