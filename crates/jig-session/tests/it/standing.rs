//! State that outlives one call: standing permissions, changed defaults, notices, snapshots for one run.

use jig_contract::{Actor, Code};
use jig_session::*;

use crate::setup::*;

fn allow(live: &mut TestSession, reach: Reach) -> Vec<Event> {
    let effect = live.open(|open| matches!(open, Open::Ask { .. }));
    live.ok(&Command::Permit { effect, actor: Actor::person(), answer: PermissionAnswer::Allow, reach })
}

fn revoke(capability: &str, reach: Option<Reach>) -> Command {
    Command::Revoke { actor: Actor::person(), capability: capability.to_owned(), reach }
}

fn standing(live: &TestSession) -> Vec<(String, Reach)> {
    live.state.core.standing().into_iter().map(|(name, reach, _)| (name.to_owned(), reach)).collect()
}

#[test]
fn a_revoked_permission_asks_again_in_the_run_under_way() {
    for reach in [Reach::Run, Reach::Session] {
        let mut live = TestSession::ready();
        live.send("go", start(Mode::Direct));
        live.answer(calls(&[("a", "ask")]));
        allow(&mut live, reach);
        live.tool("kept");
        live.answer(calls(&[("b", "ask")]));
        assert!(live.state.core.open.values().any(|open| matches!(open, Open::Tool { .. })), "{reach:?}: no question");
        // Revoked while the tool runs: the next call asks again.
        assert_eq!(standing(&live), [("context.write".to_owned(), reach)]);
        assert_eq!(names(&live.ok(&revoke("context.write", None))), ["permission_revoked"]);
        assert_eq!(standing(&live), []);
        live.tool("kept again");
        let events = live.answer(calls(&[("c", "ask")]));
        assert_eq!(names(&events), ["model_answered", "permission_asked"], "{reach:?}");
        live.check();
    }
}

#[test]
fn an_answer_for_the_session_holds_in_later_runs_until_it_is_revoked() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(calls(&[("a", "ask")]));
    allow(&mut live, Reach::Session);
    live.tool("kept");
    live.answer(says("done"));
    live.send("again", start(Mode::Direct));
    assert_eq!(names(&live.answer(calls(&[("a", "ask")]))), ["model_answered", "tool_started"]);
    live.tool("kept");
    live.answer(says("done"));
    live.ok(&revoke("context.write", Some(Reach::Session)));
    live.send("once more", start(Mode::Direct));
    assert_eq!(names(&live.answer(calls(&[("a", "ask")]))), ["model_answered", "permission_asked"]);
    live.check();
}

#[test]
fn only_what_stands_can_be_revoked() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.answer(calls(&[("a", "ask")]));
    assert_eq!(live.run(&revoke("context.write", None)).unwrap_err().code, Code::ValidationFailed);
    allow(&mut live, Reach::Run);
    let records = live.log.len();
    for wrong in [revoke("context.wrte", None), revoke("context.write", Some(Reach::Session)), revoke("", None)] {
        assert_eq!(live.run(&wrong).unwrap_err().code, Code::ValidationFailed, "{wrong:?}");
    }
    assert_eq!(live.log.len(), records);
    live.ok(&revoke("context.write", Some(Reach::Run)));
    assert!(live.run(&revoke("context.write", None)).is_err(), "it is gone");
}

#[test]
fn defaults_change_by_what_is_named_and_a_repetition_changes_nothing() {
    let mut live = TestSession::ready();
    let budget = Budget { tokens: Some(9), micros: None, millis: Some(1_000) };
    let patch = DefaultsPatch {
        title: Some("T".to_owned()),
        model: Some("a:b".to_owned()),
        mode: Some(Mode::Ask),
        budget: Some(budget),
        ..DefaultsPatch::default()
    };
    assert_eq!(names(&live.ok(&Command::Configure(patch.clone()))), ["session_configured"]);
    assert_eq!(names(&live.ok(&Command::Configure(patch))), [""; 0]);
    let clear = [Setting::Title, Setting::MaxTokens].into_iter().collect();
    live.ok(&Command::Configure(DefaultsPatch { clear, ..DefaultsPatch::default() }));
    let defaults = &live.state.core.about.as_ref().unwrap().defaults;
    assert_eq!((defaults.title.as_deref(), defaults.model.as_deref()), (None, Some("a:b")));
    assert_eq!((defaults.budget.tokens, defaults.budget.millis), (None, Some(1_000)));
    live.check();
}

#[test]
fn a_narrower_policy_holds_in_the_run_under_way_and_a_wider_one_in_the_next() {
    let rules = |capability: &str, decision| {
        let rule = Rule { capability: capability.to_owned(), decision };
        Command::Configure(DefaultsPatch { policy: Some(Policy { rules: vec![rule] }), ..DefaultsPatch::default() })
    };
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.ok(&rules("files.write", Decision::Deny));
    let events = live.answer(calls(&[("a", "write")]));
    assert_eq!(names(&events), ["model_answered", "tool_refused", "step_started"]);
    live.ok(&rules("context.write", Decision::Allow));
    assert_eq!(names(&live.answer(calls(&[("b", "ask")]))), ["model_answered", "permission_asked"]);
    allow(&mut live, Reach::Once);
    live.tool("kept");
    live.answer(says("done"));
    live.send("again", start(Mode::Direct));
    assert_eq!(names(&live.answer(calls(&[("a", "ask")]))), ["model_answered", "tool_started"]);
    live.check();
}

#[test]
fn a_notice_is_recorded_once_per_run_and_no_model_reads_it() {
    let notice = |live: &mut TestSession, words: &[&str]| {
        let effect = live.open(|open| matches!(open, Open::Model { .. }));
        let notices = words.iter().map(|words| (Some(Code::StyleMergeFailed), (*words).to_owned())).collect();
        names(&live.ok(&Command::Notice { effect, notices })).len()
    };
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    assert_eq!(notice(&mut live, &["Company-Wide context could not be loaded.", "1 control token in a.csv"]), 2);
    live.answer(calls(&[("a", "read")]));
    live.tool("rows");
    // A grown count is not a new notice; another file is.
    assert_eq!(notice(&mut live, &["Company-Wide context could not be loaded.", "2 control token in a.csv"]), 0);
    assert_eq!(notice(&mut live, &["1 control token in b.csv"]), 1);
    let many: Vec<String> = (0..200).map(|at| "x".repeat(at + 1)).collect();
    assert!(notice(&mut live, &many.iter().map(String::as_str).collect::<Vec<_>>()) < 20, "bounded");
    let turns = transcript(&live.state).unwrap().turns;
    assert!(!format!("{turns:?}").contains("control token"), "{turns:?}");
    live.answer(says("done"));
    live.send("again", start(Mode::Direct));
    assert_eq!(notice(&mut live, &["Company-Wide context could not be loaded."]), 1, "each run reports it");
    let turns = transcript(&live.state).unwrap().turns;
    assert!(!format!("{turns:?}").contains("could not be loaded"), "{turns:?}");
    live.check();
}

#[test]
fn a_version_for_one_run_leaves_the_pending_snapshot_pending() {
    let mut live = TestSession::ready();
    live.sync(7);
    live.ok(&Command::SyncAside { reference: "own@1".to_owned() });
    let effect = live.open(|open| matches!(open, Open::Sync));
    live.ok(&Command::SyncDone { effect, outcome: SyncOutcome::Ready(summary(3)) });
    assert_eq!(live.state.core.workspace.pending, Some(hash(7)));
    let mut other = start(Mode::Direct);
    other.overrides.snapshot = Some(hash(3));
    live.send("go", other);
    live.answer(says("done"));
    assert_eq!(live.state.core.workspace.active, Some(hash(1)));
    assert_eq!(names(&live.apply(7, ApplyMode::ImmediateIfIdle)), ["workspace_apply_requested", "workspace_applied"]);
    live.sync(8);
    assert_eq!(live.state.core.workspace.pending, Some(hash(8)), "the next sync is an ordinary one");
    live.check();
}

#[test]
fn an_override_holds_for_research_when_the_run_only_answers() {
    let chosen = |mode| {
        let mut live = TestSession::ready();
        let mut other = start(mode);
        (other.overrides.pack, other.overrides.catalog) = (Some("concise".to_owned()), Some("small".to_owned()));
        let events = live.send("go", other);
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
