//! The files in the index, by root, so that an entire root can be moved at once.

use std::collections::BTreeMap;

use jig_contract::BlobHash;

use super::stat::Mark;

/// The path of the spare below the workbench's folder (see `spare`).
pub(super) const SPARE_ROOT: &str = ".jig/spare";
/// The shown roots, and the spare.
const PLACES: [&str; 4] = ["published", "draft", "meta/context", SPARE_ROOT];
const DRAFT: usize = 1;
const SPARE: usize = 3;

/// A file that Jig wrote or imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The file's mark at the time.
    pub mark: Mark,
    /// Its content at the time.
    pub hash: BlobHash,
    /// Whether the mark was taken too soon after a write to be reliable; the file must then be read.
    pub young: bool,
}

/// Files by path below the workbench's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files {
    roots: [BTreeMap<String, Entry>; 4],
}

impl Files {
    /// The entry of a path.
    pub(super) fn get(&self, path: &str) -> Option<&Entry> {
        let (root, rest) = split(path)?;
        self.roots[root].get(rest)
    }

    /// Whether a path has an entry.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Whether a path, or one below it, has an entry.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.contains(path) || self.below(path).next().is_some()
    }

    /// Adds a file. A path outside of all roots is ignored.
    pub(super) fn insert(&mut self, path: &str, entry: Entry) {
        if let Some((root, rest)) = split(path) {
            self.roots[root].insert(rest.to_owned(), entry);
        }
    }

    /// Removes a file.
    pub(super) fn remove(&mut self, path: &str) {
        if let Some((root, rest)) = split(path) {
            self.roots[root].remove(rest);
        }
    }

    /// The files below a folder, with paths relative to the root and in that order.
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

    /// All files of the shown roots.
    pub(super) fn displayed_entries(&self) -> impl Iterator<Item = (String, &Entry)> {
        super::ROOTS.into_iter().flat_map(|root| self.below(root))
    }

    /// All files, including those of the spare.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, &Entry)> {
        PLACES.into_iter().flat_map(|root| self.below(root))
    }

    /// The number of files, including those of the spare.
    pub(super) fn len(&self) -> usize {
        self.roots.iter().map(BTreeMap::len).sum()
    }

    /// The number of files of a root.
    pub(super) fn count(&self, root: &str) -> u64 {
        root_named(root).map_or(0, |root| self.roots[root].len() as u64)
    }

    /// Moves the Draft's files to the spare.
    pub(super) fn draft_to_spare(&mut self) {
        self.roots[SPARE] = std::mem::take(&mut self.roots[DRAFT]);
    }

    /// Moves the spare's files to the Draft.
    pub(super) fn spare_to_draft(&mut self) {
        self.roots[DRAFT] = std::mem::take(&mut self.roots[SPARE]);
    }

    /// Removes the spare's files.
    pub(super) fn forget_spare(&mut self) {
        self.roots[SPARE].clear();
    }
}

/// The root of a path, and the path within it.
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
        assert_eq!(paths(files.displayed_entries()), ["published/a/b", "meta/context/x"]);
        files.spare_to_draft();
        assert_eq!(files, example());
    }
}
