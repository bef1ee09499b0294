//! Operations on history.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::event::EventRecord;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// One row of the journal: a change from one complete state to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// Its number in this workbench, from 1, without gaps.
    pub seq: u64,
    /// When it was created.
    pub at: Timestamp,
    /// Who created it.
    pub actor: Actor,
    /// The operation that made it.
    pub operation: String,
    /// A summary, in one line.
    pub summary: String,
    /// The state before.
    pub state_before: BlobHash,
    /// The state after.
    pub state_after: BlobHash,
    /// For an undo or redo: the number of the change that it reverts or repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
}

/// List the changes of a workbench, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JournalListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only changes before this number
    #[arg(long, value_name = "SEQ")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Maximum number of results (default 50)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
/// Changes, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalListOutput {
    /// The changes.
    pub entries: Vec<JournalEntry>,
    /// The total number.
    pub total: u64,
    /// Whether there are older ones: repeat the call with `before` set to the last number.
    pub has_more: bool,
}
operation!(JournalList, Read, Surfaces::PEOPLE, JournalListParams => JournalListOutput,
    r#"{"workbench_id":"board-deck","limit":20}"#);

/// Undo the newest change; repeat to undo earlier ones
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JournalUndoParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// What was undone or redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalUndoOutput {
    /// The change that was undone or redone.
    pub change: JournalEntry,
    /// The new journal row of the undo or redo.
    pub entry: JournalEntry,
}
operation!(JournalUndo, Write, Surfaces::PEOPLE, JournalUndoParams => JournalUndoOutput, r#"{"workbench_id":"board-deck"}"#);

/// Redo the change that was last undone
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct JournalRedoParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
operation!(JournalRedo, Write, Surfaces::PEOPLE, JournalRedoParams => JournalUndoOutput, r#"{"workbench_id":"board-deck"}"#);

/// Replay a workbench's events after a number
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EventListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only events after this number; 0 for all
    #[arg(long, default_value_t = 0, value_name = "SEQ")]
    #[serde(default)]
    pub after: u64,
    /// Maximum number of results (default 100)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
/// Events, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventListOutput {
    /// The events.
    pub events: Vec<EventRecord>,
    /// Pass this as `after` to continue.
    pub cursor: u64,
    /// Whether there are more events now.
    pub has_more: bool,
}
operation!(EventList, Read, Surfaces::PEOPLE, EventListParams => EventListOutput, r#"{"workbench_id":"board-deck","after":0}"#);
