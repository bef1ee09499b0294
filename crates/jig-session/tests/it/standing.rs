//! State that outlives one call: standing permissions, changed defaults, notices, snapshots for one run.

use jig_contract::{Actor, Code};
use jig_session::*;

use crate::setup::*;

fn allow(desk: &mut Desk, reach: Reach) -> Vec<Event> {
    let effect = desk.open(|open| matches!(open, Open::Ask { .. }));
    desk.ok(&Command::Permit { effect, actor: Actor::person(), answer: PermissionAnswer::Allow, reach })
}

fn revoke(capability: &str, reach: Option<Reach>) -> Command {
    Command::Revoke { actor: Actor::person(), capability: capability.to_owned(), reach }
}

fn standing(desk: &Desk) -> Vec<(String, Reach)> {
    desk.state.core.standing().into_iter().map(|(name, reach, _)| (name.to_owned(), reach)).collect()
}

#[test]
fn a_revoked_permission_asks_again_in_the_run_under_way() {
    for reach in [Reach::Run, Reach::Session] {
        let mut desk = Desk::ready();
        desk.send("go", start(Mode::Direct));
        desk.answer(calls(&[("a", "ask")]));
        allow(&mut desk, reach);
        desk.tool("kept");
        desk.answer(calls(&[("b", "ask")]));
        assert!(desk.state.core.open.values().any(|open| matches!(open, Open::Tool { .. })), "{reach:?}: no question");
        // Revoked while the tool runs: the next call asks again.
        assert_eq!(standing(&desk), [("context.write".to_owned(), reach)]);
        assert_eq!(names(&desk.ok(&revoke("context.write", None))), ["permission_revoked"]);
        assert_eq!(standing(&desk), []);
        desk.tool("kept again");
        let events = desk.answer(calls(&[("c", "ask")]));
        assert_eq!(names(&events), ["model_answered", "permission_asked"], "{reach:?}");
        desk.check();
    }
}

#[test]
fn an_answer_for_the_session_holds_in_later_runs_until_it_is_revoked() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.answer(calls(&[("a", "ask")]));
    allow(&mut desk, Reach::Session);
    desk.tool("kept");
    desk.answer(says("done"));
    desk.send("again", start(Mode::Direct));
    assert_eq!(names(&desk.answer(calls(&[("a", "ask")]))), ["model_answered", "tool_started"]);
    desk.tool("kept");
    desk.answer(says("done"));
    desk.ok(&revoke("context.write", Some(Reach::Session)));
    desk.send("once more", start(Mode::Direct));
    assert_eq!(names(&desk.answer(calls(&[("a", "ask")]))), ["model_answered", "permission_asked"]);
    desk.check();
}

#[test]
fn only_what_stands_can_be_revoked() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.answer(calls(&[("a", "ask")]));
    assert_eq!(desk.run(&revoke("context.write", None)).unwrap_err().code, Code::ValidationFailed);
    allow(&mut desk, Reach::Run);
    let records = desk.log.len();
    for wrong in [revoke("context.wrte", None), revoke("context.write", Some(Reach::Session)), revoke("", None)] {
        assert_eq!(desk.run(&wrong).unwrap_err().code, Code::ValidationFailed, "{wrong:?}");
    }
    assert_eq!(desk.log.len(), records);
    desk.ok(&revoke("context.write", Some(Reach::Run)));
    assert!(desk.run(&revoke("context.write", None)).is_err(), "it is gone");
}

#[test]
fn defaults_change_by_what_is_named_and_a_repetition_changes_nothing() {
    let mut desk = Desk::ready();
    let budget = Budget { tokens: Some(9), micros: None, millis: Some(1_000) };
    let patch = DefaultsPatch {
        title: Some("T".to_owned()),
        model: Some("a:b".to_owned()),
        mode: Some(Mode::Ask),
        budget: Some(budget),
        ..DefaultsPatch::default()
    };
    assert_eq!(names(&desk.ok(&Command::Configure(patch.clone()))), ["session_configured"]);
    assert_eq!(names(&desk.ok(&Command::Configure(patch))), [""; 0]);
    let clear = [Setting::Title, Setting::MaxTokens].into_iter().collect();
    desk.ok(&Command::Configure(DefaultsPatch { clear, ..DefaultsPatch::default() }));
    let defaults = &desk.state.core.about.as_ref().unwrap().defaults;
    assert_eq!((defaults.title.as_deref(), defaults.model.as_deref()), (None, Some("a:b")));
    assert_eq!((defaults.budget.tokens, defaults.budget.millis), (None, Some(1_000)));
    desk.check();
}

#[test]
fn a_narrower_policy_holds_in_the_run_under_way_and_a_wider_one_in_the_next() {
    let rules = |capability: &str, decision| {
        let rule = Rule { capability: capability.to_owned(), decision };
        Command::Configure(DefaultsPatch { policy: Some(Policy { rules: vec![rule] }), ..DefaultsPatch::default() })
    };
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.ok(&rules("files.write", Decision::Deny));
    let events = desk.answer(calls(&[("a", "write")]));
    assert_eq!(names(&events), ["model_answered", "tool_refused", "step_started"]);
    desk.ok(&rules("context.write", Decision::Allow));
    assert_eq!(names(&desk.answer(calls(&[("b", "ask")]))), ["model_answered", "permission_asked"]);
    allow(&mut desk, Reach::Once);
    desk.tool("kept");
    desk.answer(says("done"));
    desk.send("again", start(Mode::Direct));
    assert_eq!(names(&desk.answer(calls(&[("a", "ask")]))), ["model_answered", "tool_started"]);
    desk.check();
}

#[test]
fn a_notice_is_recorded_once_per_run_and_no_model_reads_it() {
    let notice = |desk: &mut Desk, words: &[&str]| {
        let effect = desk.open(|open| matches!(open, Open::Model { .. }));
        let notices = words.iter().map(|words| (Some(Code::StyleMergeFailed), (*words).to_owned())).collect();
        names(&desk.ok(&Command::Notice { effect, notices })).len()
    };
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    assert_eq!(notice(&mut desk, &["Company-Wide context could not be loaded.", "1 control token in a.csv"]), 2);
    desk.answer(calls(&[("a", "read")]));
    desk.tool("rows");
    // A grown count is not a new notice; another file is.
    assert_eq!(notice(&mut desk, &["Company-Wide context could not be loaded.", "2 control token in a.csv"]), 0);
    assert_eq!(notice(&mut desk, &["1 control token in b.csv"]), 1);
    let many: Vec<String> = (0..200).map(|at| "x".repeat(at + 1)).collect();
    assert!(notice(&mut desk, &many.iter().map(String::as_str).collect::<Vec<_>>()) < 20, "bounded");
    let turns = transcript(&desk.state).unwrap().turns;
    assert!(!format!("{turns:?}").contains("control token"), "{turns:?}");
    desk.answer(says("done"));
    desk.send("again", start(Mode::Direct));
    assert_eq!(notice(&mut desk, &["Company-Wide context could not be loaded."]), 1, "each run says so");
    let turns = transcript(&desk.state).unwrap().turns;
    assert!(!format!("{turns:?}").contains("could not be loaded"), "{turns:?}");
    desk.check();
}

#[test]
fn a_version_for_one_run_leaves_the_pending_snapshot_pending() {
    let mut desk = Desk::ready();
    desk.sync(7);
    desk.ok(&Command::SyncAside { reference: "own@1".to_owned() });
    let effect = desk.open(|open| matches!(open, Open::Sync));
    desk.ok(&Command::SyncDone { effect, outcome: SyncOutcome::Ready(summary(3)) });
    assert_eq!(desk.state.core.workspace.pending, Some(hash(7)));
    let mut other = start(Mode::Direct);
    other.overrides.snapshot = Some(hash(3));
    desk.send("go", other);
    desk.answer(says("done"));
    assert_eq!(desk.state.core.workspace.active, Some(hash(1)));
    assert_eq!(names(&desk.apply(7, ApplyMode::ImmediateIfIdle)), ["workspace_apply_requested", "workspace_applied"]);
    desk.sync(8);
    assert_eq!(desk.state.core.workspace.pending, Some(hash(8)), "the next sync is an ordinary one");
    desk.check();
}

#[test]
fn an_override_holds_for_research_when_the_run_only_answers() {
    let chosen = |mode| {
        let mut desk = Desk::ready();
        let mut other = start(mode);
        (other.overrides.pack, other.overrides.catalog) = (Some("concise".to_owned()), Some("small".to_owned()));
        let events = desk.send("go", other);
        let step = events.into_iter().find_map(|event| match event {
            Event::StepStarted { pack, catalog, .. } => Some((pack.unwrap(), catalog.unwrap())),
            _ => None,
        });
        step.unwrap()
    };
    assert_eq!(chosen(Mode::Ask), ("concise".to_owned(), "small".to_owned()));
    assert_eq!(chosen(Mode::Direct), ("concise".to_owned(), "small".to_owned()));
    assert_eq!(chosen(Mode::Auto), ("research".to_owned(), "read-only".to_owned()), "in auto it is for implement");
}
