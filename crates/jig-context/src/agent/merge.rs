//! Updates a workspace without overwriting local changes: a three-way merge at file level.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::BlobHash;

/// A file that both sides changed differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file.
    pub path: String,
    /// The common ancestor; `None` if the file is new on both sides.
    pub base: Option<BlobHash>,
    /// The local version; `None` if it was deleted locally.
    pub own: Option<BlobHash>,
    /// The new version; `None` if it was deleted upstream.
    pub new: Option<BlobHash>,
}

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// The merged files. A conflict keeps the local version.
    pub files: BTreeMap<String, BlobHash>,
    /// The files that were updated.
    pub taken: Vec<String>,
    /// The files that both sides changed.
    pub conflicts: Vec<Conflict>,
}

/// Applies the changes from `base` to `new` to `own`.
pub fn merge(
    base: &BTreeMap<String, BlobHash>,
    own: &BTreeMap<String, BlobHash>,
    new: &BTreeMap<String, BlobHash>,
) -> Merged {
    let mut merged = Merged::default();
    let paths: BTreeSet<&String> = base.keys().chain(own.keys()).chain(new.keys()).collect();
    for path in paths {
        let [was, mine, theirs] = [base, own, new].map(|files| files.get(path).copied());
        let result = if theirs == was || theirs == mine {
            mine
        } else if mine == was {
            merged.taken.push(path.clone());
            theirs
        } else {
            merged.conflicts.push(Conflict { path: path.clone(), base: was, own: mine, new: theirs });
            mine
        };
        merged.files.extend(result.map(|hash| (path.clone(), hash)));
    }
    merged
}
