//! The wire form of entries.

use jig_contract::Timestamp;
use jig_contract::ops::{EntryInfo, FieldChange, FieldChangeKind, FieldDone, FieldInfo, KindDefinition};
use serde_json::Map;

use super::Entry;
use super::error::EntryError;
use super::kind::{as_document_kind, order_of};
use super::wire::{source_to_wire, staleness_to_wire};
use crate::document::{
    Document, DocumentError, Kind, Need, Part, PartDiff, RevisionNumber, diff, is_filled, measure, project, staleness,
};

/// The entry with the named fields, or all if none is named. `seen` is the revision that the reader has seen;
/// `documents` has the current state of its sources.
pub fn info(
    kind: &KindDefinition,
    entry: &Entry,
    fields: &[String],
    seen: Option<u64>,
    documents: &[Document],
    now: Timestamp,
) -> Result<EntryInfo, EntryError> {
    let document_kind = as_document_kind(kind).map_err(DocumentError::from)?;
    let document = &entry.document;
    let parts: Vec<&Part> = if fields.is_empty() {
        document.parts.iter().collect()
    } else {
        project(&document_kind, document, fields)?.parts
    };
    let numbers = measure(&document_kind, document);
    let seen = seen.map_or(document.revision.number, RevisionNumber);
    let old = staleness(&document_kind, document, seen, documents, now);
    Ok(EntryInfo {
        id: document.id.0.to_string(),
        role: document.kind.to_string(),
        entry_key: document.key.to_string(),
        display_name: document.title.clone(),
        state: entry.state,
        data: parts.iter().map(|part| (part.name.to_string(), part.value.clone())).collect(),
        fields: parts.iter().map(|part| field_info(part)).collect(),
        revision: entry.revision(),
        kind_version: entry.kind_version,
        updated_at: document.revision.at,
        updated_by: document.revision.author.clone(),
        completeness: numbers.completeness,
        no_requirements: numbers.no_requirements,
        filled: numbers.filled as u64,
        parts: numbers.parts as u64,
        done: numbers.done as u64,
        done_suggested: numbers.done_suggested as u64,
        changed_since_done: numbers.changed_since_done as u64,
        staleness: staleness_to_wire(&old),
        missing: missing_fields(&document_kind, document),
        kept_aside: kept_aside(entry),
        assets: Vec::new(),
        // Computed by the caller: it depends on the file hash, which only the store knows.
        etag: String::new(),
    })
}

fn field_info(part: &Part) -> FieldInfo {
    FieldInfo {
        key: part.name.to_string(),
        by: part.provenance.by.clone(),
        at: part.provenance.at,
        model_id: part.provenance.origin.model_id.clone(),
        sources: part.provenance.origin.sources.iter().map(source_to_wire).collect(),
        done: part.done.as_ref().map(|done| FieldDone {
            by: done.by.clone(),
            at: done.at,
            revision: done.revision.0,
            changed_since: part.changed_since_done(),
        }),
        changed_in: part.changed.0,
    }
}

/// Required fields without content.
pub fn missing_fields(kind: &Kind, document: &Document) -> Vec<String> {
    let filled = |name: &str| document.part(name).is_some_and(|part| is_filled(&part.value));
    let required = kind.parts.iter().filter(|rule| rule.need == Need::Required);
    required.map(|rule| rule.name.to_string()).filter(|name| !filled(name)).collect()
}

fn kept_aside(entry: &Entry) -> Map<String, serde_json::Value> {
    entry.kept_aside.iter().map(|part| (part.name.to_string(), part.value.clone())).collect()
}

/// The changes of a write, compared with the previous revision.
pub fn changes(before: Option<&Entry>, after: &Entry) -> Vec<FieldChange> {
    let old = before.map_or(&[][..], |entry| &entry.document.parts);
    let change = |diff: PartDiff| {
        let (field, change) = match diff {
            PartDiff::Added(name) => (name, FieldChangeKind::Added),
            PartDiff::Changed(name) | PartDiff::Renamed { to: name, .. } => (name, FieldChangeKind::Changed),
            PartDiff::Removed(name) => (name, FieldChangeKind::Removed),
        };
        FieldChange { field: field.to_string(), change }
    };
    diff(old, &after.document.parts).into_iter().map(change).collect()
}

/// The sort key of an entry in lists: the order of its kind, then its key. `kinds` are those of the workbench.
pub fn rank(kinds: &[KindDefinition], role: &str, key: &str) -> (u32, String, String) {
    let order = kinds.iter().find(|kind| kind.anchor_role == role).map_or(u32::MAX, |kind| order_of(kind).0);
    (order, role.to_owned(), key.to_owned())
}
