//! The view on disk: manual edits are found and never lost.

mod hand;
// These create links, pipes and unreadable files.
#[cfg(unix)]
mod left;
mod lost;
mod many;
#[cfg(unix)]
mod shape;
#[cfg(unix)]
mod spare;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jig_contract::BlobHash;
use jig_contract::ops::LeftAlone;
use jig_store::{FileNode, OutsideChange, OutsideKind, Scan, Store, TreeEdit, View, ViewLimits, ViewReport, hash_of};

use crate::setup::{Setup, text, texts};

const LIMITS: ViewLimits = ViewLimits { file_bytes: 64 * 1024 * 1024, table_bytes: 64 * 1024 * 1024, files: 20_000 };

/// A state and a folder that shows it.
struct Bench {
    setup: Setup,
    store: Store,
    view: View,
    head: BlobHash,
}

type Texts = BTreeMap<String, String>;

impl Bench {
    /// A folder that shows these files.
    async fn showing<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self::with(Setup::local().await, files).await
    }

    async fn with<const N: usize>(setup: Setup, files: [(&str, &str); N]) -> Self {
        let store = setup.open().await;
        let head = store.empty_tree().await.unwrap();
        let view = view(setup.folder.path().join("workbenches/one"));
        let mut bench = Self { setup, store, view, head };
        for (path, words) in files {
            bench.commit(&[text(&bench.store, path, words).await]).await;
        }
        assert_eq!(bench.write().await.left_alone, []);
        bench
    }

    /// Moves the head without updating the folder, like a crash right after a commit.
    async fn commit(&mut self, edits: &[TreeEdit]) {
        self.head = self.store.edit(self.head, edits).await.unwrap();
    }

    async fn commit_text(&mut self, path: &str, words: &str) {
        let edit = text(&self.store, path, words).await;
        self.commit(&[edit]).await;
    }

    async fn write(&self) -> ViewReport {
        self.view.write(&self.store, self.head).await.unwrap()
    }

    async fn scan(&self) -> Scan {
        self.view.scan(&self.store, self.head, &LIMITS).await.unwrap()
    }

    /// Imports changes: commits them and updates the folder.
    async fn take_in(&mut self, changes: &[OutsideChange]) -> ViewReport {
        let edits: Vec<_> = changes.iter().map(edit).collect();
        self.commit(&edits).await;
        self.write().await
    }

    fn folder(&self) -> PathBuf {
        self.setup.folder.path().join("workbenches/one")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder().join(path)
    }

    /// Writes a file manually.
    fn put(&self, path: &str, words: &str) {
        std::fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::fs::write(self.at(path), words).unwrap();
    }

    /// The files in the folder, without links and internal files.
    fn shown(&self) -> Texts {
        let mut shown = Texts::new();
        for root in ["published", "draft", "meta"] {
            collect(&self.folder(), Path::new(root), &mut shown);
        }
        shown
    }

    async fn state(&self) -> Texts {
        texts(&self.store, self.head).await.into_iter().collect()
    }

    /// Checks that the folder shows the head, without anything to report.
    async fn assert_settled(&self) {
        assert_eq!(self.shown(), self.state().await);
        assert_eq!(self.scan().await, Scan::default());
        assert_eq!(self.view.check(&self.store, self.head).await.unwrap(), []);
    }
}

/// This file is compiled twice; the module's name determines the kind of process.
fn view(folder: PathBuf) -> View {
    if module_path!().contains("watched") { View::watched(folder) } else { View::new(folder) }
}

fn collect(top: &Path, at: &Path, into: &mut Texts) {
    let Ok(entries) = std::fs::read_dir(top.join(at)) else { return };
    for entry in entries.map(Result::unwrap) {
        let path = at.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(top, &path, into);
        } else if kind.is_file() {
            let words = std::fs::read(entry.path()).unwrap();
            into.insert(path.to_string_lossy().into_owned(), String::from_utf8_lossy(&words).into_owned());
        }
    }
}

fn edit(change: &OutsideChange) -> TreeEdit {
    let path = change.path.clone();
    match change.kind {
        OutsideKind::Written(FileNode { hash, bytes }) => TreeEdit::File { path, hash, bytes },
        OutsideKind::Removed => TreeEdit::Remove { path },
    }
}

fn written(path: &str, words: &str) -> OutsideChange {
    let node = FileNode { hash: hash_of(words.as_bytes()), bytes: words.len() as u64 };
    OutsideChange { path: path.to_owned(), kind: OutsideKind::Written(node) }
}

fn removed(path: &str) -> OutsideChange {
    OutsideChange { path: path.to_owned(), kind: OutsideKind::Removed }
}

fn changes(changes: &[OutsideChange]) -> Scan {
    Scan { changes: changes.to_vec(), ..Scan::default() }
}

fn left(things: &[(&str, &str)]) -> Vec<LeftAlone> {
    let thing = |&(path, reason): &(&str, &str)| LeftAlone { path: path.to_owned(), reason: reason.to_owned() };
    things.iter().map(thing).collect()
}

fn shown<const N: usize>(files: [(&str, &str); N]) -> Texts {
    files.map(|(path, words)| (path.to_owned(), words.to_owned())).into()
}
