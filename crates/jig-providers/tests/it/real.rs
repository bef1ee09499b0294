//! The same conversation with real providers. Only with `JIG_TEST_REAL_KEYS=1`, and only for providers with a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_contract::{BlobHash, Env, WorkbenchId};
use jig_providers::*;

use crate::conversation::{question, result};
use crate::support::Log;

/// The cheapest model with tool calls of each provider.
const MODELS: [&str; 5] = [
    "openai:gpt-6-luna",
    "openai:gpt-4.1",
    "anthropic:claude-haiku-5-5",
    "google:gemini-3.1-flash-lite",
    "mistral:mistral-small-2603",
];

#[expect(clippy::disallowed_methods, reason = "real keys are only where the person who runs the tests has put them")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[tokio::test]
async fn the_conversation_works_with_real_models() {
    if variable("JIG_TEST_REAL_KEYS").as_deref() != Some("1") {
        println!("not run: set JIG_TEST_REAL_KEYS=1 and the providers' keys to call real models");
        return;
    }
    let registry = Registry::built_in().unwrap();
    let keys: BTreeMap<String, Secret> = registry
        .providers()
        .filter_map(|info| Some((info.id, Secret::new(variable(info.key_env.as_deref()?)?))))
        .collect();
    assert!(!keys.is_empty(), "JIG_TEST_REAL_KEYS is set, but no provider has a key");
    let egress = Arc::new(Log::default());
    let (limits, retry) = (Limits::default(), RetryPolicy::default());
    let setup = Setup { registry, keys: keys.clone(), limits, retry, env: Env::system(), egress };
    let (providers, gate) = Providers::new(setup).unwrap();
    for model in MODELS {
        let id: ModelId = model.parse().unwrap();
        if !keys.contains_key(id.provider()) {
            println!("{model}: skipped: no key is set");
            continue;
        }
        for streaming in [Streaming::On, Streaming::Off] {
            converse(&providers, &gate, &id, streaming).await;
        }
    }
}

async fn converse(providers: &Providers, gate: &Gate, id: &ModelId, streaming: Streaming) {
    let provider = providers.open(id).unwrap();
    let permit = || gate.permit(WorkbenchId::new("real").unwrap(), id.clone(), BlobHash::from_bytes([0; 32]));
    let first = question(streaming);
    let prepared = provider.prepare(&first).unwrap();
    let message = provider.complete(prepared, permit(), Default::default()).message().await.unwrap();
    assert_eq!(message.stop, StopReason::ToolUse, "{id}");
    assert!(message.usage.is_some(), "{id}");
    let prepared = provider.prepare(&result(first, message)).unwrap();
    let message = provider.complete(prepared, permit(), Default::default()).message().await.unwrap();
    assert!(message.text().contains("17"), "{id}: {}", message.text());
}
