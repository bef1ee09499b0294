//! Context items: what every prompt of a workbench says about the company, the department, the situation and the
//! document style.
//!
//! There are four fixed categories with one slot each. Raw input (a text, or a file with a note) is processed once into
//! files, and prompts contain those files, never the input. This module has the pure parts: the layout, editing rules,
//! the conversation with a model up to a validated item, and the rules for working without a model.

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

/// A context item: the files for prompts, and the input they were made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its category.
    pub category: Category,
    /// The processed texts, by path inside the item.
    pub files: BTreeMap<String, String>,
    /// The content of `source.json`.
    pub source: Source,
    /// The input file, if the item was made from one that is still available.
    pub source_file: Option<SourceFile>,
}

/// An input file. Kept for reference and never part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its bytes, unchanged.
    pub bytes: Vec<u8>,
}
