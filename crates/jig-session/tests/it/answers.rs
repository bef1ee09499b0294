//! Unfinished answers (empty, cut off, refused, malformed) and items whose calls failed.

use jig_contract::Code;
use jig_session::*;

use crate::setup::*;

/// Stop reasons that never count as finished, for answers without calls.
const UNFINISHED: [(&str, &str); 7] = [
    ("half a sen", "max_tokens"),
    ("", "max_tokens"),
    ("I cannot", "refusal"),
    ("", "end_turn"),
    (" \n ", "end_turn"),
    ("I will look", "tool_use"),
    ("so", "moon_phase"),
];

fn paused(live: &TestSession) -> (Code, String) {
    match live.state.core.run.as_ref().unwrap().suspended.as_ref() {
        Some(Suspension::ModelFailed { code, message }) => (*code, message.clone()),
        other => panic!("{other:?}"),
    }
}

/// Brings a session to a phase, so that the next answer belongs to it.
fn at(phase: Phase) -> TestSession {
    let mut live = TestSession::ready();
    let mode = match phase {
        Phase::Direct => Mode::Direct,
        _ => Mode::Auto,
    };
    live.send("go", start(mode));
    if matches!(phase, Phase::Plan | Phase::Implement | Phase::Summary) {
        live.answer(says("found"));
    }
    if matches!(phase, Phase::Implement | Phase::Summary) {
        live.answer(says("- [ ] one"));
    }
    if phase == Phase::Summary {
        live.answer(says("nothing was needed: it is there already"));
    }
    assert_eq!(live.state.core.run.as_ref().unwrap().phase, Some(phase));
    live
}

#[test]
fn an_unfinished_answer_is_retried_once_and_then_pauses_the_run_in_every_phase() {
    for phase in Phase::ALL {
        for (text, stop) in UNFINISHED {
            let mut live = at(phase);
            assert_eq!(names(&live.answer(ends(text, stop))), ["model_answered", "step_started"], "{phase:?} {stop}");
            let turns = transcript(&live.state).unwrap().turns;
            assert!(
                matches!(turns.last(), Some(TranscriptTurn::Note(_))),
                "{phase:?} {stop}: the model gets the reason"
            );
            assert_eq!(names(&live.answer(ends(text, stop))), ["model_answered", "run_suspended"], "{phase:?} {stop}");
            assert_eq!(paused(&live).0, Code::ModelAnswerUnusable);
            let open = live.state.core.run.as_ref().unwrap().plan.as_ref().map(|plan| plan.render());
            assert!(open.is_none_or(|plan| phase == Phase::Summary || plan.contains("- [ ]")), "no item is ticked");
            let spent = live.state.core.run.as_ref().unwrap().spent;
            assert!(spent.input >= 200, "usage counts: {spent:?}");
            // A resume allows another try, and its answer counts.
            live.ok(&Command::Resume { budget: Budget::default() });
            let events = live.answer(says("all of it"));
            assert!(!names(&events).contains(&"run_suspended"), "{phase:?} {stop}");
            live.check();
        }
    }
}

#[test]
fn a_full_window_pauses_at_once() {
    let mut live = at(Phase::Direct);
    assert_eq!(names(&live.answer(ends("half", "window_full"))), ["model_answered", "run_suspended"]);
    assert_eq!(paused(&live).0, Code::ContextExhausted);
}

#[test]
fn what_was_cut_off_is_continued_and_joined() {
    let mut live = at(Phase::Plan);
    live.answer(ends("- [ ] one\n- [ ] t", "max_tokens"));
    let turns = transcript(&live.state).unwrap().turns;
    assert!(
        matches!(turns[..], [TranscriptTurn::Task, TranscriptTurn::Model(_), TranscriptTurn::Note(_)]),
        "{turns:?}"
    );
    live.answer(says("wo\n- [ ] three"));
    let plan = live.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().clone();
    assert_eq!(plan.items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
    live.check();
}

#[test]
fn a_stream_that_was_cut_off_is_asked_for_once_more() {
    let mut live = at(Phase::Research);
    let usage = Some(Usage { input: 70, output: 3, ..Usage::default() });
    let cut = Failure { cut: true, usage, ..Failure::new(Code::ProviderUnavailable, "cut") };
    let effect = live.requested();
    assert_eq!(names(&live.ok(&Command::Failed { effect, failure: cut.clone() })), ["model_failed", "step_started"]);
    let effect = live.requested();
    assert_eq!(names(&live.ok(&Command::Failed { effect, failure: cut })), ["model_failed", "run_suspended"]);
    assert_eq!(live.state.core.run.as_ref().unwrap().spent.input, 140);
    live.check();
}

#[test]
fn a_malformed_call_is_answered_beside_its_siblings_and_nobody_is_asked_about_it() {
    let mut live = at(Phase::Direct);
    let mut answer = malformed("m", "ask");
    answer.parts.extend(calls(&[("a", "read")]).parts);
    let events = live.answer(answer);
    assert_eq!(names(&events), ["model_answered", "tool_refused", "tool_started"]);
    assert!(matches!(&events[1], Event::ToolRefused { code: Code::InvalidParams, .. }), "{events:?}");
    assert_eq!(names(&live.tool("rows")), ["tool_finished", "step_started"]);
    live.answer(says("done"));
    assert!(live.state.core.run.is_none());
    live.check();
}

#[test]
fn three_malformed_calls_of_a_tool_in_a_row_pause_the_run() {
    let mut live = at(Phase::Implement);
    for _ in 0..2 {
        assert_eq!(names(&live.answer(malformed("m", "read"))), ["model_answered", "tool_refused", "step_started"]);
    }
    let events = live.answer(malformed("m", "read"));
    assert_eq!(names(&events), ["model_answered", "tool_refused", "run_suspended"]);
    let (code, message) = paused(&live);
    assert_eq!(code, Code::ModelAnswerUnusable);
    assert!(message.contains("`read`") && message.contains("3 times") && !message.contains("schema"), "{message}");
    live.ok(&Command::Resume { budget: Budget::default() });
    live.answer(calls(&[("a", "write")]));
    live.tool("written");
    assert!(names(&live.answer(says("done"))).contains(&"item_completed"));
    live.check();

    // A working call of the tool resets its count, and calls of other tools do not add to it.
    let mut live = at(Phase::Direct);
    for round in 0..4 {
        live.answer(malformed("m", "read"));
        live.answer(malformed("m", "write"));
        live.answer(calls(&[("a", "read"), ("b", "write")]));
        live.tool(&format!("rows {round}"));
        live.tool(&format!("written {round}"));
    }
    assert!(live.state.core.run.as_ref().unwrap().suspended.is_none());
    // Three in one answer count as one: the model had no chance to correct itself.
    let mut live = at(Phase::Direct);
    let mut answer = malformed("m1", "read");
    answer.parts.extend(malformed("m2", "read").parts);
    answer.parts.extend(malformed("m3", "read").parts);
    assert_eq!(names(&live.answer(answer)).last(), Some(&"step_started"));
}

#[test]
fn a_tool_that_does_not_exist_pauses_after_three_answers_too() {
    let mut live = at(Phase::Direct);
    for (n, name) in ["made_up", "made_up", "made_up"].iter().enumerate() {
        let events = live.answer(calls(&[("a", name)]));
        assert_eq!(names(&events).last() == Some(&"run_suspended"), n == 2, "{events:?}");
    }
    let mut live = at(Phase::Direct);
    live.answer(calls(&[("a", "")]));
    let turns = transcript(&live.state).unwrap().turns;
    let Some(TranscriptTurn::Tool { outcome, .. }) = turns.last() else { panic!("{turns:?}") };
    assert!(outcome.text.contains("names no tool"), "{}", outcome.text);
}

#[test]
fn an_item_whose_last_call_failed_has_failed_whatever_the_model_says() {
    let fails = |live: &mut TestSession, tool: &str| {
        live.answer(calls(&[("a", tool)]));
        let effect = live.open(|open| matches!(open, Open::Tool { .. }));
        live.ok(&Command::ToolDone { effect, outcome: failed("FILE_NOT_FOUND: no such file") });
    };
    let mut live = at(Phase::Implement);
    fails(&mut live, "write");
    let events = live.answer(says("All done!"));
    assert_eq!(names(&events), ["model_answered", "item_failed", "item_started", "step_started"]);
    let failure = live.state.core.run.as_ref().unwrap().failure.clone().unwrap();
    assert!(failure.contains("`write`") && failure.contains("no such file"), "{failure}");
    fails(&mut live, "read");
    live.answer(says("All done!"));
    let plan = live.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().render();
    assert!(plan.starts_with("- [!] one (failed: the last call of `read` failed"), "{plan}");
    live.check();

    // A later successful write resolves the failure; a read does not resolve a failed write.
    let mut live = at(Phase::Implement);
    fails(&mut live, "write");
    live.answer(calls(&[("b", "write")]));
    live.tool("written");
    assert!(names(&live.answer(says("done"))).contains(&"item_completed"));
    let mut live = at(Phase::Implement);
    fails(&mut live, "write");
    live.answer(calls(&[("b", "read")]));
    live.tool("rows");
    assert!(names(&live.answer(says("done"))).contains(&"item_failed"));

    // A success in the same answer does not hide the failure.
    let mut live = at(Phase::Implement);
    live.answer(calls(&[("a", "write"), ("b", "write")]));
    let effect = live.open(|open| matches!(open, Open::Tool { .. }));
    live.ok(&Command::ToolDone { effect, outcome: failed("no") });
    live.tool("written");
    assert!(names(&live.answer(says("both done"))).contains(&"item_failed"));

    // Refused calls count as failed.
    let mut live = at(Phase::Implement);
    live.answer(calls(&[("a", "unbound")]));
    assert!(names(&live.answer(says("done"))).contains(&"item_failed"));

    // No call is needed if the model explains why.
    let mut live = at(Phase::Implement);
    assert!(names(&live.answer(says("The total is there already."))).contains(&"item_completed"));
}

/// How the run ended, and the reply in the conversation.
fn ended(live: &TestSession) -> (Option<Code>, String) {
    let outcome = live.log.iter().rev().find_map(|record| match &record.event {
        Event::RunEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    let code = match outcome.expect("the run has not ended") {
        Outcome::Failed { code, .. } => Some(code),
        _ => None,
    };
    let reply = live.state.history.entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Reply { text } => Some(text.clone()),
        _ => None,
    });
    (code, reply.unwrap())
}

#[test]
fn a_run_without_items_whose_last_call_failed_has_failed_in_every_mode() {
    let fails = |live: &mut TestSession, tool: &str| {
        live.answer(calls(&[("a", tool)]));
        let effect = live.open(|open| matches!(open, Open::Tool { .. }));
        live.ok(&Command::ToolDone { effect, outcome: failed("file `a.csv` not found") });
    };
    for (mode, tool) in [(Mode::Direct, "write"), (Mode::Direct, "read"), (Mode::Ask, "read"), (Mode::Auto, "read")] {
        let mut live = TestSession::ready();
        live.send("go", start(mode));
        fails(&mut live, tool);
        live.answer(says("All done."));
        if mode == Mode::Auto {
            live.answer(says("Nothing has to change."));
        }
        let (code, reply) = ended(&live);
        assert_eq!(code, Some(Code::FileNotFound), "{mode:?} {tool}");
        assert!(reply.starts_with("All done.") && reply.contains("file `a.csv` not found"), "{mode:?} {tool}: {reply}");
        live.check();
    }
    // A refused call counts too.
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(calls(&[("a", "unbound")]));
    live.answer(says("All done."));
    assert_eq!(ended(&live).0, Some(Code::ToolNotBound));
    // A failure that a later call resolved does not fail the run.
    for (mode, first, then) in
        [(Mode::Direct, "write", "write"), (Mode::Direct, "read", "write"), (Mode::Ask, "read", "read")]
    {
        let mut live = TestSession::ready();
        live.send("go", start(mode));
        fails(&mut live, first);
        live.answer(calls(&[("b", then)]));
        live.tool("rows");
        live.answer(says("All done."));
        assert_eq!(ended(&live), (None, "All done.".to_owned()), "{mode:?} {first} {then}");
    }
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    fails(&mut live, "write");
    live.answer(calls(&[("b", "read")]));
    live.tool("rows");
    live.answer(says("All done."));
    assert_eq!(ended(&live).0, Some(Code::FileNotFound), "a read does not settle a failed write");
}

#[test]
fn the_same_refused_call_three_times_is_a_loop_too() {
    let mut live = at(Phase::Implement);
    for n in 0..3 {
        let events = live.answer(calls(&[("a", "unbound")]));
        let looped =
            events.iter().any(|event| matches!(event, Event::ItemFailed { code: Code::AgentLoopDetected, .. }));
        assert_eq!(looped, n == 2);
    }
    // The same call several times in one answer is not a loop: the model had not seen the result.
    let mut live = at(Phase::Direct);
    live.answer(calls(&[("a", "read"), ("b", "read"), ("c", "read")]));
    live.tool("same");
    live.tool("same");
    assert_eq!(names(&live.tool("same")), ["tool_finished", "step_started"]);
}

#[test]
fn a_call_that_would_reach_a_cap_is_not_sent_and_resumes_with_a_higher_cap_only() {
    let mut live = TestSession::ready();
    let mut capped = start(Mode::Direct);
    capped.overrides.budget.tokens = Some(50);
    live.send("go", capped);
    let run = live.state.core.run.as_ref().unwrap();
    let more = Spent { input: 400, ..Spent::default() };
    let cap = run.budget.reached_with(&run.spent, &more).unwrap();
    assert_eq!((cap.cap, cap.used), (50, 400));
    let effect = live.open(|open| matches!(open, Open::Model { .. }));
    let events = live.ok(&Command::Capped { effect, cap, usage: Usage::default() });
    assert_eq!(names(&events), ["model_capped", "run_suspended"]);
    assert_eq!(live.state.core.run.as_ref().unwrap().suspended, Some(Suspension::Budget { cap }));
    for tokens in [None, Some(60), Some(400)] {
        let refused = live.run(&Command::Resume { budget: Budget { tokens, ..Budget::default() } }).unwrap_err();
        assert_eq!(refused.code, Code::BudgetCapReached, "{tokens:?}");
    }
    live.ok(&Command::Resume { budget: Budget { tokens: Some(5_000), ..Budget::default() } });
    live.answer(says("done"));
    live.check();
}

#[test]
fn a_log_of_the_first_rules_replays_by_them() {
    // The format of an earlier version, which ended the run as completed when an answer was cut off.
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(ends("half", "max_tokens"));
    let mut log = live.log.clone();
    log.pop();
    let mut state = State::default();
    for record in &mut log {
        if let Event::RunStarted { config, .. } = &mut record.event {
            config.rules = Rules::First;
        }
        evolve(&mut state, record);
    }
    let completed = next(&state.core).unwrap();
    assert_eq!(completed.name(), "phase_completed");
    assert!(!serde_json::to_string(&log[6].event).unwrap().contains("rules"), "an old log has no such member");
}
