//! Word documents: [`Document`] reads one, [`apply`] edits one by a list of ops, and [`copy_assets`] copies styles and
//! images from another.
//!
//! What reading and editing share: [`parts`] finds the parts of a document, [`styles`] and [`numbering`] resolve what
//! paragraphs inherit, [`blocks`], [`tables`] and [`inline`] walk the text, and [`sections`] divides it by its headings.
//! Reads start in `document` and continue in `map` or `read`. They use the text that `render` makes once for each document,
//! or its `outline`.

pub mod blocks;
mod document;
mod edit;
pub mod inline;
mod map;
pub mod numbering;
mod outline;
pub mod parts;
mod read;
mod render;
pub mod sections;
pub mod styles;
pub mod tables;
pub mod word;

pub use crate::error::DocumentIssue;
pub use document::Document;
pub use edit::{apply, blank, copy_assets};
