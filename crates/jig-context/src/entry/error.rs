//! What can go wrong with an entry.

use jig_contract::{Code, OpError};
use serde_json::json;

use crate::definition::{Problem, refused};
use crate::document::DocumentError;

/// Why an entry was not written, read or decided on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EntryError {
    /// Values do not fit the kind.
    #[error("{} does not fit its kind", address)]
    Values {
        /// The entry's address.
        address: String,
        /// One for each field.
        problems: Vec<Problem>,
    },
    /// The write was made on another state, or names no part that there is.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The write expects an entry, and there is none.
    #[error("{address} is not there any more; the write was made on its revision {base}")]
    Gone {
        /// The entry's address.
        address: String,
        /// The revision that the write was made on.
        base: u64,
    },
    /// The write expects none, and there is one.
    #[error("{address} exists already, in revision {newest}")]
    Exists {
        /// The entry's address.
        address: String,
        /// Its revision.
        newest: u64,
    },
    /// Fields were changed after the proposal was made.
    #[error("{address} was changed since the proposal was made, in {}", fields.join(", "))]
    Moved {
        /// The entry's address.
        address: String,
        /// The fields.
        fields: Vec<String>,
        /// Its revision.
        newest: u64,
    },
    /// The proposal was decided on before.
    #[error("nothing of this proposal is waiting: it was {state}")]
    Decided {
        /// How.
        state: &'static str,
    },
    /// The proposal has no such fields.
    #[error("the proposal has nothing waiting for {}", fields.join(", "))]
    NotProposed {
        /// Which.
        fields: Vec<String>,
    },
}

impl From<EntryError> for OpError {
    fn from(error: EntryError) -> Self {
        let message = error.to_string();
        match error {
            EntryError::Values { address, problems } => refused(&address, &problems),
            // A wrong field is a wrong value of the call, as everywhere else with entries.
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
