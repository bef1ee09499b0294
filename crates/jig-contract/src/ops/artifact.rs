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
    /// It can be changed.
    Draft,
    /// It is locked until a person unlocks it.
    Finalized,
}

/// Who marked a section as done, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionDone {
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The revision to which the mark applies.
    pub revision: u64,
}

/// A section of an artifact: a level-2 heading and what follows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionInfo {
    /// Stays when the section is renamed or moved.
    pub id: u32,
    /// Its slug, as used in addresses.
    pub slug: String,
    /// Earlier slugs; addresses that use them still work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its heading.
    pub title: String,
    /// Whether it was marked as done.
    pub is_done: bool,
    /// Whether it is collapsed in the display.
    pub is_collapsed: bool,
    /// Its position, from 1.
    pub order: u32,
    /// The first 200 characters of its text; none if it is empty.
    pub preview: Option<String>,
    /// Its text without the heading, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the text has changed since the section was marked as done.
    pub changed_since_done: bool,
    /// Who marked it as done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<SectionDone>,
    /// The revision in which the text last changed.
    pub changed_in: u64,
    /// Who wrote the text.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
}

/// A named revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactSnapshotInfo {
    /// The name.
    pub name: String,
    /// The revision.
    pub revision: u64,
    /// When it was named.
    pub at: Timestamp,
    /// Who named it.
    pub by: Actor,
}

/// An artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactInfo {
    /// Permanent for as long as the artifact exists.
    pub id: String,
    /// Its file name: `concept.md`.
    pub name: String,
    /// Its slug, as used in addresses.
    pub slug: String,
    /// The title.
    pub title: String,
    /// The stage it belongs to.
    pub stage: String,
    /// Whether it can be changed.
    pub status: ArtifactStatus,
    /// The template that it was created from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Its sections, in order.
    pub sections: Vec<SectionInfo>,
    /// The text before the first section, if the content was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<String>,
    /// The entire Markdown, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Sections that are done.
    pub sections_complete: u64,
    /// Sections in all.
    pub sections_total: u64,
    /// Sections that are done, in percent, with one decimal place.
    pub progress_pct: f64,
    /// Sections that changed after they were marked as done.
    pub changed_since_done: u64,
    /// Suggestions that are pending.
    pub suggestions: u64,
    /// Revisions with a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<ArtifactSnapshotInfo>,
    /// The number of its newest write.
    pub revision: u64,
    /// The newest revision, if an older one is shown or was passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_revision: Option<u64>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Who wrote it.
    pub updated_by: Actor,
    /// Identifies this revision: pass it as `base_revision` when you write.
    pub etag: String,
}

/// The artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactOutput {
    /// The artifact.
    pub artifact: ArtifactInfo,
    /// Whether it was created by this call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// Warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// List artifacts with their sections and progress, by stage
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
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Artifacts, by stage and name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactListOutput {
    /// The artifacts, without their texts.
    pub artifacts: Vec<ArtifactInfo>,
    /// The total number of matches.
    pub total: u64,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(ArtifactList, Read, Surfaces::action("plans", "list"), ArtifactListParams => ArtifactListOutput,
    r#"{"workbench_id":"board-deck","stage":"discovery"}"#);

/// Show an artifact: its sections, its Markdown, or one section
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
    /// Omit the texts
    #[arg(long)]
    #[serde(default)]
    pub outline: bool,
    /// An old revision
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The revision you have; the response says if there is a newer one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_revision: Option<u64>,
}
operation!(ArtifactGet, Read, Surfaces::action("plans", "get"), ArtifactGetParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","sections":["what-is-it"]}"#);

/// Create an artifact from a title; a template with that name provides its content
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The title
    pub title: String,
    /// Its slug [default: derived from the title]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Its stage [default: the template's, else the current one]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The template, or `none` [default: the one with the same slug]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The entire Markdown, instead of a template
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
operation!(ArtifactCreate, Write, Surfaces::action("plans", "create"), ArtifactCreateParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","title":"Concept"}"#);

/// Replace an artifact's entire Markdown; sections keep their ids and done marks
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactPutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact; it is created if it does not exist
    pub slug: String,
    /// The entire Markdown [default: unchanged]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The title [default: its first heading]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The stage to move it to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The `etag` you read; fails if there is a newer version. 0 for a new artifact
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it even if it is finalized; the history records this
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

/// Delete an artifact; undo restores it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Delete it even if it is finalized; the history records this
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
/// The deleted artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactDeleteOutput {
    /// The artifact.
    pub slug: String,
    /// Its last revision.
    pub revision: u64,
}
operation!(ArtifactDelete, Destructive, Surfaces::PEOPLE, ArtifactDeleteParams => ArtifactDeleteOutput,
    r#"{"workbench_id":"board-deck","slug":"notes"}"#);

/// Lock an artifact, so that no one can change it until it is unlocked
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactFinalizeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ArtifactFinalize, Write, Surfaces::PEOPLE, ArtifactFinalizeParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);

/// Unlock a finalized artifact
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactUnfinalizeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ArtifactUnfinalize, Write, Surfaces::PEOPLE, ArtifactUnfinalizeParams => ArtifactOutput,
    r#"{"workbench_id":"board-deck","slug":"concept"}"#);
