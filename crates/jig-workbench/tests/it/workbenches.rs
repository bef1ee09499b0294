//! Workbenches: names and ids, copies, archives, deletion.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::json;

#[tokio::test]
async fn ids_come_from_names_and_get_a_number_when_taken() {
    let home = TestHome::new().await;
    let mut ids = Vec::new();
    for name in ["Board deck", "Board deck", "Board deck!", "日本"] {
        let made = home.ok("WorkbenchCreate", json!({ "name": name })).await;
        assert_eq!(made["name"], name);
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids, ["board-deck", "board-deck-2", "board-deck-3", "workbench"]);
    home.fails_with(Code::WorkbenchExists, "WorkbenchCreate", json!({ "name": "x", "id": "board-deck" })).await;
    let listed = home.ok("WorkbenchList", json!({})).await;
    let listed: Vec<&str> =
        listed["workbenches"].as_array().unwrap().iter().map(|w| w["id"].as_str().unwrap()).collect();
    assert_eq!(listed, ["board-deck", "board-deck-2", "board-deck-3", "workbench"]);
}

#[tokio::test]
async fn bad_ids_and_names_are_refused_and_change_nothing() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "a").await;
    let long = "a".repeat(10 * 1024 * 1024);
    for id in [".", "..", "", "../test", "TEST", "a/b", "con", &long] {
        for op in ["WorkbenchGet", "FileList", "DraftDiscard", "JournalUndo"] {
            let error = home.fails_with(Code::ValidationFailed, op, json!({ "workbench_id": id })).await;
            assert!(!error.info.hints.is_empty() && error.info.message.len() < 500, "{error}");
        }
        home.fails_with(Code::ValidationFailed, "WorkbenchDelete", json!({ "workbench_id": id, "confirm": id })).await;
        home.fails_with(Code::ValidationFailed, "WorkbenchCreate", json!({ "name": "x", "id": id })).await;
    }
    for name in ["", "   ", "a\nb", &"x".repeat(201)] {
        home.fails_with(Code::ValidationFailed, "WorkbenchCreate", json!({ "name": name })).await;
    }
    let error = home.fails_with(Code::WorkbenchNotFound, "FileList", json!({ "workbench_id": "tets" })).await;
    assert_eq!(error.info.suggestions, ["test"]);
    assert_eq!(home.texts("published").await.len(), 1);
    assert!(home.view("published/a.txt").exists());
}

#[tokio::test]
async fn a_renamed_workbench_keeps_its_id_and_says_so_in_the_journal() {
    let home = TestHome::with_workbench().await;
    let renamed = home.ok("WorkbenchRename", json!({ "workbench_id": ID, "name": "Other" })).await;
    assert_eq!((renamed["id"].as_str(), renamed["name"].as_str()), (Some(ID), Some("Other")));
    let log = home.plain("JournalList").await;
    assert_eq!(log["entries"][0]["operation"], "WorkbenchRename");
}

#[tokio::test]
async fn a_copy_has_the_whole_history_and_goes_its_own_way() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    let copy = home.ok("WorkbenchClone", json!({ "workbench_id": ID, "name": "Copy" })).await;
    assert_eq!(copy["id"], "copy");
    assert!(copy["draft"].is_object(), "the Draft comes along");
    assert_eq!(std::fs::read_to_string(home.home().join("workbenches/copy/draft/a.txt")).unwrap(), "two");

    home.ok("DraftPublish", json!({ "workbench_id": "copy" })).await;
    assert_eq!(home.texts("published").await["a.txt"], "one", "the original is untouched");
    home.ok("JournalUndo", json!({ "workbench_id": "copy" })).await;
    home.ok("JournalUndo", json!({ "workbench_id": "copy" })).await;
    home.ok("JournalUndo", json!({ "workbench_id": "copy" })).await;
    let files = home.ok("FileList", json!({ "workbench_id": "copy" })).await;
    assert_eq!(files["total"], 0, "history before the copy can be undone in the copy");
}

#[tokio::test]
async fn an_archive_brings_back_files_draft_history_and_checkpoints() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "first" })).await;
    home.write("a.txt", "two").await;
    let archive = home.path().join("test.jig");
    let exported = home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive })).await;
    assert_eq!(exported["changes"], 4);
    home.fails_with(Code::FileExists, "WorkbenchExport", json!({ "workbench_id": ID, "to": archive })).await;
    home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive, "overwrite": true })).await;

    let nowhere = home.path().join("no/such/folder/test.jig");
    let error =
        home.fails_with(Code::FileWriteFailed, "WorkbenchExport", json!({ "workbench_id": ID, "to": nowhere })).await;
    assert!(error.info.message.contains("no/such/folder"), "{error}");

    let other = TestHome::new().await;
    let imported = other.ok("WorkbenchImport", json!({ "from": archive })).await;
    assert_eq!(imported["id"], ID);
    assert_eq!(other.texts("draft").await["a.txt"], "two");
    assert_eq!(std::fs::read_to_string(other.view("published/a.txt")).unwrap(), "one");
    let checkpoints = other.plain("CheckpointList").await;
    assert_eq!(checkpoints["checkpoints"][0]["name"], "first");
    other.plain("JournalUndo").await;
    assert_eq!(other.plain("DraftGetState").await["exists"], false);

    let again = other.ok("WorkbenchImport", json!({ "from": archive, "name": "Second" })).await;
    assert_eq!((again["id"].as_str(), again["name"].as_str()), (Some("test-2"), Some("Second")));
    other.fails_with(Code::WorkbenchExists, "WorkbenchImport", json!({ "from": archive, "id": ID })).await;
    other.fails_with(Code::FileNotFound, "WorkbenchImport", json!({ "from": "no-such.jig" })).await;
    let bad = other.outside("bad.jig", "not an archive");
    other.fails_with(Code::ArchiveInvalid, "WorkbenchImport", json!({ "from": bad })).await;
    assert_eq!(other.ok("WorkbenchList", json!({})).await["workbenches"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn deletion_needs_the_id_twice_and_takes_only_that_workbench() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "a").await;
    home.ok("WorkbenchCreate", json!({ "name": "Other" })).await;
    home.fails_with(Code::ValidationFailed, "WorkbenchDelete", json!({ "workbench_id": ID, "confirm": "Test" })).await;
    home.ok("WorkbenchDelete", json!({ "workbench_id": ID, "confirm": ID })).await;
    home.fails_with(Code::WorkbenchNotFound, "FileList", json!({ "workbench_id": ID })).await;
    assert!(!home.view("published").exists());
    assert!(home.home().join("workbenches/other").exists());
    home.ok("FileList", json!({ "workbench_id": "other" })).await;
}

#[tokio::test]
async fn without_views_nothing_is_written_beside_the_store() {
    let home = TestHome::with(|config| config.view = false).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home.add("a.txt", "a").await;
    home.write("a.txt", "b").await;
    assert!(!home.home().join("workbenches").exists());
    assert!(home.plain("WorkbenchGet").await["folder"].is_null());
}
