//! Claiming jobs, renewing leases, and reclaiming jobs of dead workers.

use jig_contract::Timestamp;
use serde_json::json;
use sqlx::Row as _;

use super::{COLUMNS, Job, read, skip_locked};
use crate::db::plain;
use crate::error::StoreError;
use crate::store::Store;

/// The parameters of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimQuery {
    /// The worker.
    pub worker: String,
    /// Restricts the claim to these kinds; empty for all.
    pub kinds: Vec<String>,
    /// The length of the lease.
    pub lease_ms: i64,
}

/// The right to work on a job and to end it. Lost when the lease expires and another worker claims the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub job_id: String,
    /// The worker.
    pub worker: String,
    /// The number of the attempt, because the same worker may get the job again.
    pub attempt: u32,
}

/// The answer to a lease renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heartbeat {
    /// Continue.
    Going,
    /// Cancellation was requested.
    CancelAsked,
    /// The job belongs to another worker: stop without recording anything.
    Lost,
}

impl Store {
    /// Claims the job that has been due longest. No job is claimed twice.
    pub async fn claim_job(&self, query: &ClaimQuery) -> Result<Option<(Job, Claim)>, StoreError> {
        let now = self.env().now();
        let due = format!(
            "SELECT id FROM jobs WHERE state = 'queued' AND run_at <= $1 AND ($2 = '' OR kind IN ({}))
             ORDER BY run_at, id LIMIT 1",
            self.db().dialect().listed("(CASE WHEN $2 = '' THEN '[]' ELSE $2 END)")
        );
        let kinds: Vec<String> = query.kinds.iter().map(plain).collect();
        let kinds = if kinds.is_empty() { String::new() } else { json!(kinds).to_string() };
        // A read-only query first, so that polling an empty queue does not block writers.
        let look = sqlx::query(sqlx::AssertSqlSafe(due.clone())).bind(now.as_millis()).bind(kinds.as_str());
        if look.fetch_optional(self.db().pool()).await?.is_none() {
            return Ok(None);
        }
        let sql = format!(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, claimed_by = $3, lease_until = $4,
                             started_at = COALESCE(started_at, $1)
             WHERE id = ({due} {}) RETURNING {COLUMNS}",
            skip_locked(self.db().dialect())
        );
        let mut write = self.db().write().await?;
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(now.as_millis())
            .bind(kinds)
            .bind(plain(&query.worker))
            .bind(until(now, query.lease_ms))
            .fetch_optional(write.connection())
            .await?;
        write.commit().await?;
        let Some(job) = row.as_ref().map(read).transpose()? else { return Ok(None) };
        let claim = Claim { job_id: job.id.clone(), worker: plain(&query.worker), attempt: job.attempts };
        Ok(Some((job, claim)))
    }

    /// Claims this job, even if others have been due longer; `None` if it is not queued.
    pub async fn claim_this_job(
        &self,
        job: &str,
        worker: &str,
        lease_ms: i64,
    ) -> Result<Option<(Job, Claim)>, StoreError> {
        let sql = format!(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, claimed_by = $3, lease_until = $4,
                             started_at = COALESCE(started_at, $1)
             WHERE id = $2 AND state = 'queued' RETURNING {COLUMNS}"
        );
        let (now, worker) = (self.env().now(), plain(worker));
        let mut write = self.db().write().await?;
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(now.as_millis())
            .bind(plain(job))
            .bind(worker.as_str())
            .bind(until(now, lease_ms))
            .fetch_optional(write.connection())
            .await?;
        write.commit().await?;
        let Some(job) = row.as_ref().map(read).transpose()? else { return Ok(None) };
        let claim = Claim { job_id: job.id.clone(), worker, attempt: job.attempts };
        Ok(Some((job, claim)))
    }

    /// Renews the lease of a job.
    pub async fn heartbeat_job(&self, claim: &Claim, lease_ms: i64) -> Result<Heartbeat, StoreError> {
        let sql = "UPDATE jobs SET lease_until = $4
                   WHERE id = $1 AND claimed_by = $2 AND attempts = $3 AND state = 'running'
                   RETURNING cancel_asked_at";
        let mut write = self.db().write().await?;
        let row = sqlx::query(sql)
            .bind(claim.job_id.as_str())
            .bind(claim.worker.as_str())
            .bind(i64::from(claim.attempt))
            .bind(until(self.env().now(), lease_ms))
            .fetch_optional(write.connection())
            .await?;
        write.commit().await?;
        let Some(row) = row else { return Ok(Heartbeat::Lost) };
        let asked: Option<i64> = row.try_get("cancel_asked_at")?;
        Ok(if asked.is_some() { Heartbeat::CancelAsked } else { Heartbeat::Going })
    }

    /// Reclaims jobs with expired leases: they are queued again, or failed if they have no attempts left. Returns their
    /// new state.
    pub async fn reclaim_jobs(&self) -> Result<Vec<Job>, StoreError> {
        let now = self.env().now().as_millis();
        let lost = "SELECT id FROM jobs WHERE state = 'running' AND lease_until <= $1";
        if sqlx::query(lost).bind(now).fetch_optional(self.db().pool()).await?.is_none() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "UPDATE jobs SET
                 state = CASE WHEN cancel_asked_at IS NOT NULL THEN 'cancelled'
                              WHEN attempts >= max_attempts THEN 'failed' ELSE 'queued' END,
                 finished_at = CASE WHEN cancel_asked_at IS NOT NULL OR attempts >= max_attempts
                                    THEN CAST($1 AS BIGINT) END,
                 run_at = $1, claimed_by = NULL, lease_until = NULL, error = CAST($2 AS {{json}})
             WHERE id IN ({lost} {}) RETURNING {COLUMNS}",
            skip_locked(self.db().dialect())
        );
        let sql = sql.replace("{json}", self.db().dialect().json());
        let error = json!({ "message": "its worker stopped responding", "reason": "lease_ended" });
        let mut write = self.db().write().await?;
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(now).bind(error.to_string());
        let rows = rows.fetch_all(write.connection()).await?;
        write.commit().await?;
        rows.iter().map(read).collect()
    }
}

fn until(now: Timestamp, lease_ms: i64) -> i64 {
    now.as_millis().saturating_add(lease_ms.max(0))
}
