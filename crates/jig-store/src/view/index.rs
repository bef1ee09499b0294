//! The index: what the folder showed last, with the mark and content of each file.
//!
//! Every change is also an [`Op`], and the ops are what is stored (see `log`), so that the cost of saving depends on
//! the changes only. Losing the index only costs reading every file once, because it has no information of its own.

use std::collections::BTreeSet;

use jig_contract::BlobHash;

pub(super) use super::files::{Entry, Files};
use super::op::Op;

/// The whole index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// The state that the folder shows, except for `loose`; `None` if only `files` is known.
    pub state: Option<BlobHash>,
    /// The files, by path in the state.
    pub files: Files,
    /// Paths where `files` differs from the state: withheld, or found to be newer than the state.
    pub loose: BTreeSet<String>,
    /// The tree that the spare shows.
    pub spare: Option<BlobHash>,
    /// The ops since the index was last saved.
    changes: Vec<u8>,
}

impl Index {
    /// The ops that create this index from an empty one.
    pub(super) fn whole(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + 128 * self.files.len());
        Op::State(self.state).encode(&mut out);
        for (path, entry) in self.files.all() {
            Op::Put(&path, *entry).encode(&mut out);
        }
        for path in &self.loose {
            Op::Loose(path).encode(&mut out);
        }
        if let Some(tree) = self.spare {
            Op::Spare(tree).encode(&mut out);
        }
        out
    }

    /// Applies stored ops. `None` if they are invalid; the index must then be discarded.
    pub(super) fn replay(&mut self, mut ops: &[u8]) -> Option<()> {
        while !ops.is_empty() {
            self.apply(Op::decode(&mut ops)?);
        }
        Some(())
    }

    /// The ops that were not saved yet.
    pub(super) fn unsaved(&self) -> &[u8] {
        &self.changes
    }

    /// Marks all ops as saved.
    pub(super) fn saved(&mut self) {
        self.changes.clear();
    }

    /// Adds a file.
    pub(super) fn put(&mut self, path: &str, entry: Entry) {
        if self.files.get(path) != Some(&entry) {
            self.change(Op::Put(path, entry));
        }
    }

    /// Removes a file.
    pub(super) fn drop(&mut self, path: &str) {
        if self.files.contains(path) {
            self.change(Op::Drop(path));
        }
    }

    /// Records that a path may not show what the state has.
    pub(super) fn loosen(&mut self, path: &str) {
        if !self.loose.contains(path) {
            self.change(Op::Loose(path));
        }
    }

    /// Records that a path shows what the state has.
    pub(super) fn tighten(&mut self, path: &str) {
        if self.loose.contains(path) {
            self.change(Op::Tight(path));
        }
    }

    /// Records that the folder shows this state.
    pub(super) fn show(&mut self, state: BlobHash) {
        if self.state != Some(state) {
            self.change(Op::State(Some(state)));
        }
    }

    /// Records that the Draft's folder, with this tree, became the spare.
    pub(super) fn draft_left(&mut self, tree: BlobHash) {
        self.change(Op::Away(tree));
    }

    /// Records that the spare became the Draft's folder.
    pub(super) fn draft_came(&mut self) {
        self.change(Op::Back);
    }

    /// Records that the spare shows this tree.
    pub(super) fn show_spare(&mut self, tree: BlobHash) {
        if self.spare != Some(tree) {
            self.change(Op::Spare(tree));
        }
    }

    /// Records that there is no longer a spare.
    pub(super) fn forget_spare(&mut self) {
        if self.spare.is_some() || self.files.count(super::files::SPARE_ROOT) > 0 {
            self.change(Op::NoSpare);
        }
    }

    /// Removes the files below a folder, so that they are shown again.
    pub(super) fn forget_below(&mut self, folder: &str) -> bool {
        let gone: Vec<String> = self.files.below(folder).map(|(path, _)| path).collect();
        for path in &gone {
            self.drop(path);
            self.loosen(path);
        }
        !gone.is_empty()
    }

    fn change(&mut self, op: Op<'_>) {
        op.encode(&mut self.changes);
        self.apply(op);
    }

    fn apply(&mut self, op: Op<'_>) {
        match op {
            Op::State(state) => self.state = state,
            Op::Put(path, entry) => self.files.insert(path, entry),
            Op::Drop(path) => self.files.remove(path),
            Op::Loose(path) => drop(self.loose.insert(path.to_owned())),
            Op::Tight(path) => drop(self.loose.remove(path)),
            Op::Away(tree) => {
                self.files.draft_to_spare();
                self.spare = Some(tree);
            }
            Op::Back => {
                self.files.spare_to_draft();
                self.spare = None;
            }
            Op::Spare(tree) => self.spare = Some(tree),
            Op::NoSpare => {
                self.files.forget_spare();
                self.spare = None;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::stat::Mark;
    use super::*;

    pub(crate) fn entry(n: u8, young: bool) -> Entry {
        let mark = Mark { bytes: n.into(), modified: -i64::from(n), changed: i64::MAX, inode: u64::MAX };
        Entry { mark, hash: BlobHash::from_bytes([n; 32]), young }
    }

    /// An index with every kind of content, and nothing unsaved.
    pub(crate) fn example() -> Index {
        let mut index = Index::default();
        index.show(BlobHash::from_bytes([9; 32]));
        index.put("draft/ä b.txt", entry(1, true));
        index.put("published/😀/x", entry(2, false));
        index.put(".jig/spare/x", entry(3, false));
        index.loosen("published/😀/y");
        index.show_spare(BlobHash::from_bytes([8; 32]));
        index.saved();
        index
    }

    #[test]
    fn the_ops_of_an_index_make_it_again() {
        for index in [example(), Index::default(), Index { state: None, ..example() }] {
            let mut again = Index::default();
            again.replay(&index.whole()).unwrap();
            assert_eq!(again, index);
        }
    }

    #[test]
    fn every_change_is_replayed_as_it_happened() {
        let mut index = example();
        index.put("draft/new", entry(4, false));
        index.drop("draft/ä b.txt");
        index.tighten("published/😀/y");
        index.draft_left(BlobHash::from_bytes([7; 32]));
        index.forget_below("published");
        index.show(BlobHash::from_bytes([6; 32]));
        let mut again = example();
        again.replay(index.unsaved()).unwrap();
        index.saved();
        assert_eq!(again, index);
        index.draft_came();
        index.forget_spare();
        again.replay(index.unsaved()).unwrap();
        index.saved();
        assert_eq!(again, index);
        assert_eq!(index.files.below("draft").count(), 1);
    }

    #[test]
    fn what_changes_nothing_is_not_kept() {
        let mut index = example();
        index.put("draft/ä b.txt", entry(1, true));
        index.drop("draft/none");
        index.loosen("published/😀/y");
        index.tighten("published/none");
        index.show(BlobHash::from_bytes([9; 32]));
        index.show_spare(BlobHash::from_bytes([8; 32]));
        assert!(index.unsaved().is_empty());
    }

    #[test]
    fn forgotten_files_are_to_be_shown_again() {
        let mut index = example();
        assert!(index.forget_below("published"));
        assert!(!index.forget_below("published"));
        assert_eq!(index.files.displayed_entries().map(|(path, _)| path).collect::<Vec<_>>(), ["draft/ä b.txt"]);
        assert_eq!(index.loose.iter().collect::<Vec<_>>(), ["published/😀/x", "published/😀/y"]);
    }
}
