//! The files of a workspace, read by hash and only where the index leads.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{BlobHash, WorkbenchPath};
use serde_json::Value;

use super::problem::Problem;
use super::strict;

/// The largest file of a workspace, in bytes.
pub const FILE_BYTES_MAX: u64 = 5 << 20;

/// A file of a workspace: what its root names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRef {
    /// Its bytes.
    pub hash: BlobHash,
    /// How many.
    pub bytes: u64,
}

/// The files that one root names, by path. All reads go through their hashes, so they fit together whatever happens to the
/// workspace meanwhile.
pub type Files = BTreeMap<String, FileRef>;

/// The reading of one compilation.
pub(super) struct Reader<'a> {
    pub(super) files: &'a Files,
    contents: &'a BTreeMap<BlobHash, Vec<u8>>,
    /// What must be read before it can go on.
    pub(super) needs: BTreeSet<BlobHash>,
    /// What was used.
    pub(super) used: BTreeMap<String, BlobHash>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(files: &'a Files, contents: &'a BTreeMap<BlobHash, Vec<u8>>) -> Self {
        Self { files, contents, needs: BTreeSet::new(), used: BTreeMap::new(), problems: Vec::new() }
    }

    pub(super) fn complain(&mut self, file: &str, pointer: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(file, pointer, message));
    }

    /// A file that another one names at a place. What is wrong with it is told there.
    pub(super) fn bytes(&mut self, path: &str, from: (&str, &str), most: u64) -> Option<&'a [u8]> {
        let (file, pointer) = from;
        if let Err(bad) = WorkbenchPath::new(path) {
            self.complain(
                file,
                pointer,
                format!("`{}` leads outside or is no path: {}", crate::document::shown(path), bad.rule),
            );
            return None;
        }
        let Some(found) = self.files.get(path) else {
            self.complain(file, pointer, format!("there is no file `{path}`"));
            return None;
        };
        if found.bytes > most {
            self.complain(file, pointer, format!("`{path}` has {} bytes; at most {most} are allowed", found.bytes));
            return None;
        }
        self.used.insert(path.to_owned(), found.hash);
        let Some(bytes) = self.contents.get(&found.hash) else {
            self.needs.insert(found.hash);
            return None;
        };
        // Bytes are trusted by their hash alone.
        if blake3::hash(bytes).as_bytes() != found.hash.as_bytes() {
            self.complain(path, "", "its bytes are not those that the workspace names");
            return None;
        }
        Some(bytes)
    }

    /// A file of JSON.
    pub(super) fn json(&mut self, path: &str, from: (&str, &str), most: u64) -> Option<Value> {
        let bytes = self.bytes(path, from, most)?;
        match strict::read(bytes) {
            Ok(value) => Some(value),
            Err(why) => {
                self.complain(path, "", why);
                None
            }
        }
    }

    /// A file of text that says something.
    pub(super) fn text(&mut self, path: &str, from: (&str, &str), most: u64) -> Option<String> {
        let bytes = self.bytes(path, from, most)?;
        match std::str::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {
                self.complain(path, "", "it is empty");
                None
            }
            Ok(text) => Some(text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")),
            Err(_) => {
                self.complain(path, "", "it is not UTF-8 text");
                None
            }
        }
    }
}
