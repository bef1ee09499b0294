//! `jig worker` as a process, and Jig's own workers behind an operation.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;

/// A running `jig worker` with a workbench `wb`.
pub(crate) struct Worker {
    pub(crate) folder: TempDir,
    _environment: TestEnvironment,
    pub(crate) child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(variable: &str) -> Self {
        Self::start_with(variable, &[])
    }

    pub(crate) fn start_with(variable: &str, more: &[(&str, &str)]) -> Self {
        Self::start_as(variable, more, &[])
    }

    pub(crate) fn start_as(variable: &str, more: &[(&str, &str)], options: &[&str]) -> Self {
        let environment = TestEnvironment::new();
        let folder = tempfile::tempdir().unwrap();
        for root in ["draft", "published", "draft.7.staging"] {
            std::fs::create_dir_all(folder.path().join("wb").join(root)).unwrap();
        }
        let mut command = environment.command();
        command.arg("worker").env_remove("JIG_HOME").env_remove("HOME").env(variable, folder.path());
        command.envs(more.iter().copied()).args(options);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { folder, _environment: environment, child, input, output }
    }

    pub(crate) fn place(&self, root: &str, name: &str) -> PathBuf {
        self.folder.path().join("wb").join(root).join(name)
    }

    fn exchange(&mut self, line: &str) -> Value {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let mut params = params;
        if params["workbench_id"].is_null() {
            params["workbench_id"] = "wb".into();
        }
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let answer = self.exchange(&request.to_string());
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
        answer
    }

    #[track_caller]
    pub(crate) fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    #[track_caller]
    pub(crate) fn fails(&mut self, method: &str, params: Value) -> (String, String) {
        let answer = self.call(method, params);
        let error = &answer["error"];
        assert_eq!(error["code"], -32000, "{answer}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&error["data"]["error_code"]), text(&error["message"]))
    }
}

fn new_book(worker: &mut Worker, name: &str) {
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": "one" }] }]);
    let answer = worker.ok("XlsxApplyOps", json!({ "path": name, "create_new": true, "ops": ops }));
    assert_eq!(answer["ok"], true);
}

#[test]
fn the_protocol_is_spoken_under_either_name_of_the_folder() {
    for variable in ["JIG_WORKBENCHES_DIR", "KEENBENCH_WORKBENCHES_DIR"] {
        let mut worker = Worker::start(variable);
        let info = worker.ok("WorkerGetInfo", json!({}));
        assert_eq!((&info["ok"], &info["worker"]), (&json!(true), &json!("jig")));
        new_book(&mut worker, "a.xlsx");
        let read = worker.ok("XlsxReadRange", json!({ "path": "a.xlsx", "root": "draft", "range": "A1" }));
        assert_eq!(read["text"], "# Sheet: Sheet1\none");
        std::fs::rename(worker.place("draft", "a.xlsx"), worker.place("draft.7.staging", "b.xlsx")).unwrap();
        let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A2", "value": 2 }] }]);
        worker.ok("XlsxApplyOps", json!({ "path": "b.xlsx", "root": "draft.7.staging", "ops": ops }));
        drop(worker.input);
        assert_eq!(worker.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn text_files_pictures_and_open_documents_are_worked_on_too() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    std::fs::write(worker.place("draft", "Makefile"), "all:\r\n\techo one\r\n").unwrap();
    std::fs::write(
        worker.place("published", "sign.svg"),
        "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='5'/>",
    )
    .unwrap();
    let map = worker.ok("TextGetMap", json!({ "path": "Makefile" }));
    assert_eq!((&map["line_count"], &map["line_ending"]), (&json!(2), &json!("crlf")));
    let ops = json!([{ "op": "replace_text", "search": "one", "replace": "two" }]);
    let applied = worker.ok("TextApplyOps", json!({ "path": "Makefile", "ops": ops }));
    assert_eq!(
        (&applied["ok"], &applied["changes"][0]["replacements"], &applied["receipt"]["parts"]),
        (&json!(true), &json!(1), &json!([]))
    );
    assert_eq!(std::fs::read(worker.place("draft", "Makefile")).unwrap(), b"all:\r\n\techo two\r\n");
    let lines = worker.ok("TextReadLines", json!({ "path": "Makefile", "line_start": 2 }));
    assert_eq!((&lines["text"], &lines["chunk_info"]["range"]), (&json!("\techo two\r\n"), &json!("2-2")));
    let fresh = json!([{ "op": "insert_lines", "lines": ["a", "b"] }]);
    worker.ok("TextApplyOps", json!({ "path": "new.rs", "create_new": true, "ops": fresh }));
    assert_eq!(std::fs::read(worker.place("draft", "new.rs")).unwrap(), b"a\nb\n");
    let (code, message) = worker.fails("TextApplyOps", json!({ "path": "new.docx", "create_new": true, "ops": [] }));
    assert_eq!(code, "VALIDATION_FAILED");
    assert_eq!(message, "path: new.docx is not a text file; other formats cannot be written by this method");
    assert_eq!(
        worker.fails("TextApplyOps", json!({ "path": "sign.svg", "root": "published", "ops": [] })).0,
        "SANDBOX_VIOLATION"
    );
    let picture = worker.ok("ImageGetMetadata", json!({ "path": "sign.svg", "root": "published" }));
    assert_eq!((&picture["format"], &picture["width"], &picture["height"]), (&json!("svg"), &json!(7), &json!(5)));
    let shown = worker.ok("ImageRender", json!({ "path": "sign.svg", "root": "published" }));
    assert_eq!((&shown["mime_type"], &shown["scaled_down"]), (&json!("image/png"), &json!(false)));
    assert_eq!(worker.fails("OdtGetMap", json!({ "path": "sign.svg", "root": "published" })).0, "FILE_READ_FAILED");
}

#[test]
fn what_is_no_call_is_answered_and_the_worker_goes_on() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    assert_eq!(worker.exchange("{nonsense")["error"]["code"], -32700);
    assert_eq!(worker.exchange("[]")["error"]["code"], -32600);
    assert_eq!(worker.exchange(r#"{"jsonrpc":"1.0","id":1,"method":"WorkerGetInfo"}"#)["error"]["code"], -32600);
    let (code, message) = worker.fails("XlsxDance", json!({}));
    assert_eq!((code.as_str(), message.as_str()), ("VALIDATION_FAILED", "unknown method: XlsxDance"));
    assert_eq!(worker.fails("XlsxGetMap", json!({})).0, "VALIDATION_FAILED");
    assert_eq!(worker.fails("XlsxGetMap", json!({ "path": ["a.xlsx"] })).0, "VALIDATION_FAILED");
    assert_eq!(worker.fails("XlsxGetMap", json!({ "path": 5 })).0, "FILE_READ_FAILED");
    worker.ok("WorkerGetInfo", json!({}));
}

#[test]
fn nothing_outside_the_workbench_is_read_or_written() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    let secret = worker.folder.path().join("secret.xlsx");
    new_book(&mut worker, "real.xlsx");
    std::fs::copy(worker.place("draft", "real.xlsx"), &secret).unwrap();
    symlink(&secret, worker.place("draft", "link.xlsx")).unwrap();
    symlink(worker.folder.path(), worker.place("draft", "folder")).unwrap();
    let before = std::fs::read(&secret).unwrap();
    let escapes = [
        json!({ "path": "../../secret.xlsx" }),
        json!({ "path": "link.xlsx" }),
        json!({ "path": "folder/secret.xlsx" }),
        json!({ "path": secret.to_str().unwrap() }),
        json!({ "path": "a\\b.xlsx" }),
        json!({ "path": "real.xlsx", "root": ".." }),
        json!({ "path": "real.xlsx", "root": "draft/x" }),
        json!({ "path": "real.xlsx", "workbench_id": ".." }),
        json!({ "path": "real.xlsx", "workbench_id": "wb/draft" }),
    ];
    for mut params in escapes {
        let (code, message) = worker.fails("XlsxGetMap", params.clone());
        assert_eq!(code, "SANDBOX_VIOLATION", "{params}: {message}");
        // A message contains a host path only if the caller supplied it.
        let host = worker.folder.path().to_str().unwrap();
        assert!(!message.contains(host) || params.to_string().contains(host), "{message}");
        params["ops"] = json!([{ "op": "ensure_sheet", "sheet": "New" }]);
        assert_eq!(worker.fails("XlsxApplyOps", params.clone()).0, "SANDBOX_VIOLATION", "{params}");
    }
    assert_eq!(std::fs::read(&secret).unwrap(), before);
    let (code, message) = worker.fails("XlsxGetMap", json!({ "path": "none.xlsx" }));
    assert_eq!((code.as_str(), message.as_str()), ("FILE_READ_FAILED", "there is no file none.xlsx in draft"));
    let ops = json!([{ "op": "ensure_sheet", "sheet": "New" }]);
    let published = json!({ "path": "x.xlsx", "root": "published", "create_new": true, "ops": ops });
    assert_eq!(worker.fails("XlsxApplyOps", published).0, "SANDBOX_VIOLATION");
}

#[test]
fn a_bad_edit_leaves_the_file_and_no_other_behind() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    new_book(&mut worker, "a.xlsx");
    let before = std::fs::read(worker.place("draft", "a.xlsx")).unwrap();
    let cell = |cell: &str, style: Value| json!({ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": cell, "value": 1, "style": style }] });
    let bad = [
        json!([{ "op": "set_cellz" }]),
        json!([{ "op": "set_cells", "sheet": "Sheet1" }]),
        json!([cell("A0", json!({}))]),
        json!([cell("XFE1", json!({}))]),
        json!([cell("B2", json!({})), cell("B3", json!({ "font_colour_of_cell": "red" }))]),
        json!([{ "op": "ensure_sheet", "sheet": "a name that is far too long for a sheet" }]),
        json!([{ "op": "ensure_sheet", "sheet": "a/b" }]),
        json!({ "op": "ensure_sheet" }),
    ];
    for ops in bad {
        let (code, message) = worker.fails("XlsxApplyOps", json!({ "path": "a.xlsx", "ops": ops }));
        assert_eq!(code, "VALIDATION_FAILED", "{ops}: {message}");
    }
    assert_eq!(std::fs::read(worker.place("draft", "a.xlsx")).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(worker.place("draft", "")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["a.xlsx"]);
    let (code, message) = worker.fails("XlsxApplyOps", json!({ "path": "a.pdf", "create_new": true, "ops": [] }));
    assert_eq!(code, "VALIDATION_FAILED", "{message}");
}

#[test]
fn files_that_are_none_get_an_error_of_their_own() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    let container = |name: &str| {
        let mut bytes = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
        bytes.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    };
    let files = [
        ("encrypted", container("EncryptedPackage")),
        ("legacy", container("Workbook")),
        ("wrong_kind", b"hello".to_vec()),
        ("damaged", b"PK\x03\x04 and then nothing".to_vec()),
    ];
    for (reason, bytes) in files {
        std::fs::write(worker.place("draft", "x.xlsx"), &bytes).unwrap();
        for (method, more) in
            [("XlsxGetMap", json!({})), ("XlsxApplyOps", json!({ "ops": [{ "op": "ensure_sheet", "sheet": "x" }] }))]
        {
            let mut params = more;
            params["path"] = "x.xlsx".into();
            let answer = worker.call(method, params);
            let data = &answer["error"]["data"];
            assert_eq!(
                (&data["error_code"], &data["reason"]),
                (&json!("FILE_READ_FAILED"), &json!(reason)),
                "{answer}"
            );
        }
        assert_eq!(std::fs::read(worker.place("draft", "x.xlsx")).unwrap(), bytes);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_is_confined() {
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    let isolation = worker.ok("WorkerGetInfo", json!({}))["isolation"].clone();
    assert_eq!(isolation["network"], "full");
    // An older kernel confines what it can; one without Landlock reports that.
    assert!(["full", "partly", "no"].contains(&isolation["files"].as_str().unwrap()));
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.child.id())).unwrap();
    assert!(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "{status}");
}

/// Memory that the allocator only reserves does not count as used.
#[cfg(target_os = "linux")]
#[test]
fn a_bound_of_memory_leaves_room_for_work() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let bound = 1_u64 << 30;
    let options = [&format!("--memory={bound}"), "--table-memory-mb=16384", "--table-timeout-ms=60000"];
    let mut worker = Worker::start_as("JIG_WORKBENCHES_DIR", &[], &options);
    assert_eq!(worker.ok("WorkerGetInfo", json!({}))["isolation"]["memory_bytes"], bound);
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.child.id())).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(size.parse::<u64>().unwrap() < (bound / 2) >> 10, "{status}");
    std::fs::write(worker.place("draft", "n.csv"), "n\n1\n2\n").unwrap();
    let answer = worker.ok("TabularQuery", json!({ "path": "n.csv", "query": "SELECT sum(n) FROM data" }));
    assert_eq!(answer["rows"], json!([[3]]));
    // The limit also applies inside the engine: this query would need some 4 GB.
    let huge = "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(4000)";
    let (_, message) = worker.fails("TabularQuery", json!({ "path": "n.csv", "query": huge }));
    assert!(message.contains("more memory than its process may use and was stopped; `worker.memory`"), "{message}");
    worker.ok("TabularQuery", json!({ "path": "n.csv", "query": "SELECT sum(n) FROM data" }));
}

/// The worker refuses at startup rather than at the first call.
#[cfg(target_os = "linux")]
#[test]
fn a_bound_of_memory_that_is_less_than_the_program_needs_is_refused() {
    let environment = TestEnvironment::new();
    let run = environment.jig(&["worker", "--memory=1"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("1 bytes of memory are not enough for a worker"), "{run:?}");
    assert!(run.stderr.contains("the minimum is "), "{run:?}");
}

/// Jig with a workbook, over JSON-RPC.
fn with_book(environment: &TestEnvironment) -> Rpc {
    let mut rpc = Rpc::start(environment);
    rpc.call("WorkbenchCreate", json!({ "name": "Deck" })).unwrap();
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": "one" }] }]);
    let made = rpc
        .call("XlsxApplyOps", json!({ "workbench_id": "deck", "path": "a.xlsx", "create_new": true, "ops": ops }))
        .unwrap();
    assert_eq!(made["draft_created"], true);
    rpc
}

fn read(rpc: &mut Rpc) -> Result<Value, Value> {
    rpc.call("FileRead", json!({ "workbench_id": "deck", "path": "a.xlsx", "sheet": "Sheet1" }))
}

/// A worker caches some inputs for the next call. It must never evict one that the current call uses.
#[test]
fn one_call_may_need_more_inputs_than_a_worker_keeps() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = TestEnvironment::new();
    let mut rpc = Rpc::start(&environment);
    rpc.call("WorkbenchCreate", json!({ "name": "Deck" })).unwrap();
    let paths: Vec<_> = (0..12).map(|n| environment.write(&format!("t{n}.csv"), format!("id,v{n}\n1,{n}\n"))).collect();
    rpc.call("FileAdd", json!({ "workbench_id": "deck", "paths": paths })).unwrap();
    let others: serde_json::Map<String, Value> =
        (1..12).map(|n| (format!("t{n}"), json!({ "path": format!("t{n}.csv") }))).collect();
    let joins: String = (1..12).map(|n| format!(" JOIN t{n} USING (id)")).collect();
    let query = format!("SELECT v0, v11 FROM data{joins}");
    let params = json!({ "workbench_id": "deck", "path": "t0.csv", "tables": others, "query": query });
    assert_eq!(rpc.call("TabularQuery", params).unwrap()["rows"], json!([[0, 11]]));
    // By the last of these calls, the reference is the oldest input.
    for version in 0..20 {
        let text = format!("id,v0\n1,{version}00\n");
        rpc.call("DraftWriteText", json!({ "workbench_id": "deck", "path": "t0.csv", "text": text })).unwrap();
        let set = rpc.call("ReviewGetChangeSet", json!({ "workbench_id": "deck" })).unwrap();
        assert_eq!(set["changes"][0]["summary"], "1 row changed", "version {version}: {set:#}");
    }
}

/// The child processes of a process.
pub(crate) fn children(of: u32) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|e| e.unwrap().file_name().to_str()?.parse::<u32>().ok());
    all.filter(|pid| parent(*pid) == Some(of)).collect()
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Workers use huge pages, other processes do not, whichever process started them.
#[cfg(target_os = "linux")]
#[test]
fn only_workers_have_large_pages() {
    let allowed = |pid: u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.lines().any(|line| line.strip_prefix("THP_enabled:").is_some_and(|told| told.trim() == "1"))
    };
    // If this process has none either, the system does not support huge pages or cannot report them.
    if !allowed(std::process::id()) {
        return;
    }
    let environment = TestEnvironment::new();
    let mut rpc = with_book(&environment);
    read(&mut rpc).unwrap();
    assert!(!allowed(rpc.id()));
    assert_eq!(children(rpc.id()).into_iter().map(allowed).collect::<Vec<_>>(), [true]);
    let mut worker = Worker::start("JIG_WORKBENCHES_DIR");
    worker.ok("WorkerGetInfo", json!({}));
    assert!(allowed(worker.child.id()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_or_hangs_is_replaced() {
    let mut environment = TestEnvironment::new();
    environment.set("JIG_WORKER_SECONDS", "2");
    let mut rpc = with_book(&environment);
    assert_eq!(read(&mut rpc).unwrap()["text"], "# Sheet: Sheet1\none\n");
    let workers = children(rpc.id());
    assert_eq!(workers.len(), 1);
    signal(workers[0], Signal::STOP);
    let error = read(&mut rpc).unwrap_err();
    assert_eq!(error["error_code"], "TOOL_WORKER_UNAVAILABLE", "{error}");
    assert_eq!(read(&mut rpc).unwrap()["text"], "# Sheet: Sheet1\none\n");
    let workers = children(rpc.id());
    signal(*workers.last().unwrap(), Signal::KILL);
    // It died between two calls, so no call is lost.
    while Path::new(&format!("/proc/{}/exe", workers.last().unwrap())).exists() {
        std::thread::yield_now();
    }
    assert_eq!(read(&mut rpc).unwrap()["text"], "# Sheet: Sheet1\none\n");
    assert_eq!(rpc.finish(), 0);
    assert!(children(std::process::id()).iter().all(|pid| !workers.contains(pid)));
}

#[test]
fn both_ways_of_isolation_give_the_same() {
    let answers: Vec<Value> = ["worker", "in-process"]
        .iter()
        .map(|isolation| {
            let mut environment = TestEnvironment::new();
            environment.set("JIG_ISOLATION", isolation);
            let mut rpc = with_book(&environment);
            let text = read(&mut rpc).unwrap()["text"].clone();
            let map =
                rpc.call("FileGetMap", json!({ "workbench_id": "deck", "path": "a.xlsx" })).unwrap()["map"].clone();
            let ops = json!([{ "op": "set_cells", "sheet": "Nope", "cells": [] }]);
            let params = json!({ "workbench_id": "deck", "path": "a.xlsx", "ops": ops });
            let error = rpc.call("XlsxApplyOps", params).unwrap_err();
            json!([text, map, error["error_code"], error["message"], error["suggestions"]])
        })
        .collect();
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn tables_are_asked_in_a_worker() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut worker = Worker::start("KEENBENCH_WORKBENCHES_DIR");
    std::fs::write(worker.place("draft", "bank.csv"), "day,amount\n2024-01-05,10.50\n2024-01-06,-3.25\n").unwrap();
    std::fs::write(worker.place("published", "old.csv"), "n\n1\n").unwrap();
    let map = worker.ok("TabularGetMap", json!({ "path": "bank.csv" }));
    assert_eq!((&map["format"], &map["row_count"], &map["delimiter"]), (&json!("csv"), &json!(2), &json!(",")));
    let rows = worker.ok("TabularReadRows", json!({ "path": "old.csv", "root": "published" }));
    assert_eq!(rows["rows"], json!([[1]]));
    let answer = worker.ok("TabularQuery", json!({ "path": "bank.csv", "query": "SELECT sum(amount) FROM data" }));
    assert_eq!((&answer["rows"], &answer["total_row_count"]), (&json!([[7.25]]), &json!(1)));
    // Exporting from Published needs no Draft copy of the file, and only the Draft is written.
    let export = json!({ "path": "old.csv", "root": "published", "target_path": "copy.csv", "format": "csv" });
    worker.ok("TabularExport", export.clone());
    assert_eq!(std::fs::read_to_string(worker.place("draft", "copy.csv")).unwrap(), "n\n1\n");
    let mut elsewhere = export;
    elsewhere["target_root"] = json!("published");
    assert_eq!(worker.fails("TabularExport", elsewhere).0, "SANDBOX_VIOLATION");
    // A changed file is read again.
    std::fs::write(worker.place("draft", "bank.csv"), "day,amount\n2024-01-05,1\n").unwrap();
    let answer = worker.ok("TabularQuery", json!({ "path": "bank.csv", "query": "SELECT sum(amount) FROM data" }));
    assert_eq!(answer["rows"], json!([[1]]));
    let cache = worker.folder.path().join("wb/meta/tabular");
    assert_eq!(std::fs::read_dir(cache).unwrap().count(), 3);
    let (code, message) =
        worker.fails("TabularQuery", json!({ "path": "bank.csv", "query": "SELECT * FROM '/etc/passwd'" }));
    assert_eq!((code.as_str(), message.contains("unknown table")), ("VALIDATION_FAILED", true));
}

#[test]
fn a_query_that_takes_too_long_leaves_nothing() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let mut worker = Worker::start_with("JIG_WORKBENCHES_DIR", &[("KEENBENCH_TABULAR_QUERY_TIMEOUT_MS", "200")]);
    std::fs::write(worker.place("draft", "a.csv"), "n\n1\n").unwrap();
    let query = "SELECT a.range FROM range(100000) a, range(100000) b, range(100000) c WHERE (a.range + b.range * c.range) % 7 = 3";
    let export = json!({ "path": "a.csv", "target_path": "out.csv", "format": "csv", "query": query });
    let (code, message) = worker.fails("TabularExport", export);
    assert_eq!((code.as_str(), message.contains("timed out after 200 ms")), ("FILE_READ_FAILED", true), "{message}");
    let left: Vec<_> =
        std::fs::read_dir(worker.folder.path().join("wb/draft")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["a.csv"]);
    worker.ok("TabularGetMap", json!({ "path": "a.csv" }));
}

#[test]
fn variables_with_invalid_values_do_not_stop_the_worker() {
    let values = [
        ("KEENBENCH_TABULAR_QUERY_TIMEOUT_MS", "soon"),
        ("KEENBENCH_TABULAR_MEMORY_LIMIT_MB", "1"),
        ("KEENBENCH_TABULAR_THREADS", "9999"),
    ];
    for (name, value) in values {
        let mut worker = Worker::start_with("KEENBENCH_WORKBENCHES_DIR", &[(name, value)]);
        std::fs::write(worker.place("draft", "a.txt"), "text\n").unwrap();
        assert_eq!(worker.ok("TextReadLines", json!({ "path": "a.txt" }))["text"], "text\n", "{name}={value}");
    }
}
