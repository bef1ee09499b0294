//! Targeting: resolves the document or part that a message is about.
//!
//! [`resolve`] parses `@artifact#section`, `#section` and `/artifact section`, then plain language. It works offline
//! and is deterministic. A wrong answer writes into the wrong section while a question costs a moment, so an answer is
//! given only if exactly one thing is clearly named as the object of the work. Everything else leads to a question or
//! to nothing.

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

/// Resolves what a message is about. `current` is the address, without `@`, of the open document.
pub fn resolve(text: &str, catalog: &Catalog, current: Option<&str>) -> Resolution {
    let current = current.and_then(|address| catalog.at_address(address));
    reference::leading(text, catalog, current).unwrap_or_else(|| decide::plain(text, catalog, current))
}

/// Like [`resolve`], for clients with slash commands of their own, which take precedence over artifacts.
pub fn resolve_beside(text: &str, catalog: &Catalog, current: Option<&str>, commands: &[String]) -> Resolution {
    reference::slash_command(text, commands).unwrap_or_else(|| resolve(text, catalog, current))
}

/// Whether a message compares things, so that answering it needs more than one of them.
pub fn compares(text: &str) -> bool {
    words::words(text, &spans::Spans::of(text)).iter().any(|word| word.class.has(lexicon::Class::COMPARE))
}

#[cfg(test)]
mod tests;
