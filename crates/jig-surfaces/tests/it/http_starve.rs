//! Clients that hold resources: idle connections, unfinished headers and bodies, unread responses. Other clients must
//! still be served.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bench::Bench;
use crate::http_server::{Server, json as with_json};

/// Longer than any test, so that no timeout frees a connection.
const FOREVER: Duration = Duration::from_secs(3_600);

/// A server with few connections and long timeouts.
async fn server(connections: usize) -> Server {
    Server::with(Bench::with_notes().await, |options| {
        options.max_connections = connections;
        (options.header_time, options.body_time) = (FOREVER, FOREVER);
        options.calls_per_second = None;
    })
    .await
}

async fn open(server: &Server, said: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // Fails if the server has already closed the connection.
    let _ = stream.write_all(said.as_bytes()).await;
    stream
}

/// The header of a request with this token.
fn head(method: &str, path: &str, token: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{more}\r\n")
}

/// The first bytes of a response, enough for its status.
async fn status(stream: &mut TcpStream) -> String {
    let mut line = vec![0; 12];
    stream.read_exact(&mut line).await.unwrap();
    String::from_utf8(line).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_and_slow_heads_lock_no_one_out() {
    let server = server(16).await;
    let start = server.start.clone().unwrap();
    let mut held = Vec::new();
    for said in ["", "G", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow:", "POST /api/op/FileList HTTP/1.1\r\n"] {
        for _ in 0..40 {
            held.push(open(&server, said).await);
        }
        server.done("FileList", &json!({ "workbench_id": "deck" })).await;
    }
    // Connections that got a response and stay open are idle too.
    for _ in 0..40 {
        let mut stream = open(&server, &head("GET", "/api/workbenches", &start, "")).await;
        assert_eq!(status(&mut stream).await, "HTTP/1.1 200");
        held.push(stream);
    }
    server.done("CheckpointCreate", &json!({ "workbench_id": "deck", "name": "here" })).await;
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_never_end_count_against_their_sender_only() {
    let server = server(64).await;
    let (_, greedy) = server.bench.token("writer", None).await;
    let (_, other) = server.bench.token("writer", None).await;
    let body = "Content-Type: application/json\r\nContent-Length: 1000\r\n";
    for (method, path) in [
        ("POST", "/api/op/FileList"),
        ("PUT", "/api/workbenches/deck/files/slow.bin"),
        ("POST", "/api/workbenches/deck/assets?name=slow.bin"),
        ("POST", "/mcp"),
    ] {
        let mut held = Vec::new();
        let mut refused = loop {
            let mut stream = open(&server, &(head(method, path, &greedy, body) + "{\"")).await;
            // A refused request gets a response; an admitted one waits for its body.
            let mut first = [0; 12];
            let answered = tokio::time::timeout(Duration::from_millis(100), stream.read_exact(&mut first)).await;
            if let Ok(read) = answered {
                read.unwrap();
                assert_eq!(&first, b"HTTP/1.1 429", "{path}");
                break stream;
            }
            held.push(stream);
            assert!(held.len() <= 40, "{path}: one caller holds {} of 64 places", held.len());
        };
        assert!(held.len() >= 8, "{path}: {} requests at once are too few", held.len());
        let _ = refused.shutdown().await;
        let answer = server.op_as(&other, "CheckpointCreate", &json!({ "workbench_id": "deck", "name": "o" })).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        drop(held);
        // Their resources are released.
        while server.op_as(&greedy, "WorkbenchList", &json!({})).await.status == 429 {}
    }
    let folders = || {
        let entries = std::fs::read_dir(server.bench.workbench.uploads_folder()).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().is_dir()).count()
    };
    while folders() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_event_streams_delay_no_one() {
    let server = server(64).await;
    let (_, greedy) = server.bench.token("reader", None).await;
    let (_, other) = server.bench.token("writer", None).await;
    let request = head("GET", "/api/workbenches/deck/events", &greedy, "");
    let mut held = Vec::new();
    loop {
        let mut stream = open(&server, &request).await;
        let line = status(&mut stream).await;
        if line == "HTTP/1.1 429" {
            break;
        }
        assert_eq!(line, "HTTP/1.1 200");
        held.push(stream);
        assert!(held.len() < 64, "one caller has all streams");
    }
    // Far more events than fit into the buffers of a connection.
    for n in 0..150 {
        let params = json!({ "workbench_id": "deck", "name": format!("{n} {}", "x".repeat(60)) });
        let answer = server.op_as(&other, "CheckpointCreate", &params).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let mut theirs = open(&server, &head("GET", "/api/workbenches/deck/events?after=0", &other, "")).await;
    assert_eq!(status(&mut theirs).await, "HTTP/1.1 200");
    assert_eq!(server.get("/readyz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_responses_are_abandoned() {
    let bench = Bench::with_notes().await;
    bench.add("large.bin", &vec![7; 24 << 20]).await;
    let (_, greedy) = bench.token("reader", None).await;
    let server = Server::with(bench, |options| {
        options.body_time = Duration::from_secs(1);
        options.max_connections = 32;
    })
    .await;
    let request = head("GET", "/api/workbenches/deck/files/large.bin", &greedy, "");
    let mut held = Vec::new();
    loop {
        let mut stream = open(&server, &request).await;
        if status(&mut stream).await == "HTTP/1.1 429" {
            break;
        }
        held.push(stream);
        assert!(held.len() < 32, "one caller has all connections");
    }
    server.done("FileList", &json!({ "workbench_id": "deck" })).await;
    // Only the timeout frees their requests.
    while server.op_as(&greedy, "WorkbenchList", &json!({})).await.status == 429 {}
    let mut abandoned = 0;
    for mut stream in held {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        abandoned += usize::from(rest.len() < 24 << 20);
    }
    assert!(abandoned > 0, "all were sent completely to clients that did not read");
}

#[tokio::test(flavor = "multi_thread")]
async fn hurried_clients_get_all_their_answers() {
    let server = server(16).await;
    let start = server.start.clone().unwrap();
    // Three pipelined requests, before the first response.
    let one = head("GET", "/api/workbenches", &start, "");
    let last = head("GET", "/api/workbenches", &start, "Connection: close\r\n");
    let mut stream = open(&server, &format!("{one}{one}{last}")).await;
    let mut answers = String::new();
    stream.read_to_string(&mut answers).await.unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
    // A client that disconnects during its change does not undo it.
    for n in 0..20 {
        let params = json!({ "workbench_id": "deck", "name": format!("left {n}") });
        let request = with_json(server.request("POST", "/api/op/CheckpointCreate"), &params);
        let _ = tokio::time::timeout(Duration::from_millis(n), request.send()).await;
    }
    server.done("CheckpointList", &json!({ "workbench_id": "deck" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_are_small_before_sign_in() {
    let server = server(64).await;
    let form = |length: usize| {
        format!(
            "POST /sign-in HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nContent-Length: {length}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n",
            server.address, server.address
        )
    };
    let mut large = open(&server, &(form(1 << 20) + &"x".repeat(1 << 20))).await;
    assert_eq!(status(&mut large).await, "HTTP/1.1 413");
    let multipart = form(10).replace("application/x-www-form-urlencoded", "multipart/form-data; boundary=b");
    let mut files = open(&server, &(multipart + "0123456789")).await;
    assert_eq!(status(&mut files).await, "HTTP/1.1 415");
}
