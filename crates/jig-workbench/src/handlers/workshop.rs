//! The Workshop: agent runs in a session.

use jig_context::agent::Reference;
use jig_contract::ops::*;
use jig_contract::{Code, Given, OpError, SessionId, WorkbenchPath};
use jig_session::{Command, Defaults, Event, RunOverrides, Start, TurnLimits};
use jig_store::Head;

use super::session::{caps, mode, sync_failure};
use crate::sessions::{Live, RunGrant, bad_reference};
use crate::{CallContext, Handle, Workbench};

impl Handle<WorkshopSend> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkshopSendParams) -> Result<SessionOutput, OpError> {
        let (workbench, id) = (params.workbench_id.check()?, params.session_id.check()?);
        something_said(&params.message)?;
        let mut live = self.session(&workbench, &id).await?;
        let head = self.enter(&live.row.workbench_id).await?.head;
        let start = self.start(&mut live, &head, params.options).await?;
        let grant = self.check_run(context, &live, &head, (&params.message, head.state), &start).await?;
        let (actor, text, state) = (context.actor.clone(), params.message, head.state);
        self.command(&mut live, &Command::Send { actor, text, state, start }).await?;
        self.use_run_grant(&live, grant).await?;
        self.drive(context, &mut live).await?;
        Ok(live.output())
    }
}

impl Handle<WorkshopBegin> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkshopBeginParams) -> Result<SessionOutput, OpError> {
        let workbench = params.workbench_id.check()?;
        something_said(&params.message)?;
        let head = self.enter(&workbench).await?.head;
        let mut live = match params.session_id {
            Some(id) => self.session_as(self.untaken(id.check()?).await?, &workbench),
            None => self.new_session(&workbench)?,
        };
        // A task that is refused must not leave a session behind.
        live.hold_back();
        let options = params.options;
        let kept = Some(&options).filter(|_| params.keep);
        let defaults = Defaults {
            title: Some(params.title.unwrap_or_else(|| title(&params.message))),
            model: kept.and_then(|options| options.model.clone()),
            mode: kept.and_then(|options| options.mode).map(mode).unwrap_or_default(),
            ..Defaults::new(self.workspace_for(&head, params.workspace.as_deref()).await?)
        };
        self.open_session(&mut live, defaults).await?;
        self.check_synced(&live)?;
        let start = self.start(&mut live, &head, options).await?;
        let grant = self.check_run(context, &live, &head, (&params.message, head.state), &start).await?;
        let (actor, text, state) = (context.actor.clone(), params.message, head.state);
        self.command(&mut live, &Command::Send { actor, text, state, start }).await?;
        self.write_down(&mut live).await?;
        self.use_run_grant(&live, grant).await?;
        self.drive(context, &mut live).await?;
        Ok(live.output())
    }
}

impl Handle<WorkshopRegenerate> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkshopRegenerateParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let head = self.enter(&live.row.workbench_id).await?.head;
        let start = self.start(&mut live, &head, params.options).await?;
        let last = live.state.history.last_message().and_then(|seq| live.state.history.message(seq));
        let (message, began) = last.map_or((String::new(), head.state), |(text, state)| (text.to_owned(), state));
        let grant = self.check_run(context, &live, &head, (&message, began), &start).await?;
        // The previous answer is undone first: workbench and conversation are restored to the message.
        if let Some(to) = live.state.history.last_message() {
            self.rewind(context, &mut live, &head, to, &params.confirm_drop).await?;
        }
        self.command(&mut live, &Command::Regenerate { start }).await?;
        self.use_run_grant(&live, grant.map(RunGrant::after_rewind)).await?;
        self.drive(context, &mut live).await?;
        Ok(live.output())
    }
}

impl Handle<WorkshopResume> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkshopResumeParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let budget = caps(params.max_tokens, params.max_cost_micros, params.max_seconds)?;
        // Settles what an earlier worker left, which may already complete the run.
        self.drive(context, &mut live).await?;
        let Some(run) = &live.state.core.run else { return Ok(live.output()) };
        if run.suspended.is_some() {
            if params.decline {
                self.command(&mut live, &Command::Decline).await?;
            }
            let head = self.enter(&live.row.workbench_id).await?.head;
            let grant = self.check_resumed_run(context, &live, &head).await?;
            self.command(&mut live, &Command::Resume { budget }).await?;
            self.use_run_grant(&live, grant).await?;
            self.drive(context, &mut live).await?;
            if let Some(error) = key_refusal(&mut live) {
                return Err(error);
            }
        }
        Ok(live.output())
    }
}

/// The complete error of a resumed run that a likely key has paused again at once. Only this error identifies the key,
/// which a person needs to know to allow it.
fn key_refusal(live: &mut Live) -> Option<OpError> {
    let answered = live.added.iter().any(|record| matches!(record.event, Event::ModelAnswered { .. }));
    live.failed.take().filter(|error| error.code() == Code::SecretDetected && !answered)
}

impl Handle<WorkshopCancel> for Workbench {
    async fn handle(&self, context: &CallContext, params: WorkshopCancelParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        self.command(&mut live, &Command::Cancel).await?;
        // A live worker notices the cancellation itself. Without one, the open effects are settled here.
        if !self.store().session_is_held(&live.row.id).await? {
            self.drop_questions(&mut live).await?;
            self.drive(context, &mut live).await?;
        }
        Ok(live.output())
    }
}

impl Handle<WorkshopUndoToMessage> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: WorkshopUndoToMessageParams,
    ) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let head = self.enter(&live.row.workbench_id).await?.head;
        self.rewind(context, &mut live, &head, params.message, &params.confirm_drop).await?;
        Ok(live.output())
    }
}

impl Workbench {
    /// Restores Draft and conversation to a message. Edits by others are only dropped if the caller confirmed that.
    async fn rewind(
        &self,
        context: &CallContext,
        live: &mut Live,
        head: &Head,
        to: u64,
        confirmed: &[Given<WorkbenchPath>],
    ) -> Result<(), OpError> {
        let confirmed = confirmed.iter().map(|path| Ok(path.check()?.to_string()));
        live.confirmed_drop = confirmed.collect::<Result<_, OpError>>()?;
        if let Some((_, state)) = live.state.history.message(to).filter(|_| live.state.core.run.is_none()) {
            self.check_dropped(head, state, &live.row.id, &live.confirmed_drop).await?;
        }
        self.command(live, &Command::Rewind { to }).await?;
        self.drive(context, live).await?;
        let failed = live.added.iter().rev().find_map(|record| match &record.event {
            jig_session::Event::RewindFailed { failure, .. } => Some(failure.clone()),
            _ => None,
        });
        match failed {
            Some(failure) => Err(OpError::new(failure.code, format!("nothing was brought back: {}", failure.message))),
            None => Ok(()),
        }
    }

    /// Checks that a session id is unused.
    async fn untaken(&self, id: SessionId) -> Result<SessionId, OpError> {
        match self.store().session(&id).await? {
            None => Ok(id),
            Some(_) => Err(OpError::new(Code::Conflict, format!("there is a session `{id}` already"))
                .hint("leave the id out to get a fresh one; `WorkshopSend` goes on with a session")),
        }
    }

    /// Checks that a new session has a workspace, or returns the errors of its sync.
    pub(super) fn check_synced(&self, live: &Live) -> Result<(), OpError> {
        sync_failure(live)?;
        match live.state.core.workspace.active {
            Some(_) => Ok(()),
            None => Err(OpError::new(Code::AgentWorkspaceInvalid, "the session has no agent workspace")
                .hint("`jig agent list` shows the workspaces")),
        }
    }

    /// The settings of a new run. Everything that could refuse it is checked before anything is stored.
    async fn start(&self, live: &mut Live, head: &Head, options: RunOptions) -> Result<Start, OpError> {
        let defaults = live.state.core.about.as_ref().map(|about| about.defaults.clone());
        let named = options.model.or_else(|| defaults.as_ref().and_then(|defaults| defaults.model.clone()));
        let model = self.chosen_model(head, named.as_deref()).await?.ok_or_else(no_model)?;
        let snapshot = match options.workspace_version {
            None => None,
            Some(version) => {
                let workspace = defaults.map(|defaults| defaults.workspace).unwrap_or_default();
                let mut reference: Reference = workspace.parse().map_err(bad_reference)?;
                reference.version = Some(version);
                Some(self.snapshot_of(live, &reference.to_string()).await?)
            }
        };
        let overrides = RunOverrides {
            pack: options.pack,
            catalog: options.catalog,
            phases: std::collections::BTreeMap::new(),
            snapshot,
            budget: caps(options.max_tokens, options.max_cost_micros, options.max_seconds)?,
        };
        Ok(Start {
            mode: options.mode.map(mode),
            model: model.id.to_string(),
            overrides,
            bindings: self.bindings(),
            limits: TurnLimits::default(),
            task: None,
        })
    }

    /// The snapshot of a workspace version, synced now if this session has not seen it.
    async fn snapshot_of(&self, live: &mut Live, reference: &str) -> Result<jig_contract::BlobHash, OpError> {
        let known = |live: &Live| {
            live.state
                .core
                .workspace
                .known
                .values()
                .find(|known| known.reference == reference)
                .map(|known| known.snapshot)
        };
        if let Some(snapshot) = known(live) {
            return Ok(snapshot);
        }
        self.sync_aside(live, reference.to_owned()).await?;
        known(live).ok_or_else(|| {
            OpError::new(Code::AgentWorkspaceInvalid, format!("`{reference}` cannot be used"))
                .hint("`jig agent workspace-resolve` says what is wrong with it")
        })
    }

    /// Closes questions that can no longer be answered.
    async fn drop_questions(&self, live: &mut Live) -> Result<(), OpError> {
        let asks: Vec<jig_session::EffectId> = live
            .state
            .core
            .open
            .iter()
            .filter(|(_, open)| matches!(open, jig_session::Open::Ask { .. }))
            .map(|(effect, _)| *effect)
            .collect();
        for effect in asks {
            let (actor, answer) = (jig_contract::Actor::System, jig_session::PermissionAnswer::Deny);
            let reach = jig_session::Reach::Once;
            self.command(live, &Command::Permit { effect, actor, answer, reach }).await?;
        }
        Ok(())
    }
}

/// The maximum length of a title derived from a message, in characters.
const TITLE_MAX: usize = 60;

/// The beginning of a message, on one line.
fn title(message: &str) -> String {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(TITLE_MAX) {
        Some((cut, _)) => format!("{}…", words[..cut].trim_end()),
        None => words,
    }
}

/// Checked before a model is resolved, because no model could help with an empty task.
fn something_said(message: &str) -> Result<(), OpError> {
    if message.trim().is_empty() {
        return Err(OpError::new(Code::ValidationFailed, "the task is empty")
            .hint("say what is to be done, such as \"Add up bank.csv by category\""));
    }
    Ok(())
}

/// The offline rules extract values and cannot work on tasks, so the message differs from that for context items.
fn no_model() -> OpError {
    OpError::new(Code::ProviderNotConfigured, "No model is chosen to work on a task.")
        .hint("`jig model set-default PROVIDER:MODEL` chooses one; `jig model list` shows them and what each needs")
        .hint("or name one with `--model`; `offline:demo` plays a small task without key and network")
}
