//! The session of a recipe run. Its id is that of the job, so that each attempt finds what earlier ones did, and runs
//! of the same recipe do not block each other.

use std::collections::BTreeMap;
use std::time::Duration;

use jig_context::item::process::Request as Question;
use jig_contract::ops::EgressScope;
use jig_contract::{BlobHash, Code, OpError, SessionId, WorkbenchId};
use jig_providers::Model;
use jig_session::{
    ApplyMode, Command, Defaults, EffectId, Event, Mode, Outcome, RunOverrides, Start, Task, TurnLimits,
};
use jig_store::Job;

use super::run::Run;
use crate::sessions::{AtHand, Live, suspended};
use crate::{CallContext, Workbench};

/// The purpose in the log of model calls.
pub(crate) const PURPOSE: &str = "recipe.run";
/// The agent workspace that every session log must name. Recipe runs send nothing of it.
const WORKSPACE: &str = "jig";
/// How often to check whether a dead worker still holds the session.
const LOOK: Duration = Duration::from_millis(200);

/// A run in progress.
pub(super) struct Asking<'a> {
    pub(super) context: &'a CallContext,
    pub(super) workbench: &'a WorkbenchId,
    pub(super) job: &'a Job,
    pub(super) run: &'a Run,
    pub(super) model: &'a Model,
    /// The sources of its questions.
    pub(super) scope: EgressScope,
}

impl Workbench {
    /// The session of a job: created by the first attempt, and cleared of effects that an earlier attempt left open.
    pub(super) async fn recipe_session(&self, asking: &Asking<'_>) -> Result<AtHand<'_>, OpError> {
        let id = SessionId::new(&asking.job.id)
            .map_err(|e| OpError::new(Code::Internal, "a job's id is none").because(e))?;
        let mut live = match self.store().session(&id).await? {
            Some(_) => self.session(asking.workbench, &id).await?,
            None => self.made_session(asking, id).await?,
        };
        self.settle(asking.context, &mut live).await?;
        if live.state.core.workspace.active.is_none() {
            self.sync(&mut live, None, None).await?;
            if let Some(snapshot) = live.state.core.workspace.pending {
                let mode = ApplyMode::ImmediateIfIdle;
                self.command(&mut live, &Command::Apply { snapshot, mode }).await?;
            }
        }
        Ok(live)
    }

    async fn made_session(&self, asking: &Asking<'_>, id: SessionId) -> Result<AtHand<'_>, OpError> {
        let recipe = &asking.run.recipe;
        let defaults = Defaults {
            title: Some(format!("recipe {recipe}")),
            model: Some(asking.model.id.to_string()),
            mode: Mode::Direct,
            budget: asking.run.budget,
            recipe: Some(recipe.clone()),
            ..Defaults::new(WORKSPACE)
        };
        let mut live = self.session_as(id.clone(), asking.workbench);
        let workbench = asking.workbench.clone();
        self.command(&mut live, &Command::Create { session: id, workbench, defaults }).await?;
        Ok(live)
    }

    /// Ends the run of an earlier attempt. It is not resumed; the log shows how far it came.
    async fn settle(&self, context: &CallContext, live: &mut Live) -> Result<(), OpError> {
        while self.store().session_is_held(&live.row.id).await? {
            context.check_cancelled()?;
            tokio::time::sleep(LOOK).await;
        }
        self.catch_up(live).await?;
        let open: Vec<EffectId> = live.state.core.open.keys().copied().collect();
        for effect in open {
            self.command(live, &Command::Interrupted { effect }).await?;
        }
        self.end_run(live).await
    }

    async fn end_run(&self, live: &mut Live) -> Result<(), OpError> {
        if live.state.core.run.is_some() {
            self.command(live, &Command::Cancel).await?;
        }
        Ok(())
    }

    /// Asks a question as a run of the session and returns the answer. A one-time consent covers all runs of the job.
    /// An answer that an earlier attempt received before it died is reused, because it is already paid for.
    pub(super) async fn asked(
        &self,
        asking: &Asking<'_>,
        live: &mut Live,
        question: &Question,
        said: String,
    ) -> Result<Answered, OpError> {
        asking.context.check_cancelled()?;
        let question = self.keep_question(question).await?;
        if let Some(answered) = self.answered_before(asking, live, question).await? {
            let text = format!("The answer of step {} is used; an earlier attempt had got it.", answered.step);
            self.command(live, &Command::Note { text }).await?;
            return Ok(answered);
        }
        let task = Task {
            purpose: PURPOSE.to_owned(),
            question,
            words: asking.run.has_words(),
            scope: Some(Box::new(asking.scope.clone())),
            before: live.state.history.spent,
        };
        let start = Start {
            mode: None,
            model: asking.model.id.to_string(),
            overrides: RunOverrides { budget: asking.run.budget, ..RunOverrides::default() },
            bindings: BTreeMap::new(),
            limits: TurnLimits::one(),
            task: Some(task),
        };
        let given = self.run_consent(live, live.state.core.runs).await?;
        let (actor, state) = (asking.run.actor.clone(), self.store().head(asking.workbench).await?.state);
        self.command(live, &Command::Send { actor, text: said, state, start }).await?;
        self.keep_run_consent(live, live.state.core.runs, given).await?;
        self.drive(asking.context, live).await?;
        let answer = self.answer_of(live).await;
        self.end_run(live).await?;
        let text = answer.map_err(|error| error.workbench(asking.workbench))?;
        Ok(Answered { text, step: live.state.core.steps })
    }

    /// The answer in the log to exactly this question, from the same model.
    async fn answered_before(
        &self,
        asking: &Asking<'_>,
        live: &Live,
        question: BlobHash,
    ) -> Result<Option<Answered>, OpError> {
        if live.state.core.runs == 0 {
            return Ok(None);
        }
        let model = asking.model.id.to_string();
        let (mut this, mut at, mut found) = (None, 0, None);
        let mut log = self.log(&live.row.id, 0);
        while let Some(logged) = log.next().await? {
            match logged.record.event {
                Event::RunStarted { run, config, .. } => {
                    let same = config.model == model && config.task.is_some_and(|task| task.question == question);
                    this = same.then_some(run);
                }
                Event::StepStarted { run, step, .. } if this == Some(run) => at = step,
                // An empty answer does not count: the model is asked again.
                Event::RunEnded { run, outcome: Outcome::Completed { text } }
                    if this == Some(run) && !text.trim().is_empty() =>
                {
                    found = Some(Answered { text, step: at });
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The result of the last run. A paused run is ended by the next attempt of the job.
    async fn answer_of(&self, live: &mut Live) -> Result<String, OpError> {
        if let Some(run) = &live.state.core.run {
            let (code, message) = run.suspended.as_ref().map_or((Code::Internal, String::new()), suspended);
            return Err(live.failed.take().unwrap_or_else(|| OpError::new(code, message)));
        }
        let ended = live.added.iter().rev().find_map(|record| match &record.event {
            Event::RunEnded { outcome, .. } => Some(outcome.clone()),
            _ => None,
        });
        match ended {
            Some(Outcome::Completed { text }) => Ok(text),
            Some(Outcome::Failed { code, message, .. }) => Err(OpError::new(code, message)),
            Some(Outcome::Cancelled) | None => Err(OpError::new(Code::UserCanceled, "the run was stopped")),
        }
    }
}

/// A model's answer, and its step in the session.
pub(super) struct Answered {
    pub(super) text: String,
    pub(super) step: u32,
}

/// The location of the question and the answer in the log.
pub(super) struct Seen {
    pub(super) session: SessionId,
    pub(super) step: u32,
}

impl Seen {
    pub(super) fn of(live: &Live) -> Self {
        Self { session: live.row.id.clone(), step: live.state.core.steps }
    }

    pub(super) fn how_to_look(&self) -> String {
        let Self { session, step } = self;
        format!("`jig session show {session} --step {step}` shows what the model was asked and what it answered")
    }
}
