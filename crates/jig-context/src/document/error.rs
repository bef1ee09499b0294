//! What can go wrong with documents, in words for whoever asked.

use jig_contract::{Code, OpError};
use serde_json::json;

use super::address::BadAddress;
use super::name::{BadName, PartName};
use super::revision::{Revision, RevisionNumber};

/// A failure to find, read or write a document.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DocumentError {
    /// The text is no address.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// A name is none.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The write was made on an old state.
    #[error("{document} was changed since revision {base}: revision {} is newer", newer.number)]
    Conflict {
        /// The document's address.
        document: String,
        /// The revision the write was made on.
        base: RevisionNumber,
        /// The one that is there now.
        newer: Box<Revision>,
    },
    /// The document never had this revision.
    #[error("{document} has no revision {wanted}; its newest is {newest}")]
    NoSuchRevision {
        /// The document's address.
        document: String,
        /// What was asked for.
        wanted: RevisionNumber,
        /// The newest there is.
        newest: RevisionNumber,
    },
    /// No kind has this name.
    #[error("there is no kind `{wanted}`{}", meant(suggestions))]
    NoSuchKind {
        /// What was asked for.
        wanted: String,
        /// The nearest kinds.
        suggestions: Vec<String>,
    },
    /// There is no such document.
    #[error("there is no {wanted}{}", meant(suggestions))]
    NoSuchDocument {
        /// The address that was asked for.
        wanted: String,
        /// The nearest addresses.
        suggestions: Vec<String>,
    },
    /// Several documents or parts are meant as well as each other.
    #[error("{wanted} can mean {}; say which", choices.join(" or "))]
    Ambiguous {
        /// The address that was asked for.
        wanted: String,
        /// The addresses that are meant.
        choices: Vec<String>,
    },
    /// The document has no such parts.
    #[error("{document} has no {}", listed(unknown))]
    NoSuchPart {
        /// The document's address.
        document: String,
        /// Each of them.
        unknown: Vec<UnknownPart>,
    },
    /// The kind does not take parts of its documents' own.
    #[error("{document} takes no other parts than those of its kind")]
    ClosedKind {
        /// The document's address.
        document: String,
    },
    /// Two parts would have the same name.
    #[error("{document} has a part `{part}` already")]
    PartExists {
        /// The document's address.
        document: String,
        /// The name.
        part: PartName,
    },
    /// The key does not fit the kind.
    #[error("{message}")]
    Key {
        /// Why.
        message: String,
    },
}

/// A part that was asked for and is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// The name that was asked for.
    pub name: String,
    /// The nearest names.
    pub suggestions: Vec<String>,
}

impl DocumentError {
    /// The stable code.
    pub const fn code(&self) -> Code {
        match self {
            Self::Conflict { .. } => Code::Conflict,
            Self::NoSuchKind { .. } | Self::NoSuchDocument { .. } => Code::ArtifactNotFound,
            Self::NoSuchPart { .. } => Code::SectionNotFound,
            Self::Address(_)
            | Self::Name(_)
            | Self::NoSuchRevision { .. }
            | Self::Ambiguous { .. }
            | Self::ClosedKind { .. }
            | Self::PartExists { .. }
            | Self::Key { .. } => Code::ValidationFailed,
        }
    }

    /// What was probably meant.
    pub fn suggestions(&self) -> Vec<String> {
        match self {
            Self::NoSuchKind { suggestions, .. } | Self::NoSuchDocument { suggestions, .. } => suggestions.clone(),
            Self::Ambiguous { choices, .. } => choices.clone(),
            Self::NoSuchPart { unknown, .. } => unknown.iter().flat_map(|part| part.suggestions.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

impl From<DocumentError> for OpError {
    fn from(error: DocumentError) -> Self {
        let told = Self::new(error.code(), error.to_string()).suggest(error.suggestions());
        match &error {
            DocumentError::Conflict { newer, base, .. } => told
                .detail(json!({ "base_revision": base, "newer_revision": newer }))
                .action("reload")
                .hint("read the newer revision, make the change on it, and write again"),
            _ => told,
        }
    }
}

fn meant(suggestions: &[String]) -> String {
    if suggestions.is_empty() { String::new() } else { format!("; did you mean {}?", suggestions.join(", ")) }
}

fn listed(unknown: &[UnknownPart]) -> String {
    let one = |part: &UnknownPart| format!("part `{}`{}", part.name, meant(&part.suggestions));
    unknown.iter().map(one).collect::<Vec<_>>().join(", and no ")
}
