//! Targeting: which document or part a message of a person is about.
//!
//! [`resolve`] reads `@artifact#section`, `#section` and `/artifact section`, then plain language, offline and always
//! with the same answer. A wrong answer writes into the wrong section, a question costs a moment: so an answer is given
//! only where one thing is named, clearly, as what is to be worked on. Everything else is a question or nothing.

mod catalog;
mod decide;
mod fold;
mod lexicon;
mod listed;
mod mention;
mod outcome;
mod partial;
mod reference;
mod role;
mod say;
mod spans;
mod vary;
mod words;

pub use catalog::{Catalog, CatalogDocument, CatalogPart, Class};
pub use listed::{of_artifact, of_entry, of_item};
pub use outcome::{DocumentHow, How, Match, Missing, Resolution, Target, TargetPart};

/// Finds what a message is about. `current` is the address, without `@`, of the document that the person looks at.
pub fn resolve(text: &str, catalog: &Catalog, current: Option<&str>) -> Resolution {
    let current = current.and_then(|address| catalog.at_address(address));
    reference::leading(text, catalog, current).unwrap_or_else(|| decide::plain(text, catalog, current))
}

/// The same for somebody whose program knows slash commands of its own: they win over artifacts.
pub fn resolve_beside(text: &str, catalog: &Catalog, current: Option<&str>, commands: &[String]) -> Resolution {
    reference::slash_command(text, commands).unwrap_or_else(|| resolve(text, catalog, current))
}

/// Whether a message compares things, so that more than one of them is needed to answer it.
pub fn compares(text: &str) -> bool {
    words::words(text, &spans::Spans::of(text)).iter().any(|word| word.class.has(lexicon::Class::COMPARE))
}

#[cfg(test)]
mod tests;
