//! Writes to documents.

use jig_contract::{Actor, Timestamp};
use serde_json::Value;

use super::name::PartName;
use super::part::{Origin, Part};

/// A set of changes that is applied all or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The author.
    pub author: Actor,
    /// The reason, in the author's words.
    pub reason: String,
    /// The time.
    pub at: Timestamp,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// One change of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Changes the title of the document.
    Retitle {
        /// Its new title.
        title: String,
    },
    /// Sets the content of a part. Creates the part if the kind defines it.
    Set {
        /// Its name.
        part: String,
        /// The content.
        value: Value,
        /// The origin of the content.
        origin: Origin,
    },
    /// Adds a part that the kind does not define.
    Add {
        /// Its title; its name is derived from it unless `name` is set.
        title: String,
        /// An explicit name.
        name: Option<PartName>,
        /// The content.
        value: Value,
        /// The origin of the content.
        origin: Origin,
        /// Its position.
        place: Place,
    },
    /// Changes the title of a part. The former name still resolves.
    Rename {
        /// The part.
        part: String,
        /// Its new title.
        title: String,
    },
    /// Moves a part.
    Move {
        /// The part.
        part: String,
        /// The new position.
        place: Place,
    },
    /// Removes a part.
    Remove {
        /// The part.
        part: String,
    },
    /// Reinstates a removed part with its metadata, at the position that its kind defines.
    Reinstate {
        /// The part as it was.
        part: Box<Part>,
    },
    /// Marks a part as done.
    MarkDone {
        /// The part.
        part: String,
    },
    /// Clears the done mark.
    UnmarkDone {
        /// The part.
        part: String,
    },
}

/// A position among the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// After this one.
    After(String),
    /// After all others.
    Last,
}
