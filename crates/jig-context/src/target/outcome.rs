//! What targeting finds.

use serde::Serialize;

use super::catalog::{Catalog, Class, Owner};

/// What a message is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// One thing, clearly.
    Found {
        /// It.
        target: Target,
        /// What is to be done: the text behind the reference, or the whole message.
        rest: String,
        /// How it was found.
        how: How,
        /// What else the same words could mean, elsewhere.
        alternatives: Vec<Target>,
    },
    /// Several things, all of them clearly named.
    Several {
        /// They, in the order of the message.
        targets: Vec<Target>,
        /// What to ask when only one can be worked on.
        question: String,
    },
    /// Several things fit as well as each other.
    Ambiguous {
        /// What to ask.
        question: String,
        /// The first of them.
        choices: Vec<Target>,
        /// How many fit in all.
        total: usize,
    },
    /// Something fits, and not clearly.
    DidYouMean {
        /// What to ask.
        question: String,
        /// What was probably meant, the likeliest first.
        suggestions: Vec<Target>,
    },
    /// Nothing is named, or what is named is not there.
    NotFound {
        /// What is not there.
        missing: Missing,
        /// The same in words.
        message: String,
        /// What was probably meant.
        suggestions: Vec<Target>,
    },
    /// A slash command of the program that the person talks to.
    Command {
        /// Its name, without the slash.
        name: String,
        /// What stands behind it.
        rest: String,
    },
}

/// What is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The message names nothing.
    Nothing,
    /// There is no such document.
    Document {
        /// The name that was given.
        name: String,
    },
    /// The document has no such part.
    Part {
        /// The document's address, without `@`.
        document: String,
        /// The name that was given.
        name: String,
    },
    /// A part is named, and there is no document at hand.
    Current {
        /// The part's name.
        part: String,
    },
}

/// A document, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// What sort of document.
    pub class: Class,
    /// Its address, without `@`: `concept`, `competitor:acme`.
    pub document: String,
    /// What people call the document: `concept.md`.
    pub name: String,
    /// The part, or none for the whole.
    pub part: Option<TargetPart>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetPart {
    /// Its slug.
    pub slug: String,
    /// What people call it.
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

/// How a target was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct How {
    /// How the document was.
    pub document: DocumentHow,
    /// By what the name in the message is the target's.
    pub matched: Match,
    /// How sure that is, from 0 to 1.
    pub score: f64,
}

/// How a document was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentHow {
    /// The message names it.
    Explicit,
    /// It is the one at hand.
    Current,
    /// It is the only one with such a part.
    Inferred,
}

/// By what a name in a message is that of a document or part, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// `@artifact#section` and the like.
    Reference,
    /// The title or the slug, or a file name.
    Title,
    /// The title but for marks, endings and hyphens.
    Near,
    /// Other words that people use for such a title.
    OtherWords,
    /// A name that it had before.
    Alias,
    /// All words of the title, in another order.
    Words,
    /// The beginnings of its words.
    Prefix,
    /// The title but for typing mistakes.
    Fuzzy,
}

impl Match {
    /// How sure a match of this sort is.
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
