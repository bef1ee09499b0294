//! Nothing is sent without a permit, without a log entry, or to another host.

use std::sync::Arc;

use jig_contract::{BlobHash, Code, WorkbenchId};
use jig_fake_model::{FakeModel, Refusal, Reply};
use jig_providers::*;

use crate::support::{Bench, MODELS, PLANTED, env, quick};

#[tokio::test]
async fn a_permit_of_another_gate_or_for_another_model_sends_nothing() {
    let (bench, other) = (Bench::new().await, Bench::new().await);
    let provider = bench.providers.open(&"chat:m".parse().unwrap()).unwrap();
    for permit in [other.permit("chat:m"), bench.permit("messages:m")] {
        let prepared = provider.prepare(&Request::new("test", "x")).unwrap();
        let error = provider.complete(prepared, permit, Default::default()).message().await.unwrap_err();
        assert_eq!(error.code(), Code::EgressBlockedByPolicy, "{error}");
    }
    assert_eq!(bench.server.requests(), []);
    assert!(bench.log.begun.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_logged_is_not_sent() {
    let bench = Bench::new().await;
    *bench.log.refuses.lock().unwrap() = true;
    let error = bench.ask("chat:m", &Request::new("test", "x")).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    assert_eq!(bench.server.requests(), []);
}

#[tokio::test]
async fn every_call_is_told_with_its_bill_and_without_its_content() {
    let bench = Bench::new().await;
    bench.server.reply(Reply::text("a secret answer")).reply(Reply::refuse(Refusal::Key));
    let request = Request::new("context.process", "a secret question");
    bench.ask("messages:m", &request).await.unwrap();
    bench.ask("messages:m", &request).await.unwrap_err();
    let begun = bench.log.begun.lock().unwrap().clone();
    let call = &begun[0];
    assert_eq!((call.purpose.as_str(), call.model.as_str()), ("context.process", "messages:m"));
    assert_eq!((call.workbench.as_str(), call.scope), ("bench", BlobHash::from_bytes([7; 32])));
    assert_eq!(call.host, bench.server.host());
    assert_eq!(call.bytes, bench.server.requests()[0].body.len() as u64);
    let ended = bench.log.ended.lock().unwrap().clone();
    assert_eq!(ended[0].outcome, Outcome::Answered(StopReason::EndTurn));
    assert_eq!(ended[0].usage.map(|usage| (usage.input, usage.output)), Some((100, 20)));
    assert_eq!(ended[1].outcome, Outcome::Failed(Code::ProviderAuthFailed));
    let written = format!("{} {}", serde_json::to_string(&begun).unwrap(), serde_json::to_string(&ended).unwrap());
    assert!(!written.contains("secret") && !written.contains(PLANTED), "{written}");
}

#[tokio::test]
async fn a_redirect_is_followed_nowhere() {
    let elsewhere = FakeModel::start().await.unwrap();
    for model in MODELS {
        let bench = Bench::new().await;
        let targets =
            [format!("{}/v1/take?x=1", elsewhere.url()), format!("{}/v1/other", bench.server.url()), "/here".into()];
        for target in targets {
            bench.server.reply(Reply::redirect(&target));
            let error = bench.ask(model, &Request::new("test", "x")).await.unwrap_err();
            assert_eq!(error.code(), Code::EgressBlockedByPolicy, "{model} {target}");
        }
        assert_eq!(bench.server.requests().len(), 3, "{model}");
    }
    assert_eq!(elsewhere.requests(), []);
}

#[tokio::test]
async fn a_proxy_is_used_only_when_it_is_configured() {
    let (server, proxy) = (FakeModel::start().await.unwrap(), FakeModel::start().await.unwrap());
    let own = format!(
        "[[provider]]\nid = \"own\"\nformat = \"compatible\"\nany_model = true\nbase_url = \"{}/v1\"\nproxy = \"{}\"\n",
        server.url(),
        proxy.url(),
    );
    let registry = Registry::built_in().unwrap().with(&own, "test").unwrap();
    let egress = Arc::new(crate::support::Log::default());
    let setup =
        Setup { registry, keys: Default::default(), limits: Limits::default(), retry: quick(), env: env(), egress };
    let (providers, gate) = Providers::new(setup).unwrap();
    let provider = providers.open(&"own:m".parse().unwrap()).unwrap();
    proxy.reply(Reply::text("by the proxy"));
    let permit = gate.permit(WorkbenchId::new("w").unwrap(), "own:m".parse().unwrap(), BlobHash::from_bytes([0; 32]));
    let prepared = provider.prepare(&Request::new("test", "x")).unwrap();
    let message = provider.complete(prepared, permit, Default::default()).message().await.unwrap();
    assert_eq!(message.text(), "by the proxy");
    assert_eq!((server.requests().len(), proxy.requests().len()), (0, 1));
}

#[tokio::test]
async fn a_provider_without_its_key_is_not_configured() {
    let registry = Registry::built_in().unwrap();
    let egress = Arc::new(crate::support::Log::default());
    let setup =
        Setup { registry, keys: Default::default(), limits: Limits::default(), retry: quick(), env: env(), egress };
    let (providers, _gate) = Providers::new(setup).unwrap();
    for id in ["openai:gpt-5.2", "anthropic:claude-opus-5-5", "offline:extract", "offline:demo", "openai:none", "no:x"]
    {
        let error = providers.open(&id.parse().unwrap()).err().unwrap();
        assert_eq!(error.code(), Code::ProviderNotConfigured, "{id}");
        assert!(!error.hints().is_empty(), "{id}");
    }
    assert!(
        !providers.is_configured("openai") && providers.is_configured("ollama") && !providers.is_configured("offline")
    );
    assert!(providers.open(&"ollama:any".parse().unwrap()).is_ok());
}
