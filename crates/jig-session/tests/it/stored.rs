//! Logs of every released version still replay. `UPDATE=1` writes the log of the current version; a released file never
//! changes.

use std::path::{Path, PathBuf};

use jig_contract::{Actor, BlobHash, Timestamp};
use jig_session::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::setup::*;

/// A line of a stored log, as the database keeps its rows.
#[derive(Serialize, Deserialize)]
struct Line {
    version: u32,
    seq: u64,
    at: Timestamp,
    derived: bool,
    effects: Option<BlobHash>,
    event: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn read(line: &str) -> Record {
    let Line { version, seq, at, derived, effects, event } = serde_json::from_str(line).unwrap();
    Record { seq, at, derived, effects, event: read_event(version, event).unwrap() }
}

fn write(record: &Record) -> String {
    let Record { seq, at, derived, effects, event } = record.clone();
    let event = serde_json::to_value(event).unwrap();
    serde_json::to_string(&Line { version: LOG_VERSION, seq, at, derived, effects, event }).unwrap() + "\n"
}

/// A session with every kind of event.
fn everything() -> TestSession {
    let mut live = TestSession::new();
    live.ok(&Command::Sync { reference: None, known: None });
    let effect = live.open(|open| matches!(open, Open::Sync));
    let problem = SyncProblem { file: "a.json".to_owned(), pointer: "/x".to_owned(), message: "wrong".to_owned() };
    live.ok(&Command::SyncDone { effect, outcome: SyncOutcome::Failed(vec![problem]) });
    live.adopt(1);
    live.ok(&Command::Sync { reference: None, known: None });
    let effect = live.open(|open| matches!(open, Open::Sync));
    live.ok(&Command::SyncDone { effect, outcome: SyncOutcome::Unchanged { root: hash(51) } });
    live.apply(9, ApplyMode::NextRun);
    live.ok(&Command::Configure(DefaultsPatch { title: Some("All".to_owned()), ..DefaultsPatch::default() }));
    live.send("split it", start(Mode::Auto));
    let effect = live.open(|open| matches!(open, Open::Model { .. }));
    let notices = vec![(None, "Situation context could not be loaded. You may need to re-add it.".to_owned())];
    live.ok(&Command::Notice { effect, notices });
    live.answer(calls(&[("a", "read"), ("b", "hidden")]));
    live.tool("rows");
    live.answer(says("three categories"));
    live.answer(says("- [ ] one\n- [ ] two"));
    live.sync(2);
    live.apply(2, ApplyMode::NextStepBoundary);
    live.answer(calls(&[("a", "ask")]));
    let effect = live.open(|open| matches!(open, Open::Ask { .. }));
    let (actor, answer) = (Actor::person(), PermissionAnswer::Allow);
    live.ok(&Command::Permit { effect, actor: actor.clone(), answer, reach: Reach::Run });
    let effect = live.open(|open| matches!(open, Open::Tool { .. }));
    let failure = Failure::new(jig_contract::Code::EgressConsentRequired, "consent required");
    live.ok(&Command::ToolHeld { effect, failure });
    live.ok(&Command::Resume { budget: Budget::default() });
    live.ok(&Command::Revoke { actor, capability: "context.write".to_owned(), reach: None });
    live.tool("kept");
    live.answer(says("done"));
    live.answer(says("FAILED: no template"));
    let effect = live.requested();
    live.ok(&Command::Interrupted { effect });
    live.ok(&Command::Resume { budget: Budget::default() });
    live.answer(says("FAILED: still none"));
    live.answer(says("One of two is done."));
    live.ok(&Command::Note { text: "published".to_owned() });
    live.send("again", start(Mode::Direct));
    let effect = live.requested();
    let failure = Failure::new(jig_contract::Code::ProviderUnavailable, "no");
    live.ok(&Command::Failed { effect, failure: failure.clone() });
    live.ok(&Command::Resume { budget: Budget::default() });
    live.answer(ends("half", "max_tokens"));
    live.answer(malformed("m", "read"));
    let effect = live.open(|open| matches!(open, Open::Model { .. }));
    let cap = Cap { which: CapKind::Tokens, cap: 10, used: 400 };
    live.ok(&Command::Capped { effect, cap, usage: Usage::default() });
    live.ok(&Command::Cancel);
    let first = live.state.history.entries[0].seq;
    for failure in [Some(failure), None] {
        live.ok(&Command::Rewind { to: first });
        let effect = live.open(|open| matches!(open, Open::Restore { .. }));
        live.ok(&Command::RewindDone { effect, failure });
    }
    live
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the switch comes from the environment")]
fn the_log_of_this_version_is_as_it_is_stored() {
    let live = everything();
    live.check();
    let lines: String = live.log.iter().map(write).collect();
    let file = folder().join(format!("v{LOG_VERSION}/everything.jsonl"));
    if std::env::var("UPDATE").as_deref() == Ok("1") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &lines).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), lines, "the same commands no longer mean the same");
}

#[test]
fn every_kind_of_event_is_in_it() {
    let live = everything();
    let mut seen = names(&live.log.iter().map(|record| record.event.clone()).collect::<Vec<_>>());
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 39, "{seen:?}");
}

#[test]
fn every_stored_log_replays() {
    let mut logs = 0;
    for version in std::fs::read_dir(folder()).unwrap().map(Result::unwrap) {
        for file in std::fs::read_dir(version.path()).unwrap().map(Result::unwrap) {
            let text = std::fs::read_to_string(file.path()).unwrap();
            let records: Vec<Record> = text.lines().map(read).collect();
            let replayed = check(&records).unwrap_or_else(|difference| panic!("{:?}: {difference:#?}", file.path()));
            assert_eq!(replayed.records, records.len() as u64);
            logs += 1;
        }
    }
    assert!(logs > 0);
}

#[test]
fn a_record_that_was_changed_by_hand_is_found() {
    let live = everything();
    let changed = |at: usize, change: &dyn Fn(&mut Record)| {
        let mut log = live.log.clone();
        change(&mut log[at]);
        check(&log).unwrap_err()
    };
    let step = live.log.iter().position(|record| record.event.name() == "step_started").unwrap();
    let found = changed(step, &|record| {
        if let Event::StepStarted { tools, .. } = &mut record.event {
            tools.push("more".to_owned());
        }
    });
    assert_eq!(found.seq, step as u64 + 1);
    assert_eq!(changed(step, &|record| record.effects = Some(hash(7))).what, "what is to be done outside");
    assert_eq!(changed(step, &|record| record.seq += 1).what, "the number of the record");
    assert_eq!(changed(step, &|record| record.derived = false).what, "what follows by itself");
    assert!(read_event(99, Value::Null).is_err());
}

#[test]
fn ten_thousand_records_replay() {
    let mut live = TestSession::ready();
    while live.log.len() < 10_000 {
        live.send("go", start(Mode::Direct));
        live.answer(calls(&[("a", "read")]));
        live.tool("same");
        live.answer(says("done"));
    }
    let replayed = check(&live.log).unwrap();
    assert_eq!(replayed.state, live.state);
}
