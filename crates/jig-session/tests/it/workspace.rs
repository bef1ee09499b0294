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
    let mut desk = Desk::new();
    assert_eq!(names(&desk.ok(&Command::Sync { reference: None, known: None })), ["workspace_sync_requested"]);
    assert_eq!(names(&desk.sync_done(SyncOutcome::Ready(summary(1)))), ["workspace_snapshot_ready"]);
    assert_eq!((desk.state.core.workspace.active, desk.state.core.workspace.pending), (None, Some(hash(1))));
    let events = desk.apply(1, ApplyMode::ImmediateIfIdle);
    assert_eq!(names(&events), ["workspace_apply_requested", "workspace_applied"]);
    assert_eq!((desk.state.core.workspace.active, desk.state.core.workspace.pending), (Some(hash(1)), None));
    desk.check();
}

impl Desk {
    fn sync_done(&mut self, outcome: SyncOutcome) -> Vec<Event> {
        let effect = self.open(|open| matches!(open, Open::Sync));
        self.ok(&Command::SyncDone { effect, outcome })
    }
}

#[test]
fn without_sync_and_apply_nothing_changes() {
    let mut desk = Desk::ready();
    desk.sync(2);
    let events = desk.send("go", start(Mode::Direct));
    assert_eq!(snapshot_of_step(&events), Some(1), "a sync alone adopts nothing");
    desk.check();
}

#[test]
fn next_run_is_adopted_with_the_next_run_and_not_before() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.sync(2);
    assert_eq!(names(&desk.apply(2, ApplyMode::NextRun)), ["workspace_apply_requested"]);
    let events = desk.answer(calls(&[("a", "read")]));
    assert_eq!(names(&events), ["model_answered", "tool_started"]);
    assert_eq!(snapshot_of_step(&desk.tool("x")), Some(1));
    desk.answer(says("done"));
    let events = desk.send("again", start(Mode::Direct));
    assert_eq!(names(&events)[..3], ["message_added", "workspace_applied", "run_started"]);
    assert_eq!(snapshot_of_step(&events), Some(2));
    desk.check();
}

#[test]
fn a_boundary_apply_changes_the_next_request_and_is_on_the_step() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    desk.sync(2);
    desk.apply(2, ApplyMode::NextStepBoundary);
    desk.answer(calls(&[("a", "read")]));
    let events = desk.tool("x");
    assert_eq!(names(&events), ["tool_finished", "workspace_applied", "step_started"]);
    assert_eq!(snapshot_of_step(&events), Some(2));
    let steps: Vec<u8> = desk.state.history.steps.iter().map(|step| step.snapshot.as_bytes()[0]).collect();
    assert_eq!(steps, [1, 2]);
    desk.check();
}

#[test]
fn a_newer_sync_does_not_change_what_an_apply_named() {
    let mut desk = Desk::ready();
    desk.sync(2);
    desk.apply(2, ApplyMode::NextRun);
    desk.sync(3);
    let events = desk.send("go", start(Mode::Direct));
    assert_eq!(snapshot_of_step(&events), Some(2));
    assert_eq!(desk.state.core.workspace.pending, Some(hash(3)), "the newer one still waits");
    desk.check();
}

#[test]
fn what_is_not_pending_or_superseded_is_refused_with_an_event() {
    let mut desk = Desk::ready();
    let why = |events: Vec<Event>| match events.as_slice() {
        [Event::WorkspaceApplyRefused { why, .. }] => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(desk.apply(9, ApplyMode::NextRun)), ApplyRefusal::NotPending);
    assert_eq!(why(desk.apply(1, ApplyMode::NextRun)), ApplyRefusal::AlreadyActive);
    desk.sync(2);
    desk.sync(3);
    assert_eq!(why(desk.apply(2, ApplyMode::NextRun)), ApplyRefusal::Superseded { by: hash(3) });
    desk.send("go", start(Mode::Direct));
    assert_eq!(why(desk.apply(3, ApplyMode::ImmediateIfIdle)), ApplyRefusal::RunActive { run: 1 });
    assert_eq!(desk.state.core.workspace.staged, None, "a refusal leaves nothing armed");
    desk.check();
}

#[test]
fn nothing_armed_is_left_for_a_later_sync() {
    let mut desk = Desk::new();
    desk.apply(2, ApplyMode::NextRun);
    desk.sync(2);
    assert_eq!(desk.state.core.workspace.active, None);
    let refused = desk.run(&send("go", start(Mode::Direct))).unwrap_err();
    assert_eq!(refused.message, "no workspace is in use");
}

#[test]
fn a_second_apply_takes_the_place_of_the_first_and_says_so() {
    let mut desk = Desk::ready();
    desk.sync(2);
    desk.apply(2, ApplyMode::NextRun);
    desk.sync(3);
    let events = desk.apply(3, ApplyMode::NextRun);
    let replaced = Event::WorkspaceApplyRefused { snapshot: hash(2), why: ApplyRefusal::Replaced { by: hash(3) } };
    assert_eq!(events, [replaced, Event::WorkspaceApplyRequested { snapshot: hash(3), mode: ApplyMode::NextRun }]);
    assert_eq!(snapshot_of_step(&desk.send("go", start(Mode::Direct))), Some(3));
}

#[test]
fn going_back_is_applying_an_older_snapshot() {
    let mut desk = Desk::ready();
    desk.adopt(2);
    let events = desk.apply(1, ApplyMode::ImmediateIfIdle);
    assert_eq!(names(&events), ["workspace_apply_requested", "workspace_applied"]);
    assert_eq!(desk.state.core.workspace.active, Some(hash(1)));
    desk.check();
}

#[test]
fn a_failed_sync_changes_nothing() {
    let mut desk = Desk::ready();
    desk.sync(2);
    let before = desk.state.core.workspace.clone();
    desk.ok(&Command::Sync { reference: Some("other@7".to_owned()), known: None });
    let problem = SyncProblem { file: "a.json".to_owned(), pointer: "/x".to_owned(), message: "wrong".to_owned() };
    assert_eq!(names(&desk.sync_done(SyncOutcome::Failed(vec![problem]))), ["workspace_sync_failed"]);
    assert_eq!(desk.state.core.workspace, before);
    assert_eq!(desk.state.core.about.as_ref().unwrap().defaults.workspace, "own");
    desk.check();
}

#[test]
fn an_unchanged_sync_rewrites_no_snapshot() {
    let mut desk = Desk::ready();
    desk.sync(2);
    let before = desk.state.core.workspace.clone();
    let events = desk.ok(&Command::Sync { reference: None, known: None });
    let known = Event::WorkspaceSyncRequested { reference: "own".to_owned(), known: Some(hash(52)), aside: false };
    assert_eq!(events, [known], "the newest root is known");
    desk.sync_done(SyncOutcome::Unchanged { root: hash(52) });
    assert_eq!(desk.state.core.workspace, before);
}

#[test]
fn one_sync_at_a_time_and_no_result_of_another() {
    let mut desk = Desk::ready();
    desk.ok(&Command::Sync { reference: None, known: None });
    assert!(desk.run(&Command::Sync { reference: None, known: None }).is_err());
    let wrong = Command::SyncDone { effect: EffectId(9_999), outcome: SyncOutcome::Ready(summary(2)) };
    assert!(desk.run(&wrong).is_err());
}

#[test]
fn a_snapshot_that_lacks_what_the_run_needs_does_not_enter_it() {
    let mut desk = Desk::ready();
    desk.send("go", start(Mode::Direct));
    let mut poor = summary(2);
    poor.packs.clear();
    desk.ok(&Command::Sync { reference: None, known: None });
    desk.sync_done(SyncOutcome::Ready(poor));
    desk.apply(2, ApplyMode::NextStepBoundary);
    desk.answer(calls(&[("a", "read")]));
    let events = desk.tool("x");
    assert_eq!(names(&events), ["tool_finished", "workspace_apply_refused", "step_started"]);
    assert_eq!(snapshot_of_step(&events), Some(1));
    desk.check();
}
