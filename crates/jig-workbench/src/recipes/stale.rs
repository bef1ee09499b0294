//! Which outputs are stale, and what prevents updating them.

use std::collections::BTreeMap;

use jig_context::document::{Key, KindName};
use jig_context::entry::Entry;
use jig_context::recipe::{Ran, stale};
use jig_contract::ops::{
    EntryState, ProposalOrigin, ProposalState, RecipeDefinition, RecipeListStaleOutput, StaleReason,
};
use jig_contract::{BlobHash, OpError, Timestamp};
use jig_store::{Head, Job, JobQuery, JobState, JobsOf, Schedule};

use crate::Workbench;
use crate::entries::{ENTRIES_FOLDER, Waiting};
use crate::jobs::RECIPE_RUN;

const HOUR_MS: i64 = 60 * 60 * 1_000;
/// How many runs are read to determine when a recipe last ran.
const LOOKED_AT: u32 = 200;

/// The stale outputs of a workbench, with data collected on the way.
pub(crate) struct StaleLook {
    pub(crate) found: RecipeListStaleOutput,
    /// The newest run of each recipe.
    runs: BTreeMap<String, Job>,
    ttl: BTreeMap<String, i64>,
}

impl StaleLook {
    /// The recipes to run now: stale, not blocked, with no dependency that must run first, and not attempted recently.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<String> {
        let due: Vec<&str> = self.found.stale.iter().filter(|one| one.due).map(|one| one.recipe.as_str()).collect();
        let old = |reasons: &[StaleReason]| reasons.iter().any(|reason| !matches!(reason, StaleReason::NeverRun));
        let ready =
            self.found.stale.iter().filter(|one| {
                one.due && old(&one.reasons) && one.after.iter().all(|other| !due.contains(&other.as_str()))
            });
        ready.filter(|one| !self.rests(&one.recipe, now)).map(|one| one.recipe.clone()).collect()
    }

    /// Whether a recipe must wait: a failed or rejected output is not retried immediately, over and over.
    fn rests(&self, recipe: &str, now: Timestamp) -> bool {
        let Some(run) = self.runs.get(recipe) else { return false };
        let pause = self.ttl.get(recipe).copied().unwrap_or(24 * HOUR_MS).clamp(HOUR_MS, 24 * HOUR_MS);
        run.state.is_open() || run.finished_at.is_some_and(|at| now.since(at) < pause)
    }
}

impl Workbench {
    /// Finds the stale outputs of a workbench.
    pub(crate) async fn stale_recipes(&self, head: &Head) -> Result<StaleLook, OpError> {
        let kinds = self.kinds_at(head.state).await?.definitions();
        let recipes = self.recipes_at(head.state).await?.definitions();
        let entries = self.relevant(head.state, &recipes).await?;
        let (runs, schedules) = (self.newest_runs(head).await?, self.store().schedules(&head.id).await?);
        let ran = self.ran(head.state, &runs, &schedules).await?;
        let mut found = stale(&recipes, &kinds, &entries, &ran, self.env().now());
        for one in &mut found.stale {
            // The stored schedule is authoritative, because it triggers the run.
            let scheduled = schedules.iter().find(|schedule| schedule.name == one.recipe);
            one.next_run_at = scheduled.map(|schedule| schedule.next_at).or(one.next_run_at);
        }
        if found.stale.iter().any(|one| one.due)
            && let Some(blocked) = self.may_not_run(head).await?
        {
            for one in found.stale.iter_mut().filter(|one| one.due) {
                (one.due, one.blocked) = (false, Some(blocked.clone()));
            }
        }
        let ttl = |recipe: &RecipeDefinition| {
            let hours = recipe.context_outputs.as_ref()?.refresh_policy.ttl_hours?;
            Some((recipe.recipe.clone(), i64::from(hours).saturating_mul(HOUR_MS)))
        };
        Ok(StaleLook { found, runs, ttl: recipes.iter().filter_map(ttl).collect() })
    }

    /// Why automatic runs are not possible: no model, or no stored consent.
    async fn may_not_run(&self, head: &Head) -> Result<Option<String>, OpError> {
        let model = match self.chosen_model(head, None).await {
            Ok(Some(model)) => model,
            Ok(None) => return Ok(Some("no model is chosen: `jig model set-default` chooses one".to_owned())),
            Err(error) => return Ok(Some(error.to_string())),
        };
        if model.id.as_str() == jig_context::item::offline::MODEL_ID {
            return Ok(None);
        }
        match self.any_lasting_consent(&head.id, &model).await {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(format!(
                "no consent that lasts for {0}: `jig consent grant {0} --reach kept` gives one",
                model.id
            ))),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    /// The entries that determine staleness: outputs, their sources, and one entry of each required kind. The cost does
    /// not depend on the number of other entries.
    async fn relevant(&self, state: BlobHash, recipes: &[RecipeDefinition]) -> Result<Vec<Entry>, OpError> {
        let mut found: Vec<Entry> = Vec::new();
        let mut add = |entry: &Entry| {
            if found.iter().all(|known| known.document.id != entry.document.id) {
                found.push(entry.clone());
            }
        };
        for outputs in recipes.iter().filter_map(|recipe| recipe.context_outputs.as_ref()) {
            let names = (KindName::new(&outputs.role), Key::new(outputs.entry_key.as_deref().unwrap_or_default()));
            let (Ok(kind), Ok(key)) = names else { continue };
            let Some(output) = self.entry_at(state, &kind, &key).await? else { continue };
            add(&output.entry);
            for part in &output.entry.document.parts {
                for source in &part.provenance.origin.sources {
                    let jig_context::document::Source::Document { address, .. } = source else { continue };
                    if let Some(source) = self.entry_at(state, &address.kind, &address.key).await? {
                        add(&source.entry);
                    }
                }
            }
        }
        for needed in recipes.iter().flat_map(|recipe| &recipe.context_requirements.entries) {
            let folder = format!("{ENTRIES_FOLDER}/{}", needed.role);
            for (_, node) in self.store().files(state, &folder).await? {
                let seen = self.entry_of(node.hash).await?;
                if seen.entry.state == EntryState::Active {
                    add(&seen.entry);
                    break;
                }
            }
        }
        Ok(found)
    }

    async fn newest_runs(&self, head: &Head) -> Result<BTreeMap<String, Job>, OpError> {
        let query = JobQuery {
            of: JobsOf::Workbench(head.id.clone()),
            kinds: vec![RECIPE_RUN.to_owned()],
            states: Vec::new(),
            after: None,
            limit: LOOKED_AT,
        };
        let mut runs = BTreeMap::new();
        for job in self.store().jobs(&query).await?.jobs {
            let Some(recipe) = job.payload.get("recipe").and_then(|name| name.as_str()).map(str::to_owned) else {
                continue;
            };
            if job.state != JobState::Cancelled {
                runs.entry(recipe).or_insert(job);
            }
        }
        Ok(runs)
    }

    async fn ran(
        &self,
        state: BlobHash,
        runs: &BTreeMap<String, Job>,
        schedules: &[Schedule],
    ) -> Result<BTreeMap<String, Ran>, OpError> {
        let mut ran: BTreeMap<String, Ran> = BTreeMap::new();
        for (recipe, job) in runs {
            ran.entry(recipe.clone()).or_default().last = job.finished_at.or(job.started_at);
        }
        for schedule in schedules {
            let known = ran.entry(schedule.name.clone()).or_default();
            known.last = schedule.last_at.or(known.last);
        }
        let waiting = Waiting {
            state: Some(ProposalState::Pending),
            origin: Some(ProposalOrigin::RecipeRun),
            limit: u32::MAX,
            ..Waiting::default()
        };
        for output in self.list_proposals(state, &waiting).await?.0 {
            ran.entry(output.recipe.unwrap_or_default()).or_default().waiting = true;
        }
        Ok(ran)
    }
}
