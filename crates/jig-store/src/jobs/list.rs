//! Lists of jobs.

use jig_contract::{Timestamp, WorkbenchId};
use serde_json::json;
use sqlx::Row as _;

use super::{COLUMNS, Job, JobState, read};
use crate::db::plain;
use crate::error::StoreError;
use crate::store::Store;

/// A filter by workbench.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum JobsOf {
    /// All jobs.
    #[default]
    All,
    /// The jobs of one workbench.
    Workbench(WorkbenchId),
}

/// A filter for jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobQuery {
    /// The workbench.
    pub of: JobsOf,
    /// Restricts the list to these kinds; empty for all.
    pub kinds: Vec<String>,
    /// Restricts the list to these states; empty for all.
    pub states: Vec<JobState>,
    /// The position after which the page starts.
    pub after: Option<JobCursor>,
    /// The maximum number of jobs.
    pub limit: u32,
}

/// A position in a list of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobCursor {
    /// When the previous job was queued.
    pub created_at: Timestamp,
    /// The id of the previous job.
    pub id: String,
}

/// A page of jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobPage {
    /// The jobs, newest first.
    pub jobs: Vec<Job>,
    /// The position of the next page; `None` at the end.
    pub next: Option<JobCursor>,
}

impl Store {
    /// The number of jobs in each state, across all workbenches.
    pub async fn job_counts(&self) -> Result<Vec<(JobState, u64)>, StoreError> {
        let query = sqlx::query("SELECT state, COUNT(*) AS jobs FROM jobs GROUP BY state");
        let rows = query.fetch_all(self.db().pool()).await?;
        let mut counts: Vec<(JobState, u64)> = JobState::ALL.map(|state| (state, 0)).to_vec();
        for row in rows {
            let (word, jobs): (String, i64) = (row.try_get("state")?, row.try_get("jobs")?);
            if let Some((_, count)) = counts.iter_mut().find(|(state, _)| state.word() == word) {
                *count = u64::try_from(jobs).unwrap_or_default();
            }
        }
        Ok(counts)
    }

    /// Lists a page of jobs.
    pub async fn jobs(&self, query: &JobQuery) -> Result<JobPage, StoreError> {
        let dialect = self.db().dialect();
        let bytewise = dialect.bytewise();
        let list =
            |parameter: &str| dialect.listed(&format!("(CASE WHEN {parameter} = '' THEN '[]' ELSE {parameter} END)"));
        let (workbench, whose) = match &query.of {
            JobsOf::All => ("", "$1 = ''"),
            JobsOf::Workbench(id) => (id.as_str(), "workbench_id = $1"),
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs WHERE {whose} AND ($2 = '' OR kind IN ({})) AND ($3 = '' OR state IN ({}))
               AND ($4 = '' OR created_at < $5 OR (created_at = $5 AND id {bytewise} < $4))
             ORDER BY created_at DESC, id {bytewise} DESC LIMIT $6",
            list("$2"),
            list("$3")
        );
        let states: Vec<&str> = query.states.iter().map(|state| state.word()).collect();
        let kinds: Vec<String> = query.kinds.iter().map(plain).collect();
        let after = query.after.as_ref().map_or(("", 0), |after| (after.id.as_str(), after.created_at.as_millis()));
        let text = |list: serde_json::Value| if list == json!([]) { String::new() } else { list.to_string() };
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(workbench)
            .bind(text(json!(kinds)))
            .bind(text(json!(states)))
            .bind(plain(after.0))
            .bind(after.1)
            .bind(i64::from(query.limit) + 1)
            .fetch_all(self.db().pool())
            .await?;
        let mut jobs = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let more = jobs.len() > query.limit as usize;
        jobs.truncate(query.limit as usize);
        let last = jobs.last().filter(|_| more);
        let next = last.map(|last| JobCursor { created_at: last.created_at, id: last.id.clone() });
        Ok(JobPage { jobs, next })
    }
}
