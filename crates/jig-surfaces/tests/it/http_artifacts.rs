//! Artifacts, suggestions, stages and the conversation as resources.

use serde_json::json;

use crate::http_server::{Server, json as with_json};

const DECK: &str = "/api/workbenches/deck";

#[tokio::test]
async fn an_artifact_is_made_changed_and_guarded_by_its_tag() {
    let server = Server::start().await;
    let made = server.body("POST", &format!("{DECK}/artifacts"), &json!({ "title": "Concept" })).await;
    let place = format!("{DECK}/artifacts/concept");
    assert_eq!((made.status, made.header("location")), (201, place.as_str()), "{}", made.text());
    let read = server.get(&place).await;
    let tag = read.header("etag").to_owned();
    assert!(tag.starts_with("\"1-"), "{tag}");
    assert_eq!(server.send(server.request("GET", &place).header("if-none-match", &tag)).await.status, 304);
    let put = |header: (&'static str, String), content: &'static str| {
        let request = server.request("PUT", &place).header(header.0, header.1);
        server.send(with_json(request, &json!({ "content": content })))
    };
    let changed = put(("if-match", tag.clone()), "# C\n\n## A\n\none\n").await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert!(changed.header("etag").starts_with("\"2-"));
    let stale = put(("if-match", tag), "# Late\n").await;
    assert_eq!(stale.problem(), (412, "CONFLICT".to_owned()));
    assert_eq!(stale.json()["details"]["content"], "# C\n\n## A\n\none\n", "{}", stale.text());
    assert_eq!(put(("if-match", "*".to_owned()), "# C\n\n## A\n\ntwo\n").await.status, 200);
    assert_eq!(put(("if-none-match", "*".to_owned()), "x").await.problem(), (412, "CONFLICT".to_owned()));
    let section = server.get(&format!("{place}?sections=a")).await.json();
    assert_eq!(section["artifact"]["sections"][0]["content"], "two");
    let fresh = server.body("PUT", &format!("{DECK}/artifacts/fresh"), &json!({ "content": "# Fresh\n" })).await;
    assert_eq!(fresh.status, 201, "{}", fresh.text());
    assert_eq!(server.get(&format!("{DECK}/artifacts/nope")).await.problem(), (404, "ARTIFACT_NOT_FOUND".to_owned()));
    let history = server.get(&format!("{place}/history")).await.json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 3);
    let back = server.body("POST", &format!("{place}/restore"), &json!({ "revision": 2 })).await;
    assert_eq!(back.json()["artifact"]["revision"], 4, "{}", back.text());
    let export = server.get(&format!("{place}/export?format=tiptap")).await.json();
    assert_eq!(export["content"]["type"], "doc");
    let import = json!({ "content": export["content"], "slug": "copy" });
    assert_eq!(server.body("POST", &format!("{DECK}/artifact-imports"), &import).await.status, 200);
    let host = server.body("POST", &format!("{DECK}/artifact-imports"), &json!({ "source_path": "/etc/passwd" })).await;
    assert_eq!(host.status, 403, "files of the machine are not for callers elsewhere: {}", host.text());
    let gone = server.send(server.request("DELETE", &format!("{DECK}/artifacts/copy"))).await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    let list = server.get(&format!("{DECK}/artifacts?limit=1")).await;
    assert!(list.header("link").contains("cursor=concept"), "{}", list.header("link"));
}

#[tokio::test]
async fn operations_suggestions_stages_and_messages_have_their_routes() {
    let server = Server::start().await;
    server.body("POST", &format!("{DECK}/artifacts"), &json!({ "title": "Concept" })).await;
    let ops = json!({ "ops": [{ "operation": "suggest_edit", "artifact_slug": "concept", "section_slug": "non-goals", "suggestion": "s", "content": "c" }] });
    let made = server.body("POST", &format!("{DECK}/artifact-operations"), &ops).await;
    assert_eq!(made.status, 200, "{}", made.text());
    let listed = server.get(&format!("{DECK}/suggestions?artifact_slug=concept")).await.json();
    let id = listed["suggestions"][0]["id"].as_str().unwrap().to_owned();
    let accepted = server.body("POST", &format!("{DECK}/suggestions/{id}/accept"), &json!({})).await;
    assert_eq!(accepted.json()["changed"], true, "{}", accepted.text());
    let again = server.body("POST", &format!("{DECK}/suggestions/{id}/reject"), &json!({})).await;
    assert_eq!(again.problem(), (409, "CONFLICT".to_owned()));
    assert_eq!(server.body("POST", &format!("{DECK}/artifacts/concept/finalize"), &json!({})).await.status, 200);
    let locked = server.body("POST", &format!("{DECK}/artifact-operations"), &json!({ "ops": [{ "operation": "delete_section", "artifact_slug": "concept", "section_slug": "non-goals" }] })).await;
    assert_eq!(locked.problem(), (409, "ARTIFACT_FINALIZED".to_owned()));
    assert_eq!(server.body("POST", &format!("{DECK}/artifacts/concept/unfinalize"), &json!({})).await.status, 200);
    assert_eq!(
        server.body("POST", &format!("{DECK}/artifacts/concept/snapshots"), &json!({ "name": "n" })).await.status,
        200
    );
    let set = server.body("PUT", &format!("{DECK}/project/stage"), &json!({ "stage": "design" })).await;
    assert_eq!(set.json()["project"]["current_stage"], "design", "{}", set.text());
    assert_eq!(server.body("PATCH", &format!("{DECK}/project"), &json!({ "description": "d" })).await.status, 200);
    assert_eq!(server.get(&format!("{DECK}/project")).await.json()["project"]["description"], "d");
    assert_eq!(server.get(&format!("{DECK}/stages")).await.json()["stages"].as_array().unwrap().len(), 5);
    let stage = json!({ "definition": { "stage": "launch", "title": "Launch" } });
    assert_eq!(server.body("POST", &format!("{DECK}/stages"), &stage).await.status, 200);
    assert_eq!(server.send(server.request("DELETE", &format!("{DECK}/stages/launch"))).await.status, 200);
    assert_eq!(server.body("POST", &format!("{DECK}/conversation"), &json!({ "text": "hello" })).await.status, 200);
    let said = server.get(&format!("{DECK}/conversation?limit=1")).await;
    assert_eq!(said.json()["messages"][0]["text"], "hello");
    assert!(said.header("link").contains("cursor="), "{}", said.header("link"));
}
