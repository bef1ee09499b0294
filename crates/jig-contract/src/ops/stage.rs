//! Stages of the work, their templates, and their progress.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{Definition, operation};
use crate::tag::RevisionTag;

/// What an artifact of a stage begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateDefinition {
    /// What addresses call the artifact: `concept`.
    pub slug: String,
    /// What people call it.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The Markdown it begins with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A stage of the work, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageDefinition {
    /// Its name: `discovery`.
    pub stage: String,
    /// What people call it.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its place among the stages: lower ones come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// The artifacts it knows of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<TemplateDefinition>,
}

/// How far a stage is. All of it is counted from its artifacts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageProgress {
    /// Its artifacts.
    pub artifacts_total: u64,
    /// Those that are finalized.
    pub artifacts_finalized: u64,
    /// Sections that are done.
    pub sections_complete: u64,
    /// Sections in all.
    pub sections_total: u64,
    /// Sections that are done, in percent, to one place.
    pub progress_pct: f64,
}

/// The work as a whole: which stage it is in, and how far each stage is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectInfo {
    /// The workbench's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The stage it is in.
    pub current_stage: String,
    /// How far each stage is, by its name, in their order.
    #[schemars(with = "std::collections::BTreeMap<String, StageProgress>")]
    pub stages: Map<String, serde_json::Value>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Identifies the description; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// Show which stage the work is in, and how far each stage is
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ProjectGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The work as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectOutput {
    /// The work as a whole.
    pub project: ProjectInfo,
}
operation!(ProjectGet, Read, Surfaces::unlisted("project_get"), ProjectGetParams => ProjectOutput, r#"{"workbench_id":"board-deck"}"#);

/// Say in a few words what the work is about
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ProjectDescribeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The words, at most 2,000 characters; empty takes them away
    pub description: String,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ProjectDescribe, Write, Surfaces::PEOPLE, ProjectDescribeParams => ProjectOutput,
    r#"{"workbench_id":"board-deck","description":"A planning layer for agents"}"#);

/// Say which stage the work is in
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StageSetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The stage, such as `design`
    pub stage: String,
}
operation!(StageSet, Write, Surfaces::PEOPLE, StageSetParams => ProjectOutput,
    r#"{"workbench_id":"board-deck","stage":"design"}"#);

/// List the stages with their templates, and how far each is
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StageListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Give the templates' texts too
    #[arg(long)]
    #[serde(default)]
    pub include_content: bool,
}
/// A stage of a workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageInfo {
    /// What it is.
    #[serde(flatten)]
    pub definition: StageDefinition,
    /// Whether it is as it came with Jig.
    pub shipped: bool,
    /// Whether the work is in it.
    pub current: bool,
    /// How far it is.
    pub progress: StageProgress,
    /// Identifies the definition; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}
/// The stages, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageListOutput {
    /// The stages.
    pub stages: Vec<StageInfo>,
}
operation!(StageList, Read, Surfaces::PEOPLE, StageListParams => StageListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Add a stage with templates of your own, or change one
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StagePutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The definition, as YAML or JSON
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// A file on this machine that holds it; not over HTTP
    #[arg(long = "file", value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagePutOutput {
    /// The stage.
    pub stage: StageInfo,
    /// Whether anything was saved: a definition that is there already is not.
    pub saved: bool,
}
operation!(StagePut, Write, Surfaces::PEOPLE, StagePutParams => StagePutOutput,
    r#"{"workbench_id":"board-deck","definition":{"stage":"launch","title":"Launch","artifacts":[{"slug":"press","title":"Press","content":"\n"}]}}"#);

/// Delete a stage of your own; one that comes with Jig is as it came again
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StageDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The stage
    pub stage: String,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageDeleteOutput {
    /// The stage.
    pub deleted: String,
    /// Whether the one that comes with Jig is in its place.
    pub shipped_again: bool,
}
operation!(StageDelete, Destructive, Surfaces::PEOPLE, StageDeleteParams => StageDeleteOutput,
    r#"{"workbench_id":"board-deck","stage":"launch"}"#);
