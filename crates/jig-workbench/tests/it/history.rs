//! The journal, undo and redo, checkpoints, events.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

async fn summaries(home: &TestHome) -> Vec<String> {
    let log = home.plain("JournalList").await;
    log["entries"].as_array().unwrap().iter().map(|e| e["operation"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn undo_walks_back_and_redo_forward_again() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "1").await;
    home.write("a.txt", "2").await;
    home.write("a.txt", "3").await;
    let draft = async |home: &TestHome| match home.plain("DraftGetState").await["exists"].as_bool() {
        Some(true) => home.texts("draft").await["a.txt"].clone(),
        _ => "no draft".to_owned(),
    };
    home.plain("JournalUndo").await;
    assert_eq!(draft(&home).await, "2");
    home.plain("JournalUndo").await;
    assert_eq!(draft(&home).await, "no draft");
    home.plain("JournalRedo").await;
    assert_eq!(draft(&home).await, "2");
    home.plain("JournalRedo").await;
    assert_eq!(draft(&home).await, "3");
    home.fails_with(Code::NothingToUndo, "JournalRedo", json!({ "workbench_id": ID })).await;
    home.plain("JournalUndo").await;
    home.write("a.txt", "4").await;
    home.fails_with(Code::NothingToUndo, "JournalRedo", json!({ "workbench_id": ID })).await;
    for _ in 0..3 {
        home.plain("JournalUndo").await;
    }
    assert_eq!(home.plain("FileList").await["total"], 0);
    home.fails_with(Code::NothingToUndo, "JournalUndo", json!({ "workbench_id": ID })).await;
    assert_eq!(home.plain("JournalList").await["total"], 4 + 4 + 2 + 3, "every undo and redo is a row");
}

#[tokio::test]
async fn the_journal_joins_up_and_is_paged() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "1").await;
    home.write("a.txt", "2").await;
    home.plain("DraftPublish").await;
    home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "c" })).await;
    let log = home.plain("JournalList").await;
    let entries: Vec<Value> = log["entries"].as_array().unwrap().iter().rev().cloned().collect();
    for (n, pair) in entries.windows(2).enumerate() {
        assert_eq!(pair[0]["state_after"], pair[1]["state_before"]);
        assert_eq!(pair[1]["seq"], n as u64 + 2);
    }
    assert_eq!(
        summaries(&home).await,
        ["CheckpointCreate", "DraftPublish", "DraftWriteText", "FileAdd", "WorkbenchCreate"]
    );
    let page = home.ok("JournalList", json!({ "workbench_id": ID, "before": 3, "limit": 1 })).await;
    assert_eq!(
        (page["entries"][0]["seq"].as_u64(), page["has_more"].as_bool(), page["total"].as_u64()),
        (Some(2), Some(true), Some(5))
    );
    home.fails_with(Code::ValidationFailed, "JournalList", json!({ "workbench_id": ID, "limit": 0 })).await;
}

#[tokio::test]
async fn a_checkpoint_brings_everything_back_and_keeps_the_present() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "1").await;
    let made = home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "first" })).await;
    home.ok("FileRemove", json!({ "workbench_id": ID, "paths": ["a.txt"] })).await;
    home.add("b.txt", "b").await;
    for wanted in [made["id"].as_str().unwrap(), "first"] {
        let done = home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": wanted })).await;
        assert_eq!(done["restored"]["name"], "first");
        assert_eq!(done["before"]["reason"], "restore");
        assert_eq!(home.texts("published").await, [("a.txt".to_owned(), "1".to_owned())].into());
        home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": done["before"]["id"] })).await;
        assert_eq!(home.texts("published").await, [("b.txt".to_owned(), "b".to_owned())].into());
        assert!(home.view("published/b.txt").exists() && !home.view("published/a.txt").exists());
    }
    for bad in ["../first", "nothing", "", "0190b6c2-7d3e-7000-8000-000000000001"] {
        home.fails_with(
            Code::CheckpointNotFound,
            "CheckpointRestore",
            json!({ "workbench_id": ID, "checkpoint": bad }),
        )
        .await;
    }
}

#[tokio::test]
async fn events_replay_from_any_number_and_arrive_live() {
    let home = TestHome::with_workbench().await;
    let mut live = home.workbench.events();
    home.add("a.txt", "1").await;
    home.write("a.txt", "2").await;
    let all = home.ok("EventList", json!({ "workbench_id": ID })).await;
    let kinds: Vec<&str> =
        all["events"].as_array().unwrap().iter().map(|e| e["event"]["entry"]["operation"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["WorkbenchCreate", "FileAdd", "DraftWriteText"]);
    let rest = home.ok("EventList", json!({ "workbench_id": ID, "after": 1, "limit": 1 })).await;
    assert_eq!((rest["cursor"].as_u64(), rest["has_more"].as_bool()), (Some(2), Some(true)));
    let mut received = Vec::new();
    while let Ok(record) = live.try_recv() {
        received.push(serde_json::to_value(record).unwrap());
    }
    assert_eq!(received, all["events"].as_array().unwrap()[1..], "live and replayed events are the same");
}
