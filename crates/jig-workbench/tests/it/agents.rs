//! An agent reads and drafts; approval is reserved for people.

use jig_contract::{Actor, Code, Effect, OPERATIONS};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::json;

#[tokio::test]
async fn an_agent_may_read_and_draft_but_change_nothing_approved() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    let agent = CallContext::new(Actor::agent("tester"));
    for op in OPERATIONS.iter().filter(|op| matches!(op.effect, Effect::Write | Effect::Destructive)) {
        let mut params: serde_json::Value = serde_json::from_str(op.example).unwrap();
        if params.get("workbench_id").is_some() {
            params["workbench_id"] = ID.into();
        }
        let answer = home.workbench.call(op.name, agent.clone(), params).await;
        match op.name {
            "CheckpointCreate" | "AssetUpload" | "WorkbenchCreate" => assert!(answer.is_ok(), "{answer:?}"),
            // An agent may change sections of artifacts until a person locks them.
            "ArtifactCreate" | "ArtifactApplyOps" => assert!(answer.is_ok(), "{answer:?}"),
            "ConversationAdd" => assert_eq!(answer.unwrap_err().code(), Code::ArtifactNotFound, "it may speak"),
            // An entry that an agent may not write becomes a proposal. No entry exists yet, so none can be marked.
            "EntryPut" => assert_eq!(answer.unwrap()["outcome"], "proposed"),
            "EntryMarkDone" => assert_eq!(answer.unwrap_err().code(), Code::EntryNotFound),
            name => assert_eq!(answer.unwrap_err().code(), Code::NotPermitted, "{name}"),
        }
    }
    let write = json!({ "workbench_id": ID, "path": "a.txt", "text": "two" });
    home.workbench.call("DraftWriteText", agent.clone(), write).await.unwrap();
    assert_eq!(home.texts("published").await["a.txt"], "one");
    let entry = home.plain("JournalList").await["entries"][0].clone();
    assert_eq!(entry["actor"], json!({ "type": "agent", "name": "tester" }));

    let granted = CallContext { may_publish: true, ..agent };
    home.workbench.call("DraftPublish", granted, json!({ "workbench_id": ID })).await.unwrap();
    assert_eq!(home.texts("published").await["a.txt"], "two");
}

#[tokio::test]
async fn a_cancelled_call_changes_nothing() {
    let home = TestHome::with_workbench().await;
    let context = CallContext::new(Actor::person());
    context.cancel.cancel();
    let answer = home
        .workbench
        .call("DraftWriteText", context, json!({ "workbench_id": ID, "path": "a.txt", "text": "x" }))
        .await;
    assert_eq!(answer.unwrap_err().code(), Code::UserCanceled);
    assert_eq!(home.plain("JournalList").await["total"], 1);
}

#[tokio::test]
async fn unknown_operations_and_wrong_parameters_are_told_apart() {
    let home = TestHome::with_workbench().await;
    home.fails_with(Code::UnknownOperation, "FileExplode", json!({})).await;
    for params in
        [json!({}), json!([]), json!("x"), json!({ "workbench_id": [1] }), json!({ "workbench_id": ID, "x": 1 })]
    {
        let error = home.fails_with(Code::InvalidParams, "FileList", params).await;
        assert!(error.info.hints[0].contains("workbench_id"), "{error}");
        assert_eq!(error.info.phase, "FileList");
    }
    let error = home.fails("FileList", json!({ "workbench_id": ID, "limit": "x" })).await;
    assert!(error.info.message.contains("`limit`"), "{error}");
}
