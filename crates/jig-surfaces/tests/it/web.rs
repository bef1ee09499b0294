//! The web app without a browser: forms as a browser sends them, and requests that it must refuse.

use reqwest::RequestBuilder;
use serde_json::json;

use crate::http_server::{Answer, Server};

/// A request as a browser sends it.
fn visit(server: &Server, path: &str) -> RequestBuilder {
    server.request("GET", path).header("accept", "text/html")
}

fn form(server: &Server, path: &str, body: &str) -> RequestBuilder {
    sent(server, path, "application/x-www-form-urlencoded", "http", body)
}

/// A form with this media type, sent from the app's own page over this scheme.
fn sent(server: &Server, path: &str, media_type: &str, scheme: &str, body: &str) -> RequestBuilder {
    let request = server.request("POST", path).header("accept", "text/html");
    let request = request.header("origin", format!("{scheme}://{}", server.address));
    request.header("content-type", media_type).body(body.to_owned())
}

/// A form with one file.
fn upload(server: &Server, path: &str, field: &str, name: &str, content: &str) -> RequestBuilder {
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
         Content-Type: text/plain\r\n\r\n{content}\r\n--b--\r\n"
    );
    sent(server, path, "multipart/form-data; boundary=b", "http", &body)
}

#[track_caller]
fn went_to(answer: &Answer, place: &str) {
    assert_eq!((answer.status, answer.header("location")), (303, place), "{}", answer.text());
}

#[tokio::test]
async fn every_screen_is_a_page_with_nothing_inside_that_the_policy_forbids() {
    let server = Server::start().await;
    server.bench.call("DraftWriteText", json!({ "workbench_id": "deck", "path": "notes.txt", "text": "new\n" })).await;
    server.bench.call("ArtifactCreate", json!({ "workbench_id": "deck", "title": "Concept" })).await;
    let session = server.bench.call("SessionCreate", json!({ "workbench_id": "deck" })).await;
    let session = session["session"]["id"].as_str().unwrap();
    for path in [
        &format!("/w/deck/workshop/{session}"),
        &format!("/w/deck/agent/session/{session}"),
        &format!("/w/deck/agent/session/{session}?replay=1"),
        "/w/deck/plans",
        "/w/deck/plans/concept",
        "/w/deck/plans/concept?edit=1",
        "/w/deck/plans/concept?revision=1",
        "/w/deck/workshop",
        "/w/deck/workshop?new=1",
        "/w/deck/agent",
        "/w/deck/agent/workspace/jig",
        "/w/deck/agent/workspace/jig?file=agent.workspace.json",
        "/",
        "/settings",
        "/sign-in",
        "/w/deck",
        "/w/deck?q=one",
        "/w/deck/file/notes.txt",
        "/w/deck/context",
        "/w/deck/context/situation/input",
        "/w/deck/roles",
        "/w/deck/new/brand",
        "/w/deck/entries/competitor",
        "/w/deck/proposals",
        "/w/deck/recipes",
        "/w/deck/recipes/weekly-content-calendar",
        "/w/deck/review",
        "/w/deck/review/notes.txt",
        "/w/deck/publish",
        "/w/deck/discard",
        "/w/deck/history",
        "/w/deck/prompt",
        "/w/deck/prompt?bill=1",
        "/w/deck/prompt?message=hello&bill=1",
        "/w/deck/settings",
    ] {
        let answer = server.send(visit(&server, path)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}: {policy}");
        let text = answer.text();
        assert!(text.starts_with("<!DOCTYPE html>") && !text.contains(" style=") && !text.contains("<style"), "{path}");
        assert_eq!(text.matches("<script").count(), 1, "{path}");
        assert!(!text.contains("http://") && !text.contains("https://www"), "{path} names another place");
    }
    for (path, status) in
        [("/nowhere", 404), ("/w/nowhere", 404), ("/w/deck/file/none.txt", 404), ("/w/deck/context/x", 400)]
    {
        let answer = server.send(visit(&server, path)).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text().contains("id=\"failure\""), "{path}: {}", answer.text());
        assert_eq!(server.get(path).await.header("content-type"), "application/problem+json", "{path}: for programs");
    }
}

#[tokio::test]
async fn forms_call_operations_and_say_what_was_done() {
    let server = Server::start().await;
    let made = server.send(form(&server, "/w", "name=Board+deck+%C3%BC")).await;
    went_to(&made, "/w/board-deck");
    let said = made.header("set-cookie").split(';').next().unwrap().to_owned();
    let page = server.send(visit(&server, "/w/board-deck").header("cookie", said)).await;
    assert!(page.text().contains("“Board deck ü” is made."), "{}", page.text());
    assert!(page.header("set-cookie").starts_with("jig_said=;"), "it is said once");
    // Two concurrent forms of the script: each gets its own message, and no other page takes it.
    let mut cookies = Vec::new();
    for (number, name) in [("a1", "One"), ("b2", "Two")] {
        let made = server.send(form(&server, "/w", &format!("name={name}")).header("jig-form", number)).await;
        cookies.push(made.header("set-cookie").split(';').next().unwrap().to_owned());
    }
    let both = cookies.join("; ");
    let other = server.send(visit(&server, "/w/one").header("cookie", both.as_str())).await;
    assert!(!other.text().contains("id=\"said\""), "{}", other.text());
    for (number, name) in [("b2", "Two"), ("a1", "One")] {
        let seen = visit(&server, "/w/one").header("cookie", both.as_str()).header("jig-form", number);
        assert!(server.send(seen).await.text().contains(&format!("“{name}” is made.")), "{name}");
    }
    went_to(&server.send(upload(&server, "/w/deck/files", "files", "a &amp; b.txt", "new")).await, "/w/deck");
    let list = server.bench.call("FileList", json!({ "workbench_id": "deck" })).await;
    assert_eq!(list["files"][0]["path"], "a &amp; b.txt", "{list}");
    let data = "v%3Aname=Acme&shown%3Acolors=1&v%3Acolors=%23112233&v%3Acolors=&v%3Atagline=&base_revision=0";
    went_to(&server.send(form(&server, "/w/deck/entry/brand", data)).await, "/w/deck/entry/brand/_");
    let entry = server.bench.call("EntryGet", json!({ "workbench_id": "deck", "role": "brand" })).await;
    assert_eq!(entry["entry"]["data"], json!({ "name": "Acme", "colors": ["#112233"] }));
    let stale = server.send(form(&server, "/w/deck/entry/brand", data)).await;
    let told = stale.text();
    assert!(stale.status == 409 && told.contains("data-code=\"CONFLICT\""), "it exists already: {told}");
}

#[tokio::test]
async fn artifacts_are_planned_written_and_given_out_by_forms() {
    let server = Server::start().await;
    went_to(
        &server.send(form(&server, "/w/deck/plans", "act=create&title=Press+%C3%BC")).await,
        "/w/deck/plans/press-%C3%BC",
    );
    let there = "/w/deck/plans/press-%C3%BC";
    let added = server.send(form(&server, there, "act=add&title=Quotes&content=%22Yes%22%0D%0A&base_revision=1")).await;
    went_to(&added, &format!("{there}#s-quotes"));
    for (body, mark) in [
        ("act=done&section=quotes&base_revision=2", "#s-quotes"),
        ("act=update&section=quotes&content=No&base_revision=3&reason=other", "#s-quotes"),
        ("act=rename&section=quotes&title=Said&base_revision=4", "#s-said"),
        ("act=fold&section=said&base_revision=5", "#s-said"),
    ] {
        went_to(&server.send(form(&server, there, body)).await, &format!("{there}{mark}"));
    }
    let got = server
        .bench
        .call("ArtifactGet", json!({ "workbench_id": "deck", "slug": "press-ü", "sections": ["said"] }))
        .await;
    let section = &got["artifact"]["sections"][0];
    assert_eq!(
        (&section["title"], &section["is_done"], &section["changed_since_done"], &section["is_collapsed"]),
        (&json!("Said"), &json!(true), &json!(true), &json!(true)),
        "{got}"
    );
    assert_eq!(section["content"].as_str().unwrap().trim(), "No");
    let stale = server.send(form(&server, there, "act=update&section=said&content=Late&base_revision=2")).await;
    assert!(stale.status == 409 && stale.text().contains("data-code=\"CONFLICT\""), "{}", stale.text());
    went_to(&server.send(form(&server, there, "act=finalize")).await, there);
    let locked = server.send(form(&server, there, "act=rename&section=said&title=X")).await;
    assert!(locked.text().contains("data-code=\"ARTIFACT_FINALIZED\""), "{}", locked.text());
    let export = server.send(visit(&server, &format!("{there}/export"))).await;
    assert!(export.text().contains("## Said"), "{}", export.text());
    assert!(
        export.header("content-disposition").starts_with("attachment; filename*=UTF-8''press-%C3%BC"),
        "{:?}",
        export.headers
    );
    assert_eq!(export.header("content-security-policy"), "sandbox; default-src 'none'");
    let strange = server.send(form(&server, there, "act=nothing")).await;
    assert_eq!(strange.status, 400, "{}", strange.text());
}

#[tokio::test]
async fn imports_take_texts_and_files_and_nothing_else() {
    let server = Server::start().await;
    let body = "--b\r\nContent-Disposition: form-data; name=\"act\"\r\n\r\nimport\r\n--b\r\n\
        Content-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\n# Alpha\n\n## One\n\nText.\n\r\n--b--\r\n";
    let made = server.send(sent(&server, "/w/deck/plans", "multipart/form-data; boundary=b", "http", body)).await;
    went_to(&made, "/w/deck/plans/alpha");
    let tiptap = "act=import&text=%7B%22type%22%3A%22doc%22%2C%22content%22%3A%5B%7B%22type%22%3A%22heading%22%2C%22attrs%22%3A%7B%22level%22%3A1%7D%2C%22content%22%3A%5B%7B%22type%22%3A%22text%22%2C%22text%22%3A%22Beta%22%7D%5D%7D%5D%7D";
    went_to(&server.send(form(&server, "/w/deck/plans", tiptap)).await, "/w/deck/plans/beta");
    let empty = server.send(form(&server, "/w/deck/plans", "act=import&text=+")).await;
    assert!(empty.status == 400 && empty.text().contains("There is nothing to import"), "{}", empty.text());
}

#[tokio::test]
async fn uploads_stay_inside_and_leave_nothing_behind() {
    let server = Server::start().await;
    for name in ["../../evil.txt", "/etc/evil", "a/../../evil", "con\u{0}trol", ".."] {
        let answer = server.send(upload(&server, "/w/deck/files", "files", name, "x")).await;
        assert!(matches!(answer.status, 400 | 403), "{name:?}: {} {}", answer.status, answer.text());
    }
    went_to(&server.send(upload(&server, "/w/deck/files", "files", "sub/in.txt", "x")).await, "/w/deck");
    let list = server.bench.call("FileList", json!({ "workbench_id": "deck" })).await;
    let paths: Vec<&str> =
        list["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["notes.txt", "sub/in.txt"]);
    let left = std::fs::read_dir(server.bench.home().join("uploads")).unwrap().flatten().map(|entry| entry.path());
    let left: Vec<_> = left.filter(|path| path.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
    let broken = sent(&server, "/w/deck/files", "multipart/form-data", "http", "no boundary here");
    assert_eq!(server.send(broken).await.status, 400);
    assert_eq!(server.send(form(&server, "/w", "name=%FF")).await.status, 400);
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let server = Server::start().await;
    let bare = || {
        let request = server.request("POST", "/w").header("content-type", "application/x-www-form-urlencoded");
        request.body("name=Evil")
    };
    for (name, value) in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
        assert_eq!(server.send(bare().header(name, value)).await.status, 403, "{name}: {value}");
    }
    assert_eq!(server.send(bare()).await.status, 403, "one that does not say where it comes from");
    assert_eq!(server.bench.call("WorkbenchList", json!({})).await["workbenches"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_token_signs_in_by_a_cookie_that_reads_and_fills_in_forms() {
    let server = Server::start().await;
    server.bench.call("TokenCreate", json!({ "name": "Me", "role": "owner" })).await;
    let made = server.bench.call("TokenCreate", json!({ "name": "Ada", "role": "writer" })).await;
    let token = made["token"].as_str().unwrap();
    server.forget_start();
    let out = server.send(visit(&server, "/w/deck?root=published")).await;
    went_to(&out, "/sign-in?next=%2Fw%2Fdeck%3Froot%3Dpublished");
    assert_eq!(server.get("/w/deck").await.problem(), (401, "UNAUTHENTICATED".to_owned()), "programs get the problem");
    let wrong = server.send(form(&server, "/sign-in", "token=jig_wrong&next=%2F")).await;
    assert_eq!((wrong.status, wrong.header("set-cookie").contains("jig_token")), (401, false), "{}", wrong.text());
    let inside = server.send(form(&server, "/sign-in", &format!("token={token}&next=%2F%2Fevil.example"))).await;
    went_to(&inside, "/");
    let cookie = inside.header("set-cookie").to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("Secure"),
        "{cookie}"
    );
    let body = format!("token={token}");
    let behind = sent(&server, "/sign-in", "application/x-www-form-urlencoded", "https", &body);
    assert!(
        server
            .send(behind)
            .await
            .headers
            .get_all("set-cookie")
            .iter()
            .any(|set| set.to_str().unwrap().ends_with("Secure"))
    );
    let kept = cookie.split(';').next().unwrap().to_owned();
    let page = server.send(visit(&server, "/w/deck").header("cookie", &kept)).await;
    assert!(page.status == 200 && page.text().contains("Sign out Ada"), "{}", page.text());
    assert!(
        page.text().contains("Your token&#39;s role is writer") || page.text().contains("Your token's role is writer"),
        "what needs an owner says so"
    );
    assert_eq!(server.send(server.request("GET", "/api/workbenches").header("cookie", &kept)).await.status, 200);
    let by_program = server
        .request("POST", "/api/op/WorkbenchList")
        .header("cookie", &kept)
        .header("content-type", "application/json");
    assert_eq!(server.send(by_program.body("{}")).await.status, 401, "programs use the header");
    let written =
        server.send(form(&server, "/w/deck/history", "act=checkpoint&name=mine").header("cookie", &kept)).await;
    went_to(&written, "/w/deck/history");
    let log = server.bench.call("JournalList", json!({ "workbench_id": "deck", "limit": 1 })).await;
    assert_eq!(log["entries"][0]["actor"], json!({ "type": "person", "name": "Ada" }));
    server.bench.call("TokenRevoke", json!({ "token_id": made["info"]["id"] })).await;
    assert_eq!(
        server.send(visit(&server, "/").header("cookie", &kept)).await.status,
        303,
        "taken back, it is worth nothing"
    );
}
