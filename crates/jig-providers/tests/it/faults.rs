//! Refusals and failures of every kind, in each provider's own wording.

use jig_contract::{Code, OpError};
use jig_fake_model::{Answer, Habits, Piece, Refusal, Reply, Stop};
use jig_providers::*;
use serde_json::json;

use crate::support::{Bench, MODELS, PLANTED, plain};

#[tokio::test]
async fn refusals_become_codes_in_every_format() {
    let table = [
        (Refusal::Key, Code::ProviderAuthFailed, false),
        (Refusal::Forbidden, Code::ProviderAuthFailed, false),
        (Refusal::Unknown, Code::ProviderNotConfigured, false),
        (Refusal::Limited, Code::ProviderRateLimited, true),
        (Refusal::Spent, Code::ProviderRateLimited, false),
        (Refusal::Window, Code::ContextExhausted, false),
        (Refusal::Malformed, Code::ProviderUnavailable, false),
        (Refusal::Server, Code::ProviderUnavailable, true),
        (Refusal::Overloaded, Code::ProviderUnavailable, true),
    ];
    for model in MODELS {
        let bench = Bench::new().await;
        for (refusal, code, retryable) in table {
            bench.server.reply(Reply::refuse(refusal));
            let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
            let error = bench.ask(model, &request).await.unwrap_err();
            assert_eq!((error.code(), error.retryable()), (code, retryable), "{model} {refusal:?}: {error}");
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("sk-wrong"), "{model}: {shown}");
            assert!(error.to_string().len() < 500, "{error}");
            let op = OpError::from(error);
            assert_eq!(op.info.model_id.as_deref(), Some(model));
        }
        assert_eq!(bench.server.requests().len(), table.len(), "{model}: no retries");
    }
}

#[tokio::test]
async fn a_wait_is_told_in_seconds_as_a_date_and_in_the_body() {
    let bench = Bench::new().await;
    let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
    // The clock is fixed at 2025-11-15T09:30:00Z.
    for (header, value, millis) in [
        ("retry-after", "7", 7_000),
        ("retry-after", "Sat, 15 Nov 2025 09:30:20 GMT", 20_000),
        ("retry-after-ms", "150", 150),
    ] {
        bench.server.reply(Reply::refuse(Refusal::Limited).header(header, value));
        let error = bench.ask("messages:m", &request).await.unwrap_err();
        assert_eq!(error.retry_after().unwrap().as_millis(), millis, "{header}: {value}");
        let op = OpError::from(error);
        assert_eq!(op.info.detail, Some(json!({ "retry_after_ms": millis })));
    }
    bench.server.reply(Reply::refuse(Refusal::Limited));
    let error = bench.ask("gemini:m", &request).await.unwrap_err();
    assert_eq!(error.retry_after().unwrap().as_millis(), 20);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_and_never_half_a_message() {
    for model in MODELS {
        let bench = Bench::new().await;
        for habits in [
            Habits { cut_after: Some(4), ..Habits::default() },
            Habits { end_after: Some(4), ..Habits::default() },
            Habits { cut_after: Some(0), ..Habits::default() },
            Habits { end_after: Some(0), ..Habits::default() },
        ] {
            bench.server.reply(Reply::text("a long answer in many pieces").with(habits));
            let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
            let (_, message) = bench.steps(model, &request).await;
            let error = message.unwrap_err();
            assert_eq!(error.code(), Code::ProviderUnavailable, "{model} {habits:?}");
            assert!(error.retryable(), "{model} {habits:?}: {error}");
        }
        bench.server.reply(Reply::text("x").with(Habits { chunk: 20, cut_after: Some(2), ..Habits::default() }));
        let request = Request { retries: Retries::Off, ..plain("x") };
        assert_eq!(bench.ask(model, &request).await.unwrap_err().code(), Code::ProviderUnavailable, "{model}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error() {
    for model in MODELS {
        let bench = Bench::new().await;
        for reply in [
            Reply::json(200, "{\"choices\": [{"),
            Reply::json(200, "not json"),
            Reply::json(200, "{}"),
            Reply::json(200, "[]"),
            Reply::events("data: {\"half\":\n\n"),
            Reply::events("data: hello\n\n"),
            Reply::events(&b"data: \xff\xfe\n\n"[..]),
            Reply::events(""),
            Reply::raw(200, vec![Piece::Bytes("{}".into())]).header("content-type", "application/xml"),
            Reply::page(),
        ] {
            let shown = format!("{model} {reply:?}");
            bench.server.reply(reply);
            let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
            let error = bench.ask(model, &request).await.unwrap_err();
            assert_eq!(error.code(), Code::ProviderUnavailable, "{shown}");
        }
    }
}

#[tokio::test]
async fn a_malformed_call_spares_its_siblings_the_text_and_the_usage() {
    let table = [
        ("{\"city\": \"Os", Stop::Length, "cut off"),
        ("{\"city\": \"Os", Stop::Natural, "JSON"),
        ("{not json", Stop::Natural, "JSON"),
        ("[1]", Stop::Natural, "not an array"),
        ("7", Stop::Natural, "not a number"),
        ("\"Oslo\"", Stop::Natural, ""),
        ("{'city': 'Oslo'}", Stop::Natural, "JSON"),
        ("{\"city\": \"Oslo\"}{\"city\": \"Rome\"}", Stop::Natural, "JSON"),
    ];
    for model in MODELS {
        for (arguments, stop, says) in table {
            for streaming in [Streaming::On, Streaming::Off] {
                // Gemini's own server validates the JSON, so only values of the wrong type can arrive.
                if model == "gemini:m" && stop == Stop::Length {
                    continue;
                }
                let bench = Bench::new().await;
                let answer = Answer::text("Looking.")
                    .and_call("abcdefgh1", "temperature", "{\"city\": \"Bergen\"}")
                    .and_call("abcdefgh2", "temperature", arguments)
                    .ending(stop);
                bench.server.reply(Reply::answer(answer));
                let request = Request { streaming, ..Request::new("test", "x") };
                let shown = format!("{model} {streaming:?} {arguments}");
                let message = bench.ask(model, &request).await.unwrap_or_else(|error| panic!("{shown}: {error}"));
                assert_eq!(message.text(), "Looking.", "{shown}");
                assert!(message.usage.is_some_and(|usage| usage.input == 100), "{shown}");
                let calls: Vec<&ToolCall> = message.tool_calls().collect();
                assert_eq!(calls.len(), 2, "{shown}");
                assert_eq!((&calls[0].arguments["city"], &calls[0].malformed), (&json!("Bergen"), &None), "{shown}");
                let malformed = calls[1].malformed.as_ref().unwrap_or_else(|| panic!("{shown}: {:?}", calls[1]));
                assert!(malformed.why.contains(says), "{shown}: {}", malformed.why);
                assert!(malformed.sent.contains(arguments.trim_matches('"')), "{shown}: {}", malformed.sent);
                // The call can be sent back to the provider.
                assert_eq!(calls[1].arguments, json!({}), "{shown}");
            }
        }
    }
}

#[tokio::test]
async fn slips_in_arguments_are_corrected_and_reported() {
    for model in MODELS {
        for arguments in
            ["{\"city\": \"Oslo\",}", "```json\n{\"city\": \"Oslo\"}\n```", "\"{\\\"city\\\": \\\"Oslo\\\"}\""]
        {
            for streaming in [Streaming::On, Streaming::Off] {
                let bench = Bench::new().await;
                bench.server.reply(Reply::answer(Answer::text("").and_call("abcdefgh1", "t", arguments)));
                let request = Request { streaming, ..Request::new("test", "x") };
                let message = bench.ask(model, &request).await.unwrap();
                let call = message.tool_calls().next().unwrap();
                assert_eq!(
                    (&call.arguments, &call.malformed),
                    (&json!({ "city": "Oslo" }), &None),
                    "{model} {arguments}"
                );
                assert!(call.corrected.is_some(), "{model} {arguments}");
            }
        }
    }
}

#[tokio::test]
async fn calls_without_a_name_and_with_the_same_id_are_passed_on() {
    for model in MODELS {
        for streaming in [Streaming::On, Streaming::Off] {
            let bench = Bench::new().await;
            let answer = Answer::text("").and_call("abcdefgh1", "", "{}").and_call("abcdefgh1", "b", "{}");
            bench.server.reply(Reply::answer(answer));
            let request = Request { streaming, ..Request::new("test", "x") };
            let message = bench.ask(model, &request).await.unwrap_or_else(|error| panic!("{model}: {error}"));
            let names: Vec<&str> = message.tool_calls().map(|call| call.name.as_str()).collect();
            assert_eq!(names, ["", "b"], "{model} {streaming:?}");
        }
    }
}

#[tokio::test]
async fn ends_that_are_not_the_end_of_an_answer_are_told_apart() {
    for model in MODELS {
        let bench = Bench::new().await;
        bench.server.reply(Reply::answer(Answer::text("so").ending(Stop::Unknown)));
        let message = bench.ask(model, &Request::new("test", "x")).await.unwrap();
        assert_eq!(message.stop, StopReason::Other, "{model}");
        let cut = Habits { end_after: Some(3), ..Habits::default() };
        bench.server.reply(Reply::text("This is a longer answer.").with(cut));
        let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
        let error = bench.ask(model, &request).await.unwrap_err();
        assert!(error.is_cut(), "{model}: {error}");
    }
    let bench = Bench::new().await;
    let announced = json!({ "choices": [{ "message": { "content": "I will look." }, "finish_reason": "tool_calls" }] });
    bench.server.reply(Reply::json(200, announced.to_string()));
    let message = bench.ask("compatible:m", &Request::new("test", "x")).await.unwrap();
    assert_eq!((message.stop, message.tool_calls().count()), (StopReason::ToolUse, 0));
    bench.server.reply(Reply::json(200, r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":0}}"#));
    let message = bench.ask("compatible:m", &Request::new("test", "x")).await.unwrap();
    assert_eq!((message.parts.len(), message.usage.unwrap().input), (0, 9));
    let malformed = r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}],
        "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}"#;
    bench.server.reply(Reply::json(200, malformed));
    let message = bench.ask("gemini:m", &Request::new("test", "x")).await.unwrap();
    assert_eq!((message.stop, message.usage.unwrap().output), (StopReason::MalformedCall, 3));
}

#[tokio::test]
async fn an_error_inside_a_stream_is_mapped_like_any_other() {
    for (model, event, code) in [
        (
            "messages:m",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Code::ProviderUnavailable,
        ),
        (
            "messages:m",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#,
            Code::ProviderRateLimited,
        ),
        (
            "chat:m",
            r#"{"error":{"message":"too long","type":"x","code":"context_length_exceeded"}}"#,
            Code::ContextExhausted,
        ),
        ("responses:m", r#"{"type":"error","code":"rate_limit_exceeded","message":"slow"}"#, Code::ProviderRateLimited),
        (
            "responses:m",
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"m"}}}"#,
            Code::ProviderUnavailable,
        ),
        ("gemini:m", r#"{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}"#, Code::ProviderUnavailable),
    ] {
        let bench = Bench::new().await;
        bench.server.reply(Reply::events(format!("data: {event}\n\n")));
        let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
        let error = bench.ask(model, &request).await.unwrap_err();
        assert_eq!(error.code(), code, "{model}: {error}");
    }
}

#[tokio::test]
async fn a_servers_words_are_cleaned_of_keys_and_prompts() {
    let bench = Bench::new().await;
    let prompt = "The merger with Foo Ltd closes in May for twenty million";
    let body =
        json!({ "error": { "message": format!("{PLANTED} refused; you said: {prompt}. {}", "x ".repeat(2_000)) } });
    bench.server.reply(Reply::json(400, body.to_string()));
    let error = bench.ask("chat:m", &Request::new("test", prompt)).await.unwrap_err();
    let shown = format!("{error} {error:?} {:?}", OpError::from(error.clone()));
    assert!(!shown.contains(PLANTED) && !shown.contains("merger"), "{shown}");
    assert!(error.to_string().contains("refused; you said") && error.to_string().chars().count() < 400, "{error}");
}

#[tokio::test]
async fn nobody_at_the_address_is_the_networks_fault() {
    let bench = Bench::new().await;
    let Bench { server, providers, gate, .. } = bench;
    drop(server);
    tokio::task::yield_now().await;
    let provider = providers.open(&"compatible:m".parse().unwrap()).unwrap();
    let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
    let permit = gate.permit(
        jig_contract::WorkbenchId::new("w").unwrap(),
        "compatible:m".parse().unwrap(),
        jig_contract::BlobHash::from_bytes([0; 32]),
    );
    let prepared = provider.prepare(&request).unwrap();
    let error = provider.complete(prepared, permit, Default::default()).message().await.unwrap_err();
    assert_eq!(error.code(), Code::NetworkUnavailable, "{error}");
    assert!(error.hints()[0].contains("running"), "{error:?}");
}
