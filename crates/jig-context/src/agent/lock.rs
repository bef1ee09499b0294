//! `agent.lock`: which version a folder on disk was pulled from, and the hash of each of its files.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};

/// The file's name. It is no part of the workspace.
pub const LOCK: &str = "agent.lock";

/// What the file says.
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

/// How a file differs from what the lock says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockedFile {
    /// Other bytes.
    Changed,
    /// The lock does not know it.
    Added,
    /// It is not there.
    Missing,
}

impl Lock {
    /// Reads the file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let value = super::strict::read(bytes)?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// The file's text: the same lock gives the same bytes.
    pub fn write(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{value:#}\n")
    }

    /// How files differ from what it says, by path.
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
