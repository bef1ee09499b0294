//! Folders as values with one canonical encoding, so that equal folders have equal hashes.
//!
//! The text starts with `jig-tree 1`, followed by one line per name in byte order: `f <hash> <bytes> <name>` for a
//! file, `d <hash> <bytes> <files> <name>` for a folder with the totals of all files below it. Any other text is
//! refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jig_contract::{BlobHash, WorkbenchPath, fold_case};

const HEADER: &str = "jig-tree 1\n";

/// A file in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileNode {
    /// The hash of its bytes.
    pub hash: BlobHash,
    /// Its size.
    pub bytes: u64,
}

/// A folder entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A file.
    File {
        /// The hash of its bytes.
        hash: BlobHash,
        /// Its size.
        bytes: u64,
    },
    /// A folder.
    Folder {
        /// The hash of its encoding.
        hash: BlobHash,
        /// The total size of all files below it.
        bytes: u64,
        /// The number of files below it.
        files: u64,
    },
}

impl Node {
    /// The hash of the blob.
    pub const fn hash(&self) -> BlobHash {
        match self {
            Self::File { hash, .. } | Self::Folder { hash, .. } => *hash,
        }
    }

    /// The size of the file, or of all files below the folder.
    pub const fn bytes(&self) -> u64 {
        match self {
            Self::File { bytes, .. } | Self::Folder { bytes, .. } => *bytes,
        }
    }

    /// The number of files; 1 for a file.
    pub const fn files(&self) -> u64 {
        match self {
            Self::File { .. } => 1,
            Self::Folder { files, .. } => *files,
        }
    }

    /// The file, if it is one.
    pub const fn file(&self) -> Option<FileNode> {
        match self {
            Self::File { hash, bytes } => Some(FileNode { hash: *hash, bytes: *bytes }),
            Self::Folder { .. } => None,
        }
    }
}

impl From<FileNode> for Node {
    fn from(file: FileNode) -> Self {
        Self::File { hash: file.hash, bytes: file.bytes }
    }
}

/// A folder: names and their nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<String, Node>);

impl Tree {
    /// The node with this name.
    pub fn get(&self, name: &str) -> Option<Node> {
        self.0.get(name).copied()
    }

    /// The names in order, with their nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Node)> {
        self.0.iter().map(|(name, node)| (name.as_str(), *node))
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The node for this folder, given the hash of its encoding.
    pub fn node(&self, hash: BlobHash) -> Node {
        let sum = |of: fn(&Node) -> u64| self.0.values().map(of).fold(0, u64::saturating_add);
        Node::Folder { hash, bytes: sum(Node::bytes), files: sum(Node::files) }
    }

    /// The canonical encoding.
    pub fn encode(&self) -> String {
        let mut text = String::with_capacity(HEADER.len() + self.0.len() * 100);
        text.push_str(HEADER);
        for (name, node) in &self.0 {
            // Writing to a `String` cannot fail.
            let _ = match node {
                Node::File { hash, bytes } => writeln!(text, "f {hash} {bytes} {name}"),
                Node::Folder { hash, bytes, files } => writeln!(text, "d {hash} {bytes} {files} {name}"),
            };
        }
        text
    }

    /// Parses the canonical encoding, or returns the violated rule.
    pub fn decode(encoded: &[u8]) -> Result<Self, &'static str> {
        let text = std::str::from_utf8(encoded).map_err(|_| "it is not UTF-8")?;
        let lines = text.strip_prefix(HEADER).ok_or("it does not have the header of a folder")?;
        if !lines.is_empty() && !lines.ends_with('\n') {
            return Err("its last line is truncated");
        }
        let mut entries: Vec<(String, Node)> = Vec::new();
        for line in lines.split_terminator('\n') {
            let (name, node) = decode_line(line)?;
            if entries.last().is_some_and(|(last, _)| last.as_str() >= name) {
                return Err("its names are not sorted, or one is duplicated");
            }
            entries.push((name.to_owned(), node));
        }
        Ok(Self(entries.into_iter().collect()))
    }

    /// Two names that differ only in case, if there are any.
    pub fn case_collision(&self) -> Option<(&str, &str)> {
        let mut seen = std::collections::HashMap::new();
        self.0.keys().find_map(|name| seen.insert(fold_case(name), name).map(|other| (other.as_str(), name.as_str())))
    }
}

impl FromIterator<(String, Node)> for Tree {
    fn from_iter<I: IntoIterator<Item = (String, Node)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

fn decode_line(line: &str) -> Result<(&str, Node), &'static str> {
    let (sort, rest) = line.split_once(' ').ok_or("a line is truncated")?;
    let (hash, rest) = rest.split_once(' ').ok_or("a line is truncated")?;
    let hash: BlobHash = hash.parse().map_err(|_| "a hash is malformed")?;
    let (bytes, rest) = number(rest)?;
    let (name, node) = match sort {
        "f" => (rest, Node::File { hash, bytes }),
        "d" => {
            let (files, name) = number(rest)?;
            if files == 0 {
                return Err("it contains an empty folder");
            }
            (name, Node::Folder { hash, bytes, files })
        }
        _ => return Err("a line is not a file or folder"),
    };
    check_name(name)?;
    Ok((name, node))
}

/// A decimal number as written by `encode`, up to the next space.
fn number(text: &str) -> Result<(u64, &str), &'static str> {
    let (digits, rest) = text.split_once(' ').ok_or("a line is truncated")?;
    let number: u64 = digits.parse().map_err(|_| "a number is malformed")?;
    let canonical = digits == "0" || !(digits.starts_with('0') || digits.starts_with('+'));
    if canonical { Ok((number, rest)) } else { Err("a number is malformed") }
}

/// Checks a name by the rules for one path segment.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.contains('/') {
        return Err("a name contains a slash");
    }
    let path = WorkbenchPath::new(name).map_err(|bad| bad.rule)?;
    if path.as_str() == name { Ok(()) } else { Err("a name is not in Unicode NFC") }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
