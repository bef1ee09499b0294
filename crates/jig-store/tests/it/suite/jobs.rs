//! The life cycle of jobs.

use jig_contract::Timestamp;
use jig_store::{
    Backoff, Claim, ClaimQuery, Enqueued, Heartbeat, Job, JobEnd, JobQuery, JobState, JobsOf, NewJob, Store, StoreError,
};
use serde_json::{Value, json};

use super::conformance;
use crate::setup::{Clock, Setup, id, made};

conformance! {
    a_job_is_claimed_and_ended, one_purpose_has_one_open_job, failures_are_tried_again_after_a_pause,
    jobs_are_stopped, a_dead_worker_loses_its_job, jobs_are_listed_in_pages, the_database_refuses_broken_jobs,
}

pub(super) fn new(kind: &str, dedupe: Option<&str>) -> NewJob {
    NewJob {
        workbench_id: Some(id("deck")),
        kind: kind.to_owned(),
        dedupe: dedupe.map(str::to_owned),
        payload: json!({ "n": 1 }),
        max_attempts: 3,
        run_at: None,
    }
}

pub(super) async fn queued(store: &Store, new: &NewJob) -> Job {
    match store.enqueue_job(new).await.unwrap() {
        Enqueued::New(job) => job,
        Enqueued::Open(job) => panic!("{job:?} was open already"),
    }
}

pub(super) async fn claimed(store: &Store, worker: &str) -> Option<(Job, Claim)> {
    let query = ClaimQuery { worker: worker.to_owned(), kinds: vec![], lease_ms: 1_000 };
    store.claim_job(&query).await.unwrap()
}

fn retry(why: &str) -> JobEnd {
    JobEnd::Retry { error: json!(why), backoff: Backoff { first_ms: 100, most_ms: 1_000 }, jitter: 1.0 }
}

async fn a_job_is_claimed_and_ended(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let lost = store.enqueue_job(&new("run", None)).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
    made(&store, "deck").await;
    assert_eq!(claimed(&store, "w").await, None);
    let payload = json!({ "recipe": "digest", "list": [1, null], "nul\0": "\0" });
    let job = queued(&store, &NewJob { payload, dedupe: Some("d".to_owned()), ..new("run", None) }).await;
    let expected = Job {
        id: job.id.clone(),
        workbench_id: Some(id("deck")),
        kind: "run".to_owned(),
        dedupe: Some("d".to_owned()),
        payload: json!({ "recipe": "digest", "list": [1, null], "nul\u{fffd}": "\u{fffd}" }),
        state: JobState::Queued,
        attempts: 0,
        max_attempts: 3,
        run_at: clock.now(),
        claimed_by: None,
        lease_until: None,
        cancel_asked_at: None,
        created_at: clock.now(),
        started_at: None,
        finished_at: None,
        error: None,
        result: None,
    };
    assert_eq!(job, expected);
    clock.pass(7);
    let (running, claim) = claimed(&store, "w").await.unwrap();
    let expected = Job {
        state: JobState::Running,
        attempts: 1,
        claimed_by: Some("w".to_owned()),
        lease_until: Some(clock.later(1_000)),
        started_at: Some(clock.now()),
        ..job
    };
    assert_eq!(running, expected);
    assert_eq!(claimed(&store, "w").await, None, "it is taken");
    clock.pass(900);
    assert_eq!(store.heartbeat_job(&claim, 5_000).await.unwrap(), Heartbeat::Going);
    assert_eq!(store.job(&claim.job_id).await.unwrap().unwrap().lease_until, Some(clock.later(5_000)));
    let done = store.end_job(&claim, JobEnd::Done { result: json!({ "out": 1 }) }).await.unwrap().unwrap();
    let expected = Job {
        state: JobState::Done,
        claimed_by: None,
        lease_until: None,
        finished_at: Some(clock.now()),
        result: Some(json!({ "out": 1 })),
        ..running
    };
    assert_eq!(done, expected);
    assert_eq!(store.job(&done.id).await.unwrap(), Some(done.clone()));
    assert_eq!(store.job("none\0").await.unwrap(), None);
    assert_eq!(store.heartbeat_job(&claim, 1).await.unwrap(), Heartbeat::Lost);
    assert_eq!(store.end_job(&claim, JobEnd::Cancelled).await.unwrap(), None, "an end is an end");
    assert_eq!(store.forget_jobs(clock.now()).await.unwrap(), 0);
    assert_eq!(store.forget_jobs(clock.later(1)).await.unwrap(), 1);

    // Later jobs are not due; other kinds are left to other workers; a job of the entire store has no workbench.
    let later = NewJob { run_at: Some(clock.later(50)), ..new("late", None) };
    queued(&store, &later).await;
    queued(&store, &NewJob { workbench_id: None, ..new("sweep", None) }).await;
    let only = |kind: &str| ClaimQuery { worker: "w".to_owned(), kinds: vec![kind.to_owned()], lease_ms: 1 };
    assert_eq!(store.claim_job(&only("late")).await.unwrap(), None);
    assert_eq!(store.claim_job(&only("nul\0")).await.unwrap(), None);
    clock.pass(50);
    assert_eq!(store.claim_job(&only("late")).await.unwrap().unwrap().0.kind, "late");
    let (sweep, _) = claimed(&store, "w").await.unwrap();
    assert_eq!((sweep.kind.as_str(), sweep.workbench_id), ("sweep", None));
}

async fn one_purpose_has_one_open_job(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    made(&store, "other").await;
    let first = queued(&store, &new("run", Some("p"))).await;
    assert_eq!(store.enqueue_job(&new("run", Some("p"))).await.unwrap(), Enqueued::Open(first.clone()));
    let (running, claim) = claimed(&store, "w").await.unwrap();
    assert_eq!(store.enqueue_job(&new("else", Some("p"))).await.unwrap(), Enqueued::Open(running));
    queued(&store, &new("run", Some("q"))).await;
    queued(&store, &NewJob { workbench_id: Some(id("other")), ..new("run", Some("p")) }).await;
    let whole = NewJob { workbench_id: None, ..new("run", Some("p")) };
    let whole_first = queued(&store, &whole).await;
    assert_eq!(store.enqueue_job(&whole).await.unwrap().into_job(), whole_first);
    for _ in 0..2 {
        queued(&store, &new("run", None)).await;
    }
    store.end_job(&claim, JobEnd::Done { result: Value::Null }).await.unwrap();
    let next = queued(&store, &new("run", Some("p"))).await;
    assert_ne!(next.id, first.id, "once it ended there is room for the next");
    store.cancel_job(&next.id).await.unwrap();
    queued(&store, &new("run", Some("p"))).await;
}

async fn failures_are_tried_again_after_a_pause(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    queued(&store, &new("run", Some("p"))).await;
    for (attempt, pause) in [(1, 100), (2, 200)] {
        let (_, claim) = claimed(&store, "w").await.unwrap();
        let job = store.end_job(&claim, retry("no")).await.unwrap().unwrap();
        assert_eq!((job.state, job.attempts, job.run_at), (JobState::Queued, attempt, clock.later(pause)));
        assert_eq!((job.error, job.finished_at, job.claimed_by), (Some(json!("no")), None, None));
        clock.pass(pause - 1);
        assert_eq!(claimed(&store, "w").await, None);
        clock.pass(1);
    }
    let (_, claim) = claimed(&store, "w").await.unwrap();
    let job = store.end_job(&claim, retry("never")).await.unwrap().unwrap();
    assert_eq!((job.state, job.attempts, job.finished_at), (JobState::Failed, 3, Some(clock.now())));
    assert_eq!(claimed(&store, "w").await, None);
    queued(&store, &new("run", Some("p"))).await;
    let (_, claim) = claimed(&store, "w").await.unwrap();
    let job = store.end_job(&claim, JobEnd::Failed { error: json!({ "code": "X" }) }).await.unwrap().unwrap();
    assert_eq!((job.state, job.attempts, job.error), (JobState::Failed, 1, Some(json!({ "code": "X" }))));
    // The minimum is one attempt.
    let once = queued(&store, &NewJob { max_attempts: 0, ..new("run", None) }).await;
    assert_eq!(once.max_attempts, 1);
}

async fn jobs_are_stopped(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    let waiting = queued(&store, &new("run", None)).await;
    let stopped = store.cancel_job(&waiting.id).await.unwrap().unwrap();
    assert_eq!((stopped.state, stopped.finished_at), (JobState::Cancelled, Some(clock.now())), "at once");
    assert_eq!(claimed(&store, "w").await, None);
    let asked_at = clock.now();
    let ends: [(JobEnd, JobState); 3] = [
        (JobEnd::Cancelled, JobState::Cancelled),
        (retry("stopped half way"), JobState::Cancelled),
        (JobEnd::Done { result: json!(1) }, JobState::Done),
    ];
    for (end, state) in ends {
        queued(&store, &new("run", None)).await;
        let (_, claim) = claimed(&store, "w").await.unwrap();
        let asked = store.cancel_job(&claim.job_id).await.unwrap().unwrap();
        assert_eq!((asked.state, asked.cancel_asked_at), (JobState::Running, Some(asked_at)));
        assert_eq!(store.heartbeat_job(&claim, 1_000).await.unwrap(), Heartbeat::CancelAsked);
        let ended = store.end_job(&claim, end).await.unwrap().unwrap();
        assert_eq!((ended.state, ended.finished_at), (state, Some(clock.now())));
        assert_eq!(store.cancel_job(&ended.id).await.unwrap(), Some(ended), "an end is an end");
    }
    assert_eq!(store.cancel_job("none\0").await.unwrap(), None);
}

async fn a_dead_worker_loses_its_job(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    queued(&store, &NewJob { max_attempts: 2, ..new("run", None) }).await;
    let (_, dead) = claimed(&store, "w").await.unwrap();
    clock.pass(999);
    assert_eq!(store.reclaim_jobs().await.unwrap(), []);
    clock.pass(1);
    let back = store.reclaim_jobs().await.unwrap().remove(0);
    assert_eq!((back.state, back.attempts, back.run_at), (JobState::Queued, 1, clock.now()));
    assert_eq!(back.error.unwrap()["reason"], "lease_ended");
    // The same worker claims it again; its earlier claim is no longer valid.
    let (_, alive) = claimed(&store, "w").await.unwrap();
    assert_eq!(store.heartbeat_job(&dead, 1).await.unwrap(), Heartbeat::Lost);
    assert_eq!(store.end_job(&dead, JobEnd::Done { result: json!(0) }).await.unwrap(), None);
    assert_eq!(store.heartbeat_job(&alive, 1_000).await.unwrap(), Heartbeat::Going);
    clock.pass(1_000);
    let failed = store.reclaim_jobs().await.unwrap().remove(0);
    assert_eq!((failed.state, failed.attempts, failed.finished_at), (JobState::Failed, 2, Some(clock.now())));
    queued(&store, &new("run", None)).await;
    let (_, claim) = claimed(&store, "w").await.unwrap();
    store.cancel_job(&claim.job_id).await.unwrap();
    clock.pass(1_000);
    assert_eq!(store.reclaim_jobs().await.unwrap().remove(0).state, JobState::Cancelled);
    assert_eq!(store.reclaim_jobs().await.unwrap(), []);
}

async fn jobs_are_listed_in_pages(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    made(&store, "other").await;
    let mut all = Vec::new();
    for n in 0..7_i64 {
        clock.pass(n % 2);
        let workbench = if n < 5 { "deck" } else { "other" };
        let job =
            NewJob { workbench_id: Some(id(workbench)), payload: json!(n), ..new(["a", "b"][n as usize % 2], None) };
        all.push(queued(&store, &job).await);
    }
    all.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    let any = JobQuery { of: JobsOf::All, kinds: vec![], states: vec![], after: None, limit: 3 };
    let listed = async |query: &JobQuery| -> Vec<Job> {
        let mut query = query.clone();
        let mut jobs = Vec::new();
        loop {
            let page = store.jobs(&query).await.unwrap();
            jobs.extend(page.jobs);
            query.after = page.next;
            if query.after.is_none() {
                return jobs;
            }
        }
    };
    assert_eq!(listed(&any).await, all, "the newest first");
    assert_eq!(listed(&JobQuery { of: JobsOf::Workbench(id("deck")), ..any.clone() }).await.len(), 5);
    assert_eq!(listed(&JobQuery { kinds: vec!["a".to_owned(), "x\0".to_owned()], ..any.clone() }).await.len(), 4);
    claimed(&store, "w").await.unwrap();
    assert_eq!(listed(&JobQuery { states: vec![JobState::Running], ..any.clone() }).await.len(), 1);
    assert_eq!(listed(&JobQuery { states: vec![JobState::Running, JobState::Queued], ..any.clone() }).await.len(), 7);
    store.delete_workbench(&id("deck")).await.unwrap();
    assert_eq!(listed(&any).await.len(), 2, "they go with their workbench");
    assert_eq!(store.forget_jobs(Timestamp::from_millis(i64::MAX)).await.unwrap(), 0, "open ones are not forgotten");
}

async fn the_database_refuses_broken_jobs(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    queued(&store, &new("run", Some("p"))).await;
    for broken in [
        "UPDATE jobs SET state = 'running'",
        "UPDATE jobs SET state = 'done'",
        "UPDATE jobs SET state = 'strange'",
        "UPDATE jobs SET claimed_by = 'w'",
        "UPDATE jobs SET finished_at = 1",
        "UPDATE jobs SET max_attempts = 0",
        "INSERT INTO jobs (id, workbench_id, kind, dedupe, payload, state, attempts, max_attempts, run_at, created_at)
         SELECT 'x', workbench_id, kind, dedupe, payload, state, attempts, max_attempts, run_at, created_at FROM jobs",
    ] {
        assert!(sqlx::raw_sql(broken).execute(&mut setup.raw().await).await.is_err(), "{broken}");
    }
}
