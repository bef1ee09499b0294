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
    let mut desk = Desk::ready();
    let events = desk.send("split it", start(Mode::Auto));
    assert_eq!(names(&events)[1..], ["run_started", "phase_started", "step_started"]);
    assert_eq!(tools(&events), ["read"], "research only reads");
    let events = desk.answer(says("there are three categories"));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "phase_started", "step_started"]);
    let events = desk.answer(says(PLAN));
    let expected = ["model_answered", "phase_completed", "plan_made", "phase_started", "item_started", "step_started"];
    assert_eq!(names(&events), expected);
    assert_eq!(tools(&events), ["ask", "read", "secret", "unbound", "write"]);
    let run = desk.state.core.run.as_ref().unwrap();
    assert_eq!(run.research.as_deref(), Some("there are three categories"));
    desk.answer(calls(&[("a", "write")]));
    desk.tool("written");
    let events = desk.answer(says("done"));
    assert_eq!(names(&events), ["model_answered", "item_completed", "item_started", "step_started"]);
    let events = desk.answer(says("FAILED: there is no template"));
    assert_eq!(names(&events), ["model_answered", "item_failed", "item_started", "step_started"]);
    assert_eq!(desk.state.core.run.as_ref().unwrap().failure.as_deref(), Some("there is no template"));
    let events = desk.answer(says("FAILED: there is still no template"));
    let expected = ["model_answered", "item_failed", "phase_completed", "phase_started", "step_started"];
    assert_eq!(names(&events), expected);
    assert_eq!(tools(&events), [] as [&str; 0], "a summary calls nothing");
    let plan = desk.state.core.run.as_ref().unwrap().plan.as_ref().unwrap().render();
    assert_eq!(plan, "# Plan\n- [x] Split the file\n- [!] Write the report (failed: there is still no template)\n");
    let events = desk.answer(says("One of two is done."));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "run_ended"]);
    assert!(
        matches!(&desk.state.history.entries.last().unwrap().body, Body::Reply { text } if text == "One of two is done.")
    );
    desk.check();
}

#[test]
fn a_question_ends_with_what_research_found() {
    let mut desk = Desk::ready();
    desk.send("how many?", start(Mode::Ask));
    assert_eq!(names(&desk.answer(says("three"))), ["model_answered", "phase_completed", "run_ended"]);
    let mut desk = Desk::ready();
    desk.send("how many?", start(Mode::Auto));
    desk.answer(says("three"));
    let events = desk.answer(says("Nothing has to change."));
    assert_eq!(names(&events), ["model_answered", "phase_completed", "plan_made", "run_ended"]);
    assert!(matches!(&desk.state.history.entries.last().unwrap().body, Body::Reply { text } if text == "three"));
    desk.check();
}

#[test]
fn a_call_in_the_wrong_phase_is_refused() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Auto));
    let events = desk.answer(calls(&[("a", "write")]));
    assert!(matches!(&events[1], Event::ToolRefused { code: Code::ToolNotPermitted, .. }), "{events:?}");
    desk.check();
}

#[test]
fn each_phase_and_each_attempt_has_a_context_of_its_own() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Auto));
    desk.answer(calls(&[("a", "read")]));
    desk.tool("x");
    assert_eq!(transcript(&desk.state).unwrap().turns.len(), 3);
    desk.answer(says("found"));
    assert_eq!(transcript(&desk.state).unwrap().turns, [Said::Task]);
    desk.answer(says(PLAN));
    desk.answer(says("FAILED: no"));
    assert_eq!(transcript(&desk.state).unwrap().turns, [Said::Task]);
}

#[test]
fn phases_end_when_their_calls_are_used_up() {
    let mut desk = Desk::ready();
    let mut small = start(Mode::Auto);
    small.limits = TurnLimits { direct: 1, research: 2, plan: 1, implement: 1 };
    desk.send("go", small);
    desk.answer(calls(&[("a", "read")]));
    let events = desk.tool("x");
    assert_eq!(tools(&events), [] as [&str; 0], "the last call of research is for words");
    desk.answer(says("found"));
    desk.answer(says(PLAN));
    desk.answer(calls(&[("a", "read")]));
    let events = desk.tool("x");
    assert!(matches!(&events[1], Event::ItemFailed { code: Code::LimitExceeded, last: false, .. }), "{events:?}");
    desk.check();
    let mut desk = Desk::ready();
    let mut small = start(Mode::Ask);
    small.limits.research = 1;
    desk.send("go", small);
    let events = desk.answer(calls(&[("a", "read")]));
    assert_eq!(names(&events).last(), Some(&"run_ended"));
    desk.check();
}

#[test]
fn an_interrupted_item_goes_on_where_it_was() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Auto));
    desk.answer(says("found"));
    desk.answer(says(PLAN));
    desk.answer(says("done"));
    let effect = desk.requested();
    desk.ok(&Command::Interrupted { effect });
    let events = desk.ok(&Command::Resume { budget: Budget::default() });
    assert!(matches!(&events[1], Event::StepStarted { item: Some(2), .. }), "{events:?}");
    desk.check();
}
