//! Reviewing: the change set and text diffs, relative to the Draft's base.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::json;

#[tokio::test]
async fn the_change_set_names_every_changed_file_in_words() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "1\n2\n3\n").await;
    home.add("gone.txt", "x\n").await;
    home.add("same.txt", "s").await;
    home.write("a.txt", "1\ntwo\n3\n4\n").await;
    home.write("_new.txt", "n\n").await;
    home.ok("DraftRemoveFile", json!({ "workbench_id": ID, "path": "gone.txt" })).await;
    let set = home.plain("ReviewGetChangeSet").await;
    assert_eq!(set["reference_label"], "Reference (Draft start)");
    assert_eq!(set["reference_source"], "draft_start");
    let changes: Vec<(&str, &str)> = set["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["path"].as_str().unwrap(), c["change"].as_str().unwrap()))
        .collect();
    assert_eq!(changes, [("_new.txt", "added"), ("a.txt", "modified"), ("gone.txt", "deleted")]);
    let modified = &set["changes"][1];
    assert_eq!(modified["summary"], "2 lines added, 1 removed");
    assert_eq!((modified["bytes_before"].as_u64(), modified["bytes_after"].as_u64()), (Some(6), Some(10)));
    assert!(!set.to_string().contains("baseline"));
}

#[tokio::test]
async fn a_diff_shows_lines_with_context() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "1\n2\n3\n").await;
    home.write("a.txt", "1\ntwo\n3").await;
    let diff = home.ok("ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt" })).await;
    assert_eq!(diff["diff"]["type"], "text");
    let lines: Vec<(&str, &str)> = diff["diff"]["hunks"][0]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| (l["tag"].as_str().unwrap(), l["text"].as_str().unwrap()))
        .collect();
    assert_eq!(lines, [("context", "1"), ("removed", "2"), ("removed", "3"), ("added", "two"), ("added", "3")]);
    assert_eq!(diff["diff"]["hunks"][0]["lines"][4]["no_newline"], true);
    home.fails_with(Code::ValidationFailed, "ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt", "page": 2 }))
        .await;
    home.fails_with(Code::ValidationFailed, "ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt", "page": 0 }))
        .await;
    home.fails_with(Code::FileNotFound, "ReviewGetDiff", json!({ "workbench_id": ID, "path": "b.txt" })).await;
}

#[tokio::test]
async fn long_diffs_come_in_pages_that_together_are_whole() {
    let home = TestHome::with_workbench().await;
    let text = |word: &str| {
        (0..3_000).map(|n| if n % 10 == 0 { format!("{word} {n}\n") } else { format!("{n}\n") }).collect::<String>()
    };
    home.add("a.txt", text("old")).await;
    home.write("a.txt", &text("new")).await;
    let first = home.ok("ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt" })).await;
    assert_eq!((first["pages"].as_u64(), first["diff"]["added"].as_u64()), (Some(3), Some(300)));
    let mut added = 0;
    for page in 1..=3 {
        let page = home.ok("ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt", "page": page })).await;
        let hunks = page["diff"]["hunks"].as_array().unwrap().clone();
        let lines = hunks.iter().flat_map(|hunk| hunk["lines"].as_array().unwrap().clone());
        added += lines.filter(|line| line["tag"] == "added").count();
    }
    assert_eq!(added, 300);
}

#[tokio::test]
async fn the_reference_stays_the_drafts_start() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "start\n").await;
    home.write("a.txt", "draft\n").await;
    std::fs::write(home.view("published/a.txt"), "outside\n").unwrap();
    let diff = home.ok("ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.txt" })).await;
    assert_eq!(diff["diff"]["hunks"][0]["lines"][0]["text"], "start");
    assert_eq!(home.plain("ReviewGetChangeSet").await["published_changed"], json!(["a.txt"]));
}

#[tokio::test]
async fn other_formats_are_reviewed_by_what_is_known() {
    let home = TestHome::with_workbench().await;
    home.add("a.bin", [0u8, 1, 2, 255]).await;
    home.plain("DraftCreate").await;
    std::fs::write(home.view("draft/a.bin"), [0u8, 1, 2, 254, 3]).unwrap();
    let diff = home.ok("ReviewGetDiff", json!({ "workbench_id": ID, "path": "a.bin" })).await;
    assert_eq!(diff["diff"]["type"], "opaque");
    assert_eq!((diff["file"]["bytes_before"].as_u64(), diff["file"]["bytes_after"].as_u64()), (Some(4), Some(5)));
}
