//! Processing context items with a model: one question, at most one retry, and an item or nothing.

use std::time::Duration;

use jig_contract::{Actor, Code, Event};
use jig_fake_model::{Answer, Habits, Refusal, Reply, Stop};
use jig_testkit::ID;
use jig_workbench::CallContext;
use serde_json::{Value, json};

use crate::model_home::{MODEL, MODELS, ModelHome, PLANTED, categories, files, good, good_reply, of, text};

/// Checks that nothing was saved and the journal only has the creation of the workbench.
async fn assert_nothing_saved(bench: &ModelHome) {
    let journal = bench.home.plain("JournalList").await;
    assert_eq!(journal["total"], 1, "{journal}");
    let list = bench.home.plain("ContextList").await;
    for item in list["items"].as_array().unwrap() {
        assert_eq!(item["status"], "empty", "{item}");
    }
    assert!(!bench.home.view("meta/context/situation").exists());
}

#[tokio::test]
async fn every_category_is_made_from_a_text_by_one_call_and_one_commit() {
    let bench = ModelHome::agreed().await;
    for (n, category) in (1..).zip(categories()) {
        bench.server.reply(good_reply(category, "Acme sells ropes. Board on Friday."));
        let made = bench.home.ok("ContextProcess", text(category, "Acme sells ropes. Board on Friday.")).await;
        let item = &made["item"];
        assert_eq!(
            (&item["status"], &item["model_id"], &item["category"]),
            (&json!("active"), &json!(MODEL), &json!(category))
        );
        assert_eq!((&item["has_direct_edits"], &item["warnings"]), (&json!(false), &Value::Null), "{item}");
        assert!(item["tokens"].as_u64().unwrap() > 5);
        assert_eq!(bench.server.requests().len(), n);
        assert_eq!(bench.home.plain("JournalList").await["total"], n + 1);
        let folder = bench.home.view(&format!("meta/context/{category}"));
        let source: Value = serde_json::from_slice(&std::fs::read(folder.join("source.json")).unwrap()).unwrap();
        assert_eq!(source["text"], "Acme sells ropes. Board on Friday.");
        let is_style = category == "document-style";
        let expected = if is_style { made["item"]["files"].clone() } else { good(category) };
        assert!(!is_style || expected[1]["content"].as_str().unwrap().contains("- Acme sells ropes. Board on Friday."));
        for file in expected.as_array().unwrap() {
            let on_disk = std::fs::read_to_string(folder.join(file["path"].as_str().unwrap())).unwrap();
            assert_eq!(on_disk, file["content"].as_str().unwrap());
        }
        let got = bench.home.ok("ContextGet", of(category)).await;
        assert_eq!(got["item"]["source"], json!({ "mode": "text", "text": "Acme sells ropes. Board on Friday." }));
        assert_eq!(got["item"]["files"], expected);
    }
    let sent = bench.server.requests()[0].json().to_string();
    assert!(sent.contains("Acme sells ropes.") && sent.contains("json_schema"), "{sent}");
}

#[tokio::test]
async fn every_provider_speaks_its_own_language() {
    let bench = ModelHome::new().await;
    for model in MODELS {
        bench.agree(model).await;
        bench.server.reply(files(&good("situation")));
        let mut params = text("situation", "Board on Friday.");
        params["model"] = model.into();
        let made = bench.home.ok("ContextProcess", params).await;
        assert_eq!(made["item"]["model_id"], model);
        let request = bench.server.requests().pop().unwrap();
        let shown: Vec<&str> = request.headers.iter().map(|(_, value)| value.as_str()).collect();
        assert!(shown.iter().any(|value| value.contains(PLANTED)), "{model}: the key is in a header");
    }
    assert_eq!(bench.server.left(), 0);
}

#[tokio::test]
async fn an_answer_in_fences_and_prose_is_taken() {
    let bench = ModelHome::agreed().await;
    let answer = json!({ "files": good("company-context") }).to_string();
    bench.server.reply(Reply::text(format!("Here you are:\n\n```json\n{answer}\n```\n\nAnything else?")));
    let made = bench.home.ok("ContextProcess", text("company-context", "Acme")).await;
    assert_eq!(made["item"]["files"], good("company-context"));
    assert_eq!(bench.server.requests().len(), 1);
}

#[tokio::test]
async fn a_wrong_answer_is_repaired_once_and_the_repair_lists_every_error() {
    let bench = ModelHome::agreed().await;
    let wrong = json!([
        { "path": "SKILL.md", "content": "---\nname: other\ndescription: \"\"\n---\n\nSee [more](references/none.md).\n" },
    ]);
    bench.server.reply(files(&wrong)).reply(files(&good("company-context")));
    let made = bench.home.ok("ContextProcess", text("company-context", "Acme")).await;
    assert_eq!(made["item"]["files"], good("company-context"));
    let requests = bench.server.requests();
    assert_eq!(requests.len(), 2);
    let repair = requests[1].json().to_string();
    for part in ["references/none.md", "description", "company-context", "could not accept"] {
        assert!(repair.contains(part), "{part}: {repair}");
    }
    let calls = bench.home.plain("EgressList").await;
    assert_eq!((&calls["total"], &calls["events"][0]["outcome"]), (&json!(2), &json!("sent")));
}

#[tokio::test]
async fn answers_that_are_no_good_save_nothing() {
    let evil = json!([{ "path": "../../published/a.md", "content": "x" }]);
    let cut = json!({ "files": good("situation") }).to_string();
    let long = json!([{ "path": "context.md", "content": "x".repeat(2 << 20) }]);
    let mut length = Answer::text(&cut[..20]);
    length.stop = Stop::Length;
    let mut refusal = Answer::text("");
    refusal.stop = Stop::Refusal;
    let table: [(&str, Reply); 8] = [
        ("garbage", Reply::text("I am a teapot.")),
        ("nothing", Reply::text("")),
        ("cut JSON", Reply::text(&cut[..cut.len() - 8])),
        ("the limit", Reply::answer(length)),
        ("a refusal", Reply::answer(refusal)),
        ("traversal", files(&evil)),
        ("huge files", files(&long)),
        ("empty files", files(&json!([{ "path": "context.md", "content": " " }]))),
    ];
    for (name, reply) in table {
        let bench = ModelHome::agreed().await;
        bench.server.reply(reply.clone()).reply(reply);
        let error = bench.home.fails_with(Code::ValidationFailed, "ContextProcess", text("situation", "Board")).await;
        let errors = error.info.detail.as_ref().unwrap()["errors"].as_array().unwrap().clone();
        assert!(!errors.is_empty(), "{name}");
        assert_eq!(error.info.actions, ["retry", "cancel"], "{name}");
        assert_eq!(error.info.model_id.as_deref(), Some(MODEL));
        assert_eq!(bench.server.requests().len(), 2, "{name}: one question and one repair");
        assert_nothing_saved(&bench).await;
    }
}

#[tokio::test]
async fn failures_of_the_provider_are_told_and_never_tried_again() {
    let table: [(Reply, Code); 6] = [
        (Reply::refuse(Refusal::Key), Code::ProviderAuthFailed),
        (Reply::refuse(Refusal::Limited).header("retry-after", "7"), Code::ProviderRateLimited),
        (Reply::refuse(Refusal::Server), Code::ProviderUnavailable),
        (Reply::refuse(Refusal::Window), Code::ContextExhausted),
        (Reply::page(), Code::ProviderUnavailable),
        (Reply::text("x").with(Habits { cut_after: Some(1), ..Habits::default() }), Code::ProviderUnavailable),
    ];
    for (reply, code) in table {
        let bench = ModelHome::agreed().await;
        bench.server.reply(reply).reply(files(&good("situation")));
        let error = bench.home.fails_with(code, "ContextProcess", text("situation", "Board")).await;
        assert_eq!(error.info.provider_id.as_deref(), Some("openai"));
        assert_eq!(error.info.actions, ["retry", "cancel"], "{code}: the person decides");
        assert_eq!(bench.server.requests().len(), 1, "{code}: nothing is tried again");
        assert_nothing_saved(&bench).await;
        let calls = bench.home.plain("EgressList").await;
        assert_eq!((&calls["total"], &calls["events"][0]["outcome"]), (&json!(1), &json!(code.as_str())));
        let counts = bench.home.ok("StatsGet", json!({})).await;
        assert_eq!(counts["counts"][0]["name"], "context.process.failure");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_the_network() {
    let bench = ModelHome::with(|config| {
        config.models.base_urls.insert("openai".to_owned(), "http://127.0.0.1:9/v1".to_owned());
    })
    .await;
    bench.agree(MODEL).await;
    bench.home.fails_with(Code::NetworkUnavailable, "ContextProcess", text("situation", "Board")).await;
    assert_nothing_saved(&bench).await;
}

#[tokio::test]
async fn a_model_has_120_seconds_and_is_asked_by_a_schema() {
    let scripts = tempfile::tempdir().unwrap();
    let request = json!({
        "purpose": "context.process", "timeout": { "secs": 120, "nanos": 0 }, "retries": "off", "tools": [],
        "output": { "name": "context_files", "schema": { "required": ["files"], "additionalProperties": false } },
    });
    let answer = json!({ "json": { "files": good("situation") } });
    let script = json!({ "steps": [
        { "expect": { "request": request, "turns": 1 }, "answer": { "text": "no" } },
        { "expect": { "request": request, "turns": 3 }, "answer": answer },
    ]});
    std::fs::write(scripts.path().join("slow.json"), script.to_string()).unwrap();
    let bench = ModelHome::with(|config| config.models.scripts = Some(scripts.path().to_owned())).await;
    let mut params = text("situation", "Board");
    params["model"] = "scripted:slow".into();
    bench.home.ok("ContextProcess", params).await;
}

#[tokio::test]
async fn a_model_that_only_plays_says_so() {
    let bench = ModelHome::new().await;
    let mut params = text("situation", "Board");
    params["model"] = "offline:demo".into();
    let error = bench.home.fails_with(Code::ProviderNotConfigured, "ContextProcess", params).await;
    let words = "`offline:demo` only performs the task of the demo";
    assert_eq!((error.info.message.as_str(), error.info.model_id.as_deref()), (words, Some("offline:demo")));
    assert!(error.info.hints[0].contains("offline:extract"), "{error:?}");
    let models = bench.home.ok("ModelList", json!({})).await["models"].clone();
    let demo = models.as_array().unwrap().iter().find(|model| model["id"] == "offline:demo").unwrap();
    assert_eq!((&demo["configured"], &demo["missing"]), (&json!(true), &json!(null)), "it plays for an agent's task");
}

#[tokio::test]
async fn a_call_can_be_cancelled_while_the_model_thinks() {
    let bench = ModelHome::agreed().await;
    bench.server.reply(files(&good("situation")).after(Duration::from_secs(60)));
    let context = CallContext::new(Actor::person());
    let cancel = context.cancel.clone();
    let work = bench.home.workbench.call("ContextProcess", context, text("situation", "Board"));
    let stop = async {
        while bench.server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Other operations proceed in the meantime: the workbench is not locked.
        bench.home.plain("FileList").await;
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(work, stop);
    assert_eq!(answer.unwrap_err().code(), Code::UserCanceled);
    assert_nothing_saved(&bench).await;
    assert_eq!(bench.home.plain("EgressList").await["events"][0]["outcome"], "USER_CANCELED");
}

#[tokio::test]
async fn what_changes_while_the_model_thinks_is_not_overwritten() {
    let bench = ModelHome::agreed().await;
    bench.server.reply(files(&good("situation")).after(Duration::from_millis(300)));
    let work = bench.home.call("ContextProcess", text("situation", "Board"));
    let other = async {
        while bench.server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let mut params = text("situation", "Deadline: Monday.");
        params["model"] = "offline:extract".into();
        bench.home.ok("ContextProcess", params).await;
    };
    let (answer, ()) = tokio::join!(work, other);
    assert_eq!(answer.unwrap_err().code(), Code::Conflict);
    assert_eq!(bench.home.ok("ContextGet", of("situation")).await["item"]["model_id"], "offline:extract");
}

#[tokio::test]
async fn without_a_provider_both_ways_on_are_told_and_offline_works() {
    let home = jig_testkit::TestHome::with_workbench().await;
    let error = home.fails_with(Code::ProviderNotConfigured, "ContextProcess", text("situation", "Board")).await;
    let hints = error.info.hints.join(" ");
    assert!(hints.contains("settings") && hints.contains("offline:extract"), "{hints}");
    let mut named = text("situation", "Board");
    named["model"] = MODEL.into();
    let error = home.fails_with(Code::ProviderNotConfigured, "ContextProcess", named).await;
    assert!(error.info.hints.join(" ").contains("OPENAI_API_KEY"), "{error:?}");
    for category in categories() {
        let mut params =
            text(category, "# Acme\n\n- Audience: climbers\n- Always use Title Case.\n\nWe sold 120 ropes.\n");
        params["model"] = "offline:extract".into();
        let made = home.ok("ContextProcess", params).await;
        assert_eq!((&made["item"]["status"], &made["item"]["model_id"]), (&json!("active"), &json!("offline:extract")));
    }
    assert_eq!(home.plain("EgressList").await["total"], 0);
}

#[tokio::test]
async fn with_a_key_and_no_choice_models_are_suggested() {
    let bench = ModelHome::with(|config| config.models.default = None).await;
    let error = bench.home.fails_with(Code::ProviderNotConfigured, "ContextProcess", text("situation", "Board")).await;
    assert_eq!(error.info.message, "No model is chosen.");
    assert!(!error.info.suggestions.is_empty());
    let set = json!({ "workbench_id": ID, "model": MODEL });
    assert_eq!(bench.home.ok("ModelSetDefault", set).await["default"], MODEL);
    bench.home.fails_with(Code::EgressConsentRequired, "ContextProcess", text("situation", "Board")).await;
    let error = bench.home.fails("ModelSetDefault", json!({ "workbench_id": ID, "model": "openai:gpt-5.3" })).await;
    assert!(error.info.suggestions.iter().any(|name| name == MODEL), "{error:?}");
    assert_eq!(bench.home.ok("ModelSetDefault", json!({ "workbench_id": ID })).await, json!({}));
}

#[tokio::test]
async fn every_change_of_an_item_is_an_event_live_and_replayed() {
    let bench = ModelHome::agreed().await;
    let mut live = bench.home.workbench.events();
    bench.server.reply(files(&good("situation"))).reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    bench.home.ok("ContextReprocess", of("situation")).await;
    bench.home.ok("ContextDelete", of("situation")).await;
    bench.home.plain("JournalUndo").await;
    std::fs::write(bench.home.view("meta/context/situation/context.md"), "- by hand\n").unwrap();
    let replayed = bench.home.plain("EventList").await;
    let replayed: Vec<String> = replayed["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["event"]["type"] == "context_changed")
        .map(|record| format!("{} {}", record["seq"], record["event"]["action"].as_str().unwrap()))
        .collect();
    assert_eq!(replayed, ["2 added", "3 updated", "4 deleted", "5 added", "6 updated"]);
    let (mut told, mut phases) = (Vec::new(), Vec::new());
    while let Ok(record) = live.try_recv() {
        match record.event {
            Event::ContextChanged { action, .. } => {
                told.push(format!("{} {}", record.seq, json!(action).as_str().unwrap()));
            }
            Event::Progress { phase, .. } => phases.push(phase),
            _ => {}
        }
    }
    assert_eq!(told, replayed);
    assert_eq!(phases, ["Processing situation context..."; 2]);
}

#[tokio::test]
async fn counts_are_kept_by_category_and_model() {
    let bench = ModelHome::agreed().await;
    bench.server.reply(files(&good("situation"))).reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    bench.home.ok("ContextReprocess", of("situation")).await;
    bench.home.ok("ContextDelete", of("situation")).await;
    let stats = bench.home.plain("StatsGet").await;
    let rows: Vec<(String, u64)> = stats["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap().to_owned(), one["count"].as_u64().unwrap()))
        .collect();
    let expected = [("context.add", 1), ("context.delete", 1), ("context.edit", 1), ("context.process.success", 2)];
    assert_eq!(rows, expected.map(|(name, count)| (name.to_owned(), count)));
    let success = &stats["counts"][3];
    assert_eq!((&success["model_id"], &success["category"]), (&json!(MODEL), &json!("situation")));
    assert!(success["mean_tokens"].as_f64().unwrap() > 5.0);
}
