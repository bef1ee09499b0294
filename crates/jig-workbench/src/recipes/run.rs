//! Runs a recipe: sends its context to a model without tools, and stores the answer as a pending output.

use jig_context::document::Key;
use jig_context::entry::{Decision, NewProposal, decide, propose};
use jig_context::extract::{Extracted, Extraction};
use jig_context::item::offline;
use jig_context::item::process::Request as Question;
use jig_context::recipe::{by_rules, free_question, output_fields, output_sources, question};
use jig_contract::ops::{
    ContextOutputs, EgressScope, KindDefinition, ProposalInfo, ProposalOrigin, RecipeDefinition, SentContext,
};
use jig_contract::{Actor, Code, OpError, ProposalId, WorkbenchId};
use jig_providers::Model;
use jig_session::Budget;
use jig_store::{Head, Job};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::assemble::{Ask, Made};
use super::session::{Asking, Seen};
use crate::entries::{About, Edit, EntryEdit, Target};
use crate::handlers::Chosen;
use crate::models::{check_room, tokenizer};
use crate::{CallContext, Workbench};

/// The parameters of a run job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) recipe: String,
    /// The model chosen when it was queued; the workbench's own for a scheduled run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
    /// The actor who requested it.
    pub(crate) actor: Actor,
    /// The cap on the sum of all its calls.
    #[serde(default)]
    pub(crate) budget: Budget,
}

impl Run {
    /// Whether the call includes additional input text.
    pub(crate) fn has_words(&self) -> bool {
        self.input.as_deref().is_some_and(|input| !input.trim().is_empty())
    }

    /// The sources of this run's question.
    pub(crate) fn scope(&self, made: &Made) -> EgressScope {
        let input = self.has_words().then(|| "the text of this call".to_owned());
        EgressScope { input, sources: vec![format!("the recipe {}", self.recipe)], ..made.contents() }
    }

    /// The run as a message of its session.
    fn said(&self) -> String {
        let input = self.input.as_deref().map(str::trim).filter(|input| !input.is_empty());
        let input = input.map(|input| format!("\n\n{input}")).unwrap_or_default();
        format!("Run the recipe {}.{input}", self.recipe)
    }
}

/// Refuses to run a recipe that refers to something missing.
pub(crate) fn problems_of(recipe: &RecipeDefinition, kinds: &[KindDefinition]) -> Result<(), OpError> {
    let problems = jig_context::recipe::check_recipe(recipe, kinds);
    if problems.is_empty() {
        return Ok(());
    }
    Err(jig_context::definition::refused(&format!("the recipe {} does not fit the kinds", recipe.recipe), &problems))
}

/// The first question of a run, as sent to the model.
pub(crate) fn first_question(recipe: &RecipeDefinition, kinds: &[KindDefinition], made: &Made) -> Option<Question> {
    match &recipe.context_outputs {
        None => Some(free_question(&made.assembled.prompt)),
        Some(_) => question(output_fields(recipe, kinds), &made.assembled.prompt).request().cloned(),
    }
}

/// A record of what was sent.
fn sent(made: &Made, seen: Option<&Seen>) -> SentContext {
    SentContext {
        hash: jig_store::hash_of(made.assembled.prompt.as_bytes()).to_string(),
        tokens: made.assembled.tokens,
        left_out: made.assembled.left_out.clone(),
        session_id: seen.map(|seen| seen.session.clone()),
        step: seen.map(|seen| seen.step),
    }
}

impl Workbench {
    /// Executes a run. If a worker that died had already completed it, the stored result is returned.
    pub(crate) async fn run_recipe(&self, context: &CallContext, job: &Job) -> Result<Value, OpError> {
        let run: Run = serde_json::from_value(job.payload.clone())
            .map_err(|e| OpError::new(Code::Internal, "a job's payload is none").because(e))?;
        let id = job.workbench_id.clone().ok_or_else(|| OpError::new(Code::Internal, "a run has no workbench"))?;
        let output_id =
            ProposalId::new(&job.id).map_err(|e| OpError::new(Code::Internal, "a job's id is none").because(e))?;
        let session = self.enter_lightly(&id).await?;
        let head = session.head.clone();
        let (kinds, recipes) = (self.kinds_at(head.state).await?.definitions(), self.recipes_at(head.state).await?);
        let recipe = &recipes.find(&run.recipe)?.definition;
        if let Some(made) = self.proposal_at(head.state, &output_id).await? {
            return self.promoted(context, &head, recipe, &kinds, &made).await;
        }
        problems_of(recipe, &kinds)?;
        let model = self.needed_model(&head, run.model.as_deref()).await?;
        let tokenizer = tokenizer(&model);
        let input = run.input.clone().unwrap_or_default();
        let ask = Ask { recipe, input: &input, tokenizer: &tokenizer, max_tokens: None, resolve_assets: false };
        let made = self.made_context(&id, &kinds, &ask).await?;
        let asking = Asking { context, workbench: &id, job, run: &run, model: &model, scope: run.scope(&made) };
        let Some(outputs) = &recipe.context_outputs else {
            let (answer, seen) = self.free_answer(&asking, &made).await?;
            let sent = sent(&made, Some(&seen));
            let model_id = model.id.to_string();
            return Ok(json!({ "answer": answer, "model_id": model_id, "sent": sent, "used": made.assembled.used }));
        };
        let fields = output_fields(recipe, &kinds);
        let (found, seen) = if model.id.as_str() == offline::MODEL_ID {
            (by_rules(recipe, &fields, &made.rows), None)
        } else {
            let (found, seen) = self.found_in_session(&asking, question(fields, &made.assembled.prompt)).await?;
            (found, Some(seen))
        };
        check_found(recipe, &found)?;
        let new = new_output(output_id, recipe, outputs, found, &run, &model, &made, self.env().now(), &job.id)?;
        let output = self.save_output(context, &id, outputs, &new, sent(&made, seen.as_ref()), &run.actor).await?;
        let head = self.store().head(&id).await?;
        self.promoted(context, &head, recipe, &kinds, &output).await
    }

    /// Asks the model, and retries once with all errors.
    async fn found_in_session(
        &self,
        asking: &Asking<'_>,
        mut machine: Extraction,
    ) -> Result<(Extracted, Seen), OpError> {
        if let Some(question) = machine.request() {
            check_room(asking.model, question)?;
        }
        let mut live = self.recipe_session(asking).await?;
        let mut seen = Seen::of(&live);
        let mut said = asking.run.said();
        while let Some(question) = machine.request() {
            let answer = self.asked(asking, &mut live, question, said).await?;
            seen.step = answer.step;
            machine = machine.answered(&answer.text);
            let last = machine.request().and_then(|question| question.messages.last());
            said = last.map(|message| message.text.clone()).unwrap_or_default();
        }
        self.keep_run_consent(&live, 0, None).await?;
        match machine {
            Extraction::Done(found) => Ok((found, seen)),
            Extraction::Failed(failure) => {
                let mut error = OpError::from(failure).workbench(asking.workbench).hint(seen.how_to_look());
                error.info.provider_id = Some(asking.model.id.provider().to_owned());
                error.info.model_id = Some(asking.model.id.to_string());
                Err(error)
            }
            Extraction::Ask(_) => Err(OpError::new(Code::Internal, "a run ended with a question")),
        }
    }

    async fn free_answer(&self, asking: &Asking<'_>, made: &Made) -> Result<(String, Seen), OpError> {
        let model = asking.model;
        if model.id.as_str() == offline::MODEL_ID {
            return Err(OpError::new(
                Code::ValidationFailed,
                format!("{} answers no question: it sorts by rules", model.id),
            )
            .hint("choose a model (`jig model list`) for a recipe whose answer is only read"));
        }
        let asked = free_question(&made.assembled.prompt);
        check_room(model, &asked)?;
        let mut live = self.recipe_session(asking).await?;
        let answer = self.asked(asking, &mut live, &asked, asking.run.said()).await?;
        self.keep_run_consent(&live, 0, None).await?;
        let seen = Seen { step: answer.step, ..Seen::of(&live) };
        if answer.text.trim().is_empty() {
            let words = format!("{} answered nothing", model.id);
            return Err(OpError::new(Code::ProviderUnavailable, words).hint(seen.how_to_look()));
        }
        Ok((answer.text, seen))
    }

    async fn save_output(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        outputs: &ContextOutputs,
        new: &NewProposal,
        sent: SentContext,
        actor: &Actor,
    ) -> Result<ProposalInfo, OpError> {
        let mut session = self.enter_lightly(id).await?;
        let mut context = context.clone();
        context.actor = actor.clone();
        let sent = &sent;
        let make = |target: Target<'_>| {
            if let Some(there) = target.proposal {
                return Ok(Edit {
                    entry: EntryEdit::Keep,
                    proposal: Some(there.clone()),
                    summary: String::new(),
                    output: there.clone(),
                });
            }
            let mut proposal = propose(new.clone(), target.seen.map(|seen| seen.entry.as_ref()));
            proposal.sent = Some(sent.clone());
            let recipe = proposal.recipe.as_deref().unwrap_or_default();
            Ok(Edit {
                entry: EntryEdit::Keep,
                summary: format!("ran {recipe}: an output for {}", target.named.address()),
                proposal: Some(proposal.clone()),
                output: proposal,
            })
        };
        let key = outputs.entry_key.as_deref().filter(|key| !key.is_empty());
        let about = About { operation: "RecipeRun", role: &outputs.role, entry_key: key, proposal: Some(&new.id) };
        self.write_entry(&context, &mut session, about, &make).await
    }

    /// Accepts an output into its entry if the recipe permits that and no one else has changed the entry. Returns what
    /// happened.
    async fn promoted(
        &self,
        context: &CallContext,
        head: &Head,
        recipe: &RecipeDefinition,
        kinds: &[KindDefinition],
        output: &ProposalInfo,
    ) -> Result<Value, OpError> {
        let told = |promoted: bool, why: Option<String>| {
            json!({ "output_id": output.id, "promoted": promoted, "why_not_promoted": why, "model_id": output.model_id,
                    "sent": output.sent, "sources": output.sources })
        };
        if output.state != jig_contract::ops::ProposalState::Pending {
            return Ok(told(output.state == jig_contract::ops::ProposalState::Accepted, None));
        }
        let auto = recipe.context_outputs.as_ref().is_some_and(|outputs| outputs.refresh_policy.auto_promote);
        let kind = kinds.iter().find(|kind| kind.anchor_role == output.role);
        let (true, Some(kind)) = (auto, kind) else { return Ok(told(false, None)) };
        let names = (jig_context::document::KindName::new(&output.role), Key::new(&output.entry_key));
        let (Ok(name), Ok(key)) = names else { return Ok(told(false, None)) };
        let seen = self.entry_at(head.state, &name, &key).await?;
        let fields: Vec<&str> = output.fields.iter().map(|field| field.field.as_str()).collect();
        if let Decision::Propose { why } =
            decide(kind, seen.as_ref().map(|seen| seen.entry.as_ref()), &fields, &Actor::System)
        {
            return Ok(told(false, Some(why)));
        }
        let mut session = self.enter_lightly(&head.id).await?;
        let chosen = Chosen { fields: Vec::new(), base_revision: None, operation: "OutputPromote" };
        match self.accept_proposal(context, &mut session, output, chosen).await {
            Ok(_) => Ok(told(true, None)),
            // The entry was changed in the meantime, so a person decides.
            Err(error) if error.code() == Code::Conflict => Ok(told(false, Some(error.to_string()))),
            Err(error) => Err(error),
        }
    }
}

/// An output must have all fields that its kind requires.
fn check_found(recipe: &RecipeDefinition, found: &Extracted) -> Result<(), OpError> {
    if found.fields.is_empty() {
        return Err(OpError::new(Code::ValidationFailed, format!("the run of {} made nothing", recipe.recipe))
            .hint("add more context, or choose another model"));
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "an output records everything about its run")]
fn new_output(
    id: ProposalId,
    recipe: &RecipeDefinition,
    outputs: &ContextOutputs,
    found: Extracted,
    run: &Run,
    model: &Model,
    made: &Made,
    at: jig_contract::Timestamp,
    job: &str,
) -> Result<NewProposal, OpError> {
    let key = outputs.entry_key.as_deref().unwrap_or_default();
    let key = Key::new(key).map_err(|e| OpError::new(Code::ValidationFailed, e.to_string()))?;
    Ok(NewProposal {
        id,
        origin: ProposalOrigin::RecipeRun,
        role: outputs.role.clone(),
        key,
        display_name: None,
        fields: found.fields,
        by: run.actor.clone(),
        at,
        model_id: Some(model.id.to_string()),
        sources: output_sources(recipe, &made.assembled.used),
        recipe: Some(recipe.recipe.clone()),
        job_id: Some(job.to_owned()),
        reason: run.input.clone(),
        warnings: found.warnings,
    })
}
