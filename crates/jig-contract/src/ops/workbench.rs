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

/// A workbench at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchInfo {
    /// Its id.
    pub id: WorkbenchId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The number of its last change.
    pub seq: u64,
    /// The hash of its present state.
    pub state: BlobHash,
    /// How many files are published.
    pub files: u64,
    /// How many bytes these have.
    pub bytes: u64,
    /// The Draft, while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftSummary>,
    /// Its folder on this machine, where one is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Make a new, empty workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchCreateParams {
    /// What to call it
    pub name: String,
    /// Its id; made from the name when not given
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Given<WorkbenchId>>,
}
operation!(WorkbenchCreate, Write, Surfaces::PEOPLE, WorkbenchCreateParams => WorkbenchInfo, r#"{"name":"Board deck"}"#);

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
operation!(WorkbenchList, Read, Surfaces::all("list_workbenches"), WorkbenchListParams => WorkbenchListOutput, "{}");

/// Show one workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
operation!(WorkbenchGet, Read, Surfaces::PEOPLE, WorkbenchGetParams => WorkbenchInfo, r#"{"workbench_id":"board-deck"}"#);

/// Give a workbench another name; its id stays
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

/// Copy a workbench with all its history; the two go separate ways from here
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchCloneParams {
    /// The workbench to copy
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What to call the copy
    pub name: String,
    /// The copy's id; made from the name when not given
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Given<WorkbenchId>>,
}
operation!(WorkbenchClone, Write, Surfaces::PEOPLE, WorkbenchCloneParams => WorkbenchInfo,
    r#"{"workbench_id":"board-deck","name":"Board deck, a try"}"#);

/// Write a workbench with its whole history into one .jig archive
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
    /// How many changes it holds.
    pub changes: u64,
    /// How many blobs it holds.
    pub blobs: u64,
}
operation!(WorkbenchExport, Read, Surfaces::HOST, WorkbenchExportParams => WorkbenchExportOutput,
    r#"{"workbench_id":"board-deck","to":"board-deck.jig"}"#);

/// Read a .jig archive into a new workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchImportParams {
    /// The archive to read
    #[arg(value_name = "FILE")]
    pub from: String,
    /// What to call it; the archive's own name when not given
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its id; the archive's own, or one like it, when not given
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
    /// Its id once more, to confirm
    #[arg(long, value_name = "ID")]
    pub confirm: String,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkbenchDeleteOutput {
    /// The id that is free again.
    pub deleted: WorkbenchId,
    /// How many changes its journal had.
    pub changes: u64,
    /// What lies in its folder and was not Jig's to delete.
    pub left_alone: Vec<LeftAlone>,
}
operation!(WorkbenchDelete, Destructive, Surfaces::PEOPLE, WorkbenchDeleteParams => WorkbenchDeleteOutput,
    r#"{"workbench_id":"board-deck","confirm":"board-deck"}"#);
