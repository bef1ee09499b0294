//! What another workbench holds is reached by no id: a token for one workbench, and even an owner's, names it in vain.

use jig_contract::OPERATIONS;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::Server;

const SECRET: &str = "zebra-crossing";

/// Two workbenches: `deck`, and `elsewhere` with one of everything that has an id.
struct Two {
    server: Server,
    /// The ids in `elsewhere`, by the parameter that takes them.
    ids: Vec<(&'static str, String)>,
}

impl Two {
    async fn new() -> Self {
        let server = Server::with(Bench::with_notes().await, |_| {}).await;
        let there = |mut params: Value| {
            params["workbench_id"] = "elsewhere".into();
            params
        };
        server.done("WorkbenchCreate", &json!({ "name": "Elsewhere" })).await;
        let checkpoint = server.done("CheckpointCreate", &there(json!({ "name": SECRET }))).await;
        let asset = json!({ "name": "logo.txt", "content_base64": "emVicmEtY3Jvc3Npbmc=" });
        let asset = server.done("AssetUpload", &there(asset)).await;
        let session = server.done("SessionCreate", &there(json!({ "title": SECRET }))).await;
        server.done("ArtifactCreate", &there(json!({ "title": "Plan", "content": "# Plan\n\n## One\n\nx\n" }))).await;
        let edit = json!([{ "operation": "suggest_edit", "artifact_slug": "plan", "section_slug": "one", "suggestion": SECRET, "rationale": "why" }]);
        server.done("ArtifactApplyOps", &there(json!({ "ops": edit }))).await;
        let (_, agent) = server.bench.token_for("agent", "writer", None).await;
        let brand = there(json!({ "role": "brand", "data": { "name": SECRET } }));
        let proposed = server.op_as(&agent, "EntryPut", &brand).await.json();
        let suggestions = server.done("SuggestionList", &there(json!({}))).await;
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no id: {value}")).to_owned();
        let ids = vec![
            ("checkpoint", text(&checkpoint["id"])),
            ("asset_id", text(&asset["asset"]["asset_id"])),
            ("session_id", text(&session["session"]["id"])),
            ("suggestion_id", text(&suggestions["suggestions"][0]["id"])),
            ("proposal_id", text(&proposed["proposal"]["id"])),
        ];
        Self { server, ids }
    }

    async fn state(&self) -> Vec<Value> {
        let elsewhere = json!({ "workbench_id": "elsewhere" });
        let mut all = Vec::new();
        for name in
            ["JournalList", "SuggestionList", "EntryListProposals", "SessionList", "AssetList", "CheckpointList"]
        {
            all.push(self.server.done(name, &elsewhere).await);
        }
        all
    }
}

#[tokio::test]
async fn an_id_of_another_workbench_opens_nothing() {
    let two = Two::new().await;
    let before = two.state().await;
    let (_, narrow) = two.server.bench.token("owner", Some("deck")).await;
    let (_, wide) = two.server.bench.token("owner", None).await;
    let mut tried = 0;
    for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
        let schema = (op.params_schema)().to_value();
        for (name, id) in &two.ids {
            if schema["properties"].get(*name).is_none() {
                continue;
            }
            let mut params: Value = serde_json::from_str(op.example).unwrap();
            params["workbench_id"] = "deck".into();
            params[*name] = id.as_str().into();
            for token in [&narrow, &wide] {
                let answer = two.server.op_as(token, op.name, &params).await;
                let told = format!("{} with {name} of another workbench: {}", op.name, answer.text());
                assert!((400..500).contains(&answer.status), "{told}");
                assert!(!told.contains(SECRET), "{told}");
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "{tried} calls");
    assert_eq!(two.state().await, before, "nothing has changed there");
}

#[tokio::test]
async fn bytes_and_events_of_another_workbench_are_at_no_address() {
    let two = Two::new().await;
    let (_, narrow) = two.server.bench.token("owner", Some("deck")).await;
    let id = |name: &str| two.ids.iter().find(|(known, _)| *known == name).map_or("", |(_, id)| id);
    for path in [
        format!("/api/workbenches/deck/assets/{}/content", id("asset_id")),
        format!("/api/workbenches/deck/assets/{}", id("asset_id")),
        format!("/api/workbenches/deck/sessions/{}", id("session_id")),
        format!("/api/workbenches/deck/sessions/{}/replay", id("session_id")),
        format!("/api/workbenches/elsewhere/assets/{}/content", id("asset_id")),
        format!("/w/deck/workshop/{}", id("session_id")),
        format!("/w/elsewhere/workshop/{}", id("session_id")),
        "/w/elsewhere".to_owned(),
    ] {
        let by_header = two.server.request("GET", &path).bearer_auth(&narrow);
        let by_cookie = two.server.strange("GET", &path).header("cookie", format!("jig_token={narrow}"));
        for request in [by_header, by_cookie] {
            let answer = two.server.send(request).await;
            assert!((400..500).contains(&answer.status), "{path}: {}", answer.text());
            assert!(!answer.text().contains(SECRET), "{path}: {}", answer.text());
        }
    }
    // A field that names a file of another workbench gets nothing of it.
    let logo = json!({ "workbench_id": "deck", "role": "brand", "data": { "name": "Acme", "logo": format!("asset://{}", id("asset_id")) } });
    let put = two.server.op_as(&narrow, "EntryPut", &logo).await;
    assert!((400..500).contains(&put.status), "{}", put.text());
}
