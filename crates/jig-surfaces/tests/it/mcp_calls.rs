//! Tool calls, in both protocol versions.

use jig_contract::Env;
use jig_surfaces::LazyWorkbench;
use jig_surfaces::mcp::McpOptions;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use serde_json::json;

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

#[tokio::test]
async fn an_agent_reads_and_writes_to_the_draft_under_its_clients_name() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        let client = Client::new(bench.workbench.clone(), bound(), version, Person::CannotBeAsked).await;
        let read = client.value("read_file", json!({ "path": "notes.txt" })).await;
        assert_eq!(read["text"], "one\ntwo\n", "{read}");
        let arguments = json!({ "path": "notes.txt", "text": "one\n2\n", "base_hash": read["hash"] });
        let written = client.value("write_text_file", arguments).await;
        assert_eq!((&written["changed"], &written["draft_created"]), (&json!(true), &json!(true)));
        let named = client.value("review_changes", json!({ "workbench_id": "deck" })).await;
        assert_eq!(named, bench.call("ReviewGetChangeSet", json!({ "workbench_id": "deck" })).await);
        let journal = bench.call("JournalList", json!({ "workbench_id": "deck", "limit": 1 })).await;
        assert_eq!(journal["entries"][0]["actor"], json!({ "type": "agent", "name": "test-client" }));
    }
}

#[tokio::test]
async fn the_text_beside_a_diff_is_the_diff() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    client.value("write_text_file", json!({ "path": "notes.txt", "text": "one\n2\n" })).await;
    let result = client.call("review_diff", json!({ "path": "notes.txt" })).await;
    let expected = "--- reference/notes.txt\n+++ draft/notes.txt\n@@ -1,2 +1,2 @@ hunk 1\n one\n-two\n+2\n";
    assert_eq!(result.content[0].as_text().unwrap().text, expected);
}

#[tokio::test]
async fn failures_are_results_that_say_what_to_do() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        let client = Client::new(bench.workbench.clone(), bound(), version, Person::Yes).await;
        let (code, text) = client.failure("read_file", json!({ "path": "note.txt" })).await;
        assert_eq!(code, "FILE_NOT_FOUND");
        assert!(text.contains("did you mean: notes.txt"), "{text}");
        for (arguments, expected) in [
            (json!({}), "INVALID_PARAMS"),
            (json!({ "path": [3] }), "INVALID_PARAMS"),
            (json!({ "path": "a", "more": 1 }), "INVALID_PARAMS"),
            (json!({ "path": "../a" }), "SANDBOX_VIOLATION"),
            (json!({ "path": "a", "workbench_id": "none" }), "WORKBENCH_NOT_FOUND"),
        ] {
            assert_eq!(client.failure("read_file", arguments).await.0, expected);
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_with_the_nearest() {
    let bench = Bench::new().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2025_11_25, Person::Yes).await;
    let error = client.service.call_tool(CallToolRequestParams::new("read_fil")).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("read_file") && text.contains("-32602"), "{text}");
}

#[tokio::test]
async fn without_a_bound_workbench_every_call_names_one() {
    let bench = Bench::with_notes().await;
    let options = McpOptions::new(Env::system());
    let client = Client::new(bench.workbench.clone(), options, ProtocolVersion::V_2026_07_28, Person::Yes).await;
    assert_eq!(client.failure("list_files", json!({})).await.0, "INVALID_PARAMS");
    assert_eq!(client.value("list_files", json!({ "workbench_id": "deck" })).await["total"], 1);
}

#[tokio::test]
async fn the_client_is_greeted_before_the_workbench_is_opened() {
    for version in VERSIONS {
        let never = LazyWorkbench::new(std::future::pending);
        let client = Client::new(never, bound(), version, Person::Yes).await;
        let tools = client.service.list_all_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "list_files"));
        assert_eq!(client.service.list_all_resource_templates().await.unwrap().len(), 11);
    }
}

#[tokio::test]
async fn a_fault_is_a_result_too() {
    let broken = LazyWorkbench::new(|| async {
        Err(jig_contract::OpError::new(jig_contract::Code::StoreUnavailable, "the database does not answer"))
    });
    let client = Client::new(broken, bound(), ProtocolVersion::V_2025_11_25, Person::Yes).await;
    assert_eq!(client.failure("list_files", json!({})).await.0, "STORE_UNAVAILABLE");
}
