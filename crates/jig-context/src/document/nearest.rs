//! Suggestions for misspelt names.

/// Up to three similar names, the most similar first. The result does not depend on the order of the input.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const SUGGESTIONS: usize = 3;
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        names.into_iter().map(|name| (score(&wanted, &name.to_lowercase()), name)).filter(|(s, _)| *s >= 0.5).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

/// The similarity of two names, between 0 and 1. A name that contains the requested one as words scores well, however
/// long it is.
fn score(wanted: &str, name: &str) -> f64 {
    let spelling = strsim::normalized_damerau_levenshtein(wanted, name);
    let mut words = name.split(['-', '_', '.', '/', '@', ':', '#']);
    let holds = !wanted.is_empty() && words.any(|word| word == wanted);
    if holds { spelling.max(0.75) } else { spelling }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_mistakes_and_words_of_names_are_found() {
        let names = ["voice", "tagline", "problem-being-solved", "problem-validation", "name"];
        assert_eq!(nearest("voise", names), ["voice"]);
        assert_eq!(nearest("VOICE", names), ["voice"]);
        assert_eq!(nearest("problem", names), ["problem-being-solved", "problem-validation"]);
        assert_eq!(nearest("zzzzzz", names), Vec::<String>::new());
        assert_eq!(nearest("", names), Vec::<String>::new());
    }

    #[test]
    fn there_are_at_most_three_and_the_order_of_names_does_not_matter() {
        let there = ["aaa1", "aaa2", "aaa3", "aaa4", "aaa1"];
        let back = ["aaa4", "aaa1", "aaa3", "aaa2", "aaa1"];
        assert_eq!(nearest("aaa0", there), ["aaa1", "aaa2", "aaa3"]);
        assert_eq!(nearest("aaa0", back), nearest("aaa0", there));
    }
}
