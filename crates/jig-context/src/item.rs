//! Context items: what every prompt of a workbench says about the company, the department, the situation and the style
//! of documents.
//!
//! There are four fixed categories with one slot each. Raw input, a text or a file with a note, is processed once into
//! files; those files, never the input, are what prompts carry. Here are the pure halves of all of that: the layout,
//! what may be edited, the conversation with a model up to a checked item, and the rules that work without one.

mod as_document;
mod category;
mod edit;
mod input;
mod layout;
mod messages;
pub mod offline;
mod overview;
pub mod process;
mod reprocess;
pub mod skill_folder;
mod source;
mod validate;

use std::collections::BTreeMap;

pub use as_document::{kind, part_name};
pub use category::Category;
pub use edit::{EditError, Edited};
pub use input::{FILE_BYTES_MAX, IMAGE_REFUSED, Input, InputError, TYPE_REFUSED, accepted_types, check_file};
pub use layout::{
    CONTEXT_FOLDER, Damaged, FILE_TEXT_MAX, FILES_MAX, SOURCE_FILE_FOLDER, SOURCE_JSON, artifact, is_editable,
};
pub use messages::{DRAFT_BLOCKS, REPROCESS_WARNING, draft_blocks, no_provider};
pub use overview::{Overview, Status, overview, source_of, summary};
pub use reprocess::Again;
pub use source::{DirectEdits, Source, SourceInput};
pub use validate::validate;

/// A context item whole: what prompts carry, and what that was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Which of the four.
    pub category: Category,
    /// The processed texts by their paths inside the item.
    pub files: BTreeMap<String, String>,
    /// What `source.json` says.
    pub source: Source,
    /// The file it was made from, when it was made from one and that is still there.
    pub source_file: Option<SourceFile>,
}

/// The file that somebody gave. It is kept for reference and is in no prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its bytes, as they came.
    pub bytes: Vec<u8>,
}
