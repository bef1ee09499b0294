//! Texts with a known number of tokens.

/// This many words of one token each.
pub(crate) fn words(length: usize) -> String {
    "word ".repeat(length)
}
