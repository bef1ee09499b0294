//! A run in progress: phases, items, tool calls with their results, and usage so far.

use jig_contract::ops::{PermitAnswer, SessionOutput};
use jig_contract::{Event, EventRecord, SessionEvent};
use maud::{Markup, html};

use super::icons::icon;
use super::parts::{badge, note, prose};
use super::units::{count, grouped};
use super::visit::Bench;

/// A phase, or an item of the plan.
struct Stage {
    title: String,
    state: State,
    why: Option<String>,
    lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
    Failed,
}

/// A line of a stage: a call, a question, a failure.
struct Line {
    call: String,
    tool: String,
    words: String,
    state: State,
}

#[derive(Default)]
struct Told {
    stages: Vec<Stage>,
    plan: Vec<String>,
    input: u64,
    output: u64,
    micros: u64,
    mode: &'static str,
    model: String,
    end: Option<(String, String)>,
    cancelling: bool,
}

/// Renders the newest run of a session.
pub(super) fn draw(bench: &Bench, session: &SessionOutput, events: &[EventRecord]) -> Markup {
    let mut told = Told::default();
    for record in events {
        if let Event::Session { what, .. } = &record.event {
            told.take(what);
        }
    }
    let going = session.run.as_ref().is_some_and(|run| run.suspended.is_none()) && session.questions.is_empty();
    html! {
        div class="progress" id="progress" aria-label="The run" role="group" {
            p class="row" {
                strong { @if going { "At work" } @else if session.run.is_some() { "Waits" } @else { "The run" } }
                @if !told.model.is_empty() { span class="muted" { (told.mode) " · " (told.model) } }
                @if going { progress aria-label="The run goes on" {} }
            }
            @if let Some(share) = share(&told) { (super::parts::bar("Items of the plan that are done", share)) }
            ol class="stages" { @for (n, stage) in told.stages.iter().enumerate() { (stage_row(stage, n, going && n + 1 == told.stages.len())) } }
            @if !told.open_items().is_empty() { ul class="todo" aria-label="Still to be done" { @for item in told.open_items() { li { "☐ " (prose(item)) } } } }
            p class="fine" id="spent" { (spent(&told)) }
            p class="fine" id="piece" role="status" {}
            @if told.cancelling && told.end.is_none() { p { "The run is being ended…" } }
            @match &told.end {
                Some((outcome, _)) if outcome == "cancelled" => (note("", html! { "The run was cancelled. The Draft keeps what was finished." })),
                Some((outcome, words)) if outcome == "failed" => (note("bad", html! { p { (prose(words)) } p { a href={ "/w/" (bench.id()) "/agent/session/" (session.session.id) } { "What the model saw" } } })),
                _ => {},
            }
        }
    }
}

/// The completed share of the plan.
#[expect(clippy::cast_precision_loss, reason = "a share to be drawn")]
fn share(told: &Told) -> Option<f64> {
    let over =
        told.stages.iter().filter(|stage| stage.title.starts_with("Item ") && stage.state != State::Open).count();
    (!told.plan.is_empty()).then(|| over as f64 / told.plan.len() as f64)
}

fn spent(told: &Told) -> Markup {
    let dollars = told.micros / 1_000_000;
    let rest = told.micros % 1_000_000 / 100;
    html! {
        @if told.input + told.output > 0 {
            (grouped(told.input)) " tokens in, " (grouped(told.output)) " out"
            @if told.micros > 0 { " · $" (dollars) "." (format!("{rest:04}")) }
        }
    }
}

fn stage_row(stage: &Stage, n: usize, last: bool) -> Markup {
    let (drawing, word) = match stage.state {
        State::Done => ("check", "done"),
        State::Failed => ("x", "failed"),
        State::Open if last => ("play", "under way"),
        State::Open => ("circle", "open"),
    };
    let lines = stage.lines.len() as u64;
    html! {
        li class={ "stage-row " (match stage.state { State::Done => "is-done", State::Failed => "is-failed", State::Open => "" }) } {
            (icon(drawing))
            div class="grow" {
                p { (prose(&stage.title)) span class="sr" { ": " (word) } @if stage.state == State::Failed { " " (badge("bad", "failed")) } }
                @if let Some(why) = &stage.why { p class="fine" { (prose(why)) } }
                @if lines > 0 {
                    details id={ "stage-" (n) } open[last || stage.state == State::Failed] {
                        summary { (count(lines, "call")) }
                        ul class="calls" { @for line in &stage.lines { (call_row(line)) } }
                    }
                }
            }
        }
    }
}

fn call_row(line: &Line) -> Markup {
    html! {
        li {
            code { (line.tool) } " " span { (line.words) }
            @match line.state { State::Failed => { " " (badge("bad", "failed")) }, State::Open => { " " (badge("", "…")) }, State::Done => {} }
        }
    }
}

impl Told {
    fn stage(&mut self) -> &mut Stage {
        if self.stages.is_empty() {
            self.stages.push(Stage::new("The work"));
        }
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }

    fn open_items(&self) -> Vec<&str> {
        let begun = self.stages.iter().filter(|stage| stage.title.starts_with("Item ")).count();
        self.plan.iter().skip(begun).map(String::as_str).collect()
    }

    fn line(&mut self, call: &str, tool: &str, words: &str, state: State) {
        let line = Line { call: call.to_owned(), tool: tool.to_owned(), words: words.to_owned(), state };
        let stage = self.stage();
        match stage.lines.iter_mut().find(|known| known.call == call && !call.is_empty()) {
            Some(known) => *known = line,
            None => stage.lines.push(line),
        }
    }

    fn take(&mut self, what: &SessionEvent) {
        match what {
            SessionEvent::RunStarted { mode, model } => {
                self.mode = mode_word(*mode);
                self.model.clone_from(model);
                self.stages.clear();
                self.plan.clear();
                self.end = None;
            }
            SessionEvent::PhaseStarted { phase } if phase != "implement" => {
                self.stages.push(Stage::new(phase_words(phase)));
            }
            SessionEvent::PhaseCompleted { phase } if phase != "implement" => self.stage().state = State::Done,
            SessionEvent::PlanMade { items } => self.plan.clone_from(items),
            SessionEvent::ItemStarted { item, of, label, attempt } => {
                let again = if *attempt > 1 { ", once more" } else { "" };
                let title = format!("Item {item} of {of}: {label}{again}");
                // A second attempt replaces the first in the list.
                match self.stages.last_mut().filter(|_| *attempt > 1) {
                    Some(stage) => (stage.title, stage.state) = (title, State::Open),
                    None => self.stages.push(Stage::new(&title)),
                }
            }
            SessionEvent::ItemCompleted { .. } => {
                let stage = self.stage();
                (stage.state, stage.why) = (State::Done, None);
            }
            SessionEvent::ItemFailed { code, reason, .. } => {
                let stage = self.stage();
                stage.state = State::Failed;
                stage.why = Some(format!("{reason} [{}]", code.as_str()));
            }
            SessionEvent::ModelAnswered { input_tokens, output_tokens, cost_micros } => {
                (self.input, self.output, self.micros) = (*input_tokens, *output_tokens, *cost_micros);
            }
            SessionEvent::ModelFailed { code, message } => {
                self.line("", "model", &format!("{message} [{}]", code.as_str()), State::Failed);
            }
            SessionEvent::ToolStarted { call, tool, path } => {
                self.line(call, tool, path.as_deref().unwrap_or_default(), State::Open);
            }
            SessionEvent::ToolFinished { call, tool, summary, failed } => {
                self.line(call, tool, summary, if failed.is_some() { State::Failed } else { State::Done });
            }
            SessionEvent::ToolRefused { call, tool, code, message } => {
                self.line(call, tool, &format!("{message} [{}]", code.as_str()), State::Failed);
            }
            SessionEvent::PermissionAnswered { answer, .. } => {
                let words = if *answer == PermitAnswer::Allow { "a person allowed it" } else { "a person said no" };
                self.line("", "permission", words, State::Done);
            }
            SessionEvent::RunCancelRequested => self.cancelling = true,
            SessionEvent::RunEnded { outcome, code, message } => {
                let code = code.map(|code| format!(" [{}]", code.as_str())).unwrap_or_default();
                self.end = Some((outcome.clone(), format!("{message}{code}")));
            }
            _ => {}
        }
    }
}

impl Stage {
    fn new(title: &str) -> Self {
        Self { title: title.to_owned(), state: State::Open, why: None, lines: Vec::new() }
    }
}

const fn mode_word(mode: jig_contract::ops::RunMode) -> &'static str {
    use jig_contract::ops::RunMode;
    match mode {
        RunMode::Ask => "only answer",
        RunMode::Auto => "work on it",
        RunMode::Direct => "directly",
    }
}

fn phase_words(phase: &str) -> &str {
    match phase {
        "research" => "Research",
        "plan" => "Plan",
        "summary" => "Summary",
        "direct" => "Work",
        other => other,
    }
}
