//! Operations on access tokens for the HTTP API.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::{TokenId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::operation;

/// What the owner of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TokenRole {
    /// Read.
    Reader,
    /// Read, and make changes that can be undone.
    Writer,
    /// Everything.
    Owner,
}

/// The owner of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TokenKind {
    /// A person, who can confirm: publish, accept proposals, override locks.
    #[default]
    Person,
    /// A program: it has the permissions of an agent, and never confirms.
    Agent,
}

/// A token, without its secret, which is not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenInfo {
    /// Its id.
    pub id: TokenId,
    /// The name.
    pub name: String,
    /// Its role.
    pub role: TokenRole,
    /// Its owner.
    #[serde(default)]
    pub kind: TokenKind,
    /// The only workbench that it gives access to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Create a token for the HTTP API; it is shown once
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TokenCreateParams {
    /// The name
    pub name: String,
    /// Its role
    #[arg(long)]
    pub role: TokenRole,
    /// Its owner: an agent proposes and never confirms [default: person]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TokenKind>,
    /// Only this workbench
    #[arg(id = "workbench_id", long = "only", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<Given<WorkbenchId>>,
}
/// The token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenCreateOutput {
    /// The secret, for the `Authorization: Bearer` header. It starts with `jig_` and cannot be shown again.
    pub token: String,
    /// The stored data.
    pub info: TokenInfo,
}
operation!(TokenCreate, Write, Surfaces::PEOPLE, TokenCreateParams => TokenCreateOutput, r#"{"name":"Ada","role":"writer"}"#);

/// List the tokens for the HTTP API, without their secrets
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TokenListParams {
    /// Only those for this workbench
    #[arg(id = "workbench_id", long = "only", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<Given<WorkbenchId>>,
    /// Include revoked tokens
    #[arg(long)]
    #[serde(default)]
    pub include_revoked: bool,
}
/// Tokens, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenListOutput {
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
}
operation!(TokenList, Read, Surfaces::PEOPLE, TokenListParams => TokenListOutput, "{}");

/// Revoke a token: requests with it are refused from now on
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TokenRevokeParams {
    /// The token's id
    pub token_id: Given<TokenId>,
}
/// The stored data of a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenRevokeOutput {
    /// The token.
    pub info: TokenInfo,
}
operation!(TokenRevoke, Destructive, Surfaces::PEOPLE, TokenRevokeParams => TokenRevokeOutput,
    r#"{"token_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);
