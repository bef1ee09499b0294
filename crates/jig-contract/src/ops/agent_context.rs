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

/// How much an agent sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextLevel {
    /// Names, and the list of sections: for a free talk.
    Minimal,
    /// The project's summary, previews, and the section that the message is about.
    Standard,
    /// The whole artifact, and related ones as summaries.
    Full,
}

/// How much an agent is to see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WantedLevel {
    /// By the message: a section that it names is `standard`, a comparison or several targets are `full`, else `minimal`.
    #[default]
    Auto,
    /// Names, and the list of sections: for a free talk.
    Minimal,
    /// The project's summary, previews, and the section that the message is about.
    Standard,
    /// The whole artifact, and related ones as summaries.
    Full,
}

/// The project, which is the workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectContext {
    /// The workbench's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is about; empty at level `minimal`.
    pub description: String,
    /// The stage it is in.
    pub current_stage: String,
    /// How far each stage is, by its name, in their order; empty at level `minimal`.
    #[schemars(with = "std::collections::BTreeMap<String, StageProgress>")]
    pub stages: Map<String, serde_json::Value>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A section, mostly without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionContext {
    /// What addresses call it.
    pub slug: String,
    /// Its heading.
    pub title: String,
    /// Whether somebody said it is done.
    pub is_done: bool,
    /// Whether it is shown folded.
    pub is_collapsed: bool,
    /// Its place, from 1.
    pub order: u32,
    /// The first 200 characters of its text; none when it is empty, and at level `minimal`.
    pub preview: Option<String>,
    /// Its text without the heading, where the message is about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A revision with a name, where the message is about it. Its text is read by `ArtifactGet`.
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
    /// Stays for as long as the artifact exists.
    pub id: String,
    /// Its file name: `concept.md`.
    pub name: String,
    /// What addresses call it.
    pub slug: String,
    /// The revision that is shown: pass it as `base_revision`, so that later changes by others are not overwritten.
    #[serde(default)]
    pub revision: u64,
    /// The stage it belongs to.
    pub stage: String,
    /// Whether it can be changed.
    pub status: ArtifactStatus,
    /// Its sections, in order.
    pub sections: Vec<SectionContext>,
    /// The whole Markdown: of the artifact at hand, at level `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Named revisions that the message is about.
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
    /// Whose voice it is: `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// The words.
    pub content: String,
    /// The artifact that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// What one component may take of the model's window, and what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextBudget {
    /// `system_prompt`, `project`, `current_artifact`, `related_artifacts`, `chat_history`, `response` or `reserve`.
    pub component: String,
    /// The tokens it may take.
    pub limit: u64,
    /// The tokens it takes.
    pub used: u64,
}

/// Something that is not in a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextLeftOut {
    /// What.
    pub what: String,
    /// Its tokens, where they were counted.
    pub tokens: u64,
    /// Why.
    pub why: String,
    /// How to get it.
    pub how: String,
}

/// The state of the view itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemState {
    /// How much it shows.
    pub level: ContextLevel,
    /// Names what it shows; `AgentContextRefresh` tells what changed since.
    pub context_version: String,
    /// When it was made.
    pub built_at: Timestamp,
    /// What the message is about, where that is clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetInfo>,
    /// What to ask the person first, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The model's window, in tokens.
    pub window: u64,
    /// What counted the tokens.
    pub tokenizer: String,
    /// What each component takes.
    pub budgets: Vec<ContextBudget>,
    /// The artifact at hand did not fit: summaries of its sections stand in place of its text.
    pub summarized: bool,
    /// What did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ContextLeftOut>,
}

/// What an agent sees of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentContext {
    /// The project.
    pub project: ProjectContext,
    /// The artifact at hand.
    pub current_artifact: ArtifactContext,
    /// Others of the same stage, linked to it, or named in the message; as summaries.
    pub related_artifacts: Vec<ArtifactContext>,
    /// The newest messages about it, in their order.
    pub chat_history: Vec<MessageContext>,
    /// The state of the view itself.
    pub system_state: SystemState,
}

/// Build what an agent sees of the work: JSON and text, within the budgets of a model's window
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextBuildParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact at hand [default: the one that the message is about, else the newest of the present stage]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// How much to show
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub level: WantedLevel,
    /// The person's message: what it names is included
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model whose window and tokenizer count [default: the workbench's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// What an agent sees, in two forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextBuildOutput {
    /// As values.
    pub context: AgentContext,
    /// As text for a prompt. What documents say cannot leave their own elements.
    pub text: String,
    /// The tokens of that text.
    pub tokens: u64,
    /// Names what it shows.
    pub context_version: String,
}
operation!(AgentContextBuild, Read, Surfaces::unlisted("agent_context_build"), AgentContextBuildParams => AgentContextBuildOutput,
    r#"{"workbench_id":"board-deck","artifact":"concept","level":"standard","message":"Update the problem statement"}"#);

/// What became of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SectionAction {
    /// There was none before.
    Added,
    /// Its text, title or place is another.
    Changed,
    /// There is none any more.
    Removed,
}

/// A section that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionDelta {
    /// What addresses call it.
    pub slug: String,
    /// What became of it.
    pub action: SectionAction,
    /// As it is now; with its text at level `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<SectionContext>,
}

/// A section that is done now, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoneDelta {
    /// What addresses call it.
    pub slug: String,
    /// Whether it is done.
    pub is_done: bool,
}

/// Only what changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextChanges {
    /// Sections that came, changed or went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionDelta>,
    /// Done marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<DoneDelta>,
    /// New messages, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageContext>,
    /// The artifact's status, when it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ArtifactStatus>,
    /// How many sections are done, when a count is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_complete: Option<u64>,
    /// How many there are, when a count is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_total: Option<u64>,
    /// How far the present stage is, when a count is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageProgress>,
}

/// Why a whole context is given where changes were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WholeReason {
    /// Another artifact is at hand.
    ArtifactSwitched,
    /// The work is in another stage.
    StageSwitched,
    /// An agent has changed the artifact.
    AgentUpdated,
    /// It was asked for.
    Asked,
    /// What changed does not fit the budgets.
    TooMuch,
    /// The old view can no longer be compared with: its revision is gone.
    Unknown,
}

/// Tell what changed in an agent's view since a version of it, or give the whole anew
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextRefreshParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The `context_version` of the view that the agent has
    pub since: String,
    /// The artifact at hand now [default: that of the view]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The person's message, for a whole view
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model whose window and tokenizer count [default: the workbench's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Give the whole view in any case
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}
/// What changed, or the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextRefreshOutput {
    /// Names the view that the agent has now.
    pub context_version: String,
    /// Whether anything changed.
    pub changed: bool,
    /// Only what changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<AgentContextChanges>,
    /// Why the whole is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WholeReason>,
    /// The whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
    /// The whole as text, or the changes as text.
    pub text: String,
}
operation!(AgentContextRefresh, Read, Surfaces::unlisted("agent_context_refresh"), AgentContextRefreshParams => AgentContextRefreshOutput,
    r#"{"workbench_id":"board-deck","since":"1:concept:019b76da00007000800000000000000a:1:0:6:0:1.0.0.6:standard:discovery:1767225600000"}"#);

/// What is old about a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OldReason {
    /// It is older than five minutes, and somebody is at work.
    Age,
    /// The artifact has another number of sections.
    SectionCount,
    /// A person changed the artifact since.
    PersonChanged,
    /// Another agent changed the artifact since.
    AgentChanged,
    /// Another artifact or stage is at hand, or the artifact is gone.
    Moved,
}

/// A warning about a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OldWarning {
    /// What is old about it.
    pub reason: OldReason,
    /// The same in words.
    pub message: String,
}

/// Check whether an agent's view is still true
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentContextCheckParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The `context_version` of the view that the agent has
    pub context_version: String,
    /// How many sections the agent speaks of [default: as many as the view had]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections_total: Option<u64>,
    /// Whether somebody is at work [default: when the last message or change is less than half an hour old]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
}
/// Whether a view is still true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContextCheckOutput {
    /// Whether anything about it is old.
    pub stale: bool,
    /// What.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<OldWarning>,
    /// How old it is, in seconds.
    pub age_seconds: u64,
    /// What to do: `refresh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}
operation!(AgentContextCheck, Read, Surfaces::unlisted("agent_context_check"), AgentContextCheckParams => AgentContextCheckOutput,
    r#"{"workbench_id":"board-deck","context_version":"1:concept:019b76da00007000800000000000000a:1:0:6:0:1.0.0.6:standard:discovery:1767225600000"}"#);
