//! Agent sessions: their workspace, their runs, their log.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::{SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{EventListOutput, PromptBill, operation};

/// How a task is worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RunMode {
    /// Research and an answer; nothing is changed.
    Ask,
    /// Research, plan, implement item by item, summarise.
    Auto,
    /// One loop without phases.
    Direct,
}

/// When a snapshot is adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ApplyWhen {
    /// With the next run.
    NextRun,
    /// With the next model request.
    NextStepBoundary,
    /// Immediately, if no run is in progress.
    ImmediateIfIdle,
}

/// A rule for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// `files.read`, `files.write`, `tables.query`, `context.read`, `context.write`, `artifacts.write`, `agent.read`,
    /// `mcp.<server>`, `mcp.<server>.read`, `mcp.<server>.write`, one tool as `mcp.<server>.read.<tool>`, `mcp.*`
    /// or `*`
    pub capability: String,
    /// `allow`, `deny` or `ask`
    pub decision: String,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Its id.
    pub id: SessionId,
    /// The workbench it works on.
    pub workbench_id: WorkbenchId,
    /// The title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// `idle`, `running`, `waiting` (for a person) or `suspended`.
    pub status: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its log was last extended.
    pub updated_at: Timestamp,
    /// How many records its log has.
    pub records: u64,
    /// The recipe that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOutput {
    /// The session.
    pub session: SessionInfo,
    /// Its instructions and limits.
    pub defaults: Value,
    /// The workspace snapshots.
    pub workspace: SessionWorkspace,
    /// The current run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
    /// Questions for a person.
    pub questions: Vec<PermissionQuestion>,
    /// Answers that apply to more than one call, until they are revoked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<StandingPermission>,
    /// The conversation.
    pub messages: Vec<SessionMessage>,
    /// The number of model calls.
    pub steps: u32,
    /// The notes of the current run, or of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<RunNotes>,
    /// What happened in this call, as records of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

/// The notes of a run. With a folder of plain files they are also in `meta/workshop/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunNotes {
    /// The run.
    pub run: u32,
    /// `research.md`: its findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<String>,
    /// `plan.md`: the items, as `- [ ]`, `- [x]`, or `- [!]` with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

/// The workspace snapshots of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionWorkspace {
    /// In use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<SnapshotInfo>,
    /// Synced, but not adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<SnapshotInfo>,
    /// Scheduled for adoption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<SnapshotInfo>,
    /// Adopted earlier; can be adopted again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<SnapshotInfo>,
}

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotInfo {
    /// Its hash, which an apply refers to.
    pub snapshot: BlobHash,
    /// Its source: `house@4`.
    pub reference: String,
    /// The prompt packs.
    pub packs: Vec<String>,
    /// The tool catalogs.
    pub catalogs: Vec<String>,
    /// Tools that can be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bound: Vec<String>,
    /// Tools that the policy denies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_permitted: Vec<String>,
    /// Tools that the program does not implement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<String>,
    /// Warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// Its number.
    pub run: u32,
    /// How tasks are worked on.
    pub mode: RunMode,
    /// The model.
    pub model: String,
    /// The phase it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The current item, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// The number of items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u32>,
    /// Why it is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<Value>,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Cost, in millionths of a dollar.
    pub cost_micros: u64,
    /// Working time, in milliseconds.
    pub millis: u64,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionQuestion {
    /// Its number.
    pub question: u64,
    /// The tool.
    pub tool: String,
    /// The capability that it needs.
    pub capability: String,
    /// Its input.
    pub input: Value,
}

/// An answer that applies to more than one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingPermission {
    /// The capability that it is for.
    pub capability: String,
    /// `allow` or `deny`.
    pub answer: PermitAnswer,
    /// `run` or `session`.
    pub reach: PermitReach,
    /// Who answered.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMessage {
    /// Its number, which `WorkshopRewind` refers to.
    pub seq: u64,
    /// `person`, `agent` or `notice`.
    pub role: String,
    /// The text.
    pub text: String,
}

/// Create an agent session on a workbench, with its agent workspace adopted
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The title
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]` [default: the workbench's own where it has one, else `jig`]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The model [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How tasks are worked on [default: auto]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RunMode>,
    /// A permission rule, as JSON: `{"capability":"mcp.*","decision":"deny"}`
    #[arg(long = "rule", value_name = "JSON", value_parser = crate::ops::json_arg::<PolicyRule>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyRule>,
    /// Token limit of each run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Cost limit of each run, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// Time limit of each run, in seconds of working time
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}
operation!(SessionCreate, Write, Surfaces::PEOPLE, SessionCreateParams => SessionOutput, r#"{"workbench_id":"board-deck"}"#);

/// List the sessions of a workbench, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Include the runs of recipes
    #[arg(long)]
    #[serde(default)]
    pub recipes: bool,
}
/// The sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListOutput {
    /// Newest first.
    pub sessions: Vec<SessionInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
operation!(SessionList, Read, Surfaces::PEOPLE, SessionListParams => SessionListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a session's state and its messages
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
operation!(SessionGet, Read, Surfaces::PEOPLE, SessionGetParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Change a session's title, workspace, defaults, policy or limits; the rest stays unchanged
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionConfigureParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The title
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]`. It is synced, and used once it is applied
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The prompt pack for the phases that do the work
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog for the phases that do the work
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The model
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How tasks are worked on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RunMode>,
    /// Permission rules that replace the current ones: `{"capability":"mcp.*","decision":"deny"}`. A deny applies
    /// immediately, even to a current run; everything else applies from the next run
    #[arg(long = "rule", value_name = "JSON", value_parser = crate::ops::json_arg::<PolicyRule>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyRule>,
    /// Token limit of each run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Cost limit of each run, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// Time limit of each run, in seconds of working time
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// Values to clear; they cannot be set in the same call
    #[arg(long, value_name = "SETTING")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clear: Vec<SessionSetting>,
}
/// A default of a session that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SessionSetting {
    /// The title.
    Title,
    /// The prompt pack.
    Pack,
    /// The tool catalog.
    Catalog,
    /// The model.
    Model,
    /// All rules.
    Policy,
    /// The token limit.
    MaxTokens,
    /// The cost limit.
    MaxCostMicros,
    /// The time limit.
    MaxSeconds,
}
operation!(SessionConfigure, Write, Surfaces::PEOPLE, SessionConfigureParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","title":"Board deck, Q3","max_tokens":200000}"#);

/// Show exactly what the model saw in a step, what it answered and what it cost
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionShowParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The step, from 1 [default: the last]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}
/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionShowOutput {
    /// Its number.
    pub step: u32,
    /// The run.
    pub run: u32,
    /// The phase.
    pub phase: String,
    /// The snapshot it used.
    pub snapshot: BlobHash,
    /// The workbench state that the request was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BlobHash>,
    /// The hash of the request's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_hash: Option<BlobHash>,
    /// The request, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// The tokens of each of its sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<PromptBill>,
    /// The model's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The results of its tool calls, in order.
    pub results: Vec<Value>,
}
operation!(SessionShow, Read, Surfaces::PEOPLE, SessionShowParams => SessionShowOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","step":1}"#);

/// Sync the session's agent workspace: read its current content without adopting it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionSyncParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// Another workspace or version, as `name[@version]`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The root that you have: if it is unchanged, nothing is read
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Given<BlobHash>>,
}
operation!(SessionSync, Write, Surfaces::PEOPLE, SessionSyncParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Adopt a snapshot of the agent workspace, a new or an older one
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionApplyParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The snapshot's hash, from a sync
    pub snapshot: Given<BlobHash>,
    /// When [default: next_run]
    #[arg(long = "when")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ApplyWhen>,
}
operation!(SessionApply, Write, Surfaces::PEOPLE, SessionApplyParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","snapshot":"00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9"}"#);

/// Answer whether a tool call is allowed
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionPermitParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The question's number
    pub question: u64,
    /// `allow` or `deny`
    pub answer: PermitAnswer,
    /// The scope of the answer [default: once]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<PermitReach>,
}
/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PermitAnswer {
    /// Allowed.
    Allow,
    /// Denied.
    Deny,
}
/// The scope of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PermitReach {
    /// This call.
    Once,
    /// All such calls of the run.
    Run,
    /// All such calls of the session.
    Session,
}
operation!(SessionPermit, Write, Surfaces::PEOPLE, SessionPermitParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","question":12,"answer":"allow"}"#);

/// List the permissions that apply to a run or a session
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionPermissionsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
/// The permissions of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPermissionsOutput {
    /// Answers that apply to more than one call, until they are revoked.
    pub permissions: Vec<StandingPermission>,
    /// The rules of the session. A deny takes precedence over every answer.
    pub rules: Vec<PolicyRule>,
}
operation!(SessionPermissions, Read, Surfaces::PEOPLE, SessionPermissionsParams => SessionPermissionsOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Revoke a permission that was given for a run or a session; the next call that needs it asks again
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionRevokeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The capability, such as `context.write` or `mcp.github.read.search`
    pub capability: String,
    /// Only the answer for the run, or only that for the session [default: both]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<PermitReach>,
}
operation!(SessionRevoke, Write, Surfaces::PEOPLE, SessionRevokeParams => SessionPermissionsOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","capability":"context.write"}"#);

/// Replay a session from its log and verify that it is identical, or show where it differs
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionReplayParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionReplayOutput {
    /// Whether the replay is identical.
    pub same: bool,
    /// How many records were replayed.
    pub records: u64,
    /// How many effects were compared.
    pub effects: u64,
    /// How many model requests were rebuilt and compared, byte for byte.
    pub requests: u64,
    /// The first difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ReplayDifference>,
}
/// Where a replay differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDifference {
    /// The record.
    pub record: u64,
    /// The step; 0 for none.
    pub step: u32,
    /// What differs.
    pub what: String,
    /// The recorded value.
    pub recorded: String,
    /// The replayed value.
    pub computed: String,
    /// The difference between the two, line by line, for model requests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
}
operation!(SessionReplay, Read, Surfaces::PEOPLE, SessionReplayParams => SessionReplayOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Replay a session's events after a record, as in the event stream
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionEventsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// Only events after this record; 0 for all
    #[arg(long, default_value_t = 0, value_name = "RECORD")]
    #[serde(default)]
    pub after: u64,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
operation!(SessionEvents, Read, Surfaces::PEOPLE, SessionEventsParams => EventListOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","after":12}"#);
