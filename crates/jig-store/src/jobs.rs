//! Jobs: work that outlives the process that requested it.
//!
//! A job is queued, claimed by one worker for a limited time (its lease), and completed by it. If a worker dies, its
//! lease expires and the job is queued again, with one attempt less. Any number of processes may share the queue.

mod claim;
mod end;
mod list;
mod schedules;

use jig_contract::{Timestamp, WorkbenchId};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::db::{Dialect, counted, plain};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches;

pub use claim::{Claim, ClaimQuery, Heartbeat};
pub use end::{Backoff, JobEnd};
pub use list::{JobCursor, JobPage, JobQuery, JobsOf};
pub use schedules::Schedule;

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Waiting for its time or for a worker.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Completed.
    Done,
    /// Failed for good.
    Failed,
    /// Cancelled on request.
    Cancelled,
}

impl JobState {
    const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it has not ended yet.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// Its workbench; `None` for a job of the entire store.
    pub workbench_id: Option<WorkbenchId>,
    /// The type of work.
    pub kind: String,
    /// The deduplication key: at most one open job per workbench and key.
    pub dedupe: Option<String>,
    /// The parameters for the worker.
    pub payload: Value,
    /// Its state.
    pub state: JobState,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The maximum number of attempts.
    pub max_attempts: u32,
    /// When it is due.
    pub run_at: Timestamp,
    /// The worker that claimed it.
    pub claimed_by: Option<String>,
    /// The end of the lease.
    pub lease_until: Option<Timestamp>,
    /// When cancellation was requested.
    pub cancel_asked_at: Option<Timestamp>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was first started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The error of the last attempt.
    pub error: Option<Value>,
    /// The result.
    pub result: Option<Value>,
}

/// The properties of a new job.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJob {
    /// Its workbench; `None` for a job of the entire store.
    pub workbench_id: Option<WorkbenchId>,
    /// The type of work.
    pub kind: String,
    /// The deduplication key, if only one such job may be open.
    pub dedupe: Option<String>,
    /// The parameters for the worker.
    pub payload: Value,
    /// The maximum number of attempts; at least one.
    pub max_attempts: u32,
    /// When it is due; immediately if `None`.
    pub run_at: Option<Timestamp>,
}

/// The result of queueing a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Enqueued {
    /// The new job.
    New(Job),
    /// An open job with the same deduplication key.
    Open(Job),
}

impl Enqueued {
    /// The job in either case.
    pub fn into_job(self) -> Job {
        match self {
            Self::New(job) | Self::Open(job) => job,
        }
    }
}

/// All columns, in reading order.
const COLUMNS: &str = "id, workbench_id, kind, dedupe, CAST(payload AS TEXT) AS payload, state, attempts, max_attempts,
    run_at, claimed_by, lease_until, cancel_asked_at, created_at, started_at, finished_at,
    CAST(error AS TEXT) AS error, CAST(result AS TEXT) AS result";

impl Store {
    /// Queues a job. If one with the same deduplication key is open, returns that instead.
    pub async fn enqueue_job(&self, new: &NewJob) -> Result<Enqueued, StoreError> {
        let mut write = self.db().write().await?;
        let job = self.enqueue(write.connection(), new).await?;
        write.commit().await?;
        Ok(job)
    }

    /// The job with this id.
    pub async fn job(&self, job: &str) -> Result<Option<Job>, StoreError> {
        let mut connection = self.db().pool().acquire().await?;
        find(&mut connection, job).await
    }

    async fn enqueue(&self, connection: &mut AnyConnection, new: &NewJob) -> Result<Enqueued, StoreError> {
        loop {
            if let Some(job) = self.insert_job(connection, new).await? {
                return Ok(Enqueued::New(job));
            }
            let sql = format!(
                "SELECT {COLUMNS} FROM jobs WHERE COALESCE(workbench_id, '') = $1 AND dedupe = $2
                   AND state IN ('queued', 'running')"
            );
            let workbench = new.workbench_id.as_ref().map_or("", WorkbenchId::as_str);
            let open = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(workbench).bind(new.dedupe.as_ref().map(plain));
            // If it has just ended, the insert can be tried again.
            if let Some(row) = open.fetch_optional(&mut *connection).await? {
                return Ok(Enqueued::Open(read(&row)?));
            }
        }
    }

    /// Inserts a row; `None` if an open job has the same deduplication key.
    async fn insert_job(&self, connection: &mut AnyConnection, new: &NewJob) -> Result<Option<Job>, StoreError> {
        let sql = "INSERT INTO jobs (id, workbench_id, kind, dedupe, payload, state, attempts, max_attempts, run_at,
                                     created_at)
                   VALUES ($1, $2, $3, $4, CAST($5 AS {json}), 'queued', 0, $6, $7, $8)
                   ON CONFLICT (COALESCE(workbench_id, ''), dedupe) WHERE state IN ('queued', 'running') DO NOTHING";
        let (job, now) = (self.env().fresh_id().to_string(), self.env().now());
        let inserted = sqlx::query(self.db().dialect().sql(sql))
            .bind(job.as_str())
            .bind(new.workbench_id.as_ref().map(WorkbenchId::as_str))
            .bind(plain(&new.kind))
            .bind(new.dedupe.as_ref().map(plain))
            .bind(json_text(&new.payload))
            .bind(i64::from(new.max_attempts.max(1)))
            .bind(new.run_at.unwrap_or(now).as_millis())
            .bind(now.as_millis())
            .execute(&mut *connection)
            .await;
        let inserted = workbenches::inserted(inserted, new.workbench_id.as_ref())?;
        if inserted == 1 { find(connection, &job).await } else { Ok(None) }
    }
}

async fn find(connection: &mut AnyConnection, job: &str) -> Result<Option<Job>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = $1");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(plain(job)).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &AnyRow) -> Result<Job, StoreError> {
    let moment = |column: &str| Ok::<_, StoreError>(row.try_get::<Option<i64>, _>(column)?.map(Timestamp::from_millis));
    let json = |column: &str| {
        let text: Option<String> = row.try_get(column)?;
        let value = text.map(|text| serde_json::from_str::<Value>(&text)).transpose();
        value.map_err(|e| StoreError::row(format!("{column}: {e}")))
    };
    let workbench: Option<String> = row.try_get("workbench_id")?;
    let state: String = row.try_get("state")?;
    let known = JobState::ALL.into_iter().find(|one| one.word() == state);
    let small = |column: &str| Ok::<_, StoreError>(u32::try_from(counted(row, column)?).unwrap_or(u32::MAX));
    Ok(Job {
        id: row.try_get("id")?,
        workbench_id: workbench.map(WorkbenchId::new).transpose().map_err(StoreError::row)?,
        kind: row.try_get("kind")?,
        dedupe: row.try_get("dedupe")?,
        payload: json("payload")?.unwrap_or_default(),
        state: known.ok_or_else(|| StoreError::row(format!("invalid job state `{state}`")))?,
        attempts: small("attempts")?,
        max_attempts: small("max_attempts")?,
        run_at: Timestamp::from_millis(row.try_get("run_at")?),
        claimed_by: row.try_get("claimed_by")?,
        lease_until: moment("lease_until")?,
        cancel_asked_at: moment("cancel_asked_at")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        started_at: moment("started_at")?,
        finished_at: moment("finished_at")?,
        error: json("error")?,
        result: json("result")?,
    })
}

/// JSON that every database can store: PostgreSQL accepts no NUL, not even in JSON.
fn json_text(value: &Value) -> String {
    fn clean(value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(plain(text)),
            Value::Array(items) => items.iter().map(clean).collect(),
            Value::Object(members) => members.iter().map(|(name, value)| (plain(name), clean(value))).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
    clean(value).to_string()
}

/// The clause with which PostgreSQL skips rows locked by others.
const fn skip_locked(dialect: Dialect) -> &'static str {
    match dialect {
        // SQLite has one write transaction at a time.
        Dialect::Sqlite => "",
        Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
    }
}
