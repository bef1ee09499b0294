//! Log records, and reading those of earlier versions.

use jig_contract::{BlobHash, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effect::Effect;
use crate::event::Event;

/// The version of the event format. Increased when older events need translating.
pub const LOG_VERSION: u32 = 2;

/// An event that is decided but not yet written.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The event.
    pub event: Event,
    /// Whether the event follows from the state alone, without a command.
    pub derived: bool,
}

/// A record: one line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, counted from 1. Messages and effects are identified by it.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Whether the event follows from the state alone, without a command.
    #[serde(default)]
    pub derived: bool,
    /// The hash of the effects that it starts; `None` if it starts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<BlobHash>,
    /// What happened.
    pub event: Event,
}

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecord {
    /// The reason, for people.
    pub why: String,
}

impl std::fmt::Display for BadRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

/// Reads an event written by an earlier version. Every version that was ever released stays supported.
pub fn read_event(version: u32, value: Value) -> Result<Event, BadRecord> {
    match version {
        // Version 2 only adds fields and one event.
        1 | 2 => serde_json::from_value(value)
            .map_err(|error| BadRecord { why: format!("the event cannot be read: {error}") }),
        newer => {
            Err(BadRecord { why: format!("the event is of version {newer}; this program knows up to {LOG_VERSION}") })
        }
    }
}

/// The hash that a record stores for its effects.
pub fn digest(effects: &[Effect]) -> Option<BlobHash> {
    if effects.is_empty() {
        return None;
    }
    // Serializing an effect, which is plain data, does not fail.
    let json = serde_json::to_vec(effects).unwrap_or_default();
    Some(BlobHash::from_bytes(*blake3::hash(&json).as_bytes()))
}
