//! The results of targeting.

use serde::Serialize;

use super::catalog::{Catalog, Class, Owner};

/// What a message is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// Exactly one thing.
    Found {
        /// The target.
        target: Target,
        /// The request: the text after the reference, or the entire message.
        rest: String,
        /// How the target was matched.
        how: How,
        /// Other possible meanings of the same words.
        alternatives: Vec<Target>,
    },
    /// Several things, all clearly named.
    Several {
        /// The targets, in message order.
        targets: Vec<Target>,
        /// The question for clients that need a single target.
        question: String,
    },
    /// Several things match equally well.
    Ambiguous {
        /// The question.
        question: String,
        /// The first choices.
        choices: Vec<Target>,
        /// The number of all matches.
        total: usize,
    },
    /// Something matches, but not with certainty.
    DidYouMean {
        /// The question.
        question: String,
        /// The likely targets, most likely first.
        suggestions: Vec<Target>,
    },
    /// Nothing is named, or what is named does not exist.
    NotFound {
        /// What is missing.
        missing: Missing,
        /// The message for people.
        message: String,
        /// Similar targets.
        suggestions: Vec<Target>,
    },
    /// A slash command of the client.
    Command {
        /// Its name, without the slash.
        name: String,
        /// The text after it.
        rest: String,
    },
}

/// What is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The message names nothing.
    Nothing,
    /// The document does not exist.
    Document {
        /// The requested name.
        name: String,
    },
    /// The document has no such part.
    Part {
        /// The document's address, without `@`.
        document: String,
        /// The requested name.
        name: String,
    },
    /// A part is named, and no document is open.
    Current {
        /// The part's name.
        part: String,
    },
}

/// A document or one of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// The class of the document.
    pub class: Class,
    /// Its address, without `@`: `concept`, `competitor:acme`.
    pub document: String,
    /// The display name of the document: `concept.md`.
    pub name: String,
    /// The part; `None` for the entire document.
    pub part: Option<TargetPart>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetPart {
    /// Its slug.
    pub slug: String,
    /// The title of the part.
    pub title: String,
}

impl Target {
    pub(super) fn of(catalog: &Catalog, owner: Owner) -> Option<Self> {
        let document = catalog.document(owner.document)?;
        let part = owner.part.and_then(|part| document.parts.get(part));
        Some(Self {
            class: document.class,
            document: document.address.clone(),
            name: document.name.clone(),
            part: part.map(|part| TargetPart { slug: part.slug.clone(), title: part.title.clone() }),
        })
    }

    /// The address, as `@concept#what-is-it`.
    pub fn address(&self) -> String {
        match &self.part {
            Some(part) => format!("@{}#{}", self.document, part.slug),
            None => format!("@{}", self.document),
        }
    }
}

/// How a target was matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct How {
    /// How the document was determined.
    pub document: DocumentHow,
    /// Which name of the target matched.
    pub matched: Match,
    /// The confidence, between 0 and 1.
    pub score: f64,
}

/// How the document was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentHow {
    /// The message names it.
    Explicit,
    /// It is the open document.
    Current,
    /// It is the only one with such a part.
    Inferred,
}

/// How a name in a message matches a document or part, most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// An explicit reference such as `@artifact#section`.
    Reference,
    /// The title or the slug, or a file name.
    Title,
    /// The title, ignoring diacritics, endings and hyphens.
    Near,
    /// A synonym of the title.
    OtherWords,
    /// A former name.
    Alias,
    /// All words of the title, in another order.
    Words,
    /// The prefixes of its words.
    Prefix,
    /// The title with typos.
    Fuzzy,
}

impl Match {
    /// The confidence of this kind of match.
    pub const fn score(self) -> f64 {
        match self {
            Self::Reference | Self::Title => 1.0,
            Self::Near => 0.97,
            Self::OtherWords => 0.95,
            Self::Alias => 0.94,
            Self::Words => 0.9,
            Self::Prefix => 0.85,
            Self::Fuzzy => 0.8,
        }
    }
}
