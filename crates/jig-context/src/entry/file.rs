//! The file of an entry: one canonical JSON object, so that the same state always has the same bytes.
//!
//! On top stands what lists and searches are made from; values are in `data` and nowhere else, what is known about them
//! in `parts`. Members that this version does not know are kept.

use jig_contract::ops::{EntryState, KindDefinition, ProposalInfo};
use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::Entry;
use super::kind::as_document_kind;
use crate::definition::to_json;
use crate::document::stored::{Meta, aside_from_json, aside_to_json, parts, unknown};
use crate::document::{Document, DocumentId, Key, KindName, Revision, RevisionNumber, measure};

/// What entries are among documents.
pub const FAMILY: &str = "entries";

/// Why a file is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no entry: {0}")]
pub struct BadEntry(pub String);

#[derive(Serialize, Deserialize)]
struct File {
    id: Uuid,
    family: String,
    kind: KindName,
    #[serde(default = "Key::singleton")]
    key: Key,
    #[serde(default)]
    title: String,
    state: EntryState,
    #[serde(default)]
    completeness: f64,
    revision: u64,
    updated_at: Timestamp,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    parts: Vec<Value>,
    #[serde(default)]
    kept_aside: Map<String, Value>,
    #[serde(default)]
    kind_version: u32,
    #[serde(default)]
    changed: u64,
    #[serde(default)]
    next_part: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    #[serde(default = "unknown")]
    author: Actor,
    #[serde(default)]
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// Where a workbench keeps an entry.
pub fn path_of(kind: &KindName, key: &Key) -> String {
    let name = if key.is_singleton() { "_" } else { key.as_str() };
    format!("meta/documents/{FAMILY}/{kind}/{name}.json")
}

/// Where a workbench keeps a proposal.
pub fn proposal_path(id: &jig_contract::ProposalId) -> String {
    format!("meta/proposals/{id}.json")
}

impl Entry {
    /// The bytes of its file. `completeness` is by this kind.
    pub fn to_json(&self, kind: &KindDefinition) -> Vec<u8> {
        let document = &self.document;
        let completeness = as_document_kind(kind).map_or(0.0, |kind| measure(&kind, document).completeness);
        let file = File {
            id: document.id.0,
            family: FAMILY.to_owned(),
            kind: document.kind.clone(),
            key: document.key.clone(),
            title: document.title.clone(),
            state: self.state,
            completeness,
            revision: document.revision.number.0,
            updated_at: document.revision.at,
            data: self.data(),
            parts: document.parts.iter().map(|part| json!(Meta::of(part))).collect(),
            kept_aside: aside_to_json(&self.kept_aside),
            kind_version: self.kind_version,
            changed: document.changed.0,
            next_part: document.next_part,
            parent: document.revision.parent.map(|number| number.0),
            author: document.revision.author.clone(),
            reason: document.revision.reason.clone(),
            previous: self.previous.clone(),
            other: self.other.clone(),
        };
        to_json(&file)
    }

    /// Reads a file. What is damaged about a part's history does not keep the value from being read; it then counts as
    /// written by hand.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BadEntry> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| BadEntry(error.to_string()))?;
        if file.family != FAMILY {
            return Err(BadEntry(format!("it is one of {}", file.family)));
        }
        let revision = Revision {
            number: RevisionNumber(file.revision),
            parent: file.parent.map(RevisionNumber),
            author: file.author,
            reason: file.reason,
            at: file.updated_at,
        };
        let parts = parts(&file.parts, file.data, &revision);
        let kept_aside = aside_from_json(file.kept_aside, &revision);
        let used = parts.iter().chain(&kept_aside).map(|part| part.id.0).max().unwrap_or_default();
        let document = Document {
            id: DocumentId(file.id),
            kind: file.kind,
            key: file.key,
            title: file.title,
            changed: RevisionNumber(if file.changed == 0 { file.revision } else { file.changed }),
            next_part: file.next_part.max(used.saturating_add(1)),
            parts,
            revision,
        };
        Ok(Self {
            document,
            state: file.state,
            kind_version: file.kind_version,
            kept_aside,
            previous: file.previous,
            other: file.other,
        })
    }
}

/// The bytes of a proposal's file.
pub fn proposal_to_json(proposal: &ProposalInfo) -> Vec<u8> {
    to_json(proposal)
}

/// Reads a proposal's file.
pub fn proposal_from_json(bytes: &[u8]) -> Result<ProposalInfo, BadEntry> {
    serde_json::from_slice(bytes).map_err(|error| BadEntry(error.to_string()))
}
