//! From the base of a write, a tag or a number, to the revision that it names.
//!
//! A base that names content which the caller never saw is a conflict. This is the only place that decides it.

use jig_contract::ops::ArtifactOp;
use jig_contract::{Code, OpError, RevisionTag, WorkbenchId};
use jig_store::SpentRevisions;
use serde_json::{Value, json};

use crate::Workbench;
use crate::artifacts::SeenArtifact;
use crate::entries::Seen;

impl Seen {
    /// The tag of this revision.
    pub(crate) fn tag(&self) -> RevisionTag {
        RevisionTag::of(self.entry.revision(), &self.hash)
    }

    /// The number of the revision that a write was made on. A tag must be the newest: entries are written as one.
    pub(crate) fn base(
        seen: Option<&Self>,
        base: Option<&RevisionTag>,
        spent: SpentRevisions,
    ) -> Result<Option<u64>, OpError> {
        match (base, seen) {
            (None, _) => Ok(None),
            (Some(RevisionTag::Number(number)), _) => number_base(*number, spent, seen.map(Self::tag)).map(Some),
            (Some(tag), Some(seen)) if *tag == seen.tag() => Ok(Some(seen.entry.revision())),
            (Some(tag), None) => Err(changed(tag, None)),
            (Some(tag), Some(seen)) => {
                let newest = (seen.entry.revision(), seen.tag());
                let mut error = changed(tag, Some(newest));
                if let Some(detail) = error.info.detail.as_mut() {
                    detail["newer_revision"] = json!(seen.entry.document.revision);
                }
                Err(error)
            }
        }
    }
}

impl SeenArtifact {
    /// The tag of this revision. Naming a revision changes its file and not its content, so names do not count.
    pub(crate) fn tag(&self) -> RevisionTag {
        if self.artifact.snapshots.is_empty() {
            return RevisionTag::of(self.artifact.revision(), &self.hash);
        }
        let mut unnamed = (*self.artifact).clone();
        unnamed.snapshots.clear();
        RevisionTag::of(self.artifact.revision(), &jig_store::hash_of(&unnamed.to_json()))
    }
}

impl Workbench {
    /// The number of the revision of an artifact that a write was made on. An older one is found along the chain of
    /// its files, so that a revision that was undone, or belonged to a deleted artifact, is no base.
    pub(crate) async fn artifact_base(
        &self,
        id: &WorkbenchId,
        seen: Option<&SeenArtifact>,
        base: Option<&RevisionTag>,
    ) -> Result<Option<u64>, OpError> {
        let Some(base) = base else { return Ok(None) };
        let Some(newest) = seen else {
            return if base.is_nothing() { Ok(Some(0)) } else { Err(changed(base, None)) };
        };
        if let RevisionTag::Number(number) = base {
            let path = jig_context::artifact::path_of(&newest.artifact.document.kind);
            let spent = self.store().spent_revisions(id, &path).await?;
            number_base(*number, spent, Some(newest.tag()))?;
            // Above the newest: the artifact itself refuses it, with the number that there is.
            if *number == 0 || *number >= newest.artifact.revision() {
                return Ok(Some(*number));
            }
        }
        let mut at = Some(newest.clone());
        while let Some(seen) = at {
            let found = match base {
                RevisionTag::Number(number) => seen.artifact.revision() == *number,
                RevisionTag::Content(_) => seen.tag() == *base,
            };
            if found {
                return Ok(Some(seen.artifact.revision()));
            }
            at = self.artifact_before(&seen).await?;
        }
        Err(changed(base, Some((newest.artifact.revision(), newest.tag()))).detail(json!({
            "artifact": newest.artifact.slug(), "base_revision": base, "newest": newest.artifact.revision(),
            "etag": newest.tag(), "content": newest.artifact.markdown(),
        })))
    }

    /// The operation with its base as the number of a revision.
    pub(crate) async fn with_number(
        &self,
        id: &WorkbenchId,
        seen: &SeenArtifact,
        op: &ArtifactOp,
    ) -> Result<ArtifactOp, OpError> {
        let base = self.artifact_base(id, Some(seen), op.base_revision()).await?;
        Ok(op.clone().with_base(base.map(RevisionTag::Number)))
    }
}

/// Refuses a write to something without revision numbers whose base is not what is there now. `newer` is what the
/// refusal shows, so that the caller can apply the change to it.
pub(crate) fn check_content_base(
    base: Option<&RevisionTag>,
    newest: Option<&RevisionTag>,
    newer: impl FnOnce() -> Value,
) -> Result<(), OpError> {
    let Some(base) = base else { return Ok(()) };
    if newest == Some(base) || (newest.is_none() && base.is_nothing()) {
        return Ok(());
    }
    let mut error = changed(base, newest.map(|tag| (0, tag.clone())));
    error.info.detail = Some(json!({ "base_revision": base, "etag": newest, "newer": newest.map(|_| newer()) }));
    Err(error)
}

/// A number is a base unless a deleted workbench of the same id may have used it as well.
fn number_base(number: u64, spent: SpentRevisions, newest: Option<RevisionTag>) -> Result<u64, OpError> {
    if number == 0 || number > spent.in_former_workbench {
        return Ok(number);
    }
    let newest = newest.map(|tag| (tag.number().unwrap_or_default(), tag));
    Err(changed(&RevisionTag::Number(number), newest))
}

fn changed(base: &RevisionTag, newest: Option<(u64, RevisionTag)>) -> OpError {
    let (number, tag) = newest.unzip();
    let message = match tag {
        Some(_) if base.is_nothing() => "the resource already exists; nothing was written".to_owned(),
        Some(_) => format!("the resource has changed since revision `{base}` was read; nothing was written"),
        None => format!("the resource was deleted since revision `{base}` was read; nothing was written"),
    };
    OpError::new(Code::Conflict, message)
        .hint("read it again, apply your change to what is there now, and pass its `etag` as `base_revision`")
        .detail(json!({ "base_revision": base, "newest": number, "etag": tag }))
        .action("reload")
}
