//! Section operations on one or several artifacts, in one change.

use std::collections::BTreeMap;

use jig_context::artifact::{Applied, Batch, SectionEdit, Wish, apply};
use jig_contract::ops::*;
use jig_contract::{Code, OpError, RevisionTag, SuggestionId};
use jig_store::{Head, NewMessage};

use super::artifact::Lock;
use crate::artifacts::{ArtifactChange, ArtifactEdit, Making, SeenArtifact, said};
use crate::engine::Session;
use crate::{CallContext, Handle, Workbench};

/// The maximum number of operations per call.
const OPS_MAX: usize = 200;

impl Handle<ArtifactApplyOps> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ArtifactApplyOpsParams,
    ) -> Result<ArtifactApplyOpsOutput, OpError> {
        let ops = params.ops.0;
        check_count(&ops)?;
        let author = self.author(context, None, Lock::of(params.override_lock))?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let slugs = self.named_artifacts(&session, &ops).await?;
        check_base(&slugs, params.base_revision.as_ref())?;
        let ids = self.suggestion_ids(&ops)?;
        let batch = Ops { ops, slugs, base_revision: params.base_revision, ids };
        let (batch, author) = (&batch, &author);
        let make = move |head: Head| {
            Box::pin(async move { self.planned_ops(context, &head, batch, author).await }) as Making<'_, Made>
        };
        let before = session.head.seq;
        let ((applied, made), snapshot) =
            self.write_artifacts(context, &mut session, "ArtifactApplyOps", &make).await?;
        let state = session.head.state;
        let mut artifacts = Vec::new();
        for slug in batch.slugs.keys() {
            let seen = self.needed_artifact(state, slug).await?;
            artifacts.push(self.shown_artifact(state, &seen, &[], Wish::Outline).await?);
        }
        let mut suggestions = Vec::with_capacity(made.len());
        for suggestion in &made {
            suggestions.push(self.beside_section(state, suggestion).await?);
        }
        let journal_seq = Some(session.head.seq).filter(|seq| *seq > before);
        Ok(ArtifactApplyOpsOutput { applied, artifacts, suggestions, snapshot, journal_seq })
    }
}

/// The operations of a call.
struct Ops {
    ops: Vec<ArtifactOp>,
    /// The artifacts they refer to, each with its revision at the start of the call.
    slugs: BTreeMap<String, u64>,
    base_revision: Option<RevisionTag>,
    /// An id for each operation that creates a suggestion.
    ids: BTreeMap<usize, SuggestionId>,
}

fn check_count(ops: &[ArtifactOp]) -> Result<(), OpError> {
    match ops.len() {
        0 => Err(OpError::new(Code::ValidationFailed, "there are no operations")
            .hint("`ops` is a list of objects, each with `operation` and `artifact_slug`")),
        1..=OPS_MAX => Ok(()),
        many => Err(OpError::new(Code::LimitExceeded, format!("{many} operations are too many for one call"))
            .hint(format!("give up to {OPS_MAX} at a time"))),
    }
}

fn check_base(slugs: &BTreeMap<String, u64>, base: Option<&RevisionTag>) -> Result<(), OpError> {
    if base.is_none() || slugs.len() <= 1 {
        return Ok(());
    }
    Err(OpError::new(
        Code::ValidationFailed,
        "`base_revision` is of one artifact, and the operations are about several",
    )
    .hint("give each operation its own `base_revision`"))
}

type Made = (Vec<AppliedOp>, Vec<SuggestionInfo>);

impl Workbench {
    /// The artifacts that operations refer to, which must exist.
    async fn named_artifacts(&self, session: &Session, ops: &[ArtifactOp]) -> Result<BTreeMap<String, u64>, OpError> {
        let mut found = BTreeMap::new();
        for op in ops {
            let seen = self.needed_artifact(session.head.state, op.artifact_slug()).await;
            let seen = seen.map_err(|error| error.workbench(&session.id))?;
            found.insert(seen.artifact.slug().to_owned(), seen.artifact.revision());
        }
        Ok(found)
    }

    fn suggestion_ids(&self, ops: &[ArtifactOp]) -> Result<BTreeMap<usize, SuggestionId>, OpError> {
        let mut ids = BTreeMap::new();
        for (index, op) in ops.iter().enumerate() {
            if matches!(op, ArtifactOp::SuggestEdit { .. }) {
                let id = SuggestionId::new(self.env().fresh_id().to_string());
                let id = id.map_err(|e| OpError::new(Code::Internal, "a fresh id is none").because(e))?;
                ids.insert(index, id);
            }
        }
        Ok(ids)
    }

    async fn planned_ops(
        &self,
        context: &CallContext,
        head: &Head,
        batch: &Ops,
        author: &jig_context::artifact::Author,
    ) -> Result<ArtifactChange<Made>, OpError> {
        let mut change = ArtifactChange {
            artifacts: Vec::new(),
            suggestions: Vec::new(),
            summary: String::new(),
            messages: Vec::new(),
            output: (Vec::new(), Vec::new()),
        };
        let mut edits: Vec<(String, SectionEdit)> = Vec::new();
        for (slug, first) in &batch.slugs {
            let seen = self.needed_artifact(head.state, slug).await?;
            let own = |(_, op): &(usize, &ArtifactOp)| is_of(op, slug);
            let mut resolved = Vec::new();
            for (index, op) in batch.ops.iter().enumerate().filter(own) {
                resolved.push((index, self.with_number(&head.id, &seen, op).await?));
            }
            let ops: Vec<(usize, &ArtifactOp)> = resolved.iter().map(|(index, op)| (*index, op)).collect();
            let base = self.artifact_base(&head.id, Some(&seen), batch.base_revision.as_ref()).await?;
            // Without an explicit base, the revision at the start of the call is the base.
            let base_revision = base.or_else(|| Some(*first).filter(|first| seen.artifact.revision() >= *first));
            let work = Batch { ops, base_revision, author: author.clone(), previous: seen.previous() };
            let many = batch.ops.len() > 1;
            let applied =
                apply(&seen.artifact, work).map_err(|(index, error)| Self::artifact_error(index, many, error))?;
            self.take(context, &seen, applied, batch, author, &mut change, &mut edits);
        }
        edits.sort_by_key(|(_, edit)| edit.index);
        change.summary = summary(&edits, author.overrides);
        for (slug, edit) in edits {
            let suggestion_id = batch.ids.get(&edit.index).map(ToString::to_string);
            change.messages.push(message(context, &slug, &edit, &batch.ops[edit.index]));
            change.output.0.push(AppliedOp {
                operation: edit.operation.to_owned(),
                artifact_slug: slug,
                section_slug: edit.section_slug,
                section_id: edit.section_id.0,
                summary: edit.summary,
                split_into: edit.split_into,
                suggestion_id,
            });
        }
        Ok(change)
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the plan above, which has them all")]
    fn take(
        &self,
        context: &CallContext,
        seen: &SeenArtifact,
        applied: Applied,
        batch: &Ops,
        author: &jig_context::artifact::Author,
        change: &mut ArtifactChange<Made>,
        edits: &mut Vec<(String, SectionEdit)>,
    ) {
        let slug = seen.artifact.slug().to_owned();
        for edit in applied.edits {
            if let (Some(new), Some(id)) = (&edit.suggestion, batch.ids.get(&edit.index)) {
                let section = (edit.section_id, edit.section_slug.clone());
                let made =
                    new.clone().suggestion(&seen.artifact, section, id.clone(), context.actor.clone(), author.at);
                change.suggestions.push(made.clone());
                change.output.1.push(made);
            }
            edits.push((slug.clone(), edit));
        }
        change.artifacts.extend(applied.artifact.map(|artifact| ArtifactEdit::Put(Box::new(artifact))));
    }
}

/// Whether an operation refers to this artifact, in any spelling.
fn is_of(op: &ArtifactOp, slug: &str) -> bool {
    let named = op.artifact_slug().trim().trim_start_matches('@');
    jig_context::document::KindName::new(named.strip_suffix(".md").unwrap_or(named))
        .is_ok_and(|name| name.as_str() == slug)
}

/// `@concept: updated what-is-it; @scope: created costs`.
fn summary(edits: &[(String, SectionEdit)], overrides: bool) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> =
        edits.iter().take(SHOWN).map(|(slug, edit)| format!("@{slug}: {}", edit.summary)).collect();
    let more = edits.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let lock = if overrides { " (although finalized)" } else { "" };
    format!("{}{more}{lock}", shown.join("; "))
}

/// The message for the conversation about one operation.
fn message(context: &CallContext, slug: &str, edit: &SectionEdit, op: &ArtifactOp) -> NewMessage {
    let mut words = edit.summary.clone();
    if let ArtifactOp::SuggestEdit { suggestion, .. } = op {
        words = format!("{words}: {suggestion}");
    }
    if let Some(reason) = op.reason() {
        words = format!("{words} ({reason})");
    }
    said(&context.actor, edit.operation, slug, words)
}
