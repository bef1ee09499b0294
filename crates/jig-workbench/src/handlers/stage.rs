//! Stages: listing them, choosing the current one, and their progress.

use jig_context::artifact::{find_stage, order_of, read_stage, shipped_stage, stage_path};
use jig_context::definition::{refused, to_json};
use jig_contract::ops::*;
use jig_contract::{Code, OpError, RevisionTag};
use jig_store::{Change, Head, Plan, TreeEdit, hash_of};

use super::host_files::read_definition;
use super::kind::{check_definition_base, definition_tag};
use crate::artifacts::Stages;
use crate::engine::{Planned, Session};
use crate::revisions::check_content_base;
use crate::state::{SETTINGS, View, WorkbenchSettings};
use crate::{CallContext, Handle, Workbench};

/// The maximum length of the project description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 2_000;

impl Handle<ProjectGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: ProjectGetParams) -> Result<ProjectOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        self.project_output(&session.head).await
    }
}

impl Handle<ProjectDescribe> for Workbench {
    async fn handle(&self, context: &CallContext, params: ProjectDescribeParams) -> Result<ProjectOutput, OpError> {
        let words = params.description.trim().to_owned();
        if words.chars().count() > DESCRIPTION_CHARS_MAX || words.contains('\0') {
            let message = format!("a description has at most {DESCRIPTION_CHARS_MAX} characters, and no NUL");
            return Err(OpError::new(Code::ValidationFailed, message));
        }
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let description = Some(words).filter(|words| !words.is_empty());
        let base = params.base_revision.as_ref();
        let change = move |settings: WorkbenchSettings| {
            let newest = description_tag(settings.description.as_deref());
            let newer = || serde_json::json!({ "description": settings.description });
            check_content_base(base, newest.as_ref(), newer)?;
            Ok(WorkbenchSettings { description: description.clone(), ..settings })
        };
        self.set(context, &mut session, ("ProjectDescribe", "described the work".to_owned()), &change).await?;
        self.project_output(&session.head).await
    }
}

impl Handle<StageSet> for Workbench {
    async fn handle(&self, context: &CallContext, params: StageSetParams) -> Result<ProjectOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let stages = self.stages_at(session.head.state).await?;
        let stage = find_stage(&stages, &params.stage)?.stage.clone();
        let words = format!("went to the stage {stage}");
        let change =
            move |settings: WorkbenchSettings| Ok(WorkbenchSettings { current_stage: Some(stage.clone()), ..settings });
        self.set(context, &mut session, ("StageSet", words), &change).await?;
        self.project_output(&session.head).await
    }
}

/// The tag of the description; `None` if it is empty.
fn description_tag(description: Option<&str>) -> Option<RevisionTag> {
    description.filter(|words| !words.is_empty()).map(|words| RevisionTag::of_content(&hash_of(words.as_bytes())))
}

type Set<'a> = &'a (dyn Fn(WorkbenchSettings) -> Result<WorkbenchSettings, OpError> + Send + Sync);

impl Workbench {
    /// Changes the settings of the workbench.
    async fn set(
        &self,
        context: &CallContext,
        session: &mut Session,
        told: (&'static str, String),
        change: Set<'_>,
    ) -> Result<(), OpError> {
        let (operation, summary) = &told;
        let plan = |head: Head| {
            Box::pin(async move {
                let before = View::of(self.store(), &head).settings().await?;
                let after = change(before.clone())?;
                if after == before {
                    return Ok(Plan::nothing(()));
                }
                let edit = self.settings_edit(&after).await?;
                let state = self.store().edit(head.state, &[edit]).await?;
                context.check_cancelled()?;
                let message = jig_store::NewMessage {
                    operation: Some((*operation).to_owned()),
                    ..jig_store::NewMessage::new(context.actor.clone(), MessageRole::Tool, None, summary.clone())
                };
                let change = Change::new(context.actor.clone(), *operation, summary.clone(), state);
                Ok(Plan::change(change.with_messages(vec![message]), vec![SETTINGS.to_owned()], ()))
            }) as Planned<'_, ()>
        };
        self.change(session, plan).await
    }

    async fn project_output(&self, head: &Head) -> Result<ProjectOutput, OpError> {
        let mut project = self.project_info(head).await?;
        project.etag = description_tag(Some(&project.description));
        Ok(ProjectOutput { project })
    }

    /// The wire form of a stage.
    fn stage_info(stages: &Stages, stage: &StageDefinition) -> StageInfo {
        StageInfo {
            shipped: shipped_stage(&stage.stage) == Some(stage),
            current: stages.current == stage.stage,
            progress: stages.progress_of(&stage.stage),
            etag: definition_tag(stage),
            definition: stage.clone(),
        }
    }
}

impl Handle<StageList> for Workbench {
    async fn handle(&self, _: &CallContext, params: StageListParams) -> Result<StageListOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let stages = self.staged(&session.head).await?;
        let mut listed: Vec<StageInfo> = stages.all.iter().map(|stage| Self::stage_info(&stages, stage)).collect();
        if !params.include_content {
            listed.iter_mut().flat_map(|stage| &mut stage.definition.artifacts).for_each(|one| one.content.clear());
        }
        listed.sort_by(|a, b| order_of(&a.definition).cmp(&order_of(&b.definition)));
        Ok(StageListOutput { stages: listed })
    }
}

impl Handle<StagePut> for Workbench {
    async fn handle(&self, context: &CallContext, params: StagePutParams) -> Result<StagePutOutput, OpError> {
        let id = params.workbench_id.check()?;
        let given = read_definition(params.definition, params.source_path, "stage").await?;
        let given = read_stage(&given).map_err(|problems| refused("the stage is not right", &problems))?;
        let mut session = self.enter_lightly(&id).await?;
        let (given, base) = (&given, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let stages = self.stages_at(head.state).await?;
                let present = stages.iter().find(|stage| stage.stage == given.stage);
                check_definition_base(base, present)?;
                if present == Some(given) {
                    return Ok(Plan::nothing(false));
                }
                let path = stage_path(&given.stage);
                let edit = self.file_edit(path.clone(), to_json(given)).await?;
                let state = self.store().edit(head.state, &[edit]).await?;
                context.check_cancelled()?;
                let verb = if present.is_some() { "changed" } else { "added" };
                let summary = format!("{verb} the stage {}", given.stage);
                let change = Change::new(context.actor.clone(), "StagePut", summary, state);
                Ok(Plan::change(change, vec![path], true))
            }) as Planned<'_, bool>
        };
        let saved = self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))?;
        let stages = self.staged(&session.head).await?;
        let stage = find_stage(&stages.all, &given.stage)?;
        Ok(StagePutOutput { stage: Self::stage_info(&stages, stage), saved })
    }
}

impl Handle<StageDelete> for Workbench {
    async fn handle(&self, context: &CallContext, params: StageDeleteParams) -> Result<StageDeleteOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut session = self.enter_lightly(&id).await?;
        let (wanted, base) = (&params.stage, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let stages = self.stages_at(head.state).await?;
                let stage = find_stage(&stages, wanted)?;
                check_definition_base(base, Some(stage))?;
                let shipped = shipped_stage(&stage.stage);
                if shipped == Some(stage) {
                    let words = format!("`{}` comes with Jig and is as it came", stage.stage);
                    return Err(OpError::new(Code::ValidationFailed, words).hint("there is nothing to delete"));
                }
                let used = self.artifacts_at(head.state).await?;
                let used = used.iter().filter(|seen| seen.artifact.stage == stage.stage).count();
                if shipped.is_none() && used > 0 {
                    let words = format!("`{}` has {used} artifacts", stage.stage);
                    return Err(OpError::new(Code::StageInUse, words)
                        .hint("give them another stage first: `jig artifact put SLUG --stage STAGE`"));
                }
                let path = stage_path(&stage.stage);
                let state = self.store().edit(head.state, &[TreeEdit::Remove { path: path.clone() }]).await?;
                context.check_cancelled()?;
                let summary = format!("deleted the stage {}", stage.stage);
                let change = Change::new(context.actor.clone(), "StageDelete", summary, state);
                let output = StageDeleteOutput { deleted: stage.stage.clone(), shipped_again: shipped.is_some() };
                Ok(Plan::change(change, vec![path, jig_context::artifact::FOLDER.to_owned()], output))
            }) as Planned<'_, StageDeleteOutput>
        };
        self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))
    }
}
