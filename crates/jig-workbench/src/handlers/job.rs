//! Background jobs: listing and cancelling.

use jig_contract::ops::*;
use jig_contract::{Code, OpError, Timestamp};
use jig_store::{JobCursor, JobQuery, JobsOf};

use crate::entries::{bad_cursor, page_limit};
use crate::jobs::job_info;
use crate::{CallContext, Handle, Workbench};

/// How many jobs are read at a time when filtering by recipe.
const LOOKED_AT: u32 = 500;

impl Handle<JobList> for Workbench {
    async fn handle(&self, _: &CallContext, params: JobListParams) -> Result<JobListOutput, OpError> {
        let id = params.workbench_id.check()?;
        let limit = page_limit(params.limit)? as usize;
        let after = params.cursor.as_deref().map(read_cursor).transpose()?;
        self.store().head(&id).await?;
        let mut query = JobQuery {
            of: JobsOf::Workbench(id),
            kinds: Vec::new(),
            states: params.state.map(stored_state).into_iter().collect(),
            after,
            limit: if params.recipe.is_some() { LOOKED_AT } else { u32::try_from(limit).unwrap_or(LOOKED_AT) },
        };
        let (mut jobs, mut cursor) = (Vec::new(), None);
        'pages: loop {
            let page = self.store().jobs(&query).await?;
            let last = page.jobs.len().saturating_sub(1);
            for (place, job) in page.jobs.iter().enumerate() {
                let info = job_info(job)?;
                if params.recipe.is_some() && info.recipe != params.recipe {
                    continue;
                }
                jobs.push(info);
                if jobs.len() == limit {
                    let more = place < last || page.next.is_some();
                    cursor = more.then(|| format!("{}/{}", job.created_at.as_millis(), job.id));
                    break 'pages;
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        Ok(JobListOutput { jobs, has_more: cursor.is_some(), cursor })
    }
}

impl Handle<JobGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: JobGetParams) -> Result<JobOutput, OpError> {
        let (id, job) = (params.workbench_id.check()?, params.job_id.check()?);
        Ok(JobOutput { job: job_info(&self.needed_job(&id, &job).await?)? })
    }
}

impl Handle<JobCancel> for Workbench {
    async fn handle(&self, _: &CallContext, params: JobCancelParams) -> Result<JobOutput, OpError> {
        let (id, job_id) = (params.workbench_id.check()?, params.job_id.check()?);
        self.needed_job(&id, &job_id).await?;
        let job = self.store().cancel_job(job_id.as_str()).await?.ok_or_else(|| no_job(&job_id))?;
        self.stop_here(job_id.as_str());
        self.job_changed(&job).await;
        Ok(JobOutput { job: job_info(&job)? })
    }
}

impl Workbench {
    /// A job of this workbench.
    async fn needed_job(
        &self,
        id: &jig_contract::WorkbenchId,
        job: &jig_contract::JobId,
    ) -> Result<jig_store::Job, OpError> {
        self.store().head(id).await?;
        let found = self.store().job(job.as_str()).await?;
        found.filter(|found| found.workbench_id.as_ref() == Some(id)).ok_or_else(|| no_job(job).workbench(id))
    }
}

fn no_job(job: &jig_contract::JobId) -> OpError {
    OpError::new(Code::JobNotFound, format!("there is no job `{job}`")).hint("`jig jobs` shows the jobs")
}

fn stored_state(state: JobState) -> jig_store::JobState {
    match state {
        JobState::Queued => jig_store::JobState::Queued,
        JobState::Running => jig_store::JobState::Running,
        JobState::Done => jig_store::JobState::Done,
        JobState::Failed => jig_store::JobState::Failed,
        JobState::Cancelled => jig_store::JobState::Cancelled,
    }
}

fn read_cursor(text: &str) -> Result<JobCursor, OpError> {
    let (millis, id) = text.split_once('/').ok_or_else(bad_cursor)?;
    let millis: i64 = millis.parse().map_err(|_| bad_cursor())?;
    let id = jig_contract::JobId::new(id).map_err(|_| bad_cursor())?;
    Ok(JobCursor { created_at: Timestamp::from_millis(millis), id: id.to_string() })
}
