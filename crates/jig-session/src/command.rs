//! Commands: user requests, and reports from outside about running effects.

use std::collections::BTreeMap;

use jig_contract::{Actor, BlobHash, Code, SessionId, WorkbenchId};

use crate::budget::{Budget, Cap};
use crate::effect::EffectId;
use crate::policy::{Answer as PermissionAnswer, Reach};
use crate::run::{Mode, RunOverrides, Task, TurnLimits};
use crate::state::{Defaults, DefaultsPatch};
use crate::tool::{Answer, Binding, Failure, ToolOutcome, Usage};
use crate::workspace::{ApplyMode, SnapshotSummary, SyncProblem};

/// The settings of a new run.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The session's mode if `None`.
    pub mode: Option<Mode>,
    /// The resolved model, as `provider:model`.
    pub model: String,
    /// What it does differently.
    pub overrides: RunOverrides,
    /// The implementation behind each tool name in this program.
    pub bindings: BTreeMap<String, Binding>,
    /// Limits on the model calls of each phase.
    pub limits: TurnLimits,
    /// A fixed question, instead of a prompt built from the conversation and the workbench.
    pub task: Option<Task>,
}

/// The result of a sync.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment")]
pub enum SyncOutcome {
    /// The workspace still has the known root.
    Unchanged {
        /// The root.
        root: BlobHash,
    },
    /// A snapshot was compiled and stored.
    Ready(SnapshotSummary),
    /// The workspace files have errors.
    Failed(Vec<SyncProblem>),
}

/// A command to a session; [`decide`](crate::decide) accepts or refuses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Creates the session.
    Create {
        /// Its id.
        session: SessionId,
        /// The workbench it works on.
        workbench: WorkbenchId,
        /// The defaults of its runs.
        defaults: Defaults,
    },
    /// Changes the defaults of future runs.
    Configure(DefaultsPatch),
    /// Reads the current content of a workspace.
    Sync {
        /// The workspace to read; the session's own if `None`.
        reference: Option<String>,
        /// The root that the caller already has; that of the newest snapshot if `None`.
        known: Option<BlobHash>,
    },
    /// Reads another version of the workspace for one run. The pending snapshot stays pending.
    SyncAside {
        /// The workspace and version.
        reference: String,
    },
    /// Reports the end of a sync.
    SyncDone {
        /// Which one.
        effect: EffectId,
        /// Its result.
        outcome: SyncOutcome,
    },
    /// Adopts a snapshot.
    Apply {
        /// The snapshot.
        snapshot: BlobHash,
        /// When it takes effect.
        mode: ApplyMode,
    },
    /// Adds a message and starts a run on it.
    Send {
        /// The author.
        actor: Actor,
        /// The message.
        text: String,
        /// The workbench state when the message was sent.
        state: BlobHash,
        /// The settings of the run.
        start: Start,
    },
    /// Starts another run on the last message.
    Regenerate {
        /// The settings of the run.
        start: Start,
    },
    /// Adds a notice to the conversation.
    Note {
        /// The notice.
        text: String,
    },
    /// Records warnings about the prompt of a step. Those that the run has already recorded are skipped.
    Notice {
        /// The step's effect.
        effect: EffectId,
        /// Pairs of error code and message.
        notices: Vec<(Option<Code>, String)>,
    },
    /// Reports that the request of a step is built and stored, and is about to be sent.
    Requested {
        /// The step's effect.
        effect: EffectId,
        /// The workbench state that it was built from.
        state: BlobHash,
        /// The workbench's name.
        name: String,
        /// The blob of its bytes.
        request: BlobHash,
        /// The blob of its token breakdown.
        bill: BlobHash,
        /// The tokens counted for it.
        tokens: u64,
    },
    /// Reports a model answer.
    Answered {
        /// The step's effect.
        effect: EffectId,
        /// The answer.
        answer: Answer,
    },
    /// Reports that a model call failed.
    Failed {
        /// The step's effect.
        effect: EffectId,
        /// The reason.
        failure: Failure,
    },
    /// Reports that a model call was skipped or interrupted because it reaches a cap.
    Capped {
        /// The step's effect.
        effect: EffectId,
        /// The cap that was reached.
        cap: Cap,
        /// An estimate of what the call used before it was interrupted.
        usage: Usage,
    },
    /// Reports the result of a tool call.
    ToolDone {
        /// The call's effect.
        effect: EffectId,
        /// The result.
        outcome: ToolOutcome,
    },
    /// Reports that a tool was not called because a person must first consent to its input.
    ToolHeld {
        /// The call's effect.
        effect: EffectId,
        /// The reason.
        failure: Failure,
    },
    /// Answers a permission question.
    Permit {
        /// The question.
        effect: EffectId,
        /// Who answered.
        actor: Actor,
        /// The answer.
        answer: PermissionAnswer,
        /// The calls that the answer covers.
        reach: Reach,
    },
    /// Revokes standing answers for a capability.
    Revoke {
        /// Who revokes them.
        actor: Actor,
        /// The capability.
        capability: String,
        /// The standing answer to revoke: that of the run or that of the session; both if `None`.
        reach: Option<Reach>,
    },
    /// Reports that the program exited while an effect was running.
    Interrupted {
        /// The effect.
        effect: EffectId,
    },
    /// Cancels the run.
    Cancel,
    /// Resumes the run.
    Resume {
        /// The caps to change.
        budget: Budget,
    },
    /// Declines the held tool call; its result is an error.
    Decline,
    /// Rewinds the session to a message.
    Rewind {
        /// The message's record number.
        to: u64,
    },
    /// Reports that the workbench was restored, or why it could not be.
    RewindDone {
        /// The restore effect.
        effect: EffectId,
        /// The error, if restoring failed.
        failure: Option<Failure>,
    },
}
