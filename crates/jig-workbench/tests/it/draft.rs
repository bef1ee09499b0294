//! The Draft: started by the first write, one at a time, blocking the operations it must.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::json;

#[tokio::test]
async fn the_first_write_begins_a_draft_and_published_files_stay() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.add("b.txt", "b").await;
    let first = home.write("a.txt", "two").await;
    assert_eq!((first["draft_created"].as_bool(), first["changed"].as_bool()), (Some(true), Some(true)));
    assert_eq!(home.write("new/c.txt", "c").await["draft_created"], false);
    assert_eq!(std::fs::read_to_string(home.view("published/a.txt")).unwrap(), "one");
    let draft = jig_testkit::home::texts_on_disk(&home.view("draft"));
    assert_eq!(draft, [("a.txt", "two"), ("b.txt", "b"), ("new/c.txt", "c")].map(|(k, v)| (k.into(), v.into())).into());
    let state = home.plain("DraftGetState").await;
    assert_eq!(state["draft"]["source"], "first_write");
    assert_eq!(
        (state["added"].as_u64(), state["modified"].as_u64(), state["deleted"].as_u64()),
        (Some(1), Some(1), Some(0))
    );
    assert_eq!((state["age"].as_str(), state["stale"].as_bool()), (Some("fresh"), Some(false)));
}

#[tokio::test]
async fn writing_the_same_again_changes_nothing() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    let same = home.write("a.txt", "one").await;
    assert_eq!((same["changed"].as_bool(), same["draft_created"].as_bool()), (Some(false), Some(false)));
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
    assert_eq!(home.plain("JournalList").await["total"], 2);
}

#[tokio::test]
async fn a_dry_run_says_what_would_change_and_writes_nothing() {
    let home = TestHome::with_workbench().await;
    let dry =
        home.ok("DraftWriteText", json!({ "workbench_id": ID, "path": "a.txt", "text": "x", "dry_run": true })).await;
    assert_eq!(
        (dry["changed"].as_bool(), dry["dry_run"].as_bool(), dry["draft_created"].as_bool()),
        (Some(true), Some(true), Some(false))
    );
    home.add("b.txt", "b").await;
    home.ok("DraftRemoveFile", json!({ "workbench_id": ID, "path": "b.txt", "dry_run": true })).await;
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
}

#[tokio::test]
async fn a_write_on_an_old_version_is_a_conflict() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    let base = home.ok("FileGetInfo", json!({ "workbench_id": ID, "path": "a.txt" })).await["hash"].clone();
    let first = home
        .ok("DraftWriteText", json!({ "workbench_id": ID, "path": "a.txt", "text": "two", "base_hash": base }))
        .await;
    let error = home
        .fails_with(
            Code::Conflict,
            "DraftWriteText",
            json!({ "workbench_id": ID, "path": "a.txt", "text": "three", "base_hash": base }),
        )
        .await;
    assert_eq!(error.info.detail.unwrap()["current_hash"], first["file"]["hash"]);
    home.fails_with(
        Code::Conflict,
        "DraftRemoveFile",
        json!({ "workbench_id": ID, "path": "a.txt", "base_hash": base }),
    )
    .await;
    home.fails_with(
        Code::ValidationFailed,
        "DraftRemoveFile",
        json!({ "workbench_id": ID, "path": "a.txt", "base_hash": "zz" }),
    )
    .await;
    assert_eq!(home.texts("draft").await["a.txt"], "two");
}

#[tokio::test]
async fn a_text_does_not_take_the_place_of_another_format() {
    let home = TestHome::with_workbench().await;
    home.add("a.pdf", "%PDF-1.7\n\0\u{1}binary").await;
    home.fails_with(
        Code::ValidationFailed,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "a.pdf", "text": "x" }),
    )
    .await;
    home.ok("DraftRemoveFile", json!({ "workbench_id": ID, "path": "a.pdf" })).await;
    // It cannot take the name either.
    home.fails_with(
        Code::ValidationFailed,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "a.pdf", "text": "now a text" }),
    )
    .await;
}

#[tokio::test]
async fn while_a_draft_exists_files_are_not_added_removed_extracted_or_restored() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "c" })).await;
    home.plain("DraftCreate").await;
    let path = home.outside("b.txt", "b");
    for (op, params) in [
        ("FileAdd", json!({ "workbench_id": ID, "paths": [path] })),
        ("FileRemove", json!({ "workbench_id": ID, "paths": ["a.txt"] })),
        ("FileExtract", json!({ "workbench_id": ID, "to": home.path().join("out") })),
        ("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": "c" })),
        ("DraftCreate", json!({ "workbench_id": ID })),
    ] {
        let error = home.fails_with(Code::DraftExists, op, params).await;
        assert_eq!(error.info.actions, ["review", "discard"], "{op}");
    }
    home.plain("DraftDiscard").await;
    home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [path] })).await;
}

#[tokio::test]
async fn a_discarded_draft_is_gone_from_disk_and_can_be_undone() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    let gone = home.plain("DraftDiscard").await;
    assert_eq!(gone["files"], 1);
    assert!(!home.view("draft").exists());
    home.fails_with(Code::DraftNotFound, "DraftDiscard", json!({ "workbench_id": ID })).await;
    home.fails_with(Code::DraftNotFound, "DraftPublish", json!({ "workbench_id": ID })).await;
    home.fails_with(Code::DraftNotFound, "ReviewGetChangeSet", json!({ "workbench_id": ID })).await;
    home.plain("JournalUndo").await;
    assert_eq!(std::fs::read_to_string(home.view("draft/a.txt")).unwrap(), "two");
}

#[tokio::test]
async fn an_empty_workbench_has_drafts_too() {
    let home = TestHome::with_workbench().await;
    home.plain("DraftCreate").await;
    assert_eq!(home.plain("DraftGetState").await["draft"]["source"], "request");
    assert_eq!(home.plain("ReviewGetChangeSet").await["changes"], json!([]));
    home.plain("DraftPublish").await;
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
}

#[tokio::test]
async fn an_old_draft_is_reported_after_a_day_and_after_a_week() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use jig_contract::{Actor, Env, Timestamp};
    use jig_workbench::{CallContext, Config, Workbench};

    const HOUR: i64 = 60 * 60 * 1_000;
    let dir = tempfile::tempdir().unwrap();
    let now = Arc::new(AtomicI64::new(1_790_000_000_000));
    let clock = Arc::clone(&now);
    let ids = Env::system();
    let env = Env::new(move || Timestamp::from_millis(clock.load(Ordering::SeqCst)), move || ids.fresh_id());
    let workbench = Workbench::open(Config::new(dir.path()), env).await.unwrap();
    let call = async |name: &str, params| {
        workbench.call(name, CallContext::new(Actor::person()), params).await.unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    call("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    call("DraftCreate", json!({ "workbench_id": ID })).await;
    let mut seen = Vec::new();
    for hours in [0, 23, 24, 7 * 24 - 1, 7 * 24] {
        now.store(1_790_000_000_000 + hours * HOUR, Ordering::SeqCst);
        let state = call("DraftGetState", json!({ "workbench_id": ID })).await;
        assert_eq!(state["stale"], state["age"] == "stale");
        seen.push((state["age"].as_str().unwrap().to_owned(), state["reminder"].as_str().map(|r| r.contains("day"))));
    }
    let expected =
        [("fresh", None), ("fresh", None), ("reminder", Some(true)), ("reminder", Some(true)), ("stale", Some(true))];
    assert_eq!(seen, expected.map(|(age, reminder)| (age.to_owned(), reminder)));
}
