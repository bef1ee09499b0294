//! Many workers and servers on one queue.

use std::collections::BTreeMap;

use jig_store::{ClaimQuery, Enqueued, JobEnd, JobQuery, JobState, JobsOf, NewJob, Schedule, StoreError};
use serde_json::json;

use super::conformance;
use super::jobs::{claimed, new, queued};
use crate::setup::{Clock, Setup, id, made};

conformance! { each_job_is_claimed_once, many_ask_for_one_job, schedules_fire_once, schedules_keep_their_time }

async fn each_job_is_claimed_once(setup: Setup) {
    let stores = [setup.open().await, setup.open().await];
    made(&stores[0], "deck").await;
    for n in 0..60 {
        queued(&stores[0], &NewJob { payload: json!(n), ..new("run", None) }).await;
    }
    let work = (0..12).map(|n| {
        let store = stores[n % 2].clone();
        tokio::spawn(async move {
            let mut mine = Vec::new();
            let query = ClaimQuery { worker: format!("w{n}"), kinds: vec![], lease_ms: 60_000 };
            // A claim may find nothing while other workers lock the remaining jobs, so it is repeated.
            for _ in 0..3 {
                while let Some((job, claim)) = store.claim_job(&query).await.unwrap() {
                    mine.push(job.payload.as_i64().unwrap());
                    store.end_job(&claim, JobEnd::Done { result: json!(n) }).await.unwrap().unwrap();
                }
            }
            mine
        })
    });
    let mut seen: Vec<i64> = Vec::new();
    for work in futures::future::join_all(work).await {
        seen.extend(work.unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..60).collect::<Vec<i64>>());
    let all = JobQuery { of: JobsOf::All, kinds: vec![], states: vec![JobState::Done], after: None, limit: 99 };
    assert_eq!(stores[1].jobs(&all).await.unwrap().jobs.iter().filter(|job| job.attempts == 1).count(), 60);
}

async fn many_ask_for_one_job(setup: Setup) {
    let stores = [setup.open().await, setup.open().await];
    made(&stores[0], "deck").await;
    let ask = (0..16).map(|n| {
        let store = stores[n % 2].clone();
        tokio::spawn(async move { store.enqueue_job(&new("run", Some(&format!("p{}", n % 4)))).await.unwrap() })
    });
    let mut made_new = BTreeMap::new();
    let mut ids = BTreeMap::new();
    for answer in futures::future::join_all(ask).await {
        let answer = answer.unwrap();
        let is_new = matches!(answer, Enqueued::New(_));
        let job = answer.into_job();
        *made_new.entry(job.dedupe.clone()).or_insert(0) += i32::from(is_new);
        let known = ids.entry(job.dedupe.clone()).or_insert_with(|| job.id.clone());
        assert_eq!(*known, job.id, "all report the same job");
    }
    assert_eq!(made_new.into_values().collect::<Vec<_>>(), [1; 4]);
}

async fn schedules_fire_once(setup: Setup) {
    let clock = Clock::new();
    let stores = [setup.open_at(&clock).await, setup.open_at(&clock).await];
    made(&stores[0], "deck").await;
    stores[0].put_schedule(&id("deck"), "digest", "daily", clock.later(10)).await.unwrap();
    for round in 0..5_u32 {
        clock.pass(10);
        let fire = (0..8).map(|n| {
            let (store, clock) = (stores[n % 2].clone(), clock.clone());
            tokio::spawn(async move {
                let mut fired = 0;
                for due in store.due_schedules(9).await.unwrap() {
                    let job = new("run", Some("digest"));
                    fired += usize::from(store.fire_schedule(&due, clock.later(10), &job).await.unwrap().is_some());
                }
                fired
            })
        });
        let fired: usize = futures::future::join_all(fire).await.into_iter().map(Result::unwrap).sum();
        assert_eq!(fired, 1, "round {round}");
        let (_, claim) = claimed(&stores[1], "w").await.expect("its job is queued");
        stores[1].end_job(&claim, JobEnd::Done { result: json!(round) }).await.unwrap();
        assert_eq!(claimed(&stores[0], "w").await, None, "once");
    }
}

async fn schedules_keep_their_time(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let lost = store.put_schedule(&id("deck"), "a", "daily", clock.now()).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
    made(&store, "deck").await;
    let (first, deck) = (clock.later(10), id("deck"));
    store.put_schedule(&deck, "b", "daily", first).await.unwrap();
    store.put_schedule(&deck, "a", "daily", clock.later(20)).await.unwrap();
    store.put_schedule(&deck, "b", "daily", clock.later(99)).await.unwrap();
    let schedule = |name: &str, rule: &str, next_at| Schedule {
        workbench_id: id("deck"),
        name: name.to_owned(),
        rule: rule.to_owned(),
        next_at,
        last_at: None,
    };
    let a = schedule("a", "daily", clock.later(20));
    let both = [a.clone(), schedule("b", "daily", first)];
    assert_eq!(store.schedules(&deck).await.unwrap(), both, "the same rule leaves the time as it is");
    store.put_schedule(&deck, "b", "weekly", clock.later(15)).await.unwrap();
    let b = schedule("b", "weekly", clock.later(15));
    assert_eq!(store.schedules(&deck).await.unwrap(), [a.clone(), b.clone()]);
    assert_eq!(store.due_schedules(9).await.unwrap(), []);
    clock.pass(20);
    assert_eq!(store.due_schedules(9).await.unwrap(), [b.clone(), a], "the longest due first");
    assert_eq!(store.due_schedules(1).await.unwrap(), std::slice::from_ref(&b));
    let next = clock.later(100);
    assert!(!store.advance_schedule(&deck, "b", first, next).await.unwrap(), "its time has changed");
    assert!(!store.advance_schedule(&deck, "b", b.next_at, b.next_at).await.unwrap(), "it only moves on");
    assert!(store.advance_schedule(&deck, "b", b.next_at, next).await.unwrap());
    assert!(!store.advance_schedule(&deck, "b", b.next_at, next).await.unwrap(), "once");
    let moved = Schedule { next_at: next, last_at: Some(b.next_at), ..b.clone() };
    assert_eq!(store.schedules(&deck).await.unwrap()[1], moved);
    assert!(store.drop_schedule(&deck, "b").await.unwrap());
    assert!(!store.drop_schedule(&deck, "b").await.unwrap());
    // If the job cannot be queued, the schedule does not advance.
    let a = store.due_schedules(9).await.unwrap().remove(0);
    let job = NewJob { workbench_id: Some(id("none")), ..new("run", None) };
    assert!(store.fire_schedule(&a, next, &job).await.is_err());
    assert_eq!(store.due_schedules(9).await.unwrap(), [a]);
    store.delete_workbench(&deck).await.unwrap();
    assert_eq!(store.due_schedules(9).await.unwrap(), []);
}
