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

/// The initial content of an artifact of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateDefinition {
    /// The artifact's slug: `concept`.
    pub slug: String,
    /// The title.
    pub title: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The initial Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A stage of the work, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageDefinition {
    /// Its name: `discovery`.
    pub stage: String,
    /// The title.
    pub title: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its position among the stages: lower numbers first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Its artifact templates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<TemplateDefinition>,
}

/// The progress of a stage, counted from its artifacts.
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
    /// Sections that are done, in percent, with one decimal place.
    pub progress_pct: f64,
}

/// The project, which is the workbench: its current stage, and the progress of each stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectInfo {
    /// The workbench's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// A description of the work.
    pub description: String,
    /// The current stage.
    pub current_stage: String,
    /// The progress of each stage, by name, in the order of the stages.
    #[schemars(with = "std::collections::BTreeMap<String, StageProgress>")]
    pub stages: Map<String, serde_json::Value>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Identifies this version of the description: pass it as `base_revision` when you change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// Show the current stage, and the progress of each stage
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ProjectGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectOutput {
    /// The project.
    pub project: ProjectInfo,
}
operation!(ProjectGet, Read, Surfaces::all("project_get"), ProjectGetParams => ProjectOutput, r#"{"workbench_id":"board-deck"}"#);

/// Describe the project in a few words
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ProjectDescribeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The description, at most 2,000 characters; empty to remove it
    pub description: String,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ProjectDescribe, Write, Surfaces::PEOPLE, ProjectDescribeParams => ProjectOutput,
    r#"{"workbench_id":"board-deck","description":"A planning layer for agents"}"#);

/// Set the current stage
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

/// List the stages with their templates and progress
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StageListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Include the templates' texts
    #[arg(long)]
    #[serde(default)]
    pub include_content: bool,
}
/// A stage of a workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageInfo {
    /// Its definition.
    #[serde(flatten)]
    pub definition: StageDefinition,
    /// Whether it is built in and unchanged.
    pub shipped: bool,
    /// Whether it is the current stage.
    pub current: bool,
    /// Its progress.
    pub progress: StageProgress,
    /// Identifies this version of the definition: pass it as `base_revision` when you change it.
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

/// Add or change a stage with templates
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StagePutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The definition, as YAML or JSON
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// A file on this machine with the definition (not over HTTP)
    #[arg(long = "file", value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagePutOutput {
    /// The stage.
    pub stage: StageInfo,
    /// Whether anything was saved: false if the definition is unchanged.
    pub saved: bool,
}
operation!(StagePut, Write, Surfaces::PEOPLE, StagePutParams => StagePutOutput,
    r#"{"workbench_id":"board-deck","definition":{"stage":"launch","title":"Launch","artifacts":[{"slug":"press","title":"Press","content":"\n"}]}}"#);

/// Delete your own stage, or restore a built-in stage to its original definition
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StageDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The stage
    pub stage: String,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageDeleteOutput {
    /// The stage.
    pub deleted: String,
    /// Whether Jig's built-in definition is in use again.
    pub shipped_again: bool,
}
operation!(StageDelete, Destructive, Surfaces::PEOPLE, StageDeleteParams => StageDeleteOutput,
    r#"{"workbench_id":"board-deck","stage":"launch"}"#);
