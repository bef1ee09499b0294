//! Kinds of entries: built-in and custom.

use jig_context::definition::{refused, to_yaml};
use jig_context::entry::{self, Refit, kind_path, next_version, read_kind, shipped_kind};
use jig_contract::ops::*;
use jig_contract::{Code, OpError, RevisionTag};
use jig_store::{Change, DocumentState, Head, Plan, TreeEdit, hash_of};
use serde_json::Value;

use super::host_files::read_definition;
use crate::engine::Planned;
use crate::entries::Known;
use crate::revisions::check_content_base;
use crate::{CallContext, Handle, Workbench};

impl Handle<KindList> for Workbench {
    async fn handle(&self, _: &CallContext, params: KindListParams) -> Result<KindListOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let kinds = self.kinds_at(session.head.state).await?;
        let counts = self.active_counts(&session.head).await?;
        let wanted = |known: &&Known| params.category.is_none_or(|category| known.definition.category == category);
        Ok(KindListOutput { kinds: kinds.iter().filter(wanted).map(|known| info(known, &counts)).collect() })
    }
}

impl Handle<KindGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: KindGetParams) -> Result<KindGetOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let kinds = self.kinds_at(session.head.state).await?;
        let known = kinds.find(&params.role)?;
        let kind = info(known, &self.active_counts(&session.head).await?);
        Ok(KindGetOutput { yaml: to_yaml(&kind.definition), kind })
    }
}

impl Handle<KindPut> for Workbench {
    async fn handle(&self, context: &CallContext, params: KindPutParams) -> Result<KindPutOutput, OpError> {
        let id = params.workbench_id.check()?;
        let given = read_definition(params.definition, params.source_path, "kind").await?;
        let given = read_kind(&given).map_err(|problems| refused("the kind is not right", &problems))?;
        let mut session = self.enter_lightly(&id).await?;
        let (given, dry_run, base) = (&given, params.dry_run, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let kinds = self.kinds_at(head.state).await?;
                let present = kinds.get(&given.anchor_role).map(|known| &known.definition);
                check_definition_base(base, present)?;
                if present.is_none() {
                    self.refuse_artifact_name(head.state, &given.anchor_role).await?;
                }
                let Some(next) = next_version(present, given.clone()) else {
                    return Ok(Plan::nothing((KindReport::default(), false)));
                };
                let refits = self.refitted(context, &head, present, &next).await?;
                let report = entry::report(&refits.iter().map(|(_, refit)| refit.clone()).collect::<Vec<_>>());
                if dry_run {
                    return Ok(Plan::nothing((report, false)));
                }
                let mut edits = vec![self.file_edit(kind_path(&next.anchor_role), json_of(&next)?).await?];
                edits.extend(self.refit_edits(&next, refits).await?);
                let state = self.store().edit(head.state, &edits).await?;
                context.check_cancelled()?;
                let verb = if present.is_some() { "changed" } else { "added" };
                let summary = format!("{verb} the kind {} (version {})", next.anchor_role, next.version);
                let change = Change::new(context.actor.clone(), "KindPut", summary, state);
                Ok(Plan::change(change, vec![kind_path(&next.anchor_role)], (report, true)))
            }) as Planned<'_, (KindReport, bool)>
        };
        let (report, saved) = self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))?;
        let kinds = self.kinds_at(session.head.state).await?;
        let counts = self.active_counts(&session.head).await?;
        let kind = match kinds.get(&given.anchor_role).filter(|_| !dry_run) {
            Some(known) => info(known, &counts),
            // A dry run: the kind is returned as it would be saved.
            None => {
                let present = kinds.get(&given.anchor_role).map(|known| &known.definition);
                let next = next_version(present, given.clone()).unwrap_or_else(|| given.clone());
                info(&Known { definition: next, shipped: false }, &counts)
            }
        };
        Ok(KindPutOutput { kind, saved, report })
    }
}

impl Handle<KindDelete> for Workbench {
    async fn handle(&self, context: &CallContext, params: KindDeleteParams) -> Result<KindDeleteOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut session = self.enter_lightly(&id).await?;
        let (role, base) = (&params.role, params.base_revision.as_ref());
        let plan = |head: Head| {
            Box::pin(async move {
                let kinds = self.kinds_at(head.state).await?;
                let known = kinds.find(role)?;
                let (definition, name) = (&known.definition, known.definition.anchor_role.clone());
                check_definition_base(base, Some(definition))?;
                if known.shipped {
                    return Err(OpError::new(
                        Code::ValidationFailed,
                        format!("`{name}` comes with Jig and is as it came"),
                    )
                    .hint("there is nothing to delete; a kind that no entry uses costs nothing"));
                }
                let mut edits = vec![TreeEdit::Remove { path: kind_path(&name) }];
                let shipped = shipped_kind(&name);
                match shipped {
                    Some(shipped) => {
                        // Entries refer to kind versions, so reverting to the built-in kind is one more version.
                        let mut again = shipped.clone();
                        again.version = definition.version.saturating_add(1);
                        let refits = self.refitted(context, &head, Some(definition), &again).await?;
                        edits.extend(self.refit_edits(shipped, refits).await?);
                    }
                    None => self.refuse_used(&head, &name).await?,
                }
                let state = self.store().edit(head.state, &edits).await?;
                context.check_cancelled()?;
                let change =
                    Change::new(context.actor.clone(), "KindDelete", format!("deleted the kind {name}"), state);
                let output = KindDeleteOutput { deleted: name.clone(), shipped_again: shipped.is_some() };
                Ok(Plan::change(
                    change,
                    vec![kind_path(&name), format!("{}/{name}", crate::entries::ENTRIES_FOLDER)],
                    output,
                ))
            }) as Planned<'_, KindDeleteOutput>
        };
        self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))
    }
}

impl Workbench {
    /// All entries of a kind fitted to its new version, with their paths.
    async fn refitted(
        &self,
        context: &CallContext,
        head: &Head,
        present: Option<&KindDefinition>,
        next: &KindDefinition,
    ) -> Result<Vec<(String, Refit)>, OpError> {
        let entries = self.entries_of_kind(head.state, &next.anchor_role).await?;
        if present.is_some_and(|present| present.is_singleton != next.is_singleton) && !entries.is_empty() {
            let words = format!("`{}` has entries: whether there is one or many cannot change", next.anchor_role);
            return Err(OpError::new(Code::KindInUse, words).hint("delete its entries first, or make another kind"));
        }
        let now = self.env().now();
        let mut refits = Vec::with_capacity(entries.len());
        for (path, seen) in entries {
            let refit = entry::refit(next, &seen.entry, context.actor.clone(), now, seen.previous())?;
            refits.push((path, refit));
        }
        Ok(refits)
    }

    async fn refit_edits(&self, kind: &KindDefinition, refits: Vec<(String, Refit)>) -> Result<Vec<TreeEdit>, OpError> {
        let mut edits = Vec::with_capacity(refits.len());
        for (path, refit) in refits {
            edits.push(self.file_edit(path, refit.entry.to_json(kind)).await?);
        }
        Ok(edits)
    }

    async fn refuse_used(&self, head: &Head, role: &str) -> Result<(), OpError> {
        let entries = self.entries_of_kind(head.state, role).await?;
        if entries.is_empty() {
            return Ok(());
        }
        let addresses = entries.iter().map(|(_, seen)| seen.entry.document.address().to_string());
        Err(OpError::new(Code::KindInUse, format!("there are entries of the kind `{role}`"))
            .hint("delete them first (`jig entry delete`); history keeps them")
            .detail(serde_json::json!({ "entries": addresses.take(100).collect::<Vec<_>>() })))
    }

    /// The number of active entries per kind.
    pub(super) async fn active_counts(&self, head: &Head) -> Result<Vec<(String, u64)>, OpError> {
        let counts = self.store().document_counts(&head.id, entry::FAMILY).await?;
        let active = counts.into_iter().filter(|count| count.state == DocumentState::Active);
        Ok(active.map(|count| (count.kind, count.count)).collect())
    }
}

fn info(known: &Known, counts: &[(String, u64)]) -> KindInfo {
    let role = &known.definition.anchor_role;
    let entries = counts.iter().find(|(kind, _)| kind == role).map_or(0, |(_, count)| *count);
    let etag = definition_tag(&known.definition);
    KindInfo { definition: known.definition.clone(), shipped: known.shipped, entries, etag }
}

/// The tag of a definition: the hash of its file.
pub(super) fn definition_tag(definition: &impl serde::Serialize) -> Option<RevisionTag> {
    json_of(definition).ok().map(|json| RevisionTag::of_content(&hash_of(&json)))
}

/// Refuses to change or delete a definition if the caller has read another version.
pub(super) fn check_definition_base(
    base: Option<&RevisionTag>,
    present: Option<&impl serde::Serialize>,
) -> Result<(), OpError> {
    let tag = present.and_then(definition_tag);
    check_content_base(base, tag.as_ref(), || serde_json::json!({ "definition": present }))
}

/// The file content of a definition.
pub(super) fn json_of(definition: &impl serde::Serialize) -> Result<Vec<u8>, OpError> {
    let value: Value = serde_json::to_value(definition)
        .map_err(|e| OpError::new(Code::Internal, "a definition cannot be written").because(e))?;
    Ok(format!("{value:#}\n").into_bytes())
}
