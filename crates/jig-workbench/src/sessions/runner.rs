//! Carrying out what a session asks for. What is to be done is in the log before it begins, and what came of it enters
//! only as the result of that.

use std::time::Duration;

use jig_contract::{BlobHash, Code, OpError};
use jig_providers::{Message, Model, Part, StopReason};
use jig_session::{Answer, AnswerPart, Command, Effect, Failure, Open, Recovery, ToolCall, Usage, recover};
use jig_store::{Change, Head, Node, Plan, TreeEdit};
use tokio_util::sync::CancellationToken;

use super::live::Live;
use super::request::Moment;
use crate::engine::Planned;
use crate::state::DRAFT_RECORD;
use crate::{CallContext, Workbench};

/// The operation that brings a Draft back to how it was at a message.
pub(super) const UNDO_TO_MESSAGE: &str = "WorkshopUndoToMessage";
/// How often a worker shows that it lives, and looks whether somebody wants it to stop.
const LOOK: Duration = Duration::from_millis(400);

impl Workbench {
    /// Works on a session until nothing is left to do: the run is over, stands still, or waits for a person. Only one
    /// works on a session at a time.
    pub(crate) async fn drive(&self, context: &CallContext, live: &mut Live) -> Result<(), OpError> {
        let me = self.env().fresh_id().to_string();
        if !self.store().hold_session(&live.row.id, &me, self.job_lease_ms()).await? {
            return Err(self.held_by_another(live).await?);
        }
        // Somebody may have been at work until a moment ago.
        let worked = match self.catch_up(live).await {
            Ok(()) => self.work(context, live, &me).await,
            Err(error) => Err(error),
        };
        let released = self.store().release_session(&live.row.id, &me).await;
        worked?;
        Ok(released?)
    }

    /// Says for how long a worker that may be dead still has the session: with that, a door can wait for it.
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
        // What was under way when an earlier worker ended; not what this one has only just asked for.
        for recovery in recover(&live.state) {
            if let Recovery::Interrupt(effect) = recovery
                && !live.fresh.contains(&effect)
            {
                self.command(live, &Command::Interrupted { effect }).await?;
            }
        }
        loop {
            let due = live
                .open
                .iter()
                .find(|(id, _)| !matches!(live.state.core.open.get(id), Some(Open::Ask { .. } | Open::Sync) | None));
            let Some((_, (effect, at))) = due else { return Ok(()) };
            let (effect, at) = (effect.clone(), *at);
            match &effect {
                Effect::CallModel { .. } => self.perform_model(context, live, &effect, at, me).await?,
                Effect::RunTool { effect: id, .. } => {
                    let cancel = context.cancel.child_token();
                    let work = self.perform_tool(live, &effect, &cancel);
                    let outcome = self.watched(live, me, &cancel, work).await;
                    self.command(live, &Command::ToolDone { effect: *id, outcome }).await?;
                }
                Effect::RestoreState { effect: id, state } => {
                    let failure = self.restore(context, live, *state).await.err().map(|error| failure(&error));
                    self.command(live, &Command::RewindDone { effect: *id, failure }).await?;
                }
                Effect::SyncWorkspace { .. } | Effect::AskPerson { .. } => return Ok(()),
            }
        }
    }

    /// Does a piece of work while showing that this worker lives, and ends it early when somebody wants the run to end.
    async fn watched<T>(&self, live: &Live, me: &str, cancel: &CancellationToken, work: impl Future<Output = T>) -> T {
        // Somebody may have said so just before this was written down.
        if live.state.core.run.as_ref().is_some_and(|run| run.cancelling) {
            cancel.cancel();
        }
        let id = live.row.id.clone();
        let often = LOOK.min(Duration::from_millis(u64::from(self.job_lease_ms() / 3)));
        let look = async {
            loop {
                tokio::time::sleep(often).await;
                // A look that fails is made again; the work itself goes on.
                let _ = self.store().hold_session(&id, me, self.job_lease_ms()).await;
                let seen = self.store().session(&id).await.ok().flatten();
                if seen.is_some_and(|row| row.seq > live.state.core.seq) && self.wants_end(live).await {
                    cancel.cancel();
                }
            }
        };
        tokio::pin!(work);
        tokio::pin!(look);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
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
        // A task sends none of the files, so that nothing has to be taken in from outside.
        let workbench = &live.row.workbench_id;
        let head = if task { self.enter_lightly(workbench).await?.head } else { self.enter(workbench).await?.head };
        let cancel = context.cancel.child_token();
        // Nothing has left the machine yet: what goes wrong here leaves no doubt about it.
        let ready = async {
            let built = self.build_request(context, &live.state, effect, &Moment { head: &head, at }).await?;
            let permit = self.run_permit(live, &head, &built).await?;
            let bill = serde_json::to_vec(&built.bill).unwrap_or_default();
            let request = self.store().blobs().put(built.prepared.body.clone()).await?;
            let bill = self.store().blobs().put(bill).await?;
            Ok::<_, OpError>((built, permit, request, bill))
        };
        let (built, permit, request, bill) = match ready.await {
            Ok(ready) => ready,
            Err(error) => {
                self.command(live, &Command::Failed { effect: id, failure: failure(&error) }).await?;
                live.failed = Some(error);
                return Ok(());
            }
        };
        let (state, name, tokens) = (head.state, head.name.clone(), built.bill.total);
        self.command(live, &Command::Requested { effect: id, state, name, request, bill, tokens }).await?;
        let working: &Live = live;
        let tell = |step| self.tell_passing(working, head.seq, &step);
        let asked = self.ask_prepared(&cancel, &permit, built.prepared, tell);
        let answered = self.watched(working, me, &cancel, asked).await;
        let command = match &answered {
            Ok(message) => Command::Answered { effect: id, answer: answer(message.clone(), &built.model) },
            Err(error) => Command::Failed { effect: id, failure: failure(error) },
        };
        live.failed = answered.err();
        self.command(live, &command).await?;
        Ok(())
    }

    /// Brings the Draft back to how it was in a state. What people did elsewhere meanwhile stays.
    async fn restore(&self, context: &CallContext, live: &Live, state: BlobHash) -> Result<(), OpError> {
        let mut session = self.enter(&live.row.workbench_id).await?;
        let store = self.store();
        let (draft, record) = (store.lookup(state, "draft").await?, store.lookup(state, DRAFT_RECORD).await?);
        let published = store.lookup(state, "published").await?;
        let plan = |head: Head| {
            Box::pin(async move {
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

fn failure(error: &OpError) -> Failure {
    Failure { code: error.code(), message: error.to_string() }
}

/// An answer as the log keeps it.
fn answer(message: Message, model: &Model) -> Answer {
    let usage = message.usage.unwrap_or_default();
    let micros = model.price.as_ref().map_or(0, |price| price.micros(&usage));
    let part = |part: Part| match part {
        Part::Text { text } => Some(AnswerPart::Text { text }),
        Part::ToolCall(call) => Some(AnswerPart::Call(ToolCall {
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
        usage: Usage { input: usage.input, output: usage.output, cached: usage.cached, micros },
    }
}

const fn stop_word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::WindowFull => "window_full",
        StopReason::Refusal => "refusal",
        StopReason::Other => "other",
    }
}
