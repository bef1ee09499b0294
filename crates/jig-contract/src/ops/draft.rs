//! Operations on the Draft.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::hash::{BlobHash, HashPrefix};
use crate::id::{CheckpointId, DraftId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{FileInfo, operation};
use crate::path::WorkbenchPath;

/// A summary of the Draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftSummary {
    /// Its id.
    pub id: DraftId,
    /// When it was created.
    pub created_at: Timestamp,
    /// What started it.
    pub source: DraftSource,
    /// The state at its start, with which review compares.
    pub base_state: BlobHash,
}

/// What started a Draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DraftSource {
    /// An explicit call.
    Request,
    /// The first write.
    FirstWrite,
    /// A file that was put into the folder by hand.
    Outside,
}

/// The age of a Draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DraftAge {
    /// Less than 24 hours.
    Fresh,
    /// More than 24 hours: time to review it.
    Reminder,
    /// More than 7 days.
    Stale,
}

/// Start a Draft: a copy of the published files that can be changed and reviewed
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
operation!(DraftCreate, Draft, Surfaces::PEOPLE, DraftCreateParams => DraftSummary, r#"{"workbench_id":"board-deck"}"#);

/// Show whether there is a Draft, its age and its number of changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftGetStateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The Draft's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftGetStateOutput {
    /// Whether there is a Draft.
    pub exists: bool,
    /// The Draft, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftSummary>,
    /// Its age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<DraftAge>,
    /// A reminder if it is older than 24 hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminder: Option<String>,
    /// Whether it is older than 7 days.
    pub stale: bool,
    /// How many files it adds.
    pub added: u64,
    /// How many files it changes.
    pub modified: u64,
    /// How many files it deletes.
    pub deleted: u64,
    /// Published files that were changed outside Jig after the Draft was started.
    pub published_changed: Vec<WorkbenchPath>,
    /// Set if the state at the Draft's start cannot be read, so that the counts compare with the published files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The session whose run is working on the Draft: the Draft cannot be published until that run ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_session: Option<String>,
}
operation!(DraftGetState, Read, Surfaces::PEOPLE, DraftGetStateParams => DraftGetStateOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Write a text file into the Draft; the first write starts one
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftWriteTextParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file to write; missing parent folders are created
    pub path: Given<WorkbenchPath>,
    /// The complete text
    #[arg(long)]
    pub text: String,
    /// Write only if the file still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without writing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What a write into the Draft did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftWriteOutput {
    /// Whether the file changed, or would change in a dry run.
    pub changed: bool,
    /// A summary of the change.
    pub summary: String,
    /// The previous hash; none if the file is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<BlobHash>,
    /// The file after the write; none if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileInfo>,
    /// Whether this write started the Draft.
    pub draft_created: bool,
    /// Whether this was a dry run.
    pub dry_run: bool,
}
operation!(DraftWriteText, Draft, Surfaces::all("write_text_file"), DraftWriteTextParams => DraftWriteOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt","text":"Revenue grew 23 %.\n"}"#);

/// Remove a file in the Draft; the published file remains until you publish
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftRemoveFileParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file to remove
    pub path: Given<WorkbenchPath>,
    /// Remove only if the file still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without removing anything
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(DraftRemoveFile, Draft, Surfaces::action("manage_files", "delete"), DraftRemoveFileParams => DraftWriteOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);

/// Rename or move a file in the Draft; the published file keeps its name until you publish
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftMoveFileParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file to move
    pub path: Given<WorkbenchPath>,
    /// Its new path; missing folders are created
    pub to: Given<WorkbenchPath>,
    /// Replace an existing file
    #[arg(long)]
    #[serde(default)]
    pub overwrite: bool,
    /// Move only if the file still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without moving anything
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(DraftMoveFile, Draft, Surfaces::action("manage_files", "rename"), DraftMoveFileParams => DraftWriteOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt","to":"archive/notes.txt"}"#);

/// Copy a file in the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftCopyFileParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file to copy
    pub path: Given<WorkbenchPath>,
    /// The path of the copy; missing folders are created
    pub to: Given<WorkbenchPath>,
    /// Replace an existing file
    #[arg(long)]
    #[serde(default)]
    pub overwrite: bool,
    /// Copy only if the file still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without copying anything
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(DraftCopyFile, Draft, Surfaces::action("manage_files", "copy"), DraftCopyFileParams => DraftWriteOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt","to":"notes 2.txt"}"#);

/// Undo the newest change of the Draft, if you made it; repeat to undo your earlier ones
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftUndoParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// What was undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftUndoOutput {
    /// What the undone change did.
    pub undone: String,
    /// The operation that made it.
    pub operation: String,
    /// Whether a Draft still exists: undoing its first change ends it.
    pub draft_exists: bool,
}
operation!(DraftUndo, Draft, Surfaces::all("undo"), DraftUndoParams => DraftUndoOutput, r#"{"workbench_id":"board-deck"}"#);

/// What to do if published files were changed outside Jig after the Draft was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OnConflict {
    /// Stop and list the files.
    #[default]
    Stop,
    /// Use the outside version of those files; the Draft's own changes to other files are kept.
    TakeOutside,
    /// Keep the Draft's version; the outside version is stored as a checkpoint first.
    KeepDraft,
}

/// Publish the Draft's files, all at once
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftPublishParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// A file that the Draft deletes, confirmed by name; repeat for each file
    #[arg(long = "confirm-deletion", value_name = "PATH")]
    #[serde(default)]
    pub confirm_deletions: Vec<Given<WorkbenchPath>>,
    /// What to do if published files were changed outside Jig after the Draft was started
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub on_conflict: OnConflict,
    /// The `tag` of the change set you reviewed: if the Draft has changed since, nothing is published
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<String>,
}
/// What was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftPublishOutput {
    /// The new files.
    pub added: Vec<WorkbenchPath>,
    /// The changed files.
    pub modified: Vec<WorkbenchPath>,
    /// The deleted files.
    pub deleted: Vec<WorkbenchPath>,
    /// The checkpoint of the previous state.
    pub checkpoint_id: CheckpointId,
    /// The files for which the outside version was taken.
    pub taken_from_outside: Vec<WorkbenchPath>,
}
operation!(DraftPublish, Write, Surfaces::all("publish_draft"), DraftPublishParams => DraftPublishOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Discard the Draft; undo restores it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct DraftDiscardParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// What was discarded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftDiscardOutput {
    /// The discarded Draft.
    pub discarded: DraftId,
    /// How many changed files it contained.
    pub files: u64,
}
operation!(DraftDiscard, Destructive, Surfaces::PEOPLE, DraftDiscardParams => DraftDiscardOutput,
    r#"{"workbench_id":"board-deck"}"#);
