//! A run: one task of a session, divided into phases, items and steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jig_contract::ops::EgressScope;
use jig_contract::{BlobHash, Code};
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Spent};
use crate::effect::EffectId;
use crate::event::Suspension;
use crate::plan::Plan;
use crate::policy::{Capability, Policy, Standing};
use crate::tool::{Binding, ToolCall, Touch};

/// How a run works on its task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Researches and answers; changes nothing.
    Ask,
    /// Researches, plans, implements item by item, then summarises.
    #[default]
    Auto,
    /// A single loop without phases.
    Direct,
}

/// A part of a run with its own context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The single loop of a run without phases.
    Direct,
    /// Gathers information; read-only.
    Research,
    /// Creates the list of items; read-only.
    Plan,
    /// Implements one item.
    Implement,
    /// Summarises the changes; no tools.
    Summary,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 5] = [Self::Direct, Self::Research, Self::Plan, Self::Implement, Self::Summary];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Research => "research",
            Self::Plan => "plan",
            Self::Implement => "implement",
            Self::Summary => "summary",
        }
    }

    /// Whether write tools are refused.
    pub const fn reads_only(self) -> bool {
        matches!(self, Self::Research | Self::Plan | Self::Summary)
    }

    /// Whether the phase does the actual work. A pack or catalog chosen without a phase applies to these phases.
    pub(crate) const fn works(self) -> bool {
        matches!(self, Self::Direct | Self::Implement)
    }
}

/// The pack and the catalog of a phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseChoice {
    /// The prompt pack; `None` means Jig's built-in instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog; `None` means no tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
}

/// Limits on the model calls of each phase; for `implement`, of each attempt at an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLimits {
    /// Runs without phases.
    pub direct: u32,
    /// Research.
    pub research: u32,
    /// Plan.
    pub plan: u32,
    /// Each attempt at an item.
    pub implement: u32,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { direct: 30, research: 30, plan: 10, implement: 30 }
    }
}

impl TurnLimits {
    /// The limit of a phase.
    pub const fn of(&self, phase: Phase) -> u32 {
        match phase {
            Phase::Direct => self.direct,
            Phase::Research => self.research,
            Phase::Plan => self.plan,
            Phase::Implement => self.implement,
            Phase::Summary => 1,
        }
    }

    /// A single call.
    pub const fn one() -> Self {
        Self { direct: 1, research: 1, plan: 1, implement: 1 }
    }
}

/// The configuration that is fixed when a run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// `provider:model`.
    pub model: String,
    /// The snapshot it starts with.
    pub snapshot: BlobHash,
    /// The pack and the catalog of each phase.
    pub phases: BTreeMap<Phase, PhaseChoice>,
    /// Its permissions.
    pub policy: Policy,
    /// Its caps at the start; a resume may raise them.
    pub budget: Budget,
    /// Limits on the model calls of each phase.
    pub limits: TurnLimits,
    /// The implementation behind each tool name.
    pub bindings: BTreeMap<String, Binding>,
    /// A fixed question, instead of a prompt built from the conversation and the workbench.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The version of the derivation rules. A log is always replayed with the rules it was written under.
    #[serde(default, skip_serializing_if = "Rules::is_first")]
    pub rules: Rules,
}

/// Versions of the rules for derived events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Every answer without calls ends its phase or item.
    #[default]
    First,
    /// Unusable answers are retried once and then pause the run; malformed calls get an error as result; an item fails
    /// if its last call failed.
    Checked,
    /// Like `Checked`, and a run without items also fails if its last call failed, in every mode.
    EveryMode,
}

impl Rules {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// A fixed question: one model call without tools that sends nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The purpose of the call, for the list of model calls.
    pub purpose: String,
    /// The blob of the complete question.
    pub question: BlobHash,
    /// Whether the question includes text from the caller, beyond the workbench.
    #[serde(default)]
    pub words: bool,
    /// The sources of the question, as its consent lists them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Box<EgressScope>>,
    /// The usage of earlier runs of the same task; caps apply to the sum.
    #[serde(default)]
    pub before: Spent,
}

/// Settings of one run that differ from its session's. Unset fields are inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOverrides {
    /// The prompt pack of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The choices for single phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<Phase, PhaseChoice>,
    /// Another snapshot of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<BlobHash>,
    /// Caps that differ.
    #[serde(default)]
    pub budget: Budget,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The task was completed.
    Completed {
        /// The model's final answer.
        text: String,
    },
    /// Cancelled by a user.
    Cancelled,
    /// The task failed.
    Failed {
        /// The stable code.
        code: Code,
        /// The reason, for people.
        message: String,
        /// The model's final text, which may be useful despite the failure.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
}

/// The state of an active run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number in the session, from 1.
    pub number: u32,
    /// The record number of the message it answers.
    pub message: u64,
    /// Its mode.
    pub mode: Mode,
    /// The configuration that was fixed at its start.
    pub config: Arc<RunConfig>,
    /// The workspace snapshot for the next step.
    pub snapshot: BlobHash,
    /// Why the run is paused; `None` while it is running.
    pub suspended: Option<Suspension>,
    /// Whether it ends as soon as no call is running.
    pub cancelling: bool,
    /// The current phase.
    pub phase: Option<Phase>,
    /// Completed phases.
    pub done: Vec<Phase>,
    /// The record where the current context starts.
    pub context_from: u64,
    /// Model calls in the current context.
    pub turns: u32,
    /// The result of research.
    pub research: Option<Arc<str>>,
    /// The last call of research, if it failed.
    pub research_failed: Option<FailedCall>,
    /// The final text of the last phase.
    pub last_text: Option<Arc<str>>,
    /// The plan.
    pub plan: Option<Arc<Plan>>,
    /// The current item and attempt, both counted from 1.
    pub item: Option<(u32, u32)>,
    /// Why the last attempt at the item failed.
    pub failure: Option<String>,
    /// Whether that attempt has ended and the next has not started.
    pub retry: bool,
    /// The current step.
    pub step: Option<Step>,
    /// Usage so far.
    pub spent: Spent,
    /// The current caps.
    pub budget: Budget,
    /// Standing answers for this run.
    pub answered: BTreeMap<Capability, Standing>,
    /// The topics of notices recorded so far; see `topic`.
    pub noticed: BTreeSet<String>,
    /// For each call and result in the current context: how often it occurred, and in which step last.
    pub repeats: BTreeMap<BlobHash, (u32, u32)>,
    /// Consecutive unusable answers.
    pub unusable: u32,
    /// The text of an answer that the output limit cut off; its continuation is appended.
    pub partial: String,
    /// Consecutive malformed calls per tool: count, step of the last one, and its error.
    pub malformed: BTreeMap<String, (u32, u32, String)>,
    /// Failed calls of the current context that no later call has made up for.
    pub failed_calls: FailedCalls,
}

/// The last failed calls that are still unresolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedCalls {
    /// A failed write; resolved by a later successful write.
    pub write: Option<FailedCall>,
    /// Any other failed call; resolved by any later successful call.
    pub other: Option<FailedCall>,
}

/// A tool call that failed or was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The step it belongs to.
    pub step: u32,
    /// The tool.
    pub tool: String,
    /// The stable code.
    pub code: Code,
    /// The reason, in one line.
    pub reason: String,
}

impl FailedCalls {
    /// The unresolved failure that makes an item fail; a write takes precedence.
    pub(crate) fn open(&self) -> Option<&FailedCall> {
        self.write.as_ref().or(self.other.as_ref())
    }

    pub(crate) fn add(&mut self, touch: Option<Touch>, failed: FailedCall) {
        let place = if touch == Some(Touch::Writes) { &mut self.write } else { &mut self.other };
        *place = Some(failed);
    }

    /// Records a successful call of a later step. A call in the same answer does not count: the model had not seen the
    /// failure.
    pub(crate) fn made_up(&mut self, touch: Option<Touch>, step: u32) {
        self.other = self.other.take().filter(|failed| failed.step >= step);
        if touch == Some(Touch::Writes) {
            self.write = self.write.take().filter(|failed| failed.step >= step);
        }
    }
}

/// One model call and its tool calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number in the session, from 1.
    pub number: u32,
    /// The names of the tools that were offered.
    pub tools: Arc<[String]>,
    /// Its stage.
    pub stage: StepStage,
}

/// The stage of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepStage {
    /// The model call is running.
    Asking {
        /// The effect.
        effect: EffectId,
    },
    /// The answer's tool calls are executed one after the other.
    Calls(Vec<OpenCall>),
    /// The answer has this text and no calls.
    Said(Arc<str>),
    /// The answer is unusable and the model is asked again.
    Again,
    /// The model call failed.
    Failed(Suspension),
}

/// A tool call and its stage.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    /// The call.
    pub call: ToolCall,
    /// Its stage.
    pub stage: CallStage,
}

/// The stage of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStage {
    /// Not decided yet.
    New,
    /// Waiting for a person's permission.
    Asked(EffectId),
    /// A person permitted it.
    Permitted,
    /// A person refused it.
    Denied,
    /// The tool is running.
    Running(EffectId),
    /// It has a result.
    Answered,
}
