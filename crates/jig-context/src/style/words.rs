//! The words of a rule that say what it is about.

use std::collections::BTreeSet;

/// Words that say nothing on the subject. Those of command and degree are here too: every rule has them.
const EMPTY: &[&str] = &[
    "about", "above", "after", "all", "also", "always", "and", "any", "are", "asked", "avoid", "away", "because",
    "before", "below", "between", "both", "but", "can", "do", "does", "each", "else", "enough", "every", "few", "file",
    "for", "from", "give", "good", "has", "have", "how", "instead", "into", "its", "keep", "least", "leave", "less",
    "like", "make", "many", "more", "most", "must", "never", "new", "no", "not", "nothing", "of", "off", "on", "one",
    "only", "or", "other", "our", "out", "own", "per", "put", "same", "see", "set", "should", "show", "small", "some",
    "such", "take", "than", "that", "the", "their", "them", "then", "they", "thing", "this", "those", "through", "two",
    "under", "unless", "use", "used", "using", "very", "what", "when", "where", "which", "who", "will", "with",
    "without", "you", "your",
];

/// The words of a text that matter, in one form each.
pub(super) fn keywords(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() > 2 && !EMPTY.contains(&word.as_str())).map(|word| stem(&word)).collect()
}

/// One form for singular and plural, British and American, and the commonest synonyms.
fn stem(word: &str) -> String {
    let word = match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem,
        _ => word,
    };
    match word {
        "color" | "colored" | "coloured" => "colour",
        "typeface" => "font",
        "centered" | "centred" | "center" | "aligned" | "align" => "alignment",
        "picture" | "image" | "photo" => "picture",
        "bullet" | "bulleted" => "list",
        "number" | "numeric" | "decimal" => "number",
        "bolded" => "bold",
        word => word,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::keywords;

    #[test]
    fn forms_of_a_word_are_one_and_empty_words_are_none() {
        let words: Vec<String> =
            keywords("Always use the Colors of our brand; centered, no class colour").into_iter().collect();
        assert_eq!(words, ["alignment", "brand", "class", "colour"]);
    }
}
