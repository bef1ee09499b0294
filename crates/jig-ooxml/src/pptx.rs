//! PowerPoint presentations: [`Deck`] reads one, [`apply`] edits it by a list of ops, and
//! [`copy_assets`] takes formats and pictures over from another.

mod edit;
mod frame;
mod page;
mod presentation;
mod read;
mod search;
mod shape;
mod template;
mod text;

pub use edit::{apply, blank, copy_assets};
pub use read::Deck;

#[cfg(test)]
mod tests;
