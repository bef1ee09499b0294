//! Realistic style documents, annotated with the meaning of each rule.

pub(crate) mod first;
pub(crate) mod fourth;
pub(crate) mod second;
pub(crate) mod third;

/// The meaning of a rule.
pub(crate) enum Meaning {
    /// Forbidden: every line that contains this text also contains this word of the document.
    Dont(&'static str, &'static str),
    /// Wanted: no line that contains this text is labelled with a prohibition of the document.
    Do(&'static str),
    /// Wanted although it is below a prohibition: the line starts with the rule itself.
    DoUnder(&'static str),
}

/// The formats of a rule.
pub(crate) enum Formats {
    All,
    Only(&'static [&'static str]),
}

pub(crate) struct Document {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) rules: &'static [(Formats, Meaning)],
}
