//! Sync and apply: only a named snapshot is ever adopted.

use jig_session::*;

use crate::setup::*;

fn snapshot_of_step(events: &[Event]) -> Option<u8> {
    events.iter().find_map(|event| match event {
        Event::StepStarted { snapshot, .. } => Some(snapshot.as_bytes()[0]),
        _ => None,
    })
}

#[test]
fn a_first_sync_and_apply_brings_the_workspace_into_use() {
    let mut live = TestSession::new();
    assert_eq!(names(&live.ok(&Command::Sync { reference: None, known: None })), ["workspace_sync_requested"]);
    assert_eq!(names(&live.sync_done(SyncOutcome::Ready(summary(1)))), ["workspace_snapshot_ready"]);
    assert_eq!((live.state.core.workspace.active, live.state.core.workspace.pending), (None, Some(hash(1))));
    let events = live.apply(1, ApplyMode::ImmediateIfIdle);
    assert_eq!(names(&events), ["workspace_apply_requested", "workspace_applied"]);
    assert_eq!((live.state.core.workspace.active, live.state.core.workspace.pending), (Some(hash(1)), None));
    live.check();
}

impl TestSession {
    fn sync_done(&mut self, outcome: SyncOutcome) -> Vec<Event> {
        let effect = self.open(|open| matches!(open, Open::Sync));
        self.ok(&Command::SyncDone { effect, outcome })
    }
}

#[test]
fn without_sync_and_apply_nothing_changes() {
    let mut live = TestSession::ready();
    live.sync(2);
    let events = live.send("go", start(Mode::Direct));
    assert_eq!(snapshot_of_step(&events), Some(1), "a sync alone adopts nothing");
    live.check();
}

#[test]
fn next_run_is_adopted_with_the_next_run_and_not_before() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.sync(2);
    assert_eq!(names(&live.apply(2, ApplyMode::NextRun)), ["workspace_apply_requested"]);
    let events = live.answer(calls(&[("a", "read")]));
    assert_eq!(names(&events), ["model_answered", "tool_started"]);
    assert_eq!(snapshot_of_step(&live.tool("x")), Some(1));
    live.answer(says("done"));
    let events = live.send("again", start(Mode::Direct));
    assert_eq!(names(&events)[..3], ["message_added", "workspace_applied", "run_started"]);
    assert_eq!(snapshot_of_step(&events), Some(2));
    live.check();
}

#[test]
fn a_boundary_apply_changes_the_next_request_and_is_on_the_step() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    live.sync(2);
    live.apply(2, ApplyMode::NextStepBoundary);
    live.answer(calls(&[("a", "read")]));
    let events = live.tool("x");
    assert_eq!(names(&events), ["tool_finished", "workspace_applied", "step_started"]);
    assert_eq!(snapshot_of_step(&events), Some(2));
    let steps: Vec<u8> = live.state.history.steps.iter().map(|step| step.snapshot.as_bytes()[0]).collect();
    assert_eq!(steps, [1, 2]);
    live.check();
}

#[test]
fn a_newer_sync_does_not_change_what_an_apply_named() {
    let mut live = TestSession::ready();
    live.sync(2);
    live.apply(2, ApplyMode::NextRun);
    live.sync(3);
    let events = live.send("go", start(Mode::Direct));
    assert_eq!(snapshot_of_step(&events), Some(2));
    assert_eq!(live.state.core.workspace.pending, Some(hash(3)), "the newer one still waits");
    live.check();
}

#[test]
fn what_is_not_pending_or_superseded_is_refused_with_an_event() {
    let mut live = TestSession::ready();
    let why = |events: Vec<Event>| match events.as_slice() {
        [Event::WorkspaceApplyRefused { why, .. }] => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(live.apply(9, ApplyMode::NextRun)), ApplyRefusal::NotPending);
    assert_eq!(why(live.apply(1, ApplyMode::NextRun)), ApplyRefusal::AlreadyActive);
    live.sync(2);
    live.sync(3);
    assert_eq!(why(live.apply(2, ApplyMode::NextRun)), ApplyRefusal::Superseded { by: hash(3) });
    live.send("go", start(Mode::Direct));
    assert_eq!(why(live.apply(3, ApplyMode::ImmediateIfIdle)), ApplyRefusal::RunActive { run: 1 });
    assert_eq!(live.state.core.workspace.staged, None, "a refusal leaves nothing armed");
    live.check();
}

#[test]
fn nothing_armed_is_left_for_a_later_sync() {
    let mut live = TestSession::new();
    live.apply(2, ApplyMode::NextRun);
    live.sync(2);
    assert_eq!(live.state.core.workspace.active, None);
    let refused = live.run(&send("go", start(Mode::Direct))).unwrap_err();
    assert_eq!(refused.message, "no agent workspace is active");
}

#[test]
fn a_second_apply_takes_the_place_of_the_first_and_says_so() {
    let mut live = TestSession::ready();
    live.sync(2);
    live.apply(2, ApplyMode::NextRun);
    live.sync(3);
    let events = live.apply(3, ApplyMode::NextRun);
    let replaced = Event::WorkspaceApplyRefused { snapshot: hash(2), why: ApplyRefusal::Replaced { by: hash(3) } };
    assert_eq!(events, [replaced, Event::WorkspaceApplyRequested { snapshot: hash(3), mode: ApplyMode::NextRun }]);
    assert_eq!(snapshot_of_step(&live.send("go", start(Mode::Direct))), Some(3));
}

#[test]
fn going_back_is_applying_an_older_snapshot() {
    let mut live = TestSession::ready();
    live.adopt(2);
    let events = live.apply(1, ApplyMode::ImmediateIfIdle);
    assert_eq!(names(&events), ["workspace_apply_requested", "workspace_applied"]);
    assert_eq!(live.state.core.workspace.active, Some(hash(1)));
    live.check();
}

#[test]
fn a_failed_sync_changes_nothing() {
    let mut live = TestSession::ready();
    live.sync(2);
    let before = live.state.core.workspace.clone();
    live.ok(&Command::Sync { reference: Some("other@7".to_owned()), known: None });
    let problem = SyncProblem { file: "a.json".to_owned(), pointer: "/x".to_owned(), message: "wrong".to_owned() };
    assert_eq!(names(&live.sync_done(SyncOutcome::Failed(vec![problem]))), ["workspace_sync_failed"]);
    assert_eq!(live.state.core.workspace, before);
    assert_eq!(live.state.core.about.as_ref().unwrap().defaults.workspace, "own");
    live.check();
}

#[test]
fn an_unchanged_sync_rewrites_no_snapshot() {
    let mut live = TestSession::ready();
    live.sync(2);
    let before = live.state.core.workspace.clone();
    let events = live.ok(&Command::Sync { reference: None, known: None });
    let known = Event::WorkspaceSyncRequested { reference: "own".to_owned(), known: Some(hash(52)), aside: false };
    assert_eq!(events, [known], "the newest root is known");
    live.sync_done(SyncOutcome::Unchanged { root: hash(52) });
    assert_eq!(live.state.core.workspace, before);
}

#[test]
fn one_sync_at_a_time_and_no_result_of_another() {
    let mut live = TestSession::ready();
    live.ok(&Command::Sync { reference: None, known: None });
    assert!(live.run(&Command::Sync { reference: None, known: None }).is_err());
    let wrong = Command::SyncDone { effect: EffectId(9_999), outcome: SyncOutcome::Ready(summary(2)) };
    assert!(live.run(&wrong).is_err());
}

#[test]
fn a_snapshot_that_lacks_what_the_run_needs_does_not_enter_it() {
    let mut live = TestSession::ready();
    live.send("go", start(Mode::Direct));
    let mut poor = summary(2);
    poor.packs.clear();
    live.ok(&Command::Sync { reference: None, known: None });
    live.sync_done(SyncOutcome::Ready(poor));
    live.apply(2, ApplyMode::NextStepBoundary);
    live.answer(calls(&[("a", "read")]));
    let events = live.tool("x");
    assert_eq!(names(&events), ["tool_finished", "workspace_apply_refused", "step_started"]);
    assert_eq!(snapshot_of_step(&events), Some(1));
    live.check();
}
