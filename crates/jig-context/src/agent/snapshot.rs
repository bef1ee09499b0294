//! A workspace compiled: one immutable value, named by the hash of its bytes.

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
    /// By the index.
    Index,
    /// By looking for `tools/*.json`, since there is no index.
    Legacy,
}

/// A workspace, resolved and checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The form of this value.
    pub format: u32,
    /// The root of the files.
    pub root: BlobHash,
    /// How they were found.
    pub source: Source,
    /// The files that were used.
    pub files: BTreeMap<String, BlobHash>,
    /// The prompt packs.
    pub packs: BTreeMap<String, Pack>,
    /// The tool catalogs.
    pub catalogs: BTreeMap<String, Catalog>,
    /// What the index chooses.
    pub defaults: Defaults,
    /// What stands behind the tools.
    pub coverage: Coverage,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Snapshot {
    /// The bytes under whose hash it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Names are sorted and nothing in it has a key that is no text: it can always be written.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Its name.
    pub fn hash(&self) -> BlobHash {
        BlobHash::from_bytes(*blake3::hash(&self.to_bytes()).as_bytes())
    }

    /// Reads it back.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }
}
