//! Files by their raw bytes: added, replaced and removed at their own URLs.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::bench::Bench;
use crate::http_server::{Answer, Server};

const FILES: &str = "/api/workbenches/deck/files";

fn put(server: &Server, path: &str) -> RequestBuilder {
    server.request("PUT", &format!("{FILES}/{path}"))
}

async fn sent(server: &Server, path: &str, bytes: impl Into<reqwest::Body>) -> Answer {
    server.send(put(server, path).body(bytes)).await
}

/// The files in the staging folder.
fn staged(server: &Server) -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(server.bench.home().join("uploads")) else { return Vec::new() };
    let inside = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    folders.flatten().flat_map(|folder| inside(folder.path())).map(|entry| entry.path()).collect()
}

async fn names(server: &Server) -> Vec<String> {
    let list = server.get(FILES).await.json();
    list["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_file_is_added_and_replaced_by_its_bytes() {
    let server = Server::start().await;
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let made = sent(&server, "sub/a%20b%20%C3%BC.bin", bytes.clone()).await;
    assert_eq!((made.status, made.header("location")), (201, format!("{FILES}/sub/a%20b%20%C3%BC.bin").as_str()));
    assert_eq!(
        (&made.json()["added"][0]["path"], &made.json()["added"][0]["bytes"]),
        (&json!("sub/a b ü.bin"), &json!(300_000))
    );
    let read = server.get(made.header("location")).await;
    assert_eq!((&read.body, read.header("etag")), (&bytes, made.header("etag")));
    let same = sent(&server, "sub/a%20b%20%C3%BC.bin", bytes).await;
    assert_eq!((same.status, same.header("location")), (200, ""), "{}", same.text());
    assert_eq!(same.json()["unchanged"][0]["path"], "sub/a b ü.bin");
    let other = sent(&server, "sub/a%20b%20%C3%BC.bin", "new").await;
    assert_eq!((other.status, &other.json()["replaced"][0]["bytes"]), (200, &json!(3)), "{}", other.text());
    assert_ne!(other.header("etag"), made.header("etag"));
    let empty = server.send(put(&server, "empty.txt")).await;
    assert_eq!((empty.status, &empty.json()["added"][0]["bytes"]), (201, &json!(0)), "{}", empty.text());
    assert_eq!(names(&server).await, ["empty.txt", "notes.txt", "sub/a b ü.bin"]);
    let journal = server.get("/api/workbenches/deck/journal").await.json();
    assert_eq!(
        journal["entries"].as_array().unwrap().iter().filter(|entry| entry["operation"] == "FileAdd").count(),
        4,
        "one for each change: {journal}"
    );
    assert_eq!(staged(&server), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_tag_guards_a_file() {
    let server = Server::start().await;
    let with = |header: &'static str, value: &str, body: &'static str| {
        put(&server, "notes.txt").header(header, value).body(body)
    };
    let tag = server.get(&format!("{FILES}/notes.txt")).await.header("etag").to_owned();
    let conflict = (412, "CONFLICT".to_owned());
    for (header, value) in [("if-none-match", "*"), ("if-match", "\"none\""), ("if-match", "notes")] {
        assert_eq!(server.send(with(header, value, "x")).await.problem(), conflict, "{header}: {value}");
    }
    assert_eq!(server.send(with("if-none-match", "*", "one\ntwo\n")).await.problem(), conflict, "also the same bytes");
    assert_eq!(server.send(with("if-none-match", &tag, "x")).await.problem().0, 400, "this means nothing to a write");
    let changed = server.send(with("if-match", &tag, "three")).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let stale = server.send(with("if-match", &tag, "too late")).await;
    assert_eq!(stale.problem(), conflict);
    assert_eq!(format!("\"{}\"", stale.json()["details"]["current_hash"].as_str().unwrap()), changed.header("etag"));
    assert_eq!(server.send(with("if-match", "*", "four")).await.status, 200);
    assert_eq!(server.get(&format!("{FILES}/notes.txt")).await.text(), "four");
    let nothing = put(&server, "new.txt").header("if-match", "*").body("x");
    assert_eq!(server.send(nothing).await.problem(), conflict, "there is none yet");
    let first = put(&server, "new.txt").header("if-none-match", "*").body("x");
    assert_eq!(server.send(first).await.status, 201);
}

#[tokio::test]
async fn what_is_no_file_of_the_workbench_is_refused_and_leaves_nothing() {
    let server = Server::start().await;
    server.bench.add("sub/a.txt", b"a").await;
    for (path, status, code) in [
        ("..%2Fa.txt", 403, "SANDBOX_VIOLATION"),
        ("a%2F..%2F..%2Fb.txt", 403, "SANDBOX_VIOLATION"),
        ("%2Fetc%2Fpasswd", 403, "SANDBOX_VIOLATION"),
        ("a%5Cb.txt", 403, "SANDBOX_VIOLATION"),
        ("a%00.txt", 403, "SANDBOX_VIOLATION"),
        ("CON", 403, "SANDBOX_VIOLATION"),
        ("a//b.txt", 403, "SANDBOX_VIOLATION"),
        ("sub/", 403, "SANDBOX_VIOLATION"),
        ("a.txt?root=draft", 400, "INVALID_PARAMS"),
        ("NOTES.TXT", 409, "FILE_EXISTS"),
    ] {
        assert_eq!(sent(&server, path, "x").await.problem(), (status, code.to_owned()), "{path}");
    }
    for path in ["sub", "notes.txt/b.txt"] {
        let answer = sent(&server, path, "x").await;
        assert_eq!(answer.problem().0, 409, "{path} is in the way of others: {}", answer.text());
    }
    let elsewhere = server.request("PUT", "/api/workbenches/nowhere/files/a.txt").body("x");
    assert_eq!(server.send(elsewhere).await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
    for (header, value, status) in [
        ("content-type", "multipart/form-data; boundary=x", 415),
        ("content-encoding", "gzip", 415),
        ("content-range", "bytes 0-0/9", 400),
    ] {
        let answer = server.send(put(&server, "a.txt").header(header, value).body("x")).await;
        assert_eq!(answer.problem(), (status, "INVALID_REQUEST".to_owned()), "{header}");
    }
    server.done("DraftCreate", &json!({ "workbench_id": "deck" })).await;
    assert_eq!(sent(&server, "a.txt", "x").await.problem(), (409, "DRAFT_EXISTS".to_owned()));
    assert_eq!(names(&server).await, ["notes.txt", "sub/a.txt"]);
    assert_eq!(staged(&server), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn what_is_too_large_is_413_and_leaves_nothing() {
    let bench = Bench::with_config(|config| config.limits.file_bytes = 500).await;
    bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
    let server = Server::with(bench, |options| options.max_upload_bytes = 1_000).await;
    let in_pieces = |bytes: usize| {
        let pieces = (0..bytes / 100).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 100]));
        reqwest::Body::wrap_stream(futures::stream::iter(pieces))
    };
    for (path, bytes, expected) in [
        ("a.csv", 1_000, None),
        ("a.csv", 1_100, Some("MESSAGE_TOO_LARGE")),
        ("a.txt", 500, None),
        ("a.txt", 600, Some("LIMIT_EXCEEDED")),
    ] {
        for body in [reqwest::Body::from(vec![b'y'; bytes]), in_pieces(bytes)] {
            let answer = sent(&server, path, body).await;
            match expected {
                Some(code) => {
                    assert_eq!(answer.problem(), (413, code.to_owned()), "{path} {bytes}");
                    let hint = answer.json()["hints"].to_string();
                    assert!(hint.contains("serve.max_upload_bytes") || hint.contains("limits.file_bytes"), "{hint}");
                }
                None => assert!(answer.status < 300, "{path} {bytes}: {}", answer.text()),
            }
        }
    }
    assert_eq!(staged(&server), Vec::<PathBuf>::new());
    // A client that waits for `100 Continue` is refused before it sends the body.
    let head = "PUT /api/workbenches/deck/files/b.csv HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n";
    let said = server.raw(&format!("{head}Content-Length: 5000\r\nConnection: close\r\n\r\n")).await;
    assert!(said.starts_with("HTTP/1.1 413 "), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_written_to_disk_as_it_comes_and_gone_when_it_breaks_off() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let start = server.start.as_deref().unwrap();
    let head = format!(
        "PUT /api/workbenches/deck/files/large.bin HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {start}\r\n\
         Content-Length: 900000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![7; 400_000]).await.unwrap();
    let on_disk = || staged(&server).iter().map(|place| place.metadata().map_or(0, |meta| meta.len())).sum::<u64>();
    while on_disk() < 400_000 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(stream);
    while !staged(&server).is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(names(&server).await, ["notes.txt"]);
}

#[tokio::test]
async fn a_file_that_does_not_come_in_time_is_given_up() {
    let server = Server::with(Bench::with_notes().await, |options| options.body_time = Duration::from_millis(30)).await;
    let head = "PUT /api/workbenches/deck/files/slow.bin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc";
    let said = server.raw(head).await;
    assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    assert_eq!((names(&server).await, staged(&server)), (vec!["notes.txt".to_owned()], Vec::new()));
}

#[tokio::test]
async fn a_file_is_removed_at_its_address() {
    let server = Server::start().await;
    let remove = |path: &str| server.request("DELETE", &format!("{FILES}/{path}"));
    assert_eq!(server.send(remove("notes.txt").header("if-match", "\"x\"")).await.problem().0, 412);
    let gone = server.send(remove("notes.txt")).await;
    assert_eq!((gone.status, gone.json()), (200, json!({ "removed": ["notes.txt"] })));
    assert_eq!(server.send(remove("notes.txt")).await.problem(), (404, "FILE_NOT_FOUND".to_owned()));
    let both = server.send(remove("a.txt?paths=b.txt")).await;
    assert_eq!(both.problem().0, 400, "{}", both.text());
}

/// Folders of killed servers are removed at the next start; those of running servers are not.
#[tokio::test(flavor = "multi_thread")]
async fn what_killed_servers_left_behind_is_removed_at_the_start() {
    let bench = Bench::with_notes().await;
    let uploads = bench.home().join("uploads");
    let folder = |name: &str| {
        std::fs::create_dir_all(uploads.join(name).join("sub")).unwrap();
        std::fs::write(uploads.join(name).join("sub/part.bin"), "half").unwrap();
    };
    for name in ["dead.1", "dead.2", "alive.1", "of-an-older-version", "lost.1"] {
        folder(name);
    }
    std::fs::write(uploads.join("dead.lock"), "").unwrap();
    let alive = std::fs::File::create(uploads.join("alive.lock")).unwrap();
    alive.lock().unwrap();
    let server = Server::with(bench, |_| {}).await;
    assert_eq!(server.get("/readyz").await.status, 200);
    let left = || {
        let entries = std::fs::read_dir(server.bench.home().join("uploads")).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(left(), ["alive.1", "alive.lock", "lost.1", "of-an-older-version"]);
    // An upload works next to them and only leaves the lock of this server.
    assert_eq!(sent(&server, "new.bin", "bytes").await.status, 201);
    assert_eq!(left().len(), 5, "{:?}", left());
    let bench = server.finish().await;
    assert!(!bench.home().join("uploads").join("dead.1").exists());
    drop(alive);
}
