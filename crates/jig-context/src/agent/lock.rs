//! `agent.lock`: the version that a folder on disk was pulled from, with the hash of each of its files.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};

/// The file name. The lock is not part of the workspace.
pub const LOCK: &str = "agent.lock";

/// The content of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The workspace.
    pub name: String,
    /// The version.
    pub version: u64,
    /// The root of its files.
    pub root: BlobHash,
    /// The hash of each file.
    pub files: BTreeMap<String, BlobHash>,
}

/// How a file differs from the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockedFile {
    /// Its content differs.
    Changed,
    /// It is not in the lock.
    Added,
    /// It is in the lock but missing.
    Missing,
}

impl Lock {
    /// Parses a lock file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let value = super::strict::read(bytes)?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// The text of the lock file. Deterministic.
    pub fn write(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{value:#}\n")
    }

    /// The differences between `files` and the lock, by path.
    pub fn differences(&self, files: &BTreeMap<String, BlobHash>) -> BTreeMap<String, LockedFile> {
        let changed = self.files.iter().filter_map(|(path, hash)| match files.get(path) {
            None => Some((path.clone(), LockedFile::Missing)),
            Some(found) if found != hash => Some((path.clone(), LockedFile::Changed)),
            Some(_) => None,
        });
        let added = files.keys().filter(|path| !self.files.contains_key(*path));
        changed.chain(added.map(|path| (path.clone(), LockedFile::Added))).collect()
    }
}
