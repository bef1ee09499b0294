//! Proposals: values for the fields of an entry that await a person's decision. Outputs of recipe runs are proposals
//! too.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::{ProposalId, SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{EntryInfo, EntrySource, LeftOut, operation};
use crate::tag::RevisionTag;

/// The origin of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProposalOrigin {
    /// Values that were found in a text or a file.
    Extraction,
    /// A write by an agent without permission to write.
    AgentWrite,
    /// The output of a recipe's run.
    RecipeRun,
}

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProposalState {
    /// It is pending a person's decision.
    Pending,
    /// All or some values were accepted, and none is pending.
    Accepted,
    /// No value was accepted.
    Rejected,
}

/// A proposed value of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedField {
    /// The field.
    pub field: String,
    /// The value; `null` removes the existing one.
    pub value: Value,
    /// The quote from the source that supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether the quote is in the source. If not, the value is doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote_found: Option<bool>,
    /// The confidence, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The existing value, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Value>,
    /// Whether the field was changed after the revision that the proposal is based on.
    pub conflict: bool,
    /// Its state.
    pub state: ProposalState,
}

/// What a model was sent, without its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SentContext {
    /// The hash of the complete request.
    pub hash: String,
    /// The tokens of its context.
    pub tokens: u64,
    /// What was omitted because it did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The session whose log contains the complete request and answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The step in that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// Values for the fields of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalInfo {
    /// Its id.
    pub id: ProposalId,
    /// Its origin.
    pub origin: ProposalOrigin,
    /// Its state.
    pub state: ProposalState,
    /// The kind of entry.
    pub role: String,
    /// The entry's key within its kind; empty for a singleton.
    pub entry_key: String,
    /// The proposed display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The revision that it is based on; 0 if there was no entry.
    pub base_revision: u64,
    /// The values.
    pub fields: Vec<ProposedField>,
    /// Whether any pending field has changed since.
    pub conflict: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: Actor,
    /// The model that produced the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Their sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// The recipe whose run created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The job of that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// What the model was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentContext>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Actor>,
    /// Why it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_reason: Option<String>,
}

/// The proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalOutput {
    /// The proposal.
    pub proposal: ProposalInfo,
}

/// List the proposals for entries, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryListProposalsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only for entries of this kind
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Only for this one of its kind
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Only in this state [default: pending]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ProposalState>,
    /// Only of this origin
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ProposalOrigin>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Proposals, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryListProposalsOutput {
    /// The proposals.
    pub proposals: Vec<ProposalInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(EntryListProposals, Read, Surfaces::PEOPLE, EntryListProposalsParams => EntryListProposalsOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Accept all or some values of a proposal into its entry
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryAcceptProposalParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The proposal
    pub proposal_id: Given<ProposalId>,
    /// Only these fields
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The `etag` of the entry you read: with the newest, values replace changes made since the proposal
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The accepted proposal and its entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryAcceptProposalOutput {
    /// The entry after the change.
    pub entry: EntryInfo,
    /// The proposal after the decision.
    pub proposal: ProposalInfo,
}
operation!(EntryAcceptProposal, Write, Surfaces::PEOPLE, EntryAcceptProposalParams => EntryAcceptProposalOutput,
    r#"{"workbench_id":"board-deck","proposal_id":"0190b6c2-7d3e-7000-8000-000000000001","fields":["tagline"]}"#);

/// Reject a proposal; the entry does not change
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryRejectProposalParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The proposal
    pub proposal_id: Given<ProposalId>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
operation!(EntryRejectProposal, Write, Surfaces::PEOPLE, EntryRejectProposalParams => ProposalOutput,
    r#"{"workbench_id":"board-deck","proposal_id":"0190b6c2-7d3e-7000-8000-000000000001","reason":"out of date"}"#);
