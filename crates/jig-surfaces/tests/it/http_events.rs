//! Server-sent events: replayed, then live, without gaps or duplicates.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::Server;

/// Reads a stream in chunks.
struct Stream {
    response: Response,
    text: String,
}

impl Stream {
    async fn open(server: &Server, path: &str, seen: Option<u64>) -> Self {
        let mut request = server.request("GET", path);
        if let Some(seen) = seen {
            request = request.header("last-event-id", seen.to_string());
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// The next block; `None` at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let piece = self.response.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    }

    /// The next change: its number, taken from `id`, and its record.
    async fn changed(&mut self) -> (u64, Value) {
        loop {
            let block = self.block().await.expect("an event");
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if field("event: ").as_deref() == Some("changed") {
                let record: Value = serde_json::from_str(&field("data: ").unwrap()).unwrap();
                let id: u64 = field("id: ").unwrap().parse().unwrap();
                assert_eq!(record["seq"], id);
                return (id, record);
            }
        }
    }

    async fn numbers(&mut self, count: usize) -> Vec<u64> {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.changed().await.0);
        }
        numbers
    }
}

async fn checkpoint(server: &Server, name: &str) {
    server.done("CheckpointCreate", &json!({ "workbench_id": "deck", "name": name })).await;
}

#[tokio::test]
async fn events_are_replayed_and_then_live() {
    let server = Server::start().await;
    // More than one page of the replay.
    for n in 0..110 {
        checkpoint(&server, &format!("c{n}")).await;
    }
    let mut stream = Stream::open(&server, "/api/workbenches/deck/events?after=1", None).await;
    for n in 0..3 {
        checkpoint(&server, &format!("live{n}")).await;
    }
    assert_eq!(stream.numbers(114).await, (2..=115).collect::<Vec<_>>());
    // `Last-Event-ID` takes precedence over the URL.
    let mut again = Stream::open(&server, "/api/workbenches/deck/events?after=1", Some(113)).await;
    assert_eq!(again.numbers(2).await, [114, 115]);
    let mut new = Stream::open(&server, "/api/workbenches/deck/events", None).await;
    checkpoint(&server, "new").await;
    let (number, record) = new.changed().await;
    assert_eq!((number, &record["event"]["entry"]["operation"]), (116, &json!("CheckpointCreate")));
}

#[tokio::test]
async fn a_quiet_stream_says_that_it_is_alive_and_ends_with_its_token() {
    let server = Server::with(Bench::with_notes().await, |options| options.heartbeat = Duration::from_millis(50)).await;
    let mut stream = Stream::open(&server, "/api/workbenches/deck/events", None).await;
    assert_eq!(stream.block().await.as_deref(), Some("retry: 2000\n: events follow"));
    assert_eq!(stream.block().await.as_deref(), Some(": alive"));
    let (id, token) = server.bench.token("reader", Some("deck")).await;
    let request = server.request("GET", "/api/workbenches/deck/events").bearer_auth(&token);
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    server.bench.call("TokenRevoke", json!({ "token_id": id })).await;
    while response.chunk().await.unwrap().is_some() {}
}

#[tokio::test]
async fn streams_end_when_the_server_does() {
    let server = Server::start().await;
    let mut stream = Stream::open(&server, "/api/workbenches/deck/events", None).await;
    stream.block().await;
    server.stop.cancel();
    assert_eq!(stream.block().await, None);
    server.finish().await;
}

#[tokio::test]
async fn wrong_streams_are_refused_before_they_begin() {
    let server = Server::start().await;
    for (path, status, code) in [
        ("/api/workbenches/none/events", 404, "WORKBENCH_NOT_FOUND"),
        ("/api/workbenches/deck/events?after=x", 400, "INVALID_PARAMS"),
        ("/api/workbenches/deck/events?limit=3", 400, "INVALID_PARAMS"),
    ] {
        assert_eq!(server.get(path).await.problem(), (status, code.to_owned()), "{path}");
    }
    let wrong = server.request("GET", "/api/workbenches/deck/events").header("last-event-id", "x");
    assert_eq!(server.send(wrong).await.problem().0, 400);
}
