//! Session events reach every follower of a workbench once and in order, whichever process caused them.

use std::time::Duration;

use jig_contract::{Actor, Env, Event, SessionEvent};
use jig_surfaces::{Follow, start};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::json;

use crate::bench::Bench;

const ID: &str = "deck";

/// The next session records with their numbers; other events are skipped.
async fn next(follow: &mut Follow, count: usize) -> Vec<(String, u64, SessionEvent)> {
    let mut found = Vec::new();
    while found.len() < count {
        let record = tokio::time::timeout(Duration::from_secs(20), follow.next()).await.unwrap().unwrap().unwrap();
        if let Event::Session { session_id, record: Some(number), what, .. } = record.event {
            found.push((session_id.to_string(), number, what));
        }
    }
    found
}

#[tokio::test]
async fn records_of_sessions_come_once_and_in_order_also_from_another_process() {
    let home = Bench::with_notes().await;
    let before = home.call("SessionCreate", json!({ "workbench_id": ID })).await;
    let mut follow = start(&home.workbench, CallContext::new(Actor::person()), ID, None).await.unwrap();
    let here = home.call("SessionCreate", json!({ "workbench_id": ID })).await;
    let records = here["session"]["records"].as_u64().unwrap();
    let seen = next(&mut follow, usize::try_from(records).unwrap()).await;
    assert!(seen.iter().all(|(id, ..)| id != before["session"]["id"].as_str().unwrap()), "only what is new");
    let numbers: Vec<u64> = seen.iter().map(|(_, number, _)| *number).collect();
    assert_eq!(numbers, (1..=records).collect::<Vec<_>>());
    assert_eq!(seen[0].2, SessionEvent::SessionCreated);

    let other = Workbench::open(Config::new(home.home()), Env::system()).await.unwrap();
    let person = CallContext::new(Actor::person());
    let there = other.call("SessionCreate", person.clone(), json!({ "workbench_id": ID })).await.unwrap();
    let id = there["session"]["id"].as_str().unwrap().to_owned();
    let records = there["session"]["records"].as_u64().unwrap();
    let seen = next(&mut follow, usize::try_from(records).unwrap()).await;
    assert!(seen.iter().all(|(of, ..)| *of == id), "{seen:?}");
    assert_eq!(seen.iter().map(|(_, number, _)| *number).collect::<Vec<_>>(), (1..=records).collect::<Vec<_>>());
    // Both act on one session concurrently: no duplicates, nothing missing.
    let session = json!({ "workbench_id": ID, "session_id": id });
    other.call("SessionSync", person, session.clone()).await.unwrap();
    home.call("SessionSync", session).await;
    let seen = next(&mut follow, 4).await;
    assert_eq!(
        seen.iter().map(|(_, number, _)| *number).collect::<Vec<_>>(),
        (records + 1..=records + 4).collect::<Vec<_>>()
    );
}
