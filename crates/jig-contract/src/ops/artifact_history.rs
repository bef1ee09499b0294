//! History of artifacts: revisions, named revisions, and restoring.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{ArtifactOutput, operation};
use crate::tag::RevisionTag;

/// Name the current revision of an artifact, so that you can restore it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactSnapshotParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The name
    pub name: String,
}
operation!(ArtifactSnapshot, Write, Surfaces::PEOPLE, ArtifactSnapshotParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","name":"before the rewrite"}"#);

/// Restore an old revision of an artifact; later revisions stay in the history
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The revision to restore
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The name of the revision to restore
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it even if it is finalized; the history records this
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
operation!(ArtifactRestore, Write, Surfaces::PEOPLE, ArtifactRestoreParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","revision":1}"#);

/// List the revisions of an artifact, newest first, with the sections that each changed
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactHistoryParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// What a write did to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SectionChangeKind {
    /// It was added.
    Added,
    /// Its text changed.
    Changed,
    /// It was renamed.
    Renamed,
    /// It was moved.
    Moved,
    /// It was marked as done.
    Done,
    /// Its done mark was removed.
    Undone,
    /// It was removed.
    Removed,
}
/// A section that a write changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionChange {
    /// Its slug, after the write if it still exists.
    pub section: String,
    /// What happened to it.
    pub change: SectionChangeKind,
    /// Its previous title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}
/// One write of an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRevision {
    /// Its number.
    pub revision: u64,
    /// Who wrote it.
    pub author: Actor,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// The sections it changed.
    pub changes: Vec<SectionChange>,
    /// Whether the text before the sections changed.
    pub lead_changed: bool,
    /// The names of this revision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<String>,
}
/// Writes, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactHistoryOutput {
    /// The writes.
    pub revisions: Vec<ArtifactRevision>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(ArtifactHistory, Read, Surfaces::PEOPLE, ArtifactHistoryParams => ArtifactHistoryOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);
