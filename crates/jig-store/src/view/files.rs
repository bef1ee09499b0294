//! The files that the index knows, by the root they lie in, so that a whole root can change its place at once.

use std::collections::BTreeMap;

use jig_contract::BlobHash;

use super::stat::Mark;

/// The spare's place below the workbench's folder (see `spare`).
pub(super) const SPARE_ROOT: &str = ".jig/spare";
/// The roots that are shown, and the spare.
const PLACES: [&str; 4] = ["published", "draft", "meta/context", SPARE_ROOT];
const DRAFT: usize = 1;
const SPARE: usize = 3;

/// One file that Jig wrote or took in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// How the file looked.
    pub mark: Mark,
    /// Its content then.
    pub hash: BlobHash,
    /// The mark was taken too soon after a write: read the file before believing it.
    pub young: bool,
}

/// Files by their path below the workbench's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files {
    roots: [BTreeMap<String, Entry>; 4],
}

impl Files {
    /// What is known of the file at a path.
    pub(super) fn get(&self, path: &str) -> Option<&Entry> {
        let (root, rest) = split(path)?;
        self.roots[root].get(rest)
    }

    /// Whether a file is known at a path.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Whether a file is known at a path or below it.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.contains(path) || self.below(path).next().is_some()
    }

    /// Notes a file. What lies in no root is not noted.
    pub(super) fn insert(&mut self, path: &str, entry: Entry) {
        if let Some((root, rest)) = split(path) {
            self.roots[root].insert(rest.to_owned(), entry);
        }
    }

    /// Forgets a file.
    pub(super) fn remove(&mut self, path: &str) {
        if let Some((root, rest)) = split(path) {
            self.roots[root].remove(rest);
        }
    }

    /// The files below a folder, each by its path below the root and in that order.
    pub(super) fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = (String, &'a Entry)> + use<'a> {
        let (at, rest) = split(folder).or_else(|| Some((root_named(folder)?, ""))).unzip();
        let start = rest.filter(|rest| !rest.is_empty()).map(|rest| format!("{rest}/")).unwrap_or_default();
        let files = at.map(|at| self.roots[at].range(start.clone()..).map(move |(path, entry)| (at, path, entry)));
        files
            .into_iter()
            .flatten()
            .take_while(move |(_, path, _)| path.starts_with(&start))
            .map(|(at, path, entry)| (format!("{}/{path}", PLACES[at]), entry))
    }

    /// All files of the roots that are shown.
    pub(super) fn shown(&self) -> impl Iterator<Item = (String, &Entry)> {
        super::ROOTS.into_iter().flat_map(|root| self.below(root))
    }

    /// All files, the spare's too.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, &Entry)> {
        PLACES.into_iter().flat_map(|root| self.below(root))
    }

    /// How many files are known, the spare's too.
    pub(super) fn len(&self) -> usize {
        self.roots.iter().map(BTreeMap::len).sum()
    }

    /// How many files of a root are known.
    pub(super) fn count(&self, root: &str) -> u64 {
        root_named(root).map_or(0, |root| self.roots[root].len() as u64)
    }

    /// The Draft's folder became the spare.
    pub(super) fn draft_to_spare(&mut self) {
        self.roots[SPARE] = std::mem::take(&mut self.roots[DRAFT]);
    }

    /// The spare became the Draft's folder.
    pub(super) fn spare_to_draft(&mut self) {
        self.roots[DRAFT] = std::mem::take(&mut self.roots[SPARE]);
    }

    /// The spare is gone.
    pub(super) fn forget_spare(&mut self) {
        self.roots[SPARE].clear();
    }
}

/// The root of a path, and the path in it.
fn split(path: &str) -> Option<(usize, &str)> {
    let inside = |root: &&str| path.strip_prefix(*root)?.strip_prefix('/');
    PLACES.iter().enumerate().find_map(|(at, root)| Some((at, inside(root)?)))
}

fn root_named(path: &str) -> Option<usize> {
    PLACES.iter().position(|root| *root == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u8) -> Entry {
        let mark = Mark { bytes: n.into(), modified: 0, changed: 0, inode: 0 };
        Entry { mark, hash: BlobHash::from_bytes([n; 32]), young: false }
    }

    fn example() -> Files {
        let mut files = Files::default();
        for (n, path) in ["draft/a", "draft/a/b", "draft/a-b", "published/a/b", "meta/context/x"].iter().enumerate() {
            files.insert(path, entry(n as u8));
        }
        files
    }

    fn paths<'a>(files: impl Iterator<Item = (String, &'a Entry)>) -> Vec<String> {
        files.map(|(path, _)| path).collect()
    }

    #[test]
    fn files_are_found_by_path_and_folder() {
        let files = example();
        assert_eq!(files.get("draft/a-b"), Some(&entry(2)));
        assert_eq!(paths(files.below("draft/a")), ["draft/a/b"]);
        assert_eq!(paths(files.below("published")), ["published/a/b"]);
        assert_eq!(paths(files.below("elsewhere")), Vec::<String>::new());
        assert!(files.knows("published") && files.knows("published/a") && files.knows("meta/context/x"));
        assert!(!files.knows("meta") && !files.knows("pub") && !files.knows("published/a/b/c"));
    }

    #[test]
    fn what_lies_in_no_root_is_not_noted() {
        let mut files = Files::default();
        for path in ["x", "meta/x", "draft", "drafts/x", ""] {
            files.insert(path, entry(1));
            files.remove(path);
        }
        assert_eq!(files, Files::default());
    }

    #[test]
    fn the_draft_s_files_go_to_the_spare_and_back_as_a_whole() {
        let mut files = example();
        files.draft_to_spare();
        assert_eq!(files.count("draft"), 0);
        assert_eq!(paths(files.below(SPARE_ROOT)), [".jig/spare/a", ".jig/spare/a-b", ".jig/spare/a/b"]);
        assert_eq!(paths(files.shown()), ["published/a/b", "meta/context/x"]);
        files.spare_to_draft();
        assert_eq!(files, example());
    }
}
