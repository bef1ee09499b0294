//! Workers under attack and under load, and a system that cannot confine them.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;
use crate::worker::Worker;

fn timed_out(message: &str) {
    assert!(message.contains("timed out"), "{message}");
}

/// Functions that do not check for interrupts while they run.
const ENDLESS: [&str; 3] = [
    "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))",
    "SELECT damerau_levenshtein(repeat('ab', 200000), repeat('ba', 200000))",
    "SELECT sum(a.range * b.range * c.range) FROM range(1000000) a, range(1000000) b, range(1000000) c",
];

#[test]
fn a_query_ends_with_its_time_and_the_worker_goes_on() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut worker = Worker::start_with("JIG_WORKBENCHES_DIR", &[("JIG_TABLES_TIMEOUT_MS", "300")]);
    std::fs::write(worker.place("draft", "n.csv"), "n\n1\n2\n").unwrap();
    for query in ENDLESS {
        timed_out(&worker.fails("TabularQuery", json!({ "path": "n.csv", "query": query })).1);
        let sum = worker.ok("TabularQuery", json!({ "path": "n.csv", "query": "SELECT sum(n) FROM data" }));
        assert_eq!(sum["rows"], json!([[3]]), "{query}");
    }
}

#[test]
fn a_query_of_one_caller_does_not_keep_others_waiting() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut environment = TestEnvironment::new();
    environment.set("JIG_TABLES_TIMEOUT_MS", "300");
    let mut rpc = Rpc::start(&environment);
    rpc.call("WorkbenchCreate", json!({ "name": "Deck" })).unwrap();
    let path = environment.write("n.csv", "n\n1\n2\n");
    rpc.call("FileAdd", json!({ "workbench_id": "deck", "paths": [path] })).unwrap();
    for query in ENDLESS {
        let error = rpc.call("TabularQuery", json!({ "workbench_id": "deck", "path": "n.csv", "query": query }));
        timed_out(&error.unwrap_err().to_string());
        let sum = json!({ "workbench_id": "deck", "path": "n.csv", "query": "SELECT sum(n) FROM data" });
        assert_eq!(rpc.call("TabularQuery", sum).unwrap()["rows"], json!([[3]]), "{query}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_table_call_is_answered_after_the_kernel_dropped_its_caches() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    std::fs::write(worker.place("draft", "n.csv"), "n,t\n1,2024-01-31\n2,2024-02-29\n").unwrap();
    let calls = [
        ("TabularGetMap", json!({ "path": "n.csv" })),
        ("TabularDescribe", json!({ "path": "n.csv" })),
        ("TabularQuery", json!({ "path": "n.csv", "query": "SELECT sum(n), max(t) FROM data" })),
        ("TabularReadRows", json!({ "path": "n.csv" })),
        ("TabularGetStats", json!({ "path": "n.csv" })),
        ("TabularExport", json!({ "path": "n.csv", "target_path": "out.csv", "query": "SELECT * FROM data" })),
    ];
    for round in 0..3 {
        for (method, params) in &calls {
            if std::fs::write("/proc/sys/vm/drop_caches", "2").is_err() {
                println!("skipped: dropping the kernel's caches needs root");
                return;
            }
            let answer = worker.call(method, params.clone());
            // A call with an unknown method is answered too, and none may crash the engine.
            let text = answer.to_string();
            assert!(
                !text.contains("SQL engine stopped") && !text.contains("TOOL_WORKER_UNAVAILABLE"),
                "{round} {method}: {text}"
            );
        }
    }
    let sum = worker.ok("TabularQuery", json!({ "path": "n.csv", "query": "SELECT sum(n) FROM data" }));
    assert_eq!(sum["rows"], json!([[3]]));
}

#[test]
fn what_is_not_a_regular_file_is_refused_without_waiting_for_it() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    for name in ["pipe.xlsx", "pipe.csv", "pipe.txt", "pipe.pdf"] {
        mknodat(CWD, worker.place("draft", name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
    std::fs::create_dir(worker.place("draft", "folder.docx")).unwrap();
    let socket = worker.place("draft", "socket.png");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let calls = [
        ("XlsxGetMap", "pipe.xlsx"),
        ("TextGetMap", "pipe.txt"),
        ("PdfGetMap", "pipe.pdf"),
        ("DocxGetMap", "folder.docx"),
        ("ImageGetMetadata", "socket.png"),
    ];
    for (method, path) in calls {
        let (code, message) = worker.fails(method, json!({ "path": path }));
        assert!(["SANDBOX_VIOLATION", "FILE_READ_FAILED"].contains(&code.as_str()), "{path}: {code} {message}");
    }
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": 1 }] }]);
    let (code, _) = worker.fails("XlsxApplyOps", json!({ "path": "pipe.xlsx", "ops": ops }));
    assert_eq!(code, "SANDBOX_VIOLATION");
    if jig_testkit::has_sql_engine() {
        let (code, _) = worker.fails("TabularGetMap", json!({ "path": "pipe.csv" }));
        assert_eq!(code, "SANDBOX_VIOLATION");
    }
}

/// Simulates a system without Landlock and seccomp, by a variable for tests.
#[test]
fn without_confinement_a_server_for_others_needs_its_owners_word() {
    let mut environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["token", "create", "Ada", "--role", "owner"]).success();
    environment.set("JIG_TEST_NO_SANDBOX", "1");
    let refused = environment.jig(&["serve", "--bind", "0.0.0.0:0", "--json"]);
    assert_eq!(refused.failure(), (2, "SETTINGS_INVALID".to_owned()));
    assert!(refused.stderr.contains("unconfined"), "{refused:?}");
    for command in [&["settings"][..], &["doctor"]] {
        let ran = environment.jig(command);
        assert!(ran.stderr.contains("warning: this system has neither Landlock nor seccomp"), "{ran:?}");
    }
    // Local work continues.
    let read = environment.jig(&["read", "notes.txt"]);
    assert_eq!(read.code, 0, "{read:?}");
    environment.set("JIG_ISOLATION", "unconfined");
    listens_for_others(&environment);
    // Having only one of the two is not enough.
    environment.set("JIG_ISOLATION", "worker");
    for (part, words) in [("landlock", "has no Landlock"), ("seccomp", "has no seccomp")] {
        environment.set("JIG_TEST_NO_SANDBOX", part);
        let refused = environment.jig(&["serve", "--bind", "0.0.0.0:0", "--json"]);
        assert_eq!(refused.failure(), (2, "SETTINGS_INVALID".to_owned()), "{part}");
        assert!(refused.stderr.contains(words), "{refused:?}");
    }
}

/// What an older Landlock version lacks, seccomp forbids, so that is enough.
#[cfg(target_os = "linux")]
#[test]
fn an_older_version_of_landlock_is_enough() {
    let mut environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["token", "create", "Ada", "--role", "owner"]).success();
    if environment.jig(&["doctor"]).stderr.contains("this system has") {
        println!("skipped: this system cannot confine");
        return;
    }
    environment.set("JIG_TEST_LANDLOCK_ABI", "1");
    listens_for_others(&environment);
    let doctor = environment.jig(&["doctor"]);
    assert!(!doctor.stderr.contains("warning"), "{doctor:?}");
    environment.set("JIG_TEST_LANDLOCK_ABI", "0");
    let refused = environment.jig(&["serve", "--bind", "0.0.0.0:0", "--json"]);
    assert_eq!(refused.failure(), (2, "SETTINGS_INVALID".to_owned()));
    assert!(refused.stderr.contains("has no Landlock"), "{refused:?}");
}

fn listens_for_others(environment: &TestEnvironment) {
    let mut child = environment.command();
    child
        .args(["serve", "--bind", "0.0.0.0:0"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null());
    let mut child = child.spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    assert!(line.contains("Jig listens on"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
}
