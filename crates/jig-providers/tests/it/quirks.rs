//! Deviations of compatible servers: none of them changes the result.

use std::time::Duration;

use jig_fake_model::{Answer, Habits, Reply};
use jig_providers::*;
use serde_json::json;

use crate::support::{Bench, MODELS, words};

#[tokio::test]
async fn every_spelling_of_a_stream_gives_the_same_message() {
    let spellings = [
        Habits { crlf: true, ..Habits::default() },
        Habits { tight: true, ..Habits::default() },
        Habits { comments: true, ..Habits::default() },
        Habits { no_done: true, ..Habits::default() },
        Habits { chunk: 1, ..Habits::default() },
        Habits { chunk: 7, crlf: true, tight: true, comments: true, ..Habits::default() },
        Habits { chunk: 4_096, ..Habits::default() },
    ];
    for model in MODELS {
        let bench = Bench::new().await;
        let answer = Answer::text("Größe 漢字 🙂, ok").and_call("abcdefgh1", "t", "{\"ü\":\"🙂\"}");
        for habits in spellings {
            bench.server.reply(Reply::answer(answer.clone()).with(habits));
            let (deltas, message) = bench.steps(model, &Request::new("test", "x")).await;
            let message = message.unwrap_or_else(|error| panic!("{model} {habits:?}: {error}"));
            assert_eq!(message.text(), "Größe 漢字 🙂, ok", "{model} {habits:?}");
            assert_eq!(words(&deltas), message.text(), "{model} {habits:?}");
            assert_eq!(message.tool_calls().next().unwrap().arguments, json!({ "ü": "🙂" }), "{model} {habits:?}");
            assert!(message.usage.is_some(), "{model} {habits:?}");
        }
    }
}

#[tokio::test]
async fn missing_usage_is_said_to_be_missing() {
    for model in MODELS {
        for streaming in [Streaming::On, Streaming::Off] {
            let bench = Bench::new().await;
            bench.server.reply(Reply::text("yes").with(Habits { no_usage: true, ..Habits::default() }));
            let request = Request { streaming, ..Request::new("test", "x") };
            let message = bench.ask(model, &request).await.unwrap();
            assert_eq!((message.text().as_str(), message.usage), ("yes", None), "{model}");
        }
    }
}

#[tokio::test]
async fn calls_come_with_objects_without_ids_and_without_places() {
    for habits in [
        Habits { object_arguments: true, ..Habits::default() },
        Habits { bare_calls: true, ..Habits::default() },
        Habits { object_arguments: true, bare_calls: true, no_done: true, no_usage: true, ..Habits::default() },
    ] {
        for streaming in [Streaming::On, Streaming::Off] {
            let bench = Bench::new().await;
            let answer = Answer::call("c1", "a", &json!({ "x": 1 })).and_call("c2", "b", "{\"y\":2}");
            bench.server.reply(Reply::answer(answer).with(habits));
            let request = Request { streaming, ..Request::new("test", "x") };
            let message = bench.ask("compatible:m", &request).await.unwrap();
            let calls: Vec<&ToolCall> = message.tool_calls().collect();
            assert_eq!(calls.len(), 2, "{habits:?}");
            assert_eq!((&calls[0].arguments, &calls[1].arguments), (&json!({ "x": 1 }), &json!({ "y": 2 })));
            assert!(calls[0].id != calls[1].id && !calls[0].id.is_empty(), "{calls:?}");
        }
    }
}

#[tokio::test]
async fn gemini_calls_without_ids_get_some_that_stay_here() {
    let bench = Bench::new().await;
    let answer = Answer::call("c1", "a", &json!({ "x": 1 }));
    bench.server.reply(Reply::answer(answer).with(Habits { bare_calls: true, ..Habits::default() }));
    bench.server.reply(Reply::text("done"));
    let mut request = Request::new("test", "x");
    let message = bench.ask("gemini:m", &request).await.unwrap();
    let call = message.tool_calls().next().unwrap().clone();
    request.turns.push(message.into_turn());
    let content = "r".to_owned();
    request.turns.push(Turn::results([ToolResult { id: call.id.clone(), name: call.name, content, failed: false }]));
    bench.ask("gemini:m", &request).await.unwrap();
    let sent = String::from_utf8(bench.server.requests()[1].body.clone()).unwrap();
    assert!(!sent.contains(&call.id), "{sent}");
}

#[tokio::test]
async fn a_server_may_answer_whole_when_asked_to_stream() {
    let bench = Bench::new().await;
    let body = json!({ "choices": [{ "message": { "content": "all at once" }, "finish_reason": "stop" }] });
    bench.server.reply(Reply::json(200, body.to_string()).header("x-other", "1"));
    let (deltas, message) = bench.steps("compatible:m", &Request::new("test", "x")).await;
    assert_eq!(message.unwrap().text(), "all at once");
    assert_eq!(words(&deltas), "all at once");
}

#[tokio::test]
async fn a_slow_stream_within_its_limits_is_fine() {
    let limits = Limits { between: Duration::from_millis(800), ..Limits::default() };
    let bench = Bench::with(limits, crate::support::quick()).await;
    let habits = Habits { pause: Duration::from_millis(60), ..Habits::default() };
    bench.server.reply(Reply::text("word by word by word").with(habits));
    assert_eq!(bench.ask("messages:m", &Request::new("test", "x")).await.unwrap().text(), "word by word by word");
}

#[tokio::test]
async fn a_model_that_cannot_stream_is_asked_for_the_whole() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::text("whole"));
    let (deltas, message) = bench.steps("compatible:no-stream", &Request::new("test", "x")).await;
    assert_eq!((message.unwrap().text().as_str(), words(&deltas).as_str()), ("whole", "whole"));
    assert_eq!(bench.server.requests()[0].json()["stream"], false);
}
