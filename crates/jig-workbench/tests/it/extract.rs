//! Extraction: values from texts and files become proposals, whatever a model answers; the entry itself never changes.

use jig_contract::Code;
use jig_fake_model::Reply;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};

const TEXT: &str = "Brand Name: Acme\nTagline: Ropes that hold.\nOur voice is plain and warm.";

fn extract(role: &str, text: &str) -> Value {
    json!({ "workbench_id": ID, "role": role, "text": text })
}

fn with(mut params: Value, name: &str, value: impl Into<Value>) -> Value {
    params[name] = value.into();
    params
}

fn value(value: impl Into<Value>, quote: &str, confidence: f64) -> Value {
    json!({ "value": value.into(), "quote": quote, "confidence": confidence })
}

fn field<'a>(proposal: &'a Value, name: &str) -> &'a Value {
    proposal["fields"].as_array().unwrap().iter().find(|field| field["field"] == name).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn rules_find_values_offline_and_the_entry_stays_as_it_is() {
    let home = TestHome::with_workbench().await;
    let made =
        home.ok("EntryExtract", with(extract("brand", TEXT), "model", "offline:extract")).await["proposal"].clone();
    assert_eq!(
        (&made["origin"], &made["state"], &made["base_revision"]),
        (&json!("extraction"), &json!("pending"), &json!(0))
    );
    assert_eq!(field(&made, "name")["value"], "Acme");
    assert_eq!(field(&made, "tagline")["quote_found"], true);
    home.fails_with(Code::EntryNotFound, "EntryGet", json!({ "workbench_id": ID, "role": "brand" })).await;
    let taken = home.ok("EntryAcceptProposal", json!({ "workbench_id": ID, "proposal_id": made["id"] })).await;
    assert_eq!((&taken["entry"]["data"]["name"], &taken["proposal"]["state"]), (&json!("Acme"), &json!("accepted")));
    assert_eq!(taken["entry"]["fields"][0]["sources"], json!([{ "type": "text" }]));
    assert_eq!(taken["entry"]["fields"][0]["model_id"], "offline:extract");
}

#[tokio::test]
async fn files_of_every_readable_kind_are_looked_through() {
    let home = TestHome::with_workbench().await;
    home.add("notes/brand.md", TEXT).await;
    let inside = json!({ "workbench_id": ID, "role": "brand", "path": "notes/brand.md", "model": "offline:extract" });
    let made = home.ok("EntryExtract", inside).await["proposal"].clone();
    assert_eq!(
        (&field(&made, "name")["value"], &made["sources"]),
        (&json!("Acme"), &json!([{ "type": "file", "name": "notes/brand.md" }]))
    );
    for file in ["report.docx", "policy.pdf", "deck.pptx", "budget.xlsx"] {
        let path = format!("{}/../../demo/files/{file}", env!("CARGO_MANIFEST_DIR"));
        let outside = json!({ "workbench_id": ID, "role": "problem", "source_path": path, "model": "offline:extract" });
        let made = home.ok("EntryExtract", outside).await["proposal"].clone();
        assert_eq!(made["sources"][0]["name"], file);
    }
    for (params, code) in [
        (json!({}), Code::ValidationFailed),
        (json!({ "text": "x", "path": "notes/brand.md" }), Code::ValidationFailed),
        (json!({ "text": "  \n" }), Code::ValidationFailed),
        (json!({ "path": "none.md" }), Code::FileNotFound),
        (json!({ "path": "../x" }), Code::SandboxViolation),
        (json!({ "source_path": "/nowhere/x.txt" }), Code::FileNotFound),
    ] {
        let mut all = json!({ "workbench_id": ID, "role": "brand", "model": "offline:extract" });
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        home.fails_with(code, "EntryExtract", all).await;
    }
    home.fails_with(Code::KindNotFound, "EntryExtract", extract("nothing", TEXT)).await;
    home.fails_with(Code::ProviderNotConfigured, "EntryExtract", extract("brand", TEXT)).await;
}

#[tokio::test]
async fn a_text_that_says_nothing_leaves_nothing_to_decide_on() {
    let home = TestHome::with_workbench().await;
    let made =
        home.ok("EntryExtract", with(extract("brand", "la la la"), "model", "offline:extract")).await["proposal"]
            .clone();
    assert_eq!((&made["state"], &made["fields"]), (&json!("rejected"), &json!([])));
    assert_eq!(home.plain("EntryListProposals").await["proposals"], json!([]));
    assert_eq!(home.plain("JournalList").await["total"], 1);
}

#[tokio::test]
async fn nothing_is_sent_before_somebody_agreed() {
    let bench = ModelHome::new().await;
    bench
        .home
        .ok("EntryPut", json!({ "workbench_id": ID, "role": "customer", "data": { "description": "founders" } }))
        .await;
    let error = bench.home.fails_with(Code::EgressConsentRequired, "EntryExtract", extract("brand", TEXT)).await;
    let scope = error.info.detail.unwrap()["scope"].clone();
    assert_eq!((&scope["entries"], &scope["input"]), (&json!(null), &json!("the text of this call")));
    assert_eq!((bench.server.requests().len(), bench.server.connections()), (0, 0));
    assert_eq!(bench.home.plain("EgressList").await["total"], 0);
    let once = json!({ "workbench_id": ID, "model": MODEL, "scope_hash": scope["hash"] });
    bench.home.ok("ConsentGrant", once).await;
    bench.server.reply(Reply::text(json!({ "name": value("Acme", "Brand Name: Acme", 0.9) }).to_string()));
    bench.home.ok("EntryExtract", extract("brand", TEXT)).await;
    bench.home.fails_with(Code::EgressConsentRequired, "EntryExtract", extract("brand", TEXT)).await;
    let call = bench.home.plain("EgressList").await["events"][0].clone();
    assert_eq!((&call["purpose"], &call["model_id"]), (&json!("entry.extract"), &json!(MODEL)));
}

#[tokio::test]
async fn a_models_answer_is_checked_value_by_value() {
    let bench = ModelHome::agreed().await;
    let answer = json!({
        "name": value("Acme", "Brand Name: Acme", 0.95),
        "voice": value("loud", "we always shout", 0.99),
        "nonsense": value("x", "x", 1.0),
        "logo": value("asset://0190b6c2-7d3e-7000-8000-000000000001", "", 1.0),
    });
    bench.server.reply(Reply::text(format!("Here you are:\n```json\n{answer}\n```\nBye.")));
    let made = bench.home.ok("EntryExtract", extract("brand", TEXT)).await["proposal"].clone();
    assert_eq!(
        (&field(&made, "name")["quote_found"], &field(&made, "name")["confidence"]),
        (&json!(true), &json!(0.95))
    );
    let voice = field(&made, "voice");
    assert_eq!((&voice["quote_found"], voice["confidence"].as_f64().unwrap() <= 0.3), (&json!(false), true), "{voice}");
    assert_eq!(
        (field(&made, "nonsense"), field(&made, "logo")),
        (&Value::Null, &Value::Null),
        "no file comes out of a text"
    );
    assert!(made["warnings"].to_string().contains("nonsense"), "{made}");
    let sent = bench.server.requests()[0].json().to_string();
    assert!(
        sent.contains("Ropes that hold") && sent.contains("json_schema") && !sent.contains("\"tools\":[{"),
        "{sent}"
    );
}

#[tokio::test]
async fn a_wrong_answer_is_repaired_once_and_what_is_no_good_saves_nothing() {
    let bench = ModelHome::agreed().await;
    let wrong = json!({ "name": value("Acme", "Brand Name: Acme", 0.9), "colors": value(json!({ "a": 1 }), "x", 0.9) });
    let right = json!({ "name": value("Acme", "Brand Name: Acme", 0.9), "colors": value(json!(["red"]), "x", 0.9) });
    bench.server.reply(Reply::text(wrong.to_string())).reply(Reply::text(right.to_string()));
    let made = bench.home.ok("EntryExtract", extract("brand", TEXT)).await["proposal"].clone();
    assert_eq!((&field(&made, "colors")["value"], bench.server.requests().len()), (&json!(["red"]), 2));
    assert!(bench.server.requests()[1].json().to_string().contains("colors"));
    let cut = json!({ "name": value("Acme", "x", 0.9) }).to_string();
    for reply in ["I am a teapot.", "", &cut[..cut.len() - 9], "[1, 2]"] {
        let bench = ModelHome::agreed().await;
        bench.server.reply(Reply::text(reply)).reply(Reply::text(reply));
        let error = bench.home.fails_with(Code::ValidationFailed, "EntryExtract", extract("brand", TEXT)).await;
        assert!(!error.info.detail.unwrap()["errors"].as_array().unwrap().is_empty(), "{reply}");
        assert_eq!((error.info.model_id.as_deref(), bench.server.requests().len()), (Some(MODEL), 2));
        assert_eq!(bench.home.plain("EntryListProposals").await["proposals"], json!([]));
        assert_eq!(bench.home.plain("JournalList").await["total"], 1);
    }
}

#[tokio::test]
async fn a_field_that_a_person_filled_is_never_overwritten_by_a_finding() {
    let bench = ModelHome::agreed().await;
    bench.home.ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": { "name": "By hand" } })).await;
    let answer = json!({ "name": value("Acme", "Brand Name: Acme", 1.0), "tagline": value("Ropes that hold.", "Ropes that hold.", 1.0) });
    bench.server.reply(Reply::text(answer.to_string()));
    let made = bench.home.ok("EntryExtract", extract("brand", TEXT)).await["proposal"].clone();
    assert_eq!(
        (&field(&made, "name")["current"], &field(&made, "tagline")["current"]),
        (&json!("By hand"), &Value::Null)
    );
    let entry = bench.home.ok("EntryGet", json!({ "workbench_id": ID, "role": "brand" })).await["entry"].clone();
    assert_eq!((&entry["data"], &entry["revision"]), (&json!({ "name": "By hand" }), &json!(1)));
    bench
        .home
        .ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": { "name": "By hand again" } }))
        .await;
    let accept = json!({ "workbench_id": ID, "proposal_id": made["id"] });
    bench.home.fails_with(Code::Conflict, "EntryAcceptProposal", accept.clone()).await;
    let over = bench.home.ok("EntryAcceptProposal", with(accept, "base_revision", 2)).await;
    assert_eq!(over["entry"]["data"]["name"], "Acme", "who has seen the newest may");
}
