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

fn paused(desk: &Desk) -> (Code, String) {
    match desk.state.core.run.as_ref().unwrap().suspended.as_ref() {
        Some(Suspension::ModelFailed { code, message }) => (*code, message.clone()),
        other => panic!("{other:?}"),
    }
}

/// Brings a session to a phase, so that the next answer belongs to it.
fn at(phase: Phase) -> Desk {
    let mut desk = Desk::ready();
    let mode = match phase {
        Phase::Direct => Mode::Direct,
        _ => Mode::Auto,
    };
    desk.send("go", start(mode));
    if matches!(phase, Phase::Plan | Phase::Implement | Phase::Summary) {
        desk.answer(says("found"));
    }
    if matches!(phase, Phase::Implement | Phase::Summary) {
        desk.answer(says("- [ ] one"));
    }
    if phase == Phase::Summary {
        desk.answer(says("nothing was needed: it is there already"));
    }
    assert_eq!(desk.state.core.run.as_ref().unwrap().phase, Some(phase));
    desk
}

#[test]
fn an_unfinished_answer_is_retried_once_and_then_pauses_the_run_in_every_phase() {
    for phase in Phase::ALL {
        for (text, stop) in UNFINISHED {
            let mut desk = at(phase);
            assert_eq!(names(&desk.answer(ends(text, stop))), ["model_answered", "step_started"], "{phase:?} {stop}");
            let turns = transcript(&desk.state).unwrap().turns;
            assert!(matches!(turns.last(), Some(Said::Note(_))), "{phase:?} {stop}: the model is told why");
            assert_eq!(names(&desk.answer(ends(text, stop))), ["model_answered", "run_suspended"], "{phase:?} {stop}");
            assert_eq!(paused(&desk).0, Code::ModelAnswerUnusable);
            let open = desk.state.core.run.as_ref().unwrap().plan.as_ref().map(|plan| plan.render());
            assert!(open.is_none_or(|plan| phase == Phase::Summary || plan.contains("- [ ]")), "no item is ticked");
            let spent = desk.state.core.run.as_ref().unwrap().spent;
            assert!(spent.input >= 200, "usage counts: {spent:?}");
            // A resume allows another try, and its answer counts.
            desk.ok(&Command::Resume { budget: Budget::default() });
            let events = desk.answer(says("all of it"));
            assert!(!names(&events).contains(&"run_suspended"), "{phase:?} {stop}");
            desk.check();
        }
    }
}

#[test]
fn a_full_window_pauses_at_once() {
    let mut desk = at(Phase::Direct);
    assert_eq!(names(&desk.answer(ends("half", "window_full"))), ["model_answered", "run_suspended"]);
    assert_eq!(paused(&desk).0, Code::ContextExhausted);
}

#[test]
fn what_was_cut_off_is_continued_and_joined() {
    let mut desk = at(Phase::Plan);
    desk.answer(ends("- [ ] one\n- [ ] t", "max_tokens"));
    let turns = transcript(&desk.state).unwrap().turns;
    assert!(matches!(turns[..], [Said::Task, Said::Model(_), Said::Note(_)]), "{turns:?}");
    desk.answer(says("wo\n- [ ] three"));
    let plan = desk.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().clone();
    assert_eq!(plan.items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
    desk.check();
}

#[test]
fn a_stream_that_was_cut_off_is_asked_for_once_more() {
    let mut desk = at(Phase::Research);
    let usage = Some(Usage { input: 70, output: 3, ..Usage::default() });
    let cut = Failure { cut: true, usage, ..Failure::new(Code::ProviderUnavailable, "cut") };
    let effect = desk.requested();
    assert_eq!(names(&desk.ok(&Command::Failed { effect, failure: cut.clone() })), ["model_failed", "step_started"]);
    let effect = desk.requested();
    assert_eq!(names(&desk.ok(&Command::Failed { effect, failure: cut })), ["model_failed", "run_suspended"]);
    assert_eq!(desk.state.core.run.as_ref().unwrap().spent.input, 140);
    desk.check();
}

#[test]
fn a_malformed_call_is_answered_beside_its_siblings_and_nobody_is_asked_about_it() {
    let mut desk = at(Phase::Direct);
    let mut answer = malformed("m", "ask");
    answer.parts.extend(calls(&[("a", "read")]).parts);
    let events = desk.answer(answer);
    assert_eq!(names(&events), ["model_answered", "tool_refused", "tool_started"]);
    assert!(matches!(&events[1], Event::ToolRefused { code: Code::InvalidParams, .. }), "{events:?}");
    assert_eq!(names(&desk.tool("rows")), ["tool_finished", "step_started"]);
    desk.answer(says("done"));
    assert!(desk.state.core.run.is_none());
    desk.check();
}

#[test]
fn three_malformed_calls_of_a_tool_in_a_row_pause_the_run() {
    let mut desk = at(Phase::Implement);
    for _ in 0..2 {
        assert_eq!(names(&desk.answer(malformed("m", "read"))), ["model_answered", "tool_refused", "step_started"]);
    }
    let events = desk.answer(malformed("m", "read"));
    assert_eq!(names(&events), ["model_answered", "tool_refused", "run_suspended"]);
    let (code, message) = paused(&desk);
    assert_eq!(code, Code::ModelAnswerUnusable);
    assert!(message.contains("`read`") && message.contains("3 times") && !message.contains("schema"), "{message}");
    desk.ok(&Command::Resume { budget: Budget::default() });
    desk.answer(calls(&[("a", "write")]));
    desk.tool("written");
    assert!(names(&desk.answer(says("done"))).contains(&"item_completed"));
    desk.check();

    // A working call of the tool resets its count, and calls of other tools do not add to it.
    let mut desk = at(Phase::Direct);
    for round in 0..4 {
        desk.answer(malformed("m", "read"));
        desk.answer(malformed("m", "write"));
        desk.answer(calls(&[("a", "read"), ("b", "write")]));
        desk.tool(&format!("rows {round}"));
        desk.tool(&format!("written {round}"));
    }
    assert!(desk.state.core.run.as_ref().unwrap().suspended.is_none());
    // Three in one answer count as one: the model had no chance to correct itself.
    let mut desk = at(Phase::Direct);
    let mut answer = malformed("m1", "read");
    answer.parts.extend(malformed("m2", "read").parts);
    answer.parts.extend(malformed("m3", "read").parts);
    assert_eq!(names(&desk.answer(answer)).last(), Some(&"step_started"));
}

#[test]
fn a_tool_that_does_not_exist_pauses_after_three_answers_too() {
    let mut desk = at(Phase::Direct);
    for (n, name) in ["made_up", "made_up", "made_up"].iter().enumerate() {
        let events = desk.answer(calls(&[("a", name)]));
        assert_eq!(names(&events).last() == Some(&"run_suspended"), n == 2, "{events:?}");
    }
    let mut desk = at(Phase::Direct);
    desk.answer(calls(&[("a", "")]));
    let turns = transcript(&desk.state).unwrap().turns;
    let Some(Said::Tool { outcome, .. }) = turns.last() else { panic!("{turns:?}") };
    assert!(outcome.text.contains("names no tool"), "{}", outcome.text);
}

#[test]
fn an_item_whose_last_call_failed_has_failed_whatever_the_model_says() {
    let fails = |desk: &mut Desk, tool: &str| {
        desk.answer(calls(&[("a", tool)]));
        let effect = desk.open(|open| matches!(open, Open::Tool { .. }));
        desk.ok(&Command::ToolDone { effect, outcome: failed("FILE_NOT_FOUND: no such file") });
    };
    let mut desk = at(Phase::Implement);
    fails(&mut desk, "write");
    let events = desk.answer(says("All done!"));
    assert_eq!(names(&events), ["model_answered", "item_failed", "item_started", "step_started"]);
    let failure = desk.state.core.run.as_ref().unwrap().failure.clone().unwrap();
    assert!(failure.contains("`write`") && failure.contains("no such file"), "{failure}");
    fails(&mut desk, "read");
    desk.answer(says("All done!"));
    let plan = desk.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().render();
    assert!(plan.starts_with("- [!] one (failed: the last call of `read` failed"), "{plan}");
    desk.check();

    // A later successful write resolves the failure; a read does not resolve a failed write.
    let mut desk = at(Phase::Implement);
    fails(&mut desk, "write");
    desk.answer(calls(&[("b", "write")]));
    desk.tool("written");
    assert!(names(&desk.answer(says("done"))).contains(&"item_completed"));
    let mut desk = at(Phase::Implement);
    fails(&mut desk, "write");
    desk.answer(calls(&[("b", "read")]));
    desk.tool("rows");
    assert!(names(&desk.answer(says("done"))).contains(&"item_failed"));

    // A success in the same answer does not hide the failure.
    let mut desk = at(Phase::Implement);
    desk.answer(calls(&[("a", "write"), ("b", "write")]));
    let effect = desk.open(|open| matches!(open, Open::Tool { .. }));
    desk.ok(&Command::ToolDone { effect, outcome: failed("no") });
    desk.tool("written");
    assert!(names(&desk.answer(says("both done"))).contains(&"item_failed"));

    // Refused calls count as failed.
    let mut desk = at(Phase::Implement);
    desk.answer(calls(&[("a", "unbound")]));
    assert!(names(&desk.answer(says("done"))).contains(&"item_failed"));

    // No call is needed if the model explains why.
    let mut desk = at(Phase::Implement);
    assert!(names(&desk.answer(says("The total is there already."))).contains(&"item_completed"));
}

/// How the run ended, and the reply in the conversation.
fn ended(desk: &Desk) -> (Option<Code>, String) {
    let outcome = desk.log.iter().rev().find_map(|record| match &record.event {
        Event::RunEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    let code = match outcome.expect("the run has not ended") {
        Outcome::Failed { code, .. } => Some(code),
        _ => None,
    };
    let reply = desk.state.history.entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Reply { text } => Some(text.clone()),
        _ => None,
    });
    (code, reply.unwrap())
}

#[test]
fn a_run_without_items_whose_last_call_failed_has_failed_in_every_mode() {
    let fails = |desk: &mut Desk, tool: &str| {
        desk.answer(calls(&[("a", tool)]));
        let effect = desk.open(|open| matches!(open, Open::Tool { .. }));
        desk.ok(&Command::ToolDone { effect, outcome: failed("there is no file `a.csv`") });
    };
    for (mode, tool) in [(Mode::Direct, "write"), (Mode::Direct, "read"), (Mode::Ask, "read"), (Mode::Auto, "read")] {
        let mut desk = Desk::ready();
        desk.send("go", start(mode));
        fails(&mut desk, tool);
        desk.answer(says("All done."));
        if mode == Mode::Auto {
            desk.answer(says("Nothing has to change."));
        }
        let (code, reply) = ended(&desk);
        assert_eq!(code, Some(Code::FileNotFound), "{mode:?} {tool}");
        assert!(
            reply.starts_with("All done.") && reply.contains("there is no file `a.csv`"),
            "{mode:?} {tool}: {reply}"
        );
        desk.check();
    }
    // A refused call counts too.
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.answer(calls(&[("a", "unbound")]));
    desk.answer(says("All done."));
    assert_eq!(ended(&desk).0, Some(Code::ToolNotBound));
    // A failure that a later call resolved does not fail the run.
    for (mode, first, then) in
        [(Mode::Direct, "write", "write"), (Mode::Direct, "read", "write"), (Mode::Ask, "read", "read")]
    {
        let mut desk = Desk::ready();
        desk.send("go", start(mode));
        fails(&mut desk, first);
        desk.answer(calls(&[("b", then)]));
        desk.tool("rows");
        desk.answer(says("All done."));
        assert_eq!(ended(&desk), (None, "All done.".to_owned()), "{mode:?} {first} {then}");
    }
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    fails(&mut desk, "write");
    desk.answer(calls(&[("b", "read")]));
    desk.tool("rows");
    desk.answer(says("All done."));
    assert_eq!(ended(&desk).0, Some(Code::FileNotFound), "reading makes up for no write");
}

#[test]
fn the_same_refused_call_three_times_is_a_loop_too() {
    let mut desk = at(Phase::Implement);
    for n in 0..3 {
        let events = desk.answer(calls(&[("a", "unbound")]));
        let looped =
            events.iter().any(|event| matches!(event, Event::ItemFailed { code: Code::AgentLoopDetected, .. }));
        assert_eq!(looped, n == 2);
    }
    // The same call several times in one answer is not a loop: the model had not seen the result.
    let mut desk = at(Phase::Direct);
    desk.answer(calls(&[("a", "read"), ("b", "read"), ("c", "read")]));
    desk.tool("same");
    desk.tool("same");
    assert_eq!(names(&desk.tool("same")), ["tool_finished", "step_started"]);
}

#[test]
fn a_call_that_would_reach_a_cap_is_not_sent_and_resumes_with_a_higher_cap_only() {
    let mut desk = Desk::ready();
    let mut capped = start(Mode::Direct);
    capped.overrides.budget.tokens = Some(50);
    desk.send("go", capped);
    let run = desk.state.core.run.as_ref().unwrap();
    let more = Spent { input: 400, ..Spent::default() };
    let cap = run.budget.reached_with(&run.spent, &more).unwrap();
    assert_eq!((cap.cap, cap.used), (50, 400));
    let effect = desk.open(|open| matches!(open, Open::Model { .. }));
    let events = desk.ok(&Command::Capped { effect, cap, usage: Usage::default() });
    assert_eq!(names(&events), ["model_capped", "run_suspended"]);
    assert_eq!(desk.state.core.run.as_ref().unwrap().suspended, Some(Suspension::Budget { cap }));
    for tokens in [None, Some(60), Some(400)] {
        let refused = desk.run(&Command::Resume { budget: Budget { tokens, ..Budget::default() } }).unwrap_err();
        assert_eq!(refused.code, Code::BudgetCapReached, "{tokens:?}");
    }
    desk.ok(&Command::Resume { budget: Budget { tokens: Some(5_000), ..Budget::default() } });
    desk.answer(says("done"));
    desk.check();
}

#[test]
fn a_log_of_the_first_rules_replays_by_them() {
    // The format of an earlier version, which ended the run as completed when an answer was cut off.
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.answer(ends("half", "max_tokens"));
    let mut log = desk.log.clone();
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
