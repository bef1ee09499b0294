//! Reads the files of a workspace by hash, and only those that the index leads to.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{BlobHash, WorkbenchPath};
use serde_json::Value;

use super::problem::Problem;
use super::strict;

/// The maximum size of a workspace file, in bytes.
pub const FILE_BYTES_MAX: u64 = 5 << 20;

/// A file of a workspace, as its root refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRef {
    /// The hash of its bytes.
    pub hash: BlobHash,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The files of one root, by path. All reads use these hashes, so they are consistent even if the workspace changes
/// meanwhile.
pub type Files = BTreeMap<String, FileRef>;

/// The state of one compilation.
pub(super) struct Reader<'a> {
    pub(super) files: &'a Files,
    contents: &'a BTreeMap<BlobHash, Vec<u8>>,
    /// The blobs to read before the compilation can continue.
    pub(super) needs: BTreeSet<BlobHash>,
    /// The files that were used.
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

    /// The bytes of a file that another file refers to. Errors are reported at the reference.
    pub(super) fn bytes(&mut self, path: &str, from: (&str, &str), most: u64) -> Option<&'a [u8]> {
        let (file, pointer) = from;
        if let Err(bad) = WorkbenchPath::new(path) {
            self.complain(
                file,
                pointer,
                format!("`{}` is not a valid path inside the workspace: {}", crate::document::shown(path), bad.rule),
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
        // Blobs are verified here, so that the caller does not have to be trusted.
        if blake3::hash(bytes).as_bytes() != found.hash.as_bytes() {
            self.complain(path, "", "its bytes are not those that the workspace names");
            return None;
        }
        Some(bytes)
    }

    /// Reads a JSON file.
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

    /// Reads a nonblank text file.
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
