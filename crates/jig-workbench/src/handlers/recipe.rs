//! Recipes: definitions, contexts, runs, and stale outputs.

use jig_context::definition::{refused, to_yaml};
use jig_context::recipe::{check_recipe, next_version, read_recipe, recipe_path, shipped_recipe};
use jig_contract::ops::*;
use jig_contract::{Code, OpError, ProposalId};
use jig_prompt::Tokenizer;
use jig_session::Budget;
use jig_store::{Change, Head, NewJob, Plan, Schedule, TreeEdit};
use serde_json::{Value, json};

use super::host_files::read_definition;
use super::kind::{check_definition_base, definition_tag, json_of};
use super::session::budget;
use crate::engine::Planned;
use crate::jobs::{RECIPE_RUN, dedupe, job_info};
use crate::models::{request, tokenizer};
use crate::recipes::{Ask, KnownRecipe, PURPOSE, Run, first_question, problems, problems_of};
use crate::{CallContext, Handle, Workbench};

/// The number of attempts for a run in the background.
const ATTEMPTS: u32 = 5;

impl Handle<RecipeList> for Workbench {
    async fn handle(&self, _: &CallContext, params: RecipeListParams) -> Result<RecipeListOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let kinds = self.kinds_at(session.head.state).await?.definitions();
        let schedules = self.store().schedules(&session.id).await?;
        let recipes = self.recipes_at(session.head.state).await?;
        Ok(RecipeListOutput { recipes: recipes.iter().map(|known| recipe_info(known, &kinds, &schedules)).collect() })
    }
}

impl Handle<RecipeGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: RecipeGetParams) -> Result<RecipeGetOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let kinds = self.kinds_at(session.head.state).await?.definitions();
        let schedules = self.store().schedules(&session.id).await?;
        let recipes = self.recipes_at(session.head.state).await?;
        let recipe = recipe_info(recipes.find(&params.recipe)?, &kinds, &schedules);
        Ok(RecipeGetOutput { yaml: to_yaml(&recipe.definition), recipe })
    }
}

impl Handle<RecipePut> for Workbench {
    async fn handle(&self, context: &CallContext, params: RecipePutParams) -> Result<RecipePutOutput, OpError> {
        let id = params.workbench_id.check()?;
        let given = read_definition(params.definition, params.source_path, "recipe").await?;
        let given = &read_recipe(&given).map_err(|problems| refused("the recipe is not right", &problems))?;
        let mut session = self.enter_lightly(&id).await?;
        let (dry_run, base) = (params.dry_run, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let kinds = self.kinds_at(head.state).await?.definitions();
                let wrong = check_recipe(given, &kinds);
                if !wrong.is_empty() {
                    return Err(refused("the recipe names what is not there", &wrong));
                }
                let recipes = self.recipes_at(head.state).await?;
                let present = recipes.get(&given.recipe).map(|known| &known.definition);
                check_definition_base(base, present)?;
                let Some(next) = next_version(present, given.clone()).filter(|_| !dry_run) else {
                    return Ok(Plan::nothing(false));
                };
                let path = recipe_path(&next.recipe);
                let edit = self.file_edit(path.clone(), json_of(&next)?).await?;
                let state = self.store().edit(head.state, &[edit]).await?;
                context.check_cancelled()?;
                let verb = if present.is_some() { "changed" } else { "added" };
                let summary = format!("{verb} the recipe {} (version {})", next.recipe, next.version);
                Ok(Plan::change(Change::new(context.actor.clone(), "RecipePut", summary, state), vec![path], true))
            }) as Planned<'_, bool>
        };
        let saved = self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))?;
        self.keep_schedules(&session.head).await?;
        let kinds = self.kinds_at(session.head.state).await?.definitions();
        let schedules = self.store().schedules(&id).await?;
        let recipes = self.recipes_at(session.head.state).await?;
        let recipe = match recipes.get(&given.recipe).filter(|_| !dry_run) {
            Some(known) => recipe_info(known, &kinds, &schedules),
            None => {
                let present = recipes.get(&given.recipe).map(|known| &known.definition);
                let next = next_version(present, given.clone()).unwrap_or_else(|| given.clone());
                recipe_info(&KnownRecipe { definition: next, shipped: false }, &kinds, &schedules)
            }
        };
        Ok(RecipePutOutput { recipe, saved })
    }
}

impl Handle<RecipeDelete> for Workbench {
    async fn handle(&self, context: &CallContext, params: RecipeDeleteParams) -> Result<RecipeDeleteOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut session = self.enter_lightly(&id).await?;
        let (name, base) = (&params.recipe, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let recipes = self.recipes_at(head.state).await?;
                let known = recipes.find(name)?;
                check_definition_base(base, Some(&known.definition))?;
                if known.shipped {
                    return Err(OpError::new(
                        Code::ValidationFailed,
                        format!("`{name}` comes with Jig and is as it came"),
                    )
                    .hint("there is nothing to delete"));
                }
                let path = recipe_path(name);
                let state = self.store().edit(head.state, &[TreeEdit::Remove { path: path.clone() }]).await?;
                context.check_cancelled()?;
                let change =
                    Change::new(context.actor.clone(), "RecipeDelete", format!("deleted the recipe {name}"), state);
                Ok(Plan::change(change, vec![path], ()))
            }) as Planned<'_, ()>
        };
        self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))?;
        self.keep_schedules(&session.head).await?;
        Ok(RecipeDeleteOutput { shipped_again: shipped_recipe(name).is_some(), deleted: params.recipe })
    }
}

impl Handle<RecipeAssemble> for Workbench {
    async fn handle(&self, _: &CallContext, params: RecipeAssembleParams) -> Result<RecipeAssembleOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let kinds = self.kinds_at(session.head.state).await?.definitions();
        let recipe = match (params.recipe, params.definition) {
            (Some(name), None) => self.recipes_at(session.head.state).await?.find(&name)?.definition.clone(),
            (None, Some(definition)) => {
                let given = read_definition(Some(definition), None, "recipe").await?;
                read_recipe(&given).map_err(|problems| refused("the recipe is not right", &problems))?
            }
            _ => {
                return Err(OpError::new(Code::ValidationFailed, "name a recipe, or give the definition of one")
                    .hint("`jig recipe list` shows the recipes"));
            }
        };
        problems_of(&recipe, &kinds)?;
        let model = self.chosen_model(&session.head, params.model.as_deref()).await?;
        let tokenizer = model.as_ref().map_or_else(Tokenizer::o200k, tokenizer);
        let input = params.input.unwrap_or_default();
        let ask = Ask {
            recipe: &recipe,
            input: &input,
            tokenizer: &tokenizer,
            max_tokens: params.max_tokens,
            resolve_assets: params.resolve_assets,
        };
        let made = self.made_context(&session.id, &kinds, &ask).await?;
        let tokens = self.context_tokens(&session.id, &kinds, &ask, &made).await?;
        let assembled = made.assembled;
        Ok(RecipeAssembleOutput {
            recipe: recipe.recipe.clone(),
            context: assembled.context,
            prompt: assembled.prompt,
            report: AssembleReport {
                missing: assembled.missing,
                incomplete: assembled.incomplete,
                stale: assembled.stale,
                left_out: assembled.left_out,
                used: assembled.used,
                tokens,
            },
            assets: made.assets,
        })
    }
}

impl Handle<RecipeRun> for Workbench {
    async fn handle(&self, context: &CallContext, params: RecipeRunParams) -> Result<RecipeRunOutput, OpError> {
        let id = params.workbench_id.check()?;
        let session = self.enter_lightly(&id).await?;
        let (job, wait) = (self.checked_run(context, &session.head, &params).await?, params.wait.unwrap_or(true));
        let queued = self.store().enqueue_job(&job).await?;
        if let jig_store::Enqueued::New(job) = &queued {
            self.job_changed(job).await;
            if !wait {
                self.job_desk().wake();
            }
        }
        let job = queued.into_job();
        if !wait {
            let job = job_info(&job)?;
            return Ok(RecipeRunOutput { job, output: None, answer: None, entry: None, session_id: None, step: None });
        }
        let ended = self.finish_job(context, &job.id).await?;
        self.run_output(&id, &ended).await
    }
}

impl Workbench {
    /// The job of a run, after all checks that are possible before calling a model.
    async fn checked_run(
        &self,
        context: &CallContext,
        head: &Head,
        params: &RecipeRunParams,
    ) -> Result<NewJob, OpError> {
        let kinds = self.kinds_at(head.state).await?.definitions();
        let recipes = self.recipes_at(head.state).await?;
        let recipe = &recipes.find(&params.recipe)?.definition;
        problems_of(recipe, &kinds)?;
        let model = self.needed_model(head, params.model.as_deref()).await?;
        let (tokenizer, input) = (tokenizer(&model), params.input.clone().unwrap_or_default());
        let ask = Ask { recipe, input: &input, tokenizer: &tokenizer, max_tokens: None, resolve_assets: false };
        let made = self.made_context(&head.id, &kinds, &ask).await?;
        let run = Run {
            recipe: recipe.recipe.clone(),
            model: Some(model.id.to_string()),
            input: params.input.clone(),
            actor: context.actor.clone(),
            budget: budget(params.max_tokens, params.max_cost_micros, params.max_seconds),
        };
        if model.id.as_str() != jig_context::item::offline::MODEL_ID
            && let Some(question) = first_question(recipe, &kinds, &made)
        {
            let prepared = self.prepared(&model, &request(&question, PURPOSE))?;
            let sending = self.sending(head, &model, run.scope(&made), &prepared.body)?;
            self.check_permit(&model, &sending, &prepared.body).await?;
        }
        // A run without parameters of its own is equivalent to a scheduled one.
        let plain = params.model.is_none() && params.input.is_none() && run.budget == Budget::default();
        Ok(NewJob {
            workbench_id: Some(head.id.clone()),
            kind: RECIPE_RUN.to_owned(),
            dedupe: plain.then(|| dedupe(&recipe.recipe)),
            payload: json!(run),
            // A waiting caller decides about retries.
            max_attempts: if params.wait.unwrap_or(true) { 1 } else { ATTEMPTS },
            run_at: None,
        })
    }

    /// The output of a finished run, or why it failed.
    async fn run_output(
        &self,
        id: &jig_contract::WorkbenchId,
        job: &jig_store::Job,
    ) -> Result<RecipeRunOutput, OpError> {
        let info = job_info(job)?;
        if job.state != jig_store::JobState::Done {
            let told = info.error.unwrap_or_else(|| *OpError::new(Code::Internal, "the run ended without a word").info);
            let mut error = OpError { info: Box::new(told), source: None };
            error.info.job_id = Some(job.id.clone());
            return Err(error.workbench(id));
        }
        let result = job.result.clone().unwrap_or_default();
        let answer = result.get("answer").and_then(Value::as_str).map(str::to_owned);
        let session = self.enter_lightly(id).await?;
        let output_id = result.get("output_id").and_then(Value::as_str).and_then(|id| ProposalId::new(id).ok());
        let output = match &output_id {
            Some(output_id) => Some(self.proposal_now(&session, output_id).await?),
            None => None,
        };
        let promoted = result.get("promoted") == Some(&Value::Bool(true));
        let entry = match output.as_ref().filter(|_| promoted) {
            Some(output) => {
                let key = Some(output.entry_key.as_str()).filter(|key| !key.is_empty());
                Some(self.entry_now(&session, &output.role, key).await?)
            }
            None => None,
        };
        let sent: Option<SentContext> = serde_json::from_value(result["sent"].clone()).unwrap_or_default();
        let (session_id, step) = sent.map_or((None, None), |sent| (sent.session_id, sent.step));
        Ok(RecipeRunOutput { job: info, output, answer, entry, session_id, step })
    }
}

fn recipe_info(known: &KnownRecipe, kinds: &[KindDefinition], schedules: &[Schedule]) -> RecipeInfo {
    let name = &known.definition.recipe;
    RecipeInfo {
        problems: problems(&known.definition, kinds),
        next_run_at: schedules.iter().find(|schedule| schedule.name == *name).map(|schedule| schedule.next_at),
        definition: known.definition.clone(),
        shipped: known.shipped,
        etag: definition_tag(&known.definition),
    }
}

impl Handle<RecipeListStale> for Workbench {
    async fn handle(&self, _: &CallContext, params: RecipeListStaleParams) -> Result<RecipeListStaleOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        Ok(self.stale_recipes(&session.head).await?.found)
    }
}
