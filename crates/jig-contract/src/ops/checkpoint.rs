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
    /// When it was created.
    pub created_at: Timestamp,
    /// Why it was created.
    pub reason: CheckpointReason,
    /// The state it names.
    pub state: BlobHash,
    /// The number of the last change in that state.
    pub seq: u64,
}

/// Why a checkpoint was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CheckpointReason {
    /// A user requested it.
    Manual,
    /// Before publishing a Draft.
    Publish,
    /// Before a restore.
    Restore,
    /// Before replacing files that were changed outside Jig.
    Conflict,
}

/// Create a named checkpoint of the current state
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckpointCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The name
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

/// Restore a checkpoint's state; the current state becomes a checkpoint first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The checkpoint's id or name
    pub checkpoint: String,
}
/// What was restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointRestoreOutput {
    /// The checkpoint that was restored.
    pub restored: Checkpoint,
    /// The checkpoint of the previous state.
    pub before: Checkpoint,
}
operation!(CheckpointRestore, Write, Surfaces::PEOPLE, CheckpointRestoreParams => CheckpointRestoreOutput,
    r#"{"workbench_id":"board-deck","checkpoint":"before the rewrite"}"#);
