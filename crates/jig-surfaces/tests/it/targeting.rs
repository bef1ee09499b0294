//! Targeting and agent contexts over HTTP and MCP: the same results in every interface.

use jig_surfaces::mcp::{McpOptions, ToolSet};
use serde_json::json;

use crate::bench::Bench;
use crate::http_server::Server;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

const DECK: &str = "/api/workbenches/deck";

#[tokio::test]
async fn a_message_is_resolved_and_a_view_is_built_over_http() {
    let server = Server::start().await;
    server.body("POST", &format!("{DECK}/artifacts"), &json!({ "title": "Concept" })).await;
    let said = json!({ "text": "Update the problem statement", "current_artifact": "concept" });
    let found = server.body("POST", &format!("{DECK}/target"), &said).await;
    assert_eq!(found.status, 200, "{}", found.text());
    assert_eq!(found.json()["target"]["address"], "@concept#problem-being-solved");
    let view = server
        .body("POST", &format!("{DECK}/agent-context"), &json!({ "message": "Update the problem statement" }))
        .await;
    let view = view.json();
    assert_eq!(view["context"]["systemState"]["level"], "standard", "{view}");
    let since = json!({ "since": view["context_version"] });
    let same = server.body("POST", &format!("{DECK}/agent-context/refresh"), &since).await.json();
    assert_eq!(same["changed"], false, "{same}");
    let checked = json!({ "context_version": view["context_version"], "sections_total": 4 });
    let stale = server.body("POST", &format!("{DECK}/agent-context/check"), &checked).await.json();
    assert_eq!(stale["warnings"][0]["reason"], "section_count", "{stale}");
    let missing = server.body("POST", &format!("{DECK}/agent-context"), &json!({ "artifact": "nope" })).await;
    assert_eq!(missing.problem(), (404, "ARTIFACT_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn an_agent_asks_what_is_meant_and_sees_no_private_note() {
    let bench = Bench::with_notes().await;
    bench.call("ArtifactCreate", json!({ "workbench_id": "deck", "title": "Concept" })).await;
    let note = json!({ "workbench_id": "deck", "text": "PRIVATE-NOTE", "artifact": "concept", "private": true });
    bench.call("ConversationAdd", note).await;
    let options = McpOptions { tools: vec![ToolSet::Targeting], ..bound() };
    let client = Client::new(bench.workbench.clone(), options, VERSIONS[1].clone(), Person::CannotBeAsked).await;
    let asked = client
        .value("target_resolve", json!({ "text": "Update the problem section", "current_artifact": "concept" }))
        .await;
    assert_eq!(asked["question"], "Did you mean 'Problem Being Solved' in concept.md?", "{asked}");
    let view = client.value("agent_context_build", json!({ "artifact": "concept", "level": "full" })).await;
    assert_eq!(view["context"]["currentArtifact"]["slug"], "concept", "{view}");
    assert!(!view.to_string().contains("PRIVATE-NOTE"));
}
