//! Document kinds: which parts a document may have.

use serde::{Deserialize, Serialize};

use super::name::{KindName, PartName};

/// A document kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name.
    pub name: KindName,
    /// The display title.
    pub title: String,
    /// How many documents of the kind a workbench may have.
    pub slots: Slots,
    /// The parts that the kind defines, in order.
    pub parts: Vec<PartRule>,
    /// Whether a document may have additional parts.
    pub extra: Extra,
    /// The number of hours without a change of content after which a document expires.
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

/// Whether additional parts are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extra {
    /// Only defined parts, as for the fields of an entry.
    Refused,
    /// Any part, as for the sections of an artifact or the files of an item.
    Allowed,
}

/// A part that a kind defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRule {
    /// Its name.
    pub name: PartName,
    /// The display title.
    pub title: String,
    /// Whether the part is required.
    pub need: Need,
}

/// Whether a part must be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// The document is incomplete without it.
    Required,
    /// The document is complete without it.
    Optional,
}

impl Kind {
    /// The rule for a part, if the kind defines it.
    pub fn rule(&self, name: &str) -> Option<&PartRule> {
        self.parts.iter().find(|rule| rule.name.as_str() == name)
    }

    /// The position of a part in the kind's order.
    pub(crate) fn place(&self, name: &PartName) -> Option<usize> {
        self.parts.iter().position(|rule| rule.name == *name)
    }
}
