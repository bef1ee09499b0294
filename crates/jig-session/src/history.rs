//! What was said and done, in order. It only grows, but for going back to a message.

use std::sync::Arc;

use jig_contract::BlobHash;

use crate::budget::Spent;
use crate::effect::EffectId;
use crate::plan::Plan;
use crate::run::{Phase, Run};
use crate::tool::{Answer, ToolOutcome};

/// What a line of the conversation is.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A person said it.
    Message {
        /// What.
        text: String,
        /// The workbench's state then.
        state: BlobHash,
    },
    /// The model said it on the way.
    Answer(Answer),
    /// A tool gave it, or a refusal stands for it.
    Result {
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// What.
        outcome: ToolOutcome,
    },
    /// The answer of a run, or what became of it instead.
    Reply {
        /// What.
        text: String,
    },
    /// A publish, a restore.
    Notice {
        /// What.
        text: String,
    },
}

/// A line of the conversation. Two with the same words are two.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The record it came with.
    pub seq: u64,
    /// The run it belongs to; 0 for none.
    pub run: u32,
    /// The step it belongs to; 0 for none.
    pub step: u32,
    /// What.
    pub body: Body,
}

/// A step, for looking back.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRecord {
    /// Its number.
    pub step: u32,
    /// The run.
    pub run: u32,
    /// The phase.
    pub phase: Phase,
    /// The item.
    pub item: Option<u32>,
    /// Its effect.
    pub effect: EffectId,
    /// The snapshot it used.
    pub snapshot: BlobHash,
    /// The request, once it was built: its bytes, its bill, the workbench's state.
    pub request: Option<(BlobHash, BlobHash, BlobHash)>,
}

/// The conversation and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The conversation.
    pub entries: Vec<Entry>,
    /// All steps, also those that were gone back over.
    pub steps: Vec<StepRecord>,
    /// What the last run that is over left behind.
    pub last: Option<Notes>,
    /// What the last run that is over has cost, with what it took over from earlier ones.
    pub spent: Spent,
}

/// What a run writes down for itself and for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// The run.
    pub run: u32,
    /// What it found out.
    pub research: Option<Arc<str>>,
    /// What is to be done, with marks.
    pub plan: Option<Arc<Plan>>,
}

impl Notes {
    /// Those of a run under way.
    pub fn of(run: &Run) -> Self {
        Self { run: run.number, research: run.research.clone(), plan: run.plan.clone() }
    }
}

impl History {
    /// The message of this number, if it still stands.
    pub fn message(&self, seq: u64) -> Option<(&str, BlobHash)> {
        let at = self.entries.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        match &self.entries.get(at)?.body {
            Body::Message { text, state } => Some((text, *state)),
            _ => None,
        }
    }

    /// The last message that stands.
    pub fn last_message(&self) -> Option<u64> {
        self.entries.iter().rev().find(|entry| matches!(entry.body, Body::Message { .. })).map(|entry| entry.seq)
    }

    /// A step by its number.
    pub fn step(&self, number: u32) -> Option<&StepRecord> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.steps.get(at)
    }
}
