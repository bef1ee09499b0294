//! Decides a command: returns the events that it causes, including derived ones, or the reason it is refused.

use jig_contract::{Actor, BlobHash, Code, Timestamp};

use crate::command::{Command, Start, SyncOutcome};
use crate::effect::EffectId;
use crate::event::{Event, Suspension};
use crate::evolve::topic;
use crate::log::{Decided, Record};
use crate::next::{missing, next};
use crate::policy::Reach;
use crate::rejection::Rejection;
use crate::run::{CallStage, Mode, Phase, PhaseChoice, Rules, Run, RunConfig, StepStage, TurnLimits};
use crate::state::{About, Core, Open, State};
use crate::tool::Answer;
use crate::workspace::{ApplyMode, ApplyRefusal, SnapshotSummary};

/// A backstop: derived events always end, and a bug in [`next`] must not turn into an endless loop.
const FOLLOWING_MAX: usize = 100_000;

type Events = Result<Vec<Event>, Rejection>;

/// Decides a command at a given time. Pure: the caller writes the events to the log and applies them with
/// [`evolve`](crate::evolve).
pub fn decide(state: &State, command: &Command, at: Timestamp) -> Result<Vec<Decided>, Rejection> {
    let asked = asked(state, command)?;
    // Timestamps in a log never decrease, even if the clock does.
    let at = state.core.at.map_or(at, |last| last.max(at));
    let mut core = state.core.clone();
    let mut decided = Vec::with_capacity(asked.len() + 1);
    for event in asked {
        take(&mut core, &event, at);
        decided.push(Decided { event, derived: false });
    }
    while let Some(event) = next(&core).filter(|_| decided.len() < FOLLOWING_MAX) {
        take(&mut core, &event, at);
        decided.push(Decided { event, derived: true });
    }
    Ok(decided)
}

fn take(core: &mut Core, event: &Event, at: Timestamp) {
    let seq = core.seq.saturating_add(1);
    core.take(&Record { seq, at, derived: false, effects: None, event: event.clone() });
}

/// The events that the command itself causes, without derived ones.
fn asked(state: &State, command: &Command) -> Events {
    let core = &state.core;
    if let Command::Create { session, workbench, defaults } = command {
        if core.about.is_some() {
            return Err(Rejection::new(Code::Conflict, "the session already exists"));
        }
        let (session, workbench, defaults) = (session.clone(), workbench.clone(), defaults.clone());
        return Ok(vec![Event::SessionCreated { session, workbench, defaults }]);
    }
    let about =
        core.about.as_ref().ok_or_else(|| Rejection::new(Code::SessionNotFound, "the session does not exist yet"))?;
    match command {
        Command::Create { .. } => Ok(Vec::new()),
        Command::Configure(patch) => {
            let mut patched = about.defaults.clone();
            patched.patch(patch);
            let changed = patched != about.defaults;
            Ok(changed.then(|| Event::SessionConfigured { patch: patch.clone() }).into_iter().collect())
        }
        Command::Sync { reference, known } => sync(core, about, reference.as_deref(), *known),
        Command::SyncAside { reference } => {
            not_syncing(core)?;
            Ok(vec![Event::WorkspaceSyncRequested { reference: reference.clone(), known: None, aside: true }])
        }
        Command::SyncDone { effect, outcome } => sync_done(core, *effect, outcome),
        Command::Apply { snapshot, mode } => Ok(apply(core, *snapshot, *mode)),
        Command::Send { actor, text, state, start } => {
            let message = Event::MessageAdded { actor: actor.clone(), text: text.clone(), state: *state };
            if text.trim().is_empty() {
                return Err(Rejection::new(Code::ValidationFailed, "the message is empty").hint("describe the task"));
            }
            let mut events = vec![message];
            events.extend(run(core, about, core.seq.saturating_add(1), start)?);
            Ok(events)
        }
        Command::Regenerate { start } => {
            let message = state.history.last_message();
            let none = || Rejection::new(Code::ValidationFailed, "no message to answer again");
            run(core, about, message.ok_or_else(none)?, start)
        }
        Command::Note { text } => Ok(vec![Event::NoticeAdded { text: text.clone() }]),
        Command::Revoke { actor, capability, reach } => revoke(core, actor, capability, *reach),
        Command::Cancel => {
            let run = running(core)?;
            Ok(if run.cancelling { Vec::new() } else { vec![Event::RunCancelRequested { run: run.number }] })
        }
        Command::Resume { budget } => resume(running(core)?, *budget),
        Command::Decline => decline(running(core)?),
        Command::Rewind { to } => rewind(state, *to),
        command => report_events(core, command),
    }
}

/// The events for a report about a running effect. A report for an effect that is not open is refused.
fn report_events(core: &Core, command: &Command) -> Events {
    let open = |effect: &EffectId| core.open.get(effect).ok_or_else(|| unknown(*effect));
    match command {
        Command::Requested { effect, state, name, request, bill, tokens } => match open(effect)? {
            Open::Model { requested: false } => Ok(vec![Event::ModelRequested {
                effect: *effect,
                state: *state,
                name: name.clone(),
                request: *request,
                bill: *bill,
                tokens: *tokens,
            }]),
            _ => Err(unknown(*effect)),
        },
        Command::Notice { effect, notices } => match (open(effect)?, &core.run) {
            (Open::Model { requested: false }, Some(run)) => Ok(noticed(run, notices)),
            _ => Err(unknown(*effect)),
        },
        Command::Answered { effect, answer } => match open(effect)? {
            Open::Model { requested: true } => {
                Ok(vec![Event::ModelAnswered { effect: *effect, answer: with_ids(answer.clone()) }])
            }
            _ => Err(unknown(*effect)),
        },
        Command::Failed { effect, failure } => match open(effect)? {
            Open::Model { .. } => Ok(vec![Event::ModelFailed { effect: *effect, failure: failure.clone() }]),
            _ => Err(unknown(*effect)),
        },
        Command::Capped { effect, cap, usage } => match open(effect)? {
            Open::Model { .. } => Ok(vec![Event::ModelCapped { effect: *effect, cap: *cap, usage: *usage }]),
            _ => Err(unknown(*effect)),
        },
        Command::ToolDone { effect, outcome } => match open(effect)? {
            Open::Tool { call, .. } => {
                Ok(vec![Event::ToolFinished { effect: *effect, call: call.clone(), outcome: outcome.clone() }])
            }
            _ => Err(unknown(*effect)),
        },
        Command::ToolHeld { effect, failure } => match open(effect)? {
            Open::Tool { call, .. } => Ok(vec![Event::ToolHeld {
                effect: *effect,
                call: call.clone(),
                code: failure.code,
                message: failure.message.clone(),
            }]),
            _ => Err(unknown(*effect)),
        },
        Command::Permit { effect, actor, answer, reach } => match open(effect)? {
            Open::Ask { .. } => Ok(vec![Event::PermissionAnswered {
                effect: *effect,
                actor: actor.clone(),
                answer: *answer,
                reach: *reach,
            }]),
            _ => Err(unknown(*effect)),
        },
        Command::Interrupted { effect } => match open(effect)? {
            Open::Ask { .. } => Err(unknown(*effect)),
            _ => Ok(vec![Event::EffectInterrupted { effect: *effect }]),
        },
        Command::RewindDone { effect, failure } => match (open(effect)?, failure) {
            (Open::Restore { to }, None) => Ok(vec![Event::Rewound { effect: *effect, to: *to }]),
            (Open::Restore { .. }, Some(failure)) => {
                Ok(vec![Event::RewindFailed { effect: *effect, failure: failure.clone() }])
            }
            _ => Err(unknown(*effect)),
        },
        _ => Ok(Vec::new()),
    }
}

fn unknown(effect: EffectId) -> Rejection {
    Rejection::new(Code::Conflict, format!("effect {effect} is not running; it may have ended already"))
}

fn running(core: &Core) -> Result<&Run, Rejection> {
    core.run.as_ref().ok_or_else(|| Rejection::new(Code::ValidationFailed, "no run is in progress"))
}

/// A limit on noise: a run records at most this many notices.
const NOTICES_MAX: usize = 20;

/// The notices that this run has not recorded yet.
fn noticed(run: &Run, notices: &[(Option<Code>, String)]) -> Vec<Event> {
    let step = run.step.as_ref().map_or(0, |step| step.number);
    let mut seen = run.noticed.clone();
    let fresh = notices.iter().filter(|(_, message)| seen.len() < NOTICES_MAX && seen.insert(topic(message)));
    fresh
        .map(|(code, message)| Event::PromptNoticed { run: run.number, step, code: *code, message: message.clone() })
        .collect()
}

/// Revokes the matching standing answers. If none exists, the capability is probably misspelt, so this is an error.
fn revoke(core: &Core, actor: &Actor, capability: &str, reach: Option<Reach>) -> Events {
    let standing = core.standing();
    let found = standing.iter().filter(|(name, of, _)| *name == capability && reach.is_none_or(|reach| reach == *of));
    let event =
        |of: Reach| Event::PermissionRevoked { actor: actor.clone(), capability: capability.to_owned(), reach: of };
    let events: Vec<Event> = found.map(|(_, of, _)| event(*of)).collect();
    if events.is_empty() {
        let names: Vec<&str> = standing.iter().map(|(name, ..)| *name).collect();
        let hint = if names.is_empty() {
            "this session has no standing permissions".to_owned()
        } else {
            format!("the standing permissions are {}", names.join(", "))
        };
        let words = format!("no standing permission for `{capability}`");
        return Err(Rejection::new(Code::ValidationFailed, words).hint(hint));
    }
    Ok(events)
}

fn not_syncing(core: &Core) -> Result<(), Rejection> {
    match core.workspace.syncing {
        Some(_) => Err(Rejection::new(Code::Conflict, "a sync is already in progress").hint("wait for it to end")),
        None => Ok(()),
    }
}

fn sync(core: &Core, about: &About, reference: Option<&str>, known: Option<BlobHash>) -> Events {
    not_syncing(core)?;
    let newest = core.workspace.pending.or(core.workspace.active);
    let root = newest.and_then(|newest| core.workspace.summary(&newest)).map(|summary| summary.root);
    let reference = reference.unwrap_or(&about.defaults.workspace).to_owned();
    Ok(vec![Event::WorkspaceSyncRequested { reference, known: known.or(root), aside: false }])
}

fn sync_done(core: &Core, effect: EffectId, outcome: &SyncOutcome) -> Events {
    if core.open.get(&effect) != Some(&Open::Sync) {
        return Err(unknown(effect));
    }
    Ok(vec![match outcome.clone() {
        SyncOutcome::Unchanged { root } => Event::WorkspaceSyncUnchanged { effect, root },
        SyncOutcome::Ready(snapshot) => Event::WorkspaceSnapshotReady { effect, snapshot },
        SyncOutcome::Failed(problems) => Event::WorkspaceSyncFailed { effect, problems },
    }])
}

/// An apply always reaches the log, either as a request or as a refusal with its reason.
fn apply(core: &Core, snapshot: BlobHash, mode: ApplyMode) -> Vec<Event> {
    let refused = |why| vec![Event::WorkspaceApplyRefused { snapshot, why }];
    if let Err(why) = core.workspace.may_apply(snapshot) {
        return refused(why);
    }
    if let (ApplyMode::ImmediateIfIdle, Some(run)) = (mode, &core.run) {
        return refused(ApplyRefusal::RunActive { run: run.number });
    }
    let before = core.workspace.staged.filter(|staged| staged.snapshot != snapshot);
    let replaced = before.map(|staged| Event::WorkspaceApplyRefused {
        snapshot: staged.snapshot,
        why: ApplyRefusal::Replaced { by: snapshot },
    });
    replaced.into_iter().chain([Event::WorkspaceApplyRequested { snapshot, mode }]).collect()
}

/// Starts a run on a message. A staged snapshot is adopted first, so that the run is configured with it.
fn run(core: &Core, about: &About, message: u64, start: &Start) -> Events {
    if let Some(run) = &core.run {
        let words = format!("run {} is in progress", run.number);
        return Err(Rejection::new(Code::RunActive, words).hint("wait for it, cancel it, or resume it if it is paused"));
    }
    if core.rewinding() {
        return Err(Rejection::new(Code::Conflict, "the workbench is being restored").hint("wait for it to end"));
    }
    let staged = core.workspace.staged;
    let active = staged.map(|staged| staged.snapshot).or(core.workspace.active);
    let snapshot = start.overrides.snapshot.or(active).ok_or_else(|| {
        Rejection::new(Code::ValidationFailed, "no agent workspace is active")
            .hint("sync the session's workspace and apply it first")
    })?;
    let summary = core.workspace.summary(&snapshot).ok_or_else(|| {
        let words = format!("the snapshot {snapshot} does not come from a sync of this session");
        Rejection::new(Code::ValidationFailed, words).hint("sync that version first")
    })?;
    let mode = if start.task.is_some() { Mode::Direct } else { start.mode.unwrap_or(about.defaults.mode) };
    let phases = Phase::ALL.map(|phase| (phase, choice((mode, phase), about, start, summary)));
    for (phase, choice) in &phases {
        if let Some(what) = missing(choice, summary) {
            let words = format!("the snapshot lacks {what}, which the phase `{}` requires", phase.as_str());
            let there = summary.packs.iter().chain(summary.catalogs.keys()).cloned().collect::<Vec<_>>().join(", ");
            return Err(Rejection::new(Code::ValidationFailed, words).hint(format!("available: {there}")));
        }
    }
    let config = RunConfig {
        model: start.model.clone(),
        snapshot,
        phases: phases.into_iter().collect(),
        policy: about.defaults.policy.clone(),
        budget: about.defaults.budget.patched(start.overrides.budget),
        limits: if start.task.is_some() { TurnLimits::one() } else { start.limits },
        bindings: start.bindings.clone(),
        task: start.task.clone(),
        rules: Rules::EveryMode,
    };
    let applied = staged.map(|staged| Event::WorkspaceApplied { snapshot: staged.snapshot, mode: staged.mode });
    let run = Event::RunStarted { run: core.runs.saturating_add(1), message, mode, config: Box::new(config) };
    Ok(applied.into_iter().chain([run]).collect())
}

/// The pack and the catalog of a phase. The run's choice takes precedence over the session's, and the session's over
/// the index's.
fn choice((mode, phase): (Mode, Phase), about: &About, start: &Start, summary: &SnapshotSummary) -> PhaseChoice {
    if start.task.is_some() {
        return PhaseChoice::default();
    }
    let named = start.overrides.phases.get(&phase).cloned().unwrap_or_default();
    let indexed = summary.defaults.phases.get(&phase).cloned().unwrap_or_default();
    // An `ask` run has no implementation phase; research does its work.
    let answers = mode == Mode::Ask && phase == Phase::Research;
    let own = |run: &Option<String>, session: &Option<String>| {
        let run = run.clone().filter(|_| answers || phase.works());
        run.or_else(|| session.clone().filter(|_| phase.works()))
    };
    let pack = own(&start.overrides.pack, &about.defaults.pack);
    let catalog = own(&start.overrides.catalog, &about.defaults.catalog);
    let as_phase = Some(phase.as_str().to_owned()).filter(|name| summary.packs.contains(name));
    let pack = named.pack.or(pack).or(indexed.pack).or(as_phase).or_else(|| summary.defaults.pack.clone());
    let catalog = named.catalog.or(catalog).or(indexed.catalog).or_else(|| summary.defaults.catalog.clone());
    PhaseChoice { pack, catalog: catalog.filter(|_| phase != Phase::Summary) }
}

fn resume(run: &Run, budget: crate::budget::Budget) -> Events {
    let Some(why) = &run.suspended else {
        return Err(Rejection::new(Code::ValidationFailed, format!("run {} is not paused", run.number)));
    };
    let raised = run.budget.patched(budget);
    let reached = match why {
        // The usage alone does not reach the cap: the call was not sent because of its estimate, and would only be
        // stopped again.
        Suspension::Budget { cap } => raised.reached(&run.spent).or_else(|| raised.still_reached(*cap)),
        _ => None,
    };
    if let Some(cap) = reached {
        let words = format!("{cap}, so run {} cannot be resumed", run.number);
        return Err(Rejection::new(Code::BudgetCapReached, words).hint("resume with a higher limit"));
    }
    Ok(vec![Event::RunResumed { run: run.number, budget }])
}

fn decline(run: &Run) -> Events {
    let held = || Rejection::new(Code::ValidationFailed, format!("run {} has no call to decline", run.number));
    let Some(Suspension::ToolHeld { .. }) = &run.suspended else { return Err(held()) };
    let step = run.step.as_ref().ok_or_else(held)?;
    let StepStage::Calls(calls) = &step.stage else { return Err(held()) };
    let open = calls.iter().find(|open| open.stage != CallStage::Answered).ok_or_else(held)?;
    let (call, name) = (open.call.id.clone(), open.call.name.clone());
    let message = format!("a person declined this call of `{name}`; do not repeat it");
    Ok(vec![Event::ToolRefused { step: step.number, call, name, code: Code::ToolNotPermitted, message }])
}

fn rewind(state: &State, to: u64) -> Events {
    if let Some(run) = &state.core.run {
        let words = format!("run {} is in progress", run.number);
        return Err(Rejection::new(Code::RunActive, words).hint("cancel it first"));
    }
    if state.core.rewinding() {
        return Err(Rejection::new(Code::Conflict, "the workbench is already being restored"));
    }
    let Some((_, state)) = state.history.message(to) else {
        let words = format!("no message of this conversation has the number {to}");
        return Err(Rejection::new(Code::ValidationFailed, words)
            .hint("`jig session show` lists the messages and their numbers"));
    };
    Ok(vec![Event::RewindRequested { to, state }])
}

/// Replaces missing and duplicate call ids, so that each result belongs to exactly one call.
fn with_ids(mut answer: Answer) -> Answer {
    let mut seen: Vec<String> = Vec::new();
    for (at, call) in answer.calls_mut().enumerate() {
        if call.id.is_empty() || seen.contains(&call.id) {
            let mut id = format!("call{}", at + 1);
            while seen.contains(&id) {
                id.push('x');
            }
            call.id = id;
        }
        seen.push(call.id.clone());
    }
    answer
}
