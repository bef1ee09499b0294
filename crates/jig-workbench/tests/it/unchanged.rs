//! Repeating an operation changes nothing: no revision, no journal entry, no second consent.

use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

/// Indicators of a write.
async fn written(home: &TestHome) -> (Value, Value, Value) {
    let journal = home.ok("JournalList", json!({ "workbench_id": ID, "limit": 1 })).await;
    let revisions = [
        home.ok("EntryGet", json!({ "workbench_id": ID, "role": "brand" })).await["entry"]["revision"].clone(),
        home.ok("ArtifactGet", json!({ "workbench_id": ID, "slug": "plan" })).await["artifact"]["revision"].clone(),
    ];
    let consents = home.plain("ConsentList").await["consents"].clone();
    (journal["entries"][0]["seq"].clone(), json!(revisions), consents)
}

/// Each operation is run twice; the first run may change something, the second must not.
fn operations() -> Vec<(&'static str, Value)> {
    let brand = json!({ "name": "Acme", "voice": "Plain." });
    let kind = json!({ "anchor_role": "risk", "display_name": "Risk", "category": "insight",
        "field_schema": { "fields": [{ "key": "owner", "type": "text", "label": "Owner" }] } });
    vec![
        ("WorkbenchRename", json!({ "name": "Board deck" })),
        ("EntryPut", json!({ "role": "brand", "data": brand })),
        ("EntryMarkDone", json!({ "role": "brand", "field": "voice", "done": true })),
        ("EntryMarkDone", json!({ "role": "brand", "field": "name", "done": true })),
        ("EntryMarkDone", json!({ "role": "brand", "field": "voice", "done": false })),
        ("EntryArchive", json!({ "role": "brand" })),
        ("EntryArchive", json!({ "role": "brand", "archived": false })),
        ("EntryPut", json!({ "role": "brand", "data": { "voice": "Warm." } })),
        ("EntryRestore", json!({ "role": "brand", "revision": 1 })),
        ("ArtifactPut", json!({ "slug": "plan", "content": "# Plan\n\n## One\n\nother\n" })),
        ("ArtifactRestore", json!({ "slug": "plan", "revision": 1 })),
        ("ArtifactSnapshot", json!({ "slug": "plan", "name": "as sent" })),
        ("ArtifactFinalize", json!({ "slug": "plan" })),
        ("ArtifactUnfinalize", json!({ "slug": "plan" })),
        ("StageSet", json!({ "stage": "design" })),
        ("ProjectDescribe", json!({ "description": "The autumn board deck" })),
        ("ModelSetDefault", json!({ "model": "openai:gpt-5.2" })),
        ("KindPut", json!({ "definition": kind })),
        ("DraftWriteText", json!({ "path": "a.txt", "text": "one\n" })),
        ("ConsentGrant", json!({ "model": "openai:gpt-5.2", "reach": "kept" })),
        ("ConsentGrant", json!({ "model": "openai:gpt-5.2", "reach": "all" })),
    ]
}

#[tokio::test]
async fn a_repetition_changes_nothing() {
    let home = TestHome::with_workbench().await;
    let call = async |name: &'static str, mut params: Value| {
        params["workbench_id"] = ID.into();
        home.call(name, params).await
    };
    call("EntryPut", json!({ "role": "brand", "data": { "name": "Acme", "voice": "Plain." } })).await.unwrap();
    let plan = json!({ "title": "Plan", "slug": "plan", "content": "# Plan\n\n## One\n\ntext\n" });
    call("ArtifactCreate", plan).await.unwrap();
    for (name, params) in operations() {
        let first = call(name, params.clone()).await;
        assert!(first.is_ok(), "{name} {params}: {first:?}");
        let before = written(&home).await;
        let second = call(name, params.clone()).await;
        assert!(second.is_ok(), "{name} {params}: {second:?}");
        assert_eq!(written(&home).await, before, "{name} {params}");
    }
}

#[tokio::test]
async fn what_is_new_is_still_written() {
    let home = TestHome::with_workbench().await;
    let params = |more: Value| {
        let mut params = json!({ "workbench_id": ID, "role": "brand" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    home.ok("EntryPut", params(json!({ "data": { "voice": "Plain." } }))).await;
    let done = params(json!({ "field": "voice", "done": true }));
    let revision = |output: &Value| output["entry"]["revision"].as_u64().unwrap();
    let first = revision(&home.ok("EntryMarkDone", done.clone()).await);
    // Content that changed after it was marked as done can be marked again.
    let changed = revision(&home.ok("EntryPut", params(json!({ "data": { "voice": "Warm." } }))).await);
    let again = revision(&home.ok("EntryMarkDone", done).await);
    assert!(first < changed && changed < again, "{first} {changed} {again}");
}
