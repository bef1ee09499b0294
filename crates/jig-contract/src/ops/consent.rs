//! Consent for data to leave the machine, and the egress log.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// The scope of a consent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ConsentReach {
    /// For one call that sends exactly the bytes that were shown. A run of an agent is one call: see `EgressScope`.
    #[default]
    Once,
    /// For every call with the same scope: the same files, items, entries and artifacts, whatever their content is.
    Kept,
    /// For every call, whatever is added later.
    All,
    /// For one likely key that was found in a request: it may be sent to this model. `scope_hash` is its fingerprint.
    Secret,
}

/// A person's consent that content of a workbench may be sent to a model or to an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Consent {
    /// Its id.
    pub id: String,
    /// The model, as `provider:model`; for an MCP server `mcp:name`.
    pub model_id: String,
    /// The host it was given for.
    pub host: String,
    /// Its scope.
    pub reach: ConsentReach,
    /// The hash of what it covers; none if it covers everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_hash: Option<String>,
    /// Who gave it.
    pub granted_by: String,
    /// When.
    pub granted_at: Timestamp,
}

/// What a call sends. The lists name the sources of the request that was assembled, and nothing else.
///
/// A run of an agent has several requests. Its scope lists what the first one contains, and `readable` what the agent's
/// tools may read into later ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EgressScope {
    /// The model, as `provider:model`; for a tool of an MCP server `mcp:name`.
    pub model_id: String,
    /// The host it is sent to; for a local MCP server, its program.
    pub host: String,
    /// Files of the workbench: at least their name, size and structure, and as much of their text as fits.
    pub files: Vec<String>,
    /// The context items.
    pub items: Vec<String>,
    /// The entries, as `kind` or `kind:key`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// The artifacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Templates, messages and documents of the agent's prompt packs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// Images of the agent's prompt packs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// Other sources of the request: the definition of a kind or recipe, the source file of an item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Input that is passed with the call and is not in the workbench: a text, a file, the message to an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What else the agent's tools can read during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readable: Option<ReadableScope>,
    /// Identifies the scope (first half) and the exact content (second half).
    pub hash: String,
}

/// What an agent can read with its tools while it works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadableScope {
    /// The files.
    pub files: Vec<String>,
    /// The kinds of entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// The artifacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
}

/// A likely key or password that was found in a file or a request. The key itself is never shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LikelySecret {
    /// What kind of key it is likely to be, such as `aws-access-token` or `private-key`.
    pub kind: String,
    /// Where it is: a file, an item, an entry, a message.
    pub source: String,
    /// The page, slide, sheet or section of an Office or PDF file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The line in it, from 1. Of an Office or PDF file, the line of its text.
    pub line: u32,
    /// Identifies the key in this workbench: `ConsentGrant` with the reach `secret` allows to send it.
    pub fingerprint: String,
}

/// Consent to sending content of a workbench to a model or an MCP server
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ConsentGrantParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The model, such as `openai:gpt-5.2`, or a configured MCP server, such as `mcp:tickets`
    #[arg(value_name = "PROVIDER:MODEL")]
    pub model: String,
    /// The scope
    #[arg(long, value_enum, default_value = "once")]
    #[serde(default)]
    pub reach: ConsentReach,
    /// The hash of the scope that was shown; required for `once` and `secret`. Without it, `kept` covers what the
    /// workbench contains now
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_hash: Option<String>,
}
/// The consent, and what it covers now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsentGrantOutput {
    /// The consent.
    pub consent: Consent,
    /// What it covers: everything that the workbench contains now, or the scope that `scope_hash` identifies, which is
    /// not listed again.
    pub scope: EgressScope,
}
operation!(ConsentGrant, Write, Surfaces::PEOPLE, ConsentGrantParams => ConsentGrantOutput,
    r#"{"workbench_id":"board-deck","model":"openai:gpt-5.2","reach":"kept"}"#);

/// List the consents that are in effect
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ConsentListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// Consents, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsentListOutput {
    /// Those in effect.
    pub consents: Vec<Consent>,
}
operation!(ConsentList, Read, Surfaces::PEOPLE, ConsentListParams => ConsentListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Revoke a consent
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ConsentRevokeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The consent's id, or a model to revoke all of its consents
    pub consent: String,
}
/// What was revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsentRevokeOutput {
    /// The revoked consents.
    pub revoked: Vec<Consent>,
}
operation!(ConsentRevoke, Write, Surfaces::PEOPLE, ConsentRevokeParams => ConsentRevokeOutput,
    r#"{"workbench_id":"board-deck","consent":"openai:gpt-5.2"}"#);

/// One call that was sent from the machine, or refused. Its content is not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EgressEvent {
    /// When.
    pub at: Timestamp,
    /// Its purpose, such as `context.process`.
    pub purpose: String,
    /// The model, as `provider:model`; for a tool of an MCP server `mcp:name`.
    pub model_id: String,
    /// The hash of what it covered.
    pub scope_hash: String,
    /// Input tokens, as the provider counts them; for an MCP tool an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// `sent`, `started` while it is in progress, `interrupted` if the program ended before the answer came, or the
    /// error's code.
    pub outcome: String,
}

/// List what was sent to models and MCP servers, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EgressListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Maximum number of results (default 50)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
/// Calls, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EgressListOutput {
    /// The calls.
    pub events: Vec<EgressEvent>,
    /// The total number.
    pub total: u64,
}
operation!(EgressList, Read, Surfaces::PEOPLE, EgressListParams => EgressListOutput, r#"{"workbench_id":"board-deck"}"#);
