//! Everything that can happen in a session, in one enum. Events that were ever written to a log stay readable.

use jig_contract::{Actor, BlobHash, Code, SessionId, WorkbenchId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{Budget, Cap};
use crate::effect::EffectId;
use crate::plan::Plan;
use crate::policy::{Answer as PermissionAnswer, Reach};
use crate::run::{Mode, Outcome, Phase, RunConfig};
use crate::state::{Defaults, DefaultsPatch};
use crate::tool::{Answer, Failure, ToolOutcome, Usage};
use crate::workspace::{ApplyMode, ApplyRefusal, SnapshotSummary, SyncProblem};

/// Why a run is paused. A paused run can be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Suspension {
    /// A cap was reached.
    Budget {
        /// The cap.
        cap: Cap,
    },
    /// The program exited during a model call. The call is repeated only if a user resumes the run.
    Interrupted,
    /// The model call failed or returned no answer.
    ModelFailed {
        /// The stable code.
        code: Code,
        /// In words.
        message: String,
    },
    /// A person must consent to the data that a tool call would send.
    ToolHeld {
        /// The stable code.
        code: Code,
        /// In words.
        message: String,
    },
}

/// An event of a session, as the log stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session was created.
    SessionCreated {
        /// Its id.
        session: SessionId,
        /// The workbench it works on.
        workbench: WorkbenchId,
        /// The defaults of its runs.
        defaults: Defaults,
    },
    /// The defaults of its runs changed.
    SessionConfigured {
        /// The changed fields.
        patch: DefaultsPatch,
    },

    /// A user asked to read the current content of a workspace.
    WorkspaceSyncRequested {
        /// Which workspace: `name[@version]`.
        reference: String,
        /// The root that the session already has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        known: Option<BlobHash>,
        /// Whether the sync is for one run only, so that the pending snapshot stays pending.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aside: bool,
    },
    /// The workspace still has the known root.
    WorkspaceSyncUnchanged {
        /// The sync.
        effect: EffectId,
        /// The root.
        root: BlobHash,
    },
    /// A snapshot is ready. It is not used before it is applied.
    WorkspaceSnapshotReady {
        /// The sync.
        effect: EffectId,
        /// The snapshot.
        snapshot: SnapshotSummary,
    },
    /// The workspace files have errors. Nothing has changed.
    WorkspaceSyncFailed {
        /// The sync.
        effect: EffectId,
        /// All errors, not only the first.
        problems: Vec<SyncProblem>,
    },
    /// A user asked to adopt a snapshot.
    WorkspaceApplyRequested {
        /// The snapshot.
        snapshot: BlobHash,
        /// When it takes effect.
        mode: ApplyMode,
    },
    /// A snapshot was adopted.
    WorkspaceApplied {
        /// The snapshot.
        snapshot: BlobHash,
        /// The requested time of adoption.
        mode: ApplyMode,
    },
    /// A snapshot was not adopted.
    WorkspaceApplyRefused {
        /// The snapshot.
        snapshot: BlobHash,
        /// The reason.
        why: ApplyRefusal,
    },

    /// A person sent a message.
    MessageAdded {
        /// The author.
        actor: Actor,
        /// The message.
        text: String,
        /// The workbench state when it was sent; a rewind restores it.
        state: BlobHash,
    },
    /// A notice in the conversation, about a publish or a restore for example.
    NoticeAdded {
        /// The notice.
        text: String,
    },

    /// A warning about a prompt that is sent anyway: a damaged context item, a style that could not be merged,
    /// neutralised text, a full window. Each is recorded once per run.
    PromptNoticed {
        /// The run.
        run: u32,
        /// The step whose prompt it was.
        step: u32,
        /// The error code, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// In words.
        message: String,
    },

    /// A run started.
    RunStarted {
        /// Its number in the session.
        run: u32,
        /// The record number of the message it answers.
        message: u64,
        /// Its mode.
        mode: Mode,
        /// The configuration that is fixed for the run.
        config: Box<RunConfig>,
    },
    /// The run was paused.
    RunSuspended {
        /// Its number.
        run: u32,
        /// The reason.
        #[serde(flatten)]
        why: Suspension,
    },
    /// The run was resumed.
    RunResumed {
        /// Its number.
        run: u32,
        /// The changed caps.
        #[serde(default)]
        budget: Budget,
    },
    /// A user cancelled the run. It ends when no call is running.
    RunCancelRequested {
        /// Its number.
        run: u32,
    },
    /// The run ended.
    RunEnded {
        /// Its number.
        run: u32,
        /// How it ended.
        #[serde(flatten)]
        outcome: Outcome,
    },

    /// A phase started, with a new context.
    PhaseStarted {
        /// The run.
        run: u32,
        /// Which phase.
        phase: Phase,
    },
    /// A phase ended.
    PhaseCompleted {
        /// The run.
        run: u32,
        /// Which phase.
        phase: Phase,
        /// Its result.
        text: String,
    },
    /// A plan was created.
    PlanMade {
        /// The run.
        run: u32,
        /// The plan.
        plan: Plan,
    },
    /// An attempt at an item started, with a new context.
    ItemStarted {
        /// The run.
        run: u32,
        /// The item, counted from 1.
        item: u32,
        /// The attempt, counted from 1.
        attempt: u32,
    },
    /// The item is done.
    ItemCompleted {
        /// The run.
        run: u32,
        /// The item.
        item: u32,
        /// The model's final text for it.
        text: String,
    },
    /// An attempt at an item failed.
    ItemFailed {
        /// The run.
        run: u32,
        /// The item.
        item: u32,
        /// The attempt.
        attempt: u32,
        /// Whether it was the last attempt.
        last: bool,
        /// The stable code.
        code: Code,
        /// The reason, for people.
        reason: String,
    },

    /// A step, which is one model call, started.
    StepStarted {
        /// The run.
        run: u32,
        /// The step's number in the session.
        step: u32,
        /// The phase.
        phase: Phase,
        /// The item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<u32>,
        /// The workspace snapshot with the agent's instructions and tools.
        snapshot: BlobHash,
        /// The prompt pack; `None` means Jig's built-in instructions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pack: Option<String>,
        /// The tool catalog; `None` means no tools.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        /// The names of the tools that are offered.
        tools: Vec<String>,
        /// The record where the context of the request starts.
        context_from: u64,
    },
    /// The request was built and stored, and is about to be sent.
    ModelRequested {
        /// The step's effect.
        effect: EffectId,
        /// The workbench state that it was built from.
        state: BlobHash,
        /// The workbench's name at that time, the only input of a request that is not part of a state.
        name: String,
        /// The blob of its bytes.
        request: BlobHash,
        /// The blob of its token breakdown.
        bill: BlobHash,
        /// The tokens counted for it.
        tokens: u64,
    },
    /// The model answered.
    ModelAnswered {
        /// The step's effect.
        effect: EffectId,
        /// The answer.
        answer: Answer,
    },
    /// The model call failed.
    ModelFailed {
        /// The step's effect.
        effect: EffectId,
        /// The reason.
        failure: Failure,
    },
    /// The model call was skipped or interrupted because it reaches a cap.
    ModelCapped {
        /// The step's effect.
        effect: EffectId,
        /// The cap.
        cap: Cap,
        /// An estimate of what the call used before it was interrupted.
        #[serde(default)]
        usage: Usage,
    },

    /// A tool is about to be called.
    ToolStarted {
        /// The run.
        run: u32,
        /// The step.
        step: u32,
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The operation or MCP tool that implements it.
        target: String,
        /// The arguments.
        input: Value,
    },
    /// A tool call returned.
    ToolFinished {
        /// The call's effect.
        effect: EffectId,
        /// The id of the call.
        call: String,
        /// The result.
        outcome: ToolOutcome,
    },
    /// A person must consent to the data that a tool call would send. Nothing was sent; the run pauses and makes the
    /// call when it resumes.
    ToolHeld {
        /// The call's effect.
        effect: EffectId,
        /// The id of the call.
        call: String,
        /// The stable code.
        code: Code,
        /// The reason, for people.
        message: String,
    },
    /// A tool call was refused. The refusal is its result.
    ToolRefused {
        /// The step.
        step: u32,
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The stable code.
        code: Code,
        /// The reason, for people.
        message: String,
    },
    /// A person is asked to permit a tool call.
    PermissionAsked {
        /// The step.
        step: u32,
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The capability it needs.
        capability: String,
    },
    /// The question was answered.
    PermissionAnswered {
        /// The question.
        effect: EffectId,
        /// Who answered.
        actor: Actor,
        /// The answer.
        answer: PermissionAnswer,
        /// The calls that the answer covers.
        reach: Reach,
    },
    /// A standing answer was revoked. The next call that needs the capability asks again.
    PermissionRevoked {
        /// Who revoked it.
        actor: Actor,
        /// The capability of the answer.
        capability: String,
        /// Whether the answer was for the run or for the session.
        reach: Reach,
    },
    /// The program exited while an effect was running. It is not repeated automatically.
    EffectInterrupted {
        /// The effect.
        effect: EffectId,
    },

    /// A user asked to rewind to a message.
    RewindRequested {
        /// The message's record number.
        to: u64,
        /// The workbench state at that message.
        state: BlobHash,
    },
    /// The conversation and the workbench are back at the message.
    Rewound {
        /// The restore effect.
        effect: EffectId,
        /// The message's record number.
        to: u64,
    },
    /// The workbench could not be restored. Nothing has changed.
    RewindFailed {
        /// The restore effect.
        effect: EffectId,
        /// The reason.
        failure: Failure,
    },
}

impl Event {
    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SessionCreated { .. } => "session_created",
            Self::SessionConfigured { .. } => "session_configured",
            Self::WorkspaceSyncRequested { .. } => "workspace_sync_requested",
            Self::WorkspaceSyncUnchanged { .. } => "workspace_sync_unchanged",
            Self::WorkspaceSnapshotReady { .. } => "workspace_snapshot_ready",
            Self::WorkspaceSyncFailed { .. } => "workspace_sync_failed",
            Self::WorkspaceApplyRequested { .. } => "workspace_apply_requested",
            Self::WorkspaceApplied { .. } => "workspace_applied",
            Self::WorkspaceApplyRefused { .. } => "workspace_apply_refused",
            Self::MessageAdded { .. } => "message_added",
            Self::NoticeAdded { .. } => "notice_added",
            Self::PromptNoticed { .. } => "prompt_noticed",
            Self::RunStarted { .. } => "run_started",
            Self::RunSuspended { .. } => "run_suspended",
            Self::RunResumed { .. } => "run_resumed",
            Self::RunCancelRequested { .. } => "run_cancel_requested",
            Self::RunEnded { .. } => "run_ended",
            Self::PhaseStarted { .. } => "phase_started",
            Self::PhaseCompleted { .. } => "phase_completed",
            Self::PlanMade { .. } => "plan_made",
            Self::ItemStarted { .. } => "item_started",
            Self::ItemCompleted { .. } => "item_completed",
            Self::ItemFailed { .. } => "item_failed",
            Self::StepStarted { .. } => "step_started",
            Self::ModelRequested { .. } => "model_requested",
            Self::ModelAnswered { .. } => "model_answered",
            Self::ModelFailed { .. } => "model_failed",
            Self::ModelCapped { .. } => "model_capped",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolFinished { .. } => "tool_finished",
            Self::ToolHeld { .. } => "tool_held",
            Self::ToolRefused { .. } => "tool_refused",
            Self::PermissionAsked { .. } => "permission_asked",
            Self::PermissionAnswered { .. } => "permission_answered",
            Self::PermissionRevoked { .. } => "permission_revoked",
            Self::EffectInterrupted { .. } => "effect_interrupted",
            Self::RewindRequested { .. } => "rewind_requested",
            Self::Rewound { .. } => "rewound",
            Self::RewindFailed { .. } => "rewind_failed",
        }
    }

    /// The blobs that the event refers to. Garbage collection retains them as long as the log exists.
    pub fn blobs(&self) -> Vec<BlobHash> {
        match self {
            Self::WorkspaceSnapshotReady { snapshot, .. } => {
                snapshot.blobs.iter().copied().chain([snapshot.snapshot]).collect()
            }
            Self::ModelRequested { request, bill, .. } => vec![*request, *bill],
            Self::ToolFinished { outcome, .. } => outcome.blob.into_iter().collect(),
            Self::RunStarted { config, .. } => config.task.iter().map(|task| task.question).collect(),
            _ => Vec::new(),
        }
    }
}
