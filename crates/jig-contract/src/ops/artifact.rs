//! Artifacts: planning documents in Markdown, read by section.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::tag::RevisionTag;

/// Whether an artifact can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ArtifactStatus {
    /// It can.
    Draft,
    /// It is locked until a person takes that back.
    Finalized,
}

/// Somebody said that a section is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionDone {
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// Of which revision.
    pub revision: u64,
}

/// A section of an artifact: a level-2 heading and what follows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionInfo {
    /// Stays when the section is renamed or moved.
    pub id: u32,
    /// What addresses call it.
    pub slug: String,
    /// What addresses called it before; they go on reaching it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its heading.
    pub title: String,
    /// Whether somebody said it is done.
    pub is_done: bool,
    /// Whether it is shown folded.
    pub is_collapsed: bool,
    /// Its place, from 1.
    pub order: u32,
    /// The first 200 characters of its text; none when it is empty.
    pub preview: Option<String>,
    /// Its text without the heading, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the text was changed after it was said to be done.
    pub changed_since_done: bool,
    /// Who said that it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<SectionDone>,
    /// The revision in which the text last changed.
    pub changed_in: u64,
    /// Who wrote the text.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
}

/// A revision that was given a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactSnapshotInfo {
    /// The name.
    pub name: String,
    /// The revision.
    pub revision: u64,
    /// When it was named.
    pub at: Timestamp,
    /// Who did.
    pub by: Actor,
}

/// An artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactInfo {
    /// Stays for as long as the artifact exists.
    pub id: String,
    /// Its file name: `concept.md`.
    pub name: String,
    /// What addresses call it.
    pub slug: String,
    /// What people call it.
    pub title: String,
    /// The stage it belongs to.
    pub stage: String,
    /// Whether it can be changed.
    pub status: ArtifactStatus,
    /// The template it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Its sections, in order.
    pub sections: Vec<SectionInfo>,
    /// The text before the first section, where the content was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<String>,
    /// The whole Markdown, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Sections that are done.
    pub sections_complete: u64,
    /// Sections in all.
    pub sections_total: u64,
    /// Sections that are done, in percent, to one place.
    pub progress_pct: f64,
    /// Sections that were changed after they were said to be done.
    pub changed_since_done: u64,
    /// Suggestions that wait for a person.
    pub suggestions: u64,
    /// Revisions with a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<ArtifactSnapshotInfo>,
    /// The number of its last write.
    pub revision: u64,
    /// The newest revision, where an older one is shown or was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_revision: Option<u64>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Who wrote that.
    pub updated_by: Actor,
    /// Identifies this revision: pass it as `base_revision` of a write.
    pub etag: String,
}

/// The artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactOutput {
    /// The artifact.
    pub artifact: ArtifactInfo,
    /// Whether the artifact is new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// List artifacts with their sections and how far they are, by stage
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only artifacts of this stage
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Only artifacts with this status
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ArtifactStatus>,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Artifacts, by stage and name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactListOutput {
    /// The artifacts, without their texts.
    pub artifacts: Vec<ArtifactInfo>,
    /// How many fit in all.
    pub total: u64,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(ArtifactList, Read, Surfaces::unlisted("artifact_list"), ArtifactListParams => ArtifactListOutput,
    r#"{"workbench_id":"board-deck","stage":"discovery"}"#);

/// Show an artifact: its sections, its Markdown, or one section of it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact, such as `concept`
    pub slug: String,
    /// Only these sections, with their texts
    #[arg(long = "section", value_name = "SECTION", value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    /// Leave the texts out
    #[arg(long)]
    #[serde(default)]
    pub outline: bool,
    /// An old revision of it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The revision you have seen: the answer tells when there is a newer one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_revision: Option<u64>,
}
operation!(ArtifactGet, Read, Surfaces::unlisted("artifact_get"), ArtifactGetParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","sections":["what-is-it"]}"#);

/// Make an artifact from a title; a template of that name fills it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What people call it
    pub title: String,
    /// What addresses call it [default: made from the title]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The stage it belongs to [default: the template's, else the present one]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The template, or `none` [default: the one with its slug]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The whole Markdown; then no template is used
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
operation!(ArtifactCreate, Write, Surfaces::unlisted("artifact_create"), ArtifactCreateParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","title":"Concept"}"#);

/// Replace an artifact's whole Markdown; sections keep their ids and done marks
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactPutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact; it is made when there is none
    pub slug: String,
    /// The whole Markdown [default: as it is]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What people call it [default: its first heading]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The stage it belongs to from now on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The `etag` of what you changed: after any other change, nothing is written; 0 for a new artifact
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it although it is finalized; the record says so
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
operation!(ArtifactPut, Write, Surfaces::PEOPLE, ArtifactPutParams => ArtifactOutput,
    r##"{"workbench_id":"board-deck","slug":"concept","content":"# Concept\n\n## What Is It?\n\nA plan.\n","base_revision":1}"##);

/// Delete an artifact; undo brings it back
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` of what you read: after any other change, nothing is deleted
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Delete it although it is finalized; the record says so
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactDeleteOutput {
    /// The artifact.
    pub slug: String,
    /// Its last revision.
    pub revision: u64,
}
operation!(ArtifactDelete, Destructive, Surfaces::PEOPLE, ArtifactDeleteParams => ArtifactDeleteOutput,
    r#"{"workbench_id":"board-deck","slug":"notes"}"#);

/// Lock an artifact: nobody changes it until that is taken back
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactFinalizeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ArtifactFinalize, Write, Surfaces::PEOPLE, ArtifactFinalizeParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);

/// Take the lock of a finalized artifact away
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactUnfinalizeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ArtifactUnfinalize, Write, Surfaces::PEOPLE, ArtifactUnfinalizeParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);
