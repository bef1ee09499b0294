//! Known names that are near to one that was given.

/// Up to three known names that are near to `given`, the nearest first.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let given = given.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&given, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Whether a name differs from another one only by typing errors: word by word at most two letters, one in short words.
/// `unmerge_cells` is not a slip for `merge_cells`, and `delete_cols` none for `delete_rows`.
pub(crate) fn is_misspelling(given: &str, known: &str) -> bool {
    let (given, known) = (given.to_lowercase(), known.to_lowercase());
    if given.ends_with(&known) || known.ends_with(&given) {
        return given == known;
    }
    let words = |name: &str| name.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let (given_words, known_words) = (words(&given), words(&known));
    let slips = |given: &str, known: &str, most: usize| strsim::osa_distance(given, known) <= most;
    if given_words.len() != known_words.len() {
        return slips(&given, &known, 1);
    }
    let pairs = given_words.iter().zip(&known_words);
    pairs.into_iter().all(|(given, known)| slips(given, known, if given.chars().count() > 4 { 2 } else { 1 }))
}

/// A name without case and separators: `fontBold`, `font-bold` and `Font_Bold` are the same.
pub(crate) fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
