//! Every result matches its token budget and schema; progress; cancelled calls.

use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProtocolVersion};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

fn tokens(value: &Value) -> usize {
    bpe_openai::o200k_base().count(&value.to_string())
}

async fn client(bench: &Bench) -> Client {
    Client::new(bench.workbench.clone(), bound(), ProtocolVersion::V_2026_07_28, Person::CannotBeAsked).await
}

#[tokio::test]
async fn a_long_list_of_files_comes_in_pieces_within_its_tokens() {
    let bench = Bench::with_notes().await;
    bench.add_many(400).await;
    let client = client(&bench).await;
    for max in [1_000_u64, 4_000] {
        let (mut paths, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let mut arguments = json!({ "cursor": cursor });
            if max != 4_000 {
                arguments["max_tokens"] = max.into();
            }
            let page = client.value("list_files", arguments).await;
            assert!(tokens(&page) <= usize::try_from(max).unwrap(), "{}", tokens(&page));
            paths.extend(page["files"].as_array().unwrap().iter().map(|file| file[0].to_string()));
            cursor = page["cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        let count = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!((count, paths.len()), (401, 401), "each once");
    }
    let text = client.call("list_files", json!({ "max_tokens": 300 })).await;
    assert!(text.content[0].as_text().unwrap().text.contains("pass cursor"));
    assert_eq!(client.failure("list_files", json!({ "max_tokens": 0 })).await.0, "INVALID_PARAMS");
}

#[tokio::test]
async fn what_a_tool_gives_has_the_shape_it_promised() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let bench = Bench::with_notes().await;
    bench.call("ArtifactCreate", json!({ "workbench_id": "deck", "title": "Concept" })).await;
    bench.add("bank.csv", b"day,amount\n2026-01-01,10\n2026-01-02,20\n").await;
    let client = client(&bench).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let artifact = json!({ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "Ropes." });
    let table = [
        ("edit_help", json!({ "format": "xlsx" })),
        ("entries", json!({ "action": "kinds" })),
        ("manage_files", json!({ "action": "copy", "path": "notes.txt", "to": "more.txt" })),
        ("undo", json!({})),
        ("workbench", json!({ "action": "list" })),
        (
            "table_update_from_export",
            json!({ "path": "bank.csv", "query": "SELECT * FROM data", "target_path": "a.xlsx", "sheet": "S", "mode": "replace_sheet" }),
        ),
        ("list_files", json!({})),
        ("get_file_map", json!({ "path": "bank.csv" })),
        ("read_file", json!({ "path": "notes.txt" })),
        ("search_files", json!({ "query": "two" })),
        ("table_query", json!({ "path": "bank.csv", "query": "SELECT sum(amount) AS total FROM data" })),
        ("table_export", json!({ "path": "bank.csv", "query": "SELECT * FROM data", "target_path": "out.csv" })),
        ("write_text_file", json!({ "path": "a.md", "text": "# A\n" })),
        (
            "text_operations",
            json!({ "path": "a.md", "ops": [{ "op": "replace_text", "search": "# A", "replace": "# B" }] }),
        ),
        (
            "docx_operations",
            json!({ "path": "a.docx", "create_new": true, "ops": [{ "op": "append_paragraph", "text": "Hi" }] }),
        ),
        ("preview", json!({ "path": "a.docx" })),
        (
            "xlsx_operations",
            json!({ "path": "a.xlsx", "create_new": true, "ops": [{ "op": "ensure_sheet", "sheet": "S" }] }),
        ),
        (
            "pptx_operations",
            json!({ "path": "a.pptx", "create_new": true, "ops": [{ "op": "add_slide", "title": "Hi" }] }),
        ),
        ("plans", json!({ "action": "edit", "ops": [artifact] })),
        ("diff", json!({})),
        ("publish_draft", json!({})),
    ];
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let mut tried: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    tried.sort_unstable();
    assert_eq!(tried, names, "every tool is tried");
    for (name, arguments) in table {
        let schema = tools.iter().find(|tool| tool.name == name).and_then(|tool| tool.output_schema.clone());
        let schema = Value::Object((*schema.unwrap()).clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let result = client.call(name, arguments).await;
        let failed = result.is_error == Some(true);
        assert_eq!(failed, matches!(name, "publish_draft"), "{name}: {result:?}");
        let value = result.structured_content.unwrap();
        assert!(validator.is_valid(&value), "{name}: {value}");
        assert!(!result.content.is_empty());
    }
}

const SLOW: &str = "SELECT count(*) FROM data a, data b, data c WHERE (a.n + b.n * c.n) % 7 = 3";

#[tokio::test]
async fn a_long_call_tells_of_itself_and_can_be_taken_back() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        let numbers: String = (0..9_000).map(|n| format!("{n}\n")).collect();
        bench.add("numbers.csv", format!("n\n{numbers}").as_bytes()).await;
        let mut client = Client::new(bench.workbench.clone(), bound(), version, Person::CannotBeAsked).await;
        client.value("table_query", json!({ "path": "numbers.csv", "query": "SELECT count(*) FROM data" })).await;
        let slow = json!({ "path": "numbers.csv", "query": SLOW });
        let Value::Object(arguments) = slow else { panic!("an object") };
        let call = CallToolRequest::new(CallToolRequestParams::new("table_query").with_arguments(arguments));
        let options = PeerRequestOptions::default();
        let handle =
            client.service.send_cancellable_request(ClientRequest::CallToolRequest(call), options).await.unwrap();
        // On a busy machine, the previous call may have reported progress too.
        let note = loop {
            let note = client.progress.recv().await.unwrap();
            if note.progress_token == handle.progress_token {
                break note;
            }
        };
        assert!(note.progress > 0.0 && note.message.as_deref().is_some_and(|words| words.contains("at work")));
        handle.cancel(Some("changed my mind".to_owned())).await.unwrap();
        let again = json!({ "path": "numbers.csv", "query": "SELECT 1 AS one" });
        let soon = tokio::time::timeout(Duration::from_secs(10), client.value("table_query", again)).await;
        assert!(soon.is_ok(), "the workers are free again");
    }
}
