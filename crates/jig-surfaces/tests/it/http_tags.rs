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
async fn no_route_ignores_a_condition_that_it_cannot_check() {
    let server = Server::start().await;
    let tag = etag(&put(&server, ENTRY, None, "mine").await);
    put(&server, ENTRY, None, "theirs").await;
    let late =
        json!({ "workbench_id": "deck", "role": "competitor", "entry_key": "globex", "data": { "name": "late" } });
    for (header, value) in [
        ("if-match", format!("\"{tag}\"")),
        ("if-match", "*".to_owned()),
        ("if-none-match", "*".to_owned()),
        ("if-match", "\"nonsense\"".to_owned()),
    ] {
        for path in ["/api/op/EntryPut", "/api/op/EntryDelete", "/api/workbenches/deck/assets"] {
            let body = if path.ends_with("assets") {
                json!({ "name": "a.txt", "content_base64": "YQ==" })
            } else {
                late.clone()
            };
            let refused = server.send(with_json(server.request("POST", path).header(header, &value), &body)).await;
            assert_eq!(refused.status, 400, "{path} with {header}: {value}: {}", refused.text());
        }
    }
    assert_eq!(server.get(ENTRY).await.json()["entry"]["data"]["name"], "theirs");
    let assets = server.done("AssetList", &json!({ "workbench_id": "deck" })).await;
    assert_eq!(assets["assets"], json!([]));
    // A read has nothing to overwrite.
    let read = server.request("POST", "/api/op/EntryGet").header("if-none-match", "*");
    let params = json!({ "workbench_id": "deck", "role": "competitor", "entry_key": "globex" });
    assert_eq!(server.send(with_json(read, &params)).await.status, 200);
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

const ITEM: &str = "/api/workbenches/deck/context/situation";

/// The situation of `deck`, with its tag as the header has it.
async fn situation(server: &Server) -> String {
    let params = json!({ "workbench_id": "deck", "category": "situation", "model": "offline:extract", "input": { "text": "Board on Friday." } });
    server.bench.call("ContextProcess", params).await;
    let read = server.get(ITEM).await;
    assert_eq!(read.header("etag"), format!("\"{}\"", read.json()["item"]["etag"].as_str().unwrap()));
    read.header("etag").to_owned()
}

async fn put_item(server: &Server, tag: Option<&str>, text: &str) -> Answer {
    let request = server.request("PUT", ITEM);
    let request = match tag {
        Some(tag) => request.header("if-match", tag),
        None => request,
    };
    server.send(with_json(request, &json!({ "files": [{ "path": "context.md", "content": text }] }))).await
}

#[tokio::test]
async fn a_context_item_is_written_on_its_tag_only() {
    let server = Server::start().await;
    assert_eq!(put_item(&server, Some("*"), "- none yet\n").await.status, 412, "there is no item");
    let first = situation(&server).await;
    let saved = put_item(&server, Some(&first), "- theirs\n").await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    let newest = saved.header("etag").to_owned();
    assert_ne!(newest, first);
    for wrong in [first.as_str(), "\"1\"", "\"c-0\"", &format!("W/{newest}"), newest.trim_matches('"')] {
        let refused = put_item(&server, Some(wrong), "- mine\n").await;
        assert_eq!(refused.problem(), (412, "CONFLICT".to_owned()), "{wrong}");
        let removed = server.send(server.request("DELETE", ITEM).header("if-match", wrong)).await;
        assert_eq!(removed.status, 412, "{wrong}");
    }
    let refused = put_item(&server, Some(&first), "- mine\n").await;
    assert_eq!(refused.json()["details"]["newer"][0]["content"], "- theirs\n", "{}", refused.text());
    let again = server.request("POST", &format!("{ITEM}/reprocess")).header("if-match", &first);
    let again =
        server.send(with_json(again, &json!({ "overwrite_direct_edits": true, "model": "offline:extract" }))).await;
    assert_eq!(again.status, 412, "{}", again.text());
    assert_eq!(put_item(&server, Some("*"), "- theirs too\n").await.status, 200);
    // The same text again is the same version, and a client that has it is told so.
    let tag = server.get(ITEM).await.header("etag").to_owned();
    assert_eq!(put_item(&server, Some(&tag), "- theirs too\n").await.header("etag"), tag);
    let known = server.send(server.request("GET", ITEM).header("if-none-match", &tag)).await;
    assert_eq!(known.status, 304);
    assert_eq!(server.send(server.request("DELETE", ITEM).header("if-match", &tag)).await.status, 200);
    situation(&server).await;
    assert_eq!(put_item(&server, Some(&tag), "- late\n").await.status, 412, "deleted and made again");
}

#[tokio::test]
async fn definitions_are_written_on_their_tag_only() {
    let server = Server::start().await;
    let base = "/api/workbenches/deck";
    let kind = |name: &str| {
        json!({ "definition": { "anchor_role": "partner", "display_name": name, "category": "market", "is_singleton": false,
            "field_schema": { "fields": [{ "key": "name", "type": "text", "label": "Name" }] } } })
    };
    let recipe = |name: &str| {
        json!({ "definition": { "recipe": "line", "display_name": name, "prompt": "{{context}}",
            "context_requirements": { "entries": [{ "role": "brand", "fields": ["name"] }] } } })
    };
    let stage = |name: &str| json!({ "definition": { "stage": "launch", "title": name } });
    let words = |name: &str| json!({ "description": name });
    type Body<'a> = &'a dyn Fn(&str) -> Value;
    let table: [(&str, &str, Body<'_>, &str); 4] = [
        ("POST", "/kinds", &kind, "/kinds/partner"),
        ("POST", "/recipes", &recipe, "/recipes/line"),
        ("POST", "/stages", &stage, "/stages/launch"),
        ("PATCH", "/project", &words, "/project"),
    ];
    for (verb, path, body, one) in table {
        let send = async |tag: Option<&str>, name: &str| {
            let request = server.request(verb, &format!("{base}{path}"));
            let request = match tag {
                Some("none") => request.header("if-none-match", "*"),
                Some(tag) => request.header("if-match", tag),
                None => request,
            };
            server.send(with_json(request, &body(name))).await
        };
        let made = send(Some("none"), "First").await;
        assert!(made.status < 300, "{path}: {}", made.text());
        let first = made.header("etag").to_owned();
        assert_eq!(send(Some("none"), "Again").await.status, 412, "{path}");
        let second = send(Some(&first), "Second").await;
        assert!(second.status < 300, "{path}: {}", second.text());
        let late = send(Some(&first), "Late").await;
        assert_eq!(late.problem(), (412, "CONFLICT".to_owned()), "{path}");
        assert!(late.json()["details"]["newer"].to_string().contains("Second"), "{}", late.text());
        if path != "/stages" {
            assert_eq!(server.get(&format!("{base}{one}")).await.header("etag"), second.header("etag"));
        }
        if verb == "POST" {
            let gone = server.send(server.request("DELETE", &format!("{base}{one}")).header("if-match", &first)).await;
            assert_eq!(gone.status, 412, "{path}");
            let tag = second.header("etag").to_owned();
            let gone = server.send(server.request("DELETE", &format!("{base}{one}")).header("if-match", &tag)).await;
            assert_eq!(gone.status, 200, "{path}: {}", gone.text());
        }
    }
}

#[tokio::test]
async fn the_forms_of_the_page_are_saved_on_what_they_showed() {
    let server = Server::start().await;
    situation(&server).await;
    let hidden = async |path: &str| -> String {
        let page = server.get(path).await.text();
        let at = page.find("name=\"base_revision\" value=\"").unwrap_or_else(|| panic!("no base in {path}: {page}"));
        page[at..].split('"').nth(3).unwrap().to_owned()
    };
    let post = async |path: &str, fields: &[(&str, &str)]| {
        let form = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        let request = server.request("POST", path).header("origin", format!("http://{}", server.address));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(form.collect::<Vec<_>>().join("&"))).await
    };
    // Two people open the editor; the second to save is told, with the text of the first.
    put_item(&server, None, "- one\r\n- two\r\n").await;
    let tag = hidden("/w/deck/context/situation?edit=1").await;
    let save = async |text: &str| {
        post("/w/deck/context/situation/direct", &[("base_revision", &tag), ("file:context.md", text)]).await
    };
    let total = server.done("JournalList", &json!({ "workbench_id": "deck" })).await["total"].clone();
    assert_eq!(save("- one\r\n- two\r\n").await.status, 303, "nothing was changed");
    assert_eq!(server.done("JournalList", &json!({ "workbench_id": "deck" })).await["total"], total);
    assert_eq!(save("- of Ada\n").await.status, 303);
    let refused = save("- of Bob\n").await;
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("- of Ada"), "the newer text is shown: {}", refused.text());
    for (path, extra) in [
        ("/w/deck/context/situation/delete", vec![]),
        ("/w/deck/context/situation/reprocess", vec![("overwrite", "true"), ("model", "offline:extract")]),
        ("/w/deck/context/situation/process", vec![("mode", "text"), ("text", "Late"), ("model", "offline:extract")]),
    ] {
        let fields: Vec<(&str, &str)> = [("base_revision", tag.as_str())].into_iter().chain(extra).collect();
        assert_eq!(post(path, &fields).await.status, 409, "{path}");
    }
    // A role, a recipe and the description of the work.
    let yaml = "anchor_role: partner\ndisplay_name: Partner\ncategory: market\nis_singleton: false\nfield_schema:\n  fields:\n    - {key: name, type: text, label: Name}\n";
    let recipe =
        "recipe: line\nprompt: \"{{context}}\"\ncontext_requirements: {entries: [{role: brand, fields: [name]}]}\n";
    for (path, query, field, text) in [
        ("/w/deck/roles", "?change=partner", "definition", yaml),
        ("/w/deck/recipes", "?change=line", "definition", recipe),
        ("/w/deck/plans", "", "description", "The launch"),
    ] {
        let none = hidden(path).await;
        let fields = |base: &str, text: &str| -> Vec<(String, String)> {
            [("base_revision", base), ("act", "describe"), (field, text)]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .into()
        };
        let send = async |base: &str, text: &str| {
            let fields = fields(base, text);
            let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            post(path, &fields).await
        };
        assert_eq!(send(&none, text).await.status, 303, "{path}");
        let changed =
            text.replace("Partner", "Ally").replace("{{context}}", "Say {{context}}").replace("launch", "end");
        assert_eq!(send(&none, &changed).await.status, 409, "{path}: somebody made it first");
        let seen = hidden(&format!("{path}{query}")).await;
        assert_eq!(send(&seen, &changed).await.status, 303, "{path}");
        assert_eq!(send(&seen, text).await.status, 409, "{path}");
    }
}

#[tokio::test]
async fn a_file_is_removed_as_it_was_seen() {
    let server = Server::start().await;
    let file = "/api/workbenches/deck/files/notes.txt";
    let remove = async |tag: Option<&str>| {
        let request = server.request("DELETE", file);
        server.send(tag.into_iter().fold(request, |request, tag| request.header("if-match", tag))).await
    };
    let old = server.get(file).await.header("etag").to_owned();
    let replaced = server.send(server.request("PUT", file).header("if-match", &old).body("theirs\n")).await;
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    for wrong in [old.as_str(), "\"x\"", "7"] {
        assert_eq!(remove(Some(wrong)).await.problem(), (412, "CONFLICT".to_owned()), "{wrong}");
    }
    assert_eq!(server.get(file).await.text(), "theirs\n");
    let tag = server.get(file).await.header("etag").to_owned();
    assert_eq!(remove(Some(&tag)).await.status, 200);
    assert_eq!(remove(Some("*")).await.status, 412, "there is nothing to remove");
    assert_eq!(remove(None).await.status, 404);
    let several = json!({ "workbench_id": "deck", "paths": ["a", "b"], "base_hash": "00".repeat(32) });
    assert_eq!(server.op("FileRemove", &several).await.problem().1, "VALIDATION_FAILED");
}
