//! Operations on jobs: background work that is retried on failure and survives a crash.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::env::Timestamp;
use crate::error::ErrorInfo;
use crate::given::Given;
use crate::id::{JobId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::operation;

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum JobState {
    /// It waits for its time.
    Queued,
    /// It is at work.
    Running,
    /// It has succeeded.
    Done,
    /// It has failed, and is not tried again.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobInfo {
    /// Its id.
    pub id: JobId,
    /// What it does: `recipe_run`, `asset_cleanup`, …
    pub kind: String,
    /// The workbench it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// Where it stands.
    pub state: JobState,
    /// How often it was tried.
    pub attempts: u32,
    /// How often it is tried at most.
    pub max_attempts: u32,
    /// When it is tried next, or was last.
    pub run_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the last try began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it came to an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Why the last try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// What came out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The recipe that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// The job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobOutput {
    /// The job.
    pub job: JobInfo,
}

/// List jobs, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JobListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only in this state
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<JobState>,
    /// Only of this recipe
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Jobs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobListOutput {
    /// The jobs.
    pub jobs: Vec<JobInfo>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(JobList, Read, Surfaces::PEOPLE, JobListParams => JobListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show one job
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JobGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The job
    pub job_id: Given<JobId>,
}
operation!(JobGet, Read, Surfaces::PEOPLE, JobGetParams => JobOutput,
    r#"{"workbench_id":"board-deck","job_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Stop a job that waits or is at work
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JobCancelParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The job
    pub job_id: Given<JobId>,
}
operation!(JobCancel, Write, Surfaces::PEOPLE, JobCancelParams => JobOutput,
    r#"{"workbench_id":"board-deck","job_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);
