//! Reading entries: lists, single entries, and history.

use jig_context::entry::{self, changes};
use jig_contract::OpError;
use jig_contract::ops::*;

use crate::entries::{ListQuery, Named, Wish, bad_cursor, cursor_text, page_limit, read_cursor};
use crate::{CallContext, Handle, Workbench};

impl Handle<EntryList> for Workbench {
    async fn handle(&self, _: &CallContext, params: EntryListParams) -> Result<EntryListOutput, OpError> {
        let limit = page_limit(params.limit)?;
        let after = params.cursor.as_deref().map(read_cursor).transpose()?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (id, head) = (&session.id, &session.head);
        let kinds = self.kinds_at(head.state).await?;
        let role = match params.role.as_deref() {
            Some(role) => Some(kinds.find(role)?.definition.anchor_role.clone()),
            None => None,
        };
        let archived = params.state == Some(EntryState::Archived);
        let listed = self.list_entries(head, ListQuery { role: role.clone(), archived, after, limit }).await?;
        check_fields(&kinds.definitions(), role.as_deref(), &params.fields)?;
        let mut entries = Vec::with_capacity(listed.entries.len());
        for seen in &listed.entries {
            let Some(known) = kinds.get(seen.entry.document.kind.as_str()) else { continue };
            // A list across kinds asks for fields of all of them; each entry returns those that its kind has.
            let has = |name: &&String| entry::field(&known.definition, name).is_some();
            let fields: Vec<String> = params.fields.iter().filter(has).cloned().collect();
            let wish = Wish { fields: &fields, resolve_assets: params.resolve_assets, ..Wish::default() };
            let mut shown = self.shown_entry(id, head.state, &known.definition, seen, wish).await?;
            if fields.is_empty() && !params.fields.is_empty() {
                (shown.data, shown.fields, shown.assets) = Default::default();
            }
            entries.push(shown);
        }
        let cursor = listed.next.map(|(kind, key)| cursor_text(&kind, &key));
        Ok(EntryListOutput { entries, total: listed.total, has_more: cursor.is_some(), cursor })
    }
}

/// A name that no kind in the list has is an error rather than an empty result.
fn check_fields(kinds: &[KindDefinition], role: Option<&str>, names: &[String]) -> Result<(), OpError> {
    let meant = || kinds.iter().filter(|kind| role.is_none_or(|role| kind.anchor_role == role));
    let unknown = |name: &&String| meant().all(|kind| entry::field(kind, name).is_none());
    let problems: Vec<_> = names
        .iter()
        .filter(unknown)
        .map(|name| {
            let all: Vec<String> = meant().flat_map(entry::fields).map(|field| field.key).collect();
            let near = jig_context::document::nearest(name, all.iter().map(String::as_str));
            jig_context::definition::Problem::new(super::shown(name), "there is no such field").suggest(near)
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(jig_context::definition::refused("a field is wrong", &problems)) }
}

impl Handle<EntryGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: EntryGetParams) -> Result<EntryOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (id, state) = (&session.id, session.head.state);
        let named = Named::of(self.kinds_at(state).await?, &params.role, params.entry_key.as_deref())?;
        let newest = self.needed_entry(id, state, &named).await?;
        let seen = match params.revision {
            Some(revision) => self.revision_of(&newest, revision).await?,
            None => newest.clone(),
        };
        let wish = Wish {
            fields: &params.fields,
            seen: params.seen_revision,
            newest: Some(newest.entry.revision()),
            resolve_assets: params.resolve_assets,
        };
        Ok(EntryOutput { entry: self.shown_entry(id, state, named.definition()?, &seen, wish).await? })
    }
}

impl Handle<EntryHistory> for Workbench {
    async fn handle(&self, _: &CallContext, params: EntryHistoryParams) -> Result<EntryHistoryOutput, OpError> {
        let limit = page_limit(params.limit)? as usize;
        let below = params.cursor.as_deref().map(|text| text.parse::<u64>().map_err(|_| bad_cursor())).transpose()?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (id, state) = (&session.id, session.head.state);
        let named = Named::of(self.kinds_at(state).await?, &params.role, params.entry_key.as_deref())?;
        let mut at = Some(self.needed_entry(id, state, &named).await?);
        let (mut revisions, mut more) = (Vec::new(), false);
        while let Some(seen) = at {
            let before = self.before(&seen).await?;
            if below.is_none_or(|below| seen.entry.revision() < below) {
                let revision = &seen.entry.document.revision;
                revisions.push(EntryRevision {
                    revision: revision.number.0,
                    author: revision.author.clone(),
                    reason: revision.reason.clone(),
                    at: revision.at,
                    changes: changes(before.as_ref().map(|before| before.entry.as_ref()), &seen.entry),
                });
            }
            more = before.is_some();
            at = before.filter(|_| revisions.len() < limit);
        }
        let cursor = revisions.last().map(|last| last.revision).filter(|_| more);
        Ok(EntryHistoryOutput { has_more: cursor.is_some(), cursor: cursor.map(|last| last.to_string()), revisions })
    }
}
