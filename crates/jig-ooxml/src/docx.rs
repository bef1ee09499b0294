//! Word documents.
//!
//! What reading and editing share: [`parts`] finds the parts of a document, [`styles`] and
//! [`numbering`] resolve what paragraphs inherit, [`blocks`], [`tables`] and [`inline`] walk the text,
//! and [`sections`] divides it by its headings.

pub mod blocks;
mod edit;
pub mod inline;
pub mod numbering;
pub mod parts;
mod read;
pub mod sections;
pub mod styles;
pub mod tables;
pub mod word;

pub use edit::{apply, blank, copy_assets};
pub use read::{Document, METHODS};
