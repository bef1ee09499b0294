//! A long-lived process sees every manual edit without checking every file.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use jig_contract::ops::LeftAlone;

use super::*;

impl Bench {
    async fn watched(files: &Texts<'_>) -> (Self, BlobHash) {
        let mut bench = Self::new().await;
        bench.view = View::watched(bench.at(""));
        let head = bench.state(files).await;
        bench.write(head).await;
        assert_eq!(bench.scan(head).await, Scan::default());
        assert!(bench.is_live());
        (bench, head)
    }

    /// Whether the next scan is not a full one, as far as this process knows.
    fn is_live(&self) -> bool {
        let cache = self.view.cache.as_ref().unwrap();
        let Some(held) = cache.take() else { return false };
        let Held { index, log, watch, .. } = held;
        let live = watch.as_ref().is_some_and(Watch::drain);
        cache.put(&Folder::open(&self.at("")).unwrap(), index, log, watch);
        live
    }

    /// Imports changes.
    async fn take_in(&self, head: BlobHash, changes: &[OutsideChange]) -> BlobHash {
        let edit = |change: &OutsideChange| match change.kind {
            OutsideKind::Written(FileNode { hash, bytes }) => TreeEdit::File { path: change.path.clone(), hash, bytes },
            OutsideKind::Removed => TreeEdit::Remove { path: change.path.clone() },
        };
        let edits: Vec<_> = changes.iter().map(edit).collect();
        self.store.edit(head, &edits).await.unwrap()
    }
}

fn files() -> Texts<'static> {
    [("a", "a"), ("b", "b"), ("sub/c", "c"), ("sub/deep/d", "d"), ("é", "é")].into()
}

type ByHand = fn(&Bench);

/// A manual edit, the changes found, and whether they are found without a full scan.
type Edit = (&'static str, ByHand, fn() -> Vec<OutsideChange>, bool);

const EDITS: [Edit; 13] = [
    (
        "written in place",
        |bench| std::fs::write(bench.at("published/sub/deep/d"), "new").unwrap(),
        || vec![written("published/sub/deep/d", "new")],
        true,
    ),
    (
        "written in place with the same length and date",
        |bench| {
            let file = std::fs::File::options().write(true).open(bench.at("published/a")).unwrap();
            let date = file.metadata().unwrap().modified().unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, b"x", 0).unwrap();
            file.set_modified(date).unwrap();
        },
        || vec![written("published/a", "x")],
        true,
    ),
    (
        "renamed over",
        |bench| {
            std::fs::write(bench.at("new"), "new").unwrap();
            std::fs::rename(bench.at("new"), bench.at("published/b")).unwrap();
        },
        || vec![written("published/b", "new")],
        true,
    ),
    (
        "renamed",
        |bench| std::fs::rename(bench.at("published/b"), bench.at("published/sub/z")).unwrap(),
        || vec![removed("published/b"), written("published/sub/z", "b")],
        true,
    ),
    (
        "a new file",
        |bench| std::fs::write(bench.at("published/sub/new"), "new").unwrap(),
        || vec![written("published/sub/new", "new")],
        true,
    ),
    (
        "a new name in another form",
        |bench| std::fs::write(bench.at("published/cafe\u{301}"), "new").unwrap(),
        || vec![written("published/café", "new")],
        true,
    ),
    (
        "removed",
        |bench| std::fs::remove_file(bench.at("published/sub/c")).unwrap(),
        || vec![removed("published/sub/c")],
        true,
    ),
    (
        "cut off",
        |bench| std::fs::File::options().write(true).open(bench.at("published/a")).unwrap().set_len(0).unwrap(),
        || vec![written("published/a", "")],
        true,
    ),
    (
        "new folders with files made at once",
        |bench| {
            std::fs::create_dir_all(bench.at("published/x/y/z")).unwrap();
            std::fs::write(bench.at("published/x/y/z/1"), "1").unwrap();
            std::fs::write(bench.at("published/x/2"), "2").unwrap();
        },
        || vec![written("published/x/2", "2"), written("published/x/y/z/1", "1")],
        false,
    ),
    (
        "a folder moved away",
        |bench| std::fs::rename(bench.at("published/sub"), bench.at("elsewhere")).unwrap(),
        || vec![removed("published/sub/c"), removed("published/sub/deep/d")],
        false,
    ),
    (
        "a folder moved within",
        |bench| std::fs::rename(bench.at("published/sub/deep"), bench.at("published/deep")).unwrap(),
        || vec![removed("published/sub/deep/d"), written("published/deep/d", "d")],
        false,
    ),
    (
        "a draft made by hand",
        |bench| {
            std::fs::create_dir(bench.at("draft")).unwrap();
            std::fs::write(bench.at("draft/own"), "own").unwrap();
        },
        || vec![written("draft/own", "own")],
        false,
    ),
    (
        "context made by hand",
        |bench| {
            std::fs::create_dir_all(bench.at("meta/context/brand")).unwrap();
            std::fs::write(bench.at("meta/context/brand/SKILL.md"), "own").unwrap();
        },
        || vec![written("meta/context/brand/SKILL.md", "own")],
        false,
    ),
];

#[tokio::test]
async fn every_kind_of_edit_is_found_and_taken_in() {
    for (about, by_hand, expected, told) in EDITS {
        let (bench, head) = Bench::watched(&files()).await;
        by_hand(&bench);
        assert_eq!(bench.is_live(), told, "{about}");
        for _ in 0..2 {
            assert_eq!(bench.scan(head).await.changes, expected(), "{about}");
            // When a file disappeared with its folder, there is nothing left to watch.
            assert!(bench.is_live() || !told, "{about}");
        }
        let head = bench.take_in(head, &expected()).await;
        bench.write(head).await;
        bench.assert_shows(head, about).await;
        assert!(bench.is_live(), "{about}");
        std::fs::write(bench.at("published/last"), "last").unwrap();
        assert_eq!(bench.scan(head).await.changes, [written("published/last", "last")], "{about}");
    }
}

#[tokio::test]
async fn what_jig_writes_itself_is_not_looked_at() {
    let (bench, _) = Bench::watched(&before()).await;
    for state in [after(), even_later(), before()] {
        let state = bench.state(&state).await;
        bench.write(state).await;
        assert!(bench.is_live());
        let held = bench.view.cache.as_ref().unwrap().take().unwrap();
        assert_eq!(held.watch.as_ref().unwrap().dirt(), Dirt::default());
        bench.view.cache.as_ref().unwrap().put(&Folder::open(&bench.at("")).unwrap(), held.index, held.log, held.watch);
        bench.assert_shows(state, "after a write").await;
    }
}

#[tokio::test]
async fn the_first_draft_after_many_files_came_needs_no_look_at_them() {
    let bench = Bench::staying().await;
    let empty = bench.state(&Texts::new()).await;
    assert!(bench.scan(empty).await.behind);
    bench.write(empty).await;
    assert!(bench.is_live());
    let names: Vec<String> = (0..2_500).map(|n| format!("{}/{n}", n / 100)).collect();
    let full = bench.state(&names.iter().map(|name| (name.as_str(), "text")).collect()).await;
    assert_eq!(bench.scan(empty).await, Scan::default());
    bench.write(full).await;
    assert!(bench.is_live());
    let held = bench.view.cache.as_ref().unwrap().take().unwrap();
    assert!(held.watch.as_ref().unwrap().is_calm(".jig/spare"));
}

#[tokio::test]
async fn a_look_that_is_not_full_looks_only_where_something_was_told() {
    let (bench, head) = Bench::watched(&files()).await;
    // A hard link outside: a write to it is reported for that name only.
    std::fs::hard_link(bench.at("published/a"), bench.at("second")).unwrap();
    std::fs::write(bench.at("second"), "through the other name").unwrap();
    assert_eq!(bench.scan(head).await.changes, []);
    // It is not lost: a file is checked before it is replaced …
    let report = bench.view.write(&bench.store, bench.state(&[("a", "from the head")].into()).await).await.unwrap();
    assert_eq!(report.left_alone.iter().map(|thing| thing.path.as_str()).collect::<Vec<_>>(), ["published/a"]);
    // … and the next full scan finds it.
    bench.view.cache.as_ref().unwrap().take();
    assert_eq!(bench.scan(head).await.changes, [written("published/a", "through the other name")]);
}

#[tokio::test]
async fn things_that_are_left_alone_are_told_each_time_and_until_they_go() {
    let (bench, head) = Bench::watched(&files()).await;
    symlink("a", bench.at("published/sub/link")).unwrap();
    std::fs::write(bench.at("published/~$a.docx"), "lock").unwrap();
    let reasons = |scan: Scan| scan.left_alone.into_iter().map(|LeftAlone { path, .. }| path).collect::<Vec<_>>();
    for _ in 0..3 {
        assert_eq!(reasons(bench.scan(head).await), ["published/sub/link", "published/~$a.docx"]);
        assert!(bench.is_live());
    }
    std::fs::remove_file(bench.at("published/sub/link")).unwrap();
    std::fs::remove_file(bench.at("published/~$a.docx")).unwrap();
    assert_eq!(bench.scan(head).await, Scan::default());
}

#[tokio::test]
async fn rights_that_change_are_no_edit() {
    let (bench, head) = Bench::watched(&files()).await;
    std::fs::set_permissions(bench.at("published/a"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(bench.scan(head).await, Scan::default());
    std::fs::set_permissions(bench.at("published/sub"), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(bench.scan(head).await, Scan::default());
    assert!(bench.is_live());
}

#[tokio::test]
async fn a_root_that_was_removed_is_shown_again() {
    let (bench, head) = Bench::watched(&files()).await;
    std::fs::remove_dir_all(bench.at("published")).unwrap();
    assert_eq!(bench.scan(head).await, Scan { behind: true, ..Scan::default() });
    bench.write(head).await;
    bench.assert_shows(head, "again").await;
    std::fs::remove_dir_all(bench.at("")).unwrap();
    assert_eq!(bench.scan(head).await, Scan { behind: true, ..Scan::default() });
    bench.write(head).await;
    bench.assert_shows(head, "the whole folder again").await;
}

#[tokio::test]
async fn two_processes_that_take_turns_see_each_other_s_work_and_every_edit() {
    let (bench, _) = Bench::watched(&files()).await;
    let others = [View::watched(bench.at("")), View::new(bench.at(""))];
    let mut texts = files();
    for (round, other) in others.iter().cycle().take(6).enumerate() {
        let text = ["0", "1", "2", "3", "4", "5"][round];
        texts.insert("sub/c", text);
        let head = bench.state(&texts).await;
        assert_eq!(other.write(&bench.store, head).await.unwrap().left_alone, []);
        assert_eq!(bench.scan(head).await, Scan::default(), "{round}");
        std::fs::write(bench.at("published/a"), text).unwrap();
        texts.insert("a", text);
        for view in [&bench.view, other] {
            let scan = view.scan(&bench.store, head, &LIMITS).await.unwrap();
            assert_eq!(scan.changes, [written("published/a", text)], "{round}");
        }
        let head = bench.state(&texts).await;
        bench.write(head).await;
        bench.assert_shows(head, "in turn").await;
    }
}

#[tokio::test]
async fn a_draft_comes_and_goes_without_a_look_at_its_files_and_edits_in_it_are_seen() {
    let (bench, none) = Bench::watched(&files()).await;
    let published = bench.store.lookup(none, "published").await.unwrap().unwrap();
    let draft = TreeEdit::Folder { path: "draft".to_owned(), node: published };
    let drafting = bench.store.edit(none, &[draft]).await.unwrap();
    for round in 0..3 {
        for state in [drafting, none] {
            bench.write(state).await;
            assert!(bench.is_live(), "{round}");
            assert_eq!(bench.scan(state).await, Scan::default(), "{round}");
        }
    }
    bench.write(drafting).await;
    std::fs::write(bench.at("draft/sub/c"), "by hand").unwrap();
    // The Draft must be removed, but the edit was not imported yet.
    let report = bench.view.write(&bench.store, none).await.unwrap();
    assert_eq!(report.left_alone.len(), 1);
    assert_eq!(bench.scan(none).await.changes, [written("draft/sub/c", "by hand")]);
}

#[tokio::test]
async fn an_index_with_a_torn_end_is_as_the_one_before() {
    let (bench, _) = Bench::watched(&files()).await;
    let before = std::fs::metadata(bench.at(".jig/index")).unwrap().len();
    let mut texts = files();
    texts.insert("b", "later");
    let head = bench.state(&texts).await;
    bench.write(head).await;
    let after = std::fs::metadata(bench.at(".jig/index")).unwrap().len();
    assert!(before < after && after - before < 600, "a record of what changed: {before}, {after}");
    for length in [before, before + 1, after - 1] {
        std::fs::File::options().write(true).open(bench.at(".jig/index")).unwrap().set_len(length).unwrap();
        assert_eq!(bench.scan(head).await.changes, [], "{length}");
        bench.write(head).await;
        bench.assert_shows(head, "after a torn end").await;
    }
}
