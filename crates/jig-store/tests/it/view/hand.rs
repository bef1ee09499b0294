//! Manual edits in all three roots.

use std::fs::OpenOptions;
use std::io::{Seek as _, Write as _};

use super::*;

const ROOTS: [&str; 3] = ["published", "draft", "meta/context"];

/// In each root: edits `sub/a.txt`, which contains "one", and expects these changes.
async fn check(by_hand: impl Fn(&Bench, &str), expected: impl Fn(&str) -> Vec<OutsideChange>) {
    for root in ROOTS {
        let (path, other) = (format!("{root}/sub/a.txt"), format!("{root}/b.txt"));
        let mut bench = Bench::showing([(&path, "one"), (&other, "other")]).await;
        bench.assert_settled().await;
        by_hand(&bench, root);
        let scan = bench.scan().await;
        assert_eq!(scan, changes(&expected(root)), "{root}");
        assert_eq!(bench.scan().await, scan, "until it is taken in, it is found again");
        let by_hand = bench.shown();
        let report = bench.take_in(&scan.changes).await;
        assert_eq!(report, ViewReport::default(), "nothing is left to write or remove");
        assert_eq!(bench.shown(), by_hand, "{root}");
        bench.assert_settled().await;
    }
}

fn a(root: &str) -> String {
    format!("{root}/sub/a.txt")
}

#[tokio::test]
async fn a_file_written_anew_is_found() {
    check(|bench, root| bench.put(&a(root), "two and more"), |root| vec![written(&a(root), "two and more")]).await;
}

#[tokio::test]
async fn a_line_added_at_the_end_is_found() {
    let append = |bench: &Bench, root: &str| {
        OpenOptions::new().append(true).open(bench.at(&a(root))).unwrap().write_all(b"!").unwrap();
    };
    check(append, |root| vec![written(&a(root), "one!")]).await;
}

#[tokio::test]
async fn an_edit_in_place_that_keeps_size_and_date_is_found() {
    let edit = |bench: &Bench, root: &str| {
        let mut file = OpenOptions::new().write(true).open(bench.at(&a(root))).unwrap();
        let date = file.metadata().unwrap().modified().unwrap();
        file.rewind().unwrap();
        file.write_all(b"eno").unwrap();
        file.set_modified(date).unwrap();
    };
    check(edit, |root| vec![written(&a(root), "eno")]).await;
}

#[tokio::test]
async fn a_file_moved_over_another_is_found() {
    let rename = |bench: &Bench, root: &str| {
        bench.put("spare", "two");
        std::fs::rename(bench.at("spare"), bench.at(&a(root))).unwrap();
    };
    check(rename, |root| vec![written(&a(root), "two")]).await;
}

#[tokio::test]
async fn a_removed_file_is_found() {
    check(|bench, root| std::fs::remove_file(bench.at(&a(root))).unwrap(), |root| vec![removed(&a(root))]).await;
}

#[tokio::test]
async fn a_removed_subfolder_is_found() {
    let remove = |bench: &Bench, root: &str| std::fs::remove_dir_all(bench.at(&format!("{root}/sub"))).unwrap();
    check(remove, |root| vec![removed(&a(root))]).await;
}

#[tokio::test]
async fn a_renamed_file_is_found_in_its_two_halves() {
    let rename = |bench: &Bench, root: &str| {
        std::fs::rename(bench.at(&a(root)), bench.at(&format!("{root}/sub/A.txt"))).unwrap();
    };
    check(rename, |root| vec![removed(&a(root)), written(&format!("{root}/sub/A.txt"), "one")]).await;
}

#[tokio::test]
async fn a_renamed_folder_is_found_even_when_only_case_differs() {
    let rename = |bench: &Bench, root: &str| {
        std::fs::rename(bench.at(&format!("{root}/sub")), bench.at(&format!("{root}/Sub"))).unwrap();
    };
    check(rename, |root| vec![removed(&a(root)), written(&format!("{root}/Sub/a.txt"), "one")]).await;
}

#[tokio::test]
async fn a_folder_dropped_in_is_found_with_all_its_files() {
    let drop_in = |bench: &Bench, root: &str| {
        for path in ["new/1.txt", "new/deep/er/2 two.txt", "new/😀.txt"] {
            bench.put(&format!("{root}/{path}"), path);
        }
        std::fs::create_dir(bench.at(&format!("{root}/new/empty"))).unwrap();
    };
    let expected = |root: &str| {
        ["new/1.txt", "new/deep/er/2 two.txt", "new/😀.txt"]
            .map(|path| written(&format!("{root}/{path}"), path))
            .to_vec()
    };
    check(drop_in, expected).await;
}

#[tokio::test]
async fn a_file_may_become_a_folder_by_hand_and_a_folder_a_file() {
    let swap = |bench: &Bench, root: &str| {
        std::fs::remove_dir_all(bench.at(&format!("{root}/sub"))).unwrap();
        bench.put(&format!("{root}/sub"), "a file now");
        std::fs::remove_file(bench.at(&format!("{root}/b.txt"))).unwrap();
        bench.put(&format!("{root}/b.txt/c.txt"), "a folder now");
    };
    let expected = |root: &str| {
        vec![
            removed(&format!("{root}/b.txt")),
            removed(&a(root)),
            written(&format!("{root}/b.txt/c.txt"), "a folder now"),
            written(&format!("{root}/sub"), "a file now"),
        ]
    };
    check(swap, expected).await;
}

#[tokio::test]
async fn a_touched_file_is_no_change() {
    let touch = |bench: &Bench, root: &str| {
        let file = OpenOptions::new().write(true).open(bench.at(&a(root))).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    };
    check(touch, |_| vec![]).await;
}

#[tokio::test]
async fn a_large_file_is_taken_in_without_holding_it_in_memory() {
    let mut bench = Bench::showing([("published/a.bin", "small")]).await;
    let words = "0123456789".repeat(300_000);
    bench.put("published/a.bin", &words);
    let scan = bench.scan().await;
    assert_eq!(scan, changes(&[written("published/a.bin", &words)]));
    assert_eq!(std::fs::read_dir(bench.at(".jig/tmp")).unwrap().count(), 0);
    bench.take_in(&scan.changes).await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_write_steps_around_what_was_not_taken_in() {
    let mut bench = Bench::showing([("published/a", "a"), ("published/b", "b"), ("published/c", "c")]).await;
    bench.put("published/a", "by hand");
    bench.put("published/b", "by hand too");
    bench.put("published/new", "new by hand");
    let edits = [
        text(&bench.store, "published/a", "from the head").await,
        TreeEdit::Remove { path: "published/b".to_owned() },
        text(&bench.store, "published/c", "from the head").await,
        text(&bench.store, "published/new", "from the head").await,
    ];
    bench.commit(&edits).await;
    let reason = "it was changed by hand a moment ago; it is imported before the next operation";
    let report = bench.write().await;
    let expected = left(&[("published/a", reason), ("published/b", reason), ("published/new", reason)]);
    assert_eq!(report, ViewReport { written: 1, removed: 0, left_alone: expected });
    let scan = bench.scan().await;
    let by_hand = [
        written("published/a", "by hand"),
        written("published/b", "by hand too"),
        written("published/new", "new by hand"),
    ];
    assert_eq!(scan, Scan { behind: true, ..changes(&by_hand) });
    bench.take_in(&scan.changes).await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_change_that_is_settled_elsewhere_may_be_undone() {
    let bench = Bench::showing([("published/a", "a"), ("published/b", "b"), ("published/c", "c")]).await;
    bench.put("published/a", "by hand");
    std::fs::remove_file(bench.at("published/b")).unwrap();
    bench.put("published/new", "new");
    bench.put("published/c", "not settled");
    let mut settled = bench.scan().await.changes;
    settled.retain(|change| change.path != "published/c");
    let report = bench.view.write_over(&bench.store, bench.head, &settled).await.unwrap();
    assert_eq!(report, ViewReport { written: 2, removed: 1, left_alone: vec![] });
    assert_eq!(bench.scan().await, changes(&[written("published/c", "not settled")]));
    assert_eq!(bench.shown(), shown([("published/a", "a"), ("published/b", "b"), ("published/c", "not settled")]));
}

#[tokio::test]
async fn an_edit_that_came_after_the_settled_one_stays() {
    let bench = Bench::showing([("published/a", "a")]).await;
    bench.put("published/a", "by hand");
    let settled = bench.scan().await.changes;
    bench.put("published/a", "by hand again");
    let report = bench.view.write_over(&bench.store, bench.head, &settled).await.unwrap();
    assert_eq!((report.written, report.left_alone.len()), (0, 1));
    assert_eq!(bench.scan().await.changes, [written("published/a", "by hand again")]);
}

#[tokio::test]
async fn what_is_taken_in_reaches_no_blob_when_it_is_edited_in_place() {
    let mut bench = Bench::showing([("published/a", "one")]).await;
    for words in ["two", "six"] {
        let mut file = OpenOptions::new().write(true).open(bench.at("published/a")).unwrap();
        file.write_all(words.as_bytes()).unwrap();
        let scan = bench.scan().await;
        bench.take_in(&scan.changes).await;
    }
    for words in ["one", "two", "six"] {
        assert_eq!(bench.store.blobs().get(&hash_of(words.as_bytes())).await.unwrap(), words);
    }
    bench.assert_settled().await;
}
