//! The end of jobs, and the backoff before the next attempt.

use jig_contract::Timestamp;
use serde_json::{Value, json};

use super::{COLUMNS, Claim, Job, json_text, read};
use crate::error::StoreError;
use crate::store::Store;

/// How a job ends.
#[derive(Clone, Debug, PartialEq)]
pub enum JobEnd {
    /// It is completed.
    Done {
        /// The result.
        result: Value,
    },
    /// It failed for good.
    Failed {
        /// The error.
        error: Value,
    },
    /// This attempt failed. The job is queued again after a pause, or fails if it was the last attempt.
    Retry {
        /// The error.
        error: Value,
        /// The backoff.
        backoff: Backoff,
        /// A random number between 0 and 1, so that jobs that failed together are not retried together.
        jitter: f64,
    },
    /// It was cancelled on request.
    Cancelled,
}

/// Exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The pause after the first attempt.
    pub first_ms: i64,
    /// The maximum pause.
    pub most_ms: i64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first_ms: 5_000, most_ms: 60 * 60 * 1_000 }
    }
}

impl Backoff {
    /// The pause after this attempt, between half and all of the backoff, depending on the random number.
    pub fn pause_ms(self, attempt: u32, jitter: f64) -> i64 {
        let doubled = 2_i64.saturating_pow(attempt.saturating_sub(1).min(62)).saturating_mul(self.first_ms.max(0));
        let whole = doubled.min(self.most_ms.max(0));
        let half = whole / 2;
        let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
        half + ((whole - half) as f64 * jitter) as i64
    }
}

/// The values written into the row.
struct Outcome {
    state: &'static str,
    error: Option<Value>,
    result: Option<Value>,
    /// When it is due again; `None` if it has ended.
    again: Option<Timestamp>,
}

impl Store {
    /// Ends a job. `None`, without effect, if the claim was lost.
    pub async fn end_job(&self, claim: &Claim, end: JobEnd) -> Result<Option<Job>, StoreError> {
        let now = self.env().now();
        let outcome = outcome(claim, end, now);
        // Decided in SQL, because only the row knows whether attempts are left and whether it was cancelled.
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

    /// Cancels a job: immediately if it is queued; otherwise its worker is notified. Returns the job's new state; one
    /// that has ended does not change.
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

    /// Deletes jobs that ended before this time and returns their number.
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
            let error = json!({ "message": "it was cancelled", "reason": "cancelled" });
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
