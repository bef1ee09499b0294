//! Phases and items.

use jig_contract::Code;
use jig_session::*;

use crate::setup::*;

const PLAN: &str = "# Plan\n- [ ] Split the file\n- [ ] Write the report\n";

fn tools(events: &[Event]) -> Vec<String> {
    let found = events.iter().find_map(|event| match event {
        Event::StepStarted { tools, .. } => Some(tools.clone()),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn a_task_is_researched_planned_done_item_by_item_and_summed_up() {
    let mut live = TestSession::ready();
    let events = live.send("split it", start(Mode::Auto));
    assert_eq!(names(&events)[1..], ["run_started", "phase_started", "step_started"]);
    assert_eq!(tools(&events), ["read"], "research only reads");
    let events = live.answer(says("there are three categories"));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "phase_started", "step_started"]);
    let events = live.answer(says(PLAN));
    let expected = ["model_answered", "phase_completed", "plan_made", "phase_started", "item_started", "step_started"];
    assert_eq!(names(&events), expected);
    assert_eq!(tools(&events), ["ask", "read", "secret", "unbound", "write"]);
    let run = live.state.core.run.as_ref().unwrap();
    assert_eq!(run.research.as_deref(), Some("there are three categories"));
    live.answer(calls(&[("a", "write")]));
    live.tool("written");
    let events = live.answer(says("done"));
    assert_eq!(names(&events), ["model_answered", "item_completed", "item_started", "step_started"]);
    let events = live.answer(says("FAILED: the template is missing"));
    assert_eq!(names(&events), ["model_answered", "item_failed", "item_started", "step_started"]);
    assert_eq!(live.state.core.run.as_ref().unwrap().failure.as_deref(), Some("the template is missing"));
    let events = live.answer(says("FAILED: there is still no template"));
    let expected = ["model_answered", "item_failed", "phase_completed", "phase_started", "step_started"];
    assert_eq!(names(&events), expected);
    assert_eq!(tools(&events), [] as [&str; 0], "a summary calls nothing");
    let plan = live.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().render();
    assert_eq!(plan, "# Plan\n- [x] Split the file\n- [!] Write the report (failed: there is still no template)\n");
    let events = live.answer(says("One of two is done."));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "run_ended"]);
    assert!(
        matches!(&live.state.history.entries.last().unwrap().body, Body::Reply { text } if text == "One of two is done.")
    );
    live.check();
}

#[test]
fn a_question_ends_with_what_research_found() {
    let mut live = TestSession::ready();
    live.send("how many?", start(Mode::Ask));
    assert_eq!(names(&live.answer(says("three"))), ["model_answered", "phase_completed", "run_ended"]);
    let mut live = TestSession::ready();
    live.send("how many?", start(Mode::Auto));
    live.answer(says("three"));
    let events = live.answer(says("Nothing has to change."));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "plan_made", "run_ended"]);
    assert!(matches!(&live.state.history.entries.last().unwrap().body, Body::Reply { text } if text == "three"));
    live.check();
}

#[test]
fn a_call_in_the_wrong_phase_is_refused() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Auto));
    let events = live.answer(calls(&[("a", "write")]));
    assert!(matches!(&events[1], Event::ToolRefused { code: Code::ToolNotPermitted, .. }), "{events:?}");
    live.check();
}

#[test]
fn each_phase_and_each_attempt_has_a_context_of_its_own() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Auto));
    live.answer(calls(&[("a", "read")]));
    live.tool("x");
    assert_eq!(transcript(&live.state).unwrap().turns.len(), 3);
    live.answer(says("found"));
    assert_eq!(transcript(&live.state).unwrap().turns, [TranscriptTurn::Task]);
    live.answer(says(PLAN));
    live.answer(says("FAILED: no"));
    assert_eq!(transcript(&live.state).unwrap().turns, [TranscriptTurn::Task]);
}

#[test]
fn phases_end_when_their_calls_are_used_up() {
    let mut live = TestSession::ready();
    let mut small = start(Mode::Auto);
    small.limits = TurnLimits { direct: 1, research: 2, plan: 1, implement: 1 };
    live.send("go", small);
    live.answer(calls(&[("a", "read")]));
    let events = live.tool("x");
    assert_eq!(tools(&events), [] as [&str; 0], "the last call of research is for words");
    live.answer(says("found"));
    live.answer(says(PLAN));
    live.answer(calls(&[("a", "read")]));
    let events = live.tool("x");
    assert!(matches!(&events[1], Event::ItemFailed { code: Code::LimitExceeded, last: false, .. }), "{events:?}");
    live.check();
    let mut live = TestSession::ready();
    let mut small = start(Mode::Ask);
    small.limits.research = 1;
    live.send("go", small);
    let events = live.answer(calls(&[("a", "read")]));
    assert_eq!(names(&events).last(), Some(&"run_ended"));
    live.check();
}

#[test]
fn an_interrupted_item_goes_on_where_it_was() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Auto));
    live.answer(says("found"));
    live.answer(says(PLAN));
    live.answer(says("done"));
    let effect = live.requested();
    live.ok(&Command::Interrupted { effect });
    let events = live.ok(&Command::Resume { budget: Budget::default() });
    assert!(matches!(&events[1], Event::StepStarted { item: Some(2), .. }), "{events:?}");
    live.check();
}
