//! Runs one job in its own task, keeps its lease alive, and records its end.

use std::time::Duration;

use jig_contract::{Actor, Code, OpError};
use jig_store::{Backoff, Claim, Heartbeat, Job, JobEnd};
use serde_json::{Value, json};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::{ASSET_CLEANUP, RECIPE_RUN};
use crate::{CallContext, Workbench};

/// The maximum interval between lease renewals, which also report a cancellation.
const SIGN: Duration = Duration::from_secs(5);
/// The number of renewals per lease, so that a few may be late.
const SIGNS: u32 = 12;
/// How often to check whether a job has ended elsewhere.
const LOOK: Duration = Duration::from_millis(100);

impl Workbench {
    /// Runs a claimed job and records its end. If the lease was lost to another worker, nothing is recorded.
    pub(super) async fn work_on(&self, job: Job, claim: Claim, shutdown: &CancellationToken) {
        let stop = shutdown.child_token();
        self.job_desk().begin(&job.id, stop.clone());
        self.job_changed(&job).await;
        let lease_ms = self.job_lease_ms();
        let sign = SIGN.min(Duration::from_millis(lease_ms.into()) / SIGNS);
        let mut task = tokio::spawn({
            let (workbench, job, stop) = (self.clone(), job.clone(), stop.clone());
            async move { workbench.carry_out(&job, stop).await }
        });
        let done = loop {
            tokio::select! {
                done = &mut task => break Some(flat(done)),
                () = tokio::time::sleep(sign) => match self.store().heartbeat_job(&claim, lease_ms.into()).await {
                    Ok(Heartbeat::Going) => {}
                    Ok(Heartbeat::CancelAsked) => stop.cancel(),
                    Ok(Heartbeat::Lost) => {
                        stop.cancel();
                        break None;
                    }
                    Err(error) => tracing::warn!(job = %job.id, "a sign of life could not be given: {error}"),
                },
            }
        };
        self.job_desk().end(&job.id);
        let Some(done) = done else { return };
        let end = self.end_of(&job, done, shutdown).await;
        match self.store().end_job(&claim, end).await {
            Ok(Some(job)) => self.job_changed(&job).await,
            Ok(None) => tracing::warn!(job = %job.id, "the job was given to another meanwhile"),
            Err(error) => tracing::warn!(job = %job.id, "the job's end could not be written: {error}"),
        }
    }

    /// The end of a job. Failures that may succeed later are retried.
    async fn end_of(&self, job: &Job, done: Result<Value, OpError>, shutdown: &CancellationToken) -> JobEnd {
        let error = match done {
            Ok(result) => return JobEnd::Done { result },
            Err(error) => error,
        };
        let now = self.store().job(&job.id).await.ok().flatten();
        if now.is_some_and(|now| now.cancel_asked_at.is_some()) {
            return JobEnd::Cancelled;
        }
        let stopped = error.code() == Code::UserCanceled && shutdown.is_cancelled();
        let retryable = error.info.retryable;
        let mut info = *error.info;
        info.job_id = Some(job.id.clone());
        let told = json!(info);
        if stopped {
            return JobEnd::Retry { error: told, backoff: Backoff { first_ms: 0, most_ms: 0 }, jitter: 0.0 };
        }
        if !retryable {
            return JobEnd::Failed { error: told };
        }
        JobEnd::Retry { error: told, backoff: Backoff::default(), jitter: self.jitter() }
    }

    /// A process-specific number between 0 and 1.
    #[expect(clippy::cast_precision_loss, reason = "a number below a thousand")]
    fn jitter(&self) -> f64 {
        (self.env().fresh_id().as_u64_pair().1 % 1_000) as f64 / 1_000.0
    }

    async fn carry_out(&self, job: &Job, stop: CancellationToken) -> Result<Value, OpError> {
        let mut context = CallContext::new(Actor::System);
        context.cancel = stop;
        match job.kind.as_str() {
            RECIPE_RUN => self.run_recipe(&context, job).await,
            ASSET_CLEANUP => {
                let swept = self.store().sweep_assets(None).await?;
                let bytes: u64 = swept.iter().map(|asset| asset.bytes).sum();
                Ok(json!({ "assets": swept.len(), "bytes": bytes }))
            }
            other => Err(OpError::new(Code::Internal, format!("nothing here does jobs of the kind `{other}`"))),
        }
    }

    /// Runs a job here unless another worker has claimed it, and waits for its end.
    pub(crate) async fn finish_job(&self, context: &CallContext, job: &str) -> Result<Job, OpError> {
        let worker = self.env().fresh_id().to_string();
        if let Some((job, claim)) = self.store().claim_this_job(job, &worker, self.job_lease_ms().into()).await? {
            self.work_on(job, claim, &context.cancel).await;
        }
        loop {
            let Some(now) = self.store().job(job).await? else {
                return Err(OpError::new(Code::JobNotFound, "the job went away with its workbench"));
            };
            if !now.state.is_open() {
                return Ok(now);
            }
            tokio::select! {
                () = context.cancel.cancelled() => context.check_cancelled()?,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}

fn flat(done: Result<Result<Value, OpError>, JoinError>) -> Result<Value, OpError> {
    done.unwrap_or_else(|e| Err(OpError::new(Code::Internal, "the job broke off through a fault in Jig").because(e)))
}
