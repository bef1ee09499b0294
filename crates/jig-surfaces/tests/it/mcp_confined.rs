//! A server confined to one workbench reveals no other: through no tool, resource, prompt, completion or parameter.

use jig_contract::OPERATIONS;
use jig_surfaces::mcp::{McpOptions, ToolSet};
use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams, ReadResourceRequestParams,
    Reference,
};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

const SECRET: &str = "zebra-crossing";

async fn two_workbenches() -> Bench {
    let bench = Bench::with_notes().await;
    bench.call("WorkbenchCreate", json!({ "name": SECRET, "id": "other" })).await;
    let write = json!({ "workbench_id": "other", "path": "secret.txt", "text": SECRET });
    bench.call("DraftWriteText", write).await;
    bench.call("ArtifactCreate", json!({ "workbench_id": "other", "title": SECRET })).await;
    bench
}

fn confined() -> McpOptions {
    let tools = ToolSet::NAMES.map(|(_, set)| set).to_vec();
    McpOptions { confine: true, tools, ..bound() }
}

#[tokio::test]
async fn no_tool_reads_or_writes_another_workbench() {
    let bench = two_workbenches().await;
    let before = bench.call("JournalList", json!({ "workbench_id": "other" })).await;
    for version in VERSIONS {
        let client = Client::new(bench.workbench.clone(), confined(), version, Person::Yes).await;
        for op in OPERATIONS.iter().filter(|op| op.surfaces.tool.is_some()) {
            let Value::Object(mut params) = serde_json::from_str(op.example).unwrap() else { panic!("{}", op.name) };
            // A confined server has no tool that chooses a workbench.
            if !params.contains_key("workbench_id") || op.surfaces.tool == Some("workbench") {
                continue;
            }
            if let Some(action) = op.surfaces.action {
                params.insert("action".to_owned(), action.into());
            }
            for elsewhere in ["other", "OTHER", "./other", "other/", "../other", "deck/../other"] {
                params.insert("workbench_id".to_owned(), elsewhere.into());
                let request = CallToolRequestParams::new(op.surfaces.tool.unwrap()).with_arguments(params.clone());
                let result = client.service.call_tool(request).await.unwrap();
                let told = format!("{} on {elsewhere}: {result:?}", op.name);
                assert_eq!(result.is_error, Some(true), "{told}");
                assert!(!told.contains(SECRET), "{told}");
            }
        }
        let listed = client.value("list_files", json!({})).await;
        assert_eq!(listed["files"][0][0], "notes.txt", "its own workbench is served");
    }
    assert_eq!(bench.call("JournalList", json!({ "workbench_id": "other" })).await, before, "nothing was written");
}

#[tokio::test]
async fn no_resource_prompt_or_completion_tells_of_another_workbench() {
    let bench = two_workbenches().await;
    for version in VERSIONS {
        let client = Client::new(bench.workbench.clone(), confined(), version, Person::Yes).await;
        let listed = serde_json::to_string(&client.service.list_all_resources().await.unwrap()).unwrap();
        assert!(listed.contains("jig://deck/") && !listed.contains("other") && !listed.contains(SECRET), "{listed}");
        for path in [
            "journal",
            "draft",
            "draft/secret.txt",
            "published/secret.txt",
            "text/secret.txt",
            "diff",
            "entries",
            "artifact/zebra-crossing",
            "context",
            "map/secret.txt",
        ] {
            let uri = format!("jig://other/{path}");
            let read = client.service.read_resource(ReadResourceRequestParams::new(uri.clone())).await;
            assert!(read.is_err(), "{uri}: {read:?}");
        }
        let prompts = serde_json::to_string(&client.service.list_all_prompts().await.unwrap()).unwrap();
        assert!(!prompts.contains("\"other\"") && !prompts.contains(SECRET), "{prompts}");
        let mut ask = GetPromptRequestParams::new("recipe-brand-voice-check");
        ask.arguments = json!({ "workbench": "other" }).as_object().cloned();
        let got = client.service.get_prompt(ask).await;
        assert!(got.is_err() && !format!("{got:?}").contains(SECRET), "{got:?}");
        for (template, name) in [
            ("jig://{workbench}/journal", "workbench"),
            ("jig://{workbench}/text/{path}", "workbench"),
            ("jig://{workbench}/text/{path}", "path"),
        ] {
            let argument: ArgumentInfo = serde_json::from_value(json!({ "name": name, "value": "" })).unwrap();
            let mut asked = CompleteRequestParams::new(Reference::for_resource(template), argument);
            asked.context = serde_json::from_value(json!({ "arguments": { "workbench": "other" } })).ok();
            // A refusal only repeats the requested name.
            let Ok(completed) = client.service.complete(asked).await else { continue };
            let told = format!("{completed:?}");
            assert!(!told.contains("secret.txt") && !told.contains("\"other\""), "{template}: {told}");
        }
    }
}
