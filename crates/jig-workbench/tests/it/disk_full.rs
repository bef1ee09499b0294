//! A full disk: a clear error, nothing half-written, and work goes on once there is room.

use std::path::Path;
use std::process::Command;

use jig_contract::{Actor, Code, OpError};
use jig_testkit::ID;
use jig_testkit::home::{open, texts_on_disk};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

use crate::child;

/// The job, inside a small file system that only it sees.
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

/// A mount of its own needs the kernel's leave: root has it, and users have it where user namespaces are on.
#[test]
#[expect(clippy::disallowed_methods, reason = "CI must not skip this")]
fn a_full_disk_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size=16m tmpfs '{}' && exec \"$@\"", dir.path().display());
    let possible = |flags: &[&str]| {
        let try_it = mount.replace("exec \"$@\"", "true");
        Command::new("unshare").args(flags).args(["sh", "-c", &try_it]).output().is_ok_and(|o| o.status.success())
    };
    let Some(flags) = [vec!["-m"], vec!["-r", "-m"]].into_iter().find(|flags| possible(flags)) else {
        assert!(std::env::var("CI").is_err(), "no small file system can be mounted here");
        println!("skipped: no small file system can be mounted here");
        return;
    };
    let job = child::job("disk-full", dir.path());
    let mut command = Command::new("unshare");
    command.args(flags).args(["sh", "-c", &mount, "sh"]).arg(job.get_program()).args(job.get_args());
    for (name, value) in job.get_envs() {
        command.env(name, value.unwrap());
    }
    let output = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("survived"), "{text}");
}
