//! Downloads: only what is requested is read, everything else is streamed, and damage never passes for a complete file.

use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde_json::json;

use crate::http_server::Server;

/// Larger than what is held in memory, and not a multiple of any chunk size.
const SIZE: usize = (3 << 20) + 17;

fn content() -> Vec<u8> {
    (0..SIZE).map(|n| u8::try_from(n * 7 % 251).unwrap()).collect()
}

/// The blob file of a file in `deck`.
async fn blob(server: &Server, path: &str) -> PathBuf {
    let info = server.done("FileGetInfo", &json!({ "workbench_id": "deck", "path": path })).await;
    let hash = info["hash"].as_str().unwrap().to_owned();
    server.bench.home().join("blobs").join(&hash[..2]).join(&hash[2..])
}

/// Changes the last stored byte, which is detected by reading everything.
fn damage(blob: &PathBuf) {
    let mut permissions = std::fs::metadata(blob).unwrap().permissions();
    #[expect(clippy::permissions_set_readonly_false, reason = "it is a file of the test's own")]
    permissions.set_readonly(false);
    std::fs::set_permissions(blob, permissions).unwrap();
    let mut file = std::fs::File::options().write(true).open(blob).unwrap();
    file.seek(SeekFrom::End(-1)).unwrap();
    file.write_all(&[255]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_comes_entire_and_in_parts() {
    let server = Server::start().await;
    let content = content();
    server.bench.add("large.bin", &content).await;
    let path = "/api/workbenches/deck/files/large.bin";
    let whole = server.get(path).await;
    assert_eq!((whole.status, whole.body.len()), (200, SIZE));
    assert!(whole.body == content);
    assert_eq!(whole.header("content-length"), SIZE.to_string());
    for (range, from, to) in [
        ("bytes=0-0".to_owned(), 0, 1),
        (format!("bytes={}-", SIZE - 1), SIZE - 1, SIZE),
        ("bytes=-5".to_owned(), SIZE - 5, SIZE),
        ("bytes=131071-262145".to_owned(), 131_071, 262_146),
        ("bytes=1000000-99999999".to_owned(), 1_000_000, SIZE),
    ] {
        let part = server.send(server.request("GET", path).header("range", &range)).await;
        assert_eq!(part.status, 206, "{range}");
        assert_eq!(part.header("content-range"), format!("bytes {from}-{}/{SIZE}", to - 1), "{range}");
        assert!(part.body == content[from..to], "{range}");
        let head = server.send(server.request("HEAD", path).header("range", &range)).await;
        assert_eq!((head.status, head.header("content-length")), (206, (to - from).to_string().as_str()), "{range}");
        assert!(head.body.is_empty());
    }
    let head = server.send(server.request("HEAD", path)).await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, SIZE.to_string().as_str(), 0));
    assert_eq!(head.header("etag"), whole.header("etag"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_asked_for_is_not_read() {
    let server = Server::start().await;
    server.bench.add("large.bin", &content()).await;
    let path = "/api/workbenches/deck/files/large.bin";
    let tag = server.send(server.request("HEAD", path)).await.header("etag").to_owned();
    damage(&blob(&server, "large.bin").await);
    // None of these reads everything, which would detect the damage.
    let part = server.send(server.request("GET", path).header("range", "bytes=0-9")).await;
    assert_eq!((part.status, &part.body[..]), (206, &content()[..10]));
    assert_eq!(server.send(server.request("HEAD", path)).await.status, 200);
    let known = server.send(server.request("GET", path).header("if-none-match", &tag)).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    let nowhere = server.send(server.request("GET", path).header("range", "bytes=99999999-")).await;
    assert_eq!(nowhere.status, 416);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_never_taken_for_a_complete_one() {
    let server = Server::start().await;
    server.bench.add("large.bin", &content()).await;
    server.bench.add("small.bin", b"a few bytes").await;
    damage(&blob(&server, "large.bin").await);
    damage(&blob(&server, "small.bin").await);
    let small = server.get("/api/workbenches/deck/files/small.bin").await;
    assert_eq!(small.problem().1, "BLOB_CORRUPT", "found before the first byte is sent");
    let large = server.request("GET", "/api/workbenches/deck/files/large.bin").send().await.unwrap();
    assert_eq!(large.status(), 200);
    assert!(large.bytes().await.is_err(), "the transfer is cut short");
    // A truncated file has another size, which is always detected.
    let file = std::fs::File::options().write(true).open(blob(&server, "large.bin").await).unwrap();
    file.set_len(1_000_000).unwrap();
    let part = server.request("GET", "/api/workbenches/deck/files/large.bin").header("range", "bytes=0-9");
    assert_eq!(server.send(part).await.problem().1, "BLOB_CORRUPT");
    std::fs::remove_file(blob(&server, "large.bin").await).unwrap();
    let gone = server.get("/api/workbenches/deck/files/large.bin").await;
    assert_eq!(gone.problem().1, "BLOB_CORRUPT");
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_are_handed_out_the_same_way() {
    let server = Server::start().await;
    let content = content();
    let upload = server.request("POST", "/api/workbenches/deck/assets?name=photo.bin").body(content.clone());
    let made = server.send(upload.header("content-type", "application/octet-stream")).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let path = format!("{}/content", made.header("location"));
    let whole = server.get(&path).await;
    assert!(whole.status == 200 && whole.body == content);
    let part = server.send(server.request("GET", &path).header("range", "bytes=100-199")).await;
    assert!(part.status == 206 && part.body == content[100..200]);
    let known = server.request("GET", &path).header("if-none-match", whole.header("etag"));
    assert_eq!(server.send(known).await.status, 304);
    let head = server.send(server.request("HEAD", &path)).await;
    assert_eq!((head.status, head.header("content-length")), (200, SIZE.to_string().as_str()));
    let none = server.get("/api/workbenches/deck/assets/0190b6c2-7d3e-7000-8000-000000000001/content").await;
    assert_eq!(none.problem(), (404, "ASSET_NOT_FOUND".to_owned()));
}
