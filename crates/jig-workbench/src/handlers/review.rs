//! Reviewing a Draft: what it changes, against the state at its start.

use std::num::NonZeroUsize;

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, WorkbenchPath};
use jig_files::{Diff, FileKind, Hunk, LineTag, OpaqueDiff, OpaqueSide, TextDiff, diff, summary};
use jig_store::{FileNode, Head, TreeChange};

use crate::handlers::{changed_paths, stored_path};
use crate::state::{DraftRecord, View, no_draft, no_file};
use crate::{CallContext, Handle, Workbench};

/// Files up to this size are compared inside; of larger ones only sizes are told.
const COMPARE_MAX: u64 = 32 << 20;
/// How many lines of hunks a page has.
const PAGE_LINES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// What the Draft is compared with.
pub(crate) struct Reference {
    pub(crate) source: ReferenceSource,
    pub(crate) warning: Option<String>,
}

/// The changed files of a Draft.
pub(crate) struct DraftChanges {
    pub(crate) list: Vec<Changed>,
}

/// One changed file, before anything is read.
pub(crate) struct Changed {
    pub(crate) path: WorkbenchPath,
    pub(crate) change: ChangeType,
    before: Option<FileNode>,
    after: Option<FileNode>,
}

impl Workbench {
    /// What the Draft changes against its start, or against what is published when the start cannot be read.
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

    /// The files changed outside; none can be named when the Draft's start is lost, which the warning says.
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

    async fn changes_since(&self, state: BlobHash, draft: Option<BlobHash>) -> Result<Vec<TreeChange>, OpError> {
        let base = View::at(self.store(), state).root_hash(Root::Published).await?;
        Ok(self.store().diff(base, draft).await?)
    }

    async fn compare(&self, changed: &Changed) -> Result<(FileChange, Diff), OpError> {
        let before = self.side(&changed.path, changed.before.as_ref()).await?;
        let after = self.side(&changed.path, changed.after.as_ref()).await?;
        let sides = [&before, &after];
        let inside = sides.iter().flat_map(|side| side.as_ref()).all(|side| comparable(*side));
        let diff = if inside {
            let old = self.bytes_of(changed.before.as_ref()).await?;
            let new = self.bytes_of(changed.after.as_ref()).await?;
            let kind = |side: &Option<OpaqueSide>| side.map_or(FileKind::Empty, |side| side.kind);
            diff(kind(&before), kind(&after), old.as_deref(), new.as_deref())
        } else {
            Diff::Opaque(OpaqueDiff { old: before, new: after, same_bytes: false })
        };
        let kind = after.or(before).map_or(FileKind::Empty, |side| side.kind);
        let file = FileChange {
            path: changed.path.clone(),
            change: changed.change,
            kind: kind.as_str().to_owned(),
            bytes_before: changed.before.as_ref().map(|file| file.bytes),
            bytes_after: changed.after.as_ref().map(|file| file.bytes),
            summary: summary(&diff),
            focus: focus(&diff),
        };
        Ok((file, diff))
    }

    async fn side(&self, path: &WorkbenchPath, file: Option<&FileNode>) -> Result<Option<OpaqueSide>, OpError> {
        let Some(file) = file else { return Ok(None) };
        let info = self.describe_one(path, *file).await?;
        let kind = info.kind.parse().unwrap_or(FileKind::Binary);
        Ok(Some(OpaqueSide { kind, size: usize::try_from(file.bytes).unwrap_or(usize::MAX) }))
    }

    async fn bytes_of(&self, file: Option<&FileNode>) -> Result<Option<bytes::Bytes>, OpError> {
        match file {
            Some(file) => Ok(Some(self.store().blobs().get(&file.hash).await?)),
            None => Ok(None),
        }
    }
}

/// Whether a version is compared inside.
fn comparable(side: OpaqueSide) -> bool {
    (side.kind.is_text() || side.kind == FileKind::Empty) && side.size as u64 <= COMPARE_MAX
}

fn changed(change: &TreeChange) -> Result<Changed, OpError> {
    let kind = match (&change.before, &change.after) {
        (None, _) => ChangeType::Added,
        (_, None) => ChangeType::Deleted,
        _ => ChangeType::Modified,
    };
    Ok(Changed { path: stored_path(&change.path)?, change: kind, before: change.before, after: change.after })
}

fn focus(diff: &Diff) -> Option<String> {
    match diff {
        Diff::Text(text) => text.hunks.first().map(|hunk| format!("line {}", hunk.new_start.max(1))),
        Diff::Opaque(_) => None,
    }
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
        let mut changes = Vec::with_capacity(changed.list.len());
        for one in &changed.list {
            context.check_cancelled()?;
            changes.push(self.compare(one).await?.0);
        }
        let published_changed = self.changed_outside(&session.head, &record, &reference).await?;
        Ok(ReviewGetChangeSetOutput {
            reference_source: reference.source,
            reference_label: reference.source.label().to_owned(),
            reference_warning: reference.warning,
            changes,
            published_changed,
        })
    }
}

impl Handle<ReviewGetDiff> for Workbench {
    async fn handle(&self, _: &CallContext, params: ReviewGetDiffParams) -> Result<ReviewGetDiffOutput, OpError> {
        let id = params.workbench_id.check()?;
        let path = params.path.check()?;
        let page = params.page.unwrap_or(1);
        let session = self.enter(&id).await?;
        let view = View::of(self.store(), &session.head);
        let record = view.draft().await?.ok_or_else(no_draft)?;
        let (reference, changed) = self.draft_changes(&session.head, &record).await?;
        let Some(changed) = changed.list.iter().find(|changed| changed.path == path) else {
            return Err(match view.file(Root::Draft, &path).await? {
                Some(_) => OpError::new(Code::FileNotFound, format!("the Draft does not change `{path}`"))
                    .hint("`jig review` lists the files that it changes"),
                None => no_file(view, Root::Draft, &path).await,
            });
        };
        let (file, diff) = self.compare(changed).await?;
        let (diff, pages) = shown(&diff, page)?;
        Ok(ReviewGetDiffOutput {
            file,
            reference_source: reference.source,
            reference_label: reference.source.label().to_owned(),
            reference_warning: reference.warning,
            diff,
            page,
            pages,
        })
    }
}

fn shown(diff: &Diff, page: u32) -> Result<(DiffView, u32), OpError> {
    let no_page = |pages: usize| {
        OpError::new(Code::ValidationFailed, format!("there is no page {page}"))
            .hint(format!("the diff has pages 1 to {pages}"))
    };
    let index = (page as usize).checked_sub(1);
    match diff {
        Diff::Opaque(opaque) if index == Some(0) => Ok((DiffView::Opaque { notes: vec![opaque.summary()] }, 1)),
        Diff::Opaque(_) => Err(no_page(1)),
        Diff::Text(text) => {
            let pages = text.page(0, PAGE_LINES).map_or(1, |first| first.total_pages);
            let shown = index.and_then(|index| text.page(index, PAGE_LINES)).ok_or_else(|| no_page(pages))?;
            let view = DiffView::Text {
                added: text.added as u64,
                removed: text.removed as u64,
                hunks: shown.hunks.iter().map(hunk).collect(),
                notes: notes(text),
            };
            Ok((view, u32::try_from(pages).unwrap_or(u32::MAX)))
        }
    }
}

/// What the lines themselves do not show.
fn notes(text: &TextDiff) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(change) = &text.encoding_changed {
        notes.push(format!("encoding changed from {} to {}", change.old, change.new));
    }
    if let Some(change) = &text.line_ending_changed {
        notes.push(format!("line endings changed from {} to {}", change.old.words(), change.new.words()));
    }
    if text.undecodable_changed {
        notes.push("some bytes that are not text may differ".to_owned());
    }
    if text.alignment == jig_files::Alignment::Coarse {
        notes
            .push("the texts are too different to match line by line; the changed part is shown as a whole".to_owned());
    }
    notes
}

fn hunk(hunk: &Hunk) -> DiffHunk {
    DiffHunk {
        old_start: hunk.old_start as u64,
        old_count: hunk.old_count as u64,
        new_start: hunk.new_start as u64,
        new_count: hunk.new_count as u64,
        lines: hunk.lines.iter().map(line).collect(),
    }
}

fn line(line: &jig_files::DiffLine) -> DiffLine {
    let tag = match line.tag {
        LineTag::Context => DiffTag::Context,
        LineTag::Added => DiffTag::Added,
        LineTag::Removed => DiffTag::Removed,
    };
    DiffLine { tag, text: line.text.clone(), no_newline: line.no_newline }
}
