//! Retries: only where safe, limited, and reported.

use std::time::Duration;

use jig_contract::Code;
use jig_fake_model::{Habits, Refusal, Reply};
use jig_providers::*;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, MODELS, quick};

fn millis(waits: &[Wait]) -> Vec<u128> {
    waits.iter().map(|wait| wait.time.as_millis()).collect()
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_after_exactly_this_long() {
    for model in MODELS {
        let bench = Bench::new().await;
        bench.server.reply(Reply::refuse(Refusal::Overloaded)).reply(Reply::refuse(Refusal::Server));
        bench.server.reply(Reply::text("at last"));
        assert_eq!(bench.ask(model, &Request::new("test", "x")).await.unwrap().text(), "at last", "{model}");
        // The random number is fixed at one half: three quarters of 20 and of 40.
        assert_eq!(millis(&bench.log.waits.lock().unwrap()), [15, 30], "{model}");
        let ended = bench.log.ended.lock().unwrap().clone();
        assert_eq!((ended.len(), ended[0].attempts), (1, 3), "{model}");
        let bodies: Vec<_> = bench.server.requests().into_iter().map(|request| request.body).collect();
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{model}: every try sends the same bytes");
    }
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_kept() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::refuse(Refusal::Limited).header("retry-after", "0.2")).reply(Reply::text("yes"));
    let before = std::time::Instant::now();
    bench.ask("chat:m", &Request::new("test", "x")).await.unwrap();
    assert!(before.elapsed() >= Duration::from_millis(200));
    assert_eq!(millis(&bench.log.waits.lock().unwrap()), [210]);
    assert_eq!(bench.log.waits.lock().unwrap()[0].code, Code::ProviderRateLimited);
}

#[tokio::test]
async fn a_wait_beyond_the_bound_ends_the_call_at_once() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::refuse(Refusal::Limited).header("retry-after", "3600"));
    let error = bench.ask("chat:m", &Request::new("test", "x")).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
    assert_eq!(bench.server.requests().len(), 1);
}

#[tokio::test]
async fn tries_are_counted_and_can_be_switched_off() {
    let bench = Bench::new().await;
    for _ in 0..3 {
        bench.server.reply(Reply::refuse(Refusal::Server));
    }
    let error = bench.ask("chat:m", &Request::new("test", "x")).await.unwrap_err();
    assert_eq!((error.code(), bench.server.requests().len()), (Code::ProviderUnavailable, 3));
    bench.server.reply(Reply::refuse(Refusal::Server));
    let off = Request { retries: Retries::Off, ..Request::new("test", "x") };
    bench.ask("chat:m", &off).await.unwrap_err();
    assert_eq!(bench.server.requests().len(), 4);
}

#[tokio::test]
async fn what_trying_again_cannot_mend_is_not_tried_again() {
    let finals =
        [Refusal::Key, Refusal::Forbidden, Refusal::Unknown, Refusal::Window, Refusal::Malformed, Refusal::Spent];
    for refusal in finals {
        let bench = Bench::new().await;
        bench.server.reply(Reply::refuse(refusal));
        bench.ask("messages:m", &Request::new("test", "x")).await.unwrap_err();
        assert_eq!(bench.server.requests().len(), 1, "{refusal:?}");
    }
}

#[tokio::test]
async fn a_stream_is_tried_again_only_before_anything_was_passed_on() {
    for model in MODELS {
        let bench = Bench::new().await;
        let cut = |after| Habits { cut_after: Some(after), ..Habits::default() };
        bench.server.reply(Reply::text("lost").with(cut(0))).reply(Reply::text("a whole answer"));
        let (_, message) = bench.steps(model, &Request::new("test", "x")).await;
        assert_eq!(message.unwrap().text(), "a whole answer", "{model}");
        bench.server.reply(Reply::text("this is passed on in pieces").with(cut(4)));
        let (deltas, message) = bench.steps(model, &Request::new("test", "x")).await;
        assert!(!deltas.is_empty(), "{model}");
        assert!(message.unwrap_err().retryable(), "{model}: the caller may");
        assert_eq!(bench.server.requests().len(), 3, "{model}: the provider did not");
    }
}

#[tokio::test]
async fn a_pause_ends_when_the_call_is_canceled_or_has_no_time_left() {
    let policy = RetryPolicy { first: Duration::from_secs(600), longest: Duration::from_secs(600), ..quick() };
    let policy = RetryPolicy { total: Duration::from_secs(3_600), ..policy };
    let bench = Bench::with(Limits::default(), policy).await;
    bench.server.reply(Reply::refuse(Refusal::Server)).reply(Reply::refuse(Refusal::Server));
    let cancel = CancellationToken::new();
    let completion = bench.start_with("chat:m", &Request::new("test", "x"), cancel.clone());
    let waiting = tokio::spawn(completion.message());
    while bench.log.waits.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cancel.cancel();
    assert_eq!(waiting.await.unwrap().unwrap_err().code(), Code::UserCanceled);
    let short = Request { timeout: Some(Duration::from_secs(20)), ..Request::new("test", "x") };
    let error = bench.ask("chat:m", &short).await.unwrap_err();
    assert_eq!(error.status(), Some(500), "a pause longer than the call must not start: {error}");
}
