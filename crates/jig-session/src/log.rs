//! Records of a log, and reading those of earlier versions.

use jig_contract::{BlobHash, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effect::Effect;
use crate::event::Event;

/// The form in which events are written now. Counts up when an event changes so that older ones need translating.
pub const LOG_VERSION: u32 = 2;

/// An event that was decided and not yet written.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The event.
    pub event: Event,
    /// Whether it follows from the state, and nobody asked for it.
    pub derived: bool,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, from 1. It is the identity of what it brings: messages, effects.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Whether it follows from the state, and nobody asked for it.
    #[serde(default)]
    pub derived: bool,
    /// The hash of what it asks to be done outside; none when that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<BlobHash>,
    /// What happened.
    pub event: Event,
}

/// A line of a log that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecord {
    /// Why, in words.
    pub why: String,
}

impl std::fmt::Display for BadRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

/// Reads an event as the version that wrote it did. Every version that was ever released stays here.
pub fn read_event(version: u32, value: Value) -> Result<Event, BadRecord> {
    match version {
        // The second version only adds members and an event.
        1 | 2 => serde_json::from_value(value)
            .map_err(|error| BadRecord { why: format!("the event cannot be read: {error}") }),
        newer => {
            Err(BadRecord { why: format!("the event is of version {newer}; this program knows up to {LOG_VERSION}") })
        }
    }
}

/// The hash of effects as a record keeps it.
pub fn digest(effects: &[Effect]) -> Option<BlobHash> {
    if effects.is_empty() {
        return None;
    }
    // An effect is plain data: it can always be written.
    let json = serde_json::to_vec(effects).unwrap_or_default();
    Some(BlobHash::from_bytes(*blake3::hash(&json).as_bytes()))
}
