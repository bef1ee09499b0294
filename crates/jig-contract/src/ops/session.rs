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
    /// When the next model request is built.
    NextStepBoundary,
    /// At once, if no run is under way.
    ImmediateIfIdle,
}

/// What is decided for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// `files.read`, `files.write`, `tables.query`, `context.read`, `context.write`, `artifacts.write`, `agent.read`,
    /// `mcp.<server>`, `mcp.<server>.read`, `mcp.<server>.write`, one tool as `mcp.<server>.read.<tool>`, `mcp.*` or `*`
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
    /// What people call it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// `idle`, `running`, `waiting` (for a person) or `suspended`.
    pub status: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its log grew last.
    pub updated_at: Timestamp,
    /// How many records its log has.
    pub records: u64,
    /// The recipe that it is a run of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOutput {
    /// The session.
    pub session: SessionInfo,
    /// What it is told and may do.
    pub defaults: Value,
    /// The workspace snapshots.
    pub workspace: SessionWorkspace,
    /// The run under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
    /// Questions that a person has to answer.
    pub questions: Vec<PermissionQuestion>,
    /// Answers that hold for more than one call, until they are revoked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<StandingPermission>,
    /// The conversation.
    pub messages: Vec<SessionMessage>,
    /// How many model calls there were.
    pub steps: u32,
    /// What the run under way, or the last one, wrote down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<RunNotes>,
    /// What happened in this call, as records of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

/// What a run writes down. With a folder of plain files they are also in `meta/workshop/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunNotes {
    /// The run.
    pub run: u32,
    /// `research.md`: what it found out.
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
    /// Ready, and not adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<SnapshotInfo>,
    /// To be adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<SnapshotInfo>,
    /// In use before: ways back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<SnapshotInfo>,
}

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotInfo {
    /// Its hash: what an apply names.
    pub snapshot: BlobHash,
    /// Where it is from: `house@4`.
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
    /// Tools that nothing stands behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<String>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// Its number.
    pub run: u32,
    /// How it works.
    pub mode: RunMode,
    /// The model.
    pub model: String,
    /// The phase it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The item it works on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// How many items there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u32>,
    /// Why it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<Value>,
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// Cost, in millionths of a dollar.
    pub cost_micros: u64,
    /// Time at work, in milliseconds.
    pub millis: u64,
}

/// A question that a person has to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionQuestion {
    /// Its number.
    pub question: u64,
    /// The tool.
    pub tool: String,
    /// What it needs.
    pub capability: String,
    /// What it is given.
    pub input: Value,
}

/// An answer that holds for more than one call.
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

/// A line of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionMessage {
    /// Its number: what going back names.
    pub seq: u64,
    /// `person`, `agent` or `notice`.
    pub role: String,
    /// What was said.
    pub text: String,
}

/// Make a session of an agent on a workbench, with its agent workspace in use
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionCreateParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What people call it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]` [default: the workbench's own where it has one, else `jig`]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The model; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How tasks are worked on [default: auto]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RunMode>,
    /// A rule of what it may do, as JSON: `{"capability":"mcp.*","decision":"deny"}`
    #[arg(long = "rule", value_name = "JSON", value_parser = crate::ops::json_arg::<PolicyRule>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyRule>,
    /// The most tokens of each run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most that each run may cost, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// The longest time of each run at work, in seconds
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
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Also the runs of recipes
    #[arg(long)]
    #[serde(default)]
    pub recipes: bool,
}
/// The sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListOutput {
    /// Newest first.
    pub sessions: Vec<SessionInfo>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
operation!(SessionList, Read, Surfaces::PEOPLE, SessionListParams => SessionListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show where a session stands and what was said
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

/// Change a session's title, workspace, defaults, policy or caps; only what is named changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionConfigureParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// What people call it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace it is bound to, as `name[@version]`. It is synced, and in use once it is applied
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The prompt pack of the phases that do the work
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog of the phases that do the work
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
    /// The rules of what it may do, instead of the present ones: `{"capability":"mcp.*","decision":"deny"}`. A deny holds
    /// at once, also for a run under way; everything else from the next run on
    #[arg(long = "rule", value_name = "JSON", value_parser = crate::ops::json_arg::<PolicyRule>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyRule>,
    /// The most tokens of each run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most that each run may cost, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// The longest time of each run at work, in seconds
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// What has no value from now on; it cannot be set in the same call
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
    /// The cap on tokens.
    MaxTokens,
    /// The cap on cost.
    MaxCostMicros,
    /// The cap on time.
    MaxSeconds,
}
operation!(SessionConfigure, Write, Surfaces::PEOPLE, SessionConfigureParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","title":"Board deck, Q3","max_tokens":200000}"#);

/// Show exactly what the model saw in one step, what it answered and what it cost
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionShowParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The step, from 1; the last one when left out
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
    /// The workbench's state that it was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BlobHash>,
    /// The hash of the request's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_hash: Option<BlobHash>,
    /// The request as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// What each source of it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<PromptBill>,
    /// What the model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What the calls of tools gave, in order.
    pub results: Vec<Value>,
}
operation!(SessionShow, Read, Surfaces::PEOPLE, SessionShowParams => SessionShowOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","step":1}"#);

/// Look at what the session's agent workspace holds now; nothing is adopted
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
    /// The root that you know: when it is still the same, nothing is read
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Given<BlobHash>>,
}
operation!(SessionSync, Write, Surfaces::PEOPLE, SessionSyncParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Adopt a snapshot of the agent workspace, a new one or an older one
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionApplyParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// The snapshot, as a sync named it
    pub snapshot: Given<BlobHash>,
    /// When [default: next_run]
    #[arg(long = "when")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ApplyWhen>,
}
operation!(SessionApply, Write, Surfaces::PEOPLE, SessionApplyParams => SessionOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","snapshot":"00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9"}"#);

/// Answer whether a call of a tool may pass
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
    /// How far the answer goes [default: once]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<PermitReach>,
}
/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PermitAnswer {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}
/// How far an answer goes.
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

/// List the permissions that were given for a run or a session and still hold
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionPermissionsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
/// What a session may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPermissionsOutput {
    /// Answers that hold for more than one call, until they are revoked.
    pub permissions: Vec<StandingPermission>,
    /// The rules of the session. A deny wins over every answer.
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

/// Replay a session from its log and prove that it is the same, or say from where on it is not
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionReplayParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
}
/// What the replay found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionReplayOutput {
    /// Whether everything is the same.
    pub same: bool,
    /// How many records were replayed.
    pub records: u64,
    /// How many effects were compared.
    pub effects: u64,
    /// How many model requests were built again and compared, byte for byte.
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
    /// What is other.
    pub what: String,
    /// What the log has.
    pub recorded: String,
    /// What was computed.
    pub computed: String,
    /// The difference between the two, line by line, for model requests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
}
operation!(SessionReplay, Read, Surfaces::PEOPLE, SessionReplayParams => SessionReplayOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Replay what happened in a session from a record on, as the stream of events tells it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SessionEventsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The session
    pub session_id: Given<SessionId>,
    /// Only what happened after this record; 0 for all
    #[arg(long, default_value_t = 0, value_name = "RECORD")]
    #[serde(default)]
    pub after: u64,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
operation!(SessionEvents, Read, Surfaces::PEOPLE, SessionEventsParams => EventListOutput,
    r#"{"workbench_id":"board-deck","session_id":"0190b6c2-7d3e-7000-8000-000000000001","after":12}"#);
