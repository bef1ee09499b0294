//! `/mcp` over HTTP: authentication, permissions and ownership of sessions.

use jig_surfaces::http::McpDoor;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::{Answer, Server, json as with_json};

const NEWER: &str = "2026-07-28";
const OLDER: &str = "2025-11-25";

/// A self-contained request of the newer protocol.
fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWER,
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn post(server: &Server, path: &str, token: Option<&str>, message: &Value) -> reqwest::RequestBuilder {
    let name = message["params"]["name"].as_str().or_else(|| message["params"]["uri"].as_str());
    let mut request = server
        .request("POST", path)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", NEWER)
        .header("mcp-method", message["method"].as_str().unwrap());
    if let Some(name) = name {
        request = request.header("mcp-name", name);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    with_json(request, message)
}

/// The result in an event stream or a plain body.
fn result(answer: &Answer) -> Value {
    let text = answer.text();
    let data = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim)
        .find(|data| data.contains("\"id\":1"));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|e| panic!("{e}: {} {text}", answer.status))
}

async fn call(server: &Server, token: Option<&str>, tool: &str, arguments: Value) -> Value {
    let message = message("tools/call", json!({ "name": tool, "arguments": arguments }));
    result(&server.send(post(server, "/mcp", token, &message)).await)["result"].take()
}

#[tokio::test]
async fn the_newer_protocol_is_answered_without_a_session() {
    let server = Server::start().await;
    let discovered = server.send(post(&server, "/mcp", None, &message("server/discover", json!({})))).await;
    assert_eq!(discovered.status, 200, "{}", discovered.text());
    assert_eq!(discovered.header("mcp-session-id"), "");
    let found = result(&discovered);
    assert!(
        found["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"]["directoryRead"] == true,
        "{found}"
    );
    let list = result(&server.send(post(&server, "/mcp", None, &message("tools/list", json!({})))).await);
    assert!(list["result"]["ttlMs"].is_u64() && list["result"]["cacheScope"] == "private", "{list}");
    let read = call(&server, None, "read_file", json!({ "workbench_id": "deck", "path": "notes.txt" })).await;
    assert_eq!(read["structuredContent"]["text"], "one\ntwo\n", "{read}");
    let bound = message("tools/call", json!({ "name": "read_file", "arguments": { "path": "notes.txt" } }));
    let bound = result(&server.send(post(&server, "/mcp?workbench=deck", None, &bound)).await);
    assert_eq!(bound["result"]["isError"], false, "{bound}");
    assert_eq!(
        server.send(post(&server, "/mcp?other=deck", None, &message("tools/list", json!({})))).await.status,
        400
    );
    assert!(server.log().iter().any(|line| line["route"] == "/mcp"), "{:?}", server.log());
}

#[tokio::test]
async fn tokens_decide_what_a_caller_may_do_and_where() {
    let bench = Bench::with_notes().await;
    bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
    let server = Server::with(bench, |_| {}).await;
    let (_, reader) = server.bench.token("reader", None).await;
    let (id, writer) = server.bench.token("writer", Some("deck")).await;
    server.forget_start();
    let list = message("tools/list", json!({}));
    for wrong in [None, Some("jig_nonsense")] {
        let answer = server.send(post(&server, "/mcp", wrong, &list)).await;
        assert_eq!(answer.problem(), (401, "UNAUTHENTICATED".to_owned()));
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
    }
    let code = |result: &Value| result["structuredContent"]["error_code"].as_str().unwrap_or_default().to_owned();
    let write = |id: &str| json!({ "workbench_id": id, "path": "new.txt", "text": "new\n" });
    assert_eq!(code(&call(&server, Some(&reader), "write_text_file", write("deck")).await), "NOT_PERMITTED");
    assert_eq!(code(&call(&server, Some(&writer), "write_text_file", write("other")).await), "WORKBENCH_NOT_FOUND");
    let written = call(&server, Some(&writer), "write_text_file", json!({ "path": "new.txt", "text": "new\n" })).await;
    assert_eq!(written["isError"], false, "a token for one workbench means it: {written}");
    let journal = server.bench.call("JournalList", json!({ "workbench_id": "deck", "limit": 1 })).await;
    assert_eq!(journal["entries"][0]["actor"], json!({ "type": "agent", "name": "tester (a writer)" }));
    let elsewhere = message("resources/read", json!({ "uri": "jig://other/journal" }));
    let elsewhere = result(&server.send(post(&server, "/mcp", Some(&writer), &elsewhere)).await);
    assert_eq!(elsewhere["error"]["code"], -32602, "{elsewhere}");
    let skills = message("skills/get", json!({ "uri": "skill://other/situation/SKILL.md" }));
    let skills = result(&server.send(post(&server, "/mcp", Some(&writer), &skills)).await);
    assert_eq!(skills["error"]["code"], -32602, "{skills}");
    server.bench.call("TokenRevoke", json!({ "token_id": id })).await;
    assert_eq!(server.send(post(&server, "/mcp", Some(&writer), &list)).await.status, 401);
}

#[tokio::test]
async fn over_http_no_setting_lets_an_agent_publish_without_a_person() {
    for ask_publish in [false, true] {
        let door = McpDoor { ask_publish, ..McpDoor::default() };
        let server = Server::with(Bench::with_notes().await, |options| options.mcp = door).await;
        let (_, person) = server.bench.token("owner", None).await;
        let (_, agent) = server.bench.token_for("agent", "owner", None).await;
        call(&server, None, "write_text_file", json!({ "workbench_id": "deck", "path": "a.txt", "text": "a" })).await;
        for token in [None, Some(person.as_str()), Some(agent.as_str())] {
            let result = call(&server, token, "publish_draft", json!({ "workbench_id": "deck" })).await;
            assert_eq!(result["isError"], true, "{result}");
            assert!(result["content"][0]["text"].as_str().unwrap().contains("web app"), "{result}");
        }
        assert_eq!(server.done("DraftGetState", &json!({ "workbench_id": "deck" })).await["exists"], true);
    }
}

#[tokio::test]
async fn one_caller_who_opens_many_sessions_locks_nobody_out() {
    let server = Server::start().await;
    let (_, flooder) = server.bench.token("reader", None).await;
    let (_, other) = server.bench.token("writer", None).await;
    let begin = |token: &str| {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": OLDER, "capabilities": {}, "clientInfo": { "name": "tester", "version": "1" } } });
        let request = server.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        with_json(request.bearer_auth(token), &hello)
    };
    let first = server.send(begin(&other)).await.header("mcp-session-id").to_owned();
    let mut sessions = Vec::new();
    for n in 0..200 {
        let opened = server.send(begin(&flooder)).await;
        assert_eq!(opened.status, 200, "{n}: {}", opened.text());
        sessions.push(opened.header("mcp-session-id").to_owned());
    }
    let ping = |token: &str, session: &str| {
        let request = server.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", OLDER).header("mcp-session-id", session);
        with_json(request.bearer_auth(token), &json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
    };
    assert_eq!(server.send(ping(&other, &first)).await.status, 200, "the other's session is open");
    assert_eq!(server.send(ping(&flooder, sessions.last().unwrap())).await.status, 200, "the newest is open");
    assert_eq!(server.send(ping(&flooder, &sessions[0])).await.status, 404, "the oldest was closed");
    assert_eq!(server.send(begin(&other)).await.status, 200);
}

#[tokio::test]
async fn strangers_pages_and_large_bodies_are_refused() {
    let server = Server::with(Bench::with_notes().await, |options| options.max_body_bytes = 2_000).await;
    let list = message("tools/list", json!({}));
    let foreign = post(&server, "/mcp", None, &list).header("host", "evil.example");
    assert_eq!(server.send(foreign).await.status, 421);
    let page = post(&server, "/mcp", None, &list).header("origin", "http://evil.example");
    assert_eq!(server.send(page).await.problem(), (403, "NOT_PERMITTED".to_owned()));
    let large = message("tools/list", json!({ "padding": "x".repeat(3_000) }));
    assert_eq!(server.send(post(&server, "/mcp", None, &large)).await.problem().0, 413);
    let not_json = post(&server, "/mcp", None, &list).body("{ not json");
    let answer = server.send(not_json).await;
    assert!((400..500).contains(&answer.status), "{} {}", answer.status, answer.text());
    assert_eq!(server.send(server.request("PUT", "/mcp")).await.status, 405);
}

#[tokio::test]
async fn a_cookie_of_the_page_opens_nothing_here() {
    let server = Server::start().await;
    let (_, token) = server.bench.token("owner", None).await;
    server.forget_start();
    let list = message("tools/list", json!({}));
    let request = post(&server, "/mcp", None, &list).header("cookie", format!("jig_token={token}; jig={token}"));
    assert_eq!(server.send(request).await.status, 401);
}

#[tokio::test]
async fn a_session_of_the_older_protocol_belongs_to_the_token_that_began_it() {
    let server = Server::start().await;
    let (_, ours) = server.bench.token("owner", None).await;
    let (_, theirs) = server.bench.token("owner", None).await;
    let older = |token: &str, session: Option<&str>, message: &Value| {
        let mut request = server.request("POST", "/mcp").bearer_auth(token);
        request = request.header("accept", "application/json, text/event-stream");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", OLDER);
        }
        with_json(request, message)
    };
    let client = json!({ "name": "older", "version": "1" });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": OLDER, "capabilities": {}, "clientInfo": client } });
    let greeted = server.send(older(&ours, None, &hello)).await;
    assert_eq!(greeted.status, 200, "{}", greeted.text());
    let session = greeted.header("mcp-session-id").to_owned();
    assert!(!session.is_empty());
    assert_eq!(result(&greeted)["result"]["protocolVersion"], OLDER);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(server.send(older(&ours, Some(&session), &ready)).await.status, 202);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let listed = result(&server.send(older(&ours, Some(&session), &list)).await);
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    assert_eq!(server.send(older(&theirs, Some(&session), &list)).await.problem().0, 404);
    assert_eq!(server.send(older(&ours, Some("no-such-session"), &list)).await.status, 404);
    let _ = server.finish().await;
}
