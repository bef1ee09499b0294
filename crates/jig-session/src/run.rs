//! A run: one task of a session, in phases, items and steps.

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

/// How a task is worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Research and an answer; nothing is changed.
    Ask,
    /// Research, plan, implement item by item, summarise.
    #[default]
    Auto,
    /// One loop without phases.
    Direct,
}

/// A part of a run with a context of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The one loop of a run without phases.
    Direct,
    /// Finding out; reads only.
    Research,
    /// Making the list of items; reads only.
    Plan,
    /// Doing one item.
    Implement,
    /// Saying what was done; no tools.
    Summary,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Direct, Self::Research, Self::Plan, Self::Implement, Self::Summary];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Research => "research",
            Self::Plan => "plan",
            Self::Implement => "implement",
            Self::Summary => "summary",
        }
    }

    /// Whether what writes is refused in it.
    pub const fn reads_only(self) -> bool {
        matches!(self, Self::Research | Self::Plan | Self::Summary)
    }

    /// Whether it does the work: what a run names without a phase is for these.
    pub(crate) const fn works(self) -> bool {
        matches!(self, Self::Direct | Self::Implement)
    }
}

/// The pack and the catalog of a phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseChoice {
    /// The prompt pack; none for Jig's own instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog; none for no tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
}

/// How many model calls a phase may take; for implementing, each item's attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLimits {
    /// Without phases.
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

    /// One call, and no more.
    pub const fn one() -> Self {
        Self { direct: 1, research: 1, plan: 1, implement: 1 }
    }
}

/// What a run fixes when it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// `provider:model`. It does not change while the run lasts.
    pub model: String,
    /// The snapshot it starts with.
    pub snapshot: BlobHash,
    /// The pack and the catalog of each phase.
    pub phases: BTreeMap<Phase, PhaseChoice>,
    /// What it may do.
    pub policy: Policy,
    /// What it may cost.
    pub budget: Budget,
    /// How many model calls its phases may take.
    pub limits: TurnLimits,
    /// What stands behind tools.
    pub bindings: BTreeMap<String, Binding>,
    /// The question that it puts, instead of one made from the conversation and the workbench.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The rules that decide what follows in this run. A log replays by the rules that it was written under.
    #[serde(default, skip_serializing_if = "Rules::is_first")]
    pub rules: Rules,
}

/// Versions of what follows by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Every answer without calls is the end of its phase or item.
    #[default]
    First,
    /// Unusable answers are retried once and then pause the run; malformed calls are answered; an item whose last call
    /// failed has failed.
    Checked,
    /// The same, and a run without items whose last call failed has failed, in every mode.
    EveryMode,
}

impl Rules {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// A question that is fixed before its run begins: one model call without tools, and nothing beside it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What the call is for, as the list of calls shows it.
    pub purpose: String,
    /// The whole question.
    pub question: BlobHash,
    /// Whether words are in it that came with the call, and not from the workbench.
    #[serde(default)]
    pub words: bool,
    /// What the question is made from, as the consent for it lists it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Box<EgressScope>>,
    /// What earlier runs of the same task have cost: caps are on all of them together.
    #[serde(default)]
    pub before: Spent,
}

/// What one run does differently from its session: only what is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOverrides {
    /// The prompt pack of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// Those of single phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<Phase, PhaseChoice>,
    /// Another snapshot of this session, for this run only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<BlobHash>,
    /// Other caps.
    #[serde(default)]
    pub budget: Budget,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it could; this is its answer.
    Completed {
        /// The answer.
        text: String,
    },
    /// Somebody stopped it.
    Cancelled,
    /// It cannot go on.
    Failed {
        /// The stable code.
        code: Code,
        /// Why, in words.
        message: String,
        /// What the model said at the end all the same.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
}

/// The run under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number in the session, from 1.
    pub number: u32,
    /// The message it works on.
    pub message: u64,
    /// How.
    pub mode: Mode,
    /// What is fixed.
    pub config: Arc<RunConfig>,
    /// The snapshot that the next step uses.
    pub snapshot: BlobHash,
    /// Why it stands still; none while it goes on.
    pub suspended: Option<Suspension>,
    /// Whether it ends as soon as nothing is under way.
    pub cancelling: bool,
    /// The phase.
    pub phase: Option<Phase>,
    /// Phases that are over.
    pub done: Vec<Phase>,
    /// The record where the present context begins.
    pub context_from: u64,
    /// Model calls in the present context.
    pub turns: u32,
    /// What research found.
    pub research: Option<Arc<str>>,
    /// The failed call that research ended with.
    pub research_failed: Option<FailedCall>,
    /// What the last phase came to.
    pub last_text: Option<Arc<str>>,
    /// The plan.
    pub plan: Option<Arc<Plan>>,
    /// The item at hand, and which attempt it is.
    pub item: Option<(u32, u32)>,
    /// Why the last attempt at it failed.
    pub failure: Option<String>,
    /// Whether that attempt is over and the next one has not begun.
    pub retry: bool,
    /// The step at hand.
    pub step: Option<Step>,
    /// What it has cost.
    pub spent: Spent,
    /// The caps, as they are now.
    pub budget: Budget,
    /// What people have answered for this run.
    pub answered: BTreeMap<Capability, Standing>,
    /// What its prompts were noticed for so far, without numbers.
    pub noticed: BTreeSet<String>,
    /// How often each call gave the same result in the present context, and in which step last.
    pub repeats: BTreeMap<BlobHash, (u32, u32)>,
    /// Unusable answers in a row.
    pub unusable: u32,
    /// What an answer said before the output limit cut it off; its continuation is appended.
    pub partial: String,
    /// Malformed calls in a row by tool, with the step of the last one and what was wrong with it.
    pub malformed: BTreeMap<String, (u32, u32, String)>,
    /// Failed calls of the present context that no later call has made up for.
    pub failed_calls: FailedCalls,
}

/// The last failed calls that still count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedCalls {
    /// One that writes: a later call that writes and succeeds makes up for it.
    pub write: Option<FailedCall>,
    /// Any other: a later call that succeeds makes up for it.
    pub other: Option<FailedCall>,
}

/// A call that failed or was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The step it belongs to.
    pub step: u32,
    /// The tool.
    pub tool: String,
    /// The stable code.
    pub code: Code,
    /// Why, in one line.
    pub reason: String,
}

impl FailedCalls {
    /// The one that makes an item fail.
    pub(crate) fn open(&self) -> Option<&FailedCall> {
        self.write.as_ref().or(self.other.as_ref())
    }

    pub(crate) fn add(&mut self, touch: Option<Touch>, failed: FailedCall) {
        let place = if touch == Some(Touch::Writes) { &mut self.write } else { &mut self.other };
        *place = Some(failed);
    }

    /// A call of a later step succeeded. One of the same answer does not count: the model had not seen the failure.
    pub(crate) fn made_up(&mut self, touch: Option<Touch>, step: u32) {
        self.other = self.other.take().filter(|failed| failed.step >= step);
        if touch == Some(Touch::Writes) {
            self.write = self.write.take().filter(|failed| failed.step >= step);
        }
    }
}

/// One model call and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number in the session, from 1.
    pub number: u32,
    /// The tools that were offered.
    pub tools: Arc<[String]>,
    /// Where it stands.
    pub stage: StepStage,
}

/// Where a step stands.
#[derive(Debug, Clone, PartialEq)]
pub enum StepStage {
    /// The model is asked.
    Asking {
        /// The effect.
        effect: EffectId,
    },
    /// Its calls are worked off, one after the other.
    Calls(Vec<OpenCall>),
    /// It said this and calls nothing.
    Said(Arc<str>),
    /// Its answer is unusable; the model is asked once more.
    Again,
    /// There is no answer.
    Failed(Suspension),
}

/// A call and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    /// The call.
    pub call: ToolCall,
    /// Where it stands.
    pub stage: CallStage,
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStage {
    /// Nobody looked at it.
    New,
    /// A person is asked.
    Asked(EffectId),
    /// A person said yes.
    Permitted,
    /// A person said no.
    Denied,
    /// It is under way.
    Running(EffectId),
    /// It has its result.
    Answered,
}
