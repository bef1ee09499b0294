//! Artifacts over MCP: one tool for operations, resources for texts, completion of addresses.

use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompletionContext, ReadResourceRequestParams, Reference, ResourceContents,
};
use serde_json::json;

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

async fn with_concept() -> (Bench, Client) {
    let bench = Bench::with_notes().await;
    bench.call("ArtifactCreate", json!({ "workbench_id": "deck", "title": "Concept" })).await;
    let client = Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::CannotBeAsked).await;
    (bench, client)
}

#[tokio::test]
async fn an_agent_changes_one_section_and_reads_it_as_a_resource() {
    let (bench, client) = with_concept().await;
    let update = json!({ "action": "edit", "ops": [{ "op": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "Ropes." }] });
    let done = client.value("plans", update).await;
    assert_eq!(done["applied"][0]["summary"], "updated what-is-it", "{done}");
    let got = bench
        .call("ArtifactGet", json!({ "workbench_id": "deck", "slug": "concept", "sections": ["what-is-it"] }))
        .await;
    assert_eq!(got["artifact"]["sections"][0]["by"]["type"], "agent");
    let listed = client.service.list_all_resources().await.unwrap();
    let uri = "jig://deck/artifact/concept";
    assert!(listed.iter().any(|resource| resource.uri == uri), "{listed:?}");
    let read = async |uri: &str| {
        let mut result = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        serde_json::to_value::<ResourceContents>(result.contents.remove(0)).unwrap()
    };
    assert!(read(uri).await["text"].as_str().unwrap().contains("## What Is It?\n\nRopes.\n"));
    let section = read("jig://deck/artifact/concept#what-is-it").await;
    assert_eq!((&section["text"], &section["mimeType"]), (&json!("Ropes."), &json!("text/markdown")));
    for gone in ["jig://deck/artifact/nope", "jig://deck/artifact/concept#nope"] {
        assert!(client.service.read_resource(ReadResourceRequestParams::new(gone)).await.is_err(), "{gone}");
    }
}

#[tokio::test]
async fn slugs_sections_and_addresses_are_completed() {
    let (_bench, client) = with_concept().await;
    let complete = async |name: &str, typed: &str| {
        let reference = Reference::for_resource("jig://{workbench}/artifact/{slug}#{section}");
        let mut request = CompleteRequestParams::new(reference, ArgumentInfo::new(name, typed));
        let chosen = [("slug".to_owned(), "concept".to_owned())];
        request.context = Some(CompletionContext::with_arguments(chosen.into()));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("slug", "con").await, ["concept"]);
    assert_eq!(complete("slug", "@con").await, ["@concept"]);
    assert_eq!(complete("slug", "@concept#wh").await, ["@concept#what-is-it"]);
    assert_eq!(complete("section", "no").await, ["non-goals"]);
}
