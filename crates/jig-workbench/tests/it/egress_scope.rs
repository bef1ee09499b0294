//! For every use of a model, a consent lists exactly what the request contains, and a one-time consent covers exactly
//! the bytes that were shown.

use jig_contract::{Code, OpError};
use jig_fake_model::Reply;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome, files, good, of, text};
use crate::session_home::{of_session, workspace};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

/// A distinct word for each source that could be sent.
const MARKS: [&str; 9] = [
    "markfilealpha",
    "markfilebeta",
    "marksituation",
    "markcompany",
    "markbrand",
    "markcustomer",
    "markartifact",
    "markdocument",
    "markmessage",
];

/// A workbench with content of every kind, and an agent workspace with a document and an image.
async fn full() -> ModelHome {
    let bench = ModelHome::new().await;
    let home = &bench.home;
    home.add("alpha.txt", "markfilealpha").await;
    home.add("beta.md", "markfilebeta").await;
    for (category, mark) in [("situation", "marksituation"), ("company-context", "markcompany")] {
        let words = format!("We always deliver on Friday. {mark}");
        let made =
            json!({ "workbench_id": ID, "category": category, "input": { "text": words }, "model": "offline:extract" });
        home.ok("ContextProcess", made).await;
    }
    let put = |role: &str, data: Value| json!({ "workbench_id": ID, "role": role, "data": data });
    home.ok("EntryPut", put("brand", json!({ "name": "markbrand", "voice": "Plain." }))).await;
    home.ok("EntryPut", put("customer", json!({ "description": "markcustomer", "pain_points": ["no time"] }))).await;
    let plan = json!({ "workbench_id": ID, "title": "markartifact", "content": "# Plan\n\n## Price\n\n12\n" });
    home.ok("ArtifactCreate", plan).await;
    let mut list = workspace("You write.", &["list_files", "read_file"]);
    let parts = list.as_array_mut().unwrap();
    parts[0]["text"] = json!({ "id": "main", "parts": [
        { "type": "template", "role": "system", "path": "prompts/templates/system.md" },
        { "type": "context", "path": "context/docs/rules.md" },
        { "type": "context", "path": "context/images/logo.png" },
    ] })
    .to_string()
    .into();
    parts.push(json!({ "path": "context/docs/rules.md", "text": "markdocument" }));
    parts.push(json!({ "path": "context/images/logo.png", "base64": png() }));
    home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": list, "delete": true })).await;
    bench
}

fn png() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(PNG)
}

fn scope(error: &OpError) -> Value {
    error.info.detail.as_ref().unwrap()["scope"].clone()
}

/// The scope of a refused call.
async fn refused(bench: &ModelHome, operation: &str, params: Value) -> Value {
    let sent = bench.server.requests().len();
    let error = bench.home.fails_with(Code::EgressConsentRequired, operation, params).await;
    assert_eq!(bench.server.requests().len(), sent, "nothing is sent without consent");
    scope(&error)
}

async fn grant(bench: &ModelHome, reach: &str, scope: &Value) {
    let params = json!({ "workbench_id": ID, "model": scope["model_id"], "reach": reach, "scope_hash": scope["hash"] });
    bench.home.ok("ConsentGrant", params).await;
}

/// The marks in the last request.
fn sent(bench: &ModelHome) -> Vec<&'static str> {
    let requests = bench.server.requests();
    let body = String::from_utf8_lossy(&requests.last().unwrap().body).into_owned();
    MARKS.into_iter().filter(|mark| body.contains(mark)).collect()
}

fn list(scope: &Value, member: &str) -> Vec<String> {
    let names = scope[member].as_array().cloned().unwrap_or_default();
    names.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_scope_of_a_run_lists_all_that_its_first_request_contains() {
    let bench = full().await;
    let session = bench.session(json!({})).await;
    let params = of_session(&session, json!({ "message": "markmessage", "options": { "mode": "direct" } }));
    let asked = refused(&bench, "WorkshopSend", params.clone()).await;
    assert_eq!(list(&asked, "files"), ["alpha.txt", "beta.md"]);
    assert_eq!(list(&asked, "items"), ["company-context", "situation"]);
    assert_eq!(list(&asked, "entries"), ["brand", "customer"]);
    assert_eq!(list(&asked, "artifacts"), ["markartifact"]);
    assert_eq!(list(&asked, "documents"), ["context/docs/rules.md", "prompts/templates/system.md"]);
    assert_eq!(list(&asked, "images"), ["context/images/logo.png"]);
    assert!(asked["input"].as_str().unwrap().contains("message"), "{asked:#}");
    assert_eq!(asked["readable"]["files"], json!(["alpha.txt", "beta.md"]));
    grant(&bench, "once", &asked).await;
    bench.says("done");
    bench.home.ok("WorkshopSend", params).await;
    assert_eq!(sent(&bench), MARKS, "each source in the scope is in the request");
    let body = String::from_utf8_lossy(&bench.server.requests()[0].body).into_owned();
    assert!(body.contains(&png()), "the image is sent");
    assert_eq!(bench.home.plain("EgressList").await["events"][0]["purpose"], "workshop");
}

#[tokio::test]
async fn processing_sends_and_lists_nothing_but_its_input() {
    let bench = full().await;
    let params = text("situation", "markmessage");
    let asked = refused(&bench, "ContextProcess", params.clone()).await;
    for member in ["files", "items", "entries", "artifacts", "documents", "images", "sources"] {
        assert!(list(&asked, member).is_empty(), "{member}: {asked:#}");
    }
    assert_eq!(asked["input"], "the text of this call");
    grant(&bench, "once", &asked).await;
    bench.server.reply(files(&good("situation")));
    bench.home.ok("ContextProcess", params).await;
    assert_eq!(sent(&bench), ["markmessage"]);
    let event = bench.home.plain("EgressList").await["events"][0].clone();
    assert_eq!(event["scope_hash"], asked["hash"], "the log names what was agreed to");

    // Processing the item again sends its original input, and the scope lists the item.
    let asked = refused(&bench, "ContextReprocess", of("company-context")).await;
    assert_eq!(list(&asked, "items"), ["company-context"]);
    grant(&bench, "once", &asked).await;
    bench.server.reply(files(&good("company-context")));
    bench.home.ok("ContextReprocess", of("company-context")).await;
    assert_eq!(sent(&bench), ["markcompany"]);
}

#[tokio::test]
async fn extraction_sends_and_lists_only_the_file_that_is_named() {
    let bench = full().await;
    let params = json!({ "workbench_id": ID, "role": "brand", "path": "alpha.txt" });
    let asked = refused(&bench, "EntryExtract", params.clone()).await;
    assert_eq!((list(&asked, "files"), list(&asked, "entries")), (vec!["alpha.txt".to_owned()], Vec::new()));
    assert_eq!(list(&asked, "sources"), ["the definition of the kind brand"]);
    assert!(asked["input"].is_null() && asked["readable"].is_null(), "{asked:#}");
    grant(&bench, "once", &asked).await;
    bench.server.reply(Reply::text("{}"));
    bench.home.ok("EntryExtract", params).await;
    assert_eq!(sent(&bench), ["markfilealpha"]);
}

#[tokio::test]
async fn a_recipe_sends_and_lists_the_entries_that_it_asks_for() {
    let bench = full().await;
    let params = json!({ "workbench_id": ID, "recipe": "weekly-content-calendar", "input": "markmessage" });
    let asked = refused(&bench, "RecipeRun", params.clone()).await;
    assert_eq!(list(&asked, "entries"), ["brand", "customer"], "{asked:#}");
    assert!(list(&asked, "files").is_empty() && list(&asked, "artifacts").is_empty(), "{asked:#}");
    assert_eq!(list(&asked, "sources"), ["the recipe weekly-content-calendar"]);
    grant(&bench, "once", &asked).await;
    bench.server.reply(Reply::text(json!({ "topics": ["a"], "schedule": ["b"], "hooks": ["c"] }).to_string()));
    bench.home.ok("RecipeRun", params).await;
    let items = list(&asked, "items");
    let expected: Vec<&str> = MARKS
        .into_iter()
        .filter(|mark| match *mark {
            "markbrand" | "markcustomer" | "markmessage" => true,
            "marksituation" => items.iter().any(|item| item == "situation"),
            "markcompany" => items.iter().any(|item| item == "company-context"),
            _ => false,
        })
        .collect();
    assert_eq!(sent(&bench), expected, "{asked:#}");
}

#[tokio::test]
async fn one_for_a_single_call_sends_no_other_text_file_category_or_model() {
    let bench = ModelHome::new().await;
    let asked = refused(&bench, "ContextProcess", text("situation", "the harmless text")).await;
    grant(&bench, "once", &asked).await;
    for other in [
        text("situation", "the secret text"),
        text("situation", "the harmless text "),
        text("company-context", "the harmless text"),
        json!({ "workbench_id": ID, "category": "situation", "input": { "text": "the harmless text" }, "model": "openai:gpt-4.1" }),
    ] {
        let asked_again = refused(&bench, "ContextProcess", other).await;
        assert_ne!(asked_again["hash"], asked["hash"]);
    }
    let path = bench.home.outside("a.md", "the harmless text");
    let file = json!({ "workbench_id": ID, "category": "situation", "input": { "source_path": path } });
    let asked = refused(&bench, "ContextProcess", file.clone()).await;
    grant(&bench, "once", &asked).await;
    bench.home.outside("a.md", "the secret text");
    refused(&bench, "ContextProcess", file.clone()).await;
    bench.home.outside("a.md", "the harmless text");
    bench.server.reply(files(&good("situation"))).reply(files(&good("situation")));
    bench.home.ok("ContextProcess", file.clone()).await;
    bench.home.ok("ContextProcess", text("situation", "the harmless text")).await;
    refused(&bench, "ContextProcess", file).await;
    assert_eq!(bench.home.plain("ConsentList").await["consents"], json!([]));
}

#[tokio::test]
async fn one_for_a_run_starts_no_run_with_another_message_content_or_conversation() {
    let bench = ModelHome::new().await;
    bench.home.add("plan.txt", "harmless").await;
    let session = bench.session(json!({})).await;
    let run = |message: &str| of_session(&session, json!({ "message": message, "options": { "mode": "direct" } }));
    let asked = refused(&bench, "WorkshopSend", run("summarise")).await;
    grant(&bench, "once", &asked).await;
    refused(&bench, "WorkshopSend", run("send it all")).await;
    let path = bench.home.outside("plan.txt", "secret");
    let replace = json!({ "workbench_id": ID, "paths": [path], "replace": true });
    bench.home.ok("FileAdd", replace).await;
    refused(&bench, "WorkshopSend", run("summarise")).await;
    bench.home.outside("plan.txt", "harmless");
    bench.home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [path], "replace": true })).await;
    bench.says("done");
    bench.home.ok("WorkshopSend", run("summarise")).await;
    // The same message starts another run, in a conversation that has grown.
    let again = refused(&bench, "WorkshopSend", run("summarise")).await;
    grant(&bench, "once", &again).await;
    let other = bench.session(json!({})).await;
    let elsewhere = of_session(&other, json!({ "message": "summarise", "options": { "mode": "direct" } }));
    refused(&bench, "WorkshopSend", elsewhere).await;
    assert_eq!(bench.server.requests().len(), 1);
}

#[tokio::test]
async fn one_for_a_recipe_covers_the_entries_as_they_were() {
    let bench = full().await;
    let params = json!({ "workbench_id": ID, "recipe": "weekly-content-calendar" });
    let asked = refused(&bench, "RecipeRun", params.clone()).await;
    grant(&bench, "once", &asked).await;
    let put = json!({ "workbench_id": ID, "role": "brand", "data": { "name": "Another", "voice": "Loud." } });
    bench.home.ok("EntryPut", put).await;
    let other = refused(&bench, "RecipeRun", params).await;
    assert_eq!(list(&other, "entries"), list(&asked, "entries"));
    assert_ne!(other["hash"], asked["hash"]);
    assert_eq!(other["hash"].as_str().unwrap()[..32], asked["hash"].as_str().unwrap()[..32], "the same scope by name");
}

#[tokio::test]
async fn a_kept_one_covers_the_same_scope_with_any_content_and_no_other() {
    let bench = ModelHome::new().await;
    bench.home.add("plan.txt", "one").await;
    let session = bench.session(json!({})).await;
    let run = |message: &str| of_session(&session, json!({ "message": message, "options": { "mode": "direct" } }));
    let asked = refused(&bench, "WorkshopSend", run("first")).await;
    grant(&bench, "kept", &asked).await;
    bench.says("one").says("two");
    bench.home.ok("WorkshopSend", run("first")).await;
    let path = bench.home.outside("plan.txt", "two");
    bench.home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [path], "replace": true })).await;
    bench.home.ok("WorkshopSend", run("second")).await;
    // The consent is for runs; processing a text has a different scope.
    refused(&bench, "ContextProcess", text("situation", "Board")).await;
    bench.home.add("new.txt", "x").await;
    let more = refused(&bench, "WorkshopSend", run("third")).await;
    assert_eq!(list(&more, "files"), ["new.txt", "plan.txt"]);
}

#[tokio::test]
async fn a_kept_one_given_beforehand_covers_no_document_that_was_not_there() {
    let bench = full().await;
    let kept = json!({ "workbench_id": ID, "model": MODEL, "reach": "kept" });
    let granted = bench.home.ok("ConsentGrant", kept.clone()).await;
    for path in ["context/docs/rules.md", "context/images/logo.png", "prompts/templates/system.md"] {
        assert!(list(&granted["scope"], "documents").contains(&path.to_owned()), "{granted:#}");
    }
    let begin =
        |name: &str| json!({ "workbench_id": ID, "title": name, "message": "Go", "options": { "mode": "direct" } });
    bench.says("done");
    bench.home.ok("WorkshopBegin", begin("one")).await;
    // A document of the workbench's own pack, then the pack of a workspace that others share.
    let add = |name: Option<&str>, path: &str| json!({ "workbench_id": ID, "name": name, "files": [{ "path": path, "text": "markdocument" }] });
    bench.home.ok("AgentWorkspaceCommit", add(None, "context/docs/added.md")).await;
    refused(&bench, "WorkshopBegin", begin("two")).await;
    bench.home.ok("ConsentGrant", kept).await;
    bench.says("done");
    bench.home.ok("WorkshopBegin", begin("three")).await;
    let mut shared = workspace("You write.", &["list_files"]);
    let parts = shared.as_array_mut().unwrap();
    parts[0]["text"] = json!({ "id": "main", "parts": [
        { "type": "template", "role": "system", "path": "prompts/templates/system.md" },
        { "type": "context", "path": "context/docs/elsewhere.md" },
    ] })
    .to_string()
    .into();
    parts.push(json!({ "path": "context/docs/elsewhere.md", "text": "markdocument" }));
    let commit = json!({ "workbench_id": ID, "name": "house", "files": shared });
    bench.home.ok("AgentWorkspaceCommit", commit).await;
    let mut four = begin("four");
    four["workspace"] = "house".into();
    let asked = refused(&bench, "WorkshopBegin", four).await;
    assert!(list(&asked, "documents").contains(&"context/docs/elsewhere.md".to_owned()), "{asked:#}");
}

#[tokio::test]
async fn of_two_calls_at_once_one_uses_a_consent_for_one_call() {
    let bench = ModelHome::new().await;
    let params = text("situation", "Board");
    let asked = refused(&bench, "ContextProcess", params.clone()).await;
    grant(&bench, "once", &asked).await;
    bench.server.reply(files(&good("situation"))).reply(files(&good("situation")));
    let (one, two) =
        tokio::join!(bench.home.call("ContextProcess", params.clone()), bench.home.call("ContextProcess", params));
    let refusals = [&one, &two]
        .iter()
        .filter(|result| result.as_ref().is_err_and(|error| error.code() == Code::EgressConsentRequired))
        .count();
    assert_eq!((refusals, bench.server.requests().len()), (1, 1), "{one:?} {two:?}");
}

#[tokio::test]
async fn one_for_a_single_call_names_what_was_shown_and_a_person_gives_it() {
    let bench = ModelHome::new().await;
    for reach in ["once", "secret"] {
        let bare = json!({ "workbench_id": ID, "model": MODEL, "reach": reach });
        let error = bench.home.fails_with(Code::ValidationFailed, "ConsentGrant", bare).await;
        assert!(error.info.message.contains("scope_hash"), "{error}");
    }
    let agent = jig_workbench::CallContext::new(jig_contract::Actor::agent("model"));
    let hash = "0".repeat(64);
    let params = json!({ "workbench_id": ID, "model": MODEL, "reach": "once", "scope_hash": hash });
    let error = bench.home.workbench.call("ConsentGrant", agent, params).await.unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted, "{error}");
}

#[tokio::test]
async fn a_call_of_a_program_that_was_killed_is_interrupted_in_the_log() {
    let bench = ModelHome::agreed().await;
    for _ in 0..2 {
        bench.server.reply(files(&good("situation")));
        bench.home.ok("ContextProcess", text("situation", "Board")).await;
    }
    // Simulates programs that were killed during a model call: one just now, one long ago.
    let sql = "UPDATE egress SET outcome = 'started';
        UPDATE egress SET at = at - 100000000 WHERE id = (SELECT MIN(id) FROM egress)";
    sqlx::any::install_default_drivers();
    let url = format!("sqlite:{}", bench.home.home().join("jig.db").display());
    let pool = sqlx::AnyPool::connect(&url).await.unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
    let events = bench.home.plain("EgressList").await["events"].clone();
    let outcomes: Vec<&str> = events.as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["started", "interrupted"]);
}

#[tokio::test]
async fn a_run_that_is_paused_goes_on_under_its_consent_until_a_person_adds_something() {
    let bench = ModelHome::new().await;
    bench.home.add("plan.txt", "x").await;
    let session = bench.session(json!({})).await;
    let run = of_session(&session, json!({ "message": "look", "options": { "mode": "direct" } }));
    let asked = refused(&bench, "WorkshopSend", run.clone()).await;
    grant(&bench, "once", &asked).await;
    // Two empty answers pause a run.
    bench.says("").says("");
    let stood = bench.home.ok("WorkshopSend", run).await;
    assert_eq!(stood["session"]["status"], "suspended", "{:#}", stood["run"]);
    let resume = of_session(&session, json!({}));
    bench.says("").says("");
    let stood = bench.home.ok("WorkshopResume", resume.clone()).await;
    assert_eq!((&stood["session"]["status"], bench.server.requests().len()), (&json!("suspended"), 4));
    bench.home.add("new.txt", "y").await;
    let asked = refused(&bench, "WorkshopResume", resume.clone()).await;
    assert_eq!(list(&asked, "files"), ["new.txt", "plan.txt"]);
    grant(&bench, "once", &asked).await;
    bench.says("done");
    let done = bench.home.ok("WorkshopResume", resume).await;
    assert_eq!((&done["session"]["status"], bench.server.requests().len()), (&json!("idle"), 5), "{done:#}");
    assert_eq!(bench.home.plain("ConsentList").await["consents"], json!([]));
}

#[tokio::test]
async fn an_answer_is_regenerated_with_a_consent_of_its_own() {
    let bench = ModelHome::new().await;
    bench.agree(MODEL).await;
    bench.home.add("plan.txt", "x").await;
    let session = bench.session(json!({})).await;
    bench.calls("a", "write_text_file", &json!({ "path": "one.md", "text": "1\n" })).says("done");
    bench.direct(&session, "write it").await;
    bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": MODEL })).await;
    let again = of_session(&session, json!({ "options": { "mode": "direct" } }));
    let asked = refused(&bench, "WorkshopRegenerate", again.clone()).await;
    grant(&bench, "once", &asked).await;
    bench.says("another answer");
    let done = bench.home.ok("WorkshopRegenerate", again.clone()).await;
    assert_eq!(done["session"]["status"], "idle", "{done:#}");
    refused(&bench, "WorkshopRegenerate", again).await;
}

#[tokio::test]
async fn another_process_continues_a_run_under_the_consent_that_it_used_up() {
    let mut kept = None;
    let bench = ModelHome::with(|config| kept = Some(config.clone())).await;
    let session = bench.session(json!({ "policy": [{ "capability": "*", "decision": "ask" }] })).await;
    let params = of_session(&session, json!({ "message": "look", "options": { "mode": "direct" } }));
    let refusal = bench.home.fails_with(Code::EgressConsentRequired, "WorkshopSend", params.clone()).await;
    let hash = refusal.info.detail.unwrap()["scope"]["hash"].clone();
    let once = json!({ "workbench_id": ID, "model": MODEL, "reach": "once", "scope_hash": hash });
    bench.home.ok("ConsentGrant", once).await;
    bench.calls("a", "list_files", &json!({})).says("That is all.");
    let asked = bench.home.ok("WorkshopSend", params).await;
    let question = asked["questions"][0]["question"].clone();
    assert!(question.is_u64(), "{asked:#}");
    assert_eq!(bench.home.plain("ConsentList").await["consents"], json!([]), "it is used up");
    // `jig session permit` runs in a separate process.
    let other = jig_workbench::Workbench::open(kept.unwrap(), jig_contract::Env::system()).await.unwrap();
    let person = || jig_workbench::CallContext::new(jig_contract::Actor::person());
    let permit = of_session(&session, json!({ "question": question, "answer": "allow" }));
    let done = other.call("SessionPermit", person(), permit).await.unwrap();
    assert_eq!((&done["run"], bench.server.requests().len()), (&Value::Null, 2), "{done:#}");
    // The consent was for that run: the next one asks again, in any process.
    let again = of_session(&session, json!({ "message": "look again", "options": { "mode": "direct" } }));
    let refused = other.call("WorkshopSend", person(), again).await.unwrap_err();
    assert_eq!(refused.code(), Code::EgressConsentRequired);
    // A copy of the workbench does not inherit it either.
    let copy = json!({ "workbench_id": ID, "name": "Copy", "id": "copy" });
    other.call("WorkbenchClone", person(), copy).await.unwrap();
    let list = other.call("ConsentList", person(), json!({ "workbench_id": "copy" })).await.unwrap();
    assert_eq!(list["consents"], json!([]));
}
