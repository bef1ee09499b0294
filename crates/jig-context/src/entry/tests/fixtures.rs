//! Shared test fixtures: fixed times and ids, and short helpers for writes.

use jig_contract::ops::{KindDefinition, PutMode};
use jig_contract::{Actor, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use crate::document::{DocumentId, Key, Origin};
use crate::entry::{Entry, EntryError, Put, Writer, put, shipped_kind};

pub(super) const HOUR: i64 = 3_600_000;

pub(super) fn at(hours: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + hours * HOUR)
}

pub(super) fn kind(role: &str) -> &'static KindDefinition {
    shipped_kind(role).unwrap()
}

pub(super) fn agent() -> Actor {
    Actor::agent("helper")
}

pub(super) fn given(data: Value) -> Put {
    let Value::Object(data) = data else { panic!("{data}") };
    Put {
        key: Key::singleton(),
        fresh_id: DocumentId(Uuid::from_u128(7)),
        display_name: None,
        data,
        mode: PutMode::Merge,
        base_revision: None,
        author: Actor::person(),
        reason: String::new(),
        at: at(0),
        origin: Origin::default(),
        previous: None,
    }
}

pub(super) fn keyed(key: &str, data: Value) -> Put {
    Put { key: Key::new(key).unwrap(), fresh_id: DocumentId(id_of(key)), ..given(data) }
}

/// An id derived from a key.
fn id_of(key: &str) -> Uuid {
    Uuid::from_u128(key.bytes().take(15).fold(1, |sum, byte| sum * 256 + u128::from(byte)))
}

pub(super) fn write(role: &str, entry: Option<&Entry>, write: Put) -> Result<Entry, EntryError> {
    put(kind(role), entry, write)
}

pub(super) fn made(role: &str, data: Value) -> Entry {
    write(role, None, given(data)).unwrap()
}

pub(super) fn by(author: Actor, hours: i64) -> Writer {
    Writer { author, at: at(hours), base_revision: None, previous: Some("hash".into()) }
}
