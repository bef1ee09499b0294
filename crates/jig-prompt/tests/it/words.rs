//! Texts of a known length.

/// So many words of one token each.
pub(crate) fn words(length: usize) -> String {
    "word ".repeat(length)
}
