//! A compiled workspace: an immutable value, identified by the hash of its bytes.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::coverage::Coverage;
use super::index::Defaults;
use super::pack::Pack;

/// How the files were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Through the index.
    Index,
    /// By scanning for `tools/*.json`, since the index is missing.
    Legacy,
}

/// A compiled workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The version of the serialised form.
    pub format: u32,
    /// The root hash of the files.
    pub root: BlobHash,
    /// How the files were found.
    pub source: Source,
    /// The files that were used, with their hashes.
    pub files: BTreeMap<String, BlobHash>,
    /// The prompt packs.
    pub packs: BTreeMap<String, Pack>,
    /// The tool catalogs.
    pub catalogs: BTreeMap<String, Catalog>,
    /// The choices of the index.
    pub defaults: Defaults,
    /// Which tools can be called.
    pub coverage: Coverage,
    /// Warnings for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Snapshot {
    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Serialising cannot fail: all map keys are strings. The bytes are deterministic because maps are sorted.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The identity of the snapshot.
    pub fn hash(&self) -> BlobHash {
        BlobHash::from_bytes(*blake3::hash(&self.to_bytes()).as_bytes())
    }

    /// Parses stored bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }
}
