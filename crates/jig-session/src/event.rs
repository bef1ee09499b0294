//! Everything that can happen in a session. One enum; what was ever written to a log stays readable.

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

/// Why a run stands still. It can go on from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Suspension {
    /// A cap is reached.
    Budget {
        /// Which one.
        cap: Cap,
    },
    /// The program ended while the model was asked. It is asked again only when somebody says so.
    Interrupted,
    /// The model could not be asked, or gave no answer.
    ModelFailed {
        /// The stable code.
        code: Code,
        /// In words.
        message: String,
    },
    /// A person has to agree to what a tool call sends.
    ToolHeld {
        /// The stable code.
        code: Code,
        /// In words.
        message: String,
    },
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session exists.
    SessionCreated {
        /// Its id.
        session: SessionId,
        /// The workbench it works on.
        workbench: WorkbenchId,
        /// What holds for its runs.
        defaults: Defaults,
    },
    /// What holds for its runs has changed.
    SessionConfigured {
        /// What, field by field.
        patch: DefaultsPatch,
    },

    /// Somebody wants to see what a workspace holds now.
    WorkspaceSyncRequested {
        /// Which workspace: `name[@version]`.
        reference: String,
        /// The root that is known already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        known: Option<BlobHash>,
        /// Whether it is for one run only, so that the pending snapshot stays pending.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aside: bool,
    },
    /// It holds what is known already.
    WorkspaceSyncUnchanged {
        /// The sync.
        effect: EffectId,
        /// The root.
        root: BlobHash,
    },
    /// A snapshot is ready; nothing is adopted.
    WorkspaceSnapshotReady {
        /// The sync.
        effect: EffectId,
        /// The snapshot.
        snapshot: SnapshotSummary,
    },
    /// The workspace is not right; nothing has changed.
    WorkspaceSyncFailed {
        /// The sync.
        effect: EffectId,
        /// Everything that is wrong.
        problems: Vec<SyncProblem>,
    },
    /// Somebody wants a snapshot to be adopted.
    WorkspaceApplyRequested {
        /// Which one.
        snapshot: BlobHash,
        /// When.
        mode: ApplyMode,
    },
    /// It is in use.
    WorkspaceApplied {
        /// Which one.
        snapshot: BlobHash,
        /// Since when.
        mode: ApplyMode,
    },
    /// It is not adopted.
    WorkspaceApplyRefused {
        /// Which one.
        snapshot: BlobHash,
        /// Why.
        why: ApplyRefusal,
    },

    /// A person said something.
    MessageAdded {
        /// Who.
        actor: Actor,
        /// What.
        text: String,
        /// The workbench's state at this moment: a way back.
        state: BlobHash,
    },
    /// Something that the conversation should show: a publish, a restore.
    NoticeAdded {
        /// What.
        text: String,
    },

    /// Something that a person should know about a prompt that is sent all the same: a damaged context item, a style that
    /// could not be merged, neutralised text, a full window. Each is recorded once per run.
    PromptNoticed {
        /// The run.
        run: u32,
        /// The step whose prompt it was.
        step: u32,
        /// The stable code, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// In words.
        message: String,
    },

    /// A run begins.
    RunStarted {
        /// Its number.
        run: u32,
        /// The message it works on.
        message: u64,
        /// How.
        mode: Mode,
        /// What is fixed for it.
        config: Box<RunConfig>,
    },
    /// It stands still.
    RunSuspended {
        /// Its number.
        run: u32,
        /// Why.
        #[serde(flatten)]
        why: Suspension,
    },
    /// It goes on.
    RunResumed {
        /// Its number.
        run: u32,
        /// Caps that are other than before.
        #[serde(default)]
        budget: Budget,
    },
    /// Somebody wants it to end.
    RunCancelRequested {
        /// Its number.
        run: u32,
    },
    /// It is over.
    RunEnded {
        /// Its number.
        run: u32,
        /// How.
        #[serde(flatten)]
        outcome: Outcome,
    },

    /// A phase begins, with a context of its own.
    PhaseStarted {
        /// The run.
        run: u32,
        /// Which phase.
        phase: Phase,
    },
    /// A phase is over.
    PhaseCompleted {
        /// The run.
        run: u32,
        /// Which phase.
        phase: Phase,
        /// What came out of it.
        text: String,
    },
    /// The items to work off.
    PlanMade {
        /// The run.
        run: u32,
        /// The plan.
        plan: Plan,
    },
    /// An item is begun, with a context of its own.
    ItemStarted {
        /// The run.
        run: u32,
        /// Which item, from 1.
        item: u32,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// It is done.
    ItemCompleted {
        /// The run.
        run: u32,
        /// Which item.
        item: u32,
        /// What the model said at its end.
        text: String,
    },
    /// An attempt at it failed.
    ItemFailed {
        /// The run.
        run: u32,
        /// Which item.
        item: u32,
        /// Which attempt.
        attempt: u32,
        /// Whether there is no further one.
        last: bool,
        /// The stable code.
        code: Code,
        /// Why, in words.
        reason: String,
    },

    /// A model is about to be asked.
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
        /// What the agent is told.
        snapshot: BlobHash,
        /// The prompt pack.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pack: Option<String>,
        /// The tool catalog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        /// The tools that are offered.
        tools: Vec<String>,
        /// What was said after this record belongs to the request.
        context_from: u64,
    },
    /// The request is built and about to be sent.
    ModelRequested {
        /// The step's effect.
        effect: EffectId,
        /// The workbench's state that it was built from.
        state: BlobHash,
        /// The workbench's name then: the one thing in a request that no state has.
        name: String,
        /// Its bytes.
        request: BlobHash,
        /// What each source costs.
        bill: BlobHash,
        /// The tokens that were counted for it.
        tokens: u64,
    },
    /// The model answered.
    ModelAnswered {
        /// The step's effect.
        effect: EffectId,
        /// What it said.
        answer: Answer,
    },
    /// It did not.
    ModelFailed {
        /// The step's effect.
        effect: EffectId,
        /// Why.
        failure: Failure,
    },
    /// The model was not asked, or stopped, because the call reaches a cap.
    ModelCapped {
        /// The step's effect.
        effect: EffectId,
        /// Which one.
        cap: Cap,
        /// What the call used all the same, estimated.
        #[serde(default)]
        usage: Usage,
    },

    /// A tool is about to be called.
    ToolStarted {
        /// The run.
        run: u32,
        /// The step.
        step: u32,
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// What stands behind it.
        target: String,
        /// What it is given.
        input: Value,
    },
    /// It gave this.
    ToolFinished {
        /// The call's effect.
        effect: EffectId,
        /// The call.
        call: String,
        /// What.
        outcome: ToolOutcome,
    },
    /// It cannot be made before a person agrees to what it sends: nothing was sent. The run pauses, and makes the call when
    /// it resumes.
    ToolHeld {
        /// The call's effect.
        effect: EffectId,
        /// The call.
        call: String,
        /// The stable code.
        code: Code,
        /// Why, in words.
        message: String,
    },
    /// A call is not made; this is its result.
    ToolRefused {
        /// The step.
        step: u32,
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// The stable code.
        code: Code,
        /// Why, in words.
        message: String,
    },
    /// A person is to say whether a call may pass.
    PermissionAsked {
        /// The step.
        step: u32,
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// What it needs.
        capability: String,
    },
    /// They said.
    PermissionAnswered {
        /// The question.
        effect: EffectId,
        /// Who.
        actor: Actor,
        /// What.
        answer: PermissionAnswer,
        /// For how much.
        reach: Reach,
    },
    /// A standing answer no longer holds; the next call that needs it asks again.
    PermissionRevoked {
        /// Who revoked it.
        actor: Actor,
        /// The capability that it was for.
        capability: String,
        /// Whether it was an answer for the run or for the session.
        reach: Reach,
    },
    /// The program ended while this was under way, and it is not done again by itself.
    EffectInterrupted {
        /// What was under way.
        effect: EffectId,
    },

    /// Somebody wants to go back to a message.
    RewindRequested {
        /// The message.
        to: u64,
        /// The workbench's state then.
        state: BlobHash,
    },
    /// Conversation and workbench are as they were at that message.
    Rewound {
        /// The restoring.
        effect: EffectId,
        /// The message.
        to: u64,
    },
    /// The workbench could not be brought back; nothing has changed.
    RewindFailed {
        /// The restoring.
        effect: EffectId,
        /// Why.
        failure: Failure,
    },
}

impl Event {
    /// Its name on the wire, for tables.
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

    /// The blobs that it names. They are kept as long as the log is.
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
