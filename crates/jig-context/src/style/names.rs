//! Names of formats in what people write, and what only sounds like one.

/// Documents that are no text documents.
pub(crate) const OTHER_DOCUMENT: &[&str] =
    &["excel document", "excel documents", "powerpoint document", "powerpoint documents"];
/// Pairs of words that sound like a format and are none.
const NO_FORMAT: &[&str] = &[
    "data presentation",
    "document presentation",
    "presentation of",
    "style sheet",
    "fact sheet",
    "cheat sheet",
    "word choice",
    "word choices",
    "word count",
    "word limit",
    "word limits",
    "word list",
    "word lists",
    "word order",
    "word usage",
    "word use",
];

/// The words of a text in lower case, each between spaces, so that ` some words ` can be looked for. Commas and what
/// does their work stay, as `Excel, documents` is not `Excel documents`. Pairs that only sound like a format are gone.
pub(crate) fn plain_words(text: &str) -> String {
    let parted = text.to_lowercase().replace([',', ';', '/', '&', '+'], " , ");
    let words = parted.split(|c: char| !c.is_alphanumeric() && c != ',').filter(|word| !word.is_empty());
    let said = format!(" {} ", words.collect::<Vec<_>>().join(" "));
    NO_FORMAT.iter().fold(said, |said, pair| said.replace(&format!(" {pair} "), " "))
}
