//! Suggestions for misspelt names.

/// The minimum similarity of a suggestion.
const ALIKE: f64 = 0.75;

/// Up to three candidates that are similar to `word`, the most similar first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    // A very long text is not a typo, and comparing it would be slow.
    if word.len() > 200 {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_the_unlike_not_at_all() {
        let names = ["FileList", "FileRead", "DraftPublish"];
        assert_eq!(nearest("filelist", names), ["FileList"]);
        assert_eq!(nearest("FileRest", names), ["FileList", "FileRead"]);
        assert_eq!(nearest("DraftPublsh", names), ["DraftPublish"]);
        assert_eq!(nearest("zzz", names), Vec::<String>::new());
        assert_eq!(nearest(&"FileList".repeat(1_000), names), Vec::<String>::new());
    }
}
