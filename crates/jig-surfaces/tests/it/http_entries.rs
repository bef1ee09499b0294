//! Entries, assets, proposals and kinds as resources.

use serde_json::json;

use crate::http_server::{Answer, Server, json as with_json};

const BRAND: &str = "/api/workbenches/deck/context-entries/brand";

async fn put(server: &Server, path: &str, header: Option<(&str, &str)>, data: serde_json::Value) -> Answer {
    let mut request = server.request("PUT", path);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    server.send(with_json(request, &json!({ "data": data }))).await
}

#[tokio::test]
async fn an_entry_is_made_changed_and_guarded_by_its_tag() {
    let server = Server::start().await;
    assert_eq!(server.get(BRAND).await.problem(), (404, "ENTRY_NOT_FOUND".to_owned()));
    let nothing = put(&server, BRAND, Some(("if-match", "*")), json!({ "name": "Acme" })).await;
    assert_eq!(nothing.problem(), (412, "CONFLICT".to_owned()), "there is none yet");
    let made = put(&server, BRAND, Some(("if-none-match", "*")), json!({ "name": "Acme" })).await;
    assert_eq!((made.status, made.header("location")), (201, BRAND), "{}", made.text());
    let twice = put(&server, BRAND, Some(("if-none-match", "*")), json!({ "name": "Globex" })).await;
    assert_eq!(twice.problem(), (412, "CONFLICT".to_owned()));
    let read = server.get(BRAND).await;
    let tag = read.header("etag").to_owned();
    assert!(tag.starts_with("\"1-"), "{tag}");
    assert_eq!(server.send(server.request("GET", BRAND).header("if-none-match", &tag)).await.status, 304);
    let changed = put(&server, BRAND, Some(("if-match", &tag)), json!({ "voice": "Plain." })).await;
    assert_eq!((changed.status, changed.header("location")), (200, ""), "{}", changed.text());
    assert!(changed.header("etag").starts_with("\"2-"));
    let stale = put(&server, BRAND, Some(("if-match", &tag)), json!({ "voice": "Late." })).await;
    assert_eq!(stale.problem(), (412, "CONFLICT".to_owned()));
    assert_eq!(stale.json()["details"]["newer_revision"]["number"], 2, "{}", stale.text());
    let old = with_json(server.request("PUT", BRAND), &json!({ "data": { "voice": "Late." }, "base_revision": 1 }));
    assert_eq!(server.send(old).await.problem(), (409, "CONFLICT".to_owned()), "the same without a header");
    let any = put(&server, BRAND, Some(("if-match", "*")), json!({ "voice": "Any." })).await;
    assert_eq!(any.status, 200, "{}", any.text());
    let gone = server.send(server.request("DELETE", BRAND).header("if-match", &tag)).await;
    assert_eq!(gone.problem(), (412, "CONFLICT".to_owned()));
    let deleted = server.send(server.request("DELETE", &format!("{BRAND}?base_revision=3"))).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert_eq!(server.get(BRAND).await.status, 404);
}

#[tokio::test]
async fn only_the_fields_that_are_asked_for_come() {
    let server = Server::start().await;
    put(&server, BRAND, None, json!({ "name": "Acme", "voice": "Plain.", "tagline": "Ropes." })).await;
    let some = server.get(&format!("{BRAND}?fields=name,voice")).await.json();
    assert_eq!(some["entry"]["data"], json!({ "name": "Acme", "voice": "Plain." }));
    let wrong = put(&server, BRAND, None, json!({ "nmae": "Acme", "voice": 3 })).await;
    assert_eq!(wrong.problem(), (400, "VALIDATION_FAILED".to_owned()));
    assert_eq!(server.get(&format!("{BRAND}?fields=nmae")).await.status, 400);
    assert_eq!(server.get("/api/workbenches/deck/context-entries/brnd").await.problem().1, "KIND_NOT_FOUND");
}

#[tokio::test]
async fn entries_with_keys_come_back_all_of_them_in_pages() {
    let server = Server::start().await;
    let entries = "/api/workbenches/deck/context-entries";
    for key in ["globex", "initech", "extract"] {
        let made = put(&server, &format!("{entries}/competitor/{key}"), None, json!({ "name": key })).await;
        assert_eq!(made.status, 201, "{key}: {}", made.text());
    }
    let mut path = format!("{entries}?limit=2&role=competitor");
    let mut keys = Vec::new();
    loop {
        let page = server.get(&path).await;
        let listed = page.json();
        keys.extend(listed["entries"].as_array().unwrap().iter().map(|e| e["entry_key"].as_str().unwrap().to_owned()));
        let Some(next) = page.header("link").split(['<', '>']).nth(1) else { break };
        path = next.to_owned();
    }
    assert_eq!(keys, ["extract", "globex", "initech"]);
    let history = server.get(&format!("{entries}/competitor/globex/history")).await.json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 1);
    put(&server, BRAND, None, json!({ "name": "Acme" })).await;
    let of_one = server.get(&format!("{entries}/brand/_/history")).await;
    assert_eq!(of_one.status, 200, "{}", of_one.text());
    let deleted = server.send(server.request("DELETE", &format!("{entries}/competitor/extract"))).await;
    assert_eq!(deleted.status, 200, "an entry may be called as a step is: {}", deleted.text());
}

#[tokio::test]
async fn values_are_found_in_a_text_and_accepted() {
    let server = Server::start().await;
    let text = json!({ "text": "Brand Name: Acme\nTagline: Ropes that hold.", "model": "offline:extract" });
    let found = server.body("POST", &format!("{BRAND}/extract"), &text).await;
    assert_eq!(found.status, 200, "{}", found.text());
    let id = found.json()["proposal"]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(BRAND).await.status, 404, "nothing is written yet");
    let listed = server.get("/api/workbenches/deck/proposals").await.json();
    assert_eq!(listed["proposals"][0]["id"], id.as_str());
    let accept = format!("/api/workbenches/deck/proposals/{id}/accept");
    let accepted = server.body("POST", &accept, &json!({})).await;
    assert_eq!(accepted.status, 200, "{}", accepted.text());
    assert_eq!(server.get(BRAND).await.json()["entry"]["data"]["name"], "Acme");
}

#[tokio::test]
async fn assets_come_as_bytes_as_a_form_or_as_json() {
    let server = Server::start().await;
    let assets = "/api/workbenches/deck/assets";
    let raw =
        server.request("POST", &format!("{assets}?name=hello.txt")).header("content-type", "application/octet-stream");
    let raw = server.send(raw.body("hello")).await;
    assert_eq!(raw.status, 201, "{}", raw.text());
    let place = raw.header("location").to_owned();
    assert_eq!(server.get(&place).await.json()["asset"]["name"], "hello.txt");
    let bytes = server.get(&format!("{place}/content")).await;
    assert_eq!((bytes.status, bytes.text().as_str()), (200, "hello"));
    assert_eq!(bytes.header("content-security-policy"), "sandbox; default-src 'none'");
    let part = server.request("GET", &format!("{place}/content")).header("range", "bytes=1-2");
    let part = server.send(part).await;
    assert_eq!((part.status, part.text().as_str(), part.header("content-range")), (206, "el", "bytes 1-2/5"));
    let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nform\r\n--b--\r\n";
    let request = server.request("POST", assets).header("content-type", "multipart/form-data; boundary=b").body(form);
    let by_form = server.send(request).await;
    assert_eq!((by_form.status, &by_form.json()["asset"]["name"]), (201, &json!("a.txt")), "{}", by_form.text());
    let by_json = server.body("POST", assets, &json!({ "name": "b.txt", "content_base64": "anNvbg==" })).await;
    assert_eq!((by_json.status, &by_json.json()["asset"]["size"]), (201, &json!(4)), "{}", by_json.text());
    let broken = server.request("POST", assets).header("content-type", "multipart/form-data; boundary=b").body("--x");
    assert_eq!(server.send(broken).await.problem().0, 400);
    let listed = server.get(assets).await.json();
    assert_eq!(listed["assets"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn another_workbenchs_asset_is_not_found() {
    let server = Server::start().await;
    server.done("WorkbenchCreate", &json!({ "name": "Other" })).await;
    let made =
        server.body("POST", "/api/workbenches/deck/assets", &json!({ "name": "a", "content_base64": "YQ==" })).await;
    let id = made.json()["asset"]["asset_id"].as_str().unwrap().to_owned();
    for path in [format!("/api/workbenches/other/assets/{id}"), format!("/api/workbenches/other/assets/{id}/content")] {
        assert_eq!(server.get(&path).await.problem(), (404, "ASSET_NOT_FOUND".to_owned()), "{path}");
    }
}
