//! Operations on checkpoints.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::{CheckpointId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::operation;

/// A named state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// Its id.
    pub id: CheckpointId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Why it was made.
    pub reason: CheckpointReason,
    /// The state it names.
    pub state: BlobHash,
    /// The number of the last change in that state.
    pub seq: u64,
}

/// Why a checkpoint was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CheckpointReason {
    /// Somebody asked for it.
    Manual,
    /// A Draft was about to be published.
    Publish,
    /// A restore was about to happen.
    Restore,
    /// Files changed outside were about to be replaced.
    Conflict,
}

/// Give the present state a name to come back to
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckpointCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What to call it
    pub name: String,
}
operation!(CheckpointCreate, Write, Surfaces::PEOPLE, CheckpointCreateParams => Checkpoint,
    r#"{"workbench_id":"board-deck","name":"before the rewrite"}"#);

/// List the checkpoints, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckpointListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// Checkpoints, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointListOutput {
    /// The checkpoints.
    pub checkpoints: Vec<Checkpoint>,
}
operation!(CheckpointList, Read, Surfaces::PEOPLE, CheckpointListParams => CheckpointListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Bring a checkpoint's state back; the present one is kept as a checkpoint first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The checkpoint's id or its name
    pub checkpoint: String,
}
/// What was restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointRestoreOutput {
    /// The checkpoint that was brought back.
    pub restored: Checkpoint,
    /// The checkpoint of the state before.
    pub before: Checkpoint,
}
operation!(CheckpointRestore, Write, Surfaces::PEOPLE, CheckpointRestoreParams => CheckpointRestoreOutput,
    r#"{"workbench_id":"board-deck","checkpoint":"before the rewrite"}"#);
