//! Executes the effects of a session. An effect is in the log before it starts, and its outcome enters only as the
//! result of that effect.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jig_contract::{Actor, BlobHash, Code, OpError};
use jig_prompt::Tool;
use jig_providers::{Delta, Message, Model, Part, Step, StopReason};
use jig_session::{
    Answer, AnswerPart, Cap, CapKind, Command, Effect, EffectId, Failure, Open, Recovery, Spent, ToolCall, Usage,
    recover,
};
use jig_store::{Change, Head, Node, Plan, TreeEdit};
use tokio_util::sync::CancellationToken;

use super::call_check::problem;
use super::live::Live;
use super::request::{Built, Moment};
use super::tools::failed;
use crate::engine::Planned;
use crate::state::DRAFT_RECORD;
use crate::{CallContext, Workbench};

/// The operation that restores a Draft to a message.
pub(super) const UNDO_TO_MESSAGE: &str = "WorkshopUndoToMessage";
/// How often a worker renews its lease and checks for a cancellation.
const LOOK: Duration = Duration::from_millis(400);

impl Workbench {
    /// Works on a session until nothing is left to do: the run has ended, is paused, or waits for a person. A session
    /// has one worker at a time.
    pub(crate) async fn drive(&self, context: &CallContext, live: &mut Live) -> Result<(), OpError> {
        let me = self.env().fresh_id().to_string();
        if !self.store().hold_session(&live.row.id, &me, self.job_lease_ms()).await? {
            return Err(self.held_by_another(live).await?);
        }
        // Another worker may have been active until a moment ago.
        let worked = match self.catch_up(live).await {
            Ok(()) => Box::pin(self.work(context, live, &me)).await,
            Err(error) => Err(error),
        };
        let released = self.store().release_session(&live.row.id, &me).await;
        worked?;
        Ok(released?)
    }

    /// The error for a session that another worker holds. It reports the remaining lease, so that a client can wait for
    /// it.
    async fn held_by_another(&self, live: &Live) -> Result<OpError, OpError> {
        let left = self.store().session_held_for(&live.row.id).await?.unwrap_or(0);
        let hint = format!(
            "wait for them; should their program have crashed, it is free again in {} s at most",
            left.div_ceil(1_000).max(1)
        );
        Ok(OpError::new(Code::RunActive, "somebody else is at work on this session")
            .hint(hint)
            .detail(serde_json::json!({ "held_for_ms": left })))
    }

    async fn work(&self, context: &CallContext, live: &mut Live, me: &str) -> Result<(), OpError> {
        // Only effects that an earlier worker left open, not those that this one has just requested.
        for recovery in recover(&live.state) {
            if let Recovery::Interrupt(effect) = recovery
                && !live.fresh.contains(&effect)
            {
                self.command(live, &Command::Interrupted { effect }).await?;
            }
        }
        // Each effect is boxed: combined in one future, they would overflow a thread's stack.
        loop {
            let due = live
                .open
                .iter()
                .find(|(id, _)| !matches!(live.state.core.open.get(id), Some(Open::Ask { .. } | Open::Sync) | None));
            let Some((_, (effect, at))) = due else { return Ok(()) };
            let (effect, at) = (effect.clone(), *at);
            match &effect {
                Effect::CallModel { .. } => Box::pin(self.perform_model(context, live, &effect, at, me)).await?,
                Effect::RunTool { effect: id, .. } => {
                    let cancel = context.cancel.child_token();
                    let work = Box::pin(self.perform_tool(live, &effect, &cancel));
                    let (done, ended) = Box::pin(self.watched(live, me, &cancel, time_left(live), work)).await;
                    let mut outcome = match done {
                        Ok(outcome) => outcome,
                        // As for a model call: a person is asked, and the run continues exactly here.
                        Err(error) if matches!(context.actor, Actor::Person { .. }) => {
                            let failure = failure(&error);
                            self.command(live, &Command::ToolHeld { effect: *id, failure }).await?;
                            live.failed = Some(error);
                            continue;
                        }
                        Err(error) => failed(&error),
                    };
                    if ended == Ended::OutOfTime && outcome.failed == Some(Code::UserCanceled) {
                        outcome.text =
                            "the run's time limit was reached before this call ended; it was not done".to_owned();
                    }
                    self.command(live, &Command::ToolDone { effect: *id, outcome }).await?;
                }
                Effect::RestoreState { effect: id, state } => {
                    let failure =
                        Box::pin(self.restore(context, live, *state)).await.err().map(|error| failure(&error));
                    self.command(live, &Command::RewindDone { effect: *id, failure }).await?;
                }
                Effect::SyncWorkspace { .. } | Effect::AskPerson { .. } => return Ok(()),
            }
        }
    }

    /// Executes work while renewing the lease. Cancels it if the run is cancelled or reaches its time limit.
    async fn watched<T>(
        &self,
        live: &Live,
        me: &str,
        cancel: &CancellationToken,
        limit: Option<Duration>,
        work: impl Future<Output = T>,
    ) -> (T, Ended) {
        // The run may have been cancelled just before the effect was recorded.
        if live.state.core.run.as_ref().is_some_and(|run| run.cancelling) {
            cancel.cancel();
        }
        let id = live.row.id.clone();
        let often = LOOK.min(Duration::from_millis(u64::from(self.job_lease_ms() / 3)));
        let look = async {
            loop {
                tokio::time::sleep(often).await;
                // A failed check is repeated; the work itself continues.
                let _ = self.store().hold_session(&id, me, self.job_lease_ms()).await;
                let seen = self.store().session(&id).await.ok().flatten();
                if seen.is_some_and(|row| row.seq > live.state.core.seq) && self.wants_end(live).await {
                    cancel.cancel();
                }
            }
        };
        let out_of_time = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(work);
        tokio::pin!(look);
        tokio::pin!(out_of_time);
        let mut ended = Ended::Itself;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return (done, ended),
                () = &mut out_of_time, if ended == Ended::Itself => {
                    ended = Ended::OutOfTime;
                    cancel.cancel();
                }
                () = &mut look => {}
            }
        }
    }

    async fn wants_end(&self, live: &Live) -> bool {
        let rows = self.store().session_log(&live.row.id, live.state.core.seq, 100).await.unwrap_or_default();
        rows.into_iter().any(|row| row.event.contains("\"run_cancel_requested\""))
    }

    async fn perform_model(
        &self,
        context: &CallContext,
        live: &mut Live,
        effect: &Effect,
        at: jig_contract::Timestamp,
        me: &str,
    ) -> Result<(), OpError> {
        let id = effect.id();
        let task = live.state.core.run.as_ref().is_some_and(|run| run.config.task.is_some());
        // A task sends no files, so manual changes need not be imported first.
        let workbench = &live.row.workbench_id;
        let head = if task { self.enter_lightly(workbench).await?.head } else { self.enter(workbench).await?.head };
        let cancel = context.cancel.child_token();
        // Nothing has left the machine yet, so an error here leaves no doubt about what was sent.
        let ready = async {
            let built = Box::pin(self.build_request(context, &live.state, effect, &Moment { head: &head, at })).await?;
            let permit = Box::pin(self.run_permit(live, &head, &built)).await?;
            let bill = serde_json::to_vec(&built.bill).unwrap_or_default();
            let request = self.store().blobs().put(built.prepared.body.clone()).await?;
            let bill = self.store().blobs().put(bill).await?;
            Ok::<_, OpError>((built, permit, request, bill))
        };
        let (built, permit, request, bill) = match Box::pin(ready).await {
            Ok(ready) => ready,
            Err(error) => {
                self.command(live, &Command::Failed { effect: id, failure: failure(&error) }).await?;
                live.failed = Some(error);
                return Ok(());
            }
        };
        let (state, name, tokens) = (head.state, head.name.clone(), built.bill.total);
        self.tell_notices(live, id, &built).await?;
        // A request whose input alone would reach a cap is not sent.
        if let Some(cap) = self.cap_before(live, &estimated(&built.model, tokens, 0)) {
            self.command(live, &Command::Capped { effect: id, cap, usage: Usage::default() }).await?;
            return Ok(());
        }
        self.command(live, &Command::Requested { effect: id, state, name, request, bill, tokens }).await?;
        let working: &Live = live;
        let streamed = AtomicU64::new(0);
        let tell = |step| {
            streamed.fetch_add(bytes_in(&step), Ordering::Relaxed);
            self.tell_passing(working, head.seq, &step);
        };
        let asked = Box::pin(self.ask_prepared(&cancel, &permit, built.prepared, tell));
        let (answered, ended) = Box::pin(self.watched(working, me, &cancel, time_left(working), asked)).await;
        let used = estimated(&built.model, tokens, streamed.into_inner());
        let command = match &answered {
            Ok(message) => {
                let answer = answer(message.clone(), &built.model, &built.tools, used);
                Command::Answered { effect: id, answer }
            }
            Err(error) if ended == Ended::OutOfTime && error.code() == Code::UserCanceled => {
                Command::Capped { effect: id, cap: self.time_cap(working), usage: used }
            }
            Err(error) => Command::Failed { effect: id, failure: failed_call(error, used) },
        };
        live.failed = answered.err();
        self.command(live, &command).await?;
        Ok(())
    }

    /// Records warnings about a request, and logs items that are missing from it.
    async fn tell_notices(&self, live: &mut Live, effect: EffectId, built: &Built) -> Result<(), OpError> {
        let (workbench, session) = (&live.row.workbench_id, &live.row.id);
        for notice in built.prompt.iter().flat_map(|prompt| &prompt.notices).filter(|notice| notice.missing_item) {
            let (run, step) = (live.state.core.runs, live.state.core.steps);
            tracing::warn!(%workbench, %session, run, step, "{}", notice.message);
        }
        let notices = built.notices();
        if !notices.is_empty() {
            self.command(live, &Command::Notice { effect, notices }).await?;
        }
        Ok(())
    }

    /// The cap that a call with this usage would reach.
    fn cap_before(&self, live: &Live, usage: &Usage) -> Option<Cap> {
        let run = live.state.core.run.as_ref()?;
        let millis = self.since_last_record(live);
        let more = Spent { input: usage.input, output: usage.output, micros: usage.micros, millis };
        run.budget.reached_with(&run.spent, &more)
    }

    /// The time cap, as reported when a call was interrupted by it.
    fn time_cap(&self, live: &Live) -> Cap {
        let run = live.state.core.run.as_ref();
        let cap = run.and_then(|run| run.budget.millis).unwrap_or(0);
        let used = run.map_or(0, |run| run.spent.millis).saturating_add(self.since_last_record(live)).max(cap);
        Cap { which: CapKind::Millis, cap, used }
    }

    /// Milliseconds since the session's last record.
    fn since_last_record(&self, live: &Live) -> u64 {
        live.state.core.at.map_or(0, |at| u64::try_from(self.env().now().since(at)).unwrap_or(0))
    }

    /// Restores the Draft to a state. Changes outside the Draft are preserved.
    async fn restore(&self, context: &CallContext, live: &Live, state: BlobHash) -> Result<(), OpError> {
        let mut session = self.enter(&live.row.workbench_id).await?;
        let store = self.store();
        let (draft, record) = (store.lookup(state, "draft").await?, store.lookup(state, DRAFT_RECORD).await?);
        let published = store.lookup(state, "published").await?;
        let (id, confirmed) = (&live.row.id, &live.confirmed_drop);
        let plan = |head: Head| {
            Box::pin(async move {
                // The Draft may have been edited since the caller confirmed, or before a crash.
                self.check_dropped(&head, state, id, confirmed).await?;
                if record.is_some() && store.lookup(head.state, "published").await? != published {
                    return Err(OpError::new(Code::ConflictPublishedChanged, "the published files have changed since")
                        .hint("discard the Draft, or go back to a later message"));
                }
                let mut edits = vec![
                    TreeEdit::Remove { path: "draft".to_owned() },
                    TreeEdit::Remove { path: DRAFT_RECORD.to_owned() },
                ];
                edits.extend(draft.map(|node| TreeEdit::Folder { path: "draft".to_owned(), node }));
                if let Some(Node::File { hash, bytes }) = record {
                    edits.push(TreeEdit::File { path: DRAFT_RECORD.to_owned(), hash, bytes });
                }
                let next = store.edit(head.state, &edits).await?;
                if next == head.state {
                    return Ok(Plan::nothing(()));
                }
                let summary = "went back to how the Draft was at a message";
                let change = Change::new(context.actor.clone(), UNDO_TO_MESSAGE, summary, next);
                Ok(Plan::change(change, vec!["draft".to_owned(), DRAFT_RECORD.to_owned()], ()))
            }) as Planned<'_, ()>
        };
        self.change(&mut session, plan).await
    }
}

/// How watched work ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Itself,
    /// The run's time limit was reached, and the work was cancelled.
    OutOfTime,
}

/// The remaining time of the run since its last record; `None` without a limit.
fn time_left(live: &Live) -> Option<Duration> {
    let run = live.state.core.run.as_ref()?;
    run.budget.millis.map(|cap| Duration::from_millis(cap.saturating_sub(run.spent.millis)))
}

fn failure(error: &OpError) -> Failure {
    Failure::new(error.code(), error.to_string())
}

/// A model call that failed after it was sent. Its usage counts if an answer had started.
fn failed_call(error: &OpError, used: Usage) -> Failure {
    let cut = error.info.detail.as_ref().is_some_and(|detail| detail["answer_cut"] == true);
    let usage = (cut || used.output > 0).then_some(used);
    Failure { cut, usage, ..failure(error) }
}

/// The estimated bytes per token of an answer, if the provider does not report usage.
const BYTES_PER_TOKEN: u64 = 4;

/// The estimated usage of a call with this many input tokens and answer bytes.
fn estimated(model: &Model, tokens: u64, bytes: u64) -> Usage {
    let counted = jig_providers::Usage { input: tokens, output: bytes.div_ceil(BYTES_PER_TOKEN), ..Default::default() };
    let micros = model.price.as_ref().map_or(0, |price| price.micros(&counted));
    Usage { input: counted.input, output: counted.output, cached: 0, micros }
}

fn bytes_in(step: &Step) -> u64 {
    let text = match step {
        Step::Delta(Delta::Text { text } | Delta::Reasoning { text }) => text,
        Step::Delta(Delta::Arguments { json, .. }) => json,
        Step::Delta(Delta::ToolCall { name, .. }) => name,
        Step::Waiting(_) | Step::Message(_) => return 0,
    };
    text.len() as u64
}

/// An answer in log form, with problems of its tool calls. Usage is estimated if the provider does not report it.
fn answer(message: Message, model: &Model, tools: &[Tool], used: Usage) -> Answer {
    let price = |usage: &jig_providers::Usage| model.price.as_ref().map_or(0, |price| price.micros(usage));
    let usage = message.usage.map_or(used, |usage| Usage {
        input: usage.input,
        output: usage.output,
        cached: usage.cached,
        micros: price(&usage),
    });
    let part = |part: Part| match part {
        Part::Text { text } => Some(AnswerPart::Text { text }),
        Part::ToolCall(call) => Some(AnswerPart::Call(ToolCall {
            problem: problem(&call, tools),
            corrected: call.corrected,
            id: call.id,
            name: call.name,
            input: call.arguments,
            signature: call.signature,
        })),
        Part::Reasoning(reasoning) => serde_json::to_value(reasoning).ok().map(|value| AnswerPart::Own { value }),
        Part::Image(_) | Part::ToolResult(_) => None,
    };
    Answer {
        parts: message.parts.into_iter().filter_map(part).collect(),
        stop: stop_word(message.stop).to_owned(),
        usage,
    }
}

const fn stop_word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::WindowFull => "window_full",
        StopReason::Refusal => "refusal",
        StopReason::MalformedCall => "malformed_call",
        StopReason::Other => "other",
    }
}
