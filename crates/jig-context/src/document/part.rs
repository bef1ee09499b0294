//! A part: one addressable piece of a document, with where it came from.

use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::address::Address;
use super::name::PartName;
use super::revision::RevisionNumber;

/// A part's id inside its document. It stays when the part is renamed or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartId(pub u32);

/// A file of an item, a field of an entry or a section of an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Stays for as long as the part exists.
    pub id: PartId,
    /// What addresses call it.
    pub name: PartName,
    /// What addresses called it before: they go on reaching it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<PartName>,
    /// What people call it.
    pub title: String,
    /// Its content: text for files and sections, a typed value for fields.
    pub value: Value,
    /// The revision in which the content was last changed. Names, places and done marks do not count.
    pub changed: RevisionNumber,
    /// Where the content came from.
    pub provenance: Provenance,
    /// Whether somebody said it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
}

impl Part {
    /// The content as text, when it is text.
    pub fn text(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// Whether a person said it is done. An agent that says so only suggests it.
    pub fn is_done(&self) -> bool {
        self.done.as_ref().is_some_and(|done| matches!(done.by, Actor::Person { .. }))
    }

    /// Whether the content was changed after it was said to be done.
    pub fn changed_since_done(&self) -> bool {
        self.done.as_ref().is_some_and(|done| self.changed > done.revision)
    }
}

/// Where a part's content came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Who wrote it.
    pub by: Actor,
    /// When it was written. Writing the same content again counts: somebody stands for it anew.
    pub at: Timestamp,
    /// What it was made with and from.
    #[serde(flatten)]
    pub origin: Origin,
}

/// What a content was made with and from, as far as that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The model that wrote it, such as `openai:gpt-5.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
}

/// Something that a content was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Source {
    /// A text that somebody typed.
    Text,
    /// A file that somebody gave.
    File {
        /// Its name.
        name: String,
    },
    /// Another document, or a part of one, as it was in this revision.
    Document {
        /// Which.
        address: Address,
        /// In which state.
        revision: RevisionNumber,
    },
}

/// Somebody said that a part is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// Of which state.
    pub revision: RevisionNumber,
}
