//! Operations on workbenches.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{DraftSummary, LeftAlone, operation};

/// A summary of a workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchInfo {
    /// Its id.
    pub id: WorkbenchId,
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The number of its last change.
    pub seq: u64,
    /// The hash of its current state.
    pub state: BlobHash,
    /// How many files are published.
    pub files: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// The Draft, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftSummary>,
    /// Its folder on this machine, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Create a new, empty workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchCreateParams {
    /// The name
    pub name: String,
    /// Its id [default: derived from the name]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Given<WorkbenchId>>,
}
operation!(WorkbenchCreate, Write, Surfaces::action("workbench", "create"), WorkbenchCreateParams => WorkbenchInfo, r#"{"name":"Board deck"}"#);

/// List all workbenches
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchListParams {}
/// All workbenches, by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchListOutput {
    /// The workbenches.
    pub workbenches: Vec<WorkbenchInfo>,
}
operation!(WorkbenchList, Read, Surfaces::action("workbench", "list"), WorkbenchListParams => WorkbenchListOutput, "{}");

/// Show one workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
operation!(WorkbenchGet, Read, Surfaces::action("workbench", "use"), WorkbenchGetParams => WorkbenchInfo, r#"{"workbench_id":"board-deck"}"#);

/// Rename a workbench; its id stays
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchRenameParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The new name
    pub name: String,
}
operation!(WorkbenchRename, Write, Surfaces::PEOPLE, WorkbenchRenameParams => WorkbenchInfo,
    r#"{"workbench_id":"board-deck","name":"Board deck Q3"}"#);

/// Copy a workbench with its entire history
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchCloneParams {
    /// The workbench to copy
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The copy's name
    pub name: String,
    /// The copy's id [default: derived from the name]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Given<WorkbenchId>>,
}
operation!(WorkbenchClone, Write, Surfaces::PEOPLE, WorkbenchCloneParams => WorkbenchInfo,
    r#"{"workbench_id":"board-deck","name":"Board deck, a try"}"#);

/// Export a workbench with its entire history as a .jig archive
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchExportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The archive to write
    #[arg(value_name = "FILE")]
    pub to: String,
    /// Replace the archive if it exists
    #[arg(long)]
    #[serde(default)]
    pub overwrite: bool,
}
/// What was exported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchExportOutput {
    /// The archive.
    pub to: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// How many changes it contains.
    pub changes: u64,
    /// How many blobs it contains.
    pub blobs: u64,
}
operation!(WorkbenchExport, Read, Surfaces::HOST, WorkbenchExportParams => WorkbenchExportOutput,
    r#"{"workbench_id":"board-deck","to":"board-deck.jig"}"#);

/// Import a .jig archive as a new workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchImportParams {
    /// The archive to read
    #[arg(value_name = "FILE")]
    pub from: String,
    /// The name [default: the archive's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its id [default: the archive's, or a similar one]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Given<WorkbenchId>>,
}
operation!(WorkbenchImport, Write, Surfaces::HOST, WorkbenchImportParams => WorkbenchInfo, r#"{"from":"board-deck.jig"}"#);

/// Delete a workbench with its history and its folder
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Its id again, to confirm
    #[arg(long, value_name = "ID")]
    pub confirm: String,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchDeleteOutput {
    /// The id, which can be used again.
    pub deleted: WorkbenchId,
    /// How many changes its journal had.
    pub changes: u64,
    /// Files in its folder that Jig did not create and left in place.
    pub left_alone: Vec<LeftAlone>,
}
operation!(WorkbenchDelete, Destructive, Surfaces::PEOPLE, WorkbenchDeleteParams => WorkbenchDeleteOutput,
    r#"{"workbench_id":"board-deck","confirm":"board-deck"}"#);
