//! Publishing: atomic, with confirmed deletions and both resolutions of a conflict.

use jig_contract::{Actor, Code, Event};
use jig_testkit::home::texts_on_disk;
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

#[tokio::test]
async fn a_published_draft_becomes_the_files_and_leaves_a_checkpoint() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    home.write("b.txt", "new").await;
    let mut events = home.workbench.events();
    let done = home.plain("DraftPublish").await;
    assert_eq!(
        (&done["added"], &done["modified"], &done["deleted"]),
        (&json!(["b.txt"]), &json!(["a.txt"]), &json!([]))
    );
    let expected = [("a.txt", "two"), ("b.txt", "new")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    assert_eq!(home.texts("published").await, expected);
    assert_eq!(texts_on_disk(&home.view("published")), expected);
    assert!(!home.view("draft").exists());

    let checkpoints = home.plain("CheckpointList").await;
    assert_eq!(checkpoints["checkpoints"][0]["id"], done["checkpoint_id"]);
    assert_eq!(checkpoints["checkpoints"][0]["reason"], "publish");
    let mut phases = Vec::new();
    while let Ok(record) = events.try_recv() {
        if let Event::Progress { phase, operation, .. } = record.event {
            assert_eq!(operation, "DraftPublish");
            phases.push(phase);
        }
    }
    assert_eq!(phases, ["validating", "conflict_check", "checkpoint_pre_publish", "swap", "finalizing"]);
}

#[tokio::test]
async fn publishing_without_a_draft_leaves_no_trace() {
    let home = TestHome::with_workbench().await;
    home.fails_with(Code::DraftNotFound, "DraftPublish", json!({ "workbench_id": ID })).await;
    assert_eq!(home.plain("CheckpointList").await["checkpoints"], json!([]));
    assert_eq!(home.plain("JournalList").await["total"], 1);
}

#[tokio::test]
async fn deletions_are_confirmed_by_name() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "a").await;
    home.add("b.txt", "b").await;
    home.ok("DraftRemoveFile", json!({ "workbench_id": ID, "path": "a.txt" })).await;
    let mut events = home.workbench.events();
    let error = home.fails_with(Code::DeletionNotConfirmed, "DraftPublish", json!({ "workbench_id": ID })).await;
    assert_eq!(error.info.detail.unwrap()["paths"], json!(["a.txt"]));
    let mut last = None;
    while let Ok(record) = events.try_recv() {
        if let Event::Progress { phase, .. } = record.event {
            last = Some(phase);
        }
    }
    assert_eq!(last.as_deref(), Some("rolling_back"));
    home.fails_with(
        Code::ValidationFailed,
        "DraftPublish",
        json!({ "workbench_id": ID, "confirm_deletions": ["a.txt", "b.txt"] }),
    )
    .await;
    assert_eq!(home.texts("published").await.len(), 2, "nothing happened yet");
    let done = home.ok("DraftPublish", json!({ "workbench_id": ID, "confirm_deletions": ["a.txt"] })).await;
    assert_eq!(done["deleted"], json!(["a.txt"]));
    assert!(!home.view("published/a.txt").exists());
}

/// A Draft that changes a and b and adds n; outside, b and c changed and d is new.
async fn conflict() -> TestHome {
    let home = TestHome::with_workbench().await;
    for name in ["a", "b", "c"] {
        home.add(&format!("{name}.txt"), "start").await;
    }
    home.write("a.txt", "draft").await;
    home.write("b.txt", "draft").await;
    home.write("n.txt", "draft").await;
    for name in ["b", "c", "d"] {
        std::fs::write(home.view(&format!("published/{name}.txt")), "outside").unwrap();
    }
    home
}

#[tokio::test]
async fn outside_changes_stop_a_publish_and_are_listed() {
    let home = conflict().await;
    let error = home.fails_with(Code::ConflictPublishedChanged, "DraftPublish", json!({ "workbench_id": ID })).await;
    assert_eq!(error.info.detail.unwrap()["paths"], json!(["b.txt", "c.txt", "d.txt"]));
    assert_eq!(error.info.actions, ["take_outside", "keep_draft"]);
    let state = home.plain("DraftGetState").await;
    assert_eq!(state["published_changed"], json!(["b.txt", "c.txt", "d.txt"]));
    assert_eq!(std::fs::read_to_string(home.view("published/b.txt")).unwrap(), "outside");
    assert_eq!(home.plain("CheckpointList").await["checkpoints"], json!([]));
}

#[tokio::test]
async fn taking_the_outside_version_keeps_the_drafts_other_changes() {
    let home = conflict().await;
    let done = home.ok("DraftPublish", json!({ "workbench_id": ID, "on_conflict": "take_outside" })).await;
    assert_eq!(done["taken_from_outside"], json!(["b.txt", "c.txt", "d.txt"]));
    let files = texts_on_disk(&home.view("published"));
    let expected =
        [("a.txt", "draft"), ("b.txt", "outside"), ("c.txt", "outside"), ("d.txt", "outside"), ("n.txt", "draft")];
    assert_eq!(files, expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
}

#[tokio::test]
async fn keeping_the_draft_keeps_the_outside_version_as_a_checkpoint() {
    let home = conflict().await;
    home.fails_with(
        Code::DeletionNotConfirmed,
        "DraftPublish",
        json!({ "workbench_id": ID, "on_conflict": "keep_draft" }),
    )
    .await;
    home.ok("DraftPublish", json!({ "workbench_id": ID, "on_conflict": "keep_draft", "confirm_deletions": ["d.txt"] }))
        .await;
    let expected = [("a.txt", "draft"), ("b.txt", "draft"), ("c.txt", "start"), ("n.txt", "draft")];
    assert_eq!(texts_on_disk(&home.view("published")), expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
    let checkpoint = home.plain("CheckpointList").await["checkpoints"][0].clone();
    assert_eq!(checkpoint["reason"], "conflict");
    home.ok("CheckpointRestore", json!({ "workbench_id": ID, "checkpoint": checkpoint["id"] })).await;
    assert_eq!(home.texts("published").await["b.txt"], "outside");
}

#[tokio::test]
async fn what_is_published_is_what_was_reviewed() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    let reviewed = home.plain("ReviewGetChangeSet").await["tag"].clone();
    assert_eq!(home.plain("ReviewGetChangeSet").await["tag"], reviewed, "the same Draft has the same tag");
    home.write("b.txt", "slipped in").await;
    let params = json!({ "workbench_id": ID, "reviewed": reviewed });
    home.fails_with(Code::Conflict, "DraftPublish", params.clone()).await;
    assert_eq!(home.texts("published").await["a.txt"], "one");
    home.plain("JournalUndo").await;
    home.ok("DraftPublish", params).await;
    assert_eq!(home.texts("published").await["a.txt"], "two");
}

#[tokio::test]
async fn no_agent_confirms() {
    let home = TestHome::with_workbench().await;
    home.write("a.txt", "one").await;
    let agents =
        [Actor::agent("client"), Actor::Agent { name: None, session: Some("s".into()), run: None, step: Some(1) }];
    for actor in agents {
        for (name, more) in [
            ("DraftPublish", json!({})),
            ("DraftPublish", json!({ "reviewed": home.plain("ReviewGetChangeSet").await["tag"] })),
            ("DraftDiscard", json!({})),
            ("JournalUndo", json!({})),
            ("ReviewReject", json!({ "path": "a.txt" })),
            ("CheckpointRestore", json!({ "checkpoint": "x" })),
        ] {
            let mut params = more;
            params["workbench_id"] = ID.into();
            let refused = home.workbench.call(name, CallContext::new(actor.clone()), params).await.unwrap_err();
            assert_eq!(refused.code(), Code::NotPermitted, "{name}: {refused}");
        }
    }
    assert_eq!(home.plain("DraftGetState").await["exists"], true);
}

/// The published files and the checkpoints.
async fn approved(home: &TestHome) -> (std::collections::BTreeMap<String, String>, Value) {
    (home.texts("published").await, home.plain("CheckpointList").await)
}

#[tokio::test]
async fn nothing_that_an_agent_calls_changes_what_is_published() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "first" })).await;
    home.write("a.txt", "two").await;
    home.plain("DraftPublish").await;
    let checkpoints = home.plain("CheckpointList").await["checkpoints"].clone();
    let first = checkpoints.as_array().unwrap().iter().find(|one| one["name"] == "first").unwrap()["id"].clone();
    let archive = home.path().join("all.jig");
    home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive })).await;
    let other = home.outside("a.txt", "by an agent");
    let agents = [
        Actor::agent("client"),
        Actor::Agent { name: None, session: Some("s".into()), run: Some("1".into()), step: Some(1) },
    ];
    for drafted in [false, true] {
        if drafted {
            home.write("a.txt", "three").await;
        }
        // Undo, redo, importing files, replacing the workbench, and everything else.
        let attacks = [
            ("JournalUndo", json!({})),
            ("JournalRedo", json!({})),
            ("CheckpointRestore", json!({ "checkpoint": first })),
            ("FileAdd", json!({ "paths": [other], "replace": true })),
            ("FileRemove", json!({ "paths": ["a.txt"] })),
            ("WorkbenchImport", json!({ "from": archive, "id": ID })),
            ("WorkbenchImport", json!({ "from": archive, "id": "twin" })),
            ("WorkbenchDelete", json!({ "confirm": ID })),
            ("WorkbenchClone", json!({ "name": "Twin" })),
            ("DraftPublish", json!({})),
            ("DraftPublish", json!({ "confirm_deletions": ["a.txt"] })),
            ("DraftPublish", json!({ "on_conflict": "keep_draft" })),
            ("DraftDiscard", json!({})),
            ("ReviewAccept", json!({ "path": "a.txt" })),
            ("ReviewReject", json!({ "path": "a.txt" })),
            ("StoreDoctor", json!({ "repair": true })),
            ("StoreCollect", json!({ "yes": true })),
            ("RecipePut", json!({ "definition": { "recipe": "x", "schedule": "* * * * *", "prompt": "x" } })),
            ("RecipeRun", json!({ "recipe": "weekly-content-calendar" })),
            ("ConsentGrant", json!({ "model": "openai:gpt-5.2", "reach": "all" })),
            ("TokenCreate", json!({ "name": "me", "role": "owner" })),
            ("AgentWorkspaceCommit", json!({ "files": [{ "path": "x.md", "text": "x" }] })),
            ("SessionPermit", json!({ "session_id": "s", "question": 1, "answer": "allow" })),
        ];
        let before = approved(&home).await;
        for actor in &agents {
            for (name, more) in &attacks {
                let mut params = more.clone();
                if !matches!(*name, "WorkbenchImport" | "TokenCreate" | "StoreDoctor" | "StoreCollect") {
                    params["workbench_id"] = ID.into();
                }
                let context = CallContext::new(actor.clone());
                let refused = home.workbench.call(name, context, params).await.unwrap_err();
                assert_eq!(refused.code(), Code::NotPermitted, "{name} {more}: {refused}");
            }
            // No other operation, with any parameters, may change the approved files.
            for op in jig_contract::OPERATIONS {
                let mut params: Value = serde_json::from_str(op.example).unwrap();
                if params.get("workbench_id").is_some() {
                    params["workbench_id"] = ID.into();
                }
                for path in ["path", "target_path"] {
                    if params.get(path).is_some() {
                        params[path] = "a.txt".into();
                    }
                }
                // Exports write to the local machine and are reserved for local users.
                if params.get("out").is_some() || (params.get("to").is_some() && !op.name.starts_with("Draft")) {
                    continue;
                }
                // An agent may create a workbench: it has no files that someone has approved.
                if op.name == "WorkbenchCreate" {
                    continue;
                }
                let _ = home.workbench.call(op.name, CallContext::new(actor.clone()), params).await;
                assert_eq!(home.texts("published").await, before.0, "{}", op.name);
            }
        }
        assert_eq!(home.texts("published").await["a.txt"], "two");
        assert_eq!(home.ok("WorkbenchList", json!({})).await["workbenches"].as_array().unwrap().len(), 1);
    }
}

/// A workspace may describe any tool; these names have no implementation for agents.
#[tokio::test]
async fn a_run_has_no_tool_that_publishes_restores_or_adds_files() {
    use crate::model_home::ModelHome;
    use crate::session_home::workspace;
    let home = ModelHome::agreed().await;
    home.home.add("a.txt", "one").await;
    home.home.ok("CheckpointCreate", json!({ "workbench_id": ID, "name": "first" })).await;
    home.home.write("a.txt", "two").await;
    home.home.plain("DraftPublish").await;
    home.home.write("a.txt", "three").await;
    let tools = [
        "publish_draft",
        "DraftPublish",
        "draft_publish",
        "JournalUndo",
        "undo",
        "CheckpointRestore",
        "restore_checkpoint",
        "FileAdd",
        "add_files",
        "FileRemove",
        "WorkbenchImport",
        "ReviewAccept",
        "consent_grant",
    ];
    let files = workspace("You publish.", &tools);
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": files, "delete": true })).await;
    let session = home.session(json!({ "policy": [{ "capability": "*", "decision": "allow" }] })).await;
    for (n, tool) in tools.iter().enumerate() {
        home.calls(&format!("c{n}"), tool, &json!({ "workbench_id": ID, "checkpoint": "first", "paths": ["a.txt"] }));
    }
    home.says("It could not be published.");
    let done = home.direct(&session, "publish it").await;
    let events = done["events"].as_array().unwrap().iter().map(|record| &record["event"]);
    let refused: Vec<&Value> = events.filter(|event| event["type"] == "tool_refused").collect();
    assert_eq!(refused.len(), tools.len(), "{done:#}");
    assert!(refused.iter().all(|event| event["code"] == "TOOL_NOT_BOUND"), "{refused:#?}");
    assert_eq!(home.home.texts("published").await["a.txt"], "two");
    assert_eq!(home.home.plain("DraftGetState").await["exists"], true);
}
