//! Recipe runs as sessions: the log contains exactly the bytes that were sent, and replays; it contains nothing else of
//! the workbench; retries, caps, cancellations and crashes are recorded.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jig_contract::{Code, Event, SessionEvent};
use jig_fake_model::{Refusal, Reply};
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::model_home::{MODEL, ModelHome};
use crate::recipes::Clocked;
use crate::session_home::of_session;

const NAME: &str = "weekly-content-calendar";

async fn filled(home: &TestHome) {
    let put = |role: &str, data: Value| json!({ "workbench_id": ID, "role": role, "data": data });
    home.ok("EntryPut", put("brand", json!({ "name": "Acme", "voice": "Plain.", "colors": ["#111111"] }))).await;
    home.ok("EntryPut", put("customer", json!({ "description": "Founders", "pain_points": ["no time"] }))).await;
    home.add("secret-plan.md", "HIDDEN WORDS").await;
}

async fn bench() -> ModelHome {
    let bench = ModelHome::agreed().await;
    filled(&bench.home).await;
    bench
}

fn of(mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["recipe"] = NAME.into();
    more
}

fn calendar() -> String {
    json!({ "topics": ["Saving time"], "schedule": ["Monday"], "hooks": ["No time?"] }).to_string()
}

fn wrong() -> String {
    json!({ "topics": "one", "schedule": [], "hooks": ["x"] }).to_string()
}

fn session_of(ran: &Value) -> String {
    ran["session_id"].as_str().unwrap().to_owned()
}

/// A summary of a session's events.
async fn happened(home: &TestHome, session: &str) -> Vec<String> {
    let events = home.ok("SessionEvents", of_session(session, json!({}))).await;
    let name = |event: &Value| event["event"]["what"]["kind"].as_str().unwrap_or_default().to_owned();
    events["events"].as_array().unwrap().iter().map(name).filter(|name| name != "workspace").collect()
}

#[tokio::test]
async fn a_run_is_in_the_log_with_exactly_its_prompt_and_replays() {
    let bench = bench().await;
    bench.says(&calendar());
    let mut heard = bench.home.workbench.events();
    let ran = bench.home.ok("RecipeRun", of(json!({ "input": "Mind the holidays." }))).await;
    let session = session_of(&ran);
    assert_eq!((&ran["step"], &ran["job"]["id"]), (&json!(1), &json!(session)));
    let sent = &ran["output"]["sent"];
    assert_eq!((&sent["session_id"], &sent["step"]), (&json!(session), &json!(1)));
    let shown = bench.on("SessionShow", &session, json!({ "step": 1 })).await;
    assert_eq!(shown["request"], bench.server.requests()[0].json(), "the kept bytes are those that were sent");
    let request = shown["request"].to_string();
    let prompt = bench.home.ok("RecipeAssemble", of(json!({ "input": "Mind the holidays." }))).await["prompt"].clone();
    assert!(request.contains(prompt.to_string().trim_matches('"')), "{request}");
    for other in ["secret-plan", "HIDDEN WORDS", "#111111", "Run the recipe", "\"tools\":[{"] {
        assert!(!request.contains(other), "{other}: {request}");
    }
    assert!(shown["bill"]["total"].as_u64().unwrap() > 50, "{shown}");
    assert!(shown["answer"]["usage"]["input"].as_u64().is_some(), "{shown}");
    assert_eq!(bench.replays(&session).await["requests"], 1);
    let got = bench.on("SessionGet", &session, json!({})).await;
    assert_eq!((&got["session"]["recipe"], &got["session"]["status"]), (&json!(NAME), &json!("idle")));
    assert_eq!(got["messages"][0]["text"], format!("Run the recipe {NAME}.\n\nMind the holidays."));
    let mut told = false;
    while let Ok(record) = heard.try_recv() {
        told |= matches!(record.event, Event::Session { what: SessionEvent::ModelAnswered { .. }, .. });
    }
    assert!(told, "it is on the stream");
    assert_eq!(bench.home.plain("EgressList").await["events"][0]["purpose"], "recipe.run");
    assert_eq!(bench.home.plain("SessionList").await["sessions"], json!([]), "those of people are for themselves");
    let all = bench.home.ok("SessionList", json!({ "workbench_id": ID, "recipes": true })).await;
    assert_eq!((&all["sessions"][0]["id"], &all["sessions"][0]["recipe"]), (&json!(session), &json!(NAME)));
}

#[tokio::test]
async fn sessions_of_people_are_listed_page_by_page_between_runs_of_recipes() {
    let bench = bench().await;
    let mut own = Vec::new();
    for _ in 0..3 {
        own.insert(0, json!(bench.session(json!({})).await));
        for _ in 0..2 {
            bench.says(&calendar());
            bench.home.ok("RecipeRun", of(json!({}))).await;
        }
    }
    let (mut found, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let list = bench.home.ok("SessionList", json!({ "workbench_id": ID, "limit": 1, "cursor": cursor })).await;
        found.extend(list["sessions"].as_array().unwrap().iter().map(|session| session["id"].clone()));
        cursor = list["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(found, own);
}

#[tokio::test]
async fn the_repair_is_a_second_run_with_the_turns_of_the_first() {
    let bench = bench().await;
    bench.says(&wrong()).says(&calendar());
    let ran = bench.home.ok("RecipeRun", of(json!({}))).await;
    let session = session_of(&ran);
    assert_eq!((&ran["step"], &ran["output"]["state"]), (&json!(2), &json!("pending")));
    let shown = bench.on("SessionShow", &session, json!({ "step": 2 })).await;
    assert_eq!(shown["run"], 2);
    let request = shown["request"].to_string();
    assert!(
        request.contains("topics\\\\\\\":\\\\\\\"one") || request.contains("\\\"topics\\\":\\\"one\\\""),
        "{request}"
    );
    assert!(request.contains("Acme"), "{request}");
    let got = bench.on("SessionGet", &session, json!({})).await;
    assert!(got["messages"][2]["text"].as_str().unwrap().contains("topics"), "what was wrong: {got:#}");
    assert_eq!(bench.replays(&session).await["requests"], 2);
    bench.says(&wrong()).says(&wrong());
    let error = bench.home.fails_with(Code::ValidationFailed, "RecipeRun", of(json!({}))).await;
    assert!(
        error.info.hints.iter().any(|hint| hint.contains("jig session show") && hint.contains("--step 2")),
        "{error}"
    );
}

#[tokio::test]
async fn a_yes_for_one_call_is_for_the_run_with_its_repair_and_then_used_up() {
    let bench = ModelHome::new().await;
    filled(&bench.home).await;
    let error = bench.home.fails_with(Code::EgressConsentRequired, "RecipeRun", of(json!({}))).await;
    let scope = error.info.detail.unwrap()["scope"].clone();
    assert!(scope["input"].is_null(), "nothing comes with the call: {scope}");
    let yes = json!({ "workbench_id": ID, "model": MODEL, "reach": "once", "scope_hash": scope["hash"] });
    bench.home.ok("ConsentGrant", yes).await;
    bench.says(&wrong()).says(&calendar());
    bench.home.ok("RecipeRun", of(json!({}))).await;
    let calls = bench.home.plain("EgressList").await["events"].clone();
    assert_eq!(calls[1]["scope_hash"], scope["hash"]);
    let repair = calls[0]["scope_hash"].as_str().unwrap();
    assert_eq!(repair[..32], scope["hash"].as_str().unwrap()[..32], "the same scope with other words");
    bench.home.fails_with(Code::EgressConsentRequired, "RecipeRun", of(json!({}))).await;
}

#[tokio::test]
async fn a_changed_byte_is_found_by_replay() {
    let bench = bench().await;
    bench.says(&calendar());
    let session = session_of(&bench.home.ok("RecipeRun", of(json!({}))).await);
    let other = "UPDATE session_events SET event =
        replace(event, substr(event, instr(event, '\"question\":\"') + 12, 8), '00000000')
        WHERE event LIKE '%\"question\":%'";
    crate::sessions::tamper(&bench, other).await;
    let replayed = bench.on("SessionReplay", &session, json!({})).await;
    assert_eq!((&replayed["same"], &replayed["difference"]["step"]), (&json!(false), &json!(1)), "{replayed:#}");
    assert_eq!(replayed["difference"]["what"], "the request to the model");
}

#[tokio::test]
async fn caps_hold_for_the_run_with_its_repair() {
    let bench = bench().await;
    let error = bench.home.fails_with(Code::BudgetCapReached, "RecipeRun", of(json!({ "max_tokens": 1 }))).await;
    assert!(error.to_string().contains("limit is 1"), "{error}");
    assert_eq!(bench.server.requests().len(), 0, "what would reach the cap is not sent");
    bench.says(&calendar());
    let session = session_of(&bench.home.ok("RecipeRun", of(json!({}))).await);
    let asked = bench.on("SessionShow", &session, json!({ "step": 1 })).await["bill"]["total"].as_u64().unwrap();
    bench.says(&wrong()).says(&calendar());
    let error =
        bench.home.fails_with(Code::BudgetCapReached, "RecipeRun", of(json!({ "max_tokens": asked + 1 }))).await;
    assert_eq!(bench.server.requests().len(), 2, "the repair is not asked for");
    let session = error.info.job_id.clone().unwrap();
    let events = happened(&bench.home, &session).await;
    assert_eq!(events.iter().filter(|name| *name == "run_suspended").count(), 1, "{events:?}");
    assert_eq!(events.last().unwrap(), "run_ended", "it does not stay under way: {events:?}");
    bench.replays(&session).await;
    let enough = json!({ "max_tokens": asked + 1, "max_cost_micros": 1_000_000, "max_seconds": 600 });
    bench.home.ok("RecipeRun", of(enough)).await;
    let error = bench.home.fails_with(Code::BudgetCapReached, "RecipeRun", of(json!({ "max_seconds": 0 }))).await;
    assert!(error.to_string().contains("seconds"), "{error}");
    assert_eq!(bench.server.requests().len(), 3);
}

#[tokio::test]
async fn rules_make_no_session() {
    let bench = bench().await;
    let ran = bench.home.ok("RecipeRun", of(json!({ "model": "offline:extract" }))).await;
    assert!(ran["session_id"].is_null() && ran["output"]["sent"]["session_id"].is_null(), "{ran}");
    let all = json!({ "workbench_id": ID, "recipes": true });
    assert_eq!(bench.home.ok("SessionList", all).await["sessions"], json!([]));
}

#[tokio::test]
async fn a_run_is_stopped_from_its_session_and_by_its_job() {
    let bench = bench().await;
    for by_job in [false, true] {
        bench.server.reply(Reply::text(calendar()).after(Duration::from_secs(60)));
        let before = bench.server.requests().len();
        let workbench = bench.home.workbench.clone();
        let waiting = tokio::spawn(async move {
            let context = jig_workbench::CallContext::new(jig_contract::Actor::person());
            workbench.call("RecipeRun", context, of(json!({}))).await
        });
        while bench.server.requests().len() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let jobs = bench.home.ok("JobList", json!({ "workbench_id": ID, "state": "running" })).await;
        let id = jobs["jobs"][0]["id"].as_str().unwrap().to_owned();
        match by_job {
            false => drop(bench.on("WorkshopCancel", &id, json!({})).await),
            true => drop(bench.home.ok("JobCancel", json!({ "workbench_id": ID, "job_id": id })).await),
        }
        assert!(waiting.await.unwrap().is_err());
        let job = bench.home.ok("JobGet", json!({ "workbench_id": ID, "job_id": id })).await["job"].clone();
        assert_eq!(job["state"], if by_job { "cancelled" } else { "failed" }, "{job}");
        let events = happened(&bench.home, &id).await;
        assert_eq!(events.last().unwrap(), "run_ended", "{events:?}");
        assert!(events.contains(&"run_cancel_requested".to_owned()), "{events:?}");
        bench.replays(&id).await;
    }
}

#[tokio::test]
async fn each_attempt_at_a_job_is_a_run_of_its_session() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    bench.server.reply(Reply::refuse(Refusal::Overloaded));
    bench.server.reply(Reply::text(calendar()).after(Duration::from_secs(60))).reply(Reply::text(calendar()));
    let id = bench.home.ok("RecipeRun", of(json!({ "wait": false }))).await["job"]["id"].as_str().unwrap().to_owned();
    bench.work().await;
    bench.later(1);
    // The second attempt's server dies during the call.
    let dying = bench.another().await;
    let server = tokio::spawn(async move { dying.run_jobs(CancellationToken::new()).await });
    while bench.server.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.abort();
    let _ = server.await;
    bench.clock.fetch_add(61_000, Ordering::SeqCst);
    let ended = bench.work().await;
    assert_eq!((&ended[0]["id"], &ended[0]["state"], &ended[0]["attempts"]), (&json!(id), &json!("done"), &json!(3)));
    let events = happened(&bench.home, &id).await;
    let count = |name: &str| events.iter().filter(|event| *event == name).count();
    assert_eq!((count("run_started"), count("model_requested"), count("effect_interrupted")), (3, 3, 1), "{events:?}");
    assert_eq!(bench.server.requests().len(), 3, "no call without a record");
    let replayed = bench.home.ok("SessionReplay", of_session(&id, json!({}))).await;
    assert_eq!((&replayed["same"], &replayed["requests"]), (&json!(true), &json!(3)), "{replayed:#}");
}

/// Makes every change of the workbench by a recipe run fail, as if the process had ended before it; `off` reverts that.
async fn break_saving(home: &TestHome, off: bool) {
    sqlx::any::install_default_drivers();
    let url = format!("sqlite:{}", home.home().join("jig.db").display());
    let pool = sqlx::AnyPool::connect(&url).await.unwrap();
    let sql = if off {
        "DROP TRIGGER no_output"
    } else {
        "CREATE TRIGGER no_output BEFORE INSERT ON journal WHEN NEW.operation = 'RecipeRun'
         BEGIN SELECT RAISE(ABORT, 'the process ends here'); END"
    };
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

/// An attempt that receives the model's last answer but fails to store the output.
async fn fails_to_save(bench: &Clocked) {
    break_saving(&bench.home, false).await;
    let ended = bench.work().await;
    assert_eq!(ended[0]["state"], "queued", "it is tried again: {ended:#?}");
    break_saving(&bench.home, true).await;
    bench.later(1);
}

async fn queued(bench: &Clocked) -> String {
    let job = bench.home.ok("RecipeRun", of(json!({ "wait": false }))).await;
    job["job"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_answer_that_is_in_the_log_is_not_asked_for_again() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    bench.server.reply(Reply::text(wrong())).reply(Reply::text(calendar()));
    let id = queued(&bench).await;
    fails_to_save(&bench).await;
    assert_eq!(bench.home.plain("OutputList").await["outputs"], json!([]), "nothing was saved");
    let ended = bench.work().await;
    assert_eq!((&ended[0]["id"], &ended[0]["state"]), (&json!(id), &json!("done")), "{ended:#?}");
    assert_eq!(bench.server.requests().len(), 2, "the answer and its repair were paid for once");
    let output = &bench.home.plain("OutputList").await["outputs"][0];
    assert_eq!((&output["sent"]["session_id"], &output["sent"]["step"]), (&json!(id), &json!(2)), "{output:#}");
    assert!(output.to_string().contains("Saving time"), "{output:#}");
    let got = bench.home.ok("SessionGet", of_session(&id, json!({}))).await;
    let notices: Vec<&Value> =
        got["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "notice").collect();
    assert_eq!(notices.len(), 2, "that they are used again is told: {got:#}");
    assert!(notices[1]["text"].as_str().unwrap().contains("step 2"), "{notices:?}");
    let replayed = bench.home.ok("SessionReplay", of_session(&id, json!({}))).await;
    assert_eq!((&replayed["same"], &replayed["requests"]), (&json!(true), &json!(2)), "{replayed:#}");
}

#[tokio::test]
async fn an_answer_to_another_question_is_not_used() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    bench.server.reply(Reply::text(calendar())).reply(Reply::text(calendar().replace("Saving", "Keeping")));
    let id = queued(&bench).await;
    fails_to_save(&bench).await;
    let newer = json!({ "workbench_id": ID, "role": "brand", "data": { "voice": "Warm." } });
    bench.home.ok("EntryPut", newer).await;
    assert_eq!(bench.work().await[0]["state"], "done");
    assert_eq!(bench.server.requests().len(), 2, "what it is told has changed meanwhile");
    let output = &bench.home.plain("OutputList").await["outputs"][0];
    assert!(output.to_string().contains("Keeping time"), "{output:#}");
    assert_eq!((&output["sent"]["session_id"], &output["sent"]["step"]), (&json!(id), &json!(2)));
}

#[tokio::test]
async fn sessions_that_no_output_names_go_when_their_time_is_over() {
    let bench = Clocked::new().await;
    filled(&bench.home).await;
    let own = bench.home.ok("SessionCreate", json!({ "workbench_id": ID, "title": "Mine" })).await;
    bench.server.reply(Reply::text(calendar())).reply(Reply::text(wrong())).reply(Reply::text(wrong()));
    let named = session_of(&bench.home.ok("RecipeRun", of(json!({}))).await);
    let error = bench.home.fails_with(Code::ValidationFailed, "RecipeRun", of(json!({}))).await;
    let failed = error.info.job_id.clone().unwrap();
    // Its run is waiting for a retry, which needs the content of its session.
    bench.server.reply(Reply::refuse(Refusal::Overloaded));
    let open = queued(&bench).await;
    bench.work().await;
    let sessions = || async {
        let list = bench.home.ok("SessionList", json!({ "workbench_id": ID, "recipes": true })).await;
        let mut ids: Vec<String> =
            list["sessions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    let collect = |yes: bool| bench.home.ok("StoreCollect", json!({ "yes": yes }));
    let all = sessions().await;
    assert_eq!(all.len(), 4, "{all:?}");
    bench.later(30 * 24);
    assert_eq!(collect(true).await["recipe_sessions"], 0, "at the very day it is kept");
    bench.later(1);
    assert_eq!(collect(false).await["recipe_sessions"], 1);
    assert_eq!(sessions().await, all, "that was a question only");
    let done = collect(true).await;
    assert_eq!((&done["recipe_sessions"], &done["removed"]), (&json!(1), &json!(true)), "{done:#}");
    let mut left = vec![named.clone(), open, own["session"]["id"].as_str().unwrap().to_owned()];
    left.sort();
    assert_eq!(sessions().await, left);
    bench.home.fails_with(Code::SessionNotFound, "SessionGet", of_session(&failed, json!({}))).await;
    assert_eq!(bench.home.ok("SessionReplay", of_session(&named, json!({}))).await["same"], true);
    assert_eq!(collect(true).await["recipe_sessions"], 0);
    let doctor = bench.home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor:#}");
}
