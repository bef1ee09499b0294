//! `jig ask` from the user's perspective.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use jig_fake_model::{Answer, FakeModel, Habits, Reply};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::terminal::typed;

pub(crate) const DEMO: [&str; 2] = ["--model", "offline:demo"];

pub(crate) fn with_bank() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("bank.csv", "day,category,amount\n1,Food,10.25\n2,Rent,800\n3,Food,4.75\n");
    let _ = environment.jig(&["new", "Deck"]).success();
    let _ = environment.jig(&["add", "bank.csv"]).success();
    environment
}

#[test]
fn a_task_is_done_without_a_key_and_reviewed() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = with_bank();
    let ran = environment.jig(&[&["ask", "Add up the bank's payments"][..], &DEMO].concat());
    for line in ["research", "plan", "  1/2 Group `bank.csv` by `category`", "  [x] Write `summary.md`", "summary"] {
        assert!(ran.stderr.contains(line), "{line}: {ran:?}");
    }
    assert!(ran.stderr.contains("✓") && ran.stderr.contains("jig publish") && ran.stderr.contains("tokens"), "{ran:?}");
    let out = ran.success();
    assert!(
        out.contains("the sums are in `summary.xlsx`") && out.contains("added") && out.contains("summary.md"),
        "{out}"
    );
    let note = environment.jig(&["read", "summary.md"]).success();
    assert!(note.contains("| Food | 15.0 | 2 |") || note.contains("| Food | 15 | 2 |"), "{note}");
    let review = environment.jig(&["review"]).success();
    assert!(review.contains("I grouped `bank.csv`") && review.contains("`jig session show"), "{review}");
    let plan = environment.home().join("workbenches/deck/meta/workshop/plan.md");
    assert_eq!(std::fs::read_to_string(plan).unwrap().matches("- [x]").count(), 2);
    let _ = environment.jig(&["publish", "--yes"]).success();
    let sessions = environment.jig(&["session", "list", "--json"]).json();
    let id = sessions["sessions"][0]["id"].as_str().unwrap();
    let replayed = environment.jig(&["session", "replay", id]).success();
    assert!(replayed.contains("identical"), "{replayed}");
    assert_eq!(environment.jig(&["egress"]).success(), "Nothing has been sent from this machine.\n");
    // The next question goes to the same session and changes nothing.
    let asked = environment.jig(&[&["ask", "What is there?", "--mode", "ask"][..], &DEMO].concat());
    assert!(!asked.stderr.contains("implement"), "{asked:?}");
    assert!(asked.success().contains("bank.csv"));
    let sessions = environment.jig(&["session", "list", "--json"]).json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    let _ = environment.jig(&[&["ask", "Again", "--mode", "ask", "--new"][..], &DEMO].concat()).success();
    let sessions = environment.jig(&["session", "list", "--json"]).json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2);
}

/// Damages a context item so that it cannot be read.
fn damage_situation(environment: &TestEnvironment) {
    let process = ["context", "process", "situation", "--text", "Deadline: Friday", "--model", "offline:extract"];
    let _ = environment.jig(&process).success();
    std::fs::write(environment.home().join("workbenches/deck/meta/context/situation/context.md"), "").unwrap();
}

const MISSING: &str = "Situation context could not be loaded. You may need to re-add it.";

#[test]
fn what_is_missing_from_the_prompt_is_a_note_on_standard_error() {
    let environment = with_bank();
    damage_situation(&environment);
    let asked = environment.jig(&[&["ask", "What is there?", "--mode", "ask"][..], &DEMO].concat());
    assert_eq!(asked.stderr.matches(&format!("note: {MISSING}")).count(), 1, "{asked:?}");
    // Without the SQL engine the run itself fails, but the note must still be there.
    assert!(!asked.stdout.contains(MISSING), "{asked:?}");
    let lines = environment.jig(&[&["ask", "And now?", "--mode", "ask", "--json"][..], &DEMO].concat()).stdout;
    assert!(lines.contains("prompt_noticed") && lines.contains(MISSING), "{lines}");
    let sessions = environment.jig(&["session", "list", "--json"]).json();
    let id = sessions["sessions"][0]["id"].as_str().unwrap();
    assert!(environment.jig(&["session", "get", id]).success().contains(MISSING));
    assert_eq!(environment.jig(&["session", "permissions", id]).success(), "No standing permissions and no rules.\n");
    let revoked = environment.jig(&["session", "revoke", id, "context.write"]);
    assert!(revoked.code != 0 && revoked.stderr.contains("no standing permission for `context.write`"), "{revoked:?}");
    let renamed = environment.jig(&["session", "configure", id, "--title", "What we have", "--max-tokens", "90000"]);
    assert!(renamed.success().contains(id));
    assert_eq!(environment.jig(&["session", "list", "--json"]).json()["sessions"][0]["title"], "What we have");
}

#[test]
fn a_server_warns_of_a_missing_item_in_one_line_for_each_call() {
    let environment = with_bank();
    damage_situation(&environment);
    let begin = json!({ "workbench_id": "deck", "message": "What is there?",
        "options": { "mode": "ask", "model": "offline:demo" } });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "WorkshopBegin", "params": begin });
    let mut child = environment
        .command()
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("{request}\n").as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let steps: Vec<&Value> = lines.iter().filter(|line| line["message"] == MISSING).map(|line| &line["step"]).collect();
    assert!(!steps.is_empty() && lines.iter().all(|line| line["level"] == "warn"), "{told}");
    let mut once: Vec<u64> = steps.iter().filter_map(|step| step.as_u64()).collect();
    once.dedup();
    assert_eq!(once.len(), steps.len(), "one for each call: {told}");
    assert_eq!(lines[0]["workbench"], "deck");
}

#[test]
fn a_program_gets_one_json_line_for_each_event_and_the_result() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = with_bank();
    let out = environment.jig(&[&["ask", "Add it up", "--json"][..], &DEMO].concat()).success();
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, events) = lines.split_last().unwrap();
    assert!(events.iter().all(|line| line["event"]["type"] == "session"), "{events:#?}");
    assert!(events.iter().any(|line| line["event"]["what"]["kind"] == "item_completed"));
    assert_eq!(last["type"], "result");
    assert_eq!(last["changes"].as_array().unwrap().len(), 2, "{last:#}");
}

#[test]
fn a_cap_makes_it_stand_still_and_resume_goes_on() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = with_bank();
    let stood = environment.jig(&[&["ask", "Add it up", "--max-tokens", "10"][..], &DEMO].concat());
    assert_ne!(stood.code, 0);
    assert!(stood.stderr.contains("BUDGET_CAP_REACHED") && stood.stderr.contains("jig ask --resume"), "{stood:?}");
    let busy = environment.jig(&[&["ask", "Something else"][..], &DEMO].concat());
    assert!(busy.stderr.contains("RUN_ACTIVE") && busy.stderr.contains("jig ask --resume"), "{busy:?}");
    let done = environment.jig(&["ask", "--resume", "--max-tokens", "1000000"]);
    assert!(done.stderr.contains("resuming run 1 at research"), "{done:?}");
    assert!(done.success().contains("summary.xlsx"));
    let nothing = environment.jig(&["ask", "--resume", "--json"]);
    assert_eq!(nothing.failure().1, "VALIDATION_FAILED");
}

#[test]
fn what_cannot_be_meant_is_said() {
    let environment = with_bank();
    assert_eq!(environment.jig(&["ask"]).code, 2);
    assert_eq!(environment.jig(&["ask", "x", "--resume"]).code, 2);
    assert_eq!(environment.jig(&["ask", "x", "--max-cost", "much"]).code, 2);
    let empty = environment.jig(&[&["ask", "  ", "--json"][..], &DEMO].concat());
    assert_eq!(empty.failure().1, "VALIDATION_FAILED");
    let nobody = environment.jig(&["ask", "x", "--session", "0190b6c2-7d3e-7000-8000-000000000001", "--json"]);
    assert_eq!(nobody.failure().1, "SESSION_NOT_FOUND");
    let none = environment.jig(&["ask", "x", "--json"]);
    assert_eq!(none.failure().1, "PROVIDER_NOT_CONFIGURED");
}

/// A model server with its own runtime, and an environment that uses it as OpenAI.
pub(crate) fn with_server() -> (tokio::runtime::Runtime, FakeModel, TestEnvironment) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(FakeModel::start()).unwrap();
    let mut environment = with_bank();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", server.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-0816-do-not-show");
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    (runtime, server, environment)
}

#[test]
fn in_a_terminal_consent_and_permission_are_asked() {
    let (_runtime, server, environment) = with_server();
    let input = json!({ "role": "brand", "data": { "name": "Acme" } });
    server.reply(Reply::answer(Answer::call("a", "entry_propose", &input))).reply(Reply::text("It is proposed."));
    let (code, seen) = typed(&environment, &["ask", "Note the name", "--mode", "direct"], "y\ny\n");
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("for this task?") && seen.contains("context.write"), "{seen}");
    assert!(seen.contains("It is proposed."), "{seen}");
    let proposals = environment.jig(&["entry", "list-proposals", "--json"]).json();
    assert_eq!(proposals["proposals"].as_array().unwrap().len(), 1, "a proposal and no write: {proposals:#}");
    assert_eq!(server.requests().len(), 2, "one yes for the whole task");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it_and_the_draft_keeps_what_was_finished() {
    let (_runtime, server, environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    server
        .reply(Reply::text("found"))
        .reply(Reply::text("- [ ] one\n- [ ] two\n"))
        .reply(Reply::answer(Answer::call("c", "write_text_file", &json!({ "path": "one.md", "text": "1\n" }))))
        .reply(Reply::text("done"))
        .reply(Reply::text("for ever and ever").with(Habits { hang_after: Some(2), ..Habits::default() }));
    let mut child =
        environment.command().args(["ask", "Do both"]).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let reached = lines.by_ref().map_while(Result::ok).any(|line| line.contains("2/2 two"));
    assert!(reached);
    std::thread::sleep(std::time::Duration::from_millis(500));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    let status = child.wait().unwrap();
    assert!(!status.success());
    let rest = rest.join("\n");
    assert!(rest.contains("USER_CANCELED") && rest.contains("the Draft keeps the completed changes"), "{rest}");
    assert!(environment.jig(&["read", "one.md"]).success().contains('1'));
    let sessions = environment.jig(&["session", "list", "--json"]).json();
    assert_eq!(sessions["sessions"][0]["status"], "idle");
}
