//! Publishes a Draft in one commit.

use std::collections::BTreeSet;

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchPath};
use jig_store::{Change, CheckpointOf, Head, NewCheckpoint, Plan, TreeChange, TreeEdit};
use serde_json::json;

use crate::engine::Planned;
use crate::events::Progress;
use crate::handlers::{changed_paths, count, names, stored_path};
use crate::state::{DRAFT_RECORD, DraftRecord, View, no_draft};
use crate::{CallContext, Handle, Workbench};

impl Handle<DraftPublish> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftPublishParams) -> Result<DraftPublishOutput, OpError> {
        let id = params.workbench_id.check()?;
        let confirmed = params.confirm_deletions.iter().map(|p| p.check()).collect::<Result<BTreeSet<_>, _>>()?;
        let mut session = self.enter(&id).await?;
        let now = || self.env().now();
        let seq = session.head.seq;
        let progress = Progress { events: self.sender(), id: &id, seq, operation: "DraftPublish", now: &now };

        let reviewed = params.reviewed.as_deref();
        let request = &Request { confirmed: &confirmed, on_conflict: params.on_conflict, reviewed };
        let progress = &progress;
        let plan = |head: Head| {
            Box::pin(async move { self.plan_publish(context, &head, request, progress).await }) as Planned<'_, _>
        };
        let published = self.change(&mut session, plan).await;
        progress.phase(if published.is_ok() { "finalizing" } else { "rolling_back" });
        let Published { changes, taken_from_outside } = published?;
        let checkpoint = self.store().checkpoint_made_by(&id, session.head.seq).await?;
        let Difference { added, modified, deleted } = changes;
        Ok(DraftPublishOutput { added, modified, deleted, checkpoint_id: checkpoint.id, taken_from_outside })
    }
}

struct Request<'a> {
    confirmed: &'a BTreeSet<WorkbenchPath>,
    on_conflict: OnConflict,
    /// The tag of the reviewed change set.
    reviewed: Option<&'a str>,
}

impl Workbench {
    /// Identifies the effect of publishing: the Draft's files and the published ones they replace.
    pub(super) async fn review_tag(&self, head: &Head) -> Result<String, OpError> {
        let view = View::of(self.store(), head);
        let (draft, published) = (view.root_hash(Root::Draft).await?, view.root_hash(Root::Published).await?);
        let text = format!("{draft:?} over {published:?}");
        Ok(jig_store::hash_of(text.as_bytes()).to_string().chars().take(32).collect())
    }

    /// Refuses to publish an unfinished Draft, or one that has changed since the review.
    async fn check_publishable(&self, head: &Head, request: &Request<'_>) -> Result<(), OpError> {
        if let Some(session) = self.store().held_sessions(&head.id).await?.first() {
            let message = "the Draft was not published: a run is still working on this workbench";
            return Err(OpError::new(Code::RunActive, message)
                .subphase("validating")
                .action("cancel")
                .hint("wait until the run has finished, or cancel it, and publish then")
                .detail(json!({ "session_id": session })));
        }
        let Some(reviewed) = request.reviewed else { return Ok(()) };
        if self.review_tag(head).await? == reviewed {
            return Ok(());
        }
        let message = "the Draft has changed since it was reviewed; nothing was published";
        Err(OpError::new(Code::Conflict, message)
            .subphase("validating")
            .action("review")
            .hint("review the Draft as it is now, and publish that"))
    }

    async fn plan_publish(
        &self,
        context: &CallContext,
        head: &Head,
        request: &Request<'_>,
        progress: &Progress<'_>,
    ) -> Result<Plan<Published>, OpError> {
        progress.phase("validating");
        let record = &View::of(self.store(), head).draft().await?.ok_or_else(no_draft)?;
        self.check_publishable(head, request).await?;
        progress.phase("conflict_check");
        let (outside, conflict) = match self.published_changes(head, record).await {
            Ok(outside) => (outside.clone(), !outside.is_empty()),
            // The Draft's base is lost, so changes outside cannot be detected. Keeping the Draft's version is still
            // possible.
            Err(_) if request.on_conflict == OnConflict::KeepDraft => (Vec::new(), true),
            Err(error) => {
                return Err(error.subphase("conflict_check").hint(
                    "`jig publish --on-conflict keep-draft` publishes the Draft and keeps what is published as a checkpoint",
                ));
            }
        };
        if conflict && request.on_conflict == OnConflict::Stop {
            return Err(published_changed(&outside)?);
        }
        let take_outside = conflict && request.on_conflict == OnConflict::TakeOutside;
        let mut edits = match take_outside {
            true => self.merged(record, head, &outside).await?,
            false => self.whole_draft(head).await?,
        };
        edits.push(TreeEdit::Remove { path: Root::Draft.folder().to_owned() });
        edits.push(TreeEdit::Remove { path: DRAFT_RECORD.to_owned() });
        let state = self.store().edit(head.state, &edits).await?;

        let changes = self.published_difference(head, state).await?;
        check_deletions(&changes.deleted, request.confirmed)?;
        context.check_cancelled()?;
        progress.phase("checkpoint_pre_publish");
        let checkpoint = checkpoint(conflict, request.on_conflict);
        let change =
            Change::new(context.actor.clone(), "DraftPublish", summary(&changes), state).with_checkpoint(checkpoint);
        let touches = [Root::Draft.folder(), Root::Published.folder(), DRAFT_RECORD].map(str::to_owned).to_vec();
        let taken_from_outside = if take_outside { changed_paths(&outside)? } else { Vec::new() };
        progress.phase("swap");
        Ok(Plan::change(change, touches, Published { changes, taken_from_outside }))
    }

    /// Replaces the published tree with the Draft's: a single edit, whatever its size.
    async fn whole_draft(&self, head: &Head) -> Result<Vec<TreeEdit>, OpError> {
        let path = Root::Published.folder().to_owned();
        Ok(match View::of(self.store(), head).root(Root::Draft).await? {
            Some(node) => vec![TreeEdit::Folder { path, node }],
            None => vec![TreeEdit::Remove { path }],
        })
    }

    /// Applies the Draft's changes to the published tree, except to files that were changed outside.
    async fn merged(
        &self,
        record: &DraftRecord,
        head: &Head,
        outside: &[TreeChange],
    ) -> Result<Vec<TreeEdit>, OpError> {
        let outside: BTreeSet<&str> = outside.iter().map(|change| change.path.as_str()).collect();
        let base = View::at(self.store(), record.base_state).root_hash(Root::Published).await?;
        let draft = View::of(self.store(), head).root_hash(Root::Draft).await?;
        let own = self.store().diff(base, draft).await?;
        Ok(own.iter().filter(|change| !outside.contains(change.path.as_str())).map(publish_edit).collect())
    }

    async fn published_difference(&self, head: &Head, state: jig_contract::BlobHash) -> Result<Difference, OpError> {
        let before = View::of(self.store(), head).root_hash(Root::Published).await?;
        let after = View::at(self.store(), state).root_hash(Root::Published).await?;
        let mut difference = Difference::default();
        for change in self.store().diff(before, after).await? {
            let path = stored_path(&change.path)?;
            match (&change.before, &change.after) {
                (None, _) => difference.added.push(path),
                (_, None) => difference.deleted.push(path),
                _ => difference.modified.push(path),
            }
        }
        Ok(difference)
    }
}

/// The effect of a publish.
struct Published {
    changes: Difference,
    taken_from_outside: Vec<WorkbenchPath>,
}

#[derive(Default)]
struct Difference {
    added: Vec<WorkbenchPath>,
    modified: Vec<WorkbenchPath>,
    deleted: Vec<WorkbenchPath>,
}

fn publish_edit(change: &TreeChange) -> TreeEdit {
    let path = format!("{}/{}", Root::Published.folder(), change.path);
    match change.after {
        Some(file) => TreeEdit::File { path, hash: file.hash, bytes: file.bytes },
        None => TreeEdit::Remove { path },
    }
}

fn published_changed(outside: &[TreeChange]) -> Result<OpError, OpError> {
    let paths = changed_paths(outside)?;
    let message = format!("published files were changed outside since the Draft began: {}", names(&paths));
    Ok(OpError::new(Code::ConflictPublishedChanged, message)
        .subphase("conflict_check")
        .action("take_outside")
        .action("keep_draft")
        .hint("`jig publish --on-conflict take-outside` takes the outside version of these files and the Draft's other changes")
        .hint("`jig publish --on-conflict keep-draft` publishes the Draft's version and keeps the outside one as a checkpoint")
        .detail(json!({ "paths": paths })))
}

/// Files are only deleted if the caller named them; a named file that would not be deleted is an error too.
fn check_deletions(deleted: &[WorkbenchPath], confirmed: &BTreeSet<WorkbenchPath>) -> Result<(), OpError> {
    let missing: Vec<WorkbenchPath> = deleted.iter().filter(|path| !confirmed.contains(*path)).cloned().collect();
    if !missing.is_empty() {
        let message = format!("publishing deletes {}, which is not confirmed", names(&missing));
        return Err(OpError::new(Code::DeletionNotConfirmed, message)
            .subphase("validating")
            .action("confirm")
            .hint("name each file in `confirm_deletions` (`--confirm-deletion PATH`)")
            .detail(json!({ "paths": missing })));
    }
    match confirmed.iter().find(|path| !deleted.contains(path)) {
        None => Ok(()),
        Some(path) => Err(OpError::new(Code::ValidationFailed, format!("publishing does not delete `{path}`"))
            .subphase("validating")
            .hint("`jig review` lists the files that the Draft deletes")),
    }
}

fn checkpoint(conflict: bool, on_conflict: OnConflict) -> NewCheckpoint {
    let (name, reason) = match (conflict, on_conflict) {
        (true, OnConflict::KeepDraft) => ("Published files as changed outside", CheckpointReason::Conflict),
        (true, _) => ("Draft before outside changes were taken", CheckpointReason::Conflict),
        (false, _) => ("Before publish", CheckpointReason::Publish),
    };
    NewCheckpoint { name: name.to_owned(), reason, of: CheckpointOf::Before }
}

fn summary(changes: &Difference) -> String {
    let parts = [("added", &changes.added), ("changed", &changes.modified), ("deleted", &changes.deleted)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, paths)| !paths.is_empty())
        .map(|(word, paths)| format!("{} {word}", count(paths.len() as u64, "file")))
        .collect();
    match parts.is_empty() {
        true => "published the Draft (no file changed)".to_owned(),
        false => format!("published the Draft: {}", parts.join(", ")),
    }
}
