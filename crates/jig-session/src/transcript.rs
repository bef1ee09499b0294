//! What a step's request says of the conversation: what people said and got before, then this context.

use crate::history::{Body, Entry};
use crate::state::State;
use crate::tool::{Answer, ToolOutcome};

/// One turn of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Said<'a> {
    /// A person, in an earlier run.
    Person(&'a str),
    /// The answer they got, or a notice.
    Reply(&'a str),
    /// Here the task of this context stands, as the prompt pack words it.
    Task,
    /// The model, in this context.
    Model(&'a Answer),
    /// A tool's result, in this context.
    Tool {
        /// The call.
        call: &'a str,
        /// The tool.
        name: &'a str,
        /// What it gave.
        outcome: &'a ToolOutcome,
    },
}

/// What a request is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript<'a> {
    /// The turns, in order.
    pub turns: Vec<Said<'a>>,
    /// The message that is worked on.
    pub message: &'a str,
}

/// The transcript of the run's present step.
pub fn transcript(state: &State) -> Option<Transcript<'_>> {
    let run = state.core.run.as_ref()?;
    let (message, _) = state.history.message(run.message)?;
    let mut turns = Vec::new();
    for entry in &state.history.entries {
        match &entry.body {
            _ if entry.seq == run.message => {}
            Body::Message { text, .. } if entry.seq < run.message => turns.push(Said::Person(text)),
            Body::Reply { text } if entry.seq < run.message => turns.push(Said::Reply(text)),
            _ => {}
        }
    }
    turns.push(Said::Task);
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
            Body::Answer(answer) => turns.push(Said::Model(answer)),
            Body::Result { call, name, outcome } => turns.push(Said::Tool { call, name, outcome }),
            Body::Message { .. } | Body::Reply { .. } | Body::Notice { .. } => {}
        }
    }
    Some(Transcript { turns, message })
}
