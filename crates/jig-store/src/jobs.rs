//! Jobs: work that outlives the process that asked for it.
//!
//! A job is queued, claimed by one worker for a while (its lease) and ended by it. A worker that dies lets its lease
//! run out; then the job is queued again, with one attempt less. Any number of processes may share the queue.

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

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits for its time or for a worker.
    Queued,
    /// A worker is at it.
    Running,
    /// It is done.
    Done,
    /// It was given up.
    Failed,
    /// Someone did not want it any more.
    Cancelled,
}

impl JobState {
    const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// Its word on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it can still end in another way.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The workbench it is for; none for the whole store.
    pub workbench_id: Option<WorkbenchId>,
    /// What is to be done.
    pub kind: String,
    /// Its purpose: of one workbench only one job with the same is open at a time.
    pub dedupe: Option<String>,
    /// What the worker needs to know.
    pub payload: Value,
    /// How far it is.
    pub state: JobState,
    /// How often it was begun.
    pub attempts: u32,
    /// How often it may be begun.
    pub max_attempts: u32,
    /// When it is due.
    pub run_at: Timestamp,
    /// Who is at it.
    pub claimed_by: Option<String>,
    /// Until when that one has it.
    pub lease_until: Option<Timestamp>,
    /// When someone asked to stop it.
    pub cancel_asked_at: Option<Timestamp>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was first begun.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// Why it failed, or failed the last time.
    pub error: Option<Value>,
    /// What came of it.
    pub result: Option<Value>,
}

/// A job to be.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJob {
    /// The workbench it is for; none for the whole store.
    pub workbench_id: Option<WorkbenchId>,
    /// What is to be done.
    pub kind: String,
    /// Its purpose, if only one job for it may be open.
    pub dedupe: Option<String>,
    /// What the worker needs to know.
    pub payload: Value,
    /// How often it may be begun; at least once.
    pub max_attempts: u32,
    /// When it is due; at once when it is not said.
    pub run_at: Option<Timestamp>,
}

/// What became of a job that was to be queued.
#[derive(Clone, Debug, PartialEq)]
pub enum Enqueued {
    /// It is queued.
    New(Job),
    /// There is an open one for the same purpose.
    Open(Job),
}

impl Enqueued {
    /// The job, whoever queued it.
    pub fn into_job(self) -> Job {
        match self {
            Self::New(job) | Self::Open(job) => job,
        }
    }
}

/// All columns, as they are read.
const COLUMNS: &str = "id, workbench_id, kind, dedupe, CAST(payload AS TEXT) AS payload, state, attempts, max_attempts,
    run_at, claimed_by, lease_until, cancel_asked_at, created_at, started_at, finished_at,
    CAST(error AS TEXT) AS error, CAST(result AS TEXT) AS result";

impl Store {
    /// Queues a job, unless one for the same purpose is open: then it gives that one.
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
            // It may have ended a moment ago; then there is room for the new one.
            if let Some(row) = open.fetch_optional(&mut *connection).await? {
                return Ok(Enqueued::Open(read(&row)?));
            }
        }
    }

    /// Adds a row; none when an open one is in the way.
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
        state: known.ok_or_else(|| StoreError::row(format!("`{state}` is no state of a job")))?,
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

/// A value as any database keeps it: PostgreSQL has no text with a NUL, in JSON neither.
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

/// What makes PostgreSQL leave a row to whoever holds it.
const fn skip_locked(dialect: Dialect) -> &'static str {
    match dialect {
        // There, one transaction that writes runs at a time.
        Dialect::Sqlite => "",
        Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
    }
}
