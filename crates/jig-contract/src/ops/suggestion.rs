//! Suggestions: proposed changes of a section, until a person decides.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::{SuggestionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{ArtifactInfo, ProposalState, operation};
use crate::tag::RevisionTag;

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SuggestedLineTag {
    /// It is unchanged.
    Context,
    /// It is added.
    Added,
    /// It is removed.
    Removed,
}

/// One line of the difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedLine {
    /// What happens to it.
    pub tag: SuggestedLineTag,
    /// The line.
    pub text: String,
}

/// A suggestion for a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionInfo {
    /// Its id.
    pub id: SuggestionId,
    /// The artifact.
    pub artifact_slug: String,
    /// The artifact's own id.
    pub artifact_id: String,
    /// The section's current slug.
    pub section_slug: String,
    /// The section's own id.
    pub section_id: u32,
    /// The section's heading.
    pub section_title: String,
    /// The suggested change.
    pub suggestion: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The suggested text of the section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Its state.
    pub state: ProposalState,
    /// The artifact's revision that it is based on.
    pub base_revision: u64,
    /// Whether the section has been changed or removed since.
    pub conflict: bool,
    /// The difference from the section's current text, if a text is suggested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<SuggestedLine>,
    /// When it was created.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: Actor,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Actor>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_reason: Option<String>,
}

/// List suggestions for sections, newest first, with their changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SuggestionListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only those for this artifact
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_slug: Option<String>,
    /// Only those for this section
    #[arg(long = "section")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_slug: Option<String>,
    /// Only those in this state [default: pending]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ProposalState>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Suggestions, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionListOutput {
    /// The suggestions.
    pub suggestions: Vec<SuggestionInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(SuggestionList, Read, Surfaces::PEOPLE, SuggestionListParams => SuggestionListOutput,
    r#"{"workbench_id":"board-deck","artifact_slug":"research"}"#);

/// Accept a suggestion: its text, or yours, replaces the section's text
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SuggestionAcceptParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The suggestion
    pub suggestion_id: Given<SuggestionId>,
    /// Your text instead of the suggested one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The newest `etag` of the artifact, to accept it although the section has changed since
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change the artifact even if it is finalized; the history records this
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
/// The result of accepting a suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionAcceptOutput {
    /// The suggestion after the decision.
    pub suggestion: SuggestionInfo,
    /// The artifact after the change, without its text.
    pub artifact: ArtifactInfo,
    /// Whether the section's text changed.
    pub changed: bool,
}
operation!(SuggestionAccept, Write, Surfaces::PEOPLE, SuggestionAcceptParams => SuggestionAcceptOutput,
    r#"{"workbench_id":"board-deck","suggestion_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Reject a suggestion; the artifact does not change
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SuggestionRejectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The suggestion
    pub suggestion_id: Given<SuggestionId>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
/// The suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionOutput {
    /// The suggestion after the decision.
    pub suggestion: SuggestionInfo,
}
operation!(SuggestionReject, Write, Surfaces::PEOPLE, SuggestionRejectParams => SuggestionOutput,
    r#"{"workbench_id":"board-deck","suggestion_id":"0190b6c2-7d3e-7000-8000-000000000001","reason":"not now"}"#);
