//! Random command sequences keep the invariants and replay to the same state.

use std::collections::BTreeMap;

use jig_contract::{Actor, Code};
use jig_session::*;
use proptest::prelude::*;

use crate::setup::*;

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Ask), Just(Mode::Auto), Just(Mode::Direct)]
}

fn apply_mode() -> impl Strategy<Value = ApplyMode> {
    prop_oneof![Just(ApplyMode::NextRun), Just(ApplyMode::NextStepBoundary), Just(ApplyMode::ImmediateIfIdle)]
}

fn answer() -> impl Strategy<Value = Answer> {
    let name = prop_oneof![Just("read"), Just("write"), Just("ask"), Just("hidden"), Just("unbound"), Just("secret")];
    let id = prop_oneof![Just("a"), Just("b"), Just("")];
    prop_oneof![
        Just(says("words")),
        Just(says("- [ ] one\n- [ ] two")),
        Just(says("FAILED: no")),
        Just(says("")),
        prop_oneof![Just("max_tokens"), Just("refusal"), Just("tool_use"), Just("window_full"), Just("odd")]
            .prop_map(|stop| ends("half", stop)),
        Just(malformed("a", "read")),
        prop::collection::vec((id, name), 1..4).prop_map(|list| calls(&list)),
    ]
}

/// A random test step. Effects are selected by their position among the open ones.
#[derive(Debug, Clone)]
enum Move {
    Plain(Box<Command>),
    Report(usize, Box<Answer>, u8),
}

fn any_move() -> impl Strategy<Value = Move> {
    let small = (any::<bool>(), 1..4_u32).prop_map(|(small, limit)| {
        let few = TurnLimits { direct: limit, research: limit, plan: limit, implement: limit };
        if small { few } else { TurnLimits::default() }
    });
    let sent = (mode(), small, prop::option::of(1..5_u8), prop::option::of(1..400_u64)).prop_map(
        |(mode, limits, snapshot, tokens)| {
            let mut start = start(mode);
            start.limits = limits;
            start.overrides.snapshot = snapshot.map(hash);
            start.overrides.budget.tokens = tokens;
            Move::Plain(Box::new(send("again", start)))
        },
    );
    let plain = prop_oneof![
        2 => Just(Command::Sync { reference: None, known: None }),
        2 => (1..5_u8, apply_mode()).prop_map(|(n, mode)| Command::Apply { snapshot: hash(n), mode }),
        1 => Just(Command::Cancel),
        2 => Just(Command::Resume { budget: Budget { tokens: Some(100_000), ..Budget::default() } }),
        1 => (1..60_u64).prop_map(|to| Command::Rewind { to }),
        1 => Just(Command::Note { text: "published".to_owned() }),
        1 => mode().prop_map(|mode| Command::Regenerate { start: start(mode) }),
        1 => (1..60_u64).prop_map(|seq| Command::Interrupted { effect: EffectId(seq) }),
        1 => Just(Command::Configure(DefaultsPatch { title: Some("t".to_owned()), ..DefaultsPatch::default() })),
    ];
    prop_oneof![
        2 => sent,
        3 => plain.prop_map(|command| Move::Plain(Box::new(command))),
        8 => (0..3_usize, answer(), 0..6_u8).prop_map(|(at, answer, n)| Move::Report(at, Box::new(answer), n)),
    ]
}

/// A report for the open effect at a position.
fn report_for(live: &TestSession, at: usize, answer: Answer, n: u8) -> Option<Command> {
    let (effect, open) = live.state.core.open.iter().nth(at % live.state.core.open.len().max(1))?;
    let effect = *effect;
    let failure = Failure::new(Code::ProviderUnavailable, "no");
    Some(match (open, n) {
        (Open::Sync, 0) => Command::SyncDone { effect, outcome: SyncOutcome::Failed(Vec::new()) },
        (Open::Sync, 5) => Command::SyncDone { effect, outcome: SyncOutcome::Unchanged { root: hash(51) } },
        (Open::Sync, n) => Command::SyncDone { effect, outcome: SyncOutcome::Ready(summary(n)) },
        (Open::Model { .. }, 0) => Command::Failed { effect, failure: Failure { cut: at == 1, ..failure } },
        (Open::Model { .. }, 5) => {
            Command::Capped { effect, cap: Cap { which: CapKind::Tokens, cap: 10, used: 50 }, usage: Usage::default() }
        }
        (Open::Model { requested: false }, _) => Command::Requested {
            effect,
            state: hash(1),
            name: "deck".to_owned(),
            request: hash(2),
            bill: hash(3),
            tokens: 5,
        },
        (Open::Model { requested: true }, 1) => Command::Interrupted { effect },
        (Open::Model { requested: true }, _) => Command::Answered { effect, answer },
        (Open::Tool { .. }, 0) => Command::Interrupted { effect },
        (Open::Tool { .. }, 1) => Command::ToolDone { effect, outcome: failed("no") },
        (Open::Tool { .. }, n) => Command::ToolDone { effect, outcome: outcome(if n < 4 { "same" } else { "other" }) },
        (Open::Ask { .. }, n) => Command::Permit {
            effect,
            actor: Actor::person(),
            answer: if n % 2 == 0 { PermissionAnswer::Allow } else { PermissionAnswer::Deny },
            reach: [Reach::Once, Reach::Run, Reach::Session][usize::from(n) % 3],
        },
        (Open::Restore { .. }, 0) => Command::RewindDone { effect, failure: Some(failure) },
        (Open::Restore { .. }, _) => Command::RewindDone { effect, failure: None },
    })
}

/// The invariants, checked after every command.
fn holds(live: &TestSession) {
    let core = &live.state.core;
    assert_eq!(core.seq, live.log.len() as u64);
    assert_eq!(next(core), None, "everything that follows by itself has followed");
    let models = core.open.values().filter(|open| matches!(open, Open::Model { .. })).count();
    let of_run = core.open.values().filter(|open| !matches!(open, Open::Sync | Open::Restore { .. })).count();
    assert!(models <= 1 && of_run <= 1, "one thing at a time: {:?}", core.open);
    assert!(core.run.is_some() || of_run == 0, "nothing of a run is under way without one");
    let going = core.run.as_ref().is_some_and(|run| run.suspended.is_none());
    assert!(!going || of_run == 1, "an active run has an open effect");
    for snapshot in [core.workspace.active, core.workspace.pending] {
        assert!(snapshot.is_none_or(|snapshot| core.workspace.known.contains_key(&snapshot)));
    }
}

/// The invariants of the entire log: one result for each call of a finished step, and no effect ends twice.
fn log_holds(live: &TestSession) {
    let mut calls: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let mut replayed = State::default();
    let mut adopted_without_apply = Vec::new();
    let mut named = Vec::new();
    for record in &live.log {
        let step = replayed.core.run.as_ref().and_then(|run| run.step.as_ref()).map_or(0, |step| step.number);
        match &record.event {
            Event::ModelAnswered { answer, .. } => {
                for call in answer.calls() {
                    assert_eq!(calls.insert((step, call.id.clone()), 0), None, "a call id twice in a step");
                }
            }
            Event::ToolFinished { call, .. } | Event::ToolRefused { call, .. } => {
                *calls.get_mut(&(step, call.clone())).expect("a result without a call") += 1;
            }
            Event::EffectInterrupted { effect } => {
                if let Some(Open::Tool { call, .. }) = replayed.core.open.get(effect) {
                    *calls.get_mut(&(step, call.clone())).expect("a result without a call") += 1;
                }
            }
            Event::WorkspaceApplyRequested { snapshot, .. } => named.push(*snapshot),
            Event::WorkspaceApplied { snapshot, .. } if !named.contains(snapshot) => {
                adopted_without_apply.push(*snapshot);
            }
            _ => {}
        }
        evolve(&mut replayed, record);
    }
    assert_eq!(adopted_without_apply, []);
    let here = live.state.core.run.as_ref().and_then(|run| run.step.as_ref()).map_or(0, |step| step.number);
    for ((step, id), results) in &calls {
        assert!(*results == 1 || (*step == here && *results == 0), "call {id} of step {step} has {results} results");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_keep_the_invariants_and_replay_equal(moves in prop::collection::vec(any_move(), 1..80)) {
        let mut live = TestSession::ready();
        for one in moves {
            let command = match one {
                Move::Plain(command) => Some(*command),
                Move::Report(at, answer, n) => report_for(&live, at, *answer, n),
            };
            let Some(command) = command else { continue };
            let before = live.state.clone();
            if live.run(&command).is_err() {
                prop_assert_eq!(&live.state, &before, "a refusal changes nothing");
            }
            holds(&live);
        }
        log_holds(&live);
        live.check();
    }

    #[test]
    fn any_log_at_all_has_a_state(events in prop::collection::vec((any_move(), 0..200_u64), 1..60)) {
        // Records in any order, with numbers that refer to nothing, must not panic.
        let mut state = State::default();
        let mut live = TestSession::ready();
        for (one, _) in &events {
            let command = match one.clone() {
                Move::Plain(command) => Some(*command),
                Move::Report(at, answer, n) => report_for(&live, at, *answer, n),
            };
            if let Some(command) = command {
                let _ = live.run(&command);
            }
        }
        for (at, (_, seq)) in events.iter().enumerate() {
            let Some(record) = live.log.get(at * 7 % live.log.len()) else { continue };
            evolve(&mut state, &Record { seq: *seq, ..record.clone() });
            let _ = next(&state.core);
        }
    }
}
