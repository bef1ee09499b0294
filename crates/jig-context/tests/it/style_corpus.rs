//! Style documents as people write them, with the meaning of each rule.

pub(crate) mod first;
pub(crate) mod second;
pub(crate) mod third;

/// What a person means by one rule of a document.
pub(crate) enum Meaning {
    /// Forbidden: every line that has this text also has this word of the person's.
    Dont(&'static str, &'static str),
    /// Wanted: no line that has this text is labelled with a prohibition of the document.
    Do(&'static str),
    /// Wanted although it stands under a prohibition: the line starts with the rule itself.
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
