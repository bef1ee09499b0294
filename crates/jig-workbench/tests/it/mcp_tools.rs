//! Tools of external MCP servers: a real server, built with the official Python SDK, over stdio and HTTP.
//!
//! Runs where `JIG_TEST_PYTHON` names a Python with the package `mcp`; `cargo xtask test` sets it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jig_testkit::ID;
use jig_workbench::{McpServer, McpTool, McpWay, Secret};
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::{events, of_session, workspace};

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("JIG_TEST_PYTHON");
    if python.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "JIG_TEST_PYTHON must be set where CI is");
        println!("skipped: JIG_TEST_PYTHON is not set");
    }
    python.map(PathBuf::from)
}

fn script() -> String {
    format!("{}/tests/it/mcp_server.py", env!("CARGO_MANIFEST_DIR"))
}

/// A server with these tools; those that start with `+` are read-only.
fn server(way: McpWay, tools: &[&str]) -> McpServer {
    let tool = |tool: &&str| {
        let name = tool.trim_start_matches('+').to_owned();
        (name.clone(), McpTool { name, reads_only: tool.starts_with('+') })
    };
    let tools = tools.iter().map(tool).collect();
    McpServer { way, tools, timeout: Duration::from_secs(400), result_bytes: 100_000, why_not: None }
}

/// The script as a local program.
fn program(python: &Path, arguments: &[&str]) -> McpWay {
    McpWay::Program {
        program: python.to_owned(),
        arguments: [script()].into_iter().chain(arguments.iter().map(|text| (*text).to_owned())).collect(),
        environment: vec![("GIVEN".to_owned(), Secret::new("yes"))],
        folder: std::env::temp_dir(),
    }
}

/// A home whose agents may use the tools of these servers.
async fn home(servers: BTreeMap<String, McpServer>) -> ModelHome {
    let names: Vec<String> = servers.keys().map(|server| format!("mcp:{server}")).collect();
    let home = ModelHome::with(|config| config.mcp_servers = servers).await;
    home.agree(MODEL).await;
    for name in &names {
        home.agree(name).await;
    }
    home
}

/// Pushes a workspace whose catalog has these tools, with unrestricted input.
async fn show(home: &ModelHome, tools: &[&str]) {
    let files = workspace("WORDS", tools);
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": files, "delete": true })).await;
}

fn results(output: &Value) -> Vec<Value> {
    let all = output["events"].as_array().unwrap().iter().map(|record| record["event"].clone());
    all.filter(|event| matches!(event["type"].as_str(), Some("tool_finished" | "tool_refused"))).collect()
}

/// Why a call of a run is held.
fn held(output: &Value) -> String {
    let why = &output["run"]["suspended"];
    assert_eq!(why["why"], "tool_held", "{output:#}");
    why["code"].as_str().unwrap().to_owned()
}

fn allow() -> Value {
    json!({ "policy": [{ "capability": "mcp.*", "decision": "allow" }] })
}

#[tokio::test]
async fn a_person_is_asked_and_then_the_servers_tool_is_called_and_replay_needs_no_server() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let counted = folder.path().join("counted");
    let way = program(&python, &["stdio", counted.to_str().unwrap()]);
    let home = home([("calc".to_owned(), server(way, &["add"]))].into()).await;
    show(&home, &["calc__add", "calc__fails", "list_files"]).await;
    let session = home.session(json!({})).await;
    let shown = home.on("SessionGet", &session, json!({})).await;
    assert_eq!(shown["workspace"]["active"]["unbound"], json!(["calc__fails"]), "only what the settings name is bound");

    home.calls("a", "calc__add", &json!({ "a": 2, "b": 40 })).says("It is 42.");
    let asked = home.direct(&session, "add it up").await;
    assert_eq!(asked["questions"][0]["capability"], "mcp.calc.write.add");
    assert!(!counted.exists(), "nothing is called before a person said so");
    let question = asked["questions"][0]["question"].clone();
    let done = home.on("SessionPermit", &session, json!({ "question": question, "answer": "allow" })).await;
    let result = &results(&done)[0];
    assert!(result["outcome"]["text"].as_str().unwrap().contains("the sum is 42"), "{result:#}");
    assert!(result["outcome"]["blob"].is_string(), "the whole of it is kept");
    assert_eq!(std::fs::read_to_string(&counted).unwrap(), "2+40\n");
    assert!(home.server.requests().last().unwrap().json().to_string().contains("the sum is 42"));

    // A denied tool is never called.
    home.calls("b", "calc__add", &json!({ "a": 1, "b": 1 })).says("Well.");
    let asked = home.direct(&session, "again").await;
    let question = asked["questions"][0]["question"].clone();
    let done = home.on("SessionPermit", &session, json!({ "question": question, "answer": "deny" })).await;
    assert_eq!(results(&done)[0]["code"], "TOOL_NOT_PERMITTED");
    assert_eq!(std::fs::read_to_string(&counted).unwrap(), "2+40\n");

    std::fs::remove_file(&counted).unwrap();
    home.replays(&session).await;
    assert!(!counted.exists(), "a replay calls nobody");
}

#[tokio::test]
async fn a_tool_is_called_with_consent_for_its_server_and_each_call_is_in_the_egress_log() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let counted = folder.path().join("counted");
    let way = program(&python, &["stdio", counted.to_str().unwrap()]);
    let servers = [("calc".to_owned(), server(way, &["add"]))].into();
    let home = ModelHome::with(|config| config.mcp_servers = servers).await;
    home.agree(MODEL).await;
    show(&home, &["calc__add"]).await;
    let session = home.session(allow()).await;
    let call = json!({ "a": 2, "b": 40 });
    home.calls("a", "calc__add", &call).says("It is 42.");
    let paused = home.direct(&session, "add it up").await;
    assert_eq!(held(&paused), "EGRESS_CONSENT_REQUIRED", "consent for the model is none for the server: {paused:#}");
    assert!(!counted.exists(), "the program was not even started");
    let asked = home.server.requests().len();
    let refused = home.home.fails("WorkshopResume", of_session(&session, json!({}))).await;
    assert_eq!(refused.code(), jig_contract::Code::EgressConsentRequired);
    let scope = refused.info.detail.unwrap()["scope"].clone();
    assert_eq!((&scope["model_id"], &scope["input"]), (&json!("mcp:calc"), &json!("the arguments of the tool add")));
    let once = json!({ "workbench_id": ID, "model": "mcp:calc", "reach": "once", "scope_hash": scope["hash"] });

    // A one-time consent covers exactly these arguments, once. The run continues with the call without asking the model
    // again.
    home.home.ok("ConsentGrant", once.clone()).await;
    let done = home.on("WorkshopResume", &session, json!({})).await;
    assert!(results(&done)[0]["outcome"]["text"].as_str().unwrap().contains("the sum is 42"), "{done:#}");
    assert_eq!(home.server.requests().len(), asked + 1, "the answer to the result, and nothing else");
    assert_eq!((std::fs::read_to_string(&counted).unwrap().as_str(), &done["run"]), ("2+40\n", &Value::Null));
    let logged = home.home.plain("EgressList").await["events"].clone();
    let logged: Vec<&Value> = logged.as_array().unwrap().iter().filter(|one| one["model_id"] == "mcp:calc").collect();
    assert_eq!(logged.len(), 1, "what was held did not leave");
    assert_eq!((&logged[0]["purpose"], &logged[0]["outcome"]), (&json!("mcp.call add"), &json!("sent")));
    assert_eq!(logged[0]["scope_hash"], scope["hash"]);
    assert!(logged[0]["input_tokens"].as_u64().unwrap() > 0 && logged[0]["output_tokens"].as_u64().unwrap() > 0);

    // Different arguments make a different call, and so does repeating it. The agent gets declined calls as errors.
    home.home.ok("ConsentGrant", once).await;
    home.calls("b", "calc__add", &json!({ "a": 2, "b": 41 })).calls("c", "calc__add", &call).calls(
        "d",
        "calc__add",
        &call,
    );
    home.says("done");
    assert_eq!(held(&home.direct(&session, "again").await), "EGRESS_CONSENT_REQUIRED");
    let second = home.on("WorkshopResume", &session, json!({ "decline": true })).await;
    assert_eq!(results(&second)[0]["code"], "TOOL_NOT_PERMITTED", "{second:#}");
    assert_eq!(held(&second), "EGRESS_CONSENT_REQUIRED", "the one that was agreed to is made, the next one is held");
    let done = home.on("WorkshopResume", &session, json!({ "decline": true })).await;
    assert_eq!(done["run"], Value::Null, "{done:#}");
    assert_eq!(std::fs::read_to_string(&counted).unwrap(), "2+40\n2+40\n");
    // A stored consent covers the server with any arguments, until it is revoked.
    home.home.ok("ConsentGrant", json!({ "workbench_id": ID, "model": "mcp:calc", "reach": "kept" })).await;
    home.calls("e", "calc__add", &json!({ "a": 1, "b": 1 })).says("done");
    assert_eq!(results_of(&home.direct(&session, "more").await), "");
    home.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": "mcp:calc" })).await;
    home.calls("f", "calc__add", &json!({ "a": 1, "b": 1 })).says("done");
    assert_eq!(held(&home.direct(&session, "more").await), "EGRESS_CONSENT_REQUIRED");
    home.server.forget();
    home.on("WorkshopCancel", &session, json!({})).await;
    home.replays(&session).await;
    for unknown in ["mcp:other", "mcp:"] {
        let params = json!({ "workbench_id": ID, "model": unknown, "reach": "all" });
        home.home.fails_with(jig_contract::Code::ValidationFailed, "ConsentGrant", params).await;
    }
}

#[tokio::test]
async fn a_likely_key_is_not_given_to_a_server() {
    let Some(python) = python() else { return };
    let home = home([("calc".to_owned(), server(program(&python, &["stdio"]), &["environment"]))].into()).await;
    show(&home, &["calc__environment"]).await;
    let session = home.session(allow()).await;
    let key = format!("ghp_{}", "9fK2xQ7LmZ4TbW8cVnR1sYdH6uJpGe3aXo5i");
    for input in [json!({ "header": key }), json!({ "deep": [{ "password": "w8Zk2!fQx9Lm4" }] })] {
        home.calls("a", "calc__environment", &input).says("well");
        let done = home.direct(&session, "go").await;
        assert_eq!(results_of(&done), "SECRET_DETECTED", "{done:#}");
        home.server.forget();
        home.on("WorkshopCancel", &session, json!({})).await;
    }
    let logged = home.home.plain("EgressList").await["events"].clone();
    assert!(logged.as_array().unwrap().iter().all(|one| one["model_id"] != "mcp:calc"), "{logged:#}");
}

#[tokio::test]
async fn an_answer_for_a_reading_tool_says_nothing_about_a_writing_one() {
    let Some(python) = python() else { return };
    let way = program(&python, &["stdio"]);
    let home = home([("calc".to_owned(), server(way, &["+add", "large", "fails"]))].into()).await;
    show(&home, &["calc__add", "calc__large", "calc__fails"]).await;
    for reach in ["run", "session"] {
        let session = home.session(json!({})).await;
        home.calls("a", "calc__add", &json!({ "a": 1, "b": 2 }));
        let asked = home.direct(&session, "go").await;
        assert_eq!(asked["questions"][0]["capability"], "mcp.calc.read.add");
        let question = asked["questions"][0]["question"].clone();
        home.calls("b", "calc__add", &json!({ "a": 3, "b": 2 })).calls("c", "calc__large", &json!({ "size": 3 }));
        let permit = json!({ "question": question, "answer": "allow", "reach": reach });
        let asked = home.on("SessionPermit", &session, permit).await;
        assert_eq!(results(&asked).len(), 2, "the same tool is not asked about again");
        assert_eq!(asked["questions"][0]["capability"], "mcp.calc.write.large", "{reach}: the writing one is");
        home.on("WorkshopCancel", &session, json!({})).await;
    }
    // Permission for one write tool does not cover another.
    let session = home.session(json!({ "policy": [{ "capability": "mcp.calc.read", "decision": "allow" }] })).await;
    home.calls("a", "calc__add", &json!({ "a": 1, "b": 2 })).calls("b", "calc__large", &json!({ "size": 3 }));
    let asked = home.direct(&session, "go").await;
    let question = asked["questions"][0]["question"].clone();
    home.calls("c", "calc__fails", &json!({}));
    let permit = json!({ "question": question, "answer": "allow", "reach": "session" });
    let asked = home.on("SessionPermit", &session, permit).await;
    assert_eq!(asked["questions"][0]["capability"], "mcp.calc.write.fails");
}

#[tokio::test]
async fn a_rule_that_could_never_apply_is_refused_with_the_near_name() {
    let home = home(
        [(
            "github".to_owned(),
            server(McpWay::Address { url: "http://127.0.0.1:1/mcp".to_owned(), bearer: None }, &["+search", "create"]),
        )]
        .into(),
    )
    .await;
    for (capability, near) in [
        ("mcp.gihtub", Some("github")),
        ("mcp.gihtub.read", Some("github")),
        ("mcp.github.reed", Some("read")),
        ("mcp.github.read.serach", Some("search")),
        ("mcp.github.read.create", None),
        ("mcp.gihtub.*", Some("github")),
        ("files.wirte", Some("files.write")),
        ("flies.*", None),
        ("mcp.", None),
    ] {
        let params = json!({ "workbench_id": ID, "policy": [{ "capability": capability, "decision": "allow" }] });
        let error = home.home.fails_with(jig_contract::Code::ValidationFailed, "SessionCreate", params).await;
        if let Some(near) = near {
            assert!(
                error.info.suggestions.iter().any(|name| name == near),
                "{capability}: {:?}",
                error.info.suggestions
            );
        }
    }
    for capability in
        ["*", "mcp.*", "mcp.github", "mcp.github.read", "mcp.github.write.create", "files.*", "files.read"]
    {
        home.session(json!({ "policy": [{ "capability": capability, "decision": "allow" }] })).await;
    }
}

#[tokio::test]
async fn phases_that_only_read_call_what_a_person_says_only_reads() {
    let Some(python) = python() else { return };
    let way = program(&python, &["stdio"]);
    let home = home([("calc".to_owned(), server(way, &["+add", "large"]))].into()).await;
    show(&home, &["calc__add", "calc__large"]).await;
    let session = home.session(allow()).await;
    home.calls("a", "calc__large", &json!({ "size": 3 })).calls("b", "calc__add", &json!({ "a": 1, "b": 2 })).says("3");
    let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": { "mode": "ask" } })).await;
    let results = results(&done);
    assert_eq!(results[0]["code"], "TOOL_NOT_PERMITTED", "{results:#?}");
    assert!(results[1]["outcome"]["text"].as_str().unwrap().contains("the sum is 3"), "{results:#?}");
    home.replays(&session).await;
}

#[tokio::test]
async fn whatever_a_server_does_the_call_has_one_result_and_the_run_goes_on() {
    let Some(python) = python() else { return };
    let tools = ["add", "fails", "large", "dies", "environment", "drops", "missing"];
    let home = home([("calc".to_owned(), server(program(&python, &["stdio"]), &tools))].into()).await;
    let named: Vec<String> = tools.iter().map(|tool| format!("calc__{tool}")).collect();
    show(&home, &named.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let session = home.session(allow()).await;
    home.calls("a", "calc__fails", &json!({}))
        .calls("b", "calc__add", &json!({ "a": "two", "b": 1 }))
        .calls("c", "calc__missing", &json!({}))
        .calls("d", "calc__large", &json!({ "size": 20_000 }))
        .calls("e", "calc__large", &json!({ "size": 300_000 }))
        .calls("f", "calc__large", &json!({ "size": 3_000_000 }))
        .calls("g", "calc__dies", &json!({}))
        .calls("h", "calc__environment", &json!({}))
        .calls("i", "calc__drops", &json!({ "name": "add" }))
        .calls("j", "calc__add", &json!({ "a": 1, "b": 1 }))
        .says("done");
    let done = home.direct(&session, "go").await;
    assert_eq!(events(&done).last().unwrap(), "run_ended");
    let results = results(&done);
    let codes: Vec<&str> = results.iter().map(|one| one["outcome"]["failed"].as_str().unwrap_or("")).collect();
    assert_eq!(
        codes,
        [
            "MCP_TOOL_FAILED",
            "INVALID_PARAMS",
            "TOOL_NOT_BOUND",
            "",
            "LIMIT_EXCEEDED",
            "LIMIT_EXCEEDED",
            "MCP_SERVER_UNAVAILABLE",
            "",
            "",
            "MCP_TOOL_FAILED",
        ],
        "{results:#?}"
    );
    let text = |at: usize| results[at]["outcome"]["text"].as_str().unwrap();
    assert!(text(0).contains("the disk is full"));
    assert!(text(2).contains("has no tool `missing`") && text(2).contains("add"));
    assert!(text(3).len() <= 8 * 1_024 && text(3).contains("recall_tool_result"), "{}", text(3).len());
    assert!(text(5).contains("sends more than 100000 bytes"));
    assert!(text(6).contains("out of memory, good bye"), "{}", text(6));
    // A new server process was started, and does not see Jig's own variables.
    assert!(text(7).contains("GIVEN") && !text(7).contains("JIG_") && !text(7).contains("CARGO"), "{}", text(7));
    home.replays(&session).await;
}

#[tokio::test]
async fn a_server_that_wants_another_input_than_the_descriptor_says_is_not_asked() {
    let Some(python) = python() else { return };
    let home = home([("calc".to_owned(), server(program(&python, &["other"]), &["add"]))].into()).await;
    show(&home, &["calc__add"]).await;
    let session = home.session(allow()).await;
    home.calls("a", "calc__add", &json!({ "a": 1, "b": 2 })).says("no");
    let done = home.direct(&session, "go").await;
    let result = &results(&done)[0]["outcome"];
    assert_eq!(result["failed"], "INVALID_PARAMS", "{result:#}");
    assert!(result["text"].as_str().unwrap().contains("left"), "{result:#}");
}

#[tokio::test]
async fn servers_that_are_silent_noisy_or_not_there_are_told_and_hold_up_nothing() {
    let Some(python) = python() else { return };
    let quick = |way| McpServer { timeout: Duration::from_secs(5), ..server(way, &["add"]) };
    let nowhere = McpWay::Address { url: "http://127.0.0.1:9/mcp".to_owned(), bearer: None };
    let none = McpWay::Program {
        program: "no-such-program-here".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
        folder: std::env::temp_dir(),
    };
    let unset = McpServer { why_not: Some("the variable TOKEN is not set".to_owned()), ..quick(nowhere.clone()) };
    let servers = [
        ("silent", quick(program(&python, &["silent"]))),
        ("noisy", quick(program(&python, &["noise"]))),
        ("none", quick(none)),
        ("nowhere", quick(nowhere)),
        ("unset", unset),
    ];
    let names: Vec<String> = servers.iter().map(|(name, _)| format!("{name}__add")).collect();
    let home = home(servers.into_iter().map(|(name, server)| (name.to_owned(), server)).collect()).await;
    show(&home, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let session = home.session(allow()).await;
    for name in &names {
        home.calls(name, name, &json!({}));
    }
    home.says("none of them");
    let done = home.direct(&session, "go").await;
    for (name, result) in names.iter().zip(results(&done)) {
        assert_eq!(result["outcome"]["failed"], "MCP_SERVER_UNAVAILABLE", "{name}: {result:#}");
    }
    assert_eq!(events(&done).last().unwrap(), "run_ended");
}

/// An HTTP server that is stopped on drop.
struct Http {
    child: Child,
    url: String,
}

impl Http {
    fn start(python: &Path, folder: &Path, arguments: &[&str]) -> Self {
        let file = folder.join("port");
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new(python);
        command.arg(script()).arg("http").arg(&file).args(arguments);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut started = Self { child, url: String::new() };
        while started.child.try_wait().unwrap().is_none() {
            let port = std::fs::read_to_string(&file).ok().and_then(|port| port.parse::<u16>().ok());
            if let Some(port) = port.filter(|port| std::net::TcpStream::connect(("127.0.0.1", *port)).is_ok()) {
                started.url = format!("http://127.0.0.1:{port}/mcp");
                return started;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not start");
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn the_same_goes_over_http_with_events_and_with_plain_answers() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&[][..], &["json"][..]] {
        let http = Http::start(&python, folder.path(), arguments);
        let way = McpWay::Address { url: http.url.clone(), bearer: Some(Secret::new("let-me-in")) };
        let home = home([("far".to_owned(), server(way, &["add", "large", "fails"]))].into()).await;
        show(&home, &["far__add", "far__large", "far__fails"]).await;
        let session = home.session(allow()).await;
        home.calls("a", "far__add", &json!({ "a": 20, "b": 3 }))
            .calls("b", "far__fails", &json!({}))
            .calls("c", "far__large", &json!({ "size": 3_000_000 }))
            .calls("d", "far__add", &json!({ "a": 20, "b": 4 }))
            .says("done");
        let done = home.direct(&session, "go").await;
        let results = results(&done);
        assert!(results[0]["outcome"]["text"].as_str().unwrap().contains("the sum is 23"), "{results:#?}");
        assert_eq!(results[1]["outcome"]["failed"], "MCP_TOOL_FAILED");
        assert_eq!(results[2]["outcome"]["failed"], "LIMIT_EXCEEDED", "{:#}", results[2]);
        assert!(results[3]["outcome"]["text"].as_str().unwrap().contains("the sum is 24"), "{results:#?}");

        // The server disappears; the log stays replayable.
        drop(http);
        home.calls("e", "far__add", &json!({ "a": 1, "b": 1 })).says("gone");
        let done = home.direct(&session, "again").await;
        assert_eq!(results_of(&done), "MCP_SERVER_UNAVAILABLE");
        home.replays(&session).await;
    }
}

fn results_of(output: &Value) -> String {
    results(output)[0]["outcome"]["failed"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_call_of_a_server_ends_when_the_run_is_stopped() {
    let Some(python) = python() else { return };
    let home = home([("calc".to_owned(), server(program(&python, &["stdio"]), &["sleeps"]))].into()).await;
    show(&home, &["calc__sleeps"]).await;
    let session = home.session(allow()).await;
    home.calls("a", "calc__sleeps", &json!({})).says("never");
    let (workbench, id) = (home.home.workbench.clone(), session.clone());
    let stop = tokio::spawn(async move {
        let person = || jig_workbench::CallContext::new(jig_contract::Actor::person());
        loop {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let shown = workbench.call("SessionGet", person(), of_session(&id, json!({}))).await.unwrap();
            if shown["session"]["records"].as_u64().unwrap() >= 12 && shown["session"]["status"] == "running" {
                let stopped = workbench.call("WorkshopCancel", person(), of_session(&id, json!({}))).await;
                if stopped.is_ok() {
                    return;
                }
            }
        }
    });
    let done = home.direct(&session, "go").await;
    stop.await.unwrap();
    assert_eq!(done["session"]["status"], "idle", "{done:#}");
    home.replays(&session).await;
}
