//! A kind: which parts its documents may have.

use serde::{Deserialize, Serialize};

use super::name::{KindName, PartName};

/// What documents of this kind may contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name.
    pub name: KindName,
    /// What people call it.
    pub title: String,
    /// How many documents of it a workbench may have.
    pub slots: Slots,
    /// The parts it knows of, in order.
    pub parts: Vec<PartRule>,
    /// Whether a document may have parts that the kind does not know of.
    pub extra: Extra,
    /// After how many hours without a change of content a document counts as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_hours: Option<u32>,
}

/// How many documents of a kind there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slots {
    /// One, with an empty key.
    Singleton,
    /// Any number, each with a key.
    Keyed,
}

/// Whether parts beyond those of the kind are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extra {
    /// Only what the kind knows of: the fields of an entry.
    Refused,
    /// Whatever a person adds: the sections of an artifact, the files of an item.
    Allowed,
}

/// One part that a kind knows of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRule {
    /// Its name.
    pub name: PartName,
    /// What people call it.
    pub title: String,
    /// Whether the document is complete without it.
    pub need: Need,
}

/// Whether a part must be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// The document is complete only with it.
    Required,
    /// The document is complete without it.
    Optional,
}

impl Kind {
    /// The rule for a part, when the kind knows of it.
    pub fn rule(&self, name: &str) -> Option<&PartRule> {
        self.parts.iter().find(|rule| rule.name.as_str() == name)
    }

    /// The place of a part among those the kind knows of.
    pub(crate) fn place(&self, name: &PartName) -> Option<usize> {
        self.parts.iter().position(|rule| rule.name == *name)
    }
}
