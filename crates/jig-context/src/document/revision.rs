//! Revisions: each write of a document creates one that records author, reason and base.

use std::fmt;

use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};

/// The number of a revision, counted from 1 within a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RevisionNumber(pub u64);

impl RevisionNumber {
    /// The first revision of a document.
    pub const FIRST: Self = Self(1);

    /// The following revision; it stays at the largest number instead of wrapping.
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

/// The metadata of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number.
    pub number: RevisionNumber,
    /// The revision it is based on; `None` for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RevisionNumber>,
    /// The author.
    pub author: Actor,
    /// The reason, in the author's words.
    pub reason: String,
    /// When it was written.
    pub at: Timestamp,
}
