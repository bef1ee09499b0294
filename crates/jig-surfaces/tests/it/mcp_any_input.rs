//! Whatever arrives over MCP, the server answers what it can and continues.

use jig_surfaces::mcp::JigServer;
use proptest::prelude::*;
use rmcp::ServiceExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::bench::Bench;
use crate::mcp_client::bound;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}|jig://deck/\\PC{0,12}|skill://\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}|name|uri|cursor|arguments|path|_meta|ref", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A request for an existing method with random parameters.
fn any_request() -> impl Strategy<Value = Value> {
    let methods = prop::sample::select(vec![
        "tools/call",
        "tools/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "skills/list",
        "skills/get",
        "resources/directory/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "ping",
        "nothing/here",
    ]);
    let tools =
        prop::sample::select(vec!["read_file", "list_files", "write_text_file", "table_query", "publish_draft"]);
    let named = (tools, any_json()).prop_map(|(name, arguments)| json!({ "name": name, "arguments": arguments }));
    (methods, prop_oneof![any_json(), named])
        .prop_map(|(method, params)| json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_server_goes_on(messages in prop::collection::vec(prop_oneof![any_json(), any_request()], 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answers = runtime.block_on(talk(messages));
        let last = answers.last().unwrap();
        prop_assert!(last["result"]["tools"].is_array(), "{answers:?}");
        for answer in &answers {
            prop_assert!(answer["error"]["code"] != -32603, "a fault of our own: {answer}");
            let text = answer.to_string();
            prop_assert!(!text.contains("a fault in Jig"), "{text}");
        }
    }
}

/// Initialises, sends everything, then lists the tools, and returns all responses up to that one.
async fn talk(messages: Vec<Value>) -> Vec<Value> {
    let bench = Bench::with_notes().await;
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let server = JigServer::new(bench.workbench.clone().into(), bound());
    let serving = tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
    let (reader, mut writer) = tokio::io::split(ours);
    let client = json!({ "name": "fuzz", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let mut all = vec![
        json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    all.extend(messages);
    all.push(json!({ "jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {} }));
    let writing = tokio::spawn(async move {
        for message in all {
            writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }
        writer
    });
    let mut answers = Vec::new();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        let answer: Value = serde_json::from_str(&line).unwrap();
        let last = answer["id"] == "last";
        answers.push(answer);
        if last {
            break;
        }
    }
    drop(writing.await.unwrap());
    serving.abort();
    answers
}
