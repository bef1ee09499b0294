//! Shared test support: a server, a set of providers that only knows it, and a log of calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use jig_contract::{BlobHash, Env, Timestamp, WorkbenchId};
use jig_fake_model::FakeModel;
use jig_providers::*;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A key that must appear nowhere except in one header.
pub(crate) const PLANTED: &str = "sk-planted-0123456789-do-not-show";

/// A provider per wire format, all using the fake model.
pub(crate) const MODELS: [&str; 6] =
    ["chat:m", "responses:m", "messages:m", "gemini:m", "mistral-like:m", "compatible:m"];

/// The reported calls.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) begun: Mutex<Vec<Call>>,
    pub(crate) waits: Mutex<Vec<Wait>>,
    pub(crate) ended: Mutex<Vec<End>>,
    pub(crate) refuses: Mutex<bool>,
}

impl Egress for Log {
    fn begins<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move {
            if *self.refuses.lock().unwrap() {
                return Err(ProviderError::new(jig_contract::Code::StoreUnavailable, "the log cannot be written"));
            }
            self.begun.lock().unwrap().push(call.clone());
            Ok(())
        })
    }

    fn waits(&self, _: &Call, wait: Wait) {
        self.waits.lock().unwrap().push(wait);
    }

    fn ended(&self, _: &Call, end: &End) {
        self.ended.lock().unwrap().push(end.clone());
    }
}

impl Log {
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        self.ended.lock().unwrap().iter().map(|end| end.outcome).collect()
    }
}

/// A server and its providers.
pub(crate) struct Bench {
    pub(crate) server: FakeModel,
    pub(crate) providers: Providers,
    pub(crate) gate: Gate,
    pub(crate) log: Arc<Log>,
}

/// A fixed clock and fixed randomness.
pub(crate) fn env() -> Env {
    Env::new(|| Timestamp::from_millis(1_763_199_000_000), || Uuid::from_u128(0x8000_0000))
}

/// Short pauses, so that tests are fast.
pub(crate) fn quick() -> RetryPolicy {
    let millis = Duration::from_millis;
    RetryPolicy { attempts: 3, first: millis(20), longest: millis(100), total: millis(2_000) }
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Limits::default(), quick()).await
    }

    pub(crate) async fn with(limits: Limits, retry: RetryPolicy) -> Self {
        let server = FakeModel::start().await.unwrap();
        let registry = Registry::built_in().unwrap().with(&models(&server.url()), "test").unwrap();
        let keys = registry.providers().map(|info| (info.id, Secret::new(PLANTED))).collect::<BTreeMap<_, _>>();
        let log = Arc::new(Log::default());
        let egress = Arc::clone(&log) as Arc<dyn Egress>;
        let setup = Setup { registry, keys, limits, retry, env: env(), egress };
        let (providers, gate) = Providers::new(setup).unwrap();
        Self { server, providers, gate, log }
    }

    pub(crate) fn permit(&self, model: &str) -> Permit {
        self.gate.permit(WorkbenchId::new("bench").unwrap(), model.parse().unwrap(), BlobHash::from_bytes([7; 32]))
    }

    pub(crate) fn start(&self, model: &str, request: &Request) -> Completion {
        self.start_with(model, request, CancellationToken::new())
    }

    pub(crate) fn start_with(&self, model: &str, request: &Request, cancel: CancellationToken) -> Completion {
        let provider = self.providers.open(&model.parse().unwrap()).unwrap();
        let prepared = provider.prepare(request).unwrap();
        provider.complete(prepared, self.permit(model), cancel)
    }

    /// Calls a model and returns the message.
    pub(crate) async fn ask(&self, model: &str, request: &Request) -> Result<Message, ProviderError> {
        self.start(model, request).message().await
    }

    /// Calls a model and returns the deltas and the message.
    pub(crate) async fn steps(&self, model: &str, request: &Request) -> (Vec<Delta>, Result<Message, ProviderError>) {
        let mut completion = self.start(model, request);
        let mut deltas = Vec::new();
        while let Some(step) = completion.next().await {
            match step {
                Ok(Step::Delta(delta)) => deltas.push(delta),
                Ok(Step::Waiting(_)) => {}
                Ok(Step::Message(message)) => {
                    assert!(completion.next().await.is_none(), "nothing comes after the message");
                    return (deltas, Ok(message));
                }
                Err(error) => {
                    assert!(completion.next().await.is_none(), "nothing comes after an error");
                    return (deltas, Err(error));
                }
            }
        }
        panic!("neither a message nor an error");
    }
}

/// A request without streaming.
pub(crate) fn plain(text: &str) -> Request {
    Request { streaming: Streaming::Off, ..Request::new("test", text) }
}

/// The text of all deltas.
pub(crate) fn words(deltas: &[Delta]) -> String {
    deltas
        .iter()
        .filter_map(|delta| if let Delta::Text { text } = delta { Some(text.as_str()) } else { None })
        .collect()
}

fn models(url: &str) -> String {
    let formats = [
        ("chat", "openai-chat"),
        ("responses", "openai-responses"),
        ("messages", "anthropic"),
        ("gemini", "gemini"),
        ("mistral-like", "mistral"),
        ("compatible", "compatible"),
    ];
    let mut text = String::new();
    for (id, format) in formats {
        text += &format!(
            r#"
            [[provider]]
            id = "{id}"
            format = "{format}"
            base_url = "{url}/v1"
            key_env = "PLANTED_KEY"

            [[model]]
            id = "{id}:m"
            window = 100_000
            max_output = 4_000
            abilities = ["tools", "structured", "images", "streaming", "cache", "temperature"]
            "#
        );
    }
    text += "\n[[model]]\nid = \"compatible:no-stream\"\nabilities = [\"tools\"]\n";
    text
}
