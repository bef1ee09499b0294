//! A complete run against a fake model over real HTTP: a bank's CSV becomes a workbook by category and a report.

use std::collections::BTreeMap;

use jig_contract::{Code, Event, EventRecord, SessionEvent};
use jig_fake_model::{Answer, Habits, Refusal, Reply};
use jig_testkit::ID;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::{events, of_session};

const CATEGORIES: [&str; 3] = ["Food", "Rent", "Travel"];

/// Rows whose sums cannot be guessed, in cents so that they are exact.
fn rows() -> Vec<(u32, &'static str, i64)> {
    (1..=120).map(|day| (day, CATEGORIES[day as usize % 3], i64::from(day * 137 % 9_973) + 5)).collect()
}

fn amount(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn csv() -> String {
    let line = |(day, category, cents): &(u32, &str, i64)| format!("{day},{category},{}\n", amount(*cents));
    format!("day,category,amount\n{}", rows().iter().map(line).collect::<String>())
}

/// The sums by category, computed from the rows only.
fn sums() -> BTreeMap<&'static str, i64> {
    let mut sums = BTreeMap::new();
    for (_, category, cents) in rows() {
        *sums.entry(category).or_insert(0) += cents;
    }
    sums
}

const SUMMARY: &str = "bank.xlsx has a sheet for each category and a summary; report.docx tells the sums.";

/// The model's replies in a run without problems.
fn script(home: &ModelHome, before: impl Fn(&ModelHome, &str)) {
    before(home, "research");
    home.calls("r1", "table_describe", &json!({ "path": "bank.csv" }))
        .says("bank.csv has a day, a category and an amount. The categories are Food, Rent and Travel.");
    before(home, "plan");
    home.says("# Plan\n\n- [ ] Split bank.csv into bank.xlsx by category\n- [ ] Add a summary sheet\n- [ ] Write report.docx\n");
    before(home, "split");
    for category in CATEGORIES {
        let query = format!("SELECT day, amount FROM data WHERE category = '{category}' ORDER BY day");
        let input = json!({ "path": "bank.csv", "target_path": "bank.xlsx", "sheet": category,
            "mode": "replace_sheet", "query": query });
        home.calls(&format!("s-{category}"), "table_update_from_export", &input);
    }
    home.says("bank.xlsx has three sheets.");
    before(home, "summary");
    let query =
        "SELECT category, SUM(amount) AS total, COUNT(*) AS payments FROM data GROUP BY category ORDER BY category";
    let input = json!({ "path": "bank.csv", "target_path": "bank.xlsx", "sheet": "Summary", "mode": "replace_sheet",
        "query": query });
    home.calls("u1", "table_update_from_export", &input).says("The summary is there.");
    before(home, "report");
    let paragraphs: Vec<String> =
        sums().iter().map(|(category, cents)| format!("{category}: {}", amount(*cents))).collect();
    let ops = json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]);
    home.calls("d1", "docx_operations", &json!({ "path": "report.docx", "create_new": true, "ops": ops }))
        .says("The report is there.");
    home.says(SUMMARY);
}

/// The expected result of every such run.
async fn check(home: &ModelHome, session: &str, done: &Value) {
    assert!(done["run"].is_null(), "{:#}", done["run"]);
    assert_eq!(done["messages"].as_array().unwrap().last().unwrap()["text"], SUMMARY);
    figures(home, "draft").await;
    // The review shows the run's own summary and the steps that changed each file.
    let set = home.home.plain("ReviewGetChangeSet").await;
    let paths: Vec<&str> =
        set["changes"].as_array().unwrap().iter().map(|change| change["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["bank.xlsx", "report.docx"], "and nothing else was written");
    assert_eq!(set["summary"]["text"], SUMMARY);
    assert_eq!(set["summary"]["session_id"], session);
    let steps = set["changes"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4, "{steps:#?}");
    for step in steps {
        let shown = home.on("SessionShow", session, json!({ "step": step["step"] })).await;
        assert_eq!(shown["results"][0]["tool"], "table_update_from_export");
    }
    let step = &set["changes"][1]["steps"][0];
    let shown = home.on("SessionShow", session, json!({ "step": step["step"] })).await;
    assert_eq!(shown["results"][0]["tool"], "docx_operations");
    // Files of earlier items are in the manifest of later ones.
    assert!(shown["request"].to_string().contains("bank.xlsx"));
    // The notes are available in the result and as files.
    let plan = done["notes"]["plan"].as_str().unwrap();
    assert_eq!(plan.matches("- [x] ").count(), 3, "{plan}");
    assert_eq!(std::fs::read_to_string(home.home.view("meta/workshop/plan.md")).unwrap(), plan);
    let research = std::fs::read_to_string(home.home.view("meta/workshop/research.md")).unwrap();
    assert_eq!(done["notes"]["research"], research);
    home.replays(session).await;
    home.home.plain("DraftPublish").await;
    figures(home, "published").await;
    home.replays(session).await;
}

/// Checks that the numbers in the files equal those of the rows.
async fn figures(home: &ModelHome, root: &str) {
    let all = sums();
    for category in CATEGORIES {
        let params = json!({ "workbench_id": ID, "root": root, "path": "bank.xlsx", "sheet": category,
            "query": "SELECT COUNT(*), SUM(CAST(ROUND(amount * 100) AS BIGINT)) FROM data" });
        let read = home.home.ok("TabularQuery", params).await;
        let count = rows().iter().filter(|(_, of, _)| *of == category).count();
        assert_eq!(number(&read["rows"][0][0]), i64::try_from(count).unwrap(), "{category}");
        assert_eq!(number(&read["rows"][0][1]), all[category], "{category}");
    }
    let params = json!({ "workbench_id": ID, "root": root, "path": "bank.xlsx", "sheet": "Summary",
        "query": "SELECT category, CAST(ROUND(total * 100) AS BIGINT), payments FROM data ORDER BY category" });
    let read = home.home.ok("TabularQuery", params).await;
    let told: BTreeMap<&str, i64> =
        read["rows"].as_array().unwrap().iter().map(|row| (row[0].as_str().unwrap(), number(&row[1]))).collect();
    assert_eq!(told, all);
    let text =
        home.home.ok("DocxExtractText", json!({ "workbench_id": ID, "root": root, "path": "report.docx" })).await;
    for (category, cents) in &all {
        assert!(text["text"].as_str().unwrap().contains(&format!("{category}: {}", amount(*cents))), "{text}");
    }
}

/// A number, also if it is a string to preserve all digits.
fn number(value: &Value) -> i64 {
    value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok())).unwrap_or_else(|| panic!("{value}"))
}

async fn ready() -> (ModelHome, String) {
    let home = ModelHome::agreed().await;
    home.home.add("bank.csv", csv()).await;
    let session = home.session(json!({})).await;
    (home, session)
}

const TASK: &str = "Split bank.csv by category into a workbook with a summary, and write a report";

async fn send(home: &ModelHome, session: &str) -> Value {
    home.on("WorkshopSend", session, json!({ "message": TASK })).await
}

#[tokio::test]
async fn a_bank_csv_becomes_a_workbook_and_a_report() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (home, session) = ready().await;
    let mut told = home.home.workbench.events();
    script(&home, |_, _| {});
    let done = send(&home, &session).await;
    let all = heard(&mut told);
    everything_is_told(&home, &session, &all).await;
    check(&home, &session, &done).await;
    assert_eq!(home.server.left(), 0);
}

#[tokio::test]
async fn the_same_without_streaming() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = ModelHome::agreed().await;
    home.home.add("bank.csv", csv()).await;
    home.home.ok("AgentWorkspaceUpgrade", json!({ "workbench_id": ID })).await;
    let mut files = vec![json!({ "path": "prompts/options.json", "text": "{\"streaming\": false}" })];
    for pack in ["research", "plan", "implement", "summary"] {
        let path = format!("prompts/packs/{pack}.json");
        let read =
            home.home.ok("AgentWorkspaceRead", json!({ "workbench_id": ID, "reference": format!("jig/{path}") })).await;
        let mut pack: Value = serde_json::from_str(read["file"]["text"].as_str().unwrap()).unwrap();
        pack["options"] = "prompts/options.json".into();
        files.push(json!({ "path": path, "text": pack.to_string() }));
    }
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": files })).await;
    let session = home.session(json!({ "workspace": "own" })).await;
    script(&home, |_, _| {});
    let done = send(&home, &session).await;
    check(&home, &session, &done).await;
    assert!(home.server.requests().iter().all(|request| request.json()["stream"] != true));
}

#[tokio::test]
async fn the_same_with_errors_of_tools() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (home, session) = ready().await;
    script(&home, |home, place| match place {
        "research" => drop(home.calls("e1", "table_query", &json!({ "path": "bank.csv", "query": "SELECT nothing" }))),
        "split" => {
            let input =
                json!({ "path": "none.csv", "target_path": "bank.xlsx", "sheet": "x", "mode": "replace_sheet" });
            home.calls("e2", "table_update_from_export", &input);
        }
        "report" => {
            let ops = json!([{ "op": "delete_section", "section": 99 }]);
            home.calls("e3", "docx_operations", &json!({ "path": "report.docx", "create_new": true, "ops": ops }));
        }
        _ => {}
    });
    let done = send(&home, &session).await;
    let failed: Vec<&Value> = results(&done).filter(|outcome| !outcome["failed"].is_null()).collect();
    assert_eq!(failed.len(), 3, "{failed:#?}");
    assert!(failed.iter().all(|outcome| outcome["text"].as_str().unwrap().contains("message")), "{failed:#?}");
    check(&home, &session, &done).await;
}

#[tokio::test]
async fn the_same_with_rate_limits() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (home, session) = ready().await;
    let mut told = home.home.workbench.events();
    script(&home, |home, place| {
        if matches!(place, "plan" | "report") {
            home.server.reply(Reply::refuse(Refusal::Limited).header("retry-after", "0"));
        }
    });
    let done = send(&home, &session).await;
    let waits = heard(&mut told);
    let waits = waits.iter().filter(|record| {
        matches!(&record.event, Event::Session { record: None, what: SessionEvent::Waiting { code, .. }, .. }
            if *code == Code::ProviderRateLimited)
    });
    assert_eq!(waits.count(), 2, "each wait is told");
    check(&home, &session, &done).await;
}

#[tokio::test]
async fn the_same_with_a_malformed_call() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (home, session) = ready().await;
    script(&home, |home, place| {
        if place == "split" {
            let half = Answer::text("").and_call("m1", "table_update_from_export", "{\"path\": \"bank");
            home.server.reply(Reply::answer(half));
        }
    });
    let done = send(&home, &session).await;
    let refused = done["events"].as_array().unwrap().iter().find(|record| record["event"]["type"] == "tool_refused");
    let message = refused.unwrap()["event"]["message"].as_str().unwrap();
    assert!(message.contains("bank") && message.contains("target_path"), "what was sent, and the schema: {message}");
    check(&home, &session, &done).await;
}

#[tokio::test]
async fn the_same_with_refused_and_early_calls() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = ModelHome::agreed().await;
    home.home.add("bank.csv", csv()).await;
    let session = home.session(json!({ "policy": [{ "capability": "context.write", "decision": "deny" }] })).await;
    script(&home, |home, place| match place {
        "research" => {
            home.calls("w1", "write_text_file", &json!({ "path": "early.txt", "text": "too early" }));
            home.calls("n1", "format_disk", &json!({}));
        }
        "split" => drop(home.calls("p1", "entry_propose", &json!({ "role": "brand", "data": { "name": "X" } }))),
        _ => {}
    });
    let done = send(&home, &session).await;
    let refused: Vec<&str> = done["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["event"]["type"] == "tool_refused")
        .map(|record| record["event"]["code"].as_str().unwrap())
        .collect();
    assert_eq!(refused, ["TOOL_NOT_VISIBLE", "TOOL_NOT_VISIBLE", "TOOL_NOT_PERMITTED"]);
    // The early write is not in the Draft: `check` expects exactly two files.
    check(&home, &session, &done).await;
}

#[tokio::test]
async fn the_same_with_a_cut_connection() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (home, session) = ready().await;
    script(&home, |home, place| {
        if place == "summary" {
            let cut = Habits { cut_after: Some(4), ..Habits::default() };
            // The first one is retried, the second one pauses the run.
            for _ in 0..2 {
                home.server.reply(Reply::text("this is broken off in the middle of it").with(cut));
            }
        }
    });
    let stood = send(&home, &session).await;
    assert_eq!(stood["session"]["status"], "suspended", "{:#}", stood["run"]);
    assert_eq!(stood["run"]["item"], 2);
    let done = home.on("WorkshopResume", &session, json!({})).await;
    check(&home, &session, &done).await;
}

#[tokio::test]
async fn an_item_that_fails_twice_is_marked_with_its_reason_and_the_others_are_done() {
    let (home, session) = ready().await;
    home.says("found").says("- [ ] one\n- [ ] two\n");
    home.says("FAILED: there is no such sheet").says("FAILED: there is still no such sheet");
    home.calls("c", "write_text_file", &json!({ "path": "two.md", "text": "2\n" })).says("done").says("one is missing");
    let done = send(&home, &session).await;
    let plan = done["notes"]["plan"].as_str().unwrap();
    assert_eq!(plan, "- [!] one (failed: there is still no such sheet)\n- [x] two\n");
    assert_eq!(std::fs::read_to_string(home.home.view("meta/workshop/plan.md")).unwrap(), plan);
    // A new task starts with fresh counters.
    home.says("nothing to change").says("No items.");
    home.on("WorkshopSend", &session, json!({ "message": "And now?" })).await;
    assert!(
        !home.home.view("meta/workshop/plan.md").exists() || {
            let text = std::fs::read_to_string(home.home.view("meta/workshop/plan.md")).unwrap();
            !text.contains("[!]")
        }
    );
}

#[tokio::test]
async fn a_consent_for_one_task_holds_for_all_its_calls_and_for_no_other() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = ModelHome::new().await;
    home.home.add("bank.csv", csv()).await;
    let session = home.session(json!({})).await;
    let params = of_session(&session, json!({ "message": TASK }));
    let refusal = home.home.fails_with(Code::EgressConsentRequired, "WorkshopSend", params).await;
    let hash = refusal.info.detail.unwrap()["scope"]["hash"].clone();
    home.home
        .ok("ConsentGrant", json!({ "workbench_id": ID, "model": MODEL, "reach": "once", "scope_hash": hash }))
        .await;
    script(&home, |_, _| {});
    let done = send(&home, &session).await;
    check(&home, &session, &done).await;
    let again = of_session(&session, json!({ "message": "once more" }));
    home.home.fails_with(Code::EgressConsentRequired, "WorkshopSend", again).await;
}

fn results(done: &Value) -> impl Iterator<Item = &Value> {
    let all = done["events"].as_array().unwrap().iter();
    all.filter(|record| record["event"]["type"] == "tool_finished").map(|record| &record["event"]["outcome"])
}

fn heard(told: &mut Receiver<EventRecord>) -> Vec<EventRecord> {
    std::iter::from_fn(|| told.try_recv().ok()).collect()
}

/// Every record is one event, in order; stored events replay from the log; none contains the content of files or
/// messages.
async fn everything_is_told(home: &ModelHome, session: &str, all: &[EventRecord]) {
    let of_session: Vec<&EventRecord> =
        all.iter().filter(|record| matches!(record.event, Event::Session { .. })).collect();
    let kept: Vec<(u64, &SessionEvent)> = of_session
        .iter()
        .filter_map(|record| match &record.event {
            Event::Session { record: Some(number), what, .. } => Some((*number, what)),
            _ => None,
        })
        .collect();
    let first = kept[0].0;
    assert!(kept.iter().enumerate().all(|(at, (number, _))| *number == first + at as u64), "no gap");
    let kinds: Vec<String> =
        kept.iter().map(|(_, what)| serde_json::to_value(what).unwrap()["kind"].as_str().unwrap().to_owned()).collect();
    for kind in [
        "message_added",
        "run_started",
        "phase_started",
        "phase_completed",
        "plan_made",
        "item_started",
        "item_completed",
        "step_started",
        "model_requested",
        "model_answered",
        "tool_started",
        "tool_finished",
        "run_ended",
    ] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}");
    }
    let item = kept.iter().find_map(|(_, what)| match what {
        SessionEvent::ItemStarted { item: 2, of, label, attempt } => Some((*of, label.as_str(), *attempt)),
        _ => None,
    });
    assert_eq!(item, Some((3, "Add a summary sheet", 1)));
    let tokens: Vec<u64> = kept
        .iter()
        .filter_map(|(_, what)| match what {
            SessionEvent::ModelAnswered { input_tokens, output_tokens, .. } => Some(input_tokens + output_tokens),
            _ => None,
        })
        .collect();
    assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{tokens:?}");
    let pieces: String = of_session
        .iter()
        .filter_map(|record| match &record.event {
            Event::Session { record: None, what: SessionEvent::AnswerPiece { text }, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(pieces.ends_with(SUMMARY), "the answer comes in pieces");
    // The same events from the log, starting at any record.
    let again = home.on("SessionEvents", session, json!({ "after": first - 1, "limit": 1_000 })).await;
    let again: Vec<Value> = again["events"].as_array().unwrap().iter().map(|record| record["event"].clone()).collect();
    let told: Vec<Value> = of_session
        .iter()
        .filter(|record| matches!(record.event, Event::Session { record: Some(_), .. }))
        .map(|record| serde_json::to_value(&record.event).unwrap())
        .collect();
    assert_eq!(again, told);
    let page = home.on("SessionEvents", session, json!({ "after": first, "limit": 2 })).await;
    assert_eq!((page["cursor"].as_u64().unwrap(), page["has_more"].as_bool().unwrap()), (first + 2, true));
    let words = serde_json::to_string(&told).unwrap();
    assert!(!words.contains(TASK) && !words.contains("SELECT") && !words.contains(&amount(sums()["Food"])));
}

#[tokio::test]
async fn a_run_that_is_stopped_keeps_what_was_finished() {
    let (home, session) = ready().await;
    home.says("found").says("- [ ] one\n- [ ] two\n");
    home.calls("c", "write_text_file", &json!({ "path": "one.md", "text": "1\n" })).says("done");
    let slow = Habits { hang_after: Some(2), ..Habits::default() };
    home.server.reply(Reply::text("this would take for ever and a day").with(slow));
    let mut told = home.home.workbench.events();
    let params = of_session(&session, json!({ "message": "Do both" }));
    let work = home.home.call("WorkshopSend", params);
    let stop = async {
        loop {
            let record = told.recv().await.unwrap();
            if matches!(record.event, Event::Session { what: SessionEvent::ItemStarted { item: 2, .. }, .. }) {
                return home.on("WorkshopCancel", &session, json!({})).await;
            }
        }
    };
    let (done, _) = tokio::join!(work, stop);
    let done = done.unwrap();
    assert_eq!(events(&done).last().unwrap(), "run_ended");
    assert_eq!(done["session"]["status"], "idle");
    assert_eq!(home.home.texts("draft").await["one.md"], "1\n");
    home.replays(&session).await;
}

#[tokio::test]
async fn a_draft_is_not_published_while_a_run_works_on_it() {
    let (home, session) = ready().await;
    home.says("found").says("- [ ] one\n- [ ] two\n");
    home.calls("c", "write_text_file", &json!({ "path": "one.md", "text": "1\n" })).says("done");
    let slow = Habits { hang_after: Some(2), ..Habits::default() };
    home.server.reply(Reply::text("this would take for ever and a day").with(slow));
    let mut told = home.home.workbench.events();
    let work = home.home.call("WorkshopSend", of_session(&session, json!({ "message": "Do both" })));
    let publish = async {
        loop {
            let record = told.recv().await.unwrap();
            if matches!(record.event, Event::Session { what: SessionEvent::ItemStarted { item: 2, .. }, .. }) {
                let refused = home.home.fails("DraftPublish", json!({ "workbench_id": ID })).await;
                home.on("WorkshopCancel", &session, json!({})).await;
                return refused;
            }
        }
    };
    let (done, refused) = tokio::join!(work, publish);
    done.unwrap();
    assert_eq!(refused.code(), Code::RunActive, "{refused}");
    assert_eq!(refused.info.detail.unwrap()["session_id"], session);
    assert!(home.home.texts("draft").await.contains_key("one.md"), "the Draft is as it was");
    let published = home.home.ok("DraftPublish", json!({ "workbench_id": ID })).await;
    assert_eq!(published["added"], json!(["one.md"]), "once the run has stopped");
}
