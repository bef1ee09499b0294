//! Nothing leaves the machine without consent, and everything sent is in the egress log.

use jig_contract::{Actor, Code};
use jig_fake_model::{FakeModel, Piece, Refusal, Reply};
use jig_testkit::ID;
use jig_testkit::home::texts_on_disk;
use jig_workbench::{CallContext, Config, Keys, Secret};
use serde_json::{Value, json};

use crate::model_home::{MODEL, MODELS, ModelHome, PLANTED, files, good, of, text};

#[tokio::test]
async fn without_consent_the_server_sees_no_request_at_all() {
    let bench = ModelHome::new().await;
    bench.home.add("plan.txt", "secret plan").await;
    let error = bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", text("situation", "Board")).await;
    let scope = error.info.detail.as_ref().unwrap()["scope"].clone();
    assert_eq!((&scope["model_id"], &scope["files"]), (&json!(MODEL), &json!([])));
    assert_eq!((&scope["host"], &scope["input"]), (&json!(bench.server.host()), &json!("the text of this call")));
    let path = bench.home.outside("a.md", "Board");
    let file = json!({ "workbench_id": ID, "category": "situation", "input": { "source_path": path } });
    let error = bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", file).await;
    assert_eq!(error.info.detail.unwrap()["scope"]["input"], "the file a.md");
    bench.home.plain("PromptAssemble").await;
    bench.home.plain("ClutterGet").await;
    bench.home.ok("ModelList", json!({})).await;
    assert_eq!((bench.server.requests().len(), bench.server.connections()), (0, 0));
    assert_eq!(bench.home.plain("EgressList").await, json!({ "events": [], "total": 0 }));
}

/// The hash in a refusal.
async fn asked(bench: &ModelHome) -> String {
    let error = bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", text("situation", "Board")).await;
    error.info.detail.unwrap()["scope"]["hash"].as_str().unwrap().to_owned()
}

fn grant(reach: &str, hash: &str) -> Value {
    json!({ "workbench_id": ID, "model": MODEL, "reach": reach, "scope_hash": hash })
}

#[tokio::test]
async fn a_consent_for_one_call_is_used_up_by_it() {
    let bench = ModelHome::new().await;
    bench.home.ok("ConsentGrant", grant("once", &asked(&bench).await)).await;
    bench.server.reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    assert_eq!(bench.home.plain("ConsentList").await["consents"], json!([]));
    bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", text("situation", "Board")).await;
    assert_eq!(bench.server.requests().len(), 1);
}

#[tokio::test]
async fn a_kept_consent_given_beforehand_ends_when_something_is_added_and_one_for_all_does_not() {
    let bench = ModelHome::new().await;
    let kept = json!({ "workbench_id": ID, "model": MODEL, "reach": "kept" });
    bench.home.ok("ConsentGrant", kept.clone()).await;
    for _ in 0..3 {
        bench.server.reply(files(&good("situation")));
    }
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    // The item is new content of the workbench, so the consent no longer covers it.
    asked(&bench).await;
    bench.home.ok("ConsentGrant", kept.clone()).await;
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    bench.home.add("new.txt", "x").await;
    let granted = bench.home.ok("ConsentGrant", kept).await;
    assert_eq!(granted["scope"]["files"], json!(["new.txt"]));
    let plan = json!({ "workbench_id": ID, "title": "Merger plan", "content": "# Merger plan\n\n## Price\n\n12\n" });
    bench.home.ok("ArtifactCreate", plan).await;
    asked(&bench).await;
    bench.agree(MODEL).await;
    bench.home.add("newer.txt", "x").await;
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    let mut other = text("situation", "Board");
    other["model"] = "openai:gpt-4.1".into();
    bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", other).await;
    let gone = bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": MODEL })).await;
    assert_eq!(gone["revoked"].as_array().unwrap().len(), 4);
    asked(&bench).await;
    bench
        .home
        .fails_with(Code::ValidationFailed, "ConsentRevoke", json!({ "workbench_id": ID, "consent": MODEL }))
        .await;
}

#[tokio::test]
async fn another_address_of_the_same_model_is_asked_about_anew() {
    let bench = ModelHome::agreed().await;
    let elsewhere = FakeModel::start().await.unwrap();
    let mut config = Config::new(bench.home.home());
    config.models.base_urls = [("openai".to_owned(), format!("{}/v1", elsewhere.url()))].into();
    config.models.keys = Keys::new(|_, _| Ok(Some(Secret::new(PLANTED))));
    config.models.default = Some(MODEL.to_owned());
    let moved = jig_testkit::home::open(config).await;
    let context = CallContext::new(Actor::person());
    let error = moved.call("ContextProcess", context, text("situation", "Board")).await.unwrap_err();
    assert_eq!(error.code(), Code::EgressConsentRequired);
    assert_eq!(error.info.detail.unwrap()["scope"]["host"], elsewhere.host());
    assert_eq!(elsewhere.connections(), 0);
    let consents = bench.home.plain("ConsentList").await;
    assert_eq!(consents["consents"][0]["host"], bench.server.host());
}

#[tokio::test]
async fn every_call_is_in_the_log_with_its_tokens_and_no_content() {
    let bench = ModelHome::agreed().await;
    bench.server.reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", "a very secret board")).await;
    let calls = bench.home.plain("EgressList").await;
    let call = &calls["events"][0];
    assert_eq!((&call["purpose"], &call["model_id"]), (&json!("context.process"), &json!(MODEL)));
    assert_eq!((&call["input_tokens"], &call["output_tokens"]), (&json!(100), &json!(20)));
    assert_eq!(call["scope_hash"].as_str().unwrap().len(), 64);
    assert!(!calls.to_string().contains("secret"));
    bench.home.fails_with(Code::ValidationFailed, "EgressList", json!({ "workbench_id": ID, "limit": 0 })).await;
}

#[tokio::test]
async fn consent_is_for_models_that_send_something() {
    let bench = ModelHome::new().await;
    for model in ["offline:extract", "gpt", "nobody:x", "openai:none"] {
        let error = bench.home.fails("ConsentGrant", json!({ "workbench_id": ID, "model": model })).await;
        assert!(matches!(error.code(), Code::ValidationFailed | Code::ProviderNotConfigured), "{model}: {error}");
    }
    let bad = json!({ "workbench_id": ID, "model": MODEL, "scope_hash": "abc" });
    bench.home.fails_with(Code::ValidationFailed, "ConsentGrant", bad).await;
}

#[tokio::test]
async fn a_planted_key_is_nowhere_but_in_the_header() {
    let bench = ModelHome::agreed().await;
    let echo = format!(
        "{{\"error\":{{\"message\":\"Incorrect API key provided: {PLANTED}\",\"type\":\"x\",\"code\":\"invalid_api_key\"}}}}"
    );
    bench.server.reply(files(&good("situation"))).reply(Reply::refuse(Refusal::Key)).reply(Reply::json(401, echo));
    let mut said = bench.home.ok("ContextProcess", text("situation", "Board")).await.to_string();
    for _ in 0..2 {
        let error = bench.home.fails_with(Code::ProviderAuthFailed, "ContextReprocess", of("situation")).await;
        said += &format!("{error:?} {}", serde_json::to_string(&error.info).unwrap());
    }
    for operation in ["PromptAssemble", "JournalList", "EventList", "EgressList", "ConsentList", "ContextList"] {
        said += &bench.home.plain(operation).await.to_string();
    }
    said += &bench.home.ok("ModelList", json!({})).await.to_string();
    assert!(!said.contains(PLANTED), "{said}");
    let request = &bench.server.requests()[0];
    assert!(request.header("authorization").unwrap().contains(PLANTED));
    assert!(!String::from_utf8_lossy(&request.body).contains(PLANTED) && !request.query.contains(PLANTED));
    let on_disk = texts_on_disk(bench.home.path());
    assert!(on_disk.keys().any(|name| name.ends_with("jig.db")), "{:?}", on_disk.keys());
    for (name, text) in on_disk {
        assert!(!text.contains(PLANTED), "{name}");
    }
}

#[tokio::test]
async fn no_provider_gets_a_key_onto_a_disk_by_repeating_it() {
    let bench = ModelHome::new().await;
    let spelled = PLANTED.replace('-', "%2D");
    let said = |words: &str| format!("{{\"error\":{{\"message\":\"{words}\",\"code\":400}}}}");
    let echo = json!([{ "path": "context.md", "content": format!("- your key is {PLANTED}\n") }]);
    let mut told = String::new();
    for model in MODELS {
        bench.agree(model).await;
        for reply in [
            files(&echo),
            Reply::json(400, said(&format!("POST https://host/v1/m?key={PLANTED} failed"))),
            Reply::json(400, said(&format!("POST https://host/v1/m?key={spelled} failed"))),
            Reply::json(403, said(&format!("authorization: Bearer {PLANTED}; x-goog-api-key: {PLANTED}"))),
            Reply::raw(500, vec![Piece::Bytes(format!("<h1>{PLANTED}</h1>").into())]).header("x-api-key", PLANTED),
            Reply::events(format!("data: {}\n\n", said(PLANTED))),
            Reply::redirect(&format!("https://elsewhere.example/?key={PLANTED}")),
            Reply::text(format!("{PLANTED} is not JSON")),
            Reply::text(format!("{{\"files\":[{{\"path\":\"{PLANTED}\",\"content\":\"x\"}}]}}")),
        ] {
            bench.server.reply(reply.clone()).reply(reply);
            let mut params = text("situation", "Board");
            params["model"] = model.into();
            told += &match bench.home.call("ContextProcess", params).await {
                Ok(made) => made.to_string(),
                Err(error) => format!("{error} {error:?} {}", serde_json::to_string(&error.info).unwrap()),
            };
            bench.server.forget();
        }
    }
    let item = bench.home.ok("ContextGet", of("situation")).await;
    assert_eq!(item["item"]["files"][0]["content"], "- your key is ***\n");
    for operation in ["PromptAssemble", "JournalList", "EventList", "EgressList", "ContextList"] {
        told += &bench.home.plain(operation).await.to_string();
    }
    let on_disk = texts_on_disk(bench.home.path());
    for (name, text) in on_disk.iter().map(|(name, text)| (name.as_str(), text)).chain([("answers", &told)]) {
        assert!(!text.contains(PLANTED) && !text.contains(&spelled), "{name}: {text}");
    }
    for request in bench.server.requests() {
        let bare = format!("{} {} {}", request.path, request.query, String::from_utf8_lossy(&request.body));
        assert!(!bare.contains(PLANTED), "{bare}");
    }
}

#[tokio::test]
async fn wrong_settings_for_models_stop_only_what_needs_a_model() {
    let bench = ModelHome::with(|config| {
        config.models.file = Some(("models.toml".to_owned(), "[[provider]]\nid = 3\n".to_owned()));
    })
    .await;
    bench.home.plain("FileList").await;
    let error = bench.home.fails_with(Code::SettingsInvalid, "ModelList", json!({})).await;
    assert!(error.info.message.contains("models.toml, line 2"), "{error}");
}
