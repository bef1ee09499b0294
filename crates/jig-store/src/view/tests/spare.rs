//! Moving the Draft's folder: interrupted at every step, and with concurrent manual edits.

use super::super::spare::put_away;
use super::*;

impl Bench {
    /// The state with these files.
    async fn whole(&self, files: &Texts<'_>) -> BlobHash {
        let mut edits = Vec::new();
        for (path, text) in files {
            let hash = self.store.blobs().put((*text).to_owned()).await.unwrap();
            edits.push(TreeEdit::File { path: (*path).to_owned(), hash, bytes: text.len() as u64 });
        }
        self.store.edit(self.store.empty_tree().await.unwrap(), &edits).await.unwrap()
    }

    /// Puts the Draft's folder away after a manual edit that the first check does not see.
    async fn put_away_after(&self, by_hand: impl FnOnce(), fault: Option<Fault>, old: BlobHash, new: BlobHash) -> bool {
        assert_eq!(self.scan(old).await.changes, []);
        let view = View { fault, ..self.view.clone() };
        let mut open_view = OpenView::open(&view).unwrap();
        by_hand();
        put_away(&mut open_view, new).unwrap_or_default()
    }
}

/// Three consecutive states: a Draft, none, and the next one.
async fn states(bench: &Bench) -> [BlobHash; 3] {
    let first = [
        ("published/keep", "k"),
        ("draft/keep", "k"),
        ("draft/sub/change", "1"),
        ("draft/gone", "g"),
        ("draft/f", "f"),
    ];
    let none = [("published/keep", "k"), ("published/new", "n")];
    let next = [
        ("published/keep", "k"),
        ("draft/keep", "k"),
        ("draft/sub/change", "2"),
        ("draft/new", "n"),
        ("draft/f/x", "x"),
    ];
    [bench.whole(&first.into()).await, bench.whole(&none.into()).await, bench.whole(&next.into()).await]
}

/// Every point where a write that moves the Draft's folder can be interrupted, in both directions.
async fn at_every_cut(check: impl AsyncFn(&Bench, BlobHash, BlobHash, &str)) {
    for bench in [Bench::new().await, Bench::staying().await] {
        at_every_cut_in(bench, &check).await;
    }
}

async fn at_every_cut_in(bench: Bench, check: impl AsyncFn(&Bench, BlobHash, BlobHash, &str)) {
    let points =
        (0..6).map(Fault::Spare).chain((0..8).map(Fault::Files)).chain([Fault::BeforeIndex, Fault::AfterIndex]);
    let [first, none, next] = states(&bench).await;
    let mut cuts = [0, 0];
    for fault in points {
        for (way, (old, new)) in [(first, none), (none, next)].into_iter().enumerate() {
            let _ = std::fs::remove_dir_all(bench.at(""));
            bench.write(first).await;
            bench.write(old).await;
            bench.scan(old).await;
            assert_eq!(bench.at(".jig/spare").exists(), way == 1);
            if bench.cut_off(fault, new).await {
                cuts[way] += 1;
                check(&bench, old, new, &format!("{fault:?}, way {way}")).await;
            }
        }
    }
    // Four steps out and one file; three steps back, one file removed and two added; two points at the index.
    assert_eq!(cuts, [7, 8]);
}

#[tokio::test]
async fn a_move_that_was_cut_off_is_finished_and_no_file_is_taken_for_a_person_s() {
    at_every_cut(async |bench, _, new, cut| {
        assert_eq!(bench.scan(new).await.changes, [], "{cut}");
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
        assert!(!bench.at(".jig/leaving").exists(), "{cut}");
    })
    .await;
}

#[tokio::test]
async fn a_write_alone_repairs_a_move_that_was_cut_off() {
    at_every_cut(async |bench, _, new, cut| {
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
    })
    .await;
}

#[tokio::test]
async fn a_move_that_was_cut_off_can_be_taken_back_and_made_again() {
    at_every_cut(async |bench, old, new, cut| {
        assert_eq!(bench.scan(old).await.changes, [], "{cut}");
        for state in [old, new, old] {
            bench.write(state).await;
            bench.assert_shows(state, cut).await;
        }
    })
    .await;
}

#[tokio::test]
async fn without_its_index_a_move_that_was_cut_off_still_knows_its_files() {
    at_every_cut(async |bench, _, new, cut| {
        std::fs::remove_file(bench.at(".jig/index")).unwrap();
        assert_eq!(bench.scan(new).await.changes, [], "{cut}");
        bench.write(new).await;
        bench.assert_shows(new, cut).await;
    })
    .await;
}

#[tokio::test]
async fn what_a_person_does_after_a_cut_is_found_and_kept() {
    at_every_cut(async |bench, _, new, cut| {
        std::fs::create_dir_all(bench.at("draft/sub")).unwrap();
        for path in ["draft/own", "draft/sub/change", "published/own"] {
            std::fs::write(bench.at(path), "by hand").unwrap();
        }
        std::fs::remove_file(bench.at("published/keep")).unwrap();
        let expected = [
            removed("published/keep"),
            written("draft/own", "by hand"),
            written("draft/sub/change", "by hand"),
            written("published/own", "by hand"),
        ];
        for _ in 0..2 {
            assert_eq!(bench.scan(new).await.changes, expected, "{cut}");
            bench.view.write(&bench.store, new).await.unwrap();
        }
        for path in ["draft/own", "draft/sub/change", "published/own"] {
            assert_eq!(std::fs::read_to_string(bench.at(path)).unwrap(), "by hand", "{cut}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_move_leaves_the_marks_of_the_files_as_they_are() {
    let bench = Bench::new().await;
    let files = ["a", "b", "c/d", "c/e"].map(|name| [format!("published/{name}"), format!("draft/{name}")]);
    let first: Texts<'_> = files.iter().flatten().map(|path| (path.as_str(), "text")).collect();
    let none = first.iter().filter(|(path, _)| path.starts_with("published")).map(|(path, text)| (*path, *text));
    let none = bench.whole(&none.collect()).await;
    let first = bench.whole(&first).await;
    bench.write(first).await;
    let marks = || {
        let index = OpenView::open(&bench.view).unwrap().index;
        index.files.below("draft").map(|(path, entry)| (path, entry.mark)).collect::<Vec<_>>()
    };
    let before = marks();
    assert_eq!(before.len(), 4);
    bench.write(none).await;
    assert_eq!(marks(), []);
    bench.write(first).await;
    assert_eq!(marks(), before);
    bench.assert_shows(first, "with the marks from before").await;
}

#[tokio::test]
async fn what_a_person_saves_just_before_the_move_brings_the_folder_back() {
    for (path, words) in [("draft/own", "new"), ("draft/keep", "changed"), ("draft/sub/own", "deep")] {
        let bench = Bench::new().await;
        let [first, none, _] = states(&bench).await;
        bench.write(first).await;
        let save = || std::fs::write(bench.at(path), words).unwrap();
        assert!(!bench.put_away_after(save, None, first, none).await, "{path}");
        assert!(!bench.at(".jig/leaving").exists() && !bench.at(".jig/spare").exists(), "{path}");
        assert_eq!(bench.scan(none).await.changes, [written(path, words)], "{path}");
        bench.view.write(&bench.store, none).await.unwrap();
        assert_eq!(std::fs::read_to_string(bench.at(path)).unwrap(), words);
        assert_eq!(bench.scan(none).await.changes, [written(path, words)], "{path}");
    }
}

#[tokio::test]
async fn what_a_person_saves_just_before_a_move_that_is_cut_off_comes_back() {
    for by_scan in [true, false] {
        let bench = Bench::new().await;
        let [first, none, _] = states(&bench).await;
        bench.write(first).await;
        let save = || std::fs::write(bench.at("draft/own"), "new").unwrap();
        assert!(!bench.put_away_after(save, Some(Fault::Spare(2)), first, none).await);
        assert!(bench.at(".jig/leaving/own").exists() && !bench.at("draft").exists());
        if !by_scan {
            bench.view.write(&bench.store, none).await.unwrap();
        }
        assert_eq!(bench.scan(none).await.changes, [written("draft/own", "new")]);
        assert!(!bench.at(".jig/leaving").exists());
    }
}

#[tokio::test]
async fn a_folder_whose_place_is_taken_comes_back_beside_it() {
    let bench = Bench::new().await;
    let [first, none, _] = states(&bench).await;
    bench.write(first).await;
    let save = || std::fs::write(bench.at("draft/own"), "older").unwrap();
    assert!(!bench.put_away_after(save, Some(Fault::Spare(2)), first, none).await);
    std::fs::create_dir(bench.at("draft")).unwrap();
    std::fs::write(bench.at("draft/own"), "newer").unwrap();
    std::fs::create_dir(bench.at("draft (2)")).unwrap();
    assert_eq!(bench.scan(none).await.changes, [written("draft/own", "newer")]);
    assert_eq!(std::fs::read_to_string(bench.at("draft (3)/own")).unwrap(), "older");
}

#[tokio::test]
async fn removing_the_workbench_keeps_what_a_person_saved_just_before_a_move_that_was_cut_off() {
    let bench = Bench::new().await;
    let [first, none, _] = states(&bench).await;
    bench.write(first).await;
    let save = || std::fs::write(bench.at("draft/own"), "new").unwrap();
    assert!(!bench.put_away_after(save, Some(Fault::Spare(2)), first, none).await);
    let kept: Vec<_> = bench.view.remove().unwrap().into_iter().map(|thing| thing.path).collect();
    assert_eq!(kept, ["draft/own"]);
    assert_eq!(std::fs::read_to_string(bench.at("draft/own")).unwrap(), "new");
}
