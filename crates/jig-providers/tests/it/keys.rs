//! Searches everything that can be printed or logged for a planted key.

use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock};

use jig_contract::OpError;
use jig_fake_model::{Answer, Habits, Refusal, Reply};
use jig_providers::*;
use tracing::field::{Field, Visit};
use tracing::span;

use crate::support::{Bench, MODELS, PLANTED};

/// Everything logged through `tracing` and `log`, at every level.
static LOGGED: OnceLock<Arc<Mutex<String>>> = OnceLock::new();

struct Everything(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl tracing::Subscriber for Everything {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut Fields(&mut self.0.lock().unwrap()));
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

impl log::Log for Everything {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        let _ = writeln!(self.0.lock().unwrap(), "{}", record.args());
    }
    fn flush(&self) {}
}

fn listen() -> Arc<Mutex<String>> {
    let logged = LOGGED.get_or_init(|| {
        let logged = Arc::new(Mutex::new(String::new()));
        tracing::subscriber::set_global_default(Everything(Arc::clone(&logged))).unwrap();
        log::set_boxed_logger(Box::new(Everything(Arc::clone(&logged)))).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
        logged
    });
    Arc::clone(logged)
}

#[tokio::test]
async fn the_key_is_in_nothing_that_can_be_printed() {
    let logged = listen();
    let mut printed = String::new();
    for model in MODELS {
        let bench = Bench::new().await;
        let echo = format!("{{\"error\":{{\"message\":\"your key {PLANTED} and {PLANTED}.\"}}}}");
        for reply in [
            Reply::text("fine"),
            Reply::text(format!("you sent {PLANTED}")),
            Reply::answer(Answer::text(PLANTED).and_call("abcdefgh1", "t", &format!("{{\"a\":\"{PLANTED}\"}}"))),
            Reply::refuse(Refusal::Key),
            Reply::json(401, echo.clone()),
            Reply::json(400, echo.clone()),
            Reply::raw(500, Vec::new()).header("x-echo", PLANTED),
            Reply::json(200, echo.clone()),
            Reply::events(format!("data: {echo}\n\n")),
            Reply::redirect(&format!("http://127.0.0.1:9/?key={PLANTED}")),
            Reply::redirect(&format!("http://{PLANTED}/")),
            Reply::raw(200, Vec::new()).header("content-type", PLANTED),
            Reply::text("cut").with(Habits { cut_after: Some(2), ..Habits::default() }),
        ] {
            bench.server.reply(reply);
            let provider = bench.providers.open(&model.parse().unwrap()).unwrap();
            let request = Request { retries: Retries::Off, ..Request::new("test", "x") };
            let prepared = provider.prepare(&request).unwrap();
            let _ = write!(printed, "{request:?} {prepared:?} {:?} {:?}", provider.model(), bench.permit(model));
            let completion = bench.start(model, &request);
            let _ = write!(printed, "{completion:?}");
            match completion.message().await {
                Ok(message) => printed += &format!("{message:?}"),
                Err(error) => {
                    let op = OpError::from(error.clone());
                    printed += &format!("{error} {error:?} {op} {op:?} {}", serde_json::to_string(&op.info).unwrap());
                }
            }
        }
        let log = &bench.log;
        let _ = write!(printed, "{:?} {:?} {:?}", log.begun.lock(), log.ended.lock(), log.waits.lock());
        let _ = write!(printed, "{:?} {:?} {:?}", bench.providers, bench.gate, bench.providers.registry());
        assert!(bench.server.requests().iter().all(|request| request.headers.iter().any(|(_, v)| v.contains(PLANTED))));
    }
    let logged = logged.lock().unwrap().clone();
    assert!(logged.contains("a model is called"), "the log was heard");
    for (name, text) in [("printed", &printed), ("logged", &logged)] {
        let at = text.find(PLANTED);
        assert!(at.is_none(), "{name}: …{}", &text[at.unwrap().saturating_sub(200)..at.unwrap()]);
    }
}
