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
        assert_eq!(written["summary"], "wrote notes.txt in the Draft", "{written}");
        assert_eq!(written["hash"].as_str().map(str::len), Some(12), "{written}");
        let again = json!({ "path": "notes.txt", "text": "one\n3\n", "base_hash": read["hash"] });
        assert_eq!(client.failure("write_text_file", again).await.0, "CONFLICT");
        let changes = client.value("diff", json!({ "workbench_id": "deck" })).await;
        assert!(changes["changes"][0].as_str().unwrap().starts_with("modified notes.txt"), "{changes}");
        let journal = bench.call("JournalList", json!({ "workbench_id": "deck", "limit": 1 })).await;
        assert_eq!(journal["entries"][0]["actor"], json!({ "type": "agent", "name": "test-client" }));
    }
}

#[tokio::test]
async fn the_text_beside_a_diff_is_the_diff() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    client.value("write_text_file", json!({ "path": "notes.txt", "text": "one\n2\n" })).await;
    let result = client.call("diff", json!({ "path": "notes.txt" })).await;
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

fn unbound() -> McpOptions {
    McpOptions::new(Env::system())
}

#[tokio::test]
async fn the_first_use_creates_a_workbench_and_later_calls_use_it() {
    for version in VERSIONS {
        let bench = Bench::new().await;
        let client = Client::new(bench.workbench.clone(), unbound(), version, Person::Yes).await;
        let (code, text) = client.failure("list_files", json!({})).await;
        assert!(code == "WORKBENCH_NOT_FOUND" && text.contains("action create"), "{text}");
        let created = client.value("workbench", json!({ "action": "create", "name": "Budget 2027" })).await;
        assert_eq!(created["id"], "budget-2027", "{created}");
        let text = json!({ "path": "a.md", "text": "# A\n" });
        assert!(client.call("write_text_file", text).await.is_error == Some(false));
        bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
        assert_eq!(
            client.value("list_files", json!({})).await["files"],
            json!([["a.md", 4]]),
            "the created one is in use"
        );
        client.value("workbench", json!({ "action": "use", "workbench_id": "other" })).await;
        assert_eq!(client.value("list_files", json!({})).await["files"], json!([]), "another one is in use");
    }
}

#[tokio::test]
async fn the_only_workbench_need_not_be_named_and_one_of_several_must_be() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), unbound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    assert_eq!(client.value("list_files", json!({})).await["total"], 1);
    bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
    let (code, text) = client.failure("list_files", json!({})).await;
    assert!(code == "INVALID_PARAMS" && text.contains("deck, other"), "{text}");
    assert_eq!(client.value("list_files", json!({ "workbench_id": "deck" })).await["total"], 1);
}

#[tokio::test]
async fn files_are_renamed_copied_and_deleted_in_the_draft_and_undone_one_by_one() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    let manage = async |action: &str, to: &str| {
        // Clients send empty values for fields of a form that are not used.
        let path = if to.is_empty() { "copy.txt" } else { "./notes.txt" };
        client.value("manage_files", json!({ "action": action, "path": path, "to": to })).await
    };
    let paths = async || {
        let listed = client.value("list_files", json!({})).await;
        let files = listed["files"].as_array().unwrap().iter();
        files.map(|file| file[0].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    manage("copy", "copy.txt").await;
    assert_eq!(paths().await, ["copy.txt", "notes.txt"]);
    let (code, text) =
        client.failure("manage_files", json!({ "action": "copy", "path": "notes.txt", "to": "copy.txt" })).await;
    assert!(code == "CONFLICT" && text.contains("overwrite"), "{text}");
    manage("delete", "").await;
    manage("move", "old/notes.txt").await;
    assert_eq!(paths().await, ["old/notes.txt"]);
    let (code, text) = client
        .failure("manage_files", json!({ "action": "rename", "path": "old/notes.txt", "to": "notes.xlsx" }))
        .await;
    assert!(code == "VALIDATION_FAILED" && text.contains("extension"), "{text}");
    for left in [vec!["notes.txt"], vec!["copy.txt", "notes.txt"], vec!["notes.txt"]] {
        let undone = client.value("undo", json!({})).await;
        assert!(undone["undone"].is_string(), "{undone}");
        assert_eq!(paths().await, left);
    }
    let draft = bench.call("DraftGetState", json!({ "workbench_id": "deck" })).await;
    assert_eq!(draft["exists"], false, "undoing the first change ends the Draft");
    assert_eq!(client.failure("undo", json!({})).await.0, "CONFLICT", "adding the file was the person's change");
}

#[tokio::test]
async fn an_agent_undoes_only_its_own_changes() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    client.value("write_text_file", json!({ "path": "a.md", "text": "a" })).await;
    bench.call("DraftWriteText", json!({ "workbench_id": "deck", "path": "b.md", "text": "b" })).await;
    let (code, text) = client.failure("undo", json!({})).await;
    assert!(code == "CONFLICT" && text.contains("someone else"), "{text}");
    let listed = client.value("list_files", json!({})).await;
    assert_eq!(listed["total"], 3, "nothing was undone");
}

#[tokio::test]
async fn a_preview_is_an_image() {
    let bench = Bench::with_notes().await;
    let picture = include_bytes!("../../../../demo/files/policy.pdf");
    bench.add("policy.pdf", picture).await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    let result = client.call("preview", json!({ "path": "policy.pdf", "page": 2 })).await;
    let image = result.content.iter().find_map(|block| block.as_image()).unwrap();
    assert!(image.mime_type == "image/png" && image.data.len() > 1_000);
    assert_eq!(result.structured_content, Some(json!({ "page": 2, "page_count": 3 })));
}

#[tokio::test]
async fn help_shows_the_fields_of_an_op_and_style_guides() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    let one = client.value("edit_help", json!({ "format": "xlsx", "op": "set_cells" })).await;
    assert!(one["ops"][0]["signature"].as_str().unwrap().starts_with("set_cells {sheet, cells: ["), "{one}");
    assert!(one["ops"][0]["fields"].as_array().unwrap().len() > 3, "{one}");
    let all = client.value("edit_help", json!({ "format": "docx" })).await;
    assert!(all["ops"].as_array().unwrap().len() > 10 && all["ops"][0]["fields"].is_null(), "{all}");
    let guide = client.value("edit_help", json!({ "format": "pptx", "style_guide": true })).await;
    assert!(guide["style_guide"].as_str().unwrap().len() > 500);
    let (_, text) = client.failure("edit_help", json!({ "format": "xlsx", "op": "set_cell" })).await;
    assert!(text.contains("set_cells"), "{text}");
}

#[tokio::test]
async fn hints_name_tools_and_never_commands() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::Yes).await;
    for (tool, arguments) in [
        ("read_file", json!({ "path": "../x" })),
        ("read_file", json!({ "path": "notes.txt", "workbench_id": "../x" })),
        ("write_text_file", json!({ "path": "notes.txt", "text": "x", "base_hash": "short" })),
        ("write_text_file", json!({ "path": "new.docx", "text": "x" })),
    ] {
        let (_, text) = client.failure(tool, arguments).await;
        assert!(!text.contains("`jig ") && !text.contains("ApplyOps"), "{tool}: {text}");
    }
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
