//! The conversation part of a step's request: earlier messages and replies, then the current context.

use crate::defect::Defect;
use crate::history::{Body, Entry};
use crate::run::Rules;
use crate::state::State;
use crate::tool::{Answer, ToolOutcome};

/// How many earlier messages and replies a request repeats. The limit keeps the cost of a request independent of the
/// length of the session.
pub const EARLIER_MAX: usize = 200;

/// One turn of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptTurn<'a> {
    /// A marker that earlier turns were left out because there are too many.
    LeftOut,
    /// A person's message in an earlier run.
    Person(&'a str),
    /// The reply to it, or a notice.
    Reply(&'a str),
    /// The place of the current task, which the prompt pack words.
    Task,
    /// A model answer in the current context.
    Model(&'a Answer),
    /// The instruction with which the model is asked again.
    Note(&'static str),
    /// A tool result in the current context.
    Tool {
        /// The id of the call.
        call: &'a str,
        /// The tool.
        name: &'a str,
        /// The result.
        outcome: &'a ToolOutcome,
    },
}

/// The conversation of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript<'a> {
    /// The turns, in order.
    pub turns: Vec<TranscriptTurn<'a>>,
    /// The message that the run answers.
    pub message: &'a str,
}

/// The transcript for the current step.
pub fn transcript(state: &State) -> Option<Transcript<'_>> {
    let run = state.core.run.as_ref()?;
    let (message, _) = state.history.message(run.message)?;
    let mut turns = earlier(&state.history.entries, run.message);
    turns.push(TranscriptTurn::Task);
    let here = |entry: &&Entry| entry.run == run.number && entry.seq > run.context_from;
    for entry in state
        .history
        .entries
        .iter()
        .rev()
        .take_while(|entry| entry.seq > run.context_from)
        .filter(here)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        match &entry.body {
            Body::Answer(answer) => match Defect::of(answer).filter(|_| run.config.rules >= Rules::Checked) {
                None => turns.push(TranscriptTurn::Model(answer)),
                Some(defect) => {
                    // A cut-off answer stays, because it is continued; any other unusable answer is left out.
                    if defect == Defect::Length && !answer.text().trim().is_empty() {
                        turns.push(TranscriptTurn::Model(answer));
                    }
                    turns.push(TranscriptTurn::Note(defect.note()));
                }
            },
            Body::Result { call, name, outcome } => turns.push(TranscriptTurn::Tool { call, name, outcome }),
            Body::Message { .. } | Body::Reply { .. } | Body::Notice { .. } => {}
        }
    }
    Some(Transcript { turns, message })
}

/// The newest messages and replies before a message.
fn earlier(entries: &[Entry], message: u64) -> Vec<TranscriptTurn<'_>> {
    let end = entries.partition_point(|entry| entry.seq < message);
    let mut before = entries.get(..end).unwrap_or_default().iter().rev().filter_map(|entry| match &entry.body {
        Body::Message { text, .. } => Some(TranscriptTurn::Person(text)),
        Body::Reply { text } => Some(TranscriptTurn::Reply(text)),
        _ => None,
    });
    let mut turns: Vec<TranscriptTurn<'_>> = before.by_ref().take(EARLIER_MAX).collect();
    if before.next().is_some() {
        turns.push(TranscriptTurn::LeftOut);
    }
    turns.reverse();
    turns
}
