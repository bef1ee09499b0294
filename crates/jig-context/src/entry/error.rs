//! Errors of entries.

use jig_contract::{Code, OpError};
use serde_json::json;

use crate::definition::{Problem, refused};
use crate::document::DocumentError;

/// Why an entry could not be written, read or decided on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EntryError {
    /// Values do not match the kind.
    #[error("{} does not fit its kind", address)]
    Values {
        /// The entry's address.
        address: String,
        /// The errors, one per field.
        problems: Vec<Problem>,
    },
    /// An error of the document layer: an outdated base, or an unknown part.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The write expects an existing entry, but it does not exist.
    #[error("{address} is not there any more; the write was made on its revision {base}")]
    Gone {
        /// The entry's address.
        address: String,
        /// The base revision.
        base: u64,
    },
    /// The write expects no entry, but one exists.
    #[error("{address} exists already, in revision {newest}")]
    Exists {
        /// The entry's address.
        address: String,
        /// The current revision.
        newest: u64,
    },
    /// Fields changed after the proposal was created.
    #[error("{address} was changed since the proposal was made, in {}", fields.join(", "))]
    Moved {
        /// The entry's address.
        address: String,
        /// The fields.
        fields: Vec<String>,
        /// The current revision.
        newest: u64,
    },
    /// The proposal was already decided.
    #[error("nothing of this proposal is waiting: it was {state}")]
    Decided {
        /// The decision.
        state: &'static str,
    },
    /// The proposal does not contain these fields.
    #[error("the proposal has nothing waiting for {}", fields.join(", "))]
    NotProposed {
        /// The fields.
        fields: Vec<String>,
    },
}

impl From<EntryError> for OpError {
    fn from(error: EntryError) -> Self {
        let message = error.to_string();
        match error {
            EntryError::Values { address, problems } => refused(&address, &problems),
            // An unknown field is reported like any other invalid value of an entry.
            EntryError::Document(DocumentError::NoSuchPart { unknown, .. }) => {
                let problem = |part: crate::document::UnknownPart| {
                    Problem::new(part.name, "there is no such field").suggest(part.suggestions)
                };
                refused("a field is wrong", &unknown.into_iter().map(problem).collect::<Vec<_>>())
            }
            EntryError::Document(DocumentError::NoSuchRevision { wanted, newest, .. }) => {
                Self::new(Code::RevisionNotFound, message)
                    .detail(json!({ "revision": wanted, "newest": newest }))
                    .hint("`jig entry history` lists the revisions")
            }
            EntryError::Document(other) => other.into(),
            EntryError::Gone { base, .. } => {
                Self::new(Code::Conflict, message).detail(json!({ "base_revision": base, "newest": null }))
            }
            EntryError::Exists { newest, .. } => Self::new(Code::Conflict, message)
                .detail(json!({ "base_revision": 0, "newest": newest }))
                .action("reload")
                .hint("read the entry, make the change on it, and write again with its revision"),
            EntryError::Moved { fields, newest, .. } => Self::new(Code::Conflict, message)
                .detail(json!({ "fields": fields, "newest": newest }))
                .action("reload")
                .hint(format!(
                    "look at both values; to take the proposed ones all the same, pass base_revision {newest}"
                )),
            EntryError::Decided { .. } => Self::new(Code::Conflict, message),
            EntryError::NotProposed { fields } => {
                Self::new(Code::ValidationFailed, message).detail(json!({ "fields": fields }))
            }
        }
    }
}
