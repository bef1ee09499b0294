//! The SQL engine as a separate program: killed, replaced, removed, with the wrong version, and restored.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;
use crate::worker::{Worker, children, signal};

/// Runs far longer than any test waits, with little memory.
const ENDLESS: &str = "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c \
                       WHERE (a.range + b.range * c.range) % 7 = 3";

/// The engine that was built next to `jig`.
fn built() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_jig")).with_file_name("jig-sql")
}

/// Starts the program with its engine at `engine`, and adds `bank.csv` and `notes.txt`.
fn start(engine: &Path) -> (TestEnvironment, Rpc) {
    let mut environment = TestEnvironment::with_notes();
    environment.write("bank.csv", "day,amount\n2024-01-05,10.50\n2024-01-06,-3.25\n");
    environment.jig(&["add", "bank.csv"]).success();
    environment.set("JIG_TABLES_ENGINE", engine.to_str().unwrap());
    environment.set("JIG_TABLES_TIMEOUT_MS", "120000");
    let rpc = Rpc::start(&environment);
    (environment, rpc)
}

fn query(rpc: &mut Rpc, sql: &str) -> Result<Value, Value> {
    rpc.call("TabularQuery", json!({ "workbench_id": "deck", "path": "bank.csv", "query": sql }))
        .map(|it| it["rows"].clone())
}

fn sum(rpc: &mut Rpc) -> Result<Value, Value> {
    query(rpc, "SELECT sum(amount) FROM data")
}

/// The engine processes below another process.
fn engines(of: u32) -> Vec<u32> {
    let is_engine = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).next().is_some_and(|program| program.ends_with(b"jig-sql"))
    };
    children(of).into_iter().filter(is_engine).collect()
}

/// Waits until a process appears or exits.
#[track_caller]
fn until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "it took too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(engine: u32) {
    signal(engine, Signal::KILL);
    // A zombie has no memory, and its executable cannot be read.
    until(|| std::fs::read_link(format!("/proc/{engine}/exe")).is_err());
}

/// Kills the engine below a process during a call. The call is retried once with a new engine, in case the old one died
/// before the call; the new one is killed too.
fn kill_twice(below: u32, engine: u32) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        kill(engine);
        until(|| engines(below).iter().any(|pid| *pid != engine));
        std::thread::sleep(Duration::from_millis(300));
        engines(below).into_iter().for_each(kill);
    })
}

/// Everything except SQL works.
#[track_caller]
fn reads_text(rpc: &mut Rpc) {
    let read = rpc.call("FileRead", json!({ "workbench_id": "deck", "path": "notes.txt" })).unwrap();
    assert!(read["text"].as_str().unwrap().contains("two"), "{read}");
}

#[track_caller]
fn is_unavailable(error: &Value, words: &str) {
    assert_eq!(error["error_code"], "TOOL_WORKER_UNAVAILABLE", "{error}");
    assert!(error["message"].as_str().unwrap().contains(words), "{error}");
}

#[test]
fn an_engine_that_is_killed_between_calls_is_started_again() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (_environment, mut rpc) = start(&built());
    assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
    for _ in 0..3 {
        let [engine] = engines(rpc.id())[..] else { panic!("one engine is running") };
        kill(engine);
        assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
    }
    assert_eq!(rpc.finish(), 0);
}

#[test]
fn an_engine_that_is_killed_during_a_call_fails_that_call_alone() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let (_environment, mut rpc) = start(&built());
    assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
    let [engine] = engines(rpc.id())[..] else { panic!("one engine is running") };
    let killer = kill_twice(rpc.id(), engine);
    let error = query(&mut rpc, ENDLESS).unwrap_err();
    killer.join().unwrap();
    is_unavailable(&error, "ended early");
    reads_text(&mut rpc);
    assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
}

#[test]
fn an_engine_that_is_removed_is_missed_clearly_and_used_when_it_is_back() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("jig-sql");
    let (environment, mut rpc) = start(&place);
    for _ in 0..2 {
        let error = sum(&mut rpc).unwrap_err();
        is_unavailable(&error, "the SQL engine is not installed");
        assert!(!error.to_string().contains(folder.path().to_str().unwrap()), "a path of the host: {error}");
        reads_text(&mut rpc);
        std::fs::copy(built(), &place).unwrap();
        assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
        std::fs::remove_file(&place).unwrap();
        engines(rpc.id()).into_iter().for_each(kill);
    }
    // The commands report the same, with a hint.
    let ran = environment.jig(&["query", "bank.csv", "SELECT 1"]);
    assert!(ran.code != 0 && ran.stderr.contains("hint: install Jig again"), "{ran:?}");
    assert!(environment.jig(&["files"]).success().contains("bank.csv"));
}

#[test]
fn what_is_not_the_engine_fails_clearly() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("jig-sql");
    let (_environment, mut rpc) = start(&place);
    let mut put = |script: &str| {
        std::fs::write(&place, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
        let error = sum(&mut rpc).unwrap_err();
        reads_text(&mut rpc);
        error
    };
    for script in ["exit 3", "echo hello", "read line; echo '{\"id\":1}'", "kill -SEGV $$"] {
        is_unavailable(&put(script), "the SQL engine could not be started");
    }
    let other =
        r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"version":"0.0.7","isolation":{}}}'; cat >/dev/null"#;
    is_unavailable(&put(other), "it is version 0.0.7, and `jig` is ");
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o644)).unwrap();
    is_unavailable(&sum(&mut rpc).unwrap_err(), "the SQL engine could not be started");
    std::fs::remove_file(&place).unwrap();
    std::fs::copy(built(), &place).unwrap();
    assert_eq!(sum(&mut rpc).unwrap(), json!([[7.25]]));
}

#[test]
fn a_confined_worker_has_its_engine_started_again_too() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut worker = Worker::start_with("JIG_WORKBENCHES_DIR", &[("JIG_TABLES_TIMEOUT_MS", "120000")]);
    std::fs::write(worker.place("draft", "a.csv"), "n\n1\n2\n").unwrap();
    std::fs::write(worker.place("draft", "a.txt"), "one\n").unwrap();
    let sum = |worker: &mut Worker| {
        worker.ok("TabularQuery", json!({ "path": "a.csv", "query": "SELECT sum(n) FROM data" }))["rows"].clone()
    };
    // The engine is not started before a call needs it.
    worker.ok("TextGetMap", json!({ "path": "a.txt" }));
    let [relay] = children(worker.child.id())[..] else { panic!("one relay is running") };
    assert!(engines(relay).is_empty());
    assert_eq!(sum(&mut worker), json!([[3]]));
    let [engine] = engines(relay)[..] else { panic!("one engine is running") };
    kill(engine);
    assert_eq!(sum(&mut worker), json!([[3]]));
    let [engine] = engines(relay)[..] else { panic!("one engine is running") };
    let killer = kill_twice(relay, engine);
    let (code, message) = worker.fails("TabularQuery", json!({ "path": "a.csv", "query": ENDLESS }));
    killer.join().unwrap();
    assert_eq!((code.as_str(), message.contains("stopped during this call")), ("TOOL_WORKER_UNAVAILABLE", true));
    worker.ok("TextGetMap", json!({ "path": "a.txt" }));
    assert_eq!(sum(&mut worker), json!([[3]]));
    // Nothing of it must be left running.
    let below: Vec<u32> = engines(relay).into_iter().chain([relay]).collect();
    drop(worker);
    until(|| below.iter().all(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).is_err()));
}

#[test]
fn a_worker_without_an_engine_works_on_files() {
    let mut worker = Worker::start_with("JIG_WORKBENCHES_DIR", &[("JIG_TABLES_ENGINE", "/nowhere/jig-sql")]);
    std::fs::write(worker.place("draft", "a.csv"), "n\n1\n").unwrap();
    for _ in 0..2 {
        let (code, message) = worker.fails("TabularGetMap", json!({ "path": "a.csv" }));
        assert_eq!(code, "TOOL_WORKER_UNAVAILABLE");
        assert!(message.contains("not installed") && message.contains("tables.engine"), "{message}");
        worker.ok("TextGetMap", json!({ "path": "a.csv" }));
    }
}

#[test]
fn the_demo_needs_the_engine_before_it_creates_anything() {
    let mut environment = TestEnvironment::new();
    environment.set("JIG_TABLES_ENGINE", "/nowhere/jig-sql");
    let home = environment.work().join("demo-home");
    let ran = environment.jig(&["demo", "--home", home.to_str().unwrap()]);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(ran.stderr.contains("the demo needs the SQL engine") && ran.stderr.contains("hint: "), "{ran:?}");
    assert!(!home.exists());
    assert_eq!(std::fs::read_dir(environment.work().join("../tmp")).unwrap().count(), 0);
}
