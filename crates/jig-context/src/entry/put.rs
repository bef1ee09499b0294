//! Writes an entry, either replacing all values or merging the given ones.

use jig_contract::ops::{EntryState, KindDefinition, PutMode};
use jig_contract::{Actor, Timestamp};
use serde_json::{Map, Value};

use super::Entry;
use super::check::check_data;
use super::error::EntryError;
use super::kind::as_document_kind;
use crate::document::{Address, Change, Document, DocumentError, DocumentId, Key, Kind, Origin, RevisionNumber, Write};

/// A write to an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// The key; empty for a singleton.
    pub key: Key,
    /// The id for a new entry.
    pub fresh_id: DocumentId,
    /// The display name; unchanged if `None`.
    pub display_name: Option<String>,
    /// The values.
    pub data: Map<String, Value>,
    /// Whether the values replace or extend the existing ones.
    pub mode: PutMode,
    /// The base revision: 0 requires that the entry does not exist; `None` skips the check.
    pub base_revision: Option<u64>,
    /// The author.
    pub author: Actor,
    /// The reason.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// The model and sources of the values.
    pub origin: Origin,
    /// The hash of the current revision's file.
    pub previous: Option<String>,
}

/// Applies a write, all or nothing: everything is validated first. A write without changes returns the entry in the
/// same revision.
pub fn put(kind: &KindDefinition, entry: Option<&Entry>, put: Put) -> Result<Entry, EntryError> {
    let document_kind = as_document_kind(kind).map_err(DocumentError::from)?;
    let address = Address { kind: document_kind.name.clone(), key: put.key.clone(), part: None }.to_string();
    check_base(&address, entry, put.base_revision)?;
    let problems = check_data(kind, &put.data);
    if !problems.is_empty() {
        return Err(EntryError::Values { address, problems });
    }
    match entry {
        Some(entry) => change(kind, &document_kind, entry, put),
        None => create(kind, &document_kind, put),
    }
}

pub(super) fn check_base(address: &str, entry: Option<&Entry>, base: Option<u64>) -> Result<(), EntryError> {
    match (entry, base) {
        (None, Some(base)) if base > 0 => Err(EntryError::Gone { address: address.to_owned(), base }),
        (Some(entry), Some(0)) => Err(EntryError::Exists { address: address.to_owned(), newest: entry.revision() }),
        // Other bases are checked by the document.
        _ => Ok(()),
    }
}

fn create(kind: &KindDefinition, document_kind: &Kind, put: Put) -> Result<Entry, EntryError> {
    let title = put.display_name.clone().unwrap_or_else(|| title(kind, &put));
    let changes = sets(&put.data, &put.origin);
    let write = Write { author: put.author, reason: put.reason, at: put.at, changes };
    let document = Document::create(document_kind, put.fresh_id, put.key, &title, write)?;
    Ok(Entry {
        document,
        state: EntryState::Active,
        kind_version: kind.version,
        kept_aside: Vec::new(),
        previous: None,
        other: Map::new(),
    })
}

/// The display name of a new entry: the value of its name or title field, else the name of its kind.
fn title(kind: &KindDefinition, put: &Put) -> String {
    let text = |field: &str| put.data.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let named = text("name").or_else(|| text("title")).filter(|_| !kind.is_singleton);
    named.map_or_else(|| if kind.is_singleton { kind.display_name.clone() } else { put.key.to_string() }, str::to_owned)
}

fn change(kind: &KindDefinition, document_kind: &Kind, entry: &Entry, put: Put) -> Result<Entry, EntryError> {
    let base = put.base_revision.map_or(entry.document.revision.number, RevisionNumber);
    let mut changes = sets(&put.data, &put.origin);
    changes.retain(|change| !says_nothing(entry, change));
    let named = |name: &str| put.data.get(name).is_some_and(|value| !value.is_null());
    let taken_away = |name: &str| match put.mode {
        PutMode::Merge => put.data.get(name).is_some_and(Value::is_null),
        PutMode::Replace => !named(name),
    };
    let gone = entry.document.parts.iter().filter(|part| taken_away(part.name.as_str()));
    changes.extend(gone.map(|part| Change::Remove { part: part.name.to_string() }));
    if let Some(title) = put.display_name.filter(|title| *title != entry.document.title) {
        changes.push(Change::Retitle { title });
    }
    let nothing = changes.is_empty();
    let write = Write { author: put.author, reason: put.reason, at: put.at, changes };
    let document = entry.document.write(document_kind, base, write)?;
    if nothing {
        return Ok(entry.clone());
    }
    Ok(Entry { document, kind_version: kind.version, previous: put.previous, ..entry.clone() })
}

/// Whether a change has no effect. Stating the source of an unchanged value does have one.
fn says_nothing(entry: &Entry, change: &Change) -> bool {
    let Change::Set { part, value, origin } = change else { return false };
    *origin == Origin::default() && entry.document.part(part).is_some_and(|part| same_value(&part.value, value))
}

/// Whether two values are equal. Numbers compare numerically, because forms send 3 for 3.0.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b)),
        _ => a == b,
    }
}

/// The fields that a write sets or removes.
pub fn changed_fields(entry: Option<&Entry>, data: &Map<String, Value>, mode: PutMode, origin: &Origin) -> Vec<String> {
    let same = |name: &str, value: &Value| {
        let present = entry.and_then(|entry| entry.document.part(name));
        *origin == Origin::default() && present.is_some_and(|part| same_value(&part.value, value))
    };
    touched(entry, data, mode).into_iter().filter(|(name, value)| !same(name, value)).map(|(name, _)| name).collect()
}

/// The effect of a write on each field: a value to set, or `null` to remove it.
pub fn touched(entry: Option<&Entry>, data: &Map<String, Value>, mode: PutMode) -> Map<String, Value> {
    let has = |name: &str| entry.is_some_and(|entry| entry.document.part(name).is_some());
    let mut touched: Map<String, Value> = data
        .iter()
        .filter(|(name, value)| !value.is_null() || has(name))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    if mode == PutMode::Replace {
        let parts = entry.map_or(&[][..], |entry| &entry.document.parts);
        let gone = parts.iter().filter(|part| !data.contains_key(part.name.as_str()));
        touched.extend(gone.map(|part| (part.name.to_string(), Value::Null)));
    }
    touched
}

fn sets(data: &Map<String, Value>, origin: &Origin) -> Vec<Change> {
    let there = data.iter().filter(|(_, value)| !value.is_null());
    there
        .map(|(part, value)| Change::Set { part: part.clone(), value: value.clone(), origin: origin.clone() })
        .collect()
}
