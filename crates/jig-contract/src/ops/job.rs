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

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum JobState {
    /// It is waiting to be run.
    Queued,
    /// It is running.
    Running,
    /// It succeeded.
    Done,
    /// It failed and will not be retried.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobInfo {
    /// Its id.
    pub id: JobId,
    /// Its type: `recipe_run`, `asset_cleanup`, …
    pub kind: String,
    /// The workbench it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// Where it stands.
    pub state: JobState,
    /// How many attempts were made.
    pub attempts: u32,
    /// The maximum number of attempts.
    pub max_attempts: u32,
    /// When it runs next, or last ran.
    pub run_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the last attempt started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// Its result.
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
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Jobs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobListOutput {
    /// The jobs.
    pub jobs: Vec<JobInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
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

/// Cancel a pending or running job
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
