//! How states become folders: shapes, names, permissions.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::*;
use crate::setup::{Bytes, Rows};

async fn from_to<const A: usize, const B: usize>(before: [(&str, &str); A], after: [(&str, &str); B]) {
    let mut bench = Bench::showing(before).await;
    bench.assert_settled().await;
    bench.head = bench.store.empty_tree().await.unwrap();
    for (path, words) in after {
        bench.commit_text(path, words).await;
    }
    bench.write().await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_file_and_a_folder_take_each_other_s_place() {
    let file = [("published/a", "file"), ("published/z", "z")];
    let folder = [("published/a/b/c", "deep"), ("published/a/d", "d")];
    from_to(file, folder).await;
    from_to(folder, file).await;
    from_to([("published/a/b", "b")], [("published/a", "a")]).await;
}

#[tokio::test]
async fn deep_folders_and_names_of_all_kinds_are_shown() {
    let deep = format!("published/{}/x", vec!["d"; 200].join("/"));
    let long = format!("published/{}", "é".repeat(127));
    let names = [
        (deep.as_str(), "deep"),
        (long.as_str(), "long"),
        ("draft/with space/😀 ü.txt", "emoji"),
        ("meta/context/日本/SKILL.md", "x"),
    ];
    from_to(names, []).await;
    from_to([], names).await;
}

#[tokio::test]
async fn blobs_in_a_bucket_are_shown_too() {
    let setup = Setup::new(Rows::Sqlite, Bytes::S3).await.unwrap();
    let large = "0123456789".repeat(300_000);
    let mut bench = Bench::with(setup, [("published/a", "a"), ("published/sub/large", &large)]).await;
    bench.assert_settled().await;
    bench.put("published/a", "by hand");
    bench.put("published/sub/large", &format!("{large}!"));
    let scan = bench.scan().await;
    assert_eq!(scan.changes.len(), 2);
    bench.take_in(&scan.changes).await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_name_may_change_its_case_and_folders_merge() {
    from_to([("published/a", "1"), ("published/Sub/x", "2")], [("published/A", "1"), ("published/sub/x", "2")]).await;
}

#[tokio::test]
async fn only_what_is_shown_is_written() {
    let mut bench = Bench::showing([("published/a", "a")]).await;
    bench.commit_text("meta/draft.json", "{}").await;
    bench.commit_text("meta/documents/entry/note/1.json", "{}").await;
    bench.commit_text("agent/memory.md", "m").await;
    assert_eq!(bench.scan().await, Scan::default(), "what is shown is the same");
    assert_eq!(bench.write().await, ViewReport::default());
    assert_eq!(bench.shown(), shown([("published/a", "a")]));
    assert!(bench.at("draft").is_dir(), "a Draft without files has a folder to drop files in");
    assert_eq!(bench.scan().await, Scan::default());
}

#[tokio::test]
async fn folders_that_became_empty_go_and_folders_of_people_stay() {
    let mut bench =
        Bench::showing([("published/a/b/c", "c"), ("draft/x", "x"), ("meta/context/k/SKILL.md", "s")]).await;
    std::fs::create_dir_all(bench.at("published/mine/empty")).unwrap();
    for path in ["published/a", "draft", "meta"] {
        bench.commit(&[TreeEdit::Remove { path: path.to_owned() }]).await;
    }
    assert_eq!(bench.write().await, ViewReport { written: 0, removed: 3, left_alone: vec![] });
    let mut names: Vec<_> = std::fs::read_dir(bench.folder()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".jig", "published"]);
    let names: Vec<_> = std::fs::read_dir(bench.at("published")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["mine"]);
    assert!(bench.at("published/mine/empty").is_dir());
    bench.assert_settled().await;
}

#[tokio::test]
async fn an_empty_folder_makes_room_for_a_file() {
    let mut bench = Bench::showing([]).await;
    std::fs::create_dir(bench.at("published/a")).unwrap();
    bench.commit_text("published/a", "a").await;
    bench.write().await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn files_and_folders_have_plain_rights() {
    let mut bench = Bench::showing([("published/sub/a", "a")]).await;
    bench.commit_text("published/sub/large", &"x".repeat(100_000)).await;
    bench.write().await;
    // The permissions that mode 0644 and 0755 lead to here.
    let probe = tempfile::tempdir().unwrap();
    std::fs::write(probe.path().join("f"), "").unwrap();
    std::fs::create_dir(probe.path().join("d")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for path in ["published/sub/a", "published/sub/large"] {
        assert_eq!(mode(&bench.at(path)), mode(&probe.path().join("f")) & 0o644);
        assert_eq!(std::fs::metadata(bench.at(path)).unwrap().nlink(), 1, "a blob has no second name");
    }
    assert_eq!(mode(&bench.at("published/sub")), mode(&probe.path().join("d")) & 0o755);
}

#[tokio::test]
async fn a_decomposed_name_stands_for_the_composed_one() {
    let (decomposed, composed) = ("published/cafe\u{301}/re\u{301}sume\u{301}.txt", "published/café/résumé.txt");
    let mut bench = Bench::showing([]).await;
    bench.put(decomposed, "one");
    let scan = bench.scan().await;
    assert_eq!(scan, changes(&[written(composed, "one")]));
    assert_eq!(bench.take_in(&scan.changes).await, ViewReport::default());
    assert_eq!(bench.scan().await, Scan::default());
    // The file keeps the user's form of the name when it is edited, gets a neighbour, or is removed.
    bench.commit_text(composed, "two").await;
    bench.commit_text("published/café/né.txt", "neighbour").await;
    assert_eq!(bench.write().await, ViewReport { written: 2, removed: 0, left_alone: vec![] });
    assert_eq!(bench.shown(), shown([(decomposed, "two"), ("published/cafe\u{301}/né.txt", "neighbour")]));
    assert_eq!(bench.scan().await, Scan::default());
    bench.put(decomposed, "three");
    assert_eq!(bench.scan().await, changes(&[written(composed, "three")]));
    let scan = bench.scan().await;
    bench.take_in(&scan.changes).await;
    bench.commit(&[TreeEdit::Remove { path: "published/café".to_owned() }]).await;
    assert_eq!(bench.write().await.removed, 2);
    assert_eq!(bench.shown(), shown([]));
    assert!(!bench.at("published/cafe\u{301}").exists());
}

#[tokio::test]
async fn of_two_unicode_forms_the_composed_one_stands() {
    let bench = Bench::showing([("published/é", "composed")]).await;
    bench.put("published/e\u{301}", "decomposed");
    let reason = "another file here has the same name in another Unicode form";
    let expected = Scan { left_alone: left(&[("published/e\u{301}", reason)]), ..Scan::default() };
    assert_eq!(bench.scan().await, expected);
    bench.put("published/é", "edited");
    assert_eq!(bench.scan().await.changes, [written("published/é", "edited")]);
}
