//! The web app in a real browser: Chromium, driven by real clicks and keys.
//!
//! Runs where `JIG_TEST_PYTHON` names a Python with Playwright and `JIG_TEST_CHROMIUM` the browser; `cargo xtask test`
//! sets both. Screenshots are stored under the build folder's `tmp/web`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jig_fake_model::{Answer, FakeModel, Refusal, Reply};
use serde_json::json;

use crate::environment::TestEnvironment;
use crate::http_process::Http;

struct Tools {
    python: std::ffi::OsString,
    chromium: PathBuf,
}

fn tools() -> Option<Tools> {
    let find = |name: &str| {
        let found = std::env::var_os(name);
        if found.is_none() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{name} must be set where CI is");
            println!("skipped: {name} is not set");
        }
        found
    };
    let python = find("JIG_TEST_PYTHON")?;
    // Debian's path, unless the variable names another.
    let usual = Path::new("/usr/bin/chromium");
    let chromium = match std::env::var_os("JIG_TEST_CHROMIUM") {
        None if usual.exists() => usual.to_owned(),
        _ => find("JIG_TEST_CHROMIUM")?.into(),
    };
    Some(Tools { python, chromium })
}

/// Runs a script against a server.
fn drive(tools: &Tools, http: &Http, script: &str, more: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/web");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web").join(script);
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/files");
    let output = Command::new(&tools.python)
        .arg(folder.join(format!("{script}.py")))
        .arg(format!("http://{}", http.address))
        .args([&out, &tools.chromium, &demo])
        .args(more)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("JIG_TEST_START_TOKEN", http.start.as_deref().unwrap_or_default())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}\npictures: {}", out.display());
    assert!(said.trim_end().ends_with("all is well"), "{said}\n{complained}");
}

fn company() -> Reply {
    let skill = "---\nname: \"company-context\"\ndescription: \"Who the company is, for every document.\"\n---\n\n\
                 # Company\n\nSee [summary](references/summary.md).\n";
    let files = json!({ "files": [
        { "path": "SKILL.md", "content": skill },
        { "path": "references/summary.md", "content": "- Rents and mends bicycles\n- Customers: couriers\n" },
    ] });
    Reply::text(files.to_string())
}

fn says(text: &str) -> Reply {
    Reply::text(text)
}

fn calls(id: &str, tool: &str, input: &serde_json::Value) -> Reply {
    Reply::answer(Answer::call(id, tool, input))
}

/// A run in phases with two items, slow enough to be watched, followed by an answer to a comment.
fn at_work() -> Vec<Reply> {
    let values = json!({ "path": "budget.xlsx", "ops": [{ "op": "set_range", "sheet": "Budget", "start": "B3", "values": [[1234], [99]] }] });
    let notes = json!({ "path": "notes.txt", "text": "Only this is left.\n" });
    let slow = |reply: Reply| reply.after(Duration::from_millis(400));
    vec![
        calls("a", "list_files", &json!({})),
        slow(says("There is a budget, and there are notes.")),
        slow(says("- [ ] Set B3 and B4\n- [ ] Shorten notes.txt")),
        slow(calls("b", "xlsx_operations", &values)),
        slow(says("Both are set.")),
        slow(calls("c", "write_text_file", &notes)),
        slow(says("It is short now.")),
        slow(says("Two files are changed.\n\n- `budget.xlsx`\n- `notes.txt`")),
        says("Jo was there when it was said."),
        says("Nothing is to be done."),
    ]
}

#[test]
fn web_a_person_goes_all_the_way() {
    let Some(tools) = tools() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    model.reply(Reply::refuse(Refusal::Server)).reply(company().after(Duration::from_millis(1_500)));
    let work = at_work();
    let asked = 2 + work.len();
    for reply in work {
        model.reply(reply);
    }
    let mut environment = TestEnvironment::new();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-0815-do-not-show");
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    let http = Http::start(&environment);
    drive(&tools, &http, "journey", &[]);
    assert_eq!(model.requests().len(), asked, "one that failed, one that answered, and the agent's");
    assert_eq!(http.finish(), 0);
}

#[test]
fn web_an_agent_is_asked_stopped_resumed_and_looked_into() {
    let Some(tools) = tools() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    let write = |name: &str| calls(name, "write_text_file", &json!({ "path": format!("{name}.txt"), "text": "x\n" }));
    for reply in [
        // A call that a person permits, and one that they deny.
        write("first"),
        says("Written, since you allowed it."),
        write("second"),
        says("Then not."),
        // A run that is cancelled during a model call.
        says("Never seen.").after(Duration::from_secs(60)),
        // A model that fails first and answers the retry.
        Reply::refuse(Refusal::Key),
        says("Here I am again."),
        // The same answer, regenerated.
        says("Said in other words."),
        // A run that is watched on the screen of its session.
        calls("look", "list_files", &json!({})).after(Duration::from_millis(1_500)),
        says("Seen while it happened.").after(Duration::from_secs(3)),
        // A recipe run, which is watched as well.
        says(&json!({ "topics": ["Cargo bikes"], "schedule": ["Monday"], "hooks": ["Why wait?"] }).to_string())
            .after(Duration::from_secs(3)),
    ] {
        model.reply(reply);
    }
    let mut environment = TestEnvironment::new();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-0815-do-not-show");
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    let http = Http::start(&environment);
    drive(&tools, &http, "agent", &[]);
    assert_eq!(http.finish(), 0);
}

#[test]
fn web_every_screen_reads_well_in_light_and_dark_wide_and_narrow() {
    let Some(tools) = tools() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    for reply in [
        calls("a", "list_files", &json!({})),
        calls("b", "read_file", &json!({ "path": "nothing.txt" })),
        says("The budget and the notes have it."),
        says("- [ ] Write figures.md\n- [ ] Check it against the bank export"),
        calls(
            "c",
            "write_text_file",
            &json!({ "path": "figures.md", "text": "# Figures\n\nBike sales: £11,980 short.\n" }),
        ),
        says("Written."),
        says("FAILED: the bank export names no shop"),
        says("FAILED: the bank export names no shop"),
        says(
            "**Bike sales** are £11,980 short of the plan: cargo models came four weeks late.\n\n| figure | plan | short by |\n|---|---:|---:|\n| Bike sales | £45,750 | £11,980 |\n\nIt is in `figures.md`.",
        ),
    ] {
        model.reply(reply);
    }
    let mut environment = TestEnvironment::new();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-0815-do-not-show");
    let http = Http::start(&environment);
    drive(&tools, &http, "screens", &[]);
    assert_eq!(http.finish(), 0);
}

#[test]
fn web_hostile_content_other_sites_and_tokens() {
    let Some(tools) = tools() else { return };
    let environment = TestEnvironment::new();
    let http = Http::start(&environment);
    drive(&tools, &http, "safety", &[]);
    assert_eq!(http.finish(), 0);
}

#[test]
fn web_the_keyboard_alone_is_enough() {
    let Some(tools) = tools() else { return };
    let environment = TestEnvironment::new();
    let http = Http::start(&environment);
    drive(&tools, &http, "keys", &[]);
    assert_eq!(http.finish(), 0);
}

#[test]
fn web_consent_likely_keys_and_a_draft_that_a_run_works_on() {
    let Some(tools) = tools() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    let write = |name: &str| calls(name, "write_text_file", &json!({ "path": format!("{name}.txt"), "text": "x\n" }));
    for reply in [
        says("The first answer."),
        says("The second answer."),
        says("The third answer."),
        says("With the key."),
        // A run that has written a file and continues for a while.
        write("report"),
        says("It is written.").after(Duration::from_secs(8)),
        // A run that a person cancels.
        write("more"),
        says("Never seen.").after(Duration::from_secs(120)),
    ] {
        model.reply(reply);
    }
    let mut environment = TestEnvironment::new();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-0815-do-not-show");
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    let http = Http::start(&environment);
    drive(&tools, &http, "consents", &[]);
    assert_eq!(http.finish(), 0);
}
