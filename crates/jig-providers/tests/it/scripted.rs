//! The scripted provider: answers in order, and an error for unexpected requests.

use std::sync::Arc;

use jig_contract::Code;
use jig_providers::*;
use serde_json::json;

use crate::conversation::tool;
use crate::support::Bench;

const ID: &str = "scripted:test";

/// A change that makes a request unexpected.
type Change = fn(&mut Request);

fn script() -> String {
    json!({ "steps": [
        {
            "expect": { "purpose": "work", "system": ["rules"], "last": ["warm"], "tools": ["temperature"], "turns": 1,
                        "without": ["password"], "request": { "max_tokens": 50 } },
            "answer": { "reasoning": "hm", "tool_calls": [{ "name": "temperature", "arguments": { "city": "Oslo" } }],
                        "usage": { "input": 9, "output": 3 } },
        },
        { "expect": { "last": ["17"] }, "answer": { "json": { "degrees": 17 } } },
        { "answer": { "error": "PROVIDER_RATE_LIMITED", "retry_after": 2.5 } },
    ] })
    .to_string()
}

fn request() -> Request {
    let mut request = Request::new("work", "how warm is it?");
    request.system = vec![Block::new("the rules")];
    request.tools = vec![tool()];
    request.max_tokens = Some(50);
    request
}

async fn bench() -> (Bench, Arc<Scripted>) {
    let mut bench = Bench::new().await;
    let scripted = Arc::new(Scripted::new(ID.parse().unwrap(), &script()).unwrap());
    bench.providers = bench.providers.plug(Arc::clone(&scripted) as Arc<dyn Provider>);
    (bench, scripted)
}

#[tokio::test]
async fn a_script_is_played_to_its_end() {
    let (bench, scripted) = bench().await;
    let (deltas, message) = bench.steps(ID, &request()).await;
    let message = message.unwrap();
    assert_eq!(deltas.len(), 3);
    assert_eq!((message.stop, message.usage.unwrap().input), (StopReason::ToolUse, 9));
    let mut second = request();
    second.turns.push(message.clone().into_turn());
    let call = message.tool_calls().next().unwrap().clone();
    let (content, failed) = ("17".to_owned(), false);
    second.turns.push(Turn::results([ToolResult { id: call.id, name: call.name, content, failed }]));
    assert_eq!(bench.ask(ID, &second).await.unwrap().text(), "{\"degrees\":17}");
    assert!(scripted.finish().unwrap_err().to_string().contains("1 of 3 answers"));
    let error = bench.ask(ID, &second).await.unwrap_err();
    assert_eq!((error.code(), error.retry_after().unwrap().as_millis()), (Code::ProviderRateLimited, 2_500));
    scripted.finish().unwrap();
    let error = bench.ask(ID, &second).await.unwrap_err();
    assert!(error.code() == Code::Internal && error.to_string().contains("no further answer"), "{error}");
    assert_eq!(bench.server.requests(), []);
}

#[tokio::test]
async fn a_request_that_is_not_expected_says_what_is_wrong_and_uses_up_nothing() {
    let (bench, _scripted) = bench().await;
    let wrong: [(Change, &str); 7] = [
        (|request| request.purpose = "play".into(), "the purpose is `play`"),
        (|request| request.system.clear(), "is missing from the system text"),
        (|request| request.turns[0] = Turn::user("cold?"), "is missing from the last turn"),
        (|request| request.tools.clear(), "the tools are []"),
        (|request| request.turns.push(Turn::user("warm")), "there are 2 turns"),
        (|request| request.turns[0] = Turn::user("warm password"), "the request contains `password`"),
        (|request| request.max_tokens = Some(51), "request.max_tokens is not as expected"),
    ];
    for (change, says) in wrong {
        let mut request = request();
        change(&mut request);
        let error = bench.ask(ID, &request).await.unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert!(error.to_string().contains("step 1") && error.to_string().contains(says), "{error}");
    }
    assert!(bench.ask(ID, &request()).await.is_ok());
}

#[tokio::test]
async fn a_plugged_model_needs_a_permit_too() {
    let (bench, _scripted) = bench().await;
    let provider = bench.providers.open(&ID.parse().unwrap()).unwrap();
    let prepared = provider.prepare(&request()).unwrap();
    let error = provider.complete(prepared, bench.permit("chat:m"), Default::default()).message().await.unwrap_err();
    assert_eq!(error.code(), Code::EgressBlockedByPolicy);
}

#[test]
fn a_script_that_cannot_be_read_is_named() {
    for bad in ["", "{}", "{\"steps\":[{}]}", "{\"steps\":[{\"answer\":{\"txt\":\"x\"}}]}"] {
        let error = Scripted::new(ID.parse().unwrap(), bad).unwrap_err();
        assert_eq!(error.code(), Code::SettingsInvalid, "{bad}");
    }
}
