//! Any bytes as input of the interfaces: JSON-RPC and MCP messages, HTTP requests.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use jig_contract::Env;
use jig_surfaces::http::{HttpOptions, HttpServer};
use jig_surfaces::mcp::{self, McpOptions};
use jig_surfaces::rpc::{self, RpcOptions};
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

/// Longer than any response takes, but bounded for whoever runs this.
const PATIENCE: Duration = Duration::from_secs(20);

fn block_on<F: Future>(work: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

async fn home() -> TestHome {
    let home = TestHome::with_workbench().await;
    home.add("notes.txt", "one\ntwo\n").await;
    home
}

/// Lines for `jig rpc`: at most one response each, no internal error, and the last request is answered.
pub(super) fn rpc(input: &[u8]) {
    let last = json!({ "jsonrpc": "2.0", "id": "last", "method": "WorkbenchList" });
    let answers = block_on(async {
        let home = home().await;
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let options = RpcOptions { max_message_bytes: 64 << 10, ..RpcOptions::default() };
        let server = tokio::spawn(rpc::serve(home.workbench.clone().into(), reader, writer, options));
        let answers = say(ours, [input, b"\n", last.to_string().as_bytes(), b"\n"].concat()).await;
        server.await.expect("the server").expect("memory can be read and written");
        answers
    });
    let lines = input.split(|byte| *byte == b'\n').count();
    let answers: Vec<&Value> = answers.iter().filter(|message| message.get("method").is_none()).collect();
    assert!(answers.len() <= lines + 1, "{} answers to {lines} lines", answers.len());
    let last: Vec<_> = answers.iter().filter(|answer| answer["id"] == "last" && answer["error"].is_null()).collect();
    assert!(!last.is_empty() && last.iter().all(|answer| answer.get("result").is_some()), "{answers:?}");
    for answer in answers.iter().flat_map(|one| one.as_array().map_or(std::slice::from_ref(*one), Vec::as_slice)) {
        assert!(answer["jsonrpc"] == "2.0" && answer.get("id").is_some(), "{answer}");
        assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
        assert!(answer["error"]["code"] != -32603, "an internal error: {answer}");
    }
}

/// Lines for `jig mcp` after the handshake: it continues, without an internal error.
pub(super) fn mcp(input: &[u8]) {
    let client = json!({ "name": "fuzz", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello }).to_string();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let last = json!({ "jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {} }).to_string();
    let answers = block_on(async {
        let home = home().await;
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let options = McpOptions { workbench: Some(ID.to_owned()), ..McpOptions::new(Env::system()) };
        let server = tokio::spawn(mcp::serve(home.workbench.clone().into(), reader, writer, options));
        let said = [hello.as_bytes(), ready.as_bytes(), input, last.as_bytes(), b""].join(&b'\n');
        let answers = say(ours, said).await;
        let _ = server.await.expect("the server");
        answers
    });
    assert!(answers.iter().any(|answer| answer["id"] == "last"), "the last request has no answer: {answers:?}");
    for answer in &answers {
        assert!(answer["error"]["code"] != -32603, "an internal error: {answer}");
        assert!(!answer.to_string().contains("a fault in Jig"), "{answer}");
    }
}

/// Sends everything, and returns all responses.
async fn say(stream: tokio::io::DuplexStream, bytes: Vec<u8>) -> Vec<Value> {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let writing = tokio::spawn(async move {
        // The server may have closed the connection.
        let _ = writer.write_all(&bytes).await;
        let _ = writer.shutdown().await;
    });
    let mut answers = Vec::new();
    let read = tokio::time::timeout(PATIENCE, reader.read_to_end(&mut answers)).await;
    read.expect("the server ends with its input").expect("memory can be read");
    writing.await.expect("the writer");
    let lines = answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("an answer is JSON")).collect()
}

/// A raw request with `{host}` and `{token}` filled in: no internal error.
pub(super) fn http(input: &[u8]) {
    block_on(async {
        let home = home().await;
        let mut options = HttpOptions::new(([127, 0, 0, 1], 0).into(), Env::system());
        (options.header_time, options.body_time) = (Duration::from_secs(2), Duration::from_secs(2));
        let server = HttpServer::bind(home.workbench.clone(), options).await.expect("a free port");
        let (address, token) = (server.address(), server.start_token().unwrap_or_default().to_owned());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.serve(stop.clone()));
        let request = filled(input, &[("{host}", &address.to_string()), ("{token}", &token)]);
        let talk = tokio::task::spawn_blocking(move || {
            let answer = exchange(address, &request, true);
            let health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            let alive = exchange(address, health, false);
            (answer, alive)
        });
        let (answer, alive) = talk.await.expect("the client");
        assert_eq!(status(&alive), Some(200), "the server has stopped");
        if let Some(status) = status(&answer) {
            let shown = String::from_utf8_lossy(answer.get(..answer.len().min(2_000)).unwrap_or_default()).into_owned();
            assert!((200..600).contains(&status) && status != 500, "{shown}");
            assert!(!shown.contains(&*home.path().to_string_lossy()), "a path of the host: {shown}");
        }
        stop.cancel();
        serving.await.expect("the server").expect("a good end");
    });
}

fn filled(input: &[u8], values: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len());
    let mut rest = input;
    'bytes: while let [first, tail @ ..] = rest {
        for (name, value) in values {
            if let Some(behind) = rest.strip_prefix(name.as_bytes()) {
                out.extend_from_slice(value.as_bytes());
                rest = behind;
                continue 'bytes;
            }
        }
        out.push(*first);
        rest = tail;
    }
    out
}

/// Sends a request and reads the response. A client that closes its side ends an incomplete request; the server may
/// then close the connection without a response.
fn exchange(address: SocketAddr, request: &[u8], sends_no_more: bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    // A refused request is not read completely.
    let _ = stream.write_all(request);
    if sends_no_more {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("no answer in {PATIENCE:?}"),
        _ => answer,
    }
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|byte| *byte == b'\r').next()?;
    std::str::from_utf8(line).ok()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()
}
