//! Accepted changes and comments of a review. They are stored in the Draft's record and deleted with the Draft.

use std::collections::BTreeMap;

use jig_contract::ops::*;
use jig_contract::{Actor, BlobHash, Code, OpError, WorkbenchPath};
use jig_store::{Change, Head, Plan};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::review::Changed;
use super::review_compare::marks_of;
use crate::draft::check_base;
use crate::engine::Planned;
use crate::state::{DRAFT_RECORD, DraftRecord, View, no_draft};
use crate::{CallContext, Handle, Workbench};

/// The maximum number of comments per file, and the maximum length of one.
const COMMENTS_MAX: usize = 1_000;
const COMMENT_MAX: usize = 16 << 10;

/// The review marks of a Draft.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewRecord {
    files: BTreeMap<WorkbenchPath, FileReview>,
}

/// The review marks of one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileReview {
    /// Set if the entire file was accepted, as it was between these two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<Versions>,
    /// Accepted changes: id and digest of each, so that another change with the same id stays open.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    changes: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<ReviewNote>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Versions {
    before: Option<BlobHash>,
    after: Option<BlobHash>,
}

impl Versions {
    fn of(changed: &Changed) -> Self {
        Self { before: changed.before.map(|file| file.hash), after: changed.after.map(|file| file.hash) }
    }
}

impl ReviewRecord {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn of(&self, path: &WorkbenchPath) -> Option<&FileReview> {
        self.files.get(path)
    }

    fn is_whole(&self, changed: &Changed) -> bool {
        self.of(&changed.path).is_some_and(|file| file.whole == Some(Versions::of(changed)))
    }

    /// Whether the digests of the current changes are needed to determine how much is accepted.
    pub(super) fn needs_marks(&self, changed: &Changed) -> bool {
        !self.is_whole(changed) && self.of(&changed.path).is_some_and(|file| !file.changes.is_empty())
    }

    /// How much of a file is accepted, and how many of its changes are.
    pub(super) fn state(&self, changed: &Changed, changes: u64, marks: &[(String, String)]) -> (ReviewState, u64) {
        if self.is_whole(changed) {
            return (ReviewState::Accepted, changes);
        }
        let accepted = marks.iter().filter(|(id, mark)| self.has(&changed.path, id, mark)).count() as u64;
        let state = match accepted {
            0 => ReviewState::Open,
            all if all >= changes => ReviewState::Accepted,
            _ => ReviewState::Partly,
        };
        (state, accepted)
    }

    fn has(&self, path: &WorkbenchPath, id: &str, mark: &str) -> bool {
        self.of(path).and_then(|file| file.changes.get(id)).is_some_and(|known| known == mark)
    }

    pub(super) fn comments(&self, path: &WorkbenchPath) -> Vec<ReviewNote> {
        self.of(path).map(|file| file.comments.clone()).unwrap_or_default()
    }

    /// Marks each change of a diff as accepted or open.
    pub(super) fn mark(&self, changed: &Changed, diff: &mut DiffView) {
        let whole = self.is_whole(changed);
        let accepted = |id: &str, mark: &str| whole || self.has(&changed.path, id, mark);
        if let DiffView::Text { hunks, .. } = diff {
            hunks.iter_mut().for_each(|hunk| hunk.accepted = accepted(&hunk.id, &hunk.mark));
        }
        for change in diff.parts_mut().into_iter().flat_map(|parts| &mut parts.groups).flat_map(|one| &mut one.changes)
        {
            change.accepted = accepted(&change.id, &change.mark);
        }
    }
}

/// An addition to the record.
#[derive(Clone)]
enum Said {
    Whole(Versions),
    Changes(Vec<(String, String)>),
    Comment(ReviewNote),
}

impl Workbench {
    /// The record and the changed file that a review call refers to.
    async fn reviewed(&self, head: &Head, path: &WorkbenchPath) -> Result<(DraftRecord, Changed), OpError> {
        let record = View::of(self.store(), head).draft().await?.ok_or_else(no_draft)?;
        let (_, changes) = self.draft_changes(head, &record).await?;
        Ok((record, self.changed_file(head, changes, path).await?))
    }

    /// The current digests of these changes. A missing one is a conflict.
    async fn present(
        &self,
        context: &CallContext,
        changed: &Changed,
        ids: &[String],
    ) -> Result<Vec<(String, String)>, OpError> {
        let said = self.compared(context, changed, json!({ "overview": true, "marks": true })).await?;
        let marks = marks_of(&said);
        let known: Vec<&str> = marks.iter().map(|(id, _)| id.as_str()).collect();
        let mut found = Vec::new();
        for id in ids {
            let places = jig_files::select(&known, id);
            if places.is_empty() {
                return Err(no_change(id, changed, &marks));
            }
            found.extend(places.into_iter().filter_map(|at| marks.get(at).cloned()));
        }
        Ok(found)
    }

    async fn keep(
        &self,
        context: &CallContext,
        session: &mut crate::engine::Session,
        operation: &'static str,
        path: &WorkbenchPath,
        summary: String,
        said: Said,
    ) -> Result<(), OpError> {
        let plan = |head: Head| {
            let (said, summary) = (said.clone(), summary.clone());
            Box::pin(async move {
                let mut record = View::of(self.store(), &head).draft().await?.ok_or_else(no_draft)?;
                let file = record.review.files.entry(path.clone()).or_default();
                match said {
                    Said::Whole(versions) => file.whole = Some(versions),
                    Said::Changes(changes) => file.changes.extend(changes),
                    Said::Comment(comment) => file.comments.push(comment),
                }
                let edit = self.record_edit(&record).await?;
                let state = self.store().edit(head.state, &[edit]).await?;
                let change = Change::new(context.actor.clone(), operation, summary, state);
                Ok(Plan::change(change, vec![DRAFT_RECORD.to_owned()], ()))
            }) as Planned<'_, _>
        };
        self.change(session, plan).await
    }
}

/// An empty list selects nothing; it never means the entire file.
pub(super) fn check_chosen(changes: Option<&[String]>, verb: &str) -> Result<(), OpError> {
    if changes.is_some_and(<[String]>::is_empty) {
        let error = OpError::new(Code::ValidationFailed, "`changes` is empty: no change is chosen");
        return Err(error.hint(format!("leave `changes` out to {verb} the whole file")));
    }
    Ok(())
}

/// The error for a change id from another diff.
fn no_change(id: &str, changed: &Changed, marks: &[(String, String)]) -> OpError {
    let near = crate::state::nearest(id, marks.iter().map(|(id, _)| id.clone()));
    let words = format!("there is no change `{id}` in `{}` as it is now", changed.path);
    let error = OpError::new(Code::Conflict, words).action("reload");
    error.suggest(near).hint(format!("`jig review {}` shows its changes", changed.path))
}

impl Handle<ReviewAccept> for Workbench {
    async fn handle(&self, context: &CallContext, params: ReviewAcceptParams) -> Result<ReviewAcceptOutput, OpError> {
        let (id, path) = (params.workbench_id.check()?, params.path.check()?);
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        check_chosen(params.changes.as_deref(), "accept")?;
        let mut session = self.enter(&id).await?;
        let (_, changed) = self.reviewed(&session.head, &path).await?;
        check_base(&path, base, changed.after.as_ref())?;
        let (said, what) = match &params.changes {
            None => (Said::Whole(Versions::of(&changed)), "the changes".to_owned()),
            Some(ids) => {
                let marks = self.present(context, &changed, ids).await?;
                let what = super::count(marks.len() as u64, "change");
                (Said::Changes(marks), what)
            }
        };
        self.keep(context, &mut session, "ReviewAccept", &path, format!("accepted {what} of {path}"), said).await?;
        let (record, changed) = self.reviewed(&session.head, &path).await?;
        Ok(ReviewAcceptOutput { file: self.file_change(context, &changed, &record.review).await? })
    }
}

impl Handle<ReviewComment> for Workbench {
    async fn handle(&self, context: &CallContext, params: ReviewCommentParams) -> Result<ReviewCommentOutput, OpError> {
        let (id, path) = (params.workbench_id.check()?, params.path.check()?);
        let text = params.text.trim().to_owned();
        if text.is_empty() || text.len() > COMMENT_MAX {
            let words = format!("a comment has 1 to {COMMENT_MAX} bytes; this one has {}", text.len());
            return Err(OpError::new(Code::ValidationFailed, words).hint("say it shorter"));
        }
        let mut session = self.enter(&id).await?;
        let (record, changed) = self.reviewed(&session.head, &path).await?;
        if record.review.comments(&path).len() >= COMMENTS_MAX {
            let words = format!("`{path}` has {COMMENTS_MAX} comments already");
            return Err(OpError::new(Code::LimitExceeded, words).hint("publish or discard the Draft to begin anew"));
        }
        if let Some(change) = &params.change {
            self.present(context, &changed, std::slice::from_ref(change)).await?;
        }
        let author = match &context.actor {
            Actor::Person { name: Some(name) } | Actor::Agent { name: Some(name), .. } => name.clone(),
            Actor::Person { .. } => "person".to_owned(),
            _ => "agent".to_owned(),
        };
        let comment = ReviewNote { change: params.change, text, author, at: self.env().now() };
        let summary = format!("commented on {path}");
        self.keep(context, &mut session, "ReviewComment", &path, summary, Said::Comment(comment.clone())).await?;
        Ok(ReviewCommentOutput { comment })
    }
}
