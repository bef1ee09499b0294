//! Every way in which a provider refuses or fails, in its own words.

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
    // The clock stands at 2025-11-15T09:30:00Z.
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
async fn a_tool_call_with_bad_arguments_is_an_error() {
    for model in ["chat:m", "responses:m", "messages:m", "compatible:m"] {
        for (arguments, stop, says) in [
            ("{\"city\": \"Os", Stop::Length, "in the middle of a tool call"),
            ("[1]", Stop::Natural, "no JSON object"),
        ] {
            let bench = Bench::new().await;
            let answer = Answer::text("").and_call("abcdefgh1", "temperature", arguments).ending(stop);
            bench.server.reply(Reply::answer(answer));
            let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
            let error = bench.ask(model, &request).await.unwrap_err();
            assert!(error.to_string().contains(says), "{model}: {error}");
        }
    }
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
