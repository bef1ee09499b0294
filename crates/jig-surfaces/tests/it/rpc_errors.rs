//! Invalid messages of every kind, each followed by a valid one that still gets a response.

use jig_surfaces::rpc::RpcOptions;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::rpc_client::{Client, error};

#[tokio::test]
async fn each_wrong_message_gets_its_standard_error() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let table: &[(&str, i64, Value, &str)] = &[
        ("{not json", -32700, Value::Null, "INVALID_REQUEST"),
        ("\u{1}", -32700, Value::Null, "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchList""#, -32700, Value::Null, "INVALID_REQUEST"),
        ("17", -32600, Value::Null, "INVALID_REQUEST"),
        ("[]", -32600, Value::Null, "INVALID_REQUEST"),
        ("{}", -32600, Value::Null, "INVALID_REQUEST"),
        (r#"{"id":7,"method":"WorkbenchList"}"#, -32600, json!(7), "INVALID_REQUEST"),
        (r#"{"jsonrpc":"1.0","id":7,"method":"WorkbenchList"}"#, -32600, json!(7), "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7), "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":"x","method":3}"#, -32600, json!("x"), "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"WorkbenchList"}"#, -32600, Value::Null, "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"WorkbenchList"}"#, -32600, Value::Null, "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"WorkbenchList"}"#, -32600, Value::Null, "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":1e99,"method":"WorkbenchList"}"#, -32600, Value::Null, "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchList","params":3}"#, -32600, json!(1), "INVALID_REQUEST"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchList","params":["a"]}"#, -32602, json!(1), "INVALID_PARAMS"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchGet","params":{}}"#, -32602, json!(1), "INVALID_PARAMS"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchGet","params":{"workbench_id":[3]}}"#,
            -32602,
            json!(1),
            "INVALID_PARAMS",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchList","params":{"x":1}}"#, -32602, json!(1), "INVALID_PARAMS"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"EventSubscribe","params":{}}"#, -32602, json!(1), "INVALID_PARAMS"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"Nothing"}"#, -32601, json!(1.5), "UNKNOWN_OPERATION"),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"WorkbenchGet","params":{"workbench_id":"none"}}"#,
            -32000,
            Value::Null,
            "WORKBENCH_NOT_FOUND",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"WorkbenchGet","params":{"workbench_id":".."}}"#,
            -32000,
            json!(1),
            "VALIDATION_FAILED",
        ),
    ];
    for (line, number, id, code) in table {
        let answer = client.exchange(line).await;
        assert_eq!(error(&answer), (*number, id.clone(), (*code).to_owned()), "{line}");
    }
    assert_eq!(client.call("WorkbenchList", json!({})).await["result"], json!({ "workbenches": [] }));
    assert_eq!(client.finish().await, Vec::<Value>::new());
}

#[tokio::test]
async fn text_that_is_not_utf8_is_not_json() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}\n").await;
    assert_eq!(error(&client.next().await), (-32700, Value::Null, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn deeply_nested_json_is_refused_and_not_followed() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.exchange(&"[".repeat(100_000)).await;
    assert_eq!(error(&answer), (-32700, Value::Null, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn an_unknown_method_is_answered_with_the_nearest() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.call("WorkbenchLst", json!({})).await;
    assert_eq!(answer["error"]["data"]["suggestions"][0], "WorkbenchList");
    let long = client.call(&"x".repeat(100_000), json!({})).await;
    assert!(long["error"]["message"].as_str().unwrap().len() < 200);
}

#[tokio::test]
async fn a_message_over_the_limit_is_skipped_and_the_next_is_answered() {
    let bench = Bench::new().await;
    let options = RpcOptions { max_message_bytes: 200, ..RpcOptions::default() };
    let mut client = Client::with(bench.workbench.clone(), options);
    let answer = client.exchange(&"x".repeat(300_000)).await;
    assert_eq!(error(&answer), (-32600, Value::Null, "MESSAGE_TOO_LARGE".to_owned()));
    assert_eq!(client.call("WorkbenchList", json!({})).await["result"], json!({ "workbenches": [] }));
}

#[tokio::test]
async fn too_large_a_batch_is_one_error() {
    let bench = Bench::new().await;
    let mut client = Client::new(bench.workbench.clone());
    let answer = client.exchange(&json!(vec![1; 1_001]).to_string()).await;
    assert_eq!(error(&answer), (-32600, Value::Null, "INVALID_REQUEST".to_owned()));
}
