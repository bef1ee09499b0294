//! An in-memory session for tests: commands in, records out.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{Actor, BlobHash, SessionId, Timestamp, WorkbenchId};
use jig_session::*;
use serde_json::{Value, json};

/// A distinct hash for each number.
pub(crate) fn hash(n: u8) -> BlobHash {
    BlobHash::from_bytes([n; 32])
}

/// A session with its log.
#[derive(Clone, Default)]
pub(crate) struct TestSession {
    pub(crate) state: State,
    pub(crate) log: Vec<Record>,
    pub(crate) now: i64,
}

impl TestSession {
    /// A session with an active workspace.
    pub(crate) fn ready() -> Self {
        let mut live = Self::new();
        live.adopt(1);
        live
    }

    /// A session without a workspace.
    pub(crate) fn new() -> Self {
        let mut live = Self::default();
        let session = SessionId::new("0190b6c2-7d3e-7000-8000-000000000001").unwrap();
        let workbench = WorkbenchId::new("deck").unwrap();
        live.ok(&Command::Create { session, workbench, defaults: Defaults::new("own") });
        live
    }

    /// Executes a command and returns its events.
    pub(crate) fn run(&mut self, command: &Command) -> Result<Vec<Event>, Rejection> {
        self.now += 1_000;
        let at = Timestamp::from_millis(self.now);
        let decided = decide(&self.state, command, at)?;
        let mut events = Vec::new();
        for Decided { event, derived } in decided {
            let mut record = Record { seq: self.state.core.seq + 1, at, derived, effects: None, event };
            evolve(&mut self.state, &record);
            record.effects = digest(&effects(&self.state, &record));
            events.push(record.event.clone());
            self.log.push(record);
        }
        Ok(events)
    }

    /// Executes a command that must succeed.
    pub(crate) fn ok(&mut self, command: &Command) -> Vec<Event> {
        self.run(command).unwrap()
    }

    /// Syncs to the snapshot with this number.
    pub(crate) fn sync(&mut self, n: u8) -> Vec<Event> {
        self.ok(&Command::Sync { reference: None, known: None });
        let effect = self.open(|open| matches!(open, Open::Sync));
        self.ok(&Command::SyncDone { effect, outcome: SyncOutcome::Ready(summary(n)) })
    }

    pub(crate) fn apply(&mut self, n: u8, mode: ApplyMode) -> Vec<Event> {
        self.ok(&Command::Apply { snapshot: hash(n), mode })
    }

    /// Syncs and applies immediately.
    pub(crate) fn adopt(&mut self, n: u8) {
        self.sync(n);
        self.apply(n, ApplyMode::ImmediateIfIdle);
    }

    /// The only open effect of a kind.
    pub(crate) fn open(&self, wanted: impl Fn(&Open) -> bool) -> EffectId {
        let mut found = self.state.core.open.iter().filter(|(_, open)| wanted(open));
        *found.next().expect("nothing of the kind is open").0
    }

    pub(crate) fn send(&mut self, text: &str, start: Start) -> Vec<Event> {
        self.ok(&send(text, start))
    }

    /// Records the request of the open model call, then answers it.
    pub(crate) fn answer(&mut self, answer: Answer) -> Vec<Event> {
        let effect = self.requested();
        self.ok(&Command::Answered { effect, answer })
    }

    pub(crate) fn requested(&mut self) -> EffectId {
        let effect = self.open(|open| matches!(open, Open::Model { .. }));
        let (state, request, bill) = (hash(200), hash(201), hash(202));
        self.ok(&Command::Requested { effect, state, name: "deck".to_owned(), request, bill, tokens: 10 });
        effect
    }

    /// Returns this result from the open tool call.
    pub(crate) fn tool(&mut self, text: &str) -> Vec<Event> {
        let effect = self.open(|open| matches!(open, Open::Tool { .. }));
        self.ok(&Command::ToolDone { effect, outcome: outcome(text) })
    }

    /// Checks that the log replays to the same state.
    pub(crate) fn check(&self) {
        let replayed = check(&self.log).unwrap_or_else(|difference| panic!("{difference:#?}"));
        assert_eq!(replayed.state, self.state);
        let written: Vec<Record> = self.log.iter().map(rewritten).collect();
        assert_eq!(written, self.log);
    }
}

/// A record after a round trip through its stored form.
fn rewritten(record: &Record) -> Record {
    let value = serde_json::to_value(&record.event).unwrap();
    Record { event: read_event(LOG_VERSION, value).unwrap(), ..record.clone() }
}

pub(crate) fn send(text: &str, start: Start) -> Command {
    Command::Send { actor: Actor::person(), text: text.to_owned(), state: hash(100), start }
}

/// Packs for the phases; the catalog `default` has five tools, `read-only` two of them, `concise` one.
pub(crate) fn summary(n: u8) -> SnapshotSummary {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let catalogs = BTreeMap::from([
        ("default".to_owned(), names(&["read", "write", "ask", "secret", "unbound"])),
        ("read-only".to_owned(), names(&["read", "write"])),
        ("small".to_owned(), names(&["read"])),
    ]);
    let read_only = PhaseChoice { pack: None, catalog: Some("read-only".to_owned()) };
    SnapshotSummary {
        snapshot: hash(n),
        root: hash(n.wrapping_add(50)),
        reference: format!("own@{n}"),
        packs: names(&["research", "plan", "implement", "summary", "chat", "concise"]),
        catalogs,
        defaults: SnapshotDefaults {
            pack: Some("chat".to_owned()),
            catalog: Some("default".to_owned()),
            phases: BTreeMap::from([(Phase::Research, read_only.clone()), (Phase::Plan, read_only)]),
        },
        coverage: Coverage::default(),
        warnings: Vec::new(),
        blobs: Vec::new(),
    }
}

pub(crate) fn start(mode: Mode) -> Start {
    let binding = |capability: &str, touch| Binding {
        target: format!("Op{capability}"),
        capability: capability.to_owned(),
        touch,
    };
    let bindings = BTreeMap::from([
        ("read".to_owned(), binding("files.read", Touch::Reads)),
        ("write".to_owned(), binding("files.write", Touch::Writes)),
        ("ask".to_owned(), binding("context.write", Touch::Writes)),
        ("hidden".to_owned(), binding("files.read", Touch::Reads)),
        ("secret".to_owned(), binding("mcp.secret", Touch::Writes)),
    ]);
    let model = "scripted:demo".to_owned();
    let (overrides, limits) = (RunOverrides::default(), TurnLimits::default());
    Start { mode: Some(mode), model, overrides, bindings, limits, task: None }
}

pub(crate) fn says(text: &str) -> Answer {
    let usage = Usage { input: 100, output: 10, cached: 0, micros: 5 };
    Answer { parts: vec![AnswerPart::Text { text: text.to_owned() }], stop: "end_turn".to_owned(), usage }
}

/// An answer with these tool calls, given as (id, name).
pub(crate) fn calls(calls: &[(&str, &str)]) -> Answer {
    let call = |(id, name): &(&str, &str)| {
        let (id, name) = ((*id).to_owned(), (*name).to_owned());
        AnswerPart::Call(ToolCall { id, name, input: input(), signature: None, corrected: None, problem: None })
    };
    Answer { parts: calls.iter().map(call).collect(), ..says("") }
}

/// An answer with this stop reason.
pub(crate) fn ends(text: &str, stop: &str) -> Answer {
    Answer { stop: stop.to_owned(), ..says(text) }
}

/// An answer with one malformed call.
pub(crate) fn malformed(id: &str, name: &str) -> Answer {
    let mut answer = calls(&[(id, name)]);
    if let Some(AnswerPart::Call(call)) = answer.parts.first_mut() {
        call.problem = Some("not valid JSON\nschema: {}".to_owned());
    }
    answer
}

pub(crate) fn failed(text: &str) -> ToolOutcome {
    ToolOutcome { failed: Some(jig_contract::Code::FileNotFound), ..outcome(text) }
}

pub(crate) fn input() -> Value {
    json!({ "path": "a.csv" })
}

pub(crate) fn outcome(text: &str) -> ToolOutcome {
    ToolOutcome { text: text.to_owned(), blob: None, summary: text.to_owned(), failed: None, state: None }
}

/// The names of events, for comparing complete lists.
pub(crate) fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(Event::name).collect()
}
