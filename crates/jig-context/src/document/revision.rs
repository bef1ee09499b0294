//! Revisions: every write of a document is one, with who, why and on what it was built.

use std::fmt;

use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};

/// The number of a revision: 1 for the first of a document, then counting up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RevisionNumber(pub u64);

impl RevisionNumber {
    /// The first revision of a document.
    pub const FIRST: Self = Self(1);

    /// The one after this.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for RevisionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One write of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number.
    pub number: RevisionNumber,
    /// The revision it was made on; none for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RevisionNumber>,
    /// Who wrote it.
    pub author: Actor,
    /// Why, in the author's words.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}
