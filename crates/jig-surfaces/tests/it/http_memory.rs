//! Request bodies: large ones are streamed to disk, and the total memory for bodies is limited.

use std::path::Path;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::bench::Bench;
use crate::http_load::hold;
use crate::http_server::{Server, json as with_json};

const MIB: usize = 1 << 20;
/// Larger than anything that a part of the server holds in memory.
const LARGE: usize = 24 * MIB;

/// The total size of the files below a folder.
fn on_disk(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
    entries.map(|entry| entry.path()).map(|path| if path.is_dir() { on_disk(&path) } else { size(&path) }).sum()
}

fn uploads(server: &Server) -> std::path::PathBuf {
    server.bench.workbench.uploads_folder()
}

/// Starts a request without sending its body.
async fn begin(server: &Server, path: &str, kind: &str, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let start = server.start.as_deref().unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {start}\r\nContent-Type: {kind}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> (u16, Value) {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
    let json = body.find('{').and_then(|at| body.get(at..=body.rfind('}')?));
    (status, json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_goes_to_disk_as_it_comes() {
    let server = Server::with(Bench::with_notes().await, |_| {}).await;
    let form_head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"form.bin\"\r\n\r\n";
    for (kind, head, tail, name) in [
        ("application/octet-stream", "", "", "?name=bytes.bin"),
        ("multipart/form-data; boundary=b", form_head, "\r\n--b--\r\n", ""),
    ] {
        let path = format!("/api/workbenches/deck/assets{name}");
        let mut stream = begin(&server, &path, kind, head.len() + LARGE + tail.len()).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![7; MIB];
        for _ in 0..LARGE / MIB - 1 {
            stream.write_all(&piece).await.unwrap();
        }
        // Apart from data in transit, the server reads no further than it writes to disk.
        while on_disk(&uploads(&server)) < (LARGE - 4 * MIB) as u64 {
            tokio::task::yield_now().await;
        }
        stream.write_all(&piece).await.unwrap();
        stream.write_all(tail.as_bytes()).await.unwrap();
        let (status, made) = answer(stream).await;
        assert_eq!((status, &made["asset"]["size"]), (201, &json!(LARGE)), "{made}");
        let id = made["asset"]["asset_id"].as_str().unwrap();
        let back = server.get(&format!("/api/workbenches/deck/assets/{id}/content")).await;
        assert!(back.body.len() == LARGE && back.body.iter().all(|byte| *byte == 7));
        assert_eq!(on_disk(&uploads(&server)), 0, "nothing is left behind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_that_breaks_off_or_is_refused_leaves_nothing() {
    let bench = Bench::with_config(|config| config.limits.asset_bytes = (6 * MIB) as u64).await;
    bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
    let server = Server::with(bench, |options| options.max_upload_bytes = 8 * MIB).await;
    let assets = "/api/workbenches/deck/assets";
    let bytes = |size: usize| vec![1; size];
    let post = |path: String, body: Vec<u8>| server.send(server.request("POST", &path).body(body));
    // Over the server's limit, over the asset limit, without a name, and to a missing workbench.
    let too_large = post(format!("{assets}?name=a.bin"), bytes(9 * MIB)).await;
    assert_eq!(too_large.problem(), (413, "MESSAGE_TOO_LARGE".to_owned()));
    let over = post(format!("{assets}?name=a.bin"), bytes(7 * MIB)).await;
    assert_eq!(over.problem().1, "LIMIT_EXCEEDED");
    assert!(over.text().contains("a.bin") && !over.text().contains("uploads"), "{}", over.text());
    let nameless = post(assets.to_owned(), bytes(10)).await;
    assert_eq!(nameless.problem().1, "VALIDATION_FAILED");
    let lost = post("/api/workbenches/none/assets?name=a.bin".to_owned(), bytes(5 * MIB)).await;
    assert_eq!(lost.problem().1, "WORKBENCH_NOT_FOUND");
    let form = "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n".to_owned() + &"x".repeat(100_000);
    let form = server.request("POST", assets).header("content-type", "multipart/form-data; boundary=b").body(form);
    assert_eq!(server.send(form).await.problem().0 / 100, 4, "a form without its end");
    // A client can never name a file of the server's host, however it sends it.
    for request in [
        server.request("POST", &format!("{assets}?name=a.bin&source_path=/etc/hostname")).body("x"),
        server
            .request("POST", assets)
            .header("content-type", "multipart/form-data; boundary=b")
            .body("--b\r\nContent-Disposition: form-data; name=\"source_path\"\r\n\r\n/etc/hostname\r\n--b--\r\n"),
    ] {
        let refused = server.send(request).await;
        assert_eq!(refused.status / 100, 4, "{}", refused.text());
    }
    // The client disconnects halfway.
    let mut stream = begin(&server, &format!("{assets}?name=half.bin"), "application/octet-stream", 4 * MIB).await;
    stream.write_all(&bytes(2 * MIB)).await.unwrap();
    while on_disk(&uploads(&server)) < MIB as u64 {
        tokio::task::yield_now().await;
    }
    drop(stream);
    while on_disk(&uploads(&server)) > 0 {
        tokio::task::yield_now().await;
    }
    let listed = server.get(assets).await.json();
    assert_eq!(listed["assets"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_in_memory_is_bounded_over_all_requests() {
    let server = Server::with(Bench::with_notes().await, |options| options.max_body_bytes = MIB).await;
    let write = |n: usize| {
        let params = json!({ "workbench_id": "deck", "path": format!("{n}.txt"), "text": "x".repeat(900_000) });
        with_json(server.request("POST", "/api/op/DraftWriteText"), &params).send()
    };
    let held = hold(&server.bench);
    let mut writing = JoinSet::new();
    for n in 0..40 {
        writing.spawn(write(n));
    }
    // All of them wait for the folder, except those that exceed the memory budget.
    let first = writing.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(first.status(), 503);
    assert!(first.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
    let problem: Value = serde_json::from_slice(&first.bytes().await.unwrap()).unwrap();
    assert_eq!((&problem["error_code"], &problem["retryable"]), (&json!("BUSY"), &json!(true)));
    assert!(problem["message"].as_str().unwrap().contains("large requests"), "{problem}");
    // Small requests still work.
    server.done("WorkbenchList", &json!({})).await;
    drop(held);
    let mut done = 0;
    while let Some(answer) = writing.join_next().await {
        let status = answer.unwrap().unwrap().status();
        assert!(status == 200 || status == 503, "{status}");
        done += usize::from(status == 200);
    }
    assert!(done >= 10, "{done} of 40 were taken at once");
    // When they end, their memory is released.
    assert_eq!(write(41).await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_many_large_fields_is_refused() {
    let server = Server::start().await;
    let field = format!("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n{}\r\n", "x".repeat(8 * MIB));
    let request = server.request("POST", "/w/deck/files").header("content-type", "multipart/form-data; boundary=b");
    let cookie = format!("jig_token={}", server.start.as_deref().unwrap());
    let request = request.header("origin", format!("http://{}", server.address)).header("cookie", cookie);
    let answer = server.send(request.body(field.repeat(6) + "--b--\r\n")).await;
    assert_eq!(answer.status, 413, "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_rejected_request_is_read_to_its_end_so_that_the_client_sees_why() {
    let server = Server::start().await;
    let token = server.start.clone().unwrap();
    let body = vec![b'x'; LARGE];
    for (request, token, status) in [
        ("POST /api/op/WorkbenchList", "wrong", 401),
        ("POST /api/op/WorkbenchLists", &*token, 404),
        ("POST /api/op/WorkbenchList", &*token, 413),
        ("PUT /api/workbenches/none/files/a.bin", &*token, 404),
        ("POST /api/workbenches/none/assets?name=a.bin", &*token, 404),
        ("DELETE /healthz", &*token, 405),
        ("POST /nowhere", &*token, 404),
        ("POST /mcp", "wrong", 401),
        ("POST /mcp", &*token, 413),
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {LARGE}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // A client that sends everything before it reads.
        stream.write_all(&body).await.unwrap_or_else(|e| panic!("{request}: {e}"));
        assert_eq!(answer(stream).await.0, status, "{request}");
    }
}
