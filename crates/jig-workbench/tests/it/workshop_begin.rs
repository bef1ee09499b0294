//! A conversation that starts with its task: the session is created with it, or not at all.

use jig_contract::{Code, Event, SessionEvent};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};

const CHOSEN: &str = "0190b6c2-7d3e-7000-8000-00000000abcd";

fn begin(mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more
}

async fn sessions(home: &ModelHome) -> Vec<Value> {
    home.home.plain("SessionList").await["sessions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn it_is_made_with_its_task_told_in_order_and_replays() {
    let home = ModelHome::agreed().await;
    let mut told = home.home.workbench.events();
    home.says("It is 42.");
    let message = format!("How much did we spend?  {}", "And when? ".repeat(9));
    let options = json!({ "model": MODEL, "mode": "ask" });
    let params = begin(json!({ "message": message, "session_id": CHOSEN, "options": options }));
    let done = home.home.ok("WorkshopBegin", params).await;
    assert_eq!(done["session"]["id"], CHOSEN);
    assert_eq!(done["messages"][0]["text"], message.as_str());
    assert_eq!(done["messages"][1]["text"], "It is 42.");
    let found = home.on("SessionGet", CHOSEN, json!({})).await;
    let title = found["session"]["title"].as_str().unwrap();
    assert!(title.starts_with("How much did we spend? And") && title.ends_with('…') && title.chars().count() <= 61);
    let mut seen = Vec::new();
    while let Ok(record) = told.try_recv() {
        if let Event::Session { record: Some(number), what, .. } = record.event {
            seen.push((number, what));
        }
    }
    assert_eq!(seen.first().map(|(number, what)| (*number, what.clone())), Some((1, SessionEvent::SessionCreated)));
    assert!(seen.iter().zip(1..).all(|((number, _), n)| *number == n), "{seen:?}");
    home.replays(CHOSEN).await;
    // It applies to the run and not to the session.
    assert!(found["defaults"]["model"].is_null(), "{:#}", found["defaults"]);
    home.says("x");
    let kept = begin(json!({ "message": "And now?", "title": "Mine", "keep": true, "options": options }));
    let kept = home.home.ok("WorkshopBegin", kept).await;
    assert_eq!((&kept["defaults"]["model"], &kept["defaults"]["mode"]), (&json!(MODEL), &json!("ask")));
    let list = sessions(&home).await;
    assert_eq!((list.len(), &list[0]["title"]), (2, &json!("Mine")));
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let home = ModelHome::agreed().await;
    let task = |more: Value| {
        let mut params = begin(more);
        params["options"]["model"] = MODEL.into();
        params["message"] = json!("go");
        params
    };
    for (code, params) in [
        (Code::ValidationFailed, begin(json!({ "message": " \n" }))),
        (Code::ValidationFailed, begin(json!({ "message": "", "options": { "model": "no:model" } }))),
        (Code::ProviderNotConfigured, begin(json!({ "message": "go", "options": { "model": "no:model" } }))),
        (Code::ValidationFailed, task(json!({ "options": { "max_tokens": 0 } }))),
        (Code::ValidationFailed, task(json!({ "options": { "max_seconds": 0 } }))),
        (Code::ValidationFailed, task(json!({ "options": { "pack": "nobody" } }))),
        (Code::ValidationFailed, task(json!({ "workspace": "No Name" }))),
        (Code::AgentWorkspaceInvalid, task(json!({ "workspace": "nobody" }))),
        (Code::ValidationFailed, task(json!({ "session_id": "me" }))),
    ] {
        home.home.fails_with(code, "WorkshopBegin", params).await;
    }
    assert_eq!(sessions(&home).await, Vec::<Value>::new());
    assert!(home.server.requests().is_empty());
    home.says("x");
    home.home.ok("WorkshopBegin", task(json!({ "session_id": CHOSEN }))).await;
    home.home.fails_with(Code::Conflict, "WorkshopBegin", task(json!({ "session_id": CHOSEN }))).await;
    assert_eq!(sessions(&home).await.len(), 1);
}

#[tokio::test]
async fn a_broken_workspace_of_its_own_is_named() {
    let home = ModelHome::agreed().await;
    let files = json!([{ "path": "agent.workspace.json", "text": "{" }]);
    home.home.ok("AgentWorkspaceCommit", begin(json!({ "files": files }))).await;
    let params = begin(json!({ "message": "go", "options": { "model": MODEL } }));
    let error = home.home.fails_with(Code::AgentWorkspaceInvalid, "WorkshopBegin", params).await;
    assert!(error.to_string().contains("agent.workspace.json"), "{error}");
    assert_eq!(sessions(&home).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_blank_message_and_a_cap_of_zero_are_refused_in_a_session_too() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    let of = |more: Value| crate::session_home::of_session(&session, more);
    let blank = of(json!({ "message": " ", "options": { "model": "no:model" } }));
    home.home.fails_with(Code::ValidationFailed, "WorkshopSend", blank).await;
    let zero = of(json!({ "message": "go", "options": { "max_cost_micros": 0 } }));
    home.home.fails_with(Code::ValidationFailed, "WorkshopSend", zero).await;
    home.home.fails_with(Code::ValidationFailed, "WorkshopResume", of(json!({ "max_tokens": 0 }))).await;
    home.home.fails_with(Code::ValidationFailed, "SessionCreate", begin(json!({ "max_seconds": 0 }))).await;
    let found = home.on("SessionGet", &session, json!({})).await;
    assert_eq!(found["messages"], json!([]));
}
