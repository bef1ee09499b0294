//! What keeps strangers out: names, origins, rates, addresses; and what watchers see.

use jig_contract::{Code, Env};
use jig_surfaces::http::{HttpOptions, HttpServer};
use serde_json::json;

use crate::bench::Bench;
use crate::http_server::Server;

#[tokio::test]
async fn a_name_that_is_not_ours_is_refused() {
    let bench = Bench::with_notes().await;
    let (_, token) = bench.token("owner", None).await;
    let server = Server::with(bench, |options| options.hosts = vec!["jig.example".to_owned()]).await;
    let port = server.address.port();
    for (host, status) in [
        (format!("localhost:{port}"), 200),
        (format!("127.0.0.1:{port}"), 200),
        ("jig.example".to_owned(), 200),
        (format!("evil.example:{port}"), 421),
        ("192.0.2.7".to_owned(), 421),
    ] {
        let request = server.request("GET", "/api/workbenches").bearer_auth(&token);
        let answer = server.send(request.header("host", &host)).await;
        assert_eq!(answer.status, status, "{host}");
        if status != 200 {
            assert_eq!(answer.problem().1, "NOT_PERMITTED");
        }
    }
    assert_eq!(server.send(server.request("GET", "/healthz").header("host", "10.1.2.3")).await.status, 200);
    let none = server.raw("GET /api/workbenches HTTP/1.0\r\n\r\n").await;
    assert!(none.starts_with("HTTP/1.0 400 "), "{none}");
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing() {
    let server = Server::start().await;
    let name = json!({ "name": "By a page" }).to_string();
    let post =
        || server.request("POST", "/api/workbenches").header("content-type", "application/json").body(name.clone());
    for (header, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let answer = server.send(post().header(header, value)).await;
        assert_eq!(answer.problem(), (403, "NOT_PERMITTED".to_owned()), "{header}: {value}");
    }
    let own = format!("http://{}", server.address);
    assert_eq!(server.send(post().header("origin", own).header("sec-fetch-site", "same-origin")).await.status, 201);
    let read = server.request("GET", "/api/workbenches").header("sec-fetch-site", "cross-site");
    assert_eq!(server.send(read).await.status, 403);
    let listed = server.done("WorkbenchList", &json!({})).await;
    assert_eq!(listed["workbenches"].as_array().unwrap().len(), 2, "only the own page made one");
}

#[tokio::test]
async fn a_token_has_so_many_calls_a_second() {
    let server = Server::with(Bench::with_notes().await, |options| options.calls_per_second = Some(1)).await;
    let (_, token) = server.bench.token("reader", None).await;
    let (_, other) = server.bench.token("reader", None).await;
    let mut refused = None;
    for _ in 0..10 {
        let answer = server.op_as(&token, "WorkbenchList", &json!({})).await;
        if answer.status == 429 {
            refused = Some(answer);
        }
    }
    let refused = refused.expect("ten calls at once are too many");
    assert_eq!(refused.problem(), (429, "RATE_LIMITED".to_owned()));
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.json()["retryable"], true);
    assert_eq!(server.op_as(&other, "WorkbenchList", &json!({})).await.status, 200, "another one has its own");
}

#[tokio::test]
async fn an_address_that_others_reach_needs_a_token() {
    let bench = Bench::new().await;
    let options = || HttpOptions::new("0.0.0.0:0".parse().unwrap(), Env::system());
    let refused = HttpServer::bind(bench.workbench.clone(), options()).await.err().expect("no token yet");
    assert_eq!(refused.code(), Code::NotPermitted);
    let (id, token) = bench.token("owner", None).await;
    let server = HttpServer::bind(bench.workbench.clone(), options()).await;
    assert!(server.is_ok());
    bench.call("TokenRevoke", json!({ "token_id": id })).await;
    let refused = HttpServer::bind(bench.workbench.clone(), options()).await.err();
    assert!(refused.is_some(), "a token that was taken back is none");
    // On such an address even this machine needs its token.
    let server = Server::with(bench, |options| {
        options.bind = "127.0.0.1:0".parse().unwrap();
    })
    .await;
    assert_eq!(server.op_as(&token, "WorkbenchList", &json!({})).await.status, 401);
}

#[tokio::test]
async fn watchers_see_health_readiness_and_counts() {
    let server = Server::start().await;
    assert_eq!(server.get("/healthz").await.text(), "alive\n");
    assert_eq!(server.get("/readyz").await.text(), "ready\n");
    server.done("WorkbenchList", &json!({})).await;
    server.get("/api/workbenches/deck/files").await;
    server.op("FileList", &json!({ "workbench_id": "none" })).await;
    let counts = server.get("/metrics").await;
    assert!(counts.header("content-type").starts_with("text/plain; version=0.0.4"));
    for line in [
        "jig_requests_total{operation=\"WorkbenchList\",status=\"200\"} 1",
        "jig_requests_total{operation=\"FileList\",status=\"200\"} 1",
        "jig_requests_total{operation=\"FileList\",status=\"404\"} 1",
        "jig_request_seconds_count{operation=\"FileList\"} 2",
        "jig_requests_in_flight 1",
        "jig_jobs{state=\"queued\"} 0",
    ] {
        assert!(counts.text().lines().any(|known| known == line), "{line}\n{}", counts.text());
    }
    let (_, reader) = server.bench.token("reader", None).await;
    let (_, bound) = server.bench.token("owner", Some("deck")).await;
    let (_, owner) = server.bench.token("owner", None).await;
    assert_eq!(server.send(server.strange("GET", "/metrics")).await.status, 401);
    for (token, status) in [(&reader, 403), (&bound, 403), (&owner, 200)] {
        assert_eq!(server.send(server.request("GET", "/metrics").bearer_auth(token)).await.status, status);
    }
}

#[tokio::test]
async fn only_who_calls_the_server_by_its_name_is_told_why_it_is_not_ready() {
    let server = Server::start().await;
    std::fs::remove_dir_all(server.bench.home().join("blobs")).unwrap();
    let told = server.get("/readyz").await;
    assert_eq!(told.status, 503, "{}", told.text());
    assert!(told.json()["message"].as_str().is_some_and(|why| !why.is_empty()));
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "[::1"] {
        let asked = server.strange("GET", "/readyz").header("host", host);
        let answer = server.send(asked).await;
        assert_eq!((answer.status, answer.text().as_str()), (503, "not ready\n"), "{host}");
    }
}

#[tokio::test]
async fn the_log_tells_what_happened_and_nothing_of_what_was_said() {
    let server = Server::start().await;
    let (id, token) = server.bench.token("writer", None).await;
    let secret = "a very private text";
    let write = json!({ "workbench_id": "deck", "path": "notes.txt", "text": secret });
    server.op_as(&token, "DraftWriteText", &write).await;
    let read = server.request("GET", "/api/workbenches/deck/files?folder=privately").bearer_auth(&token);
    server.send(read.header("x-request-id", "mine")).await;
    server.send(server.strange("GET", "/api/workbenches")).await;
    let log = server.log();
    let all = serde_json::to_string(&log).unwrap();
    assert!(!all.contains(secret) && !all.contains("privately") && !all.contains(&token), "{all}");
    let [written, listed, refused] = &log[..] else { panic!("{log:?}") };
    assert_eq!(written["operation"], "DraftWriteText");
    assert_eq!((&written["method"], &written["status"], &written["token"]), (&json!("POST"), &json!(200), &json!(id)));
    assert!(written["ms"].is_number() && written["time"].is_string());
    assert_eq!(listed["id"], "mine");
    assert_eq!(listed["route"], "/api/workbenches/{workbench_id}/files");
    assert_eq!((&refused["status"], &refused["error_code"]), (&json!(401), &json!("UNAUTHENTICATED")));
}
