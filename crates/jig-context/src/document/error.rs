//! Errors of documents.

use jig_contract::{Code, OpError};
use serde_json::json;

use super::address::BadAddress;
use super::name::{BadName, PartName};
use super::revision::{Revision, RevisionNumber};

/// Why a document could not be found, read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DocumentError {
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// A name is invalid.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The base revision of the write is outdated.
    #[error("{document} was changed since revision {base}: revision {} is newer", newer.number)]
    Conflict {
        /// The document's address.
        document: String,
        /// The base revision.
        base: RevisionNumber,
        /// The current revision.
        newer: Box<Revision>,
    },
    /// The document never had this revision.
    #[error("{document} has no revision {wanted}; its newest is {newest}")]
    NoSuchRevision {
        /// The document's address.
        document: String,
        /// The requested revision.
        wanted: RevisionNumber,
        /// The newest revision.
        newest: RevisionNumber,
    },
    /// The kind does not exist.
    #[error("there is no kind `{wanted}`{}", meant(suggestions))]
    NoSuchKind {
        /// The requested kind.
        wanted: String,
        /// Similar kinds.
        suggestions: Vec<String>,
    },
    /// The document does not exist.
    #[error("there is no {wanted}{}", meant(suggestions))]
    NoSuchDocument {
        /// The requested address.
        wanted: String,
        /// Similar addresses.
        suggestions: Vec<String>,
    },
    /// The address matches several documents or parts equally well.
    #[error("{wanted} can mean {}; say which", choices.join(" or "))]
    Ambiguous {
        /// The requested address.
        wanted: String,
        /// The matching addresses.
        choices: Vec<String>,
    },
    /// The document does not have these parts.
    #[error("{document} has no {}", listed(unknown))]
    NoSuchPart {
        /// The document's address.
        document: String,
        /// The unknown parts.
        unknown: Vec<UnknownPart>,
    },
    /// The kind does not accept additional parts.
    #[error("{document} takes no other parts than those of its kind")]
    ClosedKind {
        /// The document's address.
        document: String,
    },
    /// A part with this name exists.
    #[error("{document} has a part `{part}` already")]
    PartExists {
        /// The document's address.
        document: String,
        /// The name.
        part: PartName,
    },
    /// The key is invalid for the kind.
    #[error("{message}")]
    Key {
        /// The reason.
        message: String,
    },
}

/// A requested part that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// The requested name.
    pub name: String,
    /// Similar names.
    pub suggestions: Vec<String>,
}

impl DocumentError {
    /// The stable error code.
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

    /// Similar valid values.
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
