//! The conversation and the steps, in order. Append-only, except for a rewind.

use std::sync::Arc;

use jig_contract::BlobHash;

use crate::budget::Spent;
use crate::effect::EffectId;
use crate::plan::Plan;
use crate::run::{Phase, Run};
use crate::tool::{Answer, ToolOutcome};

/// The content of a conversation entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A message from a person.
    Message {
        /// The message.
        text: String,
        /// The workbench state when it was sent.
        state: BlobHash,
    },
    /// A model answer during a run.
    Answer(Answer),
    /// The result of a tool call, or the refusal in its place.
    Result {
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The result.
        outcome: ToolOutcome,
    },
    /// The final answer of a run, or a text about how the run ended.
    Reply {
        /// The text.
        text: String,
    },
    /// A notice, about a publish or a restore for example.
    Notice {
        /// The notice.
        text: String,
    },
}

/// An entry of the conversation. Its identity is the record number, not its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The number of the record that added it.
    pub seq: u64,
    /// The run it belongs to, or 0.
    pub run: u32,
    /// The step it belongs to, or 0.
    pub step: u32,
    /// The content.
    pub body: Body,
}

/// A step, as the history lists it.
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
    /// The effect of its model call.
    pub effect: EffectId,
    /// The workspace snapshot it used.
    pub snapshot: BlobHash,
    /// The blobs of its request: bytes, token breakdown and workbench state. `None` until the request is built.
    pub request: Option<(BlobHash, BlobHash, BlobHash)>,
}

/// The conversation and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The conversation.
    pub entries: Vec<Entry>,
    /// All steps, including those that a rewind undid.
    pub steps: Vec<StepRecord>,
    /// The notes of the last run that ended.
    pub last: Option<Notes>,
    /// The usage of the last run that ended, including what it inherited from earlier runs of its task.
    pub spent: Spent,
}

/// The notes that a run writes for itself and for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// The run.
    pub run: u32,
    /// The result of research.
    pub research: Option<Arc<str>>,
    /// The plan, with the state of each item.
    pub plan: Option<Arc<Plan>>,
}

impl Notes {
    /// The notes of an active run.
    pub fn of(run: &Run) -> Self {
        Self { run: run.number, research: run.research.clone(), plan: run.plan.clone() }
    }
}

impl History {
    /// The text and workbench state of a message, unless a rewind undid it.
    pub fn message(&self, seq: u64) -> Option<(&str, BlobHash)> {
        let at = self.entries.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        match &self.entries.get(at)?.body {
            Body::Message { text, state } => Some((text, *state)),
            _ => None,
        }
    }

    /// The record number of the last message.
    pub fn last_message(&self) -> Option<u64> {
        self.entries.iter().rev().find(|entry| matches!(entry.body, Body::Message { .. })).map(|entry| entry.seq)
    }

    /// A step by its number.
    pub fn step(&self, number: u32) -> Option<&StepRecord> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.steps.get(at)
    }
}
