//! The file format of artifacts: a document plus stage, status, layout and lead.

use std::collections::BTreeMap;

use jig_contract::Timestamp;
use jig_contract::ops::{ArtifactSnapshotInfo, ArtifactStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Artifact, Finalized, Layout};
use crate::document::stored::Stored;
use crate::document::{KindName, Part, PartId, Revision, RevisionNumber};

/// The family name of artifacts among documents.
pub const FAMILY: &str = "artifacts";
/// The folder of artifacts in a workbench.
pub const FOLDER: &str = "meta/documents/artifacts";

/// Why a file is not a valid artifact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid artifact: {0}")]
pub struct BadArtifact(pub String);

/// The fields of an artifact file that other documents do not have.
#[derive(Serialize, Deserialize)]
struct Own {
    #[serde(default = "active")]
    state: String,
    status: ArtifactStatus,
    created_at: Timestamp,
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
    layout: Vec<LayoutLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    snapshots: Vec<ArtifactSnapshotInfo>,
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

/// The path of an artifact in a workbench.
pub fn path_of(slug: &KindName) -> String {
    format!("{FOLDER}/{slug}.json")
}

impl Artifact {
    /// Serialises the file.
    pub fn to_json(&self) -> Vec<u8> {
        let (done, total) = self.counts();
        #[expect(clippy::cast_precision_loss, reason = "counts of sections are small")]
        let completeness = if total == 0 { 0.0 } else { done as f64 / total as f64 };
        let line = |(id, layout): (&PartId, &Layout)| LayoutLine { id: *id, layout: layout.clone() };
        let own = Own {
            state: active(),
            status: self.status,
            created_at: self.created_at,
            stage: self.stage.clone(),
            template: self.template.clone(),
            finalized: self.finalized.clone(),
            lead: self.lead.clone(),
            lead_changed: self.lead_changed.0,
            layout: self.layout.iter().map(line).collect(),
            snapshots: self.snapshots.clone(),
            other: self.other.clone(),
        };
        Stored::new(FAMILY, &self.document, completeness, self.previous.clone(), own).to_json()
    }

    /// Parses a file. A section without a heading gets one from its title.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BadArtifact> {
        let (document, previous, own) = Stored::<Own>::from_json(FAMILY, bytes).map_err(BadArtifact)?.open();
        let known: BTreeMap<PartId, Layout> = own.layout.into_iter().map(|line| (line.id, line.layout)).collect();
        let layout = document.parts.iter().map(|part| (part.id, layout_of(&known, part, &document.revision))).collect();
        Ok(Self {
            document,
            stage: own.stage,
            status: own.status,
            finalized: own.finalized,
            template: own.template,
            lead: own.lead,
            lead_changed: RevisionNumber(own.lead_changed),
            layout,
            snapshots: own.snapshots,
            created_at: own.created_at,
            previous,
            other: own.other,
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
