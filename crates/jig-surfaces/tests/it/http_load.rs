//! Load, slow workbenches and clients that disconnect neither stop nor starve the server.

use std::fs::File;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::bench::Bench;
use crate::http_server::{Server, json as with_json};

/// Fewer threads than a real server has, so that a test needs fewer clients to use them all.
const THREADS: usize = 4;

fn run(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).max_blocking_threads(THREADS).enable_all().build().unwrap().block_on(test);
}

/// Two workbenches with one file each, and this lock timeout.
async fn two_workbenches(wait: Duration) -> Bench {
    let bench = Bench::with_config(|config| config.lock_wait = wait).await;
    for name in ["Deck", "Other"] {
        bench.call("WorkbenchCreate", json!({ "name": name })).await;
    }
    bench.add("notes.txt", b"one\ntwo\n").await;
    bench
}

/// Locks the folder of `deck` like another process would, until it is dropped.
pub(crate) fn hold(bench: &Bench) -> File {
    let path = bench.home().join("workbenches/deck/.jig/lock");
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.lock().unwrap();
    file
}

/// Sends calls and drops each without waiting for its response.
async fn give_up(server: &Server, calls: usize, name: &str, params: &Value) {
    let mut sent = JoinSet::new();
    for _ in 0..calls {
        let request = with_json(server.request("POST", &format!("/api/op/{name}")), params);
        sent.spawn(async move { tokio::time::timeout(Duration::from_millis(20), request.send()).await.is_ok() });
    }
    while sent.join_next().await.is_some() {}
}

#[test]
fn readers_that_give_up_use_up_neither_threads_nor_slots() {
    run(async {
        let server = Server::with(two_workbenches(Duration::from_secs(1)).await, |_| {}).await;
        let held = hold(&server.bench);
        for round in ["FileList", "FileRead", "DraftGetState", "JournalList"] {
            let params = match round {
                "FileRead" => json!({ "workbench_id": "deck", "path": "notes.txt" }),
                _ => json!({ "workbench_id": "deck" }),
            };
            give_up(&server, 48, round, &params).await;
        }
        let elsewhere = server.done("FileList", &json!({ "workbench_id": "other" })).await;
        assert_eq!(elsewhere["files"], json!([]));
        // A read of the busy workbench gets the last committed state.
        let read = server.done("FileRead", &json!({ "workbench_id": "deck", "path": "notes.txt" })).await;
        assert!(read.to_string().contains("two"), "{read}");
        assert_eq!(server.get("/readyz").await.status, 200);
        drop(held);
        server.done("CheckpointCreate", &json!({ "workbench_id": "deck", "name": "after" })).await;
    });
}

#[test]
fn a_write_to_a_busy_workbench_is_answered_with_busy_and_changes_nothing() {
    run(async {
        let server = Server::with(two_workbenches(Duration::from_millis(50)).await, |_| {}).await;
        let held = hold(&server.bench);
        for (name, params) in [
            ("CheckpointCreate", json!({ "workbench_id": "deck", "name": "one" })),
            ("DraftWriteText", json!({ "workbench_id": "deck", "path": "new.txt", "text": "x" })),
            ("FileRemove", json!({ "workbench_id": "deck", "paths": ["notes.txt"] })),
        ] {
            let refused = server.op(name, &params).await;
            assert_eq!(refused.problem(), (503, "BUSY".to_owned()), "{name}");
            assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
            assert_eq!(refused.json()["retryable"], true);
        }
        drop(held);
        let journal = server.done("JournalList", &json!({ "workbench_id": "deck" })).await;
        assert_eq!(journal["entries"].as_array().unwrap().len(), 2, "created, and a file added: {journal}");
        server.done("CheckpointCreate", &json!({ "workbench_id": "deck", "name": "one" })).await;
    });
}

#[test]
fn a_slow_workbench_leaves_slots_to_the_others() {
    run(async {
        let bench = two_workbenches(Duration::from_secs(60)).await;
        let server = Server::with(bench, |options| options.at_once = 8).await;
        let held = hold(&server.bench);
        let mut writing = JoinSet::new();
        for n in 0..32 {
            let params = json!({ "workbench_id": "deck", "name": format!("c{n}") });
            writing.spawn(with_json(server.request("POST", "/api/op/CheckpointCreate"), &params).send());
        }
        until_in_flight(&server, 33).await;
        for _ in 0..10 {
            server.done("CheckpointCreate", &json!({ "workbench_id": "other", "name": "here" })).await;
        }
        assert_eq!(server.get("/readyz").await.status, 200);
        drop(held);
        while let Some(answer) = writing.join_next().await {
            assert_eq!(answer.unwrap().unwrap().status(), 200, "in the order they came, each gets its turn");
        }
    });
}

#[test]
fn a_server_without_a_free_slot_is_not_ready() {
    run(async {
        let bench = two_workbenches(Duration::from_secs(60)).await;
        let server = Server::with(bench, |options| options.at_once = 1).await;
        assert_eq!(server.get("/readyz").await.status, 200);
        let held = hold(&server.bench);
        let params = json!({ "workbench_id": "deck", "name": "slow" });
        let writing = tokio::spawn(with_json(server.request("POST", "/api/op/CheckpointCreate"), &params).send());
        until_in_flight(&server, 2).await;
        assert_eq!(server.get("/readyz").await.problem(), (503, "BUSY".to_owned()));
        // The slot is held by the operation, not by the client.
        writing.abort();
        until_in_flight(&server, 1).await;
        assert_eq!(server.get("/readyz").await.problem(), (503, "BUSY".to_owned()));
        drop(held);
        while server.get("/readyz").await.status != 200 {}
        let list = server.done("CheckpointList", &json!({ "workbench_id": "deck" })).await;
        assert_eq!(list["checkpoints"][0]["name"], "slow", "what was accepted is done");
    });
}

/// Waits until this many requests are active, including the one that asks.
async fn until_in_flight(server: &Server, count: u64) {
    let line = format!("jig_requests_in_flight {count}");
    while !server.get("/metrics").await.text().lines().any(|known| known == line) {
        tokio::task::yield_now().await;
    }
}
