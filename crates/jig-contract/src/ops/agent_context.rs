//! Agent contexts: what an agent sees of the project, the current artifact, related ones, and the conversation.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{ArtifactStatus, StageProgress, TargetInfo, operation};

/// How much of the work an agent sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextLevel {
    /// Names, and the list of sections: for an open conversation.
    Minimal,
    /// The project's summary, previews, and the section that the message refers to.
    Standard,
    /// The entire artifact, and summaries of related ones.
    Full,
}

/// The requested level of a context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WantedLevel {
    /// Chosen by the message: `standard` if it names a section, `full` for a comparison or several targets, else
    /// `minimal`.
    #[default]
    Auto,
    /// Names, and the list of sections: for an open conversation.
    Minimal,
    /// The project's summary, previews, and the section that the message refers to.
    Standard,
    /// The entire artifact, and summaries of related ones.
    Full,
}

/// The project, which is the workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectContext {
    /// The workbench's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description; empty at level `minimal`.
    pub description: String,
    /// The current stage.
    pub current_stage: String,
    /// The progress of each stage, by name, in the order of the stages; empty at level `minimal`.
    #[schemars(with = "std::collections::BTreeMap<String, StageProgress>")]
    pub stages: Map<String, serde_json::Value>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A section, usually without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionContext {
    /// Its slug, as used in addresses.
    pub slug: String,
    /// Its heading.
    pub title: String,
    /// Whether it was marked as done.
    pub is_done: bool,
    /// Whether it is collapsed in the display.
    pub is_collapsed: bool,
    /// Its position, from 1.
    pub order: u32,
    /// The first 200 characters of its text; none if it is empty, and at level `minimal`.
    pub preview: Option<String>,
    /// Its text without the heading, if the message refers to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A named revision that the message refers to. `ArtifactGet` reads its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotContext {
    /// The name.
    pub name: String,
    /// The revision.
    pub revision: u64,
    /// When it was named.
    pub at: Timestamp,
}

/// An artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactContext {
    /// Permanent for as long as the artifact exists.
    pub id: String,
    /// Its file name: `concept.md`.
    pub name: String,
    /// Its slug, as used in addresses.
    pub slug: String,
    /// The revision that is shown: pass it as `base_revision`, so that you do not overwrite later changes by others.
    #[serde(default)]
    pub revision: u64,
    /// The stage it belongs to.
    pub stage: String,
    /// Whether it can be changed.
    pub status: ArtifactStatus,
    /// Its sections, in order.
    pub sections: Vec<SectionContext>,
    /// The entire Markdown: of the current artifact, at level `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Named revisions that the message refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<SnapshotContext>,
    /// Sections that are done.
    pub sections_complete: u64,
    /// Sections in all.
    pub sections_total: u64,
    /// When it was last written.
    pub updated_at: Timestamp,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageContext {
    /// Its number in the conversation.
    pub seq: u64,
    /// The sender: `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// The text.
    pub content: String,
    /// The artifact that it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// How many tokens one component may use, and how many it uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextBudget {
    /// `system_prompt`, `project`, `current_artifact`, `related_artifacts`, `chat_history`, `response` or `reserve`.
    pub component: String,
    /// The token limit.
    pub limit: u64,
    /// The tokens used.
    pub used: u64,
}

/// Something that was omitted from a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextLeftOut {
    /// Its name.
    pub what: String,
    /// Its tokens, if they were counted.
    pub tokens: u64,
    /// Why.
    pub why: String,
    /// How to request it.
    pub how: String,
}

/// The state of the context itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemState {
    /// Its level.
    pub level: ContextLevel,
    /// Identifies its content; `AgentContextRefresh` reports what changed since.
    pub context_version: String,
    /// When it was created.
    pub built_at: Timestamp,
    /// What the message refers to, if that is clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetInfo>,
    /// What to ask the person first, if it is not clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The model's context window, in tokens.
    pub window: u64,
    /// The tokenizer used.
    pub tokenizer: String,
    /// The token budget of each component.
    pub budgets: Vec<ContextBudget>,
    /// Whether the current artifact did not fit, so that its sections are summarized.
    pub summarized: bool,
    /// What was omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ContextLeftOut>,
}

/// What an agent sees of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentContext {
    /// The project.
    pub project: ProjectContext,
    /// The current artifact.
    pub current_artifact: ArtifactContext,
    /// Other artifacts that are in the same stage, linked to it, or named in the message; as summaries.
    pub related_artifacts: Vec<ArtifactContext>,
    /// The newest messages about it, oldest first.
    pub chat_history: Vec<MessageContext>,
    /// The state of the context itself.
    pub system_state: SystemState,
}

/// Build an agent's context: JSON and text, within the budgets of a model's window
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextBuildParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The current artifact [default: the one that the message refers to, else the newest of the current stage]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The level of detail
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub level: WantedLevel,
    /// The person's message: what it refers to is included
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model whose window and tokenizer to use [default: the workbench's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// An agent's context, as values and as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextBuildOutput {
    /// As values.
    pub context: AgentContext,
    /// As text for a prompt. Content of documents cannot break out of its own elements.
    pub text: String,
    /// The tokens of that text.
    pub tokens: u64,
    /// Identifies its content.
    pub context_version: String,
}
operation!(AgentContextBuild, Read, Surfaces::all("agent_context_build"), AgentContextBuildParams => AgentContextBuildOutput,
    r#"{"workbench_id":"board-deck","artifact":"concept","level":"standard","message":"Update the problem statement"}"#);

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SectionAction {
    /// It is new.
    Added,
    /// Its text, title or position changed.
    Changed,
    /// It was removed.
    Removed,
}

/// A section that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionDelta {
    /// Its slug, as used in addresses.
    pub slug: String,
    /// What happened to it.
    pub action: SectionAction,
    /// Its current state; with its text at level `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<SectionContext>,
}

/// A section that was marked as done, or whose mark was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoneDelta {
    /// Its slug, as used in addresses.
    pub slug: String,
    /// Whether it is done.
    pub is_done: bool,
}

/// Only what changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextChanges {
    /// Sections that were added, changed or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionDelta>,
    /// Changed done marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<DoneDelta>,
    /// New messages, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageContext>,
    /// The artifact's status, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ArtifactStatus>,
    /// The number of completed sections, if a count changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_complete: Option<u64>,
    /// The number of sections, if a count changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_total: Option<u64>,
    /// The progress of the current stage, if a count changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageProgress>,
}

/// Why the entire context is returned instead of the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WholeReason {
    /// Another artifact is current.
    ArtifactSwitched,
    /// Another stage is current.
    StageSwitched,
    /// An agent has changed the artifact.
    AgentUpdated,
    /// The caller requested it.
    Asked,
    /// The changes do not fit the budgets.
    TooMuch,
    /// The previous context cannot be compared: its revision no longer exists.
    Unknown,
}

/// Return what changed in an agent's context since a version, or the entire context
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextRefreshParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The `context_version` that the agent has
    pub since: String,
    /// The current artifact [default: that of the context]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The person's message, for an entire context
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model whose window and tokenizer to use [default: the workbench's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Always return the entire context
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}
/// What changed, or the entire context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextRefreshOutput {
    /// Identifies the context that the agent has now.
    pub context_version: String,
    /// Whether anything changed.
    pub changed: bool,
    /// Only what changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<AgentContextChanges>,
    /// Why the entire context is returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WholeReason>,
    /// The entire context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
    /// The entire context or the changes, as text.
    pub text: String,
}
operation!(AgentContextRefresh, Read, Surfaces::all("agent_context_refresh"), AgentContextRefreshParams => AgentContextRefreshOutput,
    r#"{"workbench_id":"board-deck","since":"1:concept:019b76da00007000800000000000000a:1:0:6:0:1.0.0.6:standard:discovery:1767225600000"}"#);

/// Why a context is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OldReason {
    /// It is older than five minutes, and someone is working on the artifact.
    Age,
    /// The artifact's number of sections changed.
    SectionCount,
    /// A person has changed the artifact since.
    PersonChanged,
    /// Another agent has changed the artifact since.
    AgentChanged,
    /// Another artifact or stage is current, or the artifact was deleted.
    Moved,
}

/// A warning about a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OldWarning {
    /// Why it is out of date.
    pub reason: OldReason,
    /// The reason, as a sentence.
    pub message: String,
}

/// Check whether an agent's context is up to date
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextCheckParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The `context_version` that the agent has
    pub context_version: String,
    /// The number of sections that the agent assumes [default: that of the context]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_total: Option<u64>,
    /// Whether someone is working on it [default: if the last message or change is less than half an hour old]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
}
/// Whether a context is up to date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextCheckOutput {
    /// Whether any part of it is out of date.
    pub stale: bool,
    /// The reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<OldWarning>,
    /// How old it is, in seconds.
    pub age_seconds: u64,
    /// The recommended action: `refresh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}
operation!(AgentContextCheck, Read, Surfaces::all("agent_context_check"), AgentContextCheckParams => AgentContextCheckOutput,
    r#"{"workbench_id":"board-deck","context_version":"1:concept:019b76da00007000800000000000000a:1:0:6:0:1.0.0.6:standard:discovery:1767225600000"}"#);
