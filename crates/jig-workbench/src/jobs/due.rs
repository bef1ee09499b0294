//! Periodic work: schedules, stale outputs, expired assets, and jobs of dead workers.

use jig_context::recipe::Cron;
use jig_contract::{Actor, OpError, Timestamp};
use jig_session::Budget;
use jig_store::{Enqueued, Head, JobQuery, JobsOf, NewJob, Schedule};
use serde_json::json;

use super::{ASSET_CLEANUP, RECIPE_RUN};
use crate::Workbench;
use crate::recipes::Run;

/// The number of attempts for a background run.
const ATTEMPTS: u32 = 5;
/// How many due schedules are processed at a time.
const AT_A_TIME: u32 = 100;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// How long finished jobs are retained.
const REMEMBERED_MS: i64 = 30 * DAY_MS;

impl Workbench {
    /// Queues what is due. Failures are retried at the next check.
    pub(super) async fn look_around(&self) {
        told("jobs whose worker died", self.take_back_jobs().await);
        told("the daily cleanup", self.queue_cleanup().await);
        let heads = match self.store().heads().await {
            Ok(heads) => heads,
            Err(error) => return told("workbenches", Err(error.into())),
        };
        for head in &heads {
            told("schedules", self.keep_schedules(head).await);
            told("old outputs", self.queue_refreshes(head).await);
        }
        told("schedules that are due", self.fire_schedules().await);
    }

    async fn take_back_jobs(&self) -> Result<(), OpError> {
        for job in self.store().reclaim_jobs().await? {
            self.job_changed(&job).await;
        }
        Ok(())
    }

    /// Queues the asset cleanup once a day; the first server to do so wins.
    async fn queue_cleanup(&self) -> Result<(), OpError> {
        let kinds = vec![ASSET_CLEANUP.to_owned()];
        let query = JobQuery { of: JobsOf::All, kinds, states: Vec::new(), after: None, limit: 1 };
        let now = self.env().now();
        let last = self.store().jobs(&query).await?.jobs.pop();
        if last.is_some_and(|last| now.since(last.created_at) < DAY_MS) {
            return Ok(());
        }
        self.store().forget_jobs(Timestamp::from_millis(now.as_millis().saturating_sub(REMEMBERED_MS))).await?;
        let job = NewJob {
            workbench_id: None,
            kind: ASSET_CLEANUP.to_owned(),
            dedupe: Some(ASSET_CLEANUP.to_owned()),
            payload: json!({}),
            max_attempts: ATTEMPTS,
            run_at: None,
        };
        self.store().enqueue_job(&job).await?;
        Ok(())
    }

    /// Updates the schedules to match the recipes, which may have changed through an undo or an import.
    pub(crate) async fn keep_schedules(&self, head: &Head) -> Result<(), OpError> {
        if self.job_desk().knows(&head.id, head.seq) {
            return Ok(());
        }
        let recipes = self.recipes_at(head.state).await?;
        let now = self.env().now();
        let mut kept = Vec::new();
        for recipe in recipes.iter().map(|known| &known.definition) {
            let Some(rule) = &recipe.schedule else { continue };
            let next = Cron::parse(rule).ok().and_then(|cron| cron.next_after(now));
            if let Some(next) = next {
                self.store().put_schedule(&head.id, &recipe.recipe, rule, next).await?;
                kept.push(recipe.recipe.as_str());
            }
        }
        for schedule in self.store().schedules(&head.id).await? {
            if !kept.contains(&schedule.name.as_str()) {
                self.store().drop_schedule(&head.id, &schedule.name).await?;
            }
        }
        Ok(())
    }

    /// Advances each due schedule and queues its run, atomically, so that it fires once however many servers there are.
    async fn fire_schedules(&self) -> Result<(), OpError> {
        for schedule in self.store().due_schedules(AT_A_TIME).await? {
            let now = self.env().now();
            // Several missed times count as one.
            let next = Cron::parse(&schedule.rule).ok().and_then(|cron| cron.next_after(now));
            let Some(next) = next else {
                self.store().drop_schedule(&schedule.workbench_id, &schedule.name).await?;
                continue;
            };
            self.fire(&schedule, next).await?;
        }
        Ok(())
    }

    async fn fire(&self, schedule: &Schedule, next: Timestamp) -> Result<(), OpError> {
        let job = run_job(&schedule.workbench_id, &schedule.name);
        if let Some(Enqueued::New(job)) = self.store().fire_schedule(schedule, next, &job).await? {
            self.queued(&job).await;
        }
        Ok(())
    }

    /// Queues a run for each recipe with a stale output.
    async fn queue_refreshes(&self, head: &Head) -> Result<(), OpError> {
        let look = self.stale_recipes(head).await?;
        for recipe in look.due(self.env().now()) {
            if let Enqueued::New(job) = self.store().enqueue_job(&run_job(&head.id, &recipe)).await? {
                self.queued(&job).await;
            }
        }
        Ok(())
    }

    /// Sends the event of a queued job and wakes the workers.
    pub(crate) async fn queued(&self, job: &jig_store::Job) {
        self.job_changed(job).await;
        self.job_desk().wake();
    }
}

/// A background run of a recipe.
fn run_job(id: &jig_contract::WorkbenchId, recipe: &str) -> NewJob {
    let run =
        Run { recipe: recipe.to_owned(), model: None, input: None, actor: Actor::System, budget: Budget::default() };
    NewJob {
        workbench_id: Some(id.clone()),
        kind: RECIPE_RUN.to_owned(),
        dedupe: Some(dedupe(recipe)),
        payload: json!(run),
        max_attempts: ATTEMPTS,
        run_at: None,
    }
}

/// The deduplication key: one open run per recipe and workbench.
pub(crate) fn dedupe(recipe: &str) -> String {
    format!("{RECIPE_RUN}:{recipe}")
}

fn told(what: &str, done: Result<(), OpError>) {
    if let Err(error) = done {
        tracing::warn!("{what} could not be looked at: {error}");
    }
}
