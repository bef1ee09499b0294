//! Operations by name, and invalid requests of every kind.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::bench::Bench;
use crate::http_server::{Server, read_to_end};

#[tokio::test]
async fn every_operation_is_called_by_its_name() {
    let server = Server::start().await;
    let listed = server.done("WorkbenchList", &json!({})).await;
    assert_eq!(listed["workbenches"][0]["id"], "deck");
    let read = server.done("FileRead", &json!({ "workbench_id": "deck", "path": "notes.txt" })).await;
    assert!(read["text"].as_str().unwrap().contains("two"), "{read}");
    // A missing body means no parameters.
    let answer = server.send(server.request("POST", "/api/op/WorkbenchList")).await;
    assert_eq!(answer.json(), listed);
    assert_eq!(answer.header("content-type"), "application/json");
}

#[tokio::test]
async fn wrong_requests_are_problems_with_the_status_that_http_has_for_them() {
    let server = Server::with(Bench::with_notes().await, |options| options.max_body_bytes = 1_000).await;
    let post = |path: &str| server.request("POST", path);
    let typed = |path: &str, kind: &str, body: &str| post(path).header("content-type", kind).body(body.to_owned());
    let list = "/api/op/FileList";
    let table = [
        (typed(list, "application/json", r#"{"workbench_id":"none"}"#), 404, "WORKBENCH_NOT_FOUND"),
        (typed(list, "application/json", r#"{"workbench_id":"../x"}"#), 400, "VALIDATION_FAILED"),
        (typed(list, "application/json", r#"{"workbench":"deck"}"#), 400, "INVALID_PARAMS"),
        (typed(list, "application/json", "{"), 400, "INVALID_REQUEST"),
        (typed(list, "application/json", "[1]"), 400, "INVALID_REQUEST"),
        (typed(list, "application/json", "\u{0}"), 400, "INVALID_REQUEST"),
        (typed(list, "text/plain", r#"{"workbench_id":"deck"}"#), 415, "INVALID_REQUEST"),
        (post(list).body(r#"{"workbench_id":"deck"}"#), 415, "INVALID_REQUEST"),
        (typed(list, "application/json", &" ".repeat(1_001)), 413, "MESSAGE_TOO_LARGE"),
        (typed("/api/op/FileLst", "application/json", "{}"), 404, "UNKNOWN_OPERATION"),
        (typed("/api/op/FileAdd", "application/json", "{}"), 404, "UNKNOWN_OPERATION"),
        (typed("/api/op/FileList?workbench_id=deck", "application/json", "{}"), 400, "INVALID_PARAMS"),
        (server.request("GET", list), 405, "INVALID_REQUEST"),
        (server.request("PUT", "/api/workbenches"), 405, "INVALID_REQUEST"),
        (server.request("GET", "/api/nothing"), 404, "UNKNOWN_OPERATION"),
        (server.request("GET", "/api/workbenches/"), 404, "UNKNOWN_OPERATION"),
        (server.request("GET", "/api/workbenches/%FF"), 400, "INVALID_REQUEST"),
        (server.request("GET", "/api/workbenches/deck/files?limit=%FF"), 400, "INVALID_REQUEST"),
        (server.request("GET", "/api/workbenches/deck/files?limit=many"), 400, "INVALID_PARAMS"),
        (server.request("GET", "/api/workbenches/deck/files?limit=1&limit=2"), 400, "INVALID_PARAMS"),
        (server.request("GET", "/api/workbenches/deck/files?unknown=1"), 400, "INVALID_PARAMS"),
    ];
    for (request, status, code) in table {
        let asked = format!("{request:?}");
        let answer = server.send(request).await;
        assert_eq!(answer.problem(), (status, code.to_owned()), "{asked}");
    }
    let allowed = server.request("GET", list);
    assert_eq!(server.send(allowed).await.header("allow"), "POST");
    let unknown = server.op("FileLst", &json!({})).await.json();
    assert_eq!(unknown["suggestions"][0], "FileList", "{unknown}");
}

#[tokio::test]
async fn a_deep_or_endless_body_is_refused_and_the_next_call_is_answered() {
    let server = Server::start().await;
    let deep = "[".repeat(100_000);
    let request = server.request("POST", "/api/op/WorkbenchList").header("content-type", "application/json").body(deep);
    assert_eq!(server.send(request).await.problem(), (400, "INVALID_REQUEST".to_owned()));
    // Without a content length, the size is only known when too much has arrived.
    let piece = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
    let head = "POST /api/op/WorkbenchList HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let answer = server.raw(&format!("{head}{}0\r\n\r\n", piece.repeat(12))).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{}", &answer[..answer.len().min(200)]);
    assert_eq!(server.op("WorkbenchList", &json!({})).await.status, 200);
}

#[tokio::test]
async fn who_sends_too_slowly_is_cut_off() {
    let short = |options: &mut jig_surfaces::http::HttpOptions| {
        options.header_time = Duration::from_millis(300);
        options.body_time = Duration::from_millis(300);
    };
    let server = Server::with(Bench::with_notes().await, short).await;
    // Nothing at all, and a partial header.
    for begun in ["", "POST /api/op/WorkbenchList HTTP/1.1\r\nHost: loc"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let closed = tokio::time::timeout(Duration::from_secs(20), read_to_end(stream)).await;
        assert!(closed.is_ok(), "{begun:?} keeps a connection open");
    }
    let slow = "POST /api/op/WorkbenchList HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\n\r\n{";
    let answer = server.raw(slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("application/problem+json"), "{answer}");
}

#[tokio::test]
async fn head_and_options_are_answered() {
    let server = Server::start().await;
    let whole = server.get("/api/workbenches/deck").await;
    let head = server.send(server.request("HEAD", "/api/workbenches/deck")).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("etag"), whole.header("etag"));
    assert_eq!(head.header("content-type"), "application/json");
    let options = server.send(server.request("OPTIONS", "/api/workbenches/deck")).await;
    assert_eq!((options.status, options.body.len()), (204, 0));
    let mut methods: Vec<&str> = options.header("allow").split(',').collect();
    methods.sort_unstable();
    assert_eq!(methods, ["DELETE", "GET", "HEAD", "PATCH"]);
    assert_eq!(options.header("access-control-allow-origin"), "", "no other site is let in");
    assert_eq!(server.send(server.request("OPTIONS", "/api/nothing")).await.status, 404);
}

#[tokio::test]
async fn every_answer_has_its_id_and_its_guards() {
    let server = Server::start().await;
    for path in ["/api/docs", "/api/workbenches", "/api/nothing", "/healthz", "/static/page.js"] {
        let answer = server.get(path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{path}");
        assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
    }
    for (given, kept) in [("abc-1.2", true), ("a b", false), (&"x".repeat(65), false)] {
        let answer = server.send(server.request("GET", "/healthz").header("x-request-id", given)).await;
        assert_eq!(answer.header("x-request-id") == given, kept, "{given}");
    }
}

#[tokio::test]
async fn the_pages_and_the_schema_are_there() {
    let server = Server::start().await;
    let root = server.get("/").await;
    assert!(root.text().contains("href=\"/api/docs\""));
    let policy = root.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"), "{policy}");
    // Otherwise browsers hide the origin of the app's own forms.
    assert_eq!(root.header("referrer-policy"), "same-origin");
    let docs = server.get("/api/docs?q=FileList").await;
    assert_eq!(docs.header("content-type"), "text/html; charset=utf-8");
    assert!(docs.text().contains("/api/op/FileList<") && !docs.text().contains("/api/op/WorkbenchList<"));
    assert_eq!(server.get("/api/docs.css").await.header("content-type"), "text/css; charset=utf-8");
    let schema = server.get("/api/openapi.json").await;
    assert_eq!(schema.json(), jig_surfaces::http::openapi_document());
    let again = server.request("GET", "/api/openapi.json").header("if-none-match", schema.header("etag"));
    assert_eq!(server.send(again).await.status, 304);
}
