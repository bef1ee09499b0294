//! Running jobs: they are claimed one by one, kept alive, completed and retried.
//!
//! The queue is in the database, so a killed process loses nothing: its lease expires and another process takes the
//! job. Any number of processes may share a queue, and each job is claimed by exactly one.

mod desk;
mod due;
mod work;

use std::time::Duration;

use jig_contract::ops::{JobInfo, JobState};
use jig_contract::{Code, ErrorInfo, Event, EventRecord, JobId, OpError};
use jig_store::{ClaimQuery, Job};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use desk::JobDesk;
pub(crate) use due::dedupe;

use crate::Workbench;

/// A recipe run.
pub(crate) const RECIPE_RUN: &str = "recipe_run";
/// The removal of expired assets in all workbenches.
pub(crate) const ASSET_CLEANUP: &str = "asset_cleanup";
/// The job kinds that this version can run. Others are left to newer versions.
const KINDS: [&str; 2] = [RECIPE_RUN, ASSET_CLEANUP];

/// How often the queue is polled without a notification.
const POLL: Duration = Duration::from_secs(1);
/// The maximum interval between checks for due schedules and dead workers.
const LOOK: Duration = Duration::from_secs(15);
/// The number of checks per lease.
const LOOKS: u32 = 4;

impl Workbench {
    /// Runs jobs and queues scheduled ones until cancelled. Running jobs are then stopped and put back into the queue.
    pub async fn run_jobs(&self, cancel: CancellationToken) {
        let worker = self.env().fresh_id().to_string();
        let look = LOOK.min(Duration::from_millis(self.job_lease_ms().into()) / LOOKS);
        let (mut at_work, mut looked) = (JoinSet::new(), None::<Instant>);
        while !cancel.is_cancelled() {
            if looked.is_none_or(|at| at.elapsed() >= look) {
                self.look_around().await;
                looked = Some(Instant::now());
            }
            while at_work.len() < self.jobs_at_once() && !cancel.is_cancelled() {
                let Some((job, claim)) = self.next_job(&worker).await else { break };
                let (workbench, cancel) = (self.clone(), cancel.clone());
                at_work.spawn(async move { workbench.work_on(job, claim, &cancel).await });
            }
            tokio::select! {
                () = cancel.cancelled() => {}
                _ = at_work.join_next(), if !at_work.is_empty() => {}
                () = self.job_desk().woken() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
        while at_work.join_next().await.is_some() {}
    }

    /// Runs the jobs that are due now, one after the other, and returns their final state.
    pub async fn run_due_jobs(&self, cancel: &CancellationToken) -> Result<Vec<JobInfo>, OpError> {
        let worker = self.env().fresh_id().to_string();
        self.look_around().await;
        let mut ended = Vec::new();
        while let Some((job, claim)) = self.next_job(&worker).await {
            let id = job.id.clone();
            self.work_on(job, claim, cancel).await;
            if let Some(job) = self.store().job(&id).await? {
                ended.push(job_info(&job)?);
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        Ok(ended)
    }

    async fn next_job(&self, worker: &str) -> Option<(Job, jig_store::Claim)> {
        let kinds = KINDS.map(str::to_owned).to_vec();
        let query = ClaimQuery { worker: worker.to_owned(), kinds, lease_ms: self.job_lease_ms().into() };
        match self.store().claim_job(&query).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!("jobs cannot be looked at: {error}");
                None
            }
        }
    }

    /// Sends an event about the state of a job.
    pub(crate) async fn job_changed(&self, job: &Job) {
        let (Some(id), Ok(job_id)) = (&job.workbench_id, JobId::new(&job.id)) else { return };
        let Ok(head) = self.store().head(id).await else { return };
        let event = Event::JobChanged { job_id, state: state_of(job.state) };
        self.sender().send(EventRecord { workbench_id: id.clone(), seq: head.seq, at: self.env().now(), event });
    }
}

/// The wire form of a job.
pub(crate) fn job_info(job: &Job) -> Result<JobInfo, OpError> {
    let strange = |e| OpError::new(Code::Internal, "a job's id in the database is none").because(e);
    Ok(JobInfo {
        id: JobId::new(&job.id).map_err(strange)?,
        kind: job.kind.clone(),
        workbench_id: job.workbench_id.clone(),
        state: state_of(job.state),
        attempts: job.attempts,
        max_attempts: job.max_attempts,
        run_at: job.run_at,
        created_at: job.created_at,
        started_at: job.started_at,
        finished_at: job.finished_at,
        error: job.error.as_ref().map(|error| error_of(error, job)),
        result: job.result.clone(),
        recipe: job.payload.get("recipe").and_then(Value::as_str).map(str::to_owned),
    })
}

/// Why a job failed: the worker's error, or that of the store for a dead worker.
pub(crate) fn error_of(error: &Value, job: &Job) -> ErrorInfo {
    if let Ok(info) = serde_json::from_value::<ErrorInfo>(error.clone()) {
        return info;
    }
    let code = match error.get("reason").and_then(Value::as_str) {
        Some("cancelled") => Code::UserCanceled,
        Some("lease_ended") => Code::ToolWorkerUnavailable,
        _ => Code::Internal,
    };
    let words = error.get("message").and_then(Value::as_str).unwrap_or("it is not known why");
    let mut error = OpError::new(code, words);
    error.info.job_id = Some(job.id.clone());
    *error.info
}

pub(crate) const fn state_of(state: jig_store::JobState) -> JobState {
    match state {
        jig_store::JobState::Queued => JobState::Queued,
        jig_store::JobState::Running => JobState::Running,
        jig_store::JobState::Done => JobState::Done,
        jig_store::JobState::Failed => JobState::Failed,
        jig_store::JobState::Cancelled => JobState::Cancelled,
    }
}
