//! Time limits, size limits and cancellation.

use std::time::Duration;

use futures::StreamExt;
use jig_contract::Code;
use jig_fake_model::{Habits, Piece, Reply};
use jig_providers::*;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, quick};

const SOON: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn each_limit_on_time_ends_the_call() {
    let hang = || Reply::text("begins and stops").with(Habits { hang_after: Some(4), ..Habits::default() });
    let drip = || Reply::text("drip").with(Habits { pause: Duration::from_millis(100), chunk: 8, ..Habits::default() });
    let late = || Reply::text("late").after(Duration::from_secs(30));
    let cases = [
        (Limits { connect: SOON, first_byte: SOON, ..Limits::default() }, late()),
        (Limits { between: SOON, ..Limits::default() }, hang()),
        (Limits { whole: Duration::from_millis(400), ..Limits::default() }, drip()),
    ];
    for (limits, reply) in cases {
        let bench = Bench::with(limits, quick()).await;
        bench.server.reply(reply);
        let before = std::time::Instant::now();
        let error = bench.ask("chat:m", &Request::new("test", "x")).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable, "{limits:?}");
        assert!(error.to_string().contains("in time"), "{error}");
        assert!(before.elapsed() < PATIENCE, "{limits:?}");
        assert_eq!(bench.server.requests().len(), 1, "a late answer is not asked for twice");
    }
}

#[tokio::test]
async fn a_request_can_have_a_limit_of_its_own() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::text("late").after(Duration::from_secs(30)));
    let request = Request { timeout: Some(SOON), ..Request::new("test", "x") };
    assert_eq!(bench.ask("messages:m", &request).await.unwrap_err().code(), Code::ProviderUnavailable);
}

#[tokio::test]
async fn a_huge_answer_is_not_taken() {
    let limits = Limits { answer: 1 << 20, ..Limits::default() };
    for reply in [
        Reply::huge(4 << 20),
        Reply::json(200, vec![b' '; 4 << 20]),
        Reply::events(format!("data: {}\n\n", "x".repeat(4 << 20))),
    ] {
        let bench = Bench::with(limits, quick()).await;
        bench.server.reply(reply);
        let error = bench.ask("compatible:m", &Request::new("test", "x")).await.unwrap_err();
        assert!(error.to_string().contains("exceeds"), "{error}");
        assert!(!error.retryable() && bench.server.requests().len() == 1);
    }
    let bench = Bench::new().await;
    let body = vec![Piece::Bytes(vec![b'x'; 1 << 20].into()); 4];
    bench.server.reply(Reply::raw(400, body));
    let error = bench.ask("compatible:m", &Request::new("test", "x")).await.unwrap_err();
    assert!(error.to_string().len() < 1_000, "{}", error.to_string().len());
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::text("begins and stops").with(Habits { hang_after: Some(4), ..Habits::default() }));
    let mut completion = bench.start("chat:m", &Request::new("test", "x"));
    assert!(matches!(completion.next().await, Some(Ok(Step::Delta(_)))));
    drop(completion);
    assert!(bench.server.let_go(1, PATIENCE).await);
    assert_eq!(bench.log.outcomes(), [Outcome::Canceled]);
}

#[tokio::test]
async fn cancelling_ends_the_request_while_waiting_and_while_reading() {
    let replies = [
        Reply::text("late").after(Duration::from_secs(30)),
        Reply::text("begins and stops").with(Habits { hang_after: Some(4), ..Habits::default() }),
    ];
    for reply in replies {
        let bench = Bench::new().await;
        bench.server.reply(reply);
        let cancel = CancellationToken::new();
        let call = tokio::spawn(bench.start_with("messages:m", &Request::new("test", "x"), cancel.clone()).message());
        while bench.server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
        let error = call.await.unwrap().unwrap_err();
        assert_eq!((error.code(), error.retryable()), (Code::UserCanceled, false));
        assert_eq!(bench.log.outcomes(), [Outcome::Canceled]);
    }
}

#[tokio::test]
async fn a_canceled_or_unpolled_call_sends_nothing() {
    let bench = Bench::new().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let canceled = bench.start_with("chat:m", &Request::new("test", "x"), cancel).message().await;
    assert_eq!(canceled.unwrap_err().code(), Code::UserCanceled);
    drop(bench.start("chat:m", &Request::new("test", "x")));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(bench.server.requests(), []);
    assert!(bench.log.begun.lock().unwrap().is_empty() && bench.log.outcomes().is_empty());
}

#[tokio::test]
async fn calls_after_one_another_share_a_connection() {
    for model in crate::support::MODELS {
        let bench = Bench::new().await;
        for _ in 0..3 {
            bench.server.reply(Reply::text("yes"));
            bench.ask(model, &Request::new("test", "x")).await.unwrap();
        }
        assert_eq!(bench.server.connections(), 1, "{model}");
    }
}
