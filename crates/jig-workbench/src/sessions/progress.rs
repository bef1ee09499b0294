//! Events of a session. They report progress only; the content of requests and answers stays in the log, which has its
//! own access control.

use jig_contract::ops::{EventListOutput, PermitAnswer, PermitReach, RunMode};
use jig_contract::{Code, Event, EventRecord, OpError, SessionEvent, Timestamp};
use jig_providers::{Delta, Step};
use jig_session::{Body, Event as Logged, Mode, Outcome, PermissionAnswer, Reach, Record, State, Suspension};
use serde_json::Value;

use super::live::Live;
use super::log;
use crate::Workbench;

/// The maximum length of a text in an event, in characters.
const LINE_MAX: usize = 200;

impl Workbench {
    /// Sends events for stored records.
    pub(crate) async fn tell_session(&self, live: &Live, events: Vec<Happened>) {
        if events.is_empty() || !self.sender().is_heard() {
            return;
        }
        let seq = self.store().head(&live.row.workbench_id).await.map_or(0, |head| head.seq);
        for happened in events {
            self.sender().send(shown(live, seq, happened));
        }
    }

    /// Sends an event that is not stored, with this journal number.
    pub(crate) fn tell_passing(&self, live: &Live, seq: u64, step: &Step) {
        if let Some(happened) = Happened::passing(&live.state, self.env().now(), step) {
            self.sender().send(shown(live, seq, happened));
        }
    }

    /// The events of a session after a record, as they were sent.
    pub(crate) async fn session_events(&self, live: &Live, after: u64, limit: u32) -> Result<EventListOutput, OpError> {
        let seq = self.store().head(&live.row.workbench_id).await?.seq;
        let mut state = State::default();
        let mut events = Vec::new();
        let mut cursor = after;
        let mut log = self.log(&live.row.id, 0);
        while let Some(log::Logged { record, .. }) = log.next().await? {
            jig_session::evolve(&mut state, &record);
            if record.seq <= after {
                continue;
            }
            if events.len() >= limit as usize {
                break;
            }
            cursor = record.seq;
            events.push(shown(live, seq, Happened::of(&state, &record)));
        }
        Ok(EventListOutput { events, cursor, has_more: cursor < live.state.core.seq })
    }
}

/// An event of a session.
pub(crate) struct Happened {
    at: Timestamp,
    record: Option<u64>,
    run: Option<u32>,
    what: SessionEvent,
}

fn shown(live: &Live, seq: u64, happened: Happened) -> EventRecord {
    let Happened { at, record, run, what } = happened;
    let (session_id, workbench_id) = (live.row.id.clone(), live.row.workbench_id.clone());
    EventRecord { workbench_id, seq, at, event: Event::Session { session_id, record, run, what } }
}

impl Happened {
    /// The event of a record; `state` is the state after it.
    pub(crate) fn of(state: &State, record: &Record) -> Self {
        let run = run_of(&record.event).or_else(|| state.core.run.as_ref().map(|run| run.number));
        Self { at: record.at, record: Some(record.seq), run, what: what(state, record) }
    }

    /// The event of partial model output; `None` for output that only programs read.
    fn passing(state: &State, at: Timestamp, step: &Step) -> Option<Self> {
        let what = match step {
            Step::Delta(Delta::Text { text }) => SessionEvent::AnswerPiece { text: text.clone() },
            Step::Waiting(wait) => SessionEvent::Waiting {
                millis: u64::try_from(wait.time.as_millis()).unwrap_or(u64::MAX),
                code: wait.code,
                attempts: wait.attempts,
            },
            Step::Delta(_) | Step::Message(_) => return None,
        };
        Some(Self { at, record: None, run: state.core.run.as_ref().map(|run| run.number), what })
    }
}

/// The run that an event itself refers to, because after the last event of a run the state has none.
fn run_of(event: &Logged) -> Option<u32> {
    match event {
        Logged::RunStarted { run, .. } | Logged::RunEnded { run, .. } => Some(*run),
        _ => None,
    }
}

fn what(state: &State, record: &Record) -> SessionEvent {
    let item = |number: u32| item(state, number);
    match &record.event {
        Logged::SessionCreated { .. } => SessionEvent::SessionCreated,
        Logged::SessionConfigured { .. } => SessionEvent::SessionConfigured,
        event @ (Logged::WorkspaceSyncRequested { .. }
        | Logged::WorkspaceSyncUnchanged { .. }
        | Logged::WorkspaceSnapshotReady { .. }
        | Logged::WorkspaceSyncFailed { .. }
        | Logged::WorkspaceApplyRequested { .. }
        | Logged::WorkspaceApplied { .. }
        | Logged::WorkspaceApplyRefused { .. }) => SessionEvent::Workspace { what: event.name().to_owned() },
        Logged::MessageAdded { .. } => SessionEvent::MessageAdded,
        Logged::NoticeAdded { .. } => SessionEvent::NoticeAdded,
        Logged::PromptNoticed { code, message, .. } => {
            SessionEvent::PromptNoticed { code: *code, message: line(message) }
        }
        Logged::RunStarted { mode, config, .. } => {
            SessionEvent::RunStarted { mode: run_mode(*mode), model: config.model.clone() }
        }
        Logged::RunSuspended { why, .. } => {
            let (code, message) = suspended(why);
            SessionEvent::RunSuspended { code, message }
        }
        Logged::RunResumed { .. } => SessionEvent::RunResumed,
        Logged::RunCancelRequested { .. } => SessionEvent::RunCancelRequested,
        Logged::RunEnded { outcome, .. } => ended(outcome),
        Logged::PhaseStarted { phase, .. } => SessionEvent::PhaseStarted { phase: phase.as_str().to_owned() },
        Logged::PhaseCompleted { phase, .. } => SessionEvent::PhaseCompleted { phase: phase.as_str().to_owned() },
        Logged::PlanMade { plan, .. } => {
            SessionEvent::PlanMade { items: plan.items.iter().map(|item| line(&item.label)).collect() }
        }
        Logged::ItemStarted { item: number, attempt, .. } => {
            let (of, label) = item(*number);
            SessionEvent::ItemStarted { item: *number, of, label, attempt: *attempt }
        }
        Logged::ItemCompleted { item: number, .. } => {
            let (of, label) = item(*number);
            SessionEvent::ItemCompleted { item: *number, of, label }
        }
        Logged::ItemFailed { item: number, last, code, reason, .. } => {
            let (of, label) = item(*number);
            SessionEvent::ItemFailed { item: *number, of, label, last: *last, code: *code, reason: line(reason) }
        }
        Logged::StepStarted { step, .. } => SessionEvent::StepStarted { step: *step },
        Logged::ModelRequested { tokens, .. } => SessionEvent::ModelRequested { tokens: *tokens },
        Logged::ModelAnswered { .. } => {
            let spent = state.core.run.as_ref().map(|run| run.spent).unwrap_or_default();
            SessionEvent::ModelAnswered {
                input_tokens: spent.input,
                output_tokens: spent.output,
                cost_micros: spent.micros,
            }
        }
        Logged::ModelFailed { failure, .. } => {
            SessionEvent::ModelFailed { code: failure.code, message: line(&failure.message) }
        }
        Logged::ModelCapped { cap, .. } => {
            SessionEvent::ModelFailed { code: Code::BudgetCapReached, message: cap.to_string() }
        }
        Logged::ToolStarted { call, name, input, .. } => {
            SessionEvent::ToolStarted { call: call.clone(), tool: name.clone(), path: path(input) }
        }
        Logged::ToolFinished { call, outcome, .. } => SessionEvent::ToolFinished {
            call: call.clone(),
            tool: named(state, record.seq),
            summary: line(&outcome.summary),
            failed: outcome.failed,
        },
        Logged::ToolHeld { code, message, .. } => SessionEvent::RunSuspended { code: *code, message: line(message) },
        Logged::ToolRefused { call, name, code, message, .. } => {
            SessionEvent::ToolRefused { call: call.clone(), tool: line(name), code: *code, message: line(message) }
        }
        Logged::PermissionAsked { name, capability, .. } => {
            SessionEvent::PermissionAsked { tool: name.clone(), capability: capability.clone() }
        }
        Logged::PermissionAnswered { effect, answer, .. } => {
            SessionEvent::PermissionAnswered { question: effect.0, answer: permit_answer(*answer) }
        }
        Logged::PermissionRevoked { capability, reach, .. } => {
            SessionEvent::PermissionRevoked { capability: line(capability), reach: permit_reach(*reach) }
        }
        Logged::EffectInterrupted { .. } => SessionEvent::EffectInterrupted,
        Logged::RewindRequested { to, .. } => SessionEvent::RewindRequested { message: *to },
        Logged::Rewound { to, .. } => SessionEvent::Rewound { message: *to },
        Logged::RewindFailed { failure, .. } => {
            SessionEvent::RewindFailed { code: failure.code, message: line(&failure.message) }
        }
    }
}

/// The number of plan items, and the label of this one.
fn item(state: &State, number: u32) -> (u32, String) {
    let plan = state.core.run.as_ref().and_then(|run| run.plan.as_ref());
    let of = plan.and_then(|plan| u32::try_from(plan.items.len()).ok()).unwrap_or_default();
    let label = plan.and_then(|plan| plan.item(number)).map(|item| line(&item.label)).unwrap_or_default();
    (of, label)
}

/// The tool whose result came with a record.
fn named(state: &State, seq: u64) -> String {
    match state.history.entries.last().filter(|entry| entry.seq == seq).map(|entry| &entry.body) {
        Some(Body::Result { name, .. }) => name.clone(),
        _ => String::new(),
    }
}

/// The path that a call refers to, which is not content.
fn path(input: &Value) -> Option<String> {
    let given = ["target_path", "path"].into_iter().find_map(|name| input[name].as_str());
    given.map(line)
}

pub(crate) fn run_mode(mode: Mode) -> RunMode {
    match mode {
        Mode::Ask => RunMode::Ask,
        Mode::Auto => RunMode::Auto,
        Mode::Direct => RunMode::Direct,
    }
}

pub(crate) const fn permit_answer(answer: PermissionAnswer) -> PermitAnswer {
    match answer {
        PermissionAnswer::Allow => PermitAnswer::Allow,
        PermissionAnswer::Deny => PermitAnswer::Deny,
    }
}

pub(crate) const fn permit_reach(reach: Reach) -> PermitReach {
    match reach {
        Reach::Once => PermitReach::Once,
        Reach::Run => PermitReach::Run,
        Reach::Session => PermitReach::Session,
    }
}

/// Why a run is paused.
pub(crate) fn suspended(why: &Suspension) -> (Code, String) {
    match why {
        Suspension::Budget { cap } => (Code::BudgetCapReached, cap.to_string()),
        Suspension::Interrupted => (Code::UserCanceled, "the program ended while the model was asked".to_owned()),
        Suspension::ModelFailed { code, message } | Suspension::ToolHeld { code, message } => (*code, line(message)),
    }
}

fn ended(outcome: &Outcome) -> SessionEvent {
    let (outcome, code, message) = match outcome {
        Outcome::Completed { .. } => ("completed", None, String::new()),
        Outcome::Cancelled => ("cancelled", None, String::new()),
        Outcome::Failed { code, message, .. } => ("failed", Some(*code), line(message)),
    };
    SessionEvent::RunEnded { outcome: outcome.to_owned(), code, message }
}

/// A single line of limited length.
pub(crate) fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LINE_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_one() {
        assert_eq!(line(" a\n  b\tc "), "a b c");
        assert_eq!(line(&"ä".repeat(300)).chars().count(), LINE_MAX + 1);
    }
}
