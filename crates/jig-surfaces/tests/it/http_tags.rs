//! `ETag`, the body's `etag` and `base_revision` are one value, compared as a whole; a no-op save makes no revision.

use serde_json::{Value, json};

use crate::http_server::{Answer, Server, json as with_json};

const ENTRY: &str = "/api/workbenches/deck/context-entries/competitor/globex";
const PLAN: &str = "/api/workbenches/deck/artifacts/plan";

async fn put(server: &Server, path: &str, tag: Option<&str>, text: &str) -> Answer {
    let body = if path == ENTRY { json!({ "data": { "name": text } }) } else { json!({ "content": text }) };
    let request = server.request("PUT", path);
    let request = match tag {
        Some(tag) => request.header("if-match", tag),
        None => request,
    };
    server.send(with_json(request, &body)).await
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn etag(answer: &Answer) -> String {
    let body: Value = answer.json();
    let inner = body["entry"]["etag"].as_str().or_else(|| body["artifact"]["etag"].as_str()).unwrap().to_owned();
    assert_eq!(answer.header("etag"), format!("\"{inner}\""), "the header and the body say the same");
    inner
}

#[tokio::test]
async fn the_header_the_body_and_the_base_are_one_value() {
    let server = Server::start().await;
    for path in [ENTRY, PLAN] {
        let made = put(&server, path, None, "one").await;
        assert_eq!(made.status, 201, "{}", made.text());
        let tag = etag(&made);
        assert_eq!(etag(&server.get(path).await), tag);
        let narrowed =
            server.get(&format!("{path}?{}", if path == ENTRY { "fields=name" } else { "outline=true" })).await;
        assert_eq!(etag(&narrowed), tag, "whatever part of it is read");
        let changed = put(&server, path, Some(&format!("\"{tag}\"")), "two").await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        let next = etag(&changed);
        assert_ne!(next, tag);
        for wrong in [
            format!("\"{tag}\""),
            format!("W/\"{next}\""),
            next.clone(),
            format!("\"{}\"", next.split('-').next().unwrap()),
            format!("\"{}-{}\"", next.split('-').next().unwrap(), tag.split('-').nth(1).unwrap()),
            "\"2\"".to_owned(),
        ] {
            let refused = put(&server, path, Some(&wrong), "late").await;
            assert_eq!(refused.problem(), (412, "CONFLICT".to_owned()), "{wrong}");
        }
        let mut body =
            if path == ENTRY { json!({ "data": { "name": "three" } }) } else { json!({ "content": "three" }) };
        body["base_revision"] = json!(next);
        assert_eq!(server.body("PUT", path, &body).await.status, 200, "the same value in the body");
        assert_eq!(server.body("PUT", path, &body).await.problem(), (409, "CONFLICT".to_owned()));
    }
}

#[tokio::test]
async fn a_tag_of_something_deleted_or_undone_opens_nothing() {
    let server = Server::start().await;
    let deck = json!({ "workbench_id": "deck" });
    for path in [ENTRY, PLAN] {
        let old = format!("\"{}\"", etag(&put(&server, path, None, "mine").await));
        assert_eq!(server.send(server.request("DELETE", path)).await.status, 200);
        assert_eq!(put(&server, path, Some(&old), "late").await.status, 412);
        let again = put(&server, path, None, "theirs").await;
        assert_eq!(again.status, 201, "a new one, whatever its number: {}", again.text());
        assert_eq!(put(&server, path, Some(&old), "late").await.status, 412, "{path}");
        assert_eq!(server.send(server.request("DELETE", path).header("if-match", &old)).await.status, 412);
        let undone = format!("\"{}\"", etag(&put(&server, path, None, "undone").await));
        server.done("JournalUndo", &deck).await;
        put(&server, path, None, "somebody else").await;
        assert_eq!(put(&server, path, Some(&undone), "late").await.status, 412, "{path}");
    }
}

#[tokio::test]
async fn saving_what_is_there_changes_nothing_by_any_way() {
    let server = Server::start().await;
    // Made by an agent, from a source: what a form must not lose. Blanks and line ends a browser does not send back.
    let data = json!({ "name": " Globex ", "description": "one\r\ntwo", "strengths": ["price ", "", "reach"] });
    let (_, agent) = server.bench.token_for("agent", "writer", None).await;
    let sources = json!([{ "type": "file", "name": "report.pdf" }]);
    let params = json!({ "workbench_id": "deck", "role": "competitor", "entry_key": "globex", "data": data, "sources": sources });
    let made = server.op_as(&agent, "EntryPut", &params).await;
    assert_eq!(made.json()["outcome"], "written", "{}", made.text());
    let before = server.get(ENTRY).await;
    let tag = etag(&before);
    let total = server.done("JournalList", &json!({ "workbench_id": "deck" })).await["total"].clone();
    let stored = before.json()["entry"]["data"].clone();
    assert_eq!(server.body("PUT", ENTRY, &json!({ "data": stored })).await.status, 200);
    assert_eq!(server.body("PUT", ENTRY, &json!({ "data": stored, "mode": "replace" })).await.status, 200);
    // The page's own form, as a browser sends it: all fields, as they were shown.
    let fields = [
        ("key", "globex"),
        ("base_revision", tag.as_str()),
        ("v:name", "Globex"),
        ("v:description", "one\r\ntwo"),
        ("shown:strengths", "1"),
        ("v:strengths", "price"),
        ("v:strengths", "reach"),
        ("v:strengths", ""),
        ("v:website", ""),
        ("v:notes", ""),
    ];
    let form = fields.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).join("&");
    let post = |form: String| {
        let request = server.request("POST", "/w/deck/entry/competitor");
        let request = request.header("origin", format!("http://{}", server.address));
        request.header("content-type", "application/x-www-form-urlencoded").body(form)
    };
    let saved = server.send(post(form.clone())).await;
    assert_eq!(saved.status, 303, "{}", saved.text());
    let after = server.get(ENTRY).await;
    assert_eq!(after.json(), before.json());
    assert_eq!(server.done("JournalList", &json!({ "workbench_id": "deck" })).await["total"], total);
    // One field is changed: the others keep who wrote them and from what.
    let saved = server.send(post(form.replace("v%3Aname=Globex", "v%3Aname=Globex%20Corp"))).await;
    assert_eq!(saved.status, 303, "{}", saved.text());
    let changed = server.get(ENTRY).await.json()["entry"].clone();
    assert_eq!(changed["data"]["name"], "Globex Corp");
    assert_eq!(changed["data"]["description"], stored["description"]);
    for field in changed["fields"].as_array().unwrap() {
        let by = if field["key"] == "name" { "person" } else { "agent" };
        assert_eq!(field["by"]["type"], by, "{field}");
        assert_eq!(field["sources"].is_array(), by == "agent", "{field}");
    }
    // The same form once more is too late.
    assert_eq!(server.send(post(form)).await.status, 409);
}
