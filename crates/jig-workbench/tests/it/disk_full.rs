//! A full disk: a clear error, no partial writes, and work continues once there is space.

use std::path::Path;
use std::process::Command;

use jig_contract::{Actor, Code, OpError};
use jig_testkit::ID;
use jig_testkit::home::{open, texts_on_disk};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

use crate::child;

/// The job, inside a small file system that only it can see.
pub(crate) async fn fill(disk: &Path) {
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![0; 3 << 20]).unwrap();
    let workbench = open(Config::new(disk.join("home"))).await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Test", "id": ID })).await.unwrap();
    call(&workbench, "DraftWriteText", json!({ "workbench_id": ID, "path": "first.txt", "text": "first" }))
        .await
        .unwrap();

    let mut written = 1;
    let error = loop {
        let text: String = (0..60_000).map(|n| format!("{written} {n}\n")).collect();
        let params = json!({ "workbench_id": ID, "path": format!("{written}.txt"), "text": text });
        match call(&workbench, "DraftWriteText", params).await {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 1_000, "the disk never fills");
    };
    assert_eq!(error.code(), Code::DiskFull, "{error} {:?}", error.source);
    assert!(error.info.retryable);

    std::fs::remove_file(&ballast).unwrap();
    let seq = call(&workbench, "WorkbenchGet", json!({ "workbench_id": ID })).await.unwrap()["seq"].as_u64();
    assert_eq!(seq, Some(written + 1), "the failed write left no row, the others all did");
    let after = json!({ "workbench_id": ID, "path": "after.txt", "text": "room again" });
    call(&workbench, "DraftWriteText", after).await.unwrap();
    let doctor = call(&workbench, "StoreDoctor", json!({})).await.unwrap();
    assert_eq!(doctor["ok"], true, "{doctor}");
    let shown = texts_on_disk(&disk.join("home/workbenches").join(ID).join("draft"));
    assert_eq!(shown.len() as u64, written + 1, "{:?}", shown.keys());
    println!("survived after {written} files");
}

async fn call(workbench: &Workbench, name: &str, params: Value) -> Result<Value, OpError> {
    workbench.call(name, CallContext::new(Actor::person()), params).await
}

/// A disk that is full only for the database: all concurrent writes are refused, and succeed afterwards.
pub(crate) async fn fill_database(disk: &Path) {
    let workbench = open(Config::new(disk.join("home"))).await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Test", "id": ID })).await.unwrap();
    say(&workbench, 0, 1).await.unwrap();
    for round in 1..=3 {
        let filler = disk.join("filler");
        fill_up(&filler);
        // More writes than connections, and more bytes than the database's log has space for.
        let results = many(&workbench, round, 200_000).await;
        let failed: Vec<&OpError> = results.iter().filter_map(|result| result.as_ref().err()).collect();
        assert!(failed.len() > 8, "round {round}: the database still found room, {} failed", failed.len());
        for error in failed {
            assert_eq!(error.code(), Code::DiskFull, "round {round}: {error} {:?}", error.source);
            assert_eq!(error.info.message, "no space left on device");
        }
        std::fs::remove_file(&filler).unwrap();
        for result in many(&workbench, round, 10).await {
            result.unwrap();
        }
        let text = json!({ "workbench_id": ID, "path": format!("{round}.txt"), "text": "room again" });
        call(&workbench, "DraftWriteText", text).await.unwrap();
    }
    let doctor = call(&workbench, "StoreDoctor", json!({})).await.unwrap();
    assert_eq!(doctor["ok"], true, "{doctor}");
    println!("survived");
}

/// A disk that has space for a change but not for showing it in the folder: the change is accepted, and everything can
/// still be read.
pub(crate) async fn fill_folder(disk: &Path) {
    let big = disk.join("big.bin");
    std::fs::write(&big, vec![7; 4 << 20]).unwrap();
    let workbench = open(Config::new(disk.join("home"))).await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Test", "id": ID })).await.unwrap();
    call(&workbench, "FileAdd", json!({ "workbench_id": ID, "paths": [big] })).await.unwrap();
    std::fs::remove_file(&big).unwrap();
    // The copy for the Draft needs 4 MiB, of which 3 are there.
    std::fs::write(disk.join("ballast"), vec![0; 5 << 20]).unwrap();
    let before = call(&workbench, "WorkbenchGet", json!({ "workbench_id": ID })).await.unwrap()["seq"].as_u64();
    let first = json!({ "workbench_id": ID, "path": "first.txt", "text": "first" });
    call(&workbench, "DraftWriteText", first).await.unwrap();
    let shown = disk.join("home/workbenches").join(ID).join("draft/big.bin");
    assert!(!shown.exists(), "the disk had space for the folder after all");
    // In this process and in one that starts now.
    for workbench in [&workbench, &open(Config::new(disk.join("home"))).await] {
        let of = |mut more: Value| {
            more["workbench_id"] = ID.into();
            more
        };
        for (name, params) in [
            ("WorkbenchGet", json!({})),
            ("FileList", json!({})),
            ("FileList", json!({ "root": "published" })),
            ("FileRead", json!({ "path": "first.txt" })),
            ("FileGetMap", json!({ "path": "first.txt" })),
            ("FileSearch", json!({ "query": "first" })),
            ("DraftGetState", json!({})),
            ("ReviewGetChangeSet", json!({})),
            ("ReviewGetDiff", json!({ "path": "first.txt" })),
            ("JournalList", json!({})),
            ("EntryList", json!({})),
            ("ContextList", json!({})),
            ("PromptAssemble", json!({ "message": "hello" })),
        ] {
            let read = call(workbench, name, of(params)).await;
            assert!(read.is_ok(), "{name}: {read:?}");
        }
        let seq = call(workbench, "WorkbenchGet", of(json!({}))).await.unwrap()["seq"].as_u64();
        assert_eq!(seq, before.map(|seq| seq + 1), "a change that is reported as done is there, and no other");
    }
    std::fs::remove_file(disk.join("ballast")).unwrap();
    call(&workbench, "FileList", json!({ "workbench_id": ID })).await.unwrap();
    assert!(shown.exists(), "the folder follows once there is space");
    let doctor = call(&workbench, "StoreDoctor", json!({})).await.unwrap();
    assert_eq!(doctor["ok"], true, "{doctor}");
    println!("survived");
}

fn fill_up(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    for size in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
}

async fn many(workbench: &Workbench, round: usize, bytes: usize) -> Vec<Result<Value, OpError>> {
    let calls = (0..24).map(|n| say(workbench, round * 100 + n, bytes));
    futures::future::join_all(calls).await
}

/// A write that only affects the database.
async fn say(workbench: &Workbench, n: usize, bytes: usize) -> Result<Value, OpError> {
    let text = format!("{n} {}", "x".repeat(bytes));
    call(workbench, "ConversationAdd", json!({ "workbench_id": ID, "text": text })).await
}

#[test]
fn a_full_disk_loses_nothing() {
    in_small_file_system("disk-full", "exec \"$@\"");
}

#[test]
fn a_database_without_room_works_again_when_there_is_room() {
    in_small_file_system("disk-full-database", "exec \"$@\"");
}

#[test]
fn a_folder_that_cannot_follow_for_lack_of_space_fails_neither_the_change_nor_reads() {
    in_small_file_system("disk-full-folder", "exec \"$@\"");
}

/// The mount needs privileges: root has them, and other users do if user namespaces are enabled.
#[expect(clippy::disallowed_methods, reason = "CI must not skip this")]
pub(crate) fn in_small_file_system(job: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size=16m tmpfs '{}' && {script}", dir.path().display());
    let possible = |flags: &[&str]| {
        let try_it = mount.replace(script, "true");
        Command::new("unshare").args(flags).args(["sh", "-c", &try_it]).output().is_ok_and(|o| o.status.success())
    };
    let Some(flags) = [vec!["-m"], vec!["-r", "-m"]].into_iter().find(|flags| possible(flags)) else {
        assert!(std::env::var("CI").is_err(), "no small file system can be mounted here");
        println!("skipped: no small file system can be mounted here");
        return;
    };
    let job = child::job(job, dir.path());
    let mut command = Command::new("unshare");
    command.args(flags).args(["sh", "-c", &mount, "sh"]).arg(job.get_program()).args(job.get_args());
    for (name, value) in job.get_envs() {
        command.env(name, value.unwrap());
    }
    let output = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("survived"), "{text}");
}
