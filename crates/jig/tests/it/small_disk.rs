//! A full disk and a read-only home, with real workers, the SQL engine and LibreOffice.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;

/// Names the job of the process that runs inside the small file system.
const JOB: &str = "JIG_TEST_SMALL_DISK";
/// A folder outside of the small file system.
const OUTSIDE: &str = "JIG_TEST_OUTSIDE";

/// Does nothing unless the variable names a job.
#[test]
#[expect(clippy::disallowed_methods, reason = "a job gets its name by the environment")]
fn job() {
    match std::env::var(JOB).as_deref() {
        Ok("full") => full(),
        Ok("read-only") => read_only(Path::new(&std::env::var(OUTSIDE).unwrap())),
        _ => return,
    }
    println!("survived");
}

/// Runs a job with its temporary files, and so its home, in a file system of a few MiB that only the job sees. The
/// mount needs privileges: root has them, and other users do if user namespaces are enabled.
#[expect(clippy::disallowed_methods, reason = "CI must not skip this")]
fn in_small_file_system(job: &str) {
    let (disk, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mount = format!("mount -t tmpfs -o size=48m tmpfs '{}' && ", disk.path().display());
    let possible = |flags: &[&str]| {
        let tried = Command::new("unshare").args(flags).args(["sh", "-c", &format!("{mount} true")]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let Some(flags) = [vec!["-m"], vec!["-r", "-m"]].into_iter().find(|flags| possible(flags)) else {
        assert!(std::env::var("CI").is_err(), "no small file system can be mounted here");
        println!("skipped: no small file system can be mounted here");
        return;
    };
    let mut command = Command::new("unshare");
    command.args(flags).args(["sh", "-c", &format!("{mount} exec \"$@\""), "sh"]);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", "small_disk::job", "--nocapture"]);
    command.env(JOB, job).env("TMPDIR", disk.path()).env(OUTSIDE, outside.path());
    let output = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("survived"), "{text}");
}

#[test]
fn workers_on_a_full_disk_leave_nothing_half_written_and_work_again_afterwards() {
    in_small_file_system("full");
}

#[test]
fn a_home_that_cannot_be_written_is_read_with_workers_too() {
    in_small_file_system("read-only");
}

const DECK: &str = "deck";

fn on(path: &str, mut params: Value) -> Value {
    params["workbench_id"] = DECK.into();
    params["path"] = path.into();
    params
}

/// A workbench with a workbook, a document and a table.
fn fill(rpc: &mut Rpc) {
    rpc.call("WorkbenchCreate", json!({ "name": "Deck" })).unwrap();
    let cells = json!([{ "op": "ensure_sheet", "sheet": "Data" },
        { "op": "set_cells", "sheet": "Data", "cells": [{ "cell": "A1", "value": 1 }] }]);
    rpc.call("XlsxApplyOps", on("book.xlsx", json!({ "create_new": true, "ops": cells }))).unwrap();
    let text = json!([{ "op": "append_paragraph", "text": "A first paragraph" }]);
    rpc.call("DocxApplyOps", on("report.docx", json!({ "create_new": true, "ops": text }))).unwrap();
    let rows: String = (0..500).map(|n| format!("{n},region {}\n", n % 7)).collect();
    rpc.call("DraftWriteText", on("sales.csv", json!({ "text": format!("id,region\n{rows}") }))).unwrap();
}

fn set_cell(rpc: &mut Rpc, value: u64) -> Result<Value, Value> {
    let ops = json!([{ "op": "set_cells", "sheet": "Data", "cells": [{ "cell": "A1", "value": value }] }]);
    rpc.call("XlsxApplyOps", on("book.xlsx", json!({ "ops": ops })))
}

fn cell(rpc: &mut Rpc) -> String {
    rpc.call("XlsxReadRange", on("book.xlsx", json!({ "sheet": "Data", "range": "A1" }))).unwrap().to_string()
}

fn count(rpc: &mut Rpc) -> Result<Value, Value> {
    let query = json!({ "query": "SELECT count(*) FROM data" });
    rpc.call("TabularQuery", on("sales.csv", query)).map(|it| it["rows"].clone())
}

/// Fills the disk to the last byte.
fn fill_up(path: &Path) {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    for size in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
}

/// Unfinished or orphaned files below a folder.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(leftovers(&path));
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".part") || name.starts_with("work-") || name.starts_with("file-") || name == "edited.xlsx" {
            found.push(path);
        }
    }
    found
}

fn full() {
    let has_sql = jig_testkit::has_sql_engine();
    let environment = TestEnvironment::new();
    let mut rpc = Rpc::start(&environment);
    fill(&mut rpc);
    let filler = environment.home().join("filler");
    let export = json!({ "query": "SELECT region, count(*) AS n FROM data GROUP BY region" });
    for round in 1..=3_u64 {
        set_cell(&mut rpc, round).unwrap();
        fill_up(&filler);
        let long = "x".repeat(200_000);
        let append = json!({ "ops": [{ "op": "append_paragraph", "text": long }] });
        let new = json!({ "create_new": true, "ops": [{ "op": "append_paragraph", "text": "new" }] });
        let mut export = export.clone();
        export["target_path"] = format!("export-{round}.csv").into();
        let mut to_sheet = export.clone();
        to_sheet["target_path"] = format!("export-{round}.xlsx").into();
        let mut writes = vec![
            ("XlsxApplyOps", on("book.xlsx", json!({ "ops": [{ "op": "ensure_sheet", "sheet": "More" }] }))),
            ("DocxApplyOps", on("report.docx", append)),
            ("DocxApplyOps", on(&format!("new-{round}.docx"), new)),
            ("DraftWriteText", on("large.txt", json!({ "text": long }))),
        ];
        if has_sql {
            writes.extend([("TabularExport", on("sales.csv", export)), ("TabularExport", on("sales.csv", to_sheet))]);
        }
        for (name, params) in writes {
            // The previous call has freed the space that it used.
            fill_up(&filler);
            let error = match rpc.call(name, params) {
                Err(error) => error,
                // A small export may fit into the space that its own worker has just freed.
                Ok(_) if name == "TabularExport" => continue,
                Ok(done) => panic!("round {round}, {name} on a full disk: {done}"),
            };
            let told = error.to_string();
            assert_eq!(error["error_code"], "DISK_FULL", "round {round}, {name}: {told}");
            assert_eq!(error["message"], "no space left on device", "{name}");
            assert_eq!(error["retryable"], true, "{name}");
            assert!(!told.contains(environment.home().to_str().unwrap()), "{name}: {told}");
        }
        // Calls that need no space succeed; the others report the full disk.
        rpc.call("FileRead", on("sales.csv", json!({}))).unwrap();
        let preview = json!({ "page": 1 });
        for (name, params) in [
            ("XlsxReadRange", on("book.xlsx", json!({ "sheet": "Data", "range": "A1" }))),
            ("FileGetMap", on("report.docx", json!({}))),
            ("FileGetPreview", on("report.docx", preview)),
            ("TabularQuery", on("sales.csv", json!({ "query": "SELECT 1" }))),
        ] {
            if !has_sql && name == "TabularQuery" {
                continue;
            }
            if let Err(error) = rpc.call(name, params) {
                assert_eq!(error["error_code"], "DISK_FULL", "round {round}, {name}: {error}");
            }
        }
        std::fs::remove_file(&filler).unwrap();
        let shown = cell(&mut rpc);
        assert!(shown.contains(&round.to_string()), "the failed edit changed nothing: {shown}");
        let files = rpc.call("FileList", json!({ "workbench_id": DECK })).unwrap().to_string();
        for name in ["new-", "large.txt"] {
            assert!(!files.contains(name), "round {round}: {files}");
        }
        assert_eq!(leftovers(&environment.home()), Vec::<PathBuf>::new(), "round {round}");
        if has_sql {
            assert_eq!(count(&mut rpc).unwrap(), json!([[500]]));
        }
    }
    set_cell(&mut rpc, 77).unwrap();
    let doctor = rpc.call("StoreDoctor", json!({})).unwrap();
    assert_eq!(doctor["ok"], true, "{doctor}");
    assert_eq!(rpc.finish(), 0);
}

fn read_only(outside: &Path) {
    let has_sql = jig_testkit::has_sql_engine();
    let mut environment = TestEnvironment::new();
    let mut rpc = Rpc::start(&environment);
    fill(&mut rpc);
    assert_eq!(rpc.finish(), 0);
    let disk = environment.home().ancestors().nth(2).unwrap().to_owned();
    // Workers that have just exited may still hold files open for writing.
    let remount = || Command::new("mount").args(["-o", "remount,ro"]).arg(&disk).output().unwrap();
    let mut remounted = remount();
    for _ in 0..100 {
        if remounted.status.success() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        remounted = remount();
    }
    assert!(remounted.status.success(), "{}", String::from_utf8_lossy(&remounted.stderr));
    assert!(std::fs::write(environment.home().join("x"), "").is_err(), "the file system is read-only");
    environment.set("TMPDIR", outside.to_str().unwrap());
    let folders =
        || -> Vec<PathBuf> { std::fs::read_dir(outside).unwrap().map(|entry| entry.unwrap().path()).collect() };
    for is_killed in [false, true, false] {
        let mut rpc = Rpc::start(&environment);
        assert!(cell(&mut rpc).contains('1'));
        for (name, params, words) in [
            ("FileGetMap", on("book.xlsx", json!({})), "Data"),
            ("DocxExtractText", on("report.docx", json!({})), "A first paragraph"),
            ("FileSearch", json!({ "workbench_id": DECK, "query": "paragraph" }), "report.docx"),
            ("FileGetPreview", on("report.docx", json!({ "page": 1 })), "png"),
            ("ReviewGetChangeSet", json!({ "workbench_id": DECK }), "report.docx"),
        ] {
            let answer = rpc.call(name, params).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(answer.to_string().contains(words), "{name}: {answer}");
        }
        // The third query reads the converted table.
        for _ in 0..if has_sql { 3 } else { 0 } {
            assert_eq!(count(&mut rpc).unwrap(), json!([[500]]));
        }
        let refused = set_cell(&mut rpc, 2).unwrap_err();
        assert_eq!(refused["error_code"], "STORE_READ_ONLY", "{refused}");
        let [folder] = folders().try_into().unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        if is_killed {
            rpc.kill();
            assert_eq!(folders().len(), 1, "a killed process cannot clean up; the next one does");
        } else {
            assert_eq!(rpc.finish(), 0);
            assert_eq!(folders(), Vec::<PathBuf>::new(), "nothing is left behind");
        }
    }
    if has_sql {
        let printed = environment.jig(&["query", "-w", DECK, "sales.csv", "SELECT count(*) AS n FROM data"]).success();
        assert!(printed.contains("500"), "{printed}");
        assert_eq!(folders(), Vec::<PathBuf>::new());
    }
}
