//! PowerPoint presentations: [`Deck`] reads one, [`apply`] edits one by a list of ops, and [`copy_assets`] copies formats,
//! images and layouts from another.
//!
//! `presentation` reads the list of slides, `slide` the parts of one, `shape` and `text` what is on it. Reads go from
//! `deck` to `map` or `read`.

mod deck;
mod edit;
mod map;
mod markup;
mod presentation;
mod read;
mod shape;
mod slide;
mod template;
mod text;

pub use crate::error::DeckIssue;
pub use deck::Deck;
pub use edit::{apply, blank, copy_assets};

#[cfg(test)]
mod tests;
