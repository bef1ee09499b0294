//! Events as notifications: replayed, then live, without gaps or duplicates.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::rpc_client::{Client, error};

fn changed(message: &Value) -> Option<u64> {
    assert_eq!(message["method"], "event", "{message}");
    let params = &message["params"];
    (params["event"]["type"] == "changed").then(|| params["seq"].as_u64().unwrap())
}

async fn seqs(client: &mut Client, count: usize) -> Vec<u64> {
    let mut seqs = Vec::new();
    while seqs.len() < count {
        seqs.extend(changed(&client.next().await));
    }
    seqs
}

async fn checkpoint(bench: &Bench, name: &str) {
    bench.call("CheckpointCreate", json!({ "workbench_id": "deck", "name": name })).await;
}

#[tokio::test]
async fn events_are_replayed_and_then_live_in_order() {
    let bench = Bench::with_notes().await;
    // More than one page of the replay.
    for n in 0..150 {
        checkpoint(&bench, &format!("c{n}")).await;
    }
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.call("EventSubscribe", json!({ "workbench_id": "deck", "after": 1 })).await;
    assert_eq!(answer["result"], json!({ "cursor": 1 }));
    for n in 0..5 {
        checkpoint(&bench, &format!("live{n}")).await;
    }
    assert_eq!(seqs(&mut client, 156).await, (2..=157).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_a_number_only_new_events_come() {
    let bench = Bench::with_notes().await;
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.call("EventSubscribe", json!({ "workbench_id": "deck" })).await;
    assert_eq!(answer["result"], json!({ "cursor": 2 }));
    checkpoint(&bench, "new").await;
    assert_eq!(seqs(&mut client, 1).await, [3]);
}

#[tokio::test]
async fn other_workbenches_are_not_heard_and_a_subscription_can_be_ended() {
    let bench = Bench::with_notes().await;
    bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
    let mut client = Client::new(bench.workbench.clone());
    client.call("EventSubscribe", json!({ "workbench_id": "deck" })).await;
    bench.call("CheckpointCreate", json!({ "workbench_id": "other", "name": "unheard" })).await;
    checkpoint(&bench, "heard").await;
    assert_eq!(seqs(&mut client, 1).await, [3]);
    let ended = client.call("EventUnsubscribe", json!({ "workbench_id": "deck" })).await;
    assert_eq!(ended["result"], json!({ "ended": true }));
    checkpoint(&bench, "unheard").await;
    let again = client.call("EventUnsubscribe", json!({ "workbench_id": "deck" })).await;
    assert_eq!(again["result"], json!({ "ended": false }));
    assert_eq!(client.finish().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_workbench_that_is_not_there_cannot_be_followed() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.call("EventSubscribe", json!({ "workbench_id": "none" })).await;
    assert_eq!(error(&answer), (-32000, json!("EventSubscribe"), "WORKBENCH_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn a_changed_context_item_is_told_once_replayed_or_live() {
    let bench = Bench::with_notes().await;
    let process = |text: &str| json!({ "workbench_id": "deck", "category": "situation", "input": { "text": text }, "model": "offline:extract" });
    bench.call("ContextProcess", process("Deadline: Friday")).await;
    let mut client = Client::new(bench.workbench.clone());
    client.call("EventSubscribe", json!({ "workbench_id": "deck", "after": 2 })).await;
    bench.call("ContextProcess", process("Deadline: Monday")).await;
    bench.call("ContextDelete", json!({ "workbench_id": "deck", "category": "situation" })).await;
    checkpoint(&bench, "end").await;
    let mut told = Vec::new();
    loop {
        let message = client.next().await;
        let (seq, event) = (message["params"]["seq"].as_u64().unwrap(), &message["params"]["event"]);
        match event["type"].as_str().unwrap() {
            "context_changed" => told.push(format!("{seq} {} {}", event["category"], event["action"])),
            "changed" if seq == 6 => break,
            _ => {}
        }
    }
    let expected = ["3 \"situation\" \"added\"", "4 \"situation\" \"updated\"", "5 \"situation\" \"deleted\""];
    assert_eq!(told, expected);
}
