//! Reviews a Draft: its changes compared with its base.

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, WorkbenchPath};
use jig_store::{FileNode, Head, TreeChange};
use serde_json::json;

use crate::handlers::{changed_paths, stored_path};
use crate::state::{DraftRecord, View, no_draft, no_file};
use crate::{CallContext, Handle, Workbench};

/// The maximum size of a file that is read to verify its stored content.
const VERIFIED_BYTES: u64 = 4 << 20;

/// What the Draft is compared with.
pub(crate) struct Reference {
    pub(crate) source: ReferenceSource,
    pub(crate) warning: Option<String>,
}

/// The changed files of a Draft.
pub(crate) struct DraftChanges {
    pub(crate) list: Vec<Changed>,
}

/// A changed file, before its content is read.
pub(crate) struct Changed {
    pub(crate) path: WorkbenchPath,
    pub(crate) change: ChangeType,
    pub(super) before: Option<FileNode>,
    pub(super) after: Option<FileNode>,
}

impl Workbench {
    /// The changes of the Draft compared with its base, or with the published state if the base cannot be read.
    pub(crate) async fn draft_changes(
        &self,
        head: &Head,
        record: &DraftRecord,
    ) -> Result<(Reference, DraftChanges), OpError> {
        let draft = View::of(self.store(), head).root_hash(Root::Draft).await?;
        let (reference, changes) = match self.changes_since(record.base_state, draft).await {
            Ok(changes) => (Reference { source: ReferenceSource::DraftStart, warning: None }, changes),
            Err(error) => {
                let warning = format!(
                    "the state at the Draft's start cannot be read, so this compares with what is published: {error}"
                );
                let changes = self.changes_since(head.state, draft).await?;
                (Reference { source: ReferenceSource::Published, warning: Some(warning) }, changes)
            }
        };
        let list = changes.iter().map(changed).collect::<Result<_, _>>()?;
        Ok((reference, DraftChanges { list }))
    }

    /// The base version of a file, or the published one with a warning if the store has lost the content.
    pub(super) async fn readable_reference(
        &self,
        head: &Head,
        path: &WorkbenchPath,
        start: FileNode,
    ) -> Result<(FileNode, Option<String>), OpError> {
        let blobs = self.store().blobs();
        // A small file is read, because it may be stored but damaged.
        let is_stored = async |file: FileNode| match blobs.info(&file.hash).await? {
            Some(info) if info.bytes != file.bytes => Ok::<_, OpError>(false),
            Some(_) => Ok(file.bytes > VERIFIED_BYTES || blobs.verify(&file.hash).await.is_ok()),
            None => Ok(false),
        };
        if is_stored(start).await? {
            return Ok((start, None));
        }
        let Some(now) = View::of(self.store(), head).file(Root::Published, path).await? else {
            return Ok((start, None));
        };
        let mut is_readable = is_stored(now).await?;
        if !is_readable && let Some(folder) = self.folder(&head.id) {
            is_readable = folder.put_back(self.store(), &format!("published/{path}"), &now.hash).await?;
        }
        if !is_readable {
            return Ok((start, None));
        }
        let words = format!("the content of `{path}` at the Draft's start is missing, so this uses what is published");
        Ok((now, Some(words)))
    }

    /// The base version of one file under review.
    async fn with_readable_reference(
        &self,
        head: &Head,
        reference: &mut Reference,
        mut changed: Changed,
    ) -> Result<Changed, OpError> {
        if let Some(start) = changed.before {
            let (before, warning) = self.readable_reference(head, &changed.path, start).await?;
            changed.before = Some(before);
            if warning.is_some() {
                *reference = Reference { source: ReferenceSource::Published, warning };
            }
        }
        Ok(changed)
    }

    /// Files changed outside the Draft. Unknown if the Draft's base is lost, which the warning reports.
    pub(crate) async fn changed_outside(
        &self,
        head: &Head,
        record: &DraftRecord,
        reference: &Reference,
    ) -> Result<Vec<WorkbenchPath>, OpError> {
        match reference.source {
            ReferenceSource::Published => Ok(Vec::new()),
            ReferenceSource::DraftStart => changed_paths(&self.published_changes(head, record).await?),
        }
    }

    /// The changed file at this path, or an error with alternatives.
    pub(super) async fn changed_file(
        &self,
        head: &Head,
        changes: DraftChanges,
        path: &WorkbenchPath,
    ) -> Result<Changed, OpError> {
        if let Some(changed) = changes.list.into_iter().find(|changed| changed.path == *path) {
            return Ok(changed);
        }
        let view = View::of(self.store(), head);
        Err(match view.file(Root::Draft, path).await? {
            Some(_) => OpError::new(Code::FileNotFound, format!("the Draft does not change `{path}`"))
                .hint("`jig review` lists the files that it changes"),
            None => no_file(view, Root::Draft, path).await,
        })
    }

    async fn changes_since(&self, state: BlobHash, draft: Option<BlobHash>) -> Result<Vec<TreeChange>, OpError> {
        let base = View::at(self.store(), state).root_hash(Root::Published).await?;
        Ok(self.store().diff(base, draft).await?)
    }
}

fn changed(change: &TreeChange) -> Result<Changed, OpError> {
    let kind = match (&change.before, &change.after) {
        (None, _) => ChangeType::Added,
        (_, None) => ChangeType::Deleted,
        _ => ChangeType::Modified,
    };
    Ok(Changed { path: stored_path(&change.path)?, change: kind, before: change.before, after: change.after })
}

impl Handle<ReviewGetChangeSet> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ReviewGetChangeSetParams,
    ) -> Result<ReviewGetChangeSetOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let record = View::of(self.store(), &session.head).draft().await?.ok_or_else(no_draft)?;
        let (reference, changed) = self.draft_changes(&session.head, &record).await?;
        let mut shown = Reference { source: reference.source, warning: reference.warning.clone() };
        let mut changes = Vec::with_capacity(changed.list.len());
        for one in changed.list {
            context.check_cancelled()?;
            let one = self.with_readable_reference(&session.head, &mut shown, one).await?;
            changes.push(self.file_change(context, &one, &record.review).await?);
        }
        let made = self.made_by_agents(&session.head, &record).await?;
        for change in &mut changes {
            change.steps = made.steps.get(change.path.as_str()).cloned().unwrap_or_default();
        }
        let summary = self.run_summary(&session.id, &made).await;
        let published_changed = self.changed_outside(&session.head, &record, &reference).await?;
        Ok(ReviewGetChangeSetOutput {
            reference_source: shown.source,
            reference_label: shown.source.label().to_owned(),
            reference_warning: shown.warning,
            changes,
            published_changed,
            tag: self.review_tag(&session.head).await?,
            summary,
        })
    }
}

impl Handle<ReviewGetDiff> for Workbench {
    async fn handle(&self, context: &CallContext, params: ReviewGetDiffParams) -> Result<ReviewGetDiffOutput, OpError> {
        let id = params.workbench_id.check()?;
        let path = params.path.check()?;
        let page = params.page.unwrap_or(1);
        let session = self.enter(&id).await?;
        let record = View::of(self.store(), &session.head).draft().await?.ok_or_else(no_draft)?;
        let (mut reference, changed) = self.draft_changes(&session.head, &record).await?;
        let changed = self.changed_file(&session.head, changed, &path).await?;
        let changed = self.with_readable_reference(&session.head, &mut reference, changed).await?;
        drop(session);
        let marks = record.review.needs_marks(&changed);
        let answer = self.compared(context, &changed, json!({ "page": page, "marks": marks })).await?;
        let file = self.told(&changed, &record.review, &answer).await?;
        let mut diff: DiffView = serde_json::from_value(answer["diff"].clone())
            .map_err(|e| OpError::new(Code::Internal, "the file engine's diff has another shape").because(e))?;
        record.review.mark(&changed, &mut diff);
        Ok(ReviewGetDiffOutput {
            file,
            hash_before: changed.before.map(|file| file.hash),
            hash_after: changed.after.map(|file| file.hash),
            reference_source: reference.source,
            reference_label: reference.source.label().to_owned(),
            reference_warning: reference.warning,
            diff,
            page,
            pages: answer["pages"].as_u64().and_then(|pages| u32::try_from(pages).ok()).unwrap_or(1),
        })
    }
}
