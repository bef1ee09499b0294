//! A process that edits and publishes is killed at random times; the state is always that before or after an operation.

use std::time::Duration;

use jig_contract::Actor;
use jig_testkit::home::texts_on_disk;
use jig_testkit::{ID, TestHome};
use jig_workbench::{CallContext, Workbench};
use serde_json::json;

use crate::child;

const KILLS: u64 = 300;
/// The maximum lifetime of a job in microseconds, as long as it makes progress.
const SOON: u64 = 40_000;

/// The job: both files get the same text before each publish, so published files always agree.
pub(crate) async fn edit_and_publish(workbench: &Workbench) {
    println!("ready");
    for round in 0u64.. {
        let text = format!("round {round} of process {}\n", std::process::id());
        for path in ["left.txt", "sub/right.txt"] {
            call(workbench, "DraftWriteText", json!({ "path": path, "text": text })).await;
        }
        match round % 4 {
            3 => call(workbench, "DraftDiscard", json!({})).await,
            _ => call(workbench, "DraftPublish", json!({})).await,
        }
    }
}

async fn call(workbench: &Workbench, name: &str, mut params: serde_json::Value) {
    params["workbench_id"] = ID.into();
    let context = CallContext::new(Actor::person());
    if let Err(error) = workbench.call(name, context, params).await {
        panic!("{name}: {error}");
    }
}

#[tokio::test]
async fn a_killed_process_leaves_the_state_before_or_after() {
    let home = TestHome::with_workbench().await;
    home.add("left.txt", "start\n").await;
    home.add("sub/right.txt", "start\n").await;
    let mut changes = home.plain("WorkbenchGet").await["seq"].as_u64().unwrap();
    let first = changes;
    // A fixed pseudorandom sequence, so that a failure can be reproduced.
    let mut moment = 0x9e37_79b9_u64;
    let mut longest = SOON;
    for kill in 0..KILLS {
        let mut job = child::start("edit-and-publish", &home.home());
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((moment >> 33) % longest));
        job.kill().unwrap();
        job.wait().unwrap();

        let published = home.texts("published").await;
        assert_eq!(published["left.txt"], published["sub/right.txt"], "kill {kill}: half a publish");
        assert_eq!(texts_on_disk(&home.view("published")), published, "kill {kill}: the view");
        let draft = home.plain("DraftGetState").await["exists"] == true;
        if draft {
            assert_eq!(texts_on_disk(&home.view("draft")), home.texts("draft").await, "kill {kill}: the Draft's view");
        } else {
            assert!(!home.view("draft").exists(), "kill {kill}: a Draft's view without a Draft");
        }
        let seq = home.plain("WorkbenchGet").await["seq"].as_u64().unwrap();
        assert!(seq >= changes, "kill {kill}: a change was lost");
        changes = seq;
        // On a busy machine, jobs live longer before they are killed.
        let behind = changes < first + kill * 3 / 4;
        longest = if behind { (longest * 2).min(25 * SOON) } else { SOON };
        let outside = home
            .ok("JournalList", json!({ "workbench_id": ID, "limit": 20 }))
            .await
            .to_string()
            .contains("OutsideEdit");
        assert!(!outside, "kill {kill}: Jig took its own write for a person's");
        if kill % 100 == 99 {
            let doctor = home.ok("StoreDoctor", json!({})).await;
            assert_eq!(doctor["ok"], true, "kill {kill}: {doctor}");
        }
    }
    assert!(changes > first + KILLS / 2, "the jobs hardly got to work: {changes} changes");
}
