//! Derived events: what follows from a state without a command. Called repeatedly until it returns `None`.

use std::sync::Arc;

use jig_contract::Code;

use crate::event::{Event, Suspension};
use crate::plan::Plan;
use crate::policy::Decision;
use crate::run::{CallStage, FailedCall, Mode, OpenCall, Outcome, Phase, Rules, Run, Step, StepStage};
use crate::state::Core;
use crate::tool::Touch;
use crate::workspace::{ApplyMode, ApplyRefusal, SnapshotSummary};

/// The same call with the same result this often is a loop.
const LOOP: u32 = 3;
/// This many malformed calls of one tool in a row pause the run.
const MALFORMED: u32 = 3;
/// Attempts per item.
const ATTEMPTS: u32 = 2;
/// How many calls of one answer are executed.
const CALLS_MAX: usize = 50;
/// The prefix of an answer that reports an item as impossible.
const FAILED: &str = "FAILED:";

/// The next derived event.
pub fn next(core: &Core) -> Option<Event> {
    if let Some(event) = apply_when_idle(core) {
        return Some(event);
    }
    let run = core.run.as_ref()?;
    if core.run_is_busy() {
        return None;
    }
    if run.cancelling {
        return Some(cancel(run));
    }
    if run.suspended.is_some() {
        return None;
    }
    match run.step.as_ref().map(|step| (step, &step.stage)) {
        Some((_, StepStage::Asking { .. })) => None,
        Some((_, StepStage::Failed(why))) => Some(Event::RunSuspended { run: run.number, why: why.clone() }),
        Some((step, StepStage::Calls(calls))) => match first_open(calls) {
            Some((at, call)) => Some(next_call(core, run, step, at, call)),
            None => Some(after_calls(core, run)),
        },
        Some((_, StepStage::Said(text))) => Some(after_answer(run, text)),
        Some((_, StepStage::Again)) => Some(step(core, run)),
        None => Some(begin(core, run)),
    }
}

/// Adopts a staged snapshot as soon as no run is active.
fn apply_when_idle(core: &Core) -> Option<Event> {
    let staged = core.workspace.staged.filter(|staged| staged.mode == ApplyMode::ImmediateIfIdle)?;
    let (snapshot, mode) = (staged.snapshot, staged.mode);
    Some(match &core.run {
        None => Event::WorkspaceApplied { snapshot, mode },
        Some(run) => Event::WorkspaceApplyRefused { snapshot, why: ApplyRefusal::RunActive { run: run.number } },
    })
}

fn first_open(calls: &[OpenCall]) -> Option<(usize, &OpenCall)> {
    calls.iter().enumerate().find(|(_, call)| call.stage != CallStage::Answered)
}

/// Gives each open call a result, then ends the run.
fn cancel(run: &Run) -> Event {
    if let Some(Step { number, stage: StepStage::Calls(calls), .. }) = &run.step
        && let Some((_, call)) = first_open(calls)
    {
        return refuse(*number, call, Code::UserCanceled, "the run was stopped before this call was made".to_owned());
    }
    Event::RunEnded { run: run.number, outcome: Outcome::Cancelled }
}

fn refuse(step: u32, call: &OpenCall, code: Code, message: String) -> Event {
    let (id, name) = (call.call.id.clone(), call.call.name.clone());
    Event::ToolRefused { step, call: id, name, code, message }
}

/// Decides an open call: run it, ask a person, or refuse it for one of three reasons.
fn next_call(core: &Core, run: &Run, step: &Step, at: usize, call: &OpenCall) -> Event {
    let name = &call.call.name;
    let no = |code, message| refuse(step.number, call, code, message);
    if at >= CALLS_MAX {
        return no(Code::LimitExceeded, format!("an answer may call at most {CALLS_MAX} tools; call it again"));
    }
    let catalog = run.config.phases.get(&run.phase.unwrap_or(Phase::Direct)).and_then(|choice| choice.catalog.clone());
    let visible = catalog.as_ref().and_then(|catalog| {
        let summary = core.workspace.summary(&run.snapshot)?;
        summary.catalogs.get(catalog)
    });
    let phase = run.phase.unwrap_or(Phase::Direct);
    let listed = |name: &str| step.tools.iter().any(|tool| tool == name);
    // Checked first: a person is not asked about a call that cannot be made.
    if let Some(problem) = call.call.problem.as_ref().filter(|_| listed(name)) {
        return no(Code::InvalidParams, problem.clone());
    }
    if step.tools.is_empty() || !visible.is_some_and(|tools| tools.contains(name)) {
        return no(Code::ToolNotVisible, not_visible(name, step));
    }
    let Some(binding) = run.config.bindings.get(name) else {
        return no(Code::ToolNotBound, format!("nothing in this program stands behind `{name}`; use another tool"));
    };
    if phase.reads_only() && binding.touch == Touch::Writes {
        let words = format!("`{name}` changes something, and the phase `{}` only reads", phase.as_str());
        return no(Code::ToolNotPermitted, words);
    }
    let denied = || format!("`{name}` needs `{}`, which is not permitted in this session", binding.capability);
    let decision = match call.stage {
        CallStage::Permitted => Decision::Allow,
        CallStage::Denied => Decision::Deny,
        _ => {
            let decided = run.config.policy.decide_with(&binding.capability, &[&run.answered, &core.answered]);
            // A policy that was narrowed since the run started applies at once; a wider one applies from the next run
            // on.
            let now = core.about.as_ref().map(|about| about.defaults.policy.decide(&binding.capability));
            if now == Some(Decision::Deny) { Decision::Deny } else { decided }
        }
    };
    let (id, name, capability) = (call.call.id.clone(), name.clone(), binding.capability.clone());
    match decision {
        Decision::Deny => no(Code::ToolNotPermitted, denied()),
        Decision::Ask => Event::PermissionAsked { step: step.number, call: id, name, capability },
        Decision::Allow => Event::ToolStarted {
            run: run.number,
            step: step.number,
            call: id,
            name,
            target: binding.target.clone(),
            input: call.call.input.clone(),
        },
    }
}

fn not_visible(name: &str, step: &Step) -> String {
    let shown = shown_name(name);
    if shown.is_empty() {
        return format!("the call names no tool; there are {}", step.tools.join(", "));
    }
    if step.tools.is_empty() {
        return format!("there is no tool `{shown}` here: this step has none; answer in words");
    }
    format!("there is no tool `{shown}` here; there are {}", step.tools.join(", "))
}

fn shown_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// Called when all calls have results. A loop ends here; otherwise the model is asked again.
fn after_calls(core: &Core, run: &Run) -> Event {
    if let Some((tool, (times, _, what))) = run.malformed.iter().find(|(_, (times, ..))| *times >= MALFORMED) {
        let message = format!("the model called `{}` wrongly {times} times in a row: {what}", shown_name(tool));
        let why = Suspension::ModelFailed { code: Code::ModelAnswerUnusable, message };
        return Event::RunSuspended { run: run.number, why };
    }
    if run.repeats.values().any(|(times, _)| *times >= LOOP) {
        let words = format!("the same call gave the same result {LOOP} times");
        return stuck(run, Code::AgentLoopDetected, words);
    }
    if run.turns >= limit(run) {
        let words = format!("there is no result after {} model calls", run.turns);
        return stuck(run, Code::LimitExceeded, words);
    }
    step(core, run)
}

/// Fails the current item, or the run if it has no items.
fn stuck(run: &Run, code: Code, reason: String) -> Event {
    match run.item {
        Some((item, attempt)) => {
            Event::ItemFailed { run: run.number, item, attempt, last: attempt >= ATTEMPTS, code, reason }
        }
        None => Event::RunEnded { run: run.number, outcome: failed(code, reason, String::new()) },
    }
}

const fn failed(code: Code, message: String, text: String) -> Outcome {
    Outcome::Failed { code, message, text }
}

fn last_call_failed(failed: &FailedCall) -> String {
    format!("the last call of `{}` failed: {}", shown_name(&failed.tool), failed.reason)
}

/// Handles an answer without calls, which ends the current context.
fn after_answer(run: &Run, text: &Arc<str>) -> Event {
    let text = text.to_string();
    match (run.phase.unwrap_or(Phase::Direct), run.item) {
        (Phase::Implement, Some((item, attempt))) => match text.trim_start().strip_prefix(FAILED) {
            Some(reason) => {
                let (code, reason) = (Code::ValidationFailed, reason.trim().to_owned());
                Event::ItemFailed { run: run.number, item, attempt, last: attempt >= ATTEMPTS, code, reason }
            }
            None => match run.failed_calls.open() {
                // The item has failed even if the model claims success: its last call did not work.
                Some(failed) => stuck(run, failed.code, last_call_failed(failed)),
                None => Event::ItemCompleted { run: run.number, item, text },
            },
        },
        (phase, _) => match run.failed_calls.open().filter(|_| ends_run(run, phase)) {
            // No later phase could correct the failure.
            Some(call) => {
                let outcome = failed(call.code, last_call_failed(call), text);
                Event::RunEnded { run: run.number, outcome }
            }
            None => Event::PhaseCompleted { run: run.number, phase, text },
        },
    }
}

/// Whether the run ends with this phase, so that a failed last call fails the run. Older rules never did that.
fn ends_run(run: &Run, phase: Phase) -> bool {
    let last = phase == Phase::Direct || (phase == Phase::Research && run.mode == Mode::Ask);
    last && run.config.rules >= Rules::EveryMode
}

/// Called when no step is open: starts the next phase, item or step, or ends the run.
fn begin(core: &Core, run: &Run) -> Event {
    let number = run.number;
    let Some(phase) = run.phase else { return next_phase(run) };
    if phase != Phase::Implement {
        return step(core, run);
    }
    match (run.item, run.plan.as_ref().and_then(|plan| plan.first_open())) {
        // A retry; the prompt includes the reason of the failure.
        (Some((item, attempt)), _) if run.retry => Event::ItemStarted { run: number, item, attempt: attempt + 1 },
        (Some(_), _) => step(core, run),
        (None, Some(item)) => Event::ItemStarted { run: number, item, attempt: 1 },
        (None, None) => {
            let text = run.plan.as_ref().map(|plan| plan.render()).unwrap_or_default();
            Event::PhaseCompleted { run: number, phase, text }
        }
    }
}

fn next_phase(run: &Run) -> Event {
    let number = run.number;
    let start = |phase| Event::PhaseStarted { run: number, phase };
    let end = |text: &str| Event::RunEnded { run: number, outcome: Outcome::Completed { text: text.to_owned() } };
    let last = || run.last_text.clone().unwrap_or_default();
    match (run.mode, run.done.last()) {
        (Mode::Direct, None) => start(Phase::Direct),
        (Mode::Ask | Mode::Auto, None) => start(Phase::Research),
        (Mode::Auto, Some(Phase::Research)) => start(Phase::Plan),
        (Mode::Auto, Some(Phase::Plan)) => match &run.plan {
            None => Event::PlanMade { run: number, plan: Plan::read(&last()) },
            // Nothing needs to change, so the result of research is the answer.
            Some(plan) if plan.items.is_empty() => {
                let text = run.research.as_deref().unwrap_or_default();
                match run.research_failed.as_ref().filter(|_| run.config.rules >= Rules::EveryMode) {
                    Some(call) => {
                        let outcome = failed(call.code, last_call_failed(call), text.to_owned());
                        Event::RunEnded { run: number, outcome }
                    }
                    None => end(text),
                }
            }
            Some(_) => start(Phase::Implement),
        },
        (Mode::Auto, Some(Phase::Implement)) => start(Phase::Summary),
        _ => end(&last()),
    }
}

/// Starts the next model call. Checks the caps first, then adopts a snapshot that is due. A snapshot enters a run only
/// here.
fn step(core: &Core, run: &Run) -> Event {
    if let Some(cap) = run.budget.reached(&run.spent) {
        return Event::RunSuspended { run: run.number, why: Suspension::Budget { cap } };
    }
    if let Some(staged) = core.workspace.staged.filter(|staged| staged.mode == ApplyMode::NextStepBoundary) {
        let (snapshot, mode) = (staged.snapshot, staged.mode);
        let lacks = core.workspace.summary(&snapshot).map_or(Some("itself".to_owned()), |new| lacks(run, new));
        return match lacks {
            Some(what) => Event::WorkspaceApplyRefused { snapshot, why: ApplyRefusal::Lacks { what } },
            None => Event::WorkspaceApplied { snapshot, mode },
        };
    }
    let phase = run.phase.unwrap_or(Phase::Direct);
    let choice = run.config.phases.get(&phase).cloned().unwrap_or_default();
    Event::StepStarted {
        run: run.number,
        step: core.steps.saturating_add(1),
        phase,
        item: run.item.map(|(item, _)| item),
        snapshot: run.snapshot,
        tools: offered(core, run, phase, choice.catalog.as_deref()),
        pack: choice.pack,
        catalog: choice.catalog,
        context_from: run.context_from,
    }
}

fn limit(run: &Run) -> u32 {
    run.config.limits.of(run.phase.unwrap_or(Phase::Direct)).max(1)
}

/// The tools offered to the model: those of the catalog that the phase permits. The last call of a context that may end
/// with text gets none, which forces it to end.
fn offered(core: &Core, run: &Run, phase: Phase, catalog: Option<&str>) -> Vec<String> {
    let last = phase != Phase::Implement && run.turns + 1 >= limit(run);
    if last {
        return Vec::new();
    }
    let tools = catalog.and_then(|catalog| core.workspace.summary(&run.snapshot)?.catalogs.get(catalog));
    let passes = |name: &&String| {
        let writes = run.config.bindings.get(*name).is_some_and(|binding| binding.touch == Touch::Writes);
        !(phase.reads_only() && writes)
    };
    tools.into_iter().flatten().filter(passes).cloned().collect()
}

/// What the run needs and the snapshot does not contain.
pub(crate) fn lacks(run: &Run, summary: &SnapshotSummary) -> Option<String> {
    run.config.phases.values().find_map(|choice| missing(choice, summary))
}

/// What the choice names and the snapshot does not contain.
pub(crate) fn missing(choice: &crate::run::PhaseChoice, summary: &SnapshotSummary) -> Option<String> {
    let pack = choice.pack.as_ref().filter(|pack| !summary.packs.contains(*pack));
    let catalog = choice.catalog.as_ref().filter(|catalog| !summary.catalogs.contains_key(*catalog));
    let pack = pack.map(|pack| format!("the prompt pack `{pack}`"));
    pack.or_else(|| catalog.map(|catalog| format!("the tool catalog `{catalog}`")))
}
