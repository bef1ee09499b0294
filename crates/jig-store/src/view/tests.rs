//! Tests with access to internals: interrupted writes, misleading marks, changing files.

mod spare;
#[cfg(all(target_os = "linux", not(jig_portable)))]
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use jig_contract::{BlobHash, Env};

#[cfg(all(target_os = "linux", not(jig_portable)))]
use super::cache::Held;
use super::folder::Folder;
use super::index::Entry;
use super::open_view::{Fault, OpenView};
use super::read::read_in;
#[cfg(all(target_os = "linux", not(jig_portable)))]
use super::watch::{Dirt, Watch};
use super::{OutsideChange, OutsideKind, Scan, View, ViewLimits};
use crate::{Blobs, Database, FileNode, GC_GRACE_MS, Store, StoreConfig, TreeEdit, hash_of};

const LIMITS: ViewLimits = ViewLimits { file_bytes: 1 << 30, table_bytes: 1 << 30, files: 1_000 };

type Texts<'a> = BTreeMap<&'a str, &'a str>;

struct Bench {
    store: Store,
    view: View,
    folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::folder(folder.path().join("blobs")).unwrap();
        let database = Database::Sqlite(folder.path().join("jig.db"));
        let config = StoreConfig { database, blobs, gc_grace_ms: GC_GRACE_MS, asset_ttl_ms: 0 };
        let store = Store::open(config, Env::system()).await.unwrap();
        Self { store, view: View::new(folder.path().join("view")), folder }
    }

    /// The same bench, as a long-lived process has it.
    async fn staying() -> Self {
        let bench = Self::new().await;
        Self { view: View::watched(bench.at("")), ..bench }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("view").join(path)
    }

    /// The state with these files in `published/`.
    async fn state(&self, files: &Texts<'_>) -> BlobHash {
        let mut edits = Vec::new();
        for (path, text) in files {
            let hash = self.store.blobs().put((*text).to_owned()).await.unwrap();
            edits.push(TreeEdit::File { path: format!("published/{path}"), hash, bytes: text.len() as u64 });
        }
        self.store.edit(self.store.empty_tree().await.unwrap(), &edits).await.unwrap()
    }

    async fn scan(&self, head: BlobHash) -> Scan {
        self.view.scan(&self.store, head, &LIMITS).await.unwrap()
    }

    async fn write(&self, state: BlobHash) {
        let report = self.view.write(&self.store, state).await.unwrap();
        assert_eq!(report.left_alone, []);
    }

    /// Writes a state and is interrupted; false if the write completed before.
    async fn cut_off(&self, fault: Fault, state: BlobHash) -> bool {
        let view = View { fault: Some(fault), ..self.view.clone() };
        view.write(&self.store, state).await.is_err()
    }

    /// Checks that the folder shows the state and that the next scan agrees.
    async fn assert_shows(&self, state: BlobHash, about: &str) {
        assert_eq!(self.view.check(&self.store, state).await.unwrap(), [], "{about}");
        assert_eq!(self.scan(state).await, Scan::default(), "{about}");
    }
}

fn written(path: &str, text: &str) -> OutsideChange {
    let node = FileNode { hash: hash_of(text.as_bytes()), bytes: text.len() as u64 };
    OutsideChange { path: path.to_owned(), kind: OutsideKind::Written(node) }
}

fn removed(path: &str) -> OutsideChange {
    OutsideChange { path: path.to_owned(), kind: OutsideKind::Removed }
}

/// Covers everything a write can do: keep, change, add, remove, file to folder, folder to file.
fn before() -> Texts<'static> {
    [
        ("keep", "kept"),
        ("change", "1"),
        ("deep/change", "1"),
        ("gone", "g"),
        ("deep/gone", "g"),
        ("f", "file"),
        ("d/x", "x"),
    ]
    .into()
}

fn after() -> Texts<'static> {
    [
        ("keep", "kept"),
        ("change", "2"),
        ("deep/change", "2"),
        ("new", "n"),
        ("far/new", "n"),
        ("f/y", "y"),
        ("d", "file"),
    ]
    .into()
}

fn even_later() -> Texts<'static> {
    [
        ("keep", "kept"),
        ("change", "3"),
        ("deep/change", "1"),
        ("gone", "back"),
        ("far/new", "n"),
        ("f", "file"),
        ("d", "file"),
    ]
    .into()
}

/// Every point where a write can be interrupted, each with a new folder that shows `before`.
async fn at_every_cut(check: impl AsyncFn(&Bench, BlobHash, BlobHash, &str)) {
    for bench in [Bench::new().await, Bench::staying().await] {
        at_every_cut_in(bench, &check).await;
    }
}

async fn at_every_cut_in(bench: Bench, check: impl AsyncFn(&Bench, BlobHash, BlobHash, &str)) {
    let points = (0..12).map(Fault::Files).chain([Fault::BeforeIndex, Fault::AfterIndex]);
    let (old, new) = (bench.state(&before()).await, bench.state(&after()).await);
    let mut cuts = 0;
    for fault in points {
        let _ = std::fs::remove_dir_all(bench.at(""));
        bench.write(old).await;
        bench.scan(old).await;
        if bench.cut_off(fault, new).await {
            cuts += 1;
            check(&bench, old, new, &format!("{fault:?}")).await;
        }
    }
    // Four files are removed, six are added, and two points are at the index.
    assert_eq!(cuts, 12);
}

#[tokio::test]
async fn a_write_that_was_cut_off_is_finished_and_no_file_is_taken_for_a_person_s() {
    at_every_cut(async |bench, _, new, cut| {
        assert_eq!(bench.scan(new).await.changes, [], "{cut}");
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
    })
    .await;
}

#[tokio::test]
async fn a_write_alone_repairs_what_was_cut_off() {
    at_every_cut(async |bench, _, new, cut| {
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
    })
    .await;
}

#[tokio::test]
async fn a_write_that_was_cut_off_can_be_taken_back() {
    at_every_cut(async |bench, old, _, cut| {
        assert_eq!(bench.scan(old).await.changes, [], "{cut}");
        bench.write(old).await;
        bench.assert_shows(old, cut).await;
    })
    .await;
}

#[tokio::test]
async fn writes_that_were_cut_off_in_a_row_leave_only_jig_s_own_files() {
    at_every_cut(async |bench, _, new, cut| {
        let later = bench.state(&even_later()).await;
        assert!(bench.cut_off(Fault::Files(2), later).await, "{cut}");
        for head in [new, later] {
            assert_eq!(bench.scan(head).await.changes, [], "{cut}");
        }
        bench.write(later).await;
        bench.assert_shows(later, cut).await;
    })
    .await;
}

#[tokio::test]
async fn without_its_index_a_cut_off_write_still_knows_its_files() {
    at_every_cut(async |bench, _, new, cut| {
        std::fs::remove_file(bench.at(".jig/index")).unwrap();
        // Each scan saves an index; the second must know as much as the first.
        for _ in 0..2 {
            assert_eq!(bench.scan(new).await.changes, [], "{cut}");
        }
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
    })
    .await;
}

#[tokio::test]
async fn edits_by_hand_after_a_cut_are_found_and_kept() {
    at_every_cut(async |bench, _, new, cut| {
        std::fs::write(bench.at("published/change"), "by hand").unwrap();
        std::fs::write(bench.at("published/own"), "by hand").unwrap();
        std::fs::remove_file(bench.at("published/keep")).unwrap();
        let expected =
            [removed("published/keep"), written("published/change", "by hand"), written("published/own", "by hand")];
        let scan = bench.scan(new).await;
        assert_eq!(scan.changes, expected, "{cut}");
        // A write before the import leaves them alone.
        let report = bench.view.write(&bench.store, new).await.unwrap();
        assert_eq!(std::fs::read_to_string(bench.at("published/change")).unwrap(), "by hand", "{cut}: {report:?}");
        assert_eq!(bench.scan(new).await.changes, expected, "{cut}");
        let mut merged = after();
        merged.remove("keep");
        merged.extend([("change", "by hand"), ("own", "by hand")]);
        let merged = bench.state(&merged).await;
        bench.write(merged).await;
        bench.assert_shows(merged, cut).await;
    })
    .await;
}

#[tokio::test]
async fn an_edit_back_to_the_old_content_is_found_once_the_write_is_over() {
    let bench = Bench::new().await;
    let (old, new) = (bench.state(&before()).await, bench.state(&after()).await);
    bench.write(old).await;
    assert!(bench.cut_off(Fault::AfterIndex, new).await);
    std::fs::write(bench.at("published/change"), "1").unwrap();
    assert_eq!(bench.scan(new).await.changes, [written("published/change", "1")]);
}

/// Makes the index claim that a file with its current mark has other content.
fn pretend(bench: &Bench, path: &str, hash: BlobHash, young: bool) {
    let mut open_view = OpenView::open(&bench.view).unwrap();
    let mut entry = *open_view.index.files.get(path).unwrap();
    (entry.hash, entry.young) = (hash, young);
    open_view.index.put(path, entry);
    open_view.save_index().unwrap();
}

#[tokio::test]
async fn a_file_that_looks_the_same_is_read_only_when_its_mark_is_young() {
    let bench = Bench::new().await;
    let head = bench.state(&[("a", "old")].into()).await;
    bench.write(head).await;
    // Simulates an edit in the same clock step as the mark.
    std::fs::write(bench.at("published/a"), "new").unwrap();
    let mut open_view = OpenView::open(&bench.view).unwrap();
    let published = open_view.workbench.below(Path::new("published")).unwrap();
    let mark = read_in(&published, OsStr::new("a")).unwrap().unwrap().mark;
    let entry = *open_view.index.files.get("published/a").unwrap();
    open_view.index.put("published/a", Entry { mark, ..entry });
    open_view.save_index().unwrap();
    pretend(&bench, "published/a", hash_of(b"old"), true);
    assert_eq!(bench.scan(head).await.changes, [written("published/a", "new")]);
    pretend(&bench, "published/a", hash_of(b"old"), false);
    assert_eq!(bench.scan(head).await.changes, [], "an old mark is believed, and the file is not read");
}

#[tokio::test]
async fn a_file_that_was_just_written_is_young_until_a_later_scan() {
    let bench = Bench::new().await;
    let head = bench.state(&[("a", "a")].into()).await;
    bench.write(head).await;
    let young = || OpenView::open(&bench.view).unwrap().index.files.get("published/a").unwrap().young;
    assert!(young());
    // A change long before the scan is reliable from then on.
    let mut open_view = OpenView::open(&bench.view).unwrap();
    let mark = open_view.index.files.get("published/a").unwrap().mark;
    open_view.now = mark.changed.max(mark.modified) + 60_000_000;
    assert!(!open_view.entry(mark, hash_of(b"a")).young);
    open_view.now = mark.changed.max(mark.modified) + 40_000_000;
    assert!(open_view.entry(mark, hash_of(b"a")).young);
}

#[test]
fn a_file_whose_length_is_not_what_was_read_is_changing() {
    // Such files report a size of zero but have content.
    let Ok(folder) = Folder::open(Path::new("/proc/sys/kernel")) else {
        return println!("skipped: /proc is missing");
    };
    assert!(read_in(&folder, OsStr::new("ostype")).unwrap().is_none());
}

#[tokio::test]
async fn a_large_file_that_changes_after_it_was_read_is_not_kept() {
    let bench = Bench::new().await;
    bench.write(bench.state(&Texts::new()).await).await;
    let path = bench.at("published/large");
    std::fs::write(&path, vec![b'x'; 2 << 20]).unwrap();
    let mut open_view = OpenView::open(&bench.view).unwrap();
    let published = open_view.workbench.below(Path::new("published")).unwrap();
    let mut seen = read_in(&published, OsStr::new("large")).unwrap().unwrap();
    assert!(seen.bytes.is_none());
    let name = seen.copy(&mut open_view).unwrap().unwrap();
    assert_eq!(std::fs::read(open_view.tmp_path.join(name)).unwrap(), std::fs::read(&path).unwrap());
    std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut f| std::io::Write::write_all(&mut f, b"y"))
        .unwrap();
    assert_eq!(seen.copy(&mut open_view).unwrap(), None);
}
