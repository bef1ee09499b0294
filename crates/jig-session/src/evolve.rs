//! Applies events to the state. Total: every log, even a damaged one, leads to a state.

use std::sync::Arc;

use jig_contract::{BlobHash, Code};
use serde_json::json;

use crate::defect::{Defect, UNUSABLE_MAX, joined};
use crate::effect::EffectId;
use crate::event::{Event, Suspension};
use crate::history::{Body, Entry, Notes, StepRecord};
use crate::log::Record;
use crate::plan::ItemState;
use crate::policy::{Answer as PermissionAnswer, Reach, Standing};
use crate::run::{CallStage, FailedCall, FailedCalls, OpenCall, Outcome, Phase, Rules, Run, Step, StepStage};
use crate::state::{About, Core, Open, State};
use crate::tool::{Answer, ToolOutcome, Touch, Usage};

/// Applies a record to the state.
pub fn evolve(state: &mut State, record: &Record) {
    remember(state, record);
    state.core.take(record);
}

impl Core {
    /// Applies a record to the part of the state that decisions depend on.
    pub(crate) fn take(&mut self, record: &Record) {
        self.pass_time(record);
        let effect = EffectId(record.seq);
        match &record.event {
            Event::SessionCreated { session, workbench, defaults } => {
                let (session, workbench, defaults) = (session.clone(), workbench.clone(), defaults.clone());
                self.about = Some(About { session, workbench, defaults });
            }
            Event::SessionConfigured { patch } => {
                if let Some(about) = &mut self.about {
                    about.defaults.patch(patch);
                }
            }
            Event::MessageAdded { .. } | Event::NoticeAdded { .. } => {}
            Event::RewindRequested { to, .. } => {
                self.open.insert(effect, Open::Restore { to: *to });
            }
            Event::Rewound { effect, .. } | Event::RewindFailed { effect, .. } => {
                self.open.remove(effect);
            }
            Event::PermissionAnswered { effect, actor, answer, reach } => {
                let standing = Standing { answer: *answer, actor: actor.clone(), at: record.at };
                self.answer(*effect, standing, *reach);
            }
            Event::PermissionRevoked { capability, reach, .. } => self.revoke(capability, *reach),
            Event::EffectInterrupted { effect } => self.interrupt(*effect),
            Event::RunStarted { run, message, mode, config } => {
                self.runs = *run;
                self.run = Some(Run {
                    number: *run,
                    message: *message,
                    mode: *mode,
                    snapshot: config.snapshot,
                    budget: config.budget,
                    config: Arc::new(config.as_ref().clone()),
                    suspended: None,
                    cancelling: false,
                    phase: None,
                    done: Vec::new(),
                    context_from: record.seq,
                    turns: 0,
                    research: None,
                    last_text: None,
                    plan: None,
                    item: None,
                    failure: None,
                    retry: false,
                    step: None,
                    spent: config.task.as_ref().map(|task| task.before).unwrap_or_default(),
                    answered: std::collections::BTreeMap::new(),
                    noticed: std::collections::BTreeSet::new(),
                    research_failed: None,
                    repeats: std::collections::BTreeMap::new(),
                    unusable: 0,
                    partial: String::new(),
                    malformed: std::collections::BTreeMap::new(),
                    failed_calls: FailedCalls::default(),
                });
            }
            Event::RunEnded { .. } => {
                self.run = None;
                self.open.retain(|_, open| matches!(open, Open::Sync | Open::Restore { .. }));
            }
            event if event.name().starts_with("workspace_") => self.take_workspace(effect, event),
            event => self.take_run(record.seq, event),
        }
    }

    /// Counts running time. Waiting for a person and being paused do not count.
    fn pass_time(&mut self, record: &Record) {
        let waits = self.waits_for_person();
        if let (Some(run), Some(last)) = (&mut self.run, self.at)
            && run.suspended.is_none()
            && !waits
        {
            let passed = record.at.as_millis().saturating_sub(last.as_millis());
            run.spent.millis = run.spent.millis.saturating_add(u64::try_from(passed).unwrap_or(0));
        }
        self.seq = record.seq;
        self.at = Some(record.at);
    }

    fn take_workspace(&mut self, opened: EffectId, event: &Event) {
        let workspace = &mut self.workspace;
        match event {
            Event::WorkspaceSyncRequested { aside, .. } => {
                workspace.syncing = Some(opened);
                workspace.aside = *aside;
                self.open.insert(opened, Open::Sync);
            }
            Event::WorkspaceSyncUnchanged { effect, .. } | Event::WorkspaceSyncFailed { effect, .. } => {
                workspace.syncing = workspace.syncing.filter(|syncing| syncing != effect);
                self.open.remove(effect);
            }
            Event::WorkspaceSnapshotReady { effect, snapshot } => {
                workspace.syncing = workspace.syncing.filter(|syncing| syncing != effect);
                self.open.remove(effect);
                let hash = snapshot.snapshot;
                Arc::make_mut(&mut workspace.known).insert(hash, Arc::new(snapshot.clone()));
                if !std::mem::take(&mut workspace.aside) {
                    workspace.pending = Some(hash).filter(|hash| workspace.active != Some(*hash));
                }
            }
            Event::WorkspaceApplyRequested { snapshot, mode } => {
                workspace.staged = Some(crate::workspace::Staged { snapshot: *snapshot, mode: *mode });
            }
            Event::WorkspaceApplied { snapshot, .. } => {
                workspace.active = Some(*snapshot);
                workspace.pending = workspace.pending.filter(|pending| pending != snapshot);
                workspace.staged = workspace.staged.filter(|staged| staged.snapshot != *snapshot);
                Arc::make_mut(&mut workspace.adopted).insert(*snapshot);
                if let Some(run) = &mut self.run {
                    run.snapshot = *snapshot;
                }
            }
            Event::WorkspaceApplyRefused { snapshot, .. } => {
                workspace.staged = workspace.staged.filter(|staged| staged.snapshot != *snapshot);
            }
            _ => {}
        }
    }

    fn take_run(&mut self, seq: u64, event: &Event) {
        let effect = EffectId(seq);
        match event {
            Event::StepStarted { step, tools, .. } => {
                self.steps = *step;
                self.open.insert(effect, Open::Model { requested: false });
                if let Some(run) = &mut self.run {
                    run.turns = run.turns.saturating_add(1);
                    let stage = StepStage::Asking { effect };
                    run.step = Some(Step { number: *step, tools: tools.clone().into(), stage });
                }
            }
            Event::ModelRequested { effect, .. } => {
                if let Some(Open::Model { requested }) = self.open.get_mut(effect) {
                    *requested = true;
                }
            }
            Event::ModelAnswered { effect, answer } => {
                self.open.remove(effect);
                if let Some(run) = &mut self.run {
                    run.take_answer(answer);
                }
            }
            Event::ModelFailed { effect, failure } => {
                self.open.remove(effect);
                let why = Suspension::ModelFailed { code: failure.code, message: failure.message.clone() };
                if let Some(run) = &mut self.run {
                    run.spend(failure.usage.unwrap_or_default());
                    if failure.cut && run.may_ask_again() {
                        return self.set_stage(StepStage::Again);
                    }
                }
                self.set_stage(StepStage::Failed(why));
            }
            Event::ModelCapped { effect, cap, usage } => {
                self.open.remove(effect);
                if let Some(run) = &mut self.run {
                    run.spend(*usage);
                }
                self.set_stage(StepStage::Failed(Suspension::Budget { cap: *cap }));
            }
            Event::ToolStarted { call, name, .. } => {
                let reads = |run: &Run| {
                    run.config.bindings.get(name).is_some_and(|binding| binding.touch == crate::tool::Touch::Reads)
                };
                let repeatable = self.run.as_ref().is_some_and(reads);
                self.open.insert(effect, Open::Tool { call: call.clone(), repeatable });
                self.set_call(call, CallStage::Running(effect));
            }
            Event::ToolFinished { effect, call, outcome } => {
                self.open.remove(effect);
                self.note_result(call, outcome);
                self.set_call(call, CallStage::Answered);
            }
            Event::ToolHeld { effect, call, code, message } => {
                self.open.remove(effect);
                // The step stays open, so that the run resumes with this call, which was permitted already.
                self.set_call(call, CallStage::Permitted);
                if let Some(run) = &mut self.run {
                    run.suspended = Some(Suspension::ToolHeld { code: *code, message: message.clone() });
                }
            }
            Event::ToolRefused { call, code, message, .. } => {
                self.note_refusal(call, *code, message);
                self.set_call(call, CallStage::Answered);
            }
            Event::PermissionAsked { call, capability, .. } => {
                let (asked, capability) = (call.clone(), capability.clone());
                self.open.insert(effect, Open::Ask { call: asked, capability });
                self.set_call(call, CallStage::Asked(effect));
            }
            event => {
                if let Some(run) = &mut self.run {
                    run.take(seq, event);
                }
            }
        }
    }

    fn set_call(&mut self, id: &str, stage: CallStage) {
        let calls = match self.run.as_mut().and_then(|run| run.step.as_mut()).map(|step| &mut step.stage) {
            Some(StepStage::Calls(calls)) => calls,
            _ => return,
        };
        // Ids are unique in a step, so the first call with this id and no result is the right one.
        if let Some(call) = calls.iter_mut().find(|call| call.call.id == id && call.stage != CallStage::Answered) {
            call.stage = stage;
        }
    }

    /// Counts repetitions of a call with the same result.
    fn note_result(&mut self, id: &str, outcome: &ToolOutcome) {
        let Some(run) = &mut self.run else { return };
        let Some(Step { stage: StepStage::Calls(calls), .. }) = &run.step else { return };
        let Some(call) = calls.iter().find(|call| call.call.id == id) else { return };
        let call = call.call.clone();
        let same = json!([call.name, call.input, outcome.text, outcome.blob]).to_string();
        run.note_repeat(&same);
        match outcome.failed {
            Some(code) => run.note_failed(&call.name, code, &outcome.summary),
            None => run.note_success(&call.name),
        }
    }

    /// Counts repetitions of a refused call.
    fn note_refusal(&mut self, id: &str, code: Code, message: &str) {
        let Some(run) = &mut self.run else { return };
        let Some(Step { stage: StepStage::Calls(calls), .. }) = &run.step else { return };
        let Some(call) = calls.iter().find(|call| call.call.id == id) else { return };
        if run.config.rules == Rules::First {
            return;
        }
        let call = call.call.clone();
        // Malformed calls are counted per tool, whatever was wrong with each.
        if !is_malformed(code) {
            run.note_repeat(&json!([call.name, call.input, code, message]).to_string());
        }
        run.note_failed(&call.name, code, message);
    }

    fn set_stage(&mut self, stage: StepStage) {
        if let Some(step) = self.run.as_mut().and_then(|run| run.step.as_mut()) {
            step.stage = stage;
        }
    }

    fn answer(&mut self, effect: EffectId, standing: Standing, reach: Reach) {
        let answer = standing.answer;
        let Some(Open::Ask { call, capability }) = self.open.remove(&effect) else { return };
        match reach {
            Reach::Once => {}
            Reach::Run => {
                if let Some(run) = &mut self.run {
                    run.answered.insert(capability, standing);
                }
            }
            Reach::Session => {
                self.answered.insert(capability, standing);
            }
        }
        let stage = match answer {
            PermissionAnswer::Allow => CallStage::Permitted,
            PermissionAnswer::Deny => CallStage::Denied,
        };
        self.set_call(&call, stage);
    }

    fn revoke(&mut self, capability: &str, reach: Reach) {
        match reach {
            Reach::Once => {}
            Reach::Run => {
                if let Some(run) = &mut self.run {
                    run.answered.remove(capability);
                }
            }
            Reach::Session => {
                self.answered.remove(capability);
            }
        }
    }

    fn interrupt(&mut self, effect: EffectId) {
        match self.open.remove(&effect) {
            Some(Open::Model { .. }) => self.set_stage(StepStage::Failed(Suspension::Interrupted)),
            Some(Open::Tool { call, .. }) => {
                // It is unknown whether the call took effect. The model can check, and any later call settles it.
                if let Some(run) = &mut self.run {
                    run.note_unknown(&call);
                }
                self.set_call(&call, CallStage::Answered);
            }
            Some(Open::Sync) => self.workspace.syncing = None,
            Some(Open::Ask { .. } | Open::Restore { .. }) | None => {}
        }
    }
}

impl Run {
    fn take(&mut self, seq: u64, event: &Event) {
        match event {
            Event::RunSuspended { why, .. } => {
                self.suspended = Some(why.clone());
                self.step = None;
            }
            Event::RunResumed { budget, .. } => {
                self.suspended = None;
                self.budget = self.budget.patched(*budget);
                // A resume is a request for another try, so the counters restart.
                self.unusable = 0;
                self.malformed.clear();
            }
            Event::RunCancelRequested { .. } => self.cancelling = true,
            Event::PhaseStarted { phase, .. } => {
                self.phase = Some(*phase);
                self.fresh(seq);
            }
            Event::PhaseCompleted { phase, text, .. } => {
                if *phase == Phase::Research {
                    self.research = Some(text.as_str().into());
                    self.research_failed = self.failed_calls.open().cloned();
                }
                self.last_text = Some(text.as_str().into());
                self.done.push(*phase);
                self.phase = None;
                self.step = None;
            }
            Event::PromptNoticed { message, .. } => {
                self.noticed.insert(topic(message));
            }
            Event::PlanMade { plan, .. } => self.plan = Some(Arc::new(plan.clone())),
            Event::ItemStarted { item, attempt, .. } => {
                if *attempt == 1 {
                    self.failure = None;
                }
                self.item = Some((*item, *attempt));
                self.retry = false;
                self.fresh(seq);
            }
            Event::ItemCompleted { item, .. } => self.end_item(*item, ItemState::Done),
            Event::ItemFailed { item, last, reason, .. } => {
                self.step = None;
                self.failure = Some(reason.clone());
                if *last {
                    self.end_item(*item, ItemState::Failed { reason: reason.clone() });
                } else {
                    self.retry = true;
                }
            }
            _ => {}
        }
    }

    fn end_item(&mut self, item: u32, state: ItemState) {
        if let Some(plan) = &mut self.plan {
            Arc::make_mut(plan).mark(item, state);
        }
        self.item = None;
        self.step = None;
    }

    /// Starts a new context at this record.
    fn fresh(&mut self, seq: u64) {
        self.context_from = seq;
        self.turns = 0;
        self.step = None;
        self.repeats.clear();
        self.unusable = 0;
        self.partial.clear();
        self.malformed.clear();
        self.failed_calls = FailedCalls::default();
    }

    fn spend(&mut self, usage: Usage) {
        let spent = &mut self.spent;
        spent.input = spent.input.saturating_add(usage.input);
        spent.output = spent.output.saturating_add(usage.output);
        spent.micros = spent.micros.saturating_add(usage.micros);
    }

    /// Counts another unusable answer and returns whether the model is asked once more.
    fn may_ask_again(&mut self) -> bool {
        self.unusable = self.unusable.saturating_add(1);
        self.config.rules >= Rules::Checked && self.unusable < UNUSABLE_MAX
    }

    fn take_answer(&mut self, answer: &Answer) {
        self.spend(answer.usage);
        let stage = self.stage_after(answer);
        if let Some(step) = &mut self.step {
            step.stage = stage;
        }
    }

    fn stage_after(&mut self, answer: &Answer) -> StepStage {
        let calls: Vec<OpenCall> =
            answer.calls().map(|call| OpenCall { call: call.clone(), stage: CallStage::New }).collect();
        let defect = Defect::of(answer).filter(|_| self.config.rules >= Rules::Checked);
        if let Some(defect) = defect {
            // The question of a task is repeated unchanged, so nothing is continued.
            if defect == Defect::Length && self.config.task.is_none() {
                self.partial.push_str(&answer.text());
            }
            if self.may_ask_again() && defect.may_retry() {
                return StepStage::Again;
            }
            let (code, message) = defect.reason(answer);
            return StepStage::Failed(Suspension::ModelFailed { code, message });
        }
        self.unusable = 0;
        let partial = std::mem::take(&mut self.partial);
        if calls.is_empty() {
            StepStage::Said(joined(&partial, &answer.text()).into())
        } else {
            StepStage::Calls(calls)
        }
    }

    fn touch_of(&self, tool: &str) -> Option<Touch> {
        self.config.bindings.get(tool).map(|binding| binding.touch)
    }

    fn step_number(&self) -> u32 {
        self.step.as_ref().map_or(0, |step| step.number)
    }

    /// Counts repetitions of a call with the same result. Repetitions in one answer count once, because the model had
    /// not seen the result.
    fn note_repeat(&mut self, same: &str) {
        let hash = BlobHash::from_bytes(*blake3::hash(same.as_bytes()).as_bytes());
        let step = self.step_number();
        let (times, last) = self.repeats.entry(hash).or_insert((0, 0));
        if *last != step || self.config.rules == Rules::First {
            *times = times.saturating_add(1);
        }
        *last = step;
    }

    fn note_failed(&mut self, tool: &str, code: Code, message: &str) {
        if self.config.rules == Rules::First {
            return;
        }
        let reason = one_line(message);
        let (step, touch) = (self.step_number(), self.touch_of(tool));
        if is_malformed(code) {
            let (times, last, what) = self.malformed.entry(tool.to_owned()).or_default();
            if *last != step {
                *times = times.saturating_add(1);
            }
            (*last, *what) = (step, reason.clone());
        } else {
            self.malformed.remove(tool);
        }
        self.failed_calls.add(touch, FailedCall { step, tool: tool.to_owned(), code, reason });
    }

    fn note_success(&mut self, tool: &str) {
        let (step, touch) = (self.step_number(), self.touch_of(tool));
        self.malformed.remove(tool);
        self.failed_calls.made_up(touch, step);
    }

    fn note_unknown(&mut self, call: &str) {
        if self.config.rules == Rules::First {
            return;
        }
        let reason = "it is not known whether this call was done".to_owned();
        let failed = FailedCall { step: self.step_number(), tool: call.to_owned(), code: Code::Internal, reason };
        self.failed_calls.add(None, failed);
    }
}

/// The maximum length of the reason of a failed call, in characters.
const REASON_MAX: usize = 220;

/// The identity of a notice: its text without digits, because counts grow from step to step.
pub(crate) fn topic(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn is_malformed(code: Code) -> bool {
    matches!(code, Code::InvalidParams | Code::ToolNotVisible)
}

fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(REASON_MAX).collect()
}

/// Applies a record to the conversation and the list of steps. Called while the core is still in the state before the
/// record.
fn remember(state: &mut State, record: &Record) {
    let State { core, history } = state;
    match (&record.event, &core.run) {
        (Event::RunEnded { .. }, Some(run)) => {
            history.last = Some(Notes::of(run));
            history.spent = run.spent;
        }
        (Event::Rewound { .. }, _) => history.last = None,
        _ => {}
    }
    let (run, step) = core.run.as_ref().map_or((0, 0), |run| (run.number, run.step.as_ref().map_or(0, |s| s.number)));
    let mut add = |body| history.entries.push(Entry { seq: record.seq, run, step, body });
    match &record.event {
        Event::MessageAdded { text, state, .. } => add(Body::Message { text: text.clone(), state: *state }),
        Event::NoticeAdded { text } => add(Body::Notice { text: text.clone() }),
        Event::PromptNoticed { message, .. } => add(Body::Notice { text: message.clone() }),
        Event::ModelAnswered { answer, .. } => add(Body::Answer(answer.clone())),
        Event::ToolFinished { call, outcome, effect } => {
            let name = name_of(core, call, *effect);
            add(Body::Result { call: call.clone(), name, outcome: outcome.clone() });
        }
        Event::ToolRefused { call, name, code, message, .. } => {
            add(Body::Result { call: call.clone(), name: name.clone(), outcome: refused(*code, message) });
        }
        Event::EffectInterrupted { effect } => {
            if let Some(Open::Tool { call, .. }) = core.open.get(effect) {
                let name = name_of(core, call, *effect);
                let words =
                    "It is not known whether this was done: the program ended meanwhile. Look before you do it again.";
                add(Body::Result { call: call.clone(), name, outcome: refused(Code::Internal, words) });
            }
        }
        Event::RunEnded { outcome, .. } => add(Body::Reply { text: reply(outcome) }),
        Event::StepStarted { run, step, phase, item, snapshot, .. } => history.steps.push(StepRecord {
            step: *step,
            run: *run,
            phase: *phase,
            item: *item,
            effect: EffectId(record.seq),
            snapshot: *snapshot,
            request: None,
        }),
        Event::ModelRequested { effect, state, request, bill, .. } => {
            let known = history.steps.iter_mut().rev().find(|step| step.effect == *effect);
            if let Some(step) = known {
                step.request = Some((*request, *bill, *state));
            }
        }
        Event::Rewound { to, .. } => history.entries.retain(|entry| entry.seq <= *to),
        _ => {}
    }
}

/// The conversation text for a run that ended.
fn reply(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed { text } => text.clone(),
        Outcome::Cancelled => "(This was stopped before it was finished.)".to_owned(),
        Outcome::Failed { code, message, text } => {
            let why = format!("(This could not be finished: {message} [{code}])");
            if text.is_empty() { why } else { format!("{text}\n\n{why}") }
        }
    }
}

/// The result that the model sees for a refused call.
fn refused(code: Code, message: &str) -> ToolOutcome {
    let text = json!({ "error": code, "message": message }).to_string();
    ToolOutcome { text, blob: None, summary: format!("{code}: {message}"), failed: Some(code), state: None }
}

fn name_of(core: &Core, id: &str, effect: EffectId) -> String {
    let calls = match core.run.as_ref().and_then(|run| run.step.as_ref()).map(|step| &step.stage) {
        Some(StepStage::Calls(calls)) => calls.as_slice(),
        _ => &[],
    };
    let running = calls.iter().find(|call| call.stage == CallStage::Running(effect));
    let found = running.or_else(|| calls.iter().find(|call| call.call.id == id));
    found.map(|call| call.call.name.clone()).unwrap_or_default()
}
