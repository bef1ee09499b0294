//! The file of an artifact: one canonical JSON object, so that the same state always has the same bytes.
//!
//! On top stands what lists are made from; texts are in `data` and `lead` and nowhere else.

use std::collections::BTreeMap;

use jig_contract::ops::{ArtifactSnapshotInfo, ArtifactStatus};
use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Artifact, Finalized, Layout};
use crate::definition::to_json;
use crate::document::stored::{Meta, parts, unknown};
use crate::document::{Document, DocumentId, Key, KindName, Part, PartId, Revision, RevisionNumber};

/// What artifacts are among documents.
pub const FAMILY: &str = "artifacts";
/// Where a workbench keeps its artifacts.
pub const FOLDER: &str = "meta/documents/artifacts";

/// Why a file is no artifact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no artifact: {0}")]
pub struct BadArtifact(pub String);

#[derive(Serialize, Deserialize)]
struct File {
    id: Uuid,
    family: String,
    kind: KindName,
    #[serde(default = "Key::singleton")]
    key: Key,
    #[serde(default)]
    title: String,
    #[serde(default = "active")]
    state: String,
    status: ArtifactStatus,
    #[serde(default)]
    completeness: f64,
    revision: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    stage: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finalized: Option<Finalized>,
    #[serde(default)]
    lead: String,
    #[serde(default)]
    lead_changed: u64,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    parts: Vec<Value>,
    #[serde(default)]
    layout: Vec<LayoutLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    snapshots: Vec<ArtifactSnapshotInfo>,
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

#[derive(Serialize, Deserialize)]
struct LayoutLine {
    id: PartId,
    #[serde(flatten)]
    layout: Layout,
}

fn active() -> String {
    "active".to_owned()
}

/// Where a workbench keeps an artifact.
pub fn path_of(slug: &KindName) -> String {
    format!("{FOLDER}/{slug}.json")
}

impl Artifact {
    /// The bytes of its file.
    pub fn to_json(&self) -> Vec<u8> {
        let document = &self.document;
        let (done, total) = self.counts();
        #[expect(clippy::cast_precision_loss, reason = "counts of sections are small")]
        let completeness = if total == 0 { 0.0 } else { done as f64 / total as f64 };
        let line = |(id, layout): (&PartId, &Layout)| LayoutLine { id: *id, layout: layout.clone() };
        to_json(&File {
            id: document.id.0,
            family: FAMILY.to_owned(),
            kind: document.kind.clone(),
            key: document.key.clone(),
            title: document.title.clone(),
            state: active(),
            status: self.status,
            completeness,
            revision: self.revision(),
            created_at: self.created_at,
            updated_at: document.revision.at,
            stage: self.stage.clone(),
            template: self.template.clone(),
            finalized: self.finalized.clone(),
            lead: self.lead.clone(),
            lead_changed: self.lead_changed.0,
            data: document.parts.iter().map(|part| (part.name.to_string(), part.value.clone())).collect(),
            parts: document.parts.iter().map(|part| json!(Meta::of(part))).collect(),
            layout: self.layout.iter().map(line).collect(),
            snapshots: self.snapshots.clone(),
            changed: document.changed.0,
            next_part: document.next_part,
            parent: document.revision.parent.map(|number| number.0),
            author: document.revision.author.clone(),
            reason: document.revision.reason.clone(),
            previous: self.previous.clone(),
            other: self.other.clone(),
        })
    }

    /// Reads a file. A section without a heading gets one from its title.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BadArtifact> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| BadArtifact(error.to_string()))?;
        if file.family != FAMILY {
            return Err(BadArtifact(format!("it is one of {}", file.family)));
        }
        let revision = Revision {
            number: RevisionNumber(file.revision),
            parent: file.parent.map(RevisionNumber),
            author: file.author,
            reason: file.reason,
            at: file.updated_at,
        };
        let parts = parts(&file.parts, file.data, &revision);
        let known: BTreeMap<PartId, Layout> = file.layout.into_iter().map(|line| (line.id, line.layout)).collect();
        let layout = parts.iter().map(|part| (part.id, layout_of(&known, part, &revision))).collect();
        let used = parts.iter().map(|part| part.id.0).max().unwrap_or_default();
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
            stage: file.stage,
            status: file.status,
            finalized: file.finalized,
            template: file.template,
            lead: file.lead,
            lead_changed: RevisionNumber(file.lead_changed),
            layout,
            snapshots: file.snapshots,
            created_at: file.created_at,
            previous: file.previous,
            other: file.other,
        })
    }
}

fn layout_of(known: &BTreeMap<PartId, Layout>, part: &Part, revision: &Revision) -> Layout {
    known.get(&part.id).cloned().unwrap_or_else(|| Layout {
        heading: format!("## {}\n", part.title.replace(['\n', '\r'], " ")),
        is_collapsed: false,
        named: revision.number,
    })
}
