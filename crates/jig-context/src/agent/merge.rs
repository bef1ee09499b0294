//! Taking over what is new in a workspace without touching what a person changed: file by file, three ways.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::BlobHash;

/// A file that both sides changed, in different ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file.
    pub path: String,
    /// As it came; none when it is new on both sides.
    pub base: Option<BlobHash>,
    /// As the person has it; none when they removed it.
    pub own: Option<BlobHash>,
    /// As it comes now; none when it no longer does.
    pub new: Option<BlobHash>,
}

/// What taking over gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// The files afterwards. In a conflict it is the person's.
    pub files: BTreeMap<String, BlobHash>,
    /// The files that were taken over.
    pub taken: Vec<String>,
    /// The files that were not, because a person had changed them too.
    pub conflicts: Vec<Conflict>,
}

/// Takes over what changed from `base` to `new` into `own`.
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
