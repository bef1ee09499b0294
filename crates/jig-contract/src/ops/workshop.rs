//! The Workshop: agent runs in a session.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::{SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{RunMode, SessionOutput, operation};
use crate::path::WorkbenchPath;

/// Overrides of the session's defaults, for one run
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RunOptions {
    /// How the task is worked on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RunMode>,
    /// The model
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt pack
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The agent workspace version
    #[arg(long, value_name = "NUMBER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_version: Option<u64>,
    /// Token limit
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Cost limit, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// Time limit, in seconds of working time
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}

/// Give an agent a task, and run it until it is done, asks a question or is paused
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopSendParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The task
    pub message: String,
    /// Overrides of the session's defaults
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopSend, Write, Surfaces::PEOPLE, WorkshopSendParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","message":"How much did we spend in March?"}"#);

/// Start a conversation with a task; the session is created with it, unless the task is refused
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopBeginParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The task
    pub message: String,
    /// The id of the session [default: generated]
    #[arg(long = "session", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Given<SessionId>>,
    /// The title [default: the start of the message]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]` [default: the workbench's own where it has one, else `jig`]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Also use the chosen mode and model for later tasks of the session
    #[arg(long)]
    #[serde(default)]
    pub keep: bool,
    /// Overrides of the session's defaults
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopBegin, Write, Surfaces::PEOPLE, WorkshopBeginParams => SessionOutput,
    r#"{"workbench_id":"board-deck","message":"How much did we spend in March?"}"#);

/// Resume a paused run
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopResumeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// New token limit
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// New cost limit, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// New time limit, in seconds of working time
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

/// Cancel the run; the Draft keeps the completed changes
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

/// Restore the workbench and the conversation to their state at a message
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
    /// A file whose edits by people or other agents may be dropped from the Draft; repeat for each file
    #[arg(long = "confirm-drop", value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm_drop: Vec<Given<WorkbenchPath>>,
}
operation!(WorkshopUndoToMessage, Write, Surfaces::PEOPLE, WorkshopUndoToMessageParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","message":4}"#);

/// Repeat the last task
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkshopRegenerateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// A file whose edits by people or other agents may be dropped from the Draft; repeat for each file
    #[arg(long = "confirm-drop", value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm_drop: Vec<Given<WorkbenchPath>>,
    /// Overrides of the session's defaults
    #[command(flatten)]
    #[serde(default)]
    pub options: RunOptions,
}
operation!(WorkshopRegenerate, Write, Surfaces::PEOPLE, WorkshopRegenerateParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);
