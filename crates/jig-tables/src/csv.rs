//! Delimited text: which encoding, which marks, and the records in it.

pub(crate) mod encoding;
mod hits;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod sniff;

/// The marks of a delimited file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) delimiter: u8,
    /// None when nothing is quoted.
    pub(crate) quote: Option<u8>,
    /// A mark before a quote inside quotes, where quotes are not doubled instead.
    pub(crate) escape: Option<u8>,
    /// Whether spaces may stand between a delimiter and a quote.
    pub(crate) spaced: bool,
}
