//! The file format of entries: a document plus its state and the values set aside.

use jig_contract::ops::{EntryState, KindDefinition, ProposalInfo};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Entry;
use super::kind::as_document_kind;
use crate::definition::to_json;
use crate::document::stored::{Stored, aside_from_json, aside_to_json, next_after};
use crate::document::{Key, KindName, measure};

/// The family name of entries among documents.
pub const FAMILY: &str = "entries";

/// Why a file is not a valid entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid entry: {0}")]
pub struct BadEntry(pub String);

/// The fields of an entry file that other documents do not have. Unknown fields are preserved.
#[derive(Serialize, Deserialize)]
struct Own {
    state: EntryState,
    #[serde(default)]
    kept_aside: Map<String, Value>,
    #[serde(default)]
    kind_version: u32,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The path of an entry in a workbench.
pub fn path_of(kind: &KindName, key: &Key) -> String {
    let name = if key.is_singleton() { "_" } else { key.as_str() };
    format!("meta/documents/{FAMILY}/{kind}/{name}.json")
}

/// The path of a proposal in a workbench.
pub fn proposal_path(id: &jig_contract::ProposalId) -> String {
    format!("meta/proposals/{id}.json")
}

impl Entry {
    /// Serialises the file. `completeness` is computed with this kind.
    pub fn to_json(&self, kind: &KindDefinition) -> Vec<u8> {
        let document = &self.document;
        let completeness = as_document_kind(kind).map_or(0.0, |kind| measure(&kind, document).completeness);
        let own = Own {
            state: self.state,
            kept_aside: aside_to_json(&self.kept_aside),
            kind_version: self.kind_version,
            other: self.other.clone(),
        };
        Stored::new(FAMILY, document, completeness, self.previous.clone(), own).to_json()
    }

    /// Parses a file.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BadEntry> {
        let (mut document, previous, own) = Stored::<Own>::from_json(FAMILY, bytes).map_err(BadEntry)?.open();
        let Own { state, kept_aside: kept, kind_version, other } = own;
        let kept_aside = aside_from_json(kept, &document.revision);
        document.next_part = document.next_part.max(next_after(&kept_aside));
        Ok(Self { document, state, kind_version, kept_aside, previous, other })
    }
}

/// Serialises a proposal.
pub fn proposal_to_json(proposal: &ProposalInfo) -> Vec<u8> {
    to_json(proposal)
}

/// Parses a proposal file.
pub fn proposal_from_json(bytes: &[u8]) -> Result<ProposalInfo, BadEntry> {
    serde_json::from_slice(bytes).map_err(|error| BadEntry(error.to_string()))
}
