//! Lost folders and internal data: the view is recreated, and nothing counts as removed.

use super::*;

async fn bench() -> Bench {
    Bench::showing([
        ("published/a", "a"),
        ("published/sub/b", "b"),
        ("draft/a", "draft a"),
        ("meta/context/x/SKILL.md", "skill"),
    ])
    .await
}

/// Checks that there are no changes and that the folder is recreated.
async fn check_made_again(bench: &Bench) {
    assert_eq!(bench.scan().await, Scan { behind: true, ..Scan::default() });
    assert_eq!(bench.write().await.left_alone, []);
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_root_that_is_gone_is_made_again() {
    for root in ["published", "draft", "meta", "meta/context"] {
        let bench = bench().await;
        std::fs::remove_dir_all(bench.at(root)).unwrap();
        check_made_again(&bench).await;
    }
}

#[tokio::test]
async fn a_root_that_is_gone_is_made_again_by_a_write_alone() {
    let mut bench = bench().await;
    std::fs::remove_dir_all(bench.at("published")).unwrap();
    bench.commit_text("draft/new", "new").await;
    bench.write().await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_published_folder_without_files_is_made_again() {
    let bench = Bench::showing([]).await;
    bench.assert_settled().await;
    std::fs::remove_dir(bench.at("published")).unwrap();
    check_made_again(&bench).await;
    assert!(bench.at("published").is_dir());
}

#[tokio::test]
async fn the_whole_folder_is_made_again() {
    let bench = bench().await;
    std::fs::remove_dir_all(bench.folder()).unwrap();
    check_made_again(&bench).await;
}

#[tokio::test]
async fn a_missing_or_torn_index_is_made_again() {
    for length in [None, Some(0), Some(10), Some(200)] {
        let bench = bench().await;
        match length {
            None => std::fs::remove_file(bench.at(".jig/index")).unwrap(),
            Some(length) => {
                let file = std::fs::OpenOptions::new().write(true).open(bench.at(".jig/index")).unwrap();
                assert!(file.metadata().unwrap().len() > length);
                file.set_len(length).unwrap();
            }
        }
        check_made_again(&bench).await;
    }
}

#[tokio::test]
async fn without_an_index_an_edit_is_found_and_a_missing_file_is_no_removal() {
    let mut bench = bench().await;
    bench.put("published/a", "by hand");
    bench.put("published/new", "new");
    std::fs::remove_file(bench.at("published/sub/b")).unwrap();
    std::fs::remove_file(bench.at(".jig/index")).unwrap();
    let scan = bench.scan().await;
    let by_hand = [written("published/a", "by hand"), written("published/new", "new")];
    assert_eq!(scan, Scan { behind: true, ..changes(&by_hand) });
    assert_eq!(bench.scan().await, scan, "the second scan has an index again, and knows no more");
    bench.take_in(&scan.changes).await;
    assert_eq!(bench.shown()["published/sub/b"], "b");
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_write_without_an_index_overwrites_no_edit() {
    let bench = bench().await;
    bench.put("published/a", "by hand");
    std::fs::remove_file(bench.at(".jig/index")).unwrap();
    assert_eq!(bench.write().await.left_alone.len(), 1);
    assert_eq!(bench.shown()["published/a"], "by hand");
    assert_eq!(bench.scan().await.changes, [written("published/a", "by hand")]);
}

#[tokio::test]
async fn a_commit_that_was_never_shown_is_shown_later() {
    let mut bench = bench().await;
    bench.commit_text("published/a", "a newer").await;
    bench.commit_text("published/new", "new").await;
    bench.commit(&[TreeEdit::Remove { path: "published/sub/b".to_owned() }]).await;
    check_made_again(&bench).await;
    assert!(!bench.at("published/sub").exists());
}

#[tokio::test]
async fn edits_by_hand_on_top_of_an_older_state_are_found_and_not_overwritten() {
    let mut bench = bench().await;
    bench.commit_text("published/a", "newer than the folder").await;
    bench.commit_text("draft/a", "newer in the draft").await;
    bench.put("published/a", "by hand");
    std::fs::remove_file(bench.at("published/sub/b")).unwrap();
    let scan = bench.scan().await;
    let by_hand = [removed("published/sub/b"), written("published/a", "by hand")];
    assert_eq!(scan, Scan { behind: true, ..changes(&by_hand) });
    bench.take_in(&scan.changes).await;
    let expected =
        [("draft/a", "newer in the draft"), ("meta/context/x/SKILL.md", "skill"), ("published/a", "by hand")];
    assert_eq!(bench.shown(), shown(expected));
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_file_put_there_by_hand_with_the_head_s_content_is_no_change() {
    let mut bench = bench().await;
    bench.commit_text("published/new", "same").await;
    bench.put("published/new", "same");
    assert_eq!(bench.scan().await.changes, []);
    assert_eq!(bench.write().await.written, 0);
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_lost_blob_costs_one_file_which_does_not_count_as_removed() {
    for damage in ["missing", "damaged"] {
        let mut bench = bench().await;
        bench.commit_text("published/lost", "lost").await;
        bench.commit_text("published/whole", "whole").await;
        let hash = hash_of(b"lost");
        let blob = bench.setup.config.blobs.local_path(&hash).unwrap();
        match damage {
            "missing" => std::fs::remove_file(&blob).unwrap(),
            _ => std::fs::write(&blob, "lots").unwrap(),
        }
        let report = bench.write().await;
        assert_eq!((report.written, report.left_alone.len()), (1, 1), "{report:?}");
        assert_eq!(report.left_alone[0].path, "published/lost");
        assert!(report.left_alone[0].reason.contains(damage), "{report:?}");
        assert_eq!(bench.scan().await, Scan { behind: true, ..Scan::default() });
        std::fs::write(&blob, "lost").or_else(|_| std::fs::create_dir_all(blob.parent().unwrap())).unwrap();
        bench.write().await;
        bench.assert_settled().await;
    }
}

#[tokio::test]
async fn a_removed_workbench_leaves_nothing_but_what_jig_does_not_know() {
    let bench = bench().await;
    assert_eq!(bench.view.remove().unwrap(), []);
    assert!(!bench.folder().exists());
    assert_eq!(bench.view.remove().unwrap(), [], "no folder is fine");
    bench.write().await;
    bench.put("published/a", "changed by hand");
    bench.put("notes.txt", "beside the roots");
    std::fs::create_dir(bench.at("draft/empty")).unwrap();
    let by_hand = "it was added or changed by hand and not imported";
    assert_eq!(bench.view.remove().unwrap(), left(&[("notes.txt", by_hand), ("published/a", by_hand)]));
    assert_eq!(bench.shown(), shown([("published/a", "changed by hand")]));
    assert!(!bench.at("draft").exists() && !bench.at(".jig").exists());
}
