//! The properties of an entry that assembly needs.

use jig_contract::Timestamp;
use jig_contract::ops::{EntryStaleness, EntryState, KindDefinition};
use serde_json::{Map, Value};

use crate::document::{Address, Document, Key, KindName, PartName, expired, newer_sources};
use crate::entry::{Entry, as_document_kind, info, rank};

/// An active entry, with all of its fields or only those that a recipe requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its kind.
    pub role: String,
    /// The key; empty for a singleton.
    pub entry_key: String,
    /// Its revision.
    pub revision: u64,
    /// The values.
    pub data: Map<String, Value>,
    /// The share of required fields with content.
    pub completeness: f64,
    /// Required fields without content.
    pub missing: Vec<String>,
    /// Its staleness.
    pub staleness: EntryStaleness,
}

impl Row {
    /// The row of an entry; `None` if it is archived.
    pub fn of(kind: &KindDefinition, entry: &Entry, documents: &[Document], now: Timestamp) -> Option<Self> {
        if entry.state != EntryState::Active {
            return None;
        }
        let info = info(kind, entry, &[], None, documents, now).ok()?;
        Some(Self {
            role: info.role,
            entry_key: info.entry_key,
            revision: info.revision,
            data: info.data,
            completeness: info.completeness,
            missing: info.missing,
            staleness: info.staleness,
        })
    }

    /// The address of the entry or of one of its fields.
    pub(super) fn address(&self, field: Option<&str>) -> String {
        let plain = || match field {
            Some(field) => format!("@{}#{field}", self.role),
            None => format!("@{}", self.role),
        };
        let made = KindName::new(&self.role).ok().zip(Key::new(&self.entry_key).ok());
        let part = field.map(PartName::new).transpose().ok().flatten();
        made.map_or_else(plain, |(kind, key)| Address { kind, key, part }.to_string())
    }
}

/// The rows of entries, in the order of contexts and lists.
pub fn rows(kinds: &[KindDefinition], entries: &[Entry], now: Timestamp) -> Vec<Row> {
    let documents: Vec<Document> = entries.iter().map(|entry| entry.document.clone()).collect();
    let row = |entry: &Entry| {
        let kind = kinds.iter().find(|kind| kind.anchor_role == entry.document.kind.as_str())?;
        Row::of(kind, entry, &documents, now)
    };
    let mut rows: Vec<Row> = entries.iter().filter_map(row).collect();
    rows.sort_by_cached_key(|row| rank(kinds, &row.role, &row.entry_key));
    rows
}

/// The staleness of a document with a validity period that overrides its kind's.
pub(super) fn staleness_by(
    kind: &KindDefinition,
    ttl_hours: Option<u32>,
    document: &Document,
    documents: &[Document],
    now: Timestamp,
) -> crate::document::Staleness {
    let Ok(mut kind) = as_document_kind(kind) else { return crate::document::Staleness::default() };
    kind.ttl_hours = ttl_hours.or(kind.ttl_hours);
    let own = document.address();
    let mut newer = newer_sources(document, documents);
    // An entry produced from its own previous state is not stale because of itself.
    newer.retain(|source| source.address.kind != own.kind || source.address.key != own.key);
    crate::document::Staleness { expired: expired(&kind, document, now), outdated_view: None, newer_sources: newer }
}
