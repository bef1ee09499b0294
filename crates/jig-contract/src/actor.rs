//! The actor of a change: a person, an agent or Jig itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who made a change, as recorded in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(inline)]
pub enum Actor {
    /// A person, through an interface.
    Person {
        /// The person's name in Jig.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// An agent, with what is known about its activity.
    Agent {
        /// The client or model that acts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The agent's session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// The run in that session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// The step in that run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<u32>,
    },
    /// Jig itself.
    System,
    /// A user who changed a file in the folder by hand.
    Outside,
}

impl Actor {
    /// An unnamed person.
    pub const fn person() -> Self {
        Self::Person { name: None }
    }

    /// An agent, identified by its client's name.
    pub fn agent(name: impl Into<String>) -> Self {
        Self::Agent { name: Some(name.into()), session: None, run: None, step: None }
    }

    /// Whether two changes were made by the same person or agent: for agents, the same client or the same session.
    pub fn is_same_author(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Agent { name, session, .. }, Self::Agent { name: other, session: theirs, .. }) => {
                name == other && session == theirs
            }
            _ => self == other,
        }
    }

    /// One word for lists.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Person { .. } => "person",
            Self::Agent { .. } => "agent",
            Self::System => "system",
            Self::Outside => "outside",
        }
    }
}
