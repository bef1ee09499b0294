//! Resolves the base of a write, a tag or a number, to a revision.
//!
//! A base that refers to content that the caller never saw is a conflict. This is decided only here.

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

    /// The revision number of a write's base. A tag must be that of the newest revision, because entries are written as
    /// a unit.
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
    /// The tag of this revision. Naming a revision changes its file but not its content, so names do not count.
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
    /// The revision number of a base of an artifact. An older one is searched along the chain of files, so that a
    /// revision that was undone, or that belonged to a deleted artifact, is not accepted.
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
            // A number above the newest is refused by the artifact itself, with a better message.
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

    /// The operation with its base resolved to a revision number.
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

/// Refuses a write to something without revision numbers if the base differs from the current content. The error
/// contains `newer`, so that the caller can apply the change to it.
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

/// Accepts a number as base unless a deleted workbench with the same id may have used it too.
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
