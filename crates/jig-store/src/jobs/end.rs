//! The end of jobs, and the pause before the next attempt.

use jig_contract::Timestamp;
use serde_json::{Value, json};

use super::{COLUMNS, Claim, Job, json_text, read};
use crate::error::StoreError;
use crate::store::Store;

/// How a worker ends a job.
#[derive(Clone, Debug, PartialEq)]
pub enum JobEnd {
    /// It is done.
    Done {
        /// What came of it.
        result: Value,
    },
    /// It cannot be done.
    Failed {
        /// Why.
        error: Value,
    },
    /// It did not work this time. It is queued again after a pause, or given up when that was the last attempt.
    Retry {
        /// Why.
        error: Value,
        /// The pause.
        backoff: Backoff,
        /// A random number from 0 to 1: those that failed together shall not come back together.
        jitter: f64,
    },
    /// It was stopped because someone asked for it.
    Cancelled,
}

/// The pause before another attempt: twice as long each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first attempt.
    pub first_ms: i64,
    /// At most.
    pub most_ms: i64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first_ms: 5_000, most_ms: 60 * 60 * 1_000 }
    }
}

impl Backoff {
    /// The pause after this attempt; between half of it and all of it, by the random number.
    pub fn pause_ms(self, attempt: u32, jitter: f64) -> i64 {
        let doubled = 2_i64.saturating_pow(attempt.saturating_sub(1).min(62)).saturating_mul(self.first_ms.max(0));
        let whole = doubled.min(self.most_ms.max(0));
        let half = whole / 2;
        let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
        half + ((whole - half) as f64 * jitter) as i64
    }
}

/// What is written into the row.
struct Outcome {
    state: &'static str,
    error: Option<Value>,
    result: Option<Value>,
    /// When it is due again; none when it is over.
    again: Option<Timestamp>,
}

impl Store {
    /// Ends a job. None when it is no longer this worker's; then nothing happens.
    pub async fn end_job(&self, claim: &Claim, end: JobEnd) -> Result<Option<Job>, StoreError> {
        let now = self.env().now();
        let outcome = outcome(claim, end, now);
        // Whether another attempt is left, and still wanted, the row knows best.
        let sql = format!(
            "UPDATE jobs SET
                 state = CASE WHEN $4 <> 'queued' THEN $4 WHEN cancel_asked_at IS NOT NULL THEN 'cancelled'
                              WHEN attempts >= max_attempts THEN 'failed' ELSE 'queued' END,
                 finished_at = CASE WHEN $4 = 'queued' AND cancel_asked_at IS NULL AND attempts < max_attempts
                                    THEN NULL ELSE CAST($5 AS BIGINT) END,
                 run_at = COALESCE($6, run_at), claimed_by = NULL, lease_until = NULL,
                 error = CAST($7 AS {{json}}), result = CAST($8 AS {{json}})
             WHERE id = $1 AND claimed_by = $2 AND attempts = $3 AND state = 'running' RETURNING {COLUMNS}"
        );
        let sql = sql.replace("{json}", self.db().dialect().json());
        let mut write = self.db().write().await?;
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(claim.job_id.as_str())
            .bind(claim.worker.as_str())
            .bind(i64::from(claim.attempt))
            .bind(outcome.state)
            .bind(now.as_millis())
            .bind(outcome.again.map(Timestamp::as_millis))
            .bind(outcome.error.as_ref().map(json_text))
            .bind(outcome.result.as_ref().map(json_text))
            .fetch_optional(write.connection())
            .await?;
        write.commit().await?;
        row.as_ref().map(read).transpose()
    }

    /// Stops a job: at once when it waits; a worker that is at it is asked to. Gives the job as it is now: one that
    /// has ended stays as it is.
    pub async fn cancel_job(&self, job: &str) -> Result<Option<Job>, StoreError> {
        let sql = "UPDATE jobs SET cancel_asked_at = COALESCE(cancel_asked_at, $2),
                          finished_at = CASE WHEN state = 'queued' THEN CAST($2 AS BIGINT) END,
                          state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
                   WHERE id = $1 AND state IN ('queued', 'running')";
        let mut write = self.db().write().await?;
        let query = sqlx::query(sql).bind(crate::db::plain(job)).bind(self.env().now().as_millis());
        query.execute(write.connection()).await?;
        write.commit().await?;
        self.job(job).await
    }

    /// Forgets the jobs that ended before this moment; says how many.
    pub async fn forget_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        let sql = "DELETE FROM jobs WHERE finished_at < $1 AND state IN ('done', 'failed', 'cancelled')";
        let mut write = self.db().write().await?;
        let gone = sqlx::query(sql).bind(before.as_millis()).execute(write.connection()).await?;
        write.commit().await?;
        Ok(gone.rows_affected())
    }
}

fn outcome(claim: &Claim, end: JobEnd, now: Timestamp) -> Outcome {
    match end {
        JobEnd::Done { result } => Outcome { state: "done", error: None, result: Some(result), again: None },
        JobEnd::Failed { error } => Outcome { state: "failed", error: Some(error), result: None, again: None },
        JobEnd::Retry { error, backoff, jitter } => {
            let pause = backoff.pause_ms(claim.attempt, jitter);
            let again = Timestamp::from_millis(now.as_millis().saturating_add(pause));
            Outcome { state: "queued", error: Some(error), result: None, again: Some(again) }
        }
        JobEnd::Cancelled => {
            let error = json!({ "message": "it was stopped", "reason": "cancelled" });
            Outcome { state: "cancelled", error: Some(error), result: None, again: None }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_are_never_the_same() {
        let backoff = Backoff { first_ms: 1_000, most_ms: 10_000 };
        let whole: Vec<i64> = (0..7).map(|attempt| backoff.pause_ms(attempt, 1.0)).collect();
        assert_eq!(whole, [1_000, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
        assert_eq!((backoff.pause_ms(3, 0.0), backoff.pause_ms(3, 0.5)), (2_000, 3_000));
        assert_eq!(backoff.pause_ms(u32::MAX, f64::NAN), 5_000);
        assert_eq!(Backoff { first_ms: i64::MAX, most_ms: -1 }.pause_ms(9, 2.0), 0);
    }
}
