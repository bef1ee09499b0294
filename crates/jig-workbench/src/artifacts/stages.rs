//! The stages of a workbench and their progress.

use std::sync::Arc;

use jig_context::artifact::{all_stages, find_stage, progress};
use jig_contract::ops::{ProjectInfo, StageDefinition, StageProgress};
use jig_contract::{BlobHash, Code, OpError};
use jig_store::Head;
use serde_json::{Map, json};

use crate::Workbench;
use crate::state::View;

/// The folder of custom stages.
pub(crate) const STAGES_FOLDER: &str = "meta/stages";

/// The stages of a state, with counts of its artifacts.
pub(crate) struct Stages {
    pub(crate) all: Arc<Vec<StageDefinition>>,
    pub(crate) current: String,
    pub(crate) progress: Vec<(String, StageProgress)>,
}

impl Stages {
    /// The progress of a stage.
    pub(crate) fn progress_of(&self, stage: &str) -> StageProgress {
        self.progress.iter().find(|(name, _)| name == stage).map(|(_, progress)| *progress).unwrap_or_default()
    }
}

impl Workbench {
    /// The stages of a state.
    pub(crate) async fn stages_at(&self, state: BlobHash) -> Result<Arc<Vec<StageDefinition>>, OpError> {
        let folder = self.hash_at(state, STAGES_FOLDER).await?;
        if let Some(stages) = self.artifact_shelf().stages.get(&folder) {
            return Ok(stages);
        }
        let mut own = Vec::new();
        let mut weight = 16_384;
        for (name, node) in self.store().files(state, STAGES_FOLDER).await? {
            let bytes = self.store().blobs().get(&node.hash).await?;
            weight += bytes.len();
            own.push(serde_json::from_slice(&bytes).map_err(|e| {
                OpError::new(Code::BlobCorrupt, format!("the stage in {STAGES_FOLDER}/{name} cannot be read"))
                    .hint("`jig undo` goes back to before it was changed")
                    .because(e)
            })?);
        }
        Ok(self.artifact_shelf().stages.keep(folder, all_stages(own), weight))
    }

    /// The current stage: the one that was set, or the first.
    pub(crate) async fn current_stage(&self, head: &Head) -> Result<String, OpError> {
        let set = View::of(self.store(), head).settings().await?.current_stage;
        let stages = self.stages_at(head.state).await?;
        // A deleted stage no longer counts.
        let known = set.filter(|stage| find_stage(&stages, stage).is_ok());
        Ok(known.or_else(|| stages.first().map(|stage| stage.stage.clone())).unwrap_or_default())
    }

    /// The stages with their progress. Artifacts of a deleted stage are counted under its name, at the end.
    pub(crate) async fn staged(&self, head: &Head) -> Result<Stages, OpError> {
        let all = self.stages_at(head.state).await?;
        let artifacts = self.artifacts_at(head.state).await?;
        let mut names: Vec<String> = all.iter().map(|stage| stage.stage.clone()).collect();
        for seen in &artifacts {
            if !names.contains(&seen.artifact.stage) {
                names.push(seen.artifact.stage.clone());
            }
        }
        let count = |name: String| {
            let of = artifacts.iter().map(|seen| seen.artifact.as_ref()).filter(|artifact| artifact.stage == name);
            let counted = progress(of);
            (name, counted)
        };
        let progress = names.into_iter().map(count).collect();
        Ok(Stages { current: self.current_stage(head).await?, all, progress })
    }

    /// The description and progress of the project.
    pub(crate) async fn project_info(&self, head: &Head) -> Result<ProjectInfo, OpError> {
        let stages = self.staged(head).await?;
        let settings = View::of(self.store(), head).settings().await?;
        let counted: Map<_, _> = stages.progress.iter().map(|(name, of)| (name.clone(), json!(of))).collect();
        Ok(ProjectInfo {
            id: head.id.to_string(),
            name: head.name.clone(),
            description: settings.description.unwrap_or_default(),
            current_stage: stages.current,
            stages: counted,
            created_at: head.created_at,
            updated_at: head.updated_at,
            // Only needed to update the description, which agents do not do.
            etag: None,
        })
    }
}
