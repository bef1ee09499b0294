//! Two processes with sixteen threads each write to one workbench concurrently; nothing is lost.

use std::process::Stdio;

use jig_contract::{Actor, Code};
use jig_testkit::{ID, TestHome};
use jig_workbench::{CallContext, Workbench};
use serde_json::json;

use crate::child;

const WRITERS: usize = 16;
const WRITES: usize = 6;

/// The job: many writers with files of their own and one shared file. Prints the number of accepted writes.
pub(crate) async fn write_much(workbench: &Workbench) {
    let process = std::process::id();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let workbench = workbench.clone();
            tokio::spawn(async move {
                let mut accepted = 0;
                for n in 0..WRITES {
                    let path = if n % 3 == 0 { "shared.txt".to_owned() } else { format!("own/{process}-{writer}.txt") };
                    let params = json!({ "workbench_id": ID, "path": path, "text": format!("{process} {writer} {n}") });
                    match workbench.call("DraftWriteText", CallContext::new(Actor::person()), params).await {
                        Ok(done) => accepted += usize::from(done["changed"] == true),
                        Err(error) => assert_eq!(error.code(), Code::Conflict, "{error}"),
                    }
                }
                accepted
            })
        })
        .collect();
    let mut accepted = 0;
    for writer in writers {
        accepted += writer.await.unwrap();
    }
    println!("accepted {accepted}");
}

#[tokio::test]
async fn accepted_changes_are_journal_rows() {
    let home = TestHome::with_workbench().await;
    let jobs: Vec<_> =
        (0..2).map(|_| child::job("crowd", &home.home()).stdout(Stdio::piped()).spawn().unwrap()).collect();
    let mut accepted = 0;
    for job in jobs {
        let output = job.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        let line = text.lines().find_map(|line| line.split("accepted ").nth(1)).expect("a count");
        accepted += line.split_whitespace().next().unwrap().parse::<u64>().unwrap();
    }
    let log = home.ok("JournalList", json!({ "workbench_id": ID, "limit": 10_000 })).await;
    let writes =
        log["entries"].as_array().unwrap().iter().filter(|e| e["operation"] == "DraftWriteText").count() as u64;
    assert_eq!(writes, accepted);
    assert!(accepted >= (WRITERS * WRITES) as u64, "{accepted}");
    assert_eq!(log["total"], accepted + 1, "nothing else was written down");
    let doctor = home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor}");
    assert_eq!(jig_testkit::home::texts_on_disk(&home.view("draft")), home.texts("draft").await);
}
