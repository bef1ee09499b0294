//! Resources: the same operations under resource URLs.

use serde_json::{Value, json};

use crate::http_server::Server;

#[tokio::test]
async fn workbenches_are_made_renamed_and_deleted() {
    let server = Server::start().await;
    let made = server.body("POST", "/api/workbenches", &json!({ "name": "Board deck" })).await;
    assert_eq!((made.status, made.header("location")), (201, "/api/workbenches/board-deck"));
    let got = server.get(made.header("location")).await;
    assert_eq!(got.json(), made.json());
    let renamed = server.body("PATCH", "/api/workbenches/board-deck", &json!({ "name": "Q3" })).await;
    assert_eq!((renamed.status, &renamed.json()["name"]), (200, &json!("Q3")));
    let twice =
        server.body("PATCH", "/api/workbenches/board-deck", &json!({ "name": "Q3", "workbench_id": "deck" })).await;
    assert_eq!(twice.problem(), (400, "INVALID_PARAMS".to_owned()));
    let copy = server.body("POST", "/api/workbenches/board-deck/clone", &json!({ "name": "A try" })).await;
    assert_eq!((copy.status, copy.header("location")), (201, "/api/workbenches/a-try"));
    let unsure = server.send(server.request("DELETE", "/api/workbenches/a-try")).await;
    assert_eq!(unsure.problem().0, 400);
    let deleted = server.send(server.request("DELETE", "/api/workbenches/a-try?confirm=a-try")).await;
    assert_eq!((deleted.status, &deleted.json()["deleted"]), (200, &json!("a-try")));
    assert_eq!(server.get("/api/workbenches/a-try").await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn an_answer_that_is_known_is_not_sent_again() {
    let server = Server::start().await;
    let first = server.get("/api/workbenches/deck").await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    let again = || server.request("GET", "/api/workbenches/deck").header("if-none-match", &tag);
    let known = server.send(again()).await;
    assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, tag.as_str()));
    server.body("PATCH", "/api/workbenches/deck", &json!({ "name": "New" })).await;
    assert_eq!(server.send(again()).await.status, 200);
    let stale = server.request("PATCH", "/api/workbenches/deck").header("if-match", &tag);
    let stale = server.send(crate::http_server::json(stale, &json!({ "name": "Newer" }))).await;
    assert_eq!(stale.problem().0, 400, "what cannot be promised is refused");
}

#[tokio::test]
async fn lists_go_on_where_their_link_says() {
    let server = Server::start().await;
    server.bench.add_many(5).await;
    let mut path = "/api/workbenches/deck/files?limit=2&root=published".to_owned();
    let mut names = Vec::new();
    loop {
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text());
        names.extend(
            page.json()["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()),
        );
        let link = page.header("link");
        let Some(next) = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")) else { break };
        path = next.to_owned();
    }
    assert_eq!(names.len(), 6, "{names:?}");
    let mut path = "/api/workbenches/deck/journal?limit=1".to_owned();
    let mut numbers = Vec::new();
    loop {
        let page = server.get(&path).await;
        numbers.extend(page.json()["entries"].as_array().unwrap().iter().map(|entry| entry["seq"].as_u64().unwrap()));
        let Some(next) = page.header("link").split(['<', '>']).nth(1) else { break };
        path = next.to_owned();
    }
    assert_eq!(numbers, [3, 2, 1]);
}

#[tokio::test]
async fn files_are_handed_out_whole_or_in_part() {
    let server = Server::start().await;
    server.bench.add("sub/a b.html", b"<script>alert(1)</script>").await;
    let whole = server.get("/api/workbenches/deck/files/notes.txt").await;
    assert_eq!((whole.status, whole.text().as_str()), (200, "one\ntwo\n"));
    for (name, value) in [
        ("content-type", "text/plain"),
        ("accept-ranges", "bytes"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(whole.header(name), value, "{name}");
    }
    for (name, content, kind) in [("a.json", "{}", "application/json"), ("b.json", "no JSON", "text/plain")] {
        server.bench.add(name, content.as_bytes()).await;
        let answer = server.get(&format!("/api/workbenches/deck/files/{name}")).await;
        assert_eq!(answer.header("content-type"), kind, "{name}");
    }
    let part = |range: &str| server.request("GET", "/api/workbenches/deck/files/notes.txt").header("range", range);
    let middle = server.send(part("bytes=4-6")).await;
    assert_eq!((middle.status, middle.text().as_str(), middle.header("content-range")), (206, "two", "bytes 4-6/8"));
    let beyond = server.send(part("bytes=8-")).await;
    assert_eq!((beyond.status, beyond.header("content-range")), (416, "bytes */8"));
    let known =
        server.request("GET", "/api/workbenches/deck/files/notes.txt").header("if-none-match", whole.header("etag"));
    assert_eq!(server.send(known).await.status, 304);
    let page = server.get("/api/workbenches/deck/files/sub/a%20b.html").await;
    assert!(page.header("content-disposition").starts_with("attachment; filename=\"a b.html\""), "{page:?}");
    for (path, status, code) in [
        ("none.txt", 404, "FILE_NOT_FOUND"),
        ("..%2Fnotes.txt", 403, "SANDBOX_VIOLATION"),
        ("notes.txt?root=nowhere", 400, "INVALID_PARAMS"),
    ] {
        let answer = server.get(&format!("/api/workbenches/deck/files/{path}")).await;
        assert_eq!(answer.problem(), (status, code.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn the_draft_and_the_journal_are_resources() {
    let server = Server::start().await;
    let write = json!({ "workbench_id": "deck", "path": "notes.txt", "text": "three" });
    server.done("DraftWriteText", &write).await;
    let changes = server.get("/api/workbenches/deck/draft/changes").await.json();
    assert_eq!(changes["changes"][0]["path"], "notes.txt");
    let draft = server.get("/api/workbenches/deck/files/notes.txt?root=draft").await;
    assert_eq!(draft.text(), "three");
    let published = server.body("POST", "/api/workbenches/deck/draft/publish", &json!({})).await.json();
    assert_eq!(published["modified"], json!(["notes.txt"]));
    let undone = server.send(server.request("POST", "/api/workbenches/deck/journal/undo")).await;
    assert_eq!(undone.status, 200, "{}", undone.text());
    let items: Value = server.get("/api/workbenches/deck/context").await.json();
    assert_eq!(items["items"].as_array().unwrap().len(), 4);
    let item = json!({ "files": [{ "path": "context.md", "content": "## Now\n\n- Board meeting on Friday\n" }] });
    let put = server.body("PUT", "/api/workbenches/deck/context/situation", &item).await;
    assert_ne!(put.status, 500, "{}", put.text());
}
