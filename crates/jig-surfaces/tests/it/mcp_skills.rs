//! Skills over MCP: context items and format styles, with digests that match the files.

use jig_contract::Env;
use jig_surfaces::mcp::McpOptions;
use rmcp::model::{ClientRequest, CustomRequest, ReadResourceRequestParams, ResourceContents, ServerResult};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

async fn ask(client: &Client, method: &str, params: Value) -> Result<Value, String> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    match client.service.send_request(request).await.map_err(|error| error.to_string())? {
        ServerResult::CustomResult(result) => Ok(result.0),
        other => Ok(serde_json::to_value(other).unwrap()),
    }
}

async fn text(client: &Client, uri: &str) -> String {
    let mut result = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    match result.contents.remove(0) {
        ResourceContents::TextResourceContents { text, mime_type, .. } => {
            assert_eq!(mime_type.as_deref(), Some("text/markdown"));
            text
        }
        other => panic!("{other:?}"),
    }
}

async fn with_items() -> Bench {
    let bench = Bench::with_notes().await;
    for (category, words) in [("company-context", "Acme sells ropes."), ("document-style", "Headings are blue.")] {
        let input = json!({ "mode": "text", "text": words });
        let params =
            json!({ "workbench_id": "deck", "category": category, "input": input, "model": "offline:extract" });
        bench.call("ContextProcess", params).await;
    }
    bench
}

#[tokio::test]
async fn every_file_has_the_digest_and_the_size_that_the_list_says() {
    for version in VERSIONS {
        let bench = with_items().await;
        let client = Client::new(bench.workbench.clone(), bound(), version, Person::CannotBeAsked).await;
        let list = ask(&client, "skills/list", json!({})).await.unwrap();
        assert!(list["ttlMs"].is_u64() && list["cacheScope"] == "private", "{list}");
        let skills = list["skills"].as_array().unwrap();
        let uris: Vec<&str> = skills.iter().map(|skill| skill["uri"].as_str().unwrap()).collect();
        assert!(uris.contains(&"skill://deck/company-context/SKILL.md"), "{uris:?}");
        assert!(uris.iter().any(|uri| uri.contains("xlsx-style")), "{uris:?}");
        for skill in skills {
            let uri = skill["uri"].as_str().unwrap();
            let name = skill["frontmatter"]["name"].as_str().unwrap();
            assert!(uri.ends_with(&format!("/{name}/SKILL.md")), "{uri}");
            assert!(skill["frontmatter"]["description"].as_str().is_some_and(|words| !words.is_empty()));
            for file in skill["resources"].as_array().unwrap() {
                let text = text(&client, file["uri"].as_str().unwrap()).await;
                let hash: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(file["digest"], format!("sha256:{hash}"), "{file}");
                assert_eq!(file["size"], text.len(), "{file}");
            }
            let one = ask(&client, "skills/get", json!({ "uri": uri })).await.unwrap();
            assert_eq!(one["skill"], *skill);
        }
    }
}

#[tokio::test]
async fn a_folder_is_read_by_its_children() {
    let bench = with_items().await;
    let client = Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::CannotBeAsked).await;
    let folder = "skill://deck/company-context";
    let read = ask(&client, "resources/directory/read", json!({ "uri": folder })).await.unwrap();
    let children: Vec<(String, String)> = read["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| (child["name"].as_str().unwrap().to_owned(), child["mimeType"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("SKILL.md", "text/markdown"), ("references", "inode/directory")];
    assert_eq!(children, expected.map(|(name, kind)| (name.to_owned(), kind.to_owned())));
    let inside = ask(&client, "resources/directory/read", json!({ "uri": format!("{folder}/references") })).await;
    let inside = inside.unwrap();
    assert_eq!(inside["resources"][0]["uri"], format!("{folder}/references/summary.md"));
    for uri in [format!("{folder}/SKILL.md"), format!("{folder}/nothing"), "skill://deck/none".to_owned()] {
        let error = ask(&client, "resources/directory/read", json!({ "uri": uri })).await.unwrap_err();
        assert!(error.contains("-32602"), "{uri}: {error}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_wrong_parameter() {
    let bench = Bench::with_notes().await;
    let client = Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::CannotBeAsked).await;
    for (method, params) in [
        ("skills/get", json!({ "uri": "skill://deck/company-context/SKILL.md" })),
        ("skills/get", json!({ "uri": "skill://nobody/x/SKILL.md" })),
        ("skills/get", json!({ "uri": "skill://jig.bundled/xlsx-style-skill" })),
        ("skills/get", json!({})),
        ("skills/list", json!({ "cursor": "nonsense" })),
    ] {
        let error = ask(&client, method, params.clone()).await.unwrap_err();
        assert!(error.contains("-32602"), "{method} {params}: {error}");
    }
    // Invalid parameters of an existing method are not reported as an unknown method.
    for (method, params, why) in [
        ("tools/call", json!({ "arguments": {} }), "`name` must be a text"),
        ("tools/call", json!({ "name": "list_files", "arguments": [1] }), "`arguments` must be an object"),
        ("resources/read", json!({ "uri": 5 }), "`uri` must be a text"),
    ] {
        let error = ask(&client, method, params.clone()).await.unwrap_err();
        assert!(error.contains("-32602") && error.contains(why), "{method} {params}: {error}");
    }
    let error = ask(&client, "skills/other", json!({})).await.unwrap_err();
    assert!(error.contains("-32601"), "{error}");
}

#[tokio::test]
async fn what_comes_with_jig_is_named_once_however_many_workbenches_there_are() {
    let bench = Bench::with_notes().await;
    bench.call("WorkbenchCreate", json!({ "name": "Other" })).await;
    let options = McpOptions::new(Env::system());
    let client = Client::new(bench.workbench.clone(), options, VERSIONS[1].clone(), Person::CannotBeAsked).await;
    let list = ask(&client, "skills/list", json!({})).await.unwrap();
    let uris: Vec<&str> = list["skills"].as_array().unwrap().iter().map(|s| s["uri"].as_str().unwrap()).collect();
    let expected = ["docx", "pptx", "xlsx"].map(|format| format!("skill://jig.bundled/{format}-style-skill/SKILL.md"));
    assert_eq!(uris, expected);
}
