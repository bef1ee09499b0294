//! Shutdown: active requests complete, new ones are refused.

use std::fs::File;
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;

use crate::bench::Bench;
use crate::http_server::{Server, json as with_json};

/// Blocks all operations on `deck` until it is dropped.
fn hold(bench: &Bench) -> File {
    let path = bench.home().join("workbenches/deck/.jig/lock");
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.lock().unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_write_is_finished_and_answered_before_the_server_ends() {
    let server = Server::start().await;
    let held = hold(&server.bench);
    let params = json!({ "workbench_id": "deck", "name": "last" });
    let request = with_json(server.request("POST", "/api/op/CheckpointCreate"), &params);
    let writing = tokio::spawn(request.send());
    until_in_flight(&server, 2).await;
    server.stop.cancel();
    let serving = server.serving;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!serving.is_finished(), "it waits for the write");
    assert!(TcpStream::connect(server.address).await.is_err(), "nothing new is taken");
    drop(held);
    let answer = writing.await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["connection"], "close");
    serving.await.unwrap().unwrap();
    let list = server.bench.call("CheckpointList", json!({ "workbench_id": "deck" })).await;
    assert_eq!(list["checkpoints"][0]["name"], "last");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_client_is_gone_is_finished_too() {
    let server = Server::start().await;
    let held = hold(&server.bench);
    let params = json!({ "workbench_id": "deck", "name": "orphan" });
    let writing = tokio::spawn(with_json(server.request("POST", "/api/op/CheckpointCreate"), &params).send());
    until_in_flight(&server, 2).await;
    writing.abort();
    until_in_flight(&server, 1).await;
    server.stop.cancel();
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(held);
    let bench = server.finish().await;
    let list = bench.call("CheckpointList", json!({ "workbench_id": "deck" })).await;
    assert_eq!(list["checkpoints"][0]["name"], "orphan");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_does_not_keep_the_server() {
    let bench = Bench::with_notes().await;
    let server = Server::with(bench, |options| options.end_time = Duration::from_millis(100)).await;
    let held = hold(&server.bench);
    let params = json!({ "workbench_id": "deck", "name": "never" });
    let writing = tokio::spawn(with_json(server.request("POST", "/api/op/CheckpointCreate"), &params).send());
    until_in_flight(&server, 2).await;
    server.stop.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(20), server.serving).await;
    assert!(ended.is_ok());
    writing.abort();
    drop(held);
}

/// Waits until this many requests are active, including the one that asks.
async fn until_in_flight(server: &Server, count: u64) {
    let line = format!("jig_requests_in_flight {count}");
    while !server.get("/metrics").await.text().lines().any(|known| known == line) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
