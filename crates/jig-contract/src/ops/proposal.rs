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

/// What a proposal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProposalOrigin {
    /// Values that were found in a text or a file.
    Extraction,
    /// A write by an agent that may not write there.
    AgentWrite,
    /// The output of a recipe's run.
    RecipeRun,
}

/// Whether a proposal still waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProposalState {
    /// It waits for a person.
    Pending,
    /// All or some of it was taken, and nothing of it waits.
    Accepted,
    /// Nothing of it was taken.
    Rejected,
}

/// A value for one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedField {
    /// The field.
    pub field: String,
    /// The value; `null` takes away the one that is there.
    pub value: Value,
    /// The words of the source that say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether those words are in the source. A quote that is not makes the value doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote_found: Option<bool>,
    /// How sure it is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The value that is there now, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Value>,
    /// Whether the field was changed after the revision that the proposal was made on.
    pub conflict: bool,
    /// Whether it still waits.
    pub state: ProposalState,
}

/// What a model was sent, without its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SentContext {
    /// The hash of the whole question.
    pub hash: String,
    /// The tokens of the context in it.
    pub tokens: u64,
    /// What did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The session in whose log the whole question and the answer are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The step of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// Values for the fields of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalInfo {
    /// Its id.
    pub id: ProposalId,
    /// What it came from.
    pub origin: ProposalOrigin,
    /// Whether it still waits.
    pub state: ProposalState,
    /// The kind of entry.
    pub role: String,
    /// Which one of its kind; empty for a singleton.
    pub entry_key: String,
    /// What the entry is to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The revision it was made on; 0 when there was no entry.
    pub base_revision: u64,
    /// The values.
    pub fields: Vec<ProposedField>,
    /// Whether any field that waits was changed since.
    pub conflict: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who made it.
    pub created_by: Actor,
    /// The model that made the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// What they were made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// The recipe whose run made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The job of that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// What a model was sent for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentContext>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What a person should know.
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
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Proposals, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryListProposalsOutput {
    /// The proposals.
    pub proposals: Vec<ProposalInfo>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(EntryListProposals, Read, Surfaces::PEOPLE, EntryListProposalsParams => EntryListProposalsOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Take the values of a proposal into its entry, all or some
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
    /// The `etag` of the entry you read: with the newest, values replace what was changed since the proposal
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The proposal and what it made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryAcceptProposalOutput {
    /// The entry as it is now.
    pub entry: EntryInfo,
    /// The proposal as it is now.
    pub proposal: ProposalInfo,
}
operation!(EntryAcceptProposal, Write, Surfaces::PEOPLE, EntryAcceptProposalParams => EntryAcceptProposalOutput,
    r#"{"workbench_id":"board-deck","proposal_id":"0190b6c2-7d3e-7000-8000-000000000001","fields":["tagline"]}"#);

/// Say no to a proposal; nothing of the entry changes
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
