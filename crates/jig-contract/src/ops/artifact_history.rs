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

/// Give the present revision of an artifact a name to come back to
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactSnapshotParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// What to call it
    pub name: String,
}
operation!(ArtifactSnapshot, Write, Surfaces::PEOPLE, ArtifactSnapshotParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","name":"before the rewrite"}"#);

/// Make an old revision of an artifact the newest; what came between stays in the history
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The revision to go back to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The name of the revision to go back to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it although it is finalized; the record says so
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
operation!(ArtifactRestore, Write, Surfaces::PEOPLE, ArtifactRestoreParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","revision":1}"#);

/// List the writes of an artifact, newest first, with the sections that each changed
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactHistoryParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// What became of a section in a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SectionChangeKind {
    /// It is new.
    Added,
    /// It has another text.
    Changed,
    /// It has another name.
    Renamed,
    /// It has another place.
    Moved,
    /// It was said to be done.
    Done,
    /// That was taken back.
    Undone,
    /// It is gone.
    Removed,
}
/// A section that a write changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionChange {
    /// Its slug, after the write where it has one.
    pub section: String,
    /// What became of it.
    pub change: SectionChangeKind,
    /// What it was called before.
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
    /// The names it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<String>,
}
/// Writes, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactHistoryOutput {
    /// The writes.
    pub revisions: Vec<ArtifactRevision>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(ArtifactHistory, Read, Surfaces::PEOPLE, ArtifactHistoryParams => ArtifactHistoryOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);
