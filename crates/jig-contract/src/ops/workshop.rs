//! The Workshop: agent runs in a session.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::{SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{RunMode, SessionOutput, operation};
use crate::path::WorkbenchPath;

/// What one run does differently from its session
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RunOptions {
    /// How the task is worked on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RunMode>,
    /// Another model
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another prompt pack
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Another tool catalog
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// Another version of the agent workspace, for this run only
    #[arg(long, value_name = "NUMBER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_version: Option<u64>,
    /// The most tokens
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most that it may cost, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// The longest time at work, in seconds
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}

/// Give an agent a task, and let it work until it is done, has a question or stands still
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopSendParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// What is to be done
    pub message: String,
    /// What this run does differently
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopSend, Write, Surfaces::PEOPLE, WorkshopSendParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","message":"How much did we spend in March?"}"#);

/// Begin a conversation with a task; a session is made with it, and none when the task is refused
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopBeginParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What is to be done
    pub message: String,
    /// The id that the session gets [default: a fresh one]
    #[arg(long = "session", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Given<SessionId>>,
    /// What people call it [default: the beginning of the message]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]` [default: the workbench's own where it has one, else `jig`]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Let the mode and the model that are chosen here hold for later tasks of the session too
    #[arg(long)]
    #[serde(default)]
    pub keep: bool,
    /// What this run does differently
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopBegin, Write, Surfaces::PEOPLE, WorkshopBeginParams => SessionOutput,
    r#"{"workbench_id":"board-deck","message":"How much did we spend in March?"}"#);

/// Go on with a run that stands still
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopResumeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The most tokens from now on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most that it may cost from now on, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// The longest time at work from now on, in seconds
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// Continue without the tool call that needs consent; its result says that a person declined it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decline: bool,
}
operation!(WorkshopResume, Write, Surfaces::PEOPLE, WorkshopResumeParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Stop the run; the Draft keeps what was finished
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopCancelParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
operation!(WorkshopCancel, Write, Surfaces::PEOPLE, WorkshopCancelParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Bring the workbench and the conversation back to how they were at a message
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopUndoToMessageParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The message's number
    pub message: u64,
    /// A file whose edits by people, or by other agents, may be dropped from the Draft; once for each
    #[arg(long = "confirm-drop", value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm_drop: Vec<Given<WorkbenchPath>>,
}
operation!(WorkshopUndoToMessage, Write, Surfaces::PEOPLE, WorkshopUndoToMessageParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","message":4}"#);

/// Work on the last message once more
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopRegenerateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// A file whose edits by people, or by other agents, may be dropped from the Draft; once for each
    #[arg(long = "confirm-drop", value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm_drop: Vec<Given<WorkbenchPath>>,
    /// What this run does differently
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopRegenerate, Write, Surfaces::PEOPLE, WorkshopRegenerateParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);
