//! What a step's request says of the conversation: what people said and got before, then this context.

use crate::defect::Defect;
use crate::history::{Body, Entry};
use crate::run::Rules;
use crate::state::State;
use crate::tool::{Answer, ToolOutcome};

/// The most of what was said and answered before that a request repeats. With it, a request costs the same however long the
/// session is.
pub const EARLIER_MAX: usize = 200;

/// One turn of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Said<'a> {
    /// What was said before the next turn is left out: there is too much of it.
    LeftOut,
    /// A person, in an earlier run.
    Person(&'a str),
    /// The answer they got, or a notice.
    Reply(&'a str),
    /// Here the task of this context stands, as the prompt pack words it.
    Task,
    /// The model, in this context.
    Model(&'a Answer),
    /// Why the model is asked again.
    Note(&'static str),
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
    let mut turns = earlier(&state.history.entries, run.message);
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
            Body::Answer(answer) => match Defect::of(answer).filter(|_| run.config.rules >= Rules::Checked) {
                None => turns.push(Said::Model(answer)),
                Some(defect) => {
                    // What was cut off is continued; any other unusable answer is left out.
                    if defect == Defect::Length && !answer.text().trim().is_empty() {
                        turns.push(Said::Model(answer));
                    }
                    turns.push(Said::Note(defect.note()));
                }
            },
            Body::Result { call, name, outcome } => turns.push(Said::Tool { call, name, outcome }),
            Body::Message { .. } | Body::Reply { .. } | Body::Notice { .. } => {}
        }
    }
    Some(Transcript { turns, message })
}

/// What people said and got before a message: the newest of it.
fn earlier(entries: &[Entry], message: u64) -> Vec<Said<'_>> {
    let end = entries.partition_point(|entry| entry.seq < message);
    let mut before = entries.get(..end).unwrap_or_default().iter().rev().filter_map(|entry| match &entry.body {
        Body::Message { text, .. } => Some(Said::Person(text)),
        Body::Reply { text } => Some(Said::Reply(text)),
        _ => None,
    });
    let mut turns: Vec<Said<'_>> = before.by_ref().take(EARLIER_MAX).collect();
    if before.next().is_some() {
        turns.push(Said::LeftOut);
    }
    turns.reverse();
    turns
}
