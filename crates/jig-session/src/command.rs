//! What can be asked of a session, and what the world outside tells it.

use std::collections::BTreeMap;

use jig_contract::{Actor, BlobHash, Code, SessionId, WorkbenchId};

use crate::budget::{Budget, Cap};
use crate::effect::EffectId;
use crate::policy::{Answer as PermissionAnswer, Reach};
use crate::run::{Mode, RunOverrides, Task, TurnLimits};
use crate::state::{Defaults, DefaultsPatch};
use crate::tool::{Answer, Binding, Failure, ToolOutcome, Usage};
use crate::workspace::{ApplyMode, SnapshotSummary, SyncProblem};

/// What a run starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// How it works; the session's way when left out.
    pub mode: Option<Mode>,
    /// The model, as it was found.
    pub model: String,
    /// What it does differently.
    pub overrides: RunOverrides,
    /// What stands behind tools in this program.
    pub bindings: BTreeMap<String, Binding>,
    /// How many model calls its phases may take.
    pub limits: TurnLimits,
    /// The question that it puts, instead of one made from the conversation and the workbench.
    pub task: Option<Task>,
}

/// What came of a sync.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment")]
pub enum SyncOutcome {
    /// The root is the one that was known.
    Unchanged {
        /// The root.
        root: BlobHash,
    },
    /// A snapshot was compiled and kept.
    Ready(SnapshotSummary),
    /// It is not right.
    Failed(Vec<SyncProblem>),
}

/// A command.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Make the session.
    Create {
        /// Its id.
        session: SessionId,
        /// The workbench it works on.
        workbench: WorkbenchId,
        /// What holds for its runs.
        defaults: Defaults,
    },
    /// Change what holds for its runs.
    Configure(DefaultsPatch),
    /// Look at what a workspace holds now.
    Sync {
        /// Which one; the session's own when left out.
        reference: Option<String>,
        /// The root that is known; that of the newest snapshot when left out.
        known: Option<BlobHash>,
    },
    /// Read another version of the workspace for one run. The pending snapshot stays pending.
    SyncAside {
        /// Which one.
        reference: String,
    },
    /// A sync came to an end.
    SyncDone {
        /// Which one.
        effect: EffectId,
        /// What came of it.
        outcome: SyncOutcome,
    },
    /// Adopt a snapshot.
    Apply {
        /// Which one.
        snapshot: BlobHash,
        /// When.
        mode: ApplyMode,
    },
    /// Say something, and start a run on it.
    Send {
        /// Who says it.
        actor: Actor,
        /// What.
        text: String,
        /// The workbench's state at this moment.
        state: BlobHash,
        /// The run.
        start: Start,
    },
    /// Start a run on the last message once more.
    Regenerate {
        /// The run.
        start: Start,
    },
    /// Show something in the conversation.
    Note {
        /// What.
        text: String,
    },
    /// Record what a person should know about the prompt of a step. What the run has recorded before is left out.
    Notice {
        /// The step's effect.
        effect: EffectId,
        /// Codes, where there are any, and words.
        notices: Vec<(Option<Code>, String)>,
    },
    /// The request of a step is built and kept, and is about to be sent.
    Requested {
        /// The step's effect.
        effect: EffectId,
        /// The workbench's state that it was built from.
        state: BlobHash,
        /// The workbench's name.
        name: String,
        /// Its bytes.
        request: BlobHash,
        /// Its bill.
        bill: BlobHash,
        /// The tokens that were counted for it.
        tokens: u64,
    },
    /// The model answered.
    Answered {
        /// The step's effect.
        effect: EffectId,
        /// What.
        answer: Answer,
    },
    /// The model did not answer.
    Failed {
        /// The step's effect.
        effect: EffectId,
        /// Why.
        failure: Failure,
    },
    /// The model was not asked, or stopped, because the call reaches a cap.
    Capped {
        /// The step's effect.
        effect: EffectId,
        /// Which one.
        cap: Cap,
        /// What the call used all the same, estimated.
        usage: Usage,
    },
    /// A tool gave its result.
    ToolDone {
        /// The call's effect.
        effect: EffectId,
        /// What.
        outcome: ToolOutcome,
    },
    /// A tool was not called: a person has to agree first to what it is given.
    ToolHeld {
        /// The call's effect.
        effect: EffectId,
        /// Why.
        failure: Failure,
    },
    /// A person says whether a call may pass.
    Permit {
        /// The question.
        effect: EffectId,
        /// Who.
        actor: Actor,
        /// What.
        answer: PermissionAnswer,
        /// For how much.
        reach: Reach,
    },
    /// Revoke standing answers for a capability.
    Revoke {
        /// Who revokes them.
        actor: Actor,
        /// The capability.
        capability: String,
        /// Only the answer for the run, or only that for the session; both when left out.
        reach: Option<Reach>,
    },
    /// The program ended while this was under way.
    Interrupted {
        /// What.
        effect: EffectId,
    },
    /// End the run.
    Cancel,
    /// Go on with the run.
    Resume {
        /// Caps that are other than before.
        budget: Budget,
    },
    /// Refuse the call that is held; its result is an error.
    Decline,
    /// Go back to a message.
    Rewind {
        /// Which one.
        to: u64,
    },
    /// The workbench is back, or could not be brought back.
    RewindDone {
        /// The restoring.
        effect: EffectId,
        /// Why not.
        failure: Option<Failure>,
    },
}
