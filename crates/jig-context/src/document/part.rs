//! Parts: the addressable pieces of a document, with their provenance.

use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::address::Address;
use super::name::PartName;
use super::revision::RevisionNumber;

/// A part's id within its document. It survives renames and moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartId(pub u32);

/// A part: a file of an item, a field of an entry or a section of an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Stable for the lifetime of the part.
    pub id: PartId,
    /// The name in addresses.
    pub name: PartName,
    /// Former names, which still resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<PartName>,
    /// The display title.
    pub title: String,
    /// Its content: text for files and sections, a typed value for fields.
    pub value: Value,
    /// The revision that last changed the content. Names, positions and done marks do not count.
    pub changed: RevisionNumber,
    /// The origin of the content.
    pub provenance: Provenance,
    /// Who marked it as done, if anyone did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
}

impl Part {
    /// The content, if it is text.
    pub fn text(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// Whether a person marked it as done. A mark by an agent is only a suggestion.
    pub fn is_done(&self) -> bool {
        self.done.as_ref().is_some_and(|done| matches!(done.by, Actor::Person { .. }))
    }

    /// Whether the content changed after it was marked as done.
    pub fn changed_since_done(&self) -> bool {
        self.done.as_ref().is_some_and(|done| self.changed > done.revision)
    }
}

/// The provenance of a part's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The author.
    pub by: Actor,
    /// When it was written. Writing the same content again counts, because someone confirmed it.
    pub at: Timestamp,
    /// The model and sources.
    #[serde(flatten)]
    pub origin: Origin,
}

/// The model and sources of a content, as far as known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The model that wrote it, such as `openai:gpt-5.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
}

/// A source of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Source {
    /// A text that a person typed.
    Text,
    /// An uploaded file.
    File {
        /// Its name.
        name: String,
    },
    /// Another document or part, at a revision.
    Document {
        /// The address.
        address: Address,
        /// The revision.
        revision: RevisionNumber,
    },
}

/// A done mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Who set it.
    pub by: Actor,
    /// When it was set.
    pub at: Timestamp,
    /// The revision that it refers to.
    pub revision: RevisionNumber,
}
