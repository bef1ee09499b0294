//! Tool calls: three kinds of refusal, permission by a person, one result each.

use jig_contract::{Actor, Code};
use jig_session::*;

use crate::setup::*;

fn refused(events: &[Event]) -> Vec<(String, Code)> {
    let one = |event: &Event| match event {
        Event::ToolRefused { call, code, .. } => Some((call.clone(), *code)),
        _ => None,
    };
    events.iter().filter_map(one).collect()
}

fn begin() -> TestSession {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live
}

#[test]
fn there_are_three_different_refusals_and_the_model_is_told_each() {
    let mut live = begin();
    let patch = Policy { rules: vec![Rule { capability: "mcp.*".to_owned(), decision: Decision::Deny }] };
    let mut strict = TestSession::ready();
    strict.ok(&Command::Configure(DefaultsPatch { policy: Some(patch), ..DefaultsPatch::default() }));
    strict.send("go", start(Mode::Direct));
    let events = strict.answer(calls(&[("a", "hidden"), ("b", "unbound"), ("c", "secret")]));
    let expected = [("a", Code::ToolNotVisible), ("b", Code::ToolNotBound), ("c", Code::ToolNotPermitted)];
    assert_eq!(refused(&events), expected.map(|(id, code)| (id.to_owned(), code)));
    assert_eq!(names(&events).last(), Some(&"step_started"), "all refused: the model is asked again, not left alone");
    let turns = transcript(&strict.state).unwrap().turns;
    let results = turns.iter().filter(|turn| matches!(turn, TranscriptTurn::Tool { .. })).count();
    assert_eq!(results, 3);
    strict.check();
    let events = live.answer(calls(&[("a", "made_up")]));
    assert_eq!(refused(&events), [("a".to_owned(), Code::ToolNotVisible)]);
}

#[test]
fn calls_are_made_one_after_the_other_in_their_order() {
    let mut live = begin();
    let events = live.answer(calls(&[("a", "read"), ("b", "made_up"), ("c", "write")]));
    assert_eq!(names(&events), ["model_answered", "tool_started"]);
    assert_eq!(names(&live.tool("1")), ["tool_finished", "tool_refused", "tool_started"]);
    assert_eq!(names(&live.tool("2")), ["tool_finished", "step_started"]);
    live.check();
}

#[test]
fn ids_that_are_missing_or_there_twice_get_their_own() {
    let mut live = begin();
    let events = live.answer(calls(&[("a", "made_up"), ("a", "made_up"), ("", "made_up"), ("call2", "made_up")]));
    let ids: Vec<String> = refused(&events).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a", "call2", "call3", "call4"]);
    live.check();
}

#[test]
fn text_beside_calls_is_kept() {
    let mut live = begin();
    let mut answer = calls(&[("a", "made_up")]);
    answer.parts.insert(0, AnswerPart::Text { text: "I will look.".to_owned() });
    live.answer(answer);
    let turns = transcript(&live.state).unwrap().turns;
    let said =
        turns.iter().find_map(|turn| if let TranscriptTurn::Model(answer) = turn { Some(answer.text()) } else { None });
    assert_eq!(said.unwrap(), "I will look.");
}

#[test]
fn a_person_is_asked_and_their_word_reaches_as_far_as_they_say() {
    for (reach, again, next_run) in
        [(Reach::Once, true, true), (Reach::Run, false, true), (Reach::Session, false, false)]
    {
        let mut live = begin();
        assert_eq!(names(&live.answer(calls(&[("a", "ask")]))), ["model_answered", "permission_asked"]);
        let permit = |live: &mut TestSession, answer| {
            let effect = live.open(|open| matches!(open, Open::Ask { .. }));
            live.ok(&Command::Permit { effect, actor: Actor::person(), answer, reach })
        };
        assert_eq!(names(&permit(&mut live, PermissionAnswer::Allow)), ["permission_answered", "tool_started"]);
        live.tool("done");
        let asked = |events: &[Event]| names(events).contains(&"permission_asked");
        let events = live.answer(calls(&[("b", "ask")]));
        assert_eq!(asked(&events), again, "{reach:?}");
        if again {
            let events = permit(&mut live, PermissionAnswer::Deny);
            assert_eq!(refused(&events), [("b".to_owned(), Code::ToolNotPermitted)]);
        } else {
            live.tool("done");
        }
        live.answer(says("end"));
        live.send("more", start(Mode::Direct));
        assert_eq!(asked(&live.answer(calls(&[("c", "ask")]))), next_run, "{reach:?}");
        live.check();
    }
}

#[test]
fn a_write_that_was_cut_off_gets_a_result_that_says_so_and_a_read_is_done_again() {
    let mut live = begin();
    live.answer(calls(&[("a", "read"), ("b", "write")]));
    let read = live.open(|open| matches!(open, Open::Tool { .. }));
    assert_eq!(recover(&live.state), [Recovery::Again(read)]);
    live.tool("x");
    let write = live.open(|open| matches!(open, Open::Tool { .. }));
    assert_eq!(recover(&live.state), [Recovery::Interrupt(write)]);
    let events = live.ok(&Command::Interrupted { effect: write });
    assert_eq!(names(&events), ["effect_interrupted", "step_started"]);
    let turns = transcript(&live.state).unwrap().turns;
    assert!(matches!(turns.last(), Some(TranscriptTurn::Tool { call: "b", name: "write", .. })), "{turns:?}");
    live.check();
}

#[test]
fn the_same_call_with_the_same_result_three_times_ends_it() {
    let mut live = begin();
    for n in 0..3 {
        live.answer(calls(&[("a", "read")]));
        let events = live.tool("same");
        let ended = events.iter().any(|event| {
            matches!(event, Event::RunEnded { outcome: Outcome::Failed { code: Code::AgentLoopDetected, .. }, .. })
        });
        assert_eq!(ended, n == 2);
    }
    live.check();
    let mut other = begin();
    for n in 0..5 {
        other.answer(calls(&[("a", "read")]));
        other.tool(&format!("result {n}"));
    }
    assert!(other.state.core.run.is_some(), "other results are not a loop");
}

#[test]
fn more_calls_than_one_answer_may_make_are_refused_each() {
    let mut live = begin();
    let many: Vec<(String, &str)> = (0..60).map(|n| (format!("c{n}"), "made_up")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(id, name)| (id.as_str(), *name)).collect();
    let events = live.answer(calls(&many));
    let codes: Vec<Code> = refused(&events).into_iter().map(|(_, code)| code).collect();
    assert_eq!(codes.len(), 60);
    assert_eq!(codes[49..51], [Code::ToolNotVisible, Code::LimitExceeded]);
}
