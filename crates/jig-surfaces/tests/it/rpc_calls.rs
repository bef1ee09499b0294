//! Concurrent calls: batches, notifications, cancellation, internal errors, and the end of input.

use std::sync::Arc;

use jig_surfaces::LazyWorkbench;
use jig_surfaces::rpc::RpcOptions;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::bench::Bench;
use crate::rpc_client::{Client, error};

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[tokio::test]
async fn an_operation_answers_with_its_output() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let made = client.call("WorkbenchCreate", json!({ "name": "Board deck" })).await;
    assert_eq!((&made["result"]["id"], &made["result"]["files"]), (&json!("board-deck"), &json!(0)), "{made}");
    let direct = bench.call("WorkbenchList", json!({})).await;
    assert_eq!(client.call("WorkbenchList", json!({})).await["result"], direct);
    assert_eq!(client.call("WorkbenchList", Value::Null).await["result"], direct, "no parameters");
}

#[tokio::test]
async fn a_batch_is_answered_in_one_array_in_its_order_without_its_notifications() {
    let bench = Bench::with_notes().await;
    let mut client = Client::new(bench.workbench.clone());
    let batch = json!([
        request(1, "WorkbenchList", json!({})),
        notification("CheckpointCreate", json!({ "workbench_id": "deck", "name": "from a notification" })),
        request("two", "Nothing", json!({})),
        1,
    ]);
    client.send(&batch).await;
    let answer = client.next().await;
    let answers = answer.as_array().unwrap();
    assert_eq!(answers.len(), 3, "{answer}");
    assert_eq!(answers[0]["result"]["workbenches"][0]["id"], "deck");
    assert_eq!(error(&answers[1]), (-32601, json!("two"), "UNKNOWN_OPERATION".to_owned()));
    assert_eq!(error(&answers[2]), (-32600, Value::Null, "INVALID_REQUEST".to_owned()));
    let made = bench.call("CheckpointList", json!({ "workbench_id": "deck" })).await;
    assert_eq!(made["checkpoints"][0]["name"], "from a notification");
}

#[tokio::test]
async fn notifications_are_carried_out_and_never_answered() {
    let bench = Bench::with_notes().await;
    let mut client = Client::new(bench.workbench.clone());
    let name = |name: &str| json!({ "workbench_id": "deck", "name": name });
    client.send(&notification("CheckpointCreate", name("one"))).await;
    client.send(&json!([notification("CheckpointCreate", name("two")), notification("Nothing", json!({}))])).await;
    client.send(&notification("Nothing", json!({}))).await;
    assert_eq!(client.finish().await, Vec::<Value>::new());
    let made = bench.call("CheckpointList", json!({ "workbench_id": "deck" })).await;
    let mut names: Vec<&str> =
        made["checkpoints"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["one", "two"]);
}

#[tokio::test]
async fn marks_blank_lines_and_a_missing_last_line_end_do_no_harm() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    client.raw(b"\xef\xbb\xbf\r\n\n   \n").await;
    client.raw(format!("\u{feff}{}\r\n", request(1, "WorkbenchList", json!({}))).as_bytes()).await;
    assert_eq!(client.next().await["id"], 1);
    client.raw(request(2, "WorkbenchList", json!({})).to_string().as_bytes()).await;
    let rest = client.finish().await;
    assert_eq!(rest.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [&json!(2)]);
}

/// A workbench that only opens when the gate permits it.
fn gated(bench: &Bench) -> (LazyWorkbench, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let (workbench, waits) = (bench.workbench.clone(), Arc::clone(&gate));
    let lazy = LazyWorkbench::new(move || {
        let (workbench, waits) = (workbench.clone(), Arc::clone(&waits));
        async move {
            waits.acquire().await.unwrap().forget();
            Ok(workbench)
        }
    });
    (lazy, gate)
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let bench = Bench::new().await;
    let (lazy, gate) = gated(&bench);
    let mut client = Client::new(lazy);
    client.send(&request("waits", "WorkbenchList", json!({}))).await;
    // Needs no workbench, so it overtakes.
    client.send(&request("quick", "rpc.discover", json!({}))).await;
    assert_eq!(client.next().await["id"], "quick");
    gate.add_permits(1);
    assert_eq!(client.next().await["id"], "waits");
}

#[tokio::test]
async fn a_cancelled_call_answers_that_it_was_cancelled() {
    let bench = Bench::new().await;
    for method in ["WorkbenchList", "WorkbenchCreate"] {
        let (lazy, gate) = gated(&bench);
        let mut client = Client::new(lazy);
        client.send(&request("long", method, json!({ "name": "Never" }))).await;
        client.send(&notification("$/cancel", json!({ "id": "another" }))).await;
        client.send(&notification("$/cancel", json!({ "id": "long" }))).await;
        assert_eq!(error(&client.next().await), (-32000, json!("long"), "USER_CANCELED".to_owned()));
        gate.add_permits(1);
        assert_eq!(client.finish().await, Vec::<Value>::new(), "one answer only");
    }
    assert_eq!(bench.call("WorkbenchList", json!({})).await, json!({ "workbenches": [] }), "nothing was made");
}

#[tokio::test]
async fn a_call_that_waits_for_its_turn_can_be_cancelled() {
    let bench = Bench::new().await;
    let (lazy, gate) = gated(&bench);
    let mut client = Client::with(lazy, RpcOptions { at_once: 1, ..RpcOptions::default() });
    client.send(&request(1, "WorkbenchList", json!({}))).await;
    client.send(&request(2, "WorkbenchList", json!({}))).await;
    client.send(&notification("$/cancel", json!({ "id": 2 }))).await;
    assert_eq!(error(&client.next().await), (-32000, json!(2), "USER_CANCELED".to_owned()));
    gate.add_permits(1);
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn many_more_calls_than_run_at_once_are_all_answered() {
    let bench = Bench::new().await;
    let mut client = Client::with(bench.workbench.clone(), RpcOptions { at_once: 2, ..RpcOptions::default() });
    for id in 0..100 {
        client.send(&request(id, "WorkbenchList", json!({}))).await;
    }
    let mut ids: Vec<i64> = client.finish().await.iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_fault_in_a_call_is_an_answer_and_others_go_on() {
    let broken = LazyWorkbench::new(|| async { panic!("on purpose") });
    let mut client = Client::new(broken);
    let answer = client.call("WorkbenchList", json!({})).await;
    assert_eq!(error(&answer), (-32603, json!("WorkbenchList"), "INTERNAL".to_owned()));
    assert!(!answer.to_string().contains("on purpose"), "causes are for the log");
    client.send(&json!([request(1, "WorkbenchList", json!({})), request(2, "rpc.discover", json!({}))])).await;
    let answers = client.next().await;
    assert_eq!(error(&answers[0]).2, "INTERNAL");
    assert_eq!(answers[1]["result"]["openrpc"], "1.3.2");
}

#[tokio::test]
async fn the_end_of_input_waits_for_calls_under_way() {
    let bench = Bench::new().await;
    let (lazy, gate) = gated(&bench);
    let mut client = Client::new(lazy);
    client.send(&request(1, "WorkbenchList", json!({}))).await;
    let finish = tokio::spawn(client.finish());
    gate.add_permits(1);
    assert_eq!(finish.await.unwrap()[0]["result"], json!({ "workbenches": [] }));
}

#[tokio::test]
async fn a_client_that_is_gone_ends_the_server_quietly() {
    let bench = Bench::new().await;
    let (lazy, _gate) = gated(&bench);
    let mut client = Client::new(lazy);
    client.send(&request(1, "WorkbenchList", json!({}))).await;
    client.send(&request(2, "rpc.discover", json!({}))).await;
    client.hang_up().await.unwrap();
}
