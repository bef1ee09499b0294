//! Shows a run as a growing tree of phases, items and tools. On a terminal, a bar below it shows the current activity.

use std::time::Duration;

use anstyle::Style;
use indicatif::{ProgressBar, ProgressStyle};
use jig_contract::{Code, Event, EventRecord, OpError, SessionEvent};

use crate::app::App;
use crate::show::workshop::{Row, cost, in_item, row, tokens_word};
use crate::terminal::{FAINT, Terminal, plain};

/// How many characters of an unfinished answer are shown.
const TAIL: usize = 60;

/// Where the events of a run are shown.
enum Place {
    /// Lines on a terminal, with a bar below them.
    Bar(ProgressBar),
    /// Plain lines.
    Lines,
    /// One line of JSON per event.
    Json,
    /// Not shown.
    Nowhere,
}

/// The state of the display.
pub(super) struct Tree {
    terminal: Terminal,
    session: String,
    place: Place,
    /// Inside an item, tools are indented by one more level.
    in_item: bool,
    now: String,
    tail: String,
    tokens: u64,
    micros: u64,
    stopping: bool,
    ended: bool,
    failure: Option<(Code, String)>,
}

impl Tree {
    pub(super) fn new(app: &App, session: &str) -> Self {
        let terminal = app.terminal;
        let place = if terminal.json {
            Place::Json
        } else if terminal.quiet {
            Place::Nowhere
        } else if terminal.shows_progress() {
            Place::Bar(bar())
        } else {
            Place::Lines
        };
        Self {
            terminal,
            session: session.to_owned(),
            place,
            in_item: false,
            now: String::new(),
            tail: String::new(),
            tokens: 0,
            micros: 0,
            stopping: false,
            ended: false,
            failure: None,
        }
    }

    /// Shows an event. Events of other sessions are ignored.
    pub(super) fn take(&mut self, record: &EventRecord) {
        let Event::Session { session_id, what, .. } = &record.event else { return };
        if session_id.as_str() != self.session {
            return;
        }
        if let Place::Json = self.place {
            let line = serde_json::to_string(record).unwrap_or_default();
            // If the output is closed, the next result reports it.
            let _ = self.terminal.print(&line);
        }
        self.note(what);
        self.show(what);
    }

    /// Records what the methods below report.
    fn note(&mut self, what: &SessionEvent) {
        match what {
            SessionEvent::RunStarted { .. } | SessionEvent::RunResumed => (self.ended, self.failure) = (false, None),
            SessionEvent::ModelAnswered { input_tokens, output_tokens, cost_micros } => {
                (self.tokens, self.micros) = (input_tokens.saturating_add(*output_tokens), *cost_micros);
                self.tail.clear();
            }
            SessionEvent::RunSuspended { code, message } => self.failure = Some((*code, message.clone())),
            SessionEvent::RunEnded { outcome, code, message } => {
                self.ended = true;
                self.failure = match (outcome.as_str(), code) {
                    ("completed", _) => None,
                    (_, Some(code)) => Some((*code, message.clone())),
                    _ => {
                        let words = "the run was cancelled; the Draft keeps the completed changes";
                        Some((Code::UserCanceled, words.to_owned()))
                    }
                };
            }
            _ => {}
        }
    }

    fn show(&mut self, what: &SessionEvent) {
        if let Some(Row { depth, style, mark, text }) = row(what, self.in_item) {
            self.line(depth, style, mark, &text);
        }
        self.in_item = in_item(what, self.in_item);
        match what {
            SessionEvent::PhaseCompleted { phase } if matches!(self.place, Place::Lines) => {
                self.line(0, FAINT, "", &format!("{phase} completed"));
            }
            SessionEvent::PlanMade { items } => {
                self.length(items.len() as u64);
                for item in items {
                    self.line(1, FAINT, "[ ] ", item);
                }
            }
            SessionEvent::ItemCompleted { item, .. } | SessionEvent::ItemFailed { item, last: true, .. } => {
                self.position(u64::from(*item));
            }
            SessionEvent::AnswerPiece { text } => self.tail.push_str(text),
            SessionEvent::ToolStarted { tool: name, path, .. } => {
                self.now = path.as_ref().map_or_else(|| name.clone(), |path| format!("{name} {path}"));
            }
            SessionEvent::ModelRequested { .. } => self.now = "waiting for the model".to_owned(),
            _ => {}
        }
        self.refresh();
    }

    fn line(&self, depth: usize, style: Style, mark: &str, text: &str) {
        let text = format!("{}{style}{mark}{}{style:#}", "  ".repeat(depth), plain(text));
        match &self.place {
            Place::Bar(bar) => bar.suspend(|| self.terminal.say(&text)),
            Place::Lines => self.terminal.say(&text),
            Place::Json | Place::Nowhere => {}
        }
    }

    fn length(&self, items: u64) {
        if let Place::Bar(bar) = &self.place {
            if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:20} {pos}/{len} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_length(items);
        }
    }

    fn position(&self, item: u64) {
        if let Place::Bar(bar) = &self.place {
            bar.set_position(item);
        }
    }

    fn refresh(&self) {
        let Place::Bar(bar) = &self.place else { return };
        let tail: Vec<char> = self.tail.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
        let tail: String = tail[tail.len().saturating_sub(TAIL)..].iter().collect();
        let now = if tail.is_empty() { &self.now } else { &tail };
        bar.set_message(format!("{}  {}", self.total(), plain(now)));
    }

    /// What the run has used so far.
    pub(super) fn total(&self) -> String {
        let cost = cost(self.micros).map(|cost| format!(", {cost}")).unwrap_or_default();
        format!("{}{cost}", tokens_word(self.tokens))
    }

    /// Clears the bar so that something else can be printed.
    pub(super) fn rest(&self) {
        if let Place::Bar(bar) = &self.place {
            bar.finish_and_clear();
        }
    }

    pub(super) fn stopping(&mut self) {
        self.stopping = true;
        self.line(0, FAINT, "", "cancelling; press Ctrl-C again to exit now");
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether the run has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the run is paused only because consent to send something is missing.
    pub(super) fn needs_consent(&self) -> bool {
        self.failure.as_ref().is_some_and(|(code, _)| *code == Code::EgressConsentRequired)
    }

    /// Why the run did not complete.
    pub(super) fn failure(&self) -> Option<OpError> {
        let (code, message) = self.failure.as_ref()?;
        Some(OpError::new(*code, message.clone()))
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
