//! Whatever arrives, every request gets one response and the server continues.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::rpc_client::Client;

/// Random JSON of limited depth.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,10}|workbench_id|path|id|method", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A request with one field replaced by random JSON.
fn bent_request() -> impl Strategy<Value = Value> {
    let methods = prop::sample::select(vec!["FileList", "JournalList", "DraftGetState", "Nothing", "$/cancel", ""]);
    let member = prop::sample::select(vec!["jsonrpc", "id", "method", "params", "extra"]);
    (methods, member, any_json()).prop_map(|(method, member, value)| {
        let mut request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": { "workbench_id": "deck" } });
        request[member] = value;
        request
    })
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let json =
        prop_oneof![any_json(), bent_request(), prop::collection::vec(bent_request(), 0..3).prop_map(Value::from)];
    prop_oneof![
        json.clone().prop_map(|value| value.to_string().into_bytes()),
        (json, any::<prop::sample::Index>()).prop_map(|(value, cut)| {
            let text = value.to_string().into_bytes();
            text[..cut.index(text.len().max(1)).min(text.len())].to_vec()
        }),
        prop::collection::vec(any::<u8>().prop_filter("a line", |b| *b != b'\n'), 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_request_is_answered_once(lines in prop::collection::vec(any_line(), 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answers = runtime.block_on(async {
            let bench = Bench::with_notes().await;
            let mut client = Client::new(bench.workbench.clone());
            for line in &lines {
                client.raw(line).await;
                client.raw(b"\n").await;
            }
            client.send(&json!({ "jsonrpc": "2.0", "id": "last", "method": "WorkbenchList" })).await;
            client.finish().await
        });
        let answers: Vec<Value> = answers.into_iter().filter(|message| message.get("method").is_none()).collect();
        prop_assert!(answers.len() <= lines.len() + 1, "more answers than questions: {answers:?}");
        let last: Vec<&Value> = answers.iter().filter(|answer| answer["id"] == "last").collect();
        prop_assert!(last.len() == 1 && last[0]["result"]["workbenches"][0]["id"] == "deck", "{answers:?}");
        for answer in answers.iter().flat_map(|answer| answer.as_array().map_or(std::slice::from_ref(answer), Vec::as_slice)) {
            prop_assert!(answer["jsonrpc"] == "2.0" && answer.get("id").is_some(), "{answer}");
            prop_assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
            prop_assert!(answer["error"]["code"] != -32603, "a fault of our own: {answer}");
        }
    }
}
