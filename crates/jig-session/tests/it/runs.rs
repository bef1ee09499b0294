//! Runs: fixed configuration, overrides, caps, cancelling, resuming, rewinding.

use jig_contract::{Actor, Code};
use jig_session::*;

use crate::setup::*;

fn config(events: &[Event]) -> RunConfig {
    let found = events.iter().find_map(|event| match event {
        Event::RunStarted { config, .. } => Some(config.as_ref().clone()),
        _ => None,
    });
    found.unwrap()
}

fn step(events: &[Event]) -> (Option<String>, Option<String>, u8) {
    let found = events.iter().find_map(|event| match event {
        Event::StepStarted { pack, catalog, snapshot, .. } => {
            Some((pack.clone(), catalog.clone(), snapshot.as_bytes()[0]))
        }
        _ => None,
    });
    found.unwrap()
}

fn with(change: impl FnOnce(&mut RunOverrides)) -> Start {
    let mut start = start(Mode::Direct);
    change(&mut start.overrides);
    start
}

fn own(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_run_takes_its_defaults_from_the_index() {
    let mut live = TestSession::ready();
    let events = live.send("go", start(Mode::Direct));
    assert_eq!(step(&events), (own("chat"), own("default"), 1));
    assert_eq!(config(&events).model, "scripted:demo");
}

#[test]
fn each_override_counts_and_only_where_it_is_named() {
    let mut live = TestSession::ready();
    let one = |start| step(&live.clone().send("go", start));
    assert_eq!(one(with(|o| o.pack = own("concise"))), (own("concise"), own("default"), 1));
    assert_eq!(one(with(|o| o.catalog = own("small"))), (own("chat"), own("small"), 1));
    let choice = PhaseChoice { pack: own("plan"), catalog: None };
    assert_eq!(one(with(|o| _ = o.phases.insert(Phase::Direct, choice))), (own("plan"), own("default"), 1));
    live.sync(2);
    let mut this = live.clone();
    let events = this.send("go", with(|o| o.snapshot = Some(hash(2))));
    assert_eq!(step(&events), (own("chat"), own("default"), 2));
    assert_eq!(this.state.core.workspace.active, Some(hash(1)), "for this run only");
    let budget = Budget { tokens: Some(7), ..Budget::default() };
    assert_eq!(config(&live.clone().send("go", with(|o| o.budget = budget))).budget, budget);
    this.check();
}

#[test]
fn the_sessions_own_pack_and_catalog_stand_between_run_and_index() {
    let mut live = TestSession::ready();
    let patch = DefaultsPatch { pack: own("concise"), catalog: own("small"), ..DefaultsPatch::default() };
    live.ok(&Command::Configure(patch));
    assert_eq!(step(&live.clone().send("go", start(Mode::Direct))), (own("concise"), own("small"), 1));
    assert_eq!(step(&live.send("go", with(|o| o.pack = own("chat")))), (own("chat"), own("small"), 1));
}

#[test]
fn each_field_of_a_patch_counts_and_leaves_the_others() {
    let mut live = TestSession::ready();
    let rule = Rule { capability: "files.read".to_owned(), decision: Decision::Deny };
    let budget = Budget { millis: Some(5), ..Budget::default() };
    for patch in [
        DefaultsPatch { title: own("t"), ..DefaultsPatch::default() },
        DefaultsPatch { workspace: own("house"), ..DefaultsPatch::default() },
        DefaultsPatch { model: own("openai:x"), ..DefaultsPatch::default() },
        DefaultsPatch { mode: Some(Mode::Ask), ..DefaultsPatch::default() },
        DefaultsPatch { policy: Some(Policy { rules: vec![rule.clone()] }), ..DefaultsPatch::default() },
        DefaultsPatch { budget: Some(budget), ..DefaultsPatch::default() },
    ] {
        live.ok(&Command::Configure(patch));
    }
    let now = &live.state.core.about.as_ref().unwrap().defaults;
    let expected = Defaults {
        title: own("t"),
        workspace: "house".to_owned(),
        pack: None,
        catalog: None,
        model: own("openai:x"),
        mode: Mode::Ask,
        policy: Policy { rules: vec![rule] },
        budget,
        recipe: None,
    };
    assert_eq!(*now, expected);
    live.check();
}

#[test]
fn what_the_snapshot_does_not_have_cannot_be_named() {
    let mut live = TestSession::ready();
    for wrong in
        [with(|o| o.pack = own("none")), with(|o| o.catalog = own("none")), with(|o| o.snapshot = Some(hash(9)))]
    {
        let refused = live.run(&send("go", wrong)).unwrap_err();
        assert_eq!(refused.code, Code::ValidationFailed, "{refused}");
    }
    assert_eq!(live.state.history.entries, [], "a refused message is not in the conversation");
}

#[test]
fn yes_said_twice_is_two_messages() {
    let mut live = TestSession::ready();
    for _ in 0..2 {
        live.send("yes", start(Mode::Direct));
        live.answer(says("ok"));
    }
    let said: Vec<(u64, String)> = live
        .state
        .history
        .entries
        .iter()
        .filter_map(|entry| match &entry.body {
            Body::Message { text, .. } => Some((entry.seq, text.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(said.len(), 2);
    assert_ne!(said[0].0, said[1].0);
    live.send("third", start(Mode::Direct));
    let turns = transcript(&live.state).unwrap().turns;
    let expected = [
        TranscriptTurn::Person("yes"),
        TranscriptTurn::Reply("ok"),
        TranscriptTurn::Person("yes"),
        TranscriptTurn::Reply("ok"),
        TranscriptTurn::Task,
    ];
    assert_eq!(turns, expected);
    live.check();
}

#[test]
fn one_run_at_a_time() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    assert_eq!(live.run(&send("more", start(Mode::Direct))).unwrap_err().code, Code::RunActive);
    assert_eq!(live.run(&send("  ", start(Mode::Direct))).unwrap_err().code, Code::ValidationFailed);
}

#[test]
fn a_cap_stops_a_run_and_a_higher_one_lets_it_go_on() {
    let caps = [
        Budget { tokens: Some(110), ..Budget::default() },
        Budget { micros: Some(5), ..Budget::default() },
        Budget { millis: Some(3_000), ..Budget::default() },
    ];
    for budget in caps {
        let mut live = TestSession::ready();
        live.send("go", with(|o| o.budget = budget));
        live.answer(calls(&[("a", "read")]));
        let events = live.tool("x");
        assert_eq!(names(&events), ["tool_finished", "run_suspended"], "{budget:?}");
        let refused = live.run(&Command::Resume { budget: Budget::default() }).unwrap_err();
        assert_eq!(refused.code, Code::BudgetCapReached);
        let more = Budget { tokens: Some(900), micros: Some(900), millis: Some(900_000) };
        assert_eq!(names(&live.ok(&Command::Resume { budget: more })), ["run_resumed", "step_started"]);
        live.check();
    }
}

#[test]
fn waiting_for_a_person_costs_no_time() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(calls(&[("a", "ask")]));
    let before = live.state.core.run.as_ref().unwrap().spent.millis;
    live.now += 1_000_000;
    let effect = live.open(|open| matches!(open, Open::Ask { .. }));
    let (actor, answer, reach) = (Actor::person(), PermissionAnswer::Allow, Reach::Once);
    live.ok(&Command::Permit { effect, actor, answer, reach });
    assert_eq!(live.state.core.run.as_ref().unwrap().spent.millis, before);
}

#[test]
fn a_run_that_is_stopped_ends_what_is_under_way_first() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(calls(&[("a", "write"), ("b", "read")]));
    assert_eq!(names(&live.ok(&Command::Cancel)), ["run_cancel_requested"]);
    assert_eq!(live.ok(&Command::Cancel), [], "asking twice is asking once");
    let events = live.tool("written");
    assert_eq!(names(&events), ["tool_finished", "tool_refused", "run_ended"]);
    assert!(matches!(&events[1], Event::ToolRefused { call, code: Code::UserCanceled, .. } if call == "b"));
    assert!(live.run(&Command::Cancel).is_err(), "the run has ended");
    live.check();
}

#[test]
fn a_run_that_stands_still_can_be_stopped() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    let effect = live.requested();
    live.ok(&Command::Interrupted { effect });
    assert_eq!(names(&live.ok(&Command::Cancel)), ["run_cancel_requested", "run_ended"]);
    live.check();
}

#[test]
fn a_model_call_that_was_cut_off_is_asked_again_only_when_somebody_says_so() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    let effect = live.open(|open| matches!(open, Open::Model { .. }));
    assert_eq!(recover(&live.state), [Recovery::Again(effect)], "nothing had been sent");
    live.requested();
    assert_eq!(recover(&live.state), [Recovery::Interrupt(effect)]);
    assert_eq!(names(&live.ok(&Command::Interrupted { effect })), ["effect_interrupted", "run_suspended"]);
    assert!(live.run(&Command::Answered { effect, answer: says("late") }).is_err());
    let events = live.ok(&Command::Resume { budget: Budget::default() });
    assert_eq!(names(&events), ["run_resumed", "step_started"]);
    assert_eq!(live.state.history.steps.len(), 2, "it is a step of its own");
    live.check();
}

#[test]
fn a_model_that_fails_suspends_the_run() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    let effect = live.requested();
    let failure = Failure::new(Code::ProviderRateLimited, "wait");
    assert_eq!(names(&live.ok(&Command::Failed { effect, failure })), ["model_failed", "run_suspended"]);
    let run = live.state.core.run.as_ref().unwrap();
    assert!(matches!(run.suspended, Some(Suspension::ModelFailed { code: Code::ProviderRateLimited, .. })));
    assert_eq!(names(&live.ok(&Command::Resume { budget: Budget::default() })), ["run_resumed", "step_started"]);
    live.check();
}

#[test]
fn an_answer_comes_after_its_request_and_once() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    let effect = live.open(|open| matches!(open, Open::Model { .. }));
    assert!(live.run(&Command::Answered { effect, answer: says("x") }).is_err(), "nothing was sent");
    live.requested();
    let (state, request, bill) = (hash(1), hash(2), hash(3));
    assert!(
        live.run(&Command::Requested { effect, state, name: "deck".to_owned(), request, bill, tokens: 1 }).is_err()
    );
    live.ok(&Command::Answered { effect, answer: says("x") });
    assert!(live.run(&Command::Answered { effect, answer: says("x") }).is_err());
}

#[test]
fn going_back_restores_the_workbench_and_then_the_conversation() {
    let mut live = TestSession::ready();
    live.send("first", start(Mode::Direct));
    live.answer(says("one"));
    let first = live.state.history.entries[0].seq;
    live.send("second", start(Mode::Direct));
    assert_eq!(live.run(&Command::Rewind { to: first }).unwrap_err().code, Code::RunActive);
    live.answer(says("two"));
    assert!(live.run(&Command::Rewind { to: first + 1 }).is_err(), "the record is not a message");
    assert_eq!(live.ok(&Command::Rewind { to: first }), [Event::RewindRequested { to: first, state: hash(100) }]);
    assert!(live.run(&send("now", start(Mode::Direct))).is_err(), "the workbench is on its way back");
    let effect = live.open(|open| matches!(open, Open::Restore { .. }));
    let mut failed = live.clone();
    let failure = Failure::new(Code::Conflict, "no");
    failed.ok(&Command::RewindDone { effect, failure: Some(failure) });
    assert_eq!(failed.state.history.entries.len(), 4 + 2, "nothing has changed");
    live.ok(&Command::RewindDone { effect, failure: None });
    assert_eq!(live.state.history.entries.len(), 1);
    let events = live.ok(&Command::Regenerate { start: start(Mode::Direct) });
    assert!(matches!(&events[0], Event::RunStarted { message, .. } if *message == first));
    assert_eq!(transcript(&live.state).unwrap().message, "first");
    live.check();
}

#[test]
fn a_long_conversation_is_repeated_from_its_newest_end_and_says_so() {
    let mut live = TestSession::ready();
    for n in 0..EARLIER_MAX / 2 {
        live.send(&format!("question {n}"), start(Mode::Direct));
        live.answer(says(&format!("answer {n}")));
    }
    live.send("now", start(Mode::Direct));
    let turns = transcript(&live.state).unwrap().turns;
    assert_eq!(turns.len(), EARLIER_MAX + 1, "all of it still fits");
    assert_eq!(turns[..2], [TranscriptTurn::Person("question 0"), TranscriptTurn::Reply("answer 0")]);
    live.answer(says("well"));
    live.send("once more", start(Mode::Direct));
    let turns = transcript(&live.state).unwrap().turns;
    assert_eq!(turns.len(), EARLIER_MAX + 2);
    assert_eq!(turns[..2], [TranscriptTurn::LeftOut, TranscriptTurn::Person("question 1")]);
    assert_eq!(
        turns[EARLIER_MAX - 1..],
        [TranscriptTurn::Person("now"), TranscriptTurn::Reply("well"), TranscriptTurn::Task]
    );
    live.check();
}

fn task(before: Spent) -> Start {
    let task = Task { purpose: "recipe.run".to_owned(), question: hash(77), words: false, scope: None, before };
    Start { task: Some(task), ..start(Mode::Auto) }
}

#[test]
fn a_task_is_one_call_without_packs_and_tools_and_its_question_is_kept() {
    let mut live = TestSession::ready();
    let begun = live.send("Run it.", task(Spent::default()));
    assert!(begun.iter().any(|event| event.blobs() == [hash(77)]), "{begun:#?}");
    let Some(Event::StepStarted { phase, pack, catalog, tools, .. }) = begun.last() else { panic!("{begun:#?}") };
    assert_eq!((*phase, pack, catalog, tools.len()), (Phase::Direct, &None, &None, 0));
    let ended = live.answer(says("forty-two"));
    assert_eq!(names(&ended), ["model_answered", "phase_completed", "run_ended"]);
    assert_eq!((live.state.history.spent.input, live.state.history.spent.output), (100, 10));
    live.send("Run it.", task(Spent::default()));
    let ended = live.answer(calls(&[("a", "read")]));
    assert_eq!(names(&ended), ["model_answered", "tool_refused", "run_ended"], "a second call is not made");
    live.check();
}

#[test]
fn caps_are_on_all_runs_of_a_task_together() {
    let mut live = TestSession::ready();
    let capped = |before| {
        let mut start = task(before);
        start.overrides.budget.tokens = Some(110);
        start
    };
    live.send("Run it.", capped(Spent::default()));
    live.answer(says("not what was asked for"));
    let stopped = live.send("Once more.", capped(live.state.history.spent));
    assert_eq!(names(&stopped).last(), Some(&"run_suspended"), "{stopped:#?}");
    live.ok(&Command::Cancel);
    assert_eq!(live.state.history.spent.input, 100);
    live.check();
}

#[test]
fn a_run_without_a_task_is_written_as_before() {
    let mut live = TestSession::ready();
    let begun = live.send("go", start(Mode::Direct));
    let json = serde_json::to_string(&begun).unwrap();
    assert!(!json.contains("\"task\"") && !json.contains("\"recipe\""), "{json}");
}
