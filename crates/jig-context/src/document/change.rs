//! What a write consists of.

use jig_contract::{Actor, Timestamp};
use serde_json::Value;

use super::name::PartName;
use super::part::{Origin, Part};

/// Changes that belong together: all of them happen, or none.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Who writes.
    pub author: Actor,
    /// Why, in the author's words.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// What, in order.
    pub changes: Vec<Change>,
}

/// One change of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Calls the document something else.
    Retitle {
        /// Its new title.
        title: String,
    },
    /// Gives a part its content. A part that the kind knows of comes into being by it.
    Set {
        /// Its name.
        part: String,
        /// The content.
        value: Value,
        /// Where that came from.
        origin: Origin,
    },
    /// Adds a part that the kind does not know of.
    Add {
        /// What people call it; its name is made from this unless one is given.
        title: String,
        /// The name, when it is not to be made from the title.
        name: Option<PartName>,
        /// The content.
        value: Value,
        /// Where that came from.
        origin: Origin,
        /// Where it goes.
        place: Place,
    },
    /// Calls a part something else. The old name goes on reaching it.
    Rename {
        /// The part.
        part: String,
        /// Its new title.
        title: String,
    },
    /// Puts a part elsewhere.
    Move {
        /// The part.
        part: String,
        /// Where to.
        place: Place,
    },
    /// Takes a part away.
    Remove {
        /// The part.
        part: String,
    },
    /// Puts a part back that was taken away, with what was known of it. It stands where its kind has it.
    Reinstate {
        /// The part as it was.
        part: Box<Part>,
    },
    /// Says that a part is done.
    MarkDone {
        /// The part.
        part: String,
    },
    /// Takes that back.
    UnmarkDone {
        /// The part.
        part: String,
    },
}

/// A place among the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// After this one.
    After(String),
    /// After all others.
    Last,
}
