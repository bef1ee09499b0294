//! A conversation with tools, for every format, streaming and not; also used with real providers.

use jig_fake_model::{Answer, Reply, Stop};
use jig_providers::*;
use serde_json::json;

use crate::support::{Bench, MODELS, PLANTED, words};

/// A tool with one parameter.
pub(crate) fn tool() -> Tool {
    let parameters = json!({
        "type": "object", "additionalProperties": false, "required": ["city"],
        "properties": { "city": { "type": "string", "description": "A city." } },
    });
    let description = "Tells the temperature in a city, in degrees Celsius.".to_owned();
    Tool { name: "temperature".to_owned(), description, parameters, cache: Cache::None }
}

/// The first request: a question that needs the tool.
pub(crate) fn question(streaming: Streaming) -> Request {
    let mut request = Request::new("test", "How warm is it in Oslo? Use the tool, then answer with the number.");
    request.system = vec![Block::cached("You answer in few words. Always use the tool for temperatures.")];
    request.tools = vec![tool()];
    request.max_tokens = Some(2_000);
    request.streaming = streaming;
    request
}

/// The second request: the same with the tool's result.
pub(crate) fn result(mut request: Request, message: Message) -> Request {
    let call = message.tool_calls().next().expect("a tool call").clone();
    request.turns.push(message.into_turn());
    let content = "17 degrees".to_owned();
    request.turns.push(Turn::results([ToolResult { id: call.id, name: call.name, content, failed: false }]));
    request
}

#[tokio::test]
async fn a_conversation_with_a_tool_works_in_every_format() {
    for model in MODELS {
        for streaming in [Streaming::On, Streaming::Off] {
            let bench = Bench::new().await;
            let call =
                Answer::call("abcdefgh1", "temperature", &json!({ "city": "Oslo" })).thinking("I need the tool.");
            bench.server.reply(Reply::answer(call)).reply(Reply::text("It is 17 degrees in Oslo – søt!"));
            let first = question(streaming);
            let (deltas, message) = bench.steps(model, &first).await;
            let message = message.unwrap();
            check_call(model, &deltas, &message);
            let (deltas, answer) = bench.steps(model, &result(first, message)).await;
            let answer = answer.unwrap();
            assert_eq!(answer.text(), "It is 17 degrees in Oslo – søt!", "{model}");
            assert_eq!(words(&deltas), answer.text(), "{model}");
            assert!(deltas.len() > 1 || streaming == Streaming::Off, "{model} streams");
            assert_eq!(answer.stop, StopReason::EndTurn, "{model}");
            let usage = Usage { input: 100, output: 20, cached: 40, cache_written: 0, reasoning: 5 };
            assert_eq!(answer.usage, Some(usage), "{model}");
            check_second_request(model, &bench);
        }
    }
}

fn check_call(model: &str, deltas: &[Delta], message: &Message) {
    assert_eq!(message.stop, StopReason::ToolUse, "{model}");
    let call = message.tool_calls().next().unwrap();
    assert_eq!((call.name.as_str(), &call.arguments), ("temperature", &json!({ "city": "Oslo" })), "{model}");
    assert_eq!(call.id, "abcdefgh1", "{model}");
    let named = Delta::ToolCall { index: 0, name: "temperature".to_owned() };
    assert!(deltas.contains(&named), "{model}: {deltas:?}");
    let json: String = deltas
        .iter()
        .filter_map(|delta| if let Delta::Arguments { json, .. } = delta { Some(json.as_str()) } else { None })
        .collect();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), call.arguments, "{model}");
    let thoughts: String = deltas
        .iter()
        .filter_map(|delta| if let Delta::Reasoning { text } = delta { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(thoughts, "I need the tool.", "{model}");
}

/// The second request contains the call, its result, and what the provider expects back.
fn check_second_request(model: &str, bench: &Bench) {
    let requests = bench.server.requests();
    assert_eq!(requests.len(), 2, "{model}");
    let second = String::from_utf8(requests[1].body.clone()).unwrap();
    for expected in ["17 degrees", "Oslo", "temperature"] {
        assert!(second.contains(expected), "{model}: {second}");
    }
    let wanted = match model {
        "responses:m" => "\"encrypted_content\":\"opaque\"",
        "messages:m" => "\"signature\":\"signed\"",
        "gemini:m" => "\"thoughtSignature\":\"signed\"",
        _ => "\"tool_call_id\":\"abcdefgh1\"",
    };
    assert!(second.contains(wanted), "{model}: {second}");
}

#[tokio::test]
async fn what_was_prepared_is_what_is_sent() {
    for model in MODELS {
        let bench = Bench::new().await;
        bench.server.reply(Reply::text("yes"));
        let provider = bench.providers.open(&model.parse().unwrap()).unwrap();
        let prepared = provider.prepare(&question(Streaming::On)).unwrap();
        let body = prepared.body.clone();
        provider.complete(prepared, bench.permit(model), Default::default()).message().await.unwrap();
        let sent = bench.server.requests().remove(0);
        assert_eq!(sent.body, body, "{model}");
        assert_eq!((sent.method.as_str(), sent.header("content-type")), ("POST", Some("application/json")));
    }
}

#[tokio::test]
async fn the_key_is_in_its_header_and_nowhere_else() {
    for (model, header, path) in [
        ("chat:m", "authorization", "/v1/chat/completions"),
        ("responses:m", "authorization", "/v1/responses"),
        ("messages:m", "x-api-key", "/v1/messages"),
        ("gemini:m", "x-goog-api-key", "/v1/models/m:streamGenerateContent"),
        ("mistral-like:m", "authorization", "/v1/chat/completions"),
    ] {
        let bench = Bench::new().await;
        bench.server.reply(Reply::text("yes"));
        bench.ask(model, &Request::new("test", "x")).await.unwrap();
        let sent = bench.server.requests().remove(0);
        assert_eq!(sent.path, path);
        assert!(sent.header(header).unwrap().ends_with(PLANTED), "{model}");
        let elsewhere: Vec<_> =
            sent.headers.iter().filter(|(name, value)| name != header && value.contains(PLANTED)).collect();
        assert!(elsewhere.is_empty(), "{model}: {elsewhere:?}");
        let rest = format!("{} {} {}", sent.path, sent.query, String::from_utf8_lossy(&sent.body));
        assert!(!rest.contains(PLANTED), "{model}: {rest}");
        assert!(!sent.query.contains("key"), "{model}: {}", sent.query);
    }
}

#[tokio::test]
async fn a_limit_a_refusal_and_several_calls_are_told_apart() {
    for model in MODELS {
        let bench = Bench::new().await;
        let two = Answer::call("abcdefgh1", "a", &json!({})).and_call("abcdefgh2", "b", "{\"n\":[1,2]}");
        bench
            .server
            .reply(Reply::answer(Answer::text("half a sen").ending(Stop::Length)))
            .reply(Reply::answer(Answer::text("").ending(Stop::Refusal)))
            .reply(Reply::answer(two));
        let request = question(Streaming::On);
        assert_eq!(bench.ask(model, &request).await.unwrap().stop, StopReason::MaxTokens, "{model}");
        assert_eq!(bench.ask(model, &request).await.unwrap().stop, StopReason::Refusal, "{model}");
        let message = bench.ask(model, &request).await.unwrap();
        let calls: Vec<_> = message.tool_calls().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        assert_eq!(calls, [("a", json!({})), ("b", json!({ "n": [1, 2] }))], "{model}");
    }
}
