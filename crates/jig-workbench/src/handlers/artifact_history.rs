//! History of artifacts: named revisions, restoring, and the list of writes.

use jig_context::artifact::{Artifact, ArtifactError, changes, restore, snapshot};
use jig_contract::ops::*;
use jig_contract::{Code, OpError};

use super::artifact::Lock;
use crate::artifacts::SeenArtifact;
use crate::entries::{bad_cursor, page_limit};
use crate::{CallContext, Handle, Workbench};

impl Handle<ArtifactSnapshot> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactSnapshotParams) -> Result<ArtifactOutput, OpError> {
        let author = self.author(context, None, Lock::Kept)?;
        let name = params.name;
        let change = move |seen: &SeenArtifact, _: Option<u64>| {
            let next = snapshot(&seen.artifact, &name, &author)?;
            let words = format!("called revision {} of @{} “{name}”", next.revision(), next.slug());
            Ok((next, words))
        };
        self.rewrite_artifact(context, "ArtifactSnapshot", (params.workbench_id, params.slug), None, &change).await
    }
}

impl Handle<ArtifactRestore> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactRestoreParams) -> Result<ArtifactOutput, OpError> {
        let author = self.author(context, None, Lock::of(params.override_lock))?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let newest = self.needed_artifact(session.head.state, &params.slug).await?;
        let revision = wanted(&newest.artifact, params.revision, params.snapshot.as_deref())?;
        let old = self.artifact_revision(&newest, revision).await?;
        let base = params.base_revision.or_else(|| Some(newest.tag()));
        let change = move |seen: &SeenArtifact, base: Option<u64>| {
            let next = restore(&seen.artifact, &old.artifact, base, &author, seen.previous())?;
            Ok((next, format!("restored revision {revision} of @{}", seen.artifact.slug())))
        };
        self.rewrite_artifact(context, "ArtifactRestore", (params.workbench_id, params.slug), base, &change).await
    }
}

/// The revision that a call refers to.
fn wanted(artifact: &Artifact, revision: Option<u64>, name: Option<&str>) -> Result<u64, OpError> {
    let wrong = |words: &str| OpError::new(Code::ValidationFailed, words).hint("`jig artifact history` lists both");
    match (revision, name) {
        (Some(revision), None) => Ok(revision),
        (None, Some(name)) => {
            let found = artifact.snapshots.iter().find(|snapshot| snapshot.name == name.trim());
            found.map(|snapshot| snapshot.revision).ok_or_else(|| {
                let names = artifact.snapshots.iter().map(|snapshot| snapshot.name.as_str());
                OpError::new(Code::RevisionNotFound, format!("no revision is called “{}”", super::shown(name)))
                    .suggest(jig_context::document::nearest(name, names))
                    .hint("`jig artifact history` lists the revisions and their names")
            })
        }
        (None, None) => Err(wrong("say where to: a revision, or the name of a snapshot")),
        (Some(_), Some(_)) => Err(wrong("say where to by one of revision and snapshot")),
    }
}

impl Handle<ArtifactHistory> for Workbench {
    async fn handle(&self, _: &CallContext, params: ArtifactHistoryParams) -> Result<ArtifactHistoryOutput, OpError> {
        let limit = page_limit(params.limit)? as usize;
        let below = params.cursor.as_deref().map(|text| text.parse::<u64>().map_err(|_| bad_cursor())).transpose()?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let newest = self.needed_artifact(session.head.state, &params.slug).await?;
        let names = newest.artifact.snapshots.clone();
        let mut at = Some(newest);
        let (mut revisions, mut more) = (Vec::new(), false);
        while let Some(seen) = at {
            let before = self.artifact_before(&seen).await?;
            let revision = &seen.artifact.document.revision;
            if below.is_none_or(|below| revision.number.0 < below) {
                let old = before.as_ref().map(|before| before.artifact.as_ref());
                let named = names.iter().filter(|snapshot| snapshot.revision == revision.number.0);
                revisions.push(ArtifactRevision {
                    revision: revision.number.0,
                    author: revision.author.clone(),
                    reason: revision.reason.clone(),
                    at: revision.at,
                    changes: changes(old.map(|old| &old.document), &seen.artifact.document),
                    lead_changed: old.map_or(!seen.artifact.lead.is_empty(), |old| old.lead != seen.artifact.lead),
                    snapshots: named.map(|snapshot| snapshot.name.clone()).collect(),
                });
            }
            more = before.is_some();
            at = before.filter(|_| revisions.len() < limit);
        }
        let cursor = revisions.last().map(|last| last.revision).filter(|_| more);
        Ok(ArtifactHistoryOutput { has_more: cursor.is_some(), cursor: cursor.map(|last| last.to_string()), revisions })
    }
}

impl Workbench {
    pub(super) fn artifact_error(index: usize, many: bool, error: ArtifactError) -> OpError {
        let mut told: OpError = error.into();
        if many {
            told.info.message = format!("operation {}: {}", index + 1, told.info.message);
        }
        told.hint("nothing was changed: operations are carried out all or none")
    }
}
