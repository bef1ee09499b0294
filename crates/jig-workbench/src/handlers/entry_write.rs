//! Writing entries: values, archiving, done marks and restoring.

use jig_context::document::{DocumentId, Origin};
use jig_context::entry::{
    self, Decision, DoneMark, Entry, EntryError, NewProposal, Put, Writer, archive, decide, mark_done, propose, put,
    restore, source_from_wire,
};
use jig_contract::ops::*;
use jig_contract::{OpError, ProposalId, RevisionTag};
use serde_json::{Map, Value};

use crate::entries::{About, Edit, EntryEdit, Named, Seen, Target};
use crate::{CallContext, Handle, Workbench};

impl Handle<EntryPut> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryPutParams) -> Result<EntryPutOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let values = Values {
            role: params.role,
            entry_key: params.entry_key,
            display_name: params.display_name,
            data: params.data.0,
            mode: params.mode.unwrap_or(PutMode::Merge),
            base_revision: params.base_revision,
            reason: params.reason,
            sources: params.sources,
            only_propose: params.propose,
            operation: "EntryPut",
        };
        self.put_values(context, &mut session, values).await
    }
}

/// Values for an entry, from any operation.
pub(super) struct Values {
    pub(super) role: String,
    pub(super) entry_key: Option<String>,
    pub(super) display_name: Option<String>,
    pub(super) data: Map<String, Value>,
    pub(super) mode: PutMode,
    pub(super) base_revision: Option<RevisionTag>,
    pub(super) reason: Option<String>,
    pub(super) sources: Vec<EntrySource>,
    pub(super) only_propose: bool,
    pub(super) operation: &'static str,
}

/// The outcome of a write, during planning.
enum Became {
    Written { created: bool },
    Proposed(Box<ProposalInfo>, String),
}

impl Workbench {
    /// Writes values, or proposes them if the caller may not write.
    pub(super) async fn put_values(
        &self,
        context: &CallContext,
        session: &mut crate::engine::Session,
        values: Values,
    ) -> Result<EntryPutOutput, OpError> {
        let kinds = self.kinds_at(session.head.state).await?;
        let named = Named::of(kinds, &values.role, values.entry_key.as_deref())?;
        let title = values.display_name.as_deref().map(|name| jig_contract::check_name("entry", name)).transpose()?;
        let origin = origin_of(&values.sources)?;
        self.check_values(&session.id, &named, &values.data).await?;
        let (at, fresh) = (self.env().now(), DocumentId(self.env().fresh_id()));
        let proposal_id = self.fresh_proposal_id()?;
        let (values, title, origin, proposal_id) = (&values, &title, &origin, &proposal_id);
        let make = |target: Target<'_>| {
            let write = Put {
                key: target.named.key.clone(),
                fresh_id: fresh,
                display_name: title.clone(),
                data: values.data.clone(),
                mode: values.mode,
                base_revision: target.base(values.base_revision.as_ref())?,
                author: context.actor.clone(),
                reason: values.reason.clone().unwrap_or_default(),
                at,
                origin: origin.clone(),
                previous: target.seen.and_then(Seen::previous),
            };
            // A proposal must also be a valid write.
            let present = target.seen.map(|seen| seen.entry.as_ref());
            let next = put(target.kind, present, write)?;
            let address = target.named.address();
            let fields = entry::changed_fields(present, &values.data, values.mode, origin);
            let decision = if values.only_propose {
                Decision::Propose { why: "it was asked for as a proposal".to_owned() }
            } else if present.is_some_and(|present| present.revision() == next.revision()) {
                // Nothing changes, so there is nothing to decide.
                Decision::Write
            } else {
                decide(target.kind, present, &fields, &context.actor)
            };
            match decision {
                Decision::Write => Ok(Edit {
                    summary: summary(&address.to_string(), present, &next),
                    entry: match values.mode {
                        PutMode::Merge => EntryEdit::Merge(Box::new(next)),
                        PutMode::Replace => EntryEdit::Put(Box::new(next)),
                    },
                    proposal: None,
                    output: Became::Written { created: present.is_none() },
                }),
                Decision::Propose { .. } if fields.is_empty() => Err(OpError::new(
                    jig_contract::Code::ValidationFailed,
                    format!("nothing to propose for {address}: `data` changes no field"),
                )),
                Decision::Propose { why } => {
                    let new = NewProposal {
                        id: proposal_id.clone(),
                        origin: ProposalOrigin::AgentWrite,
                        role: target.named.kind.to_string(),
                        key: target.named.key.clone(),
                        display_name: title.clone(),
                        fields: fields.iter().map(|field| proposed(field, &values.data)).collect(),
                        by: context.actor.clone(),
                        at,
                        model_id: None,
                        sources: values.sources.clone(),
                        recipe: None,
                        job_id: None,
                        reason: values.reason.clone(),
                        warnings: Vec::new(),
                    };
                    let proposal = propose(new, present);
                    Ok(Edit {
                        entry: EntryEdit::Keep,
                        proposal: Some(proposal.clone()),
                        summary: format!("proposed values for {address}"),
                        output: Became::Proposed(Box::new(proposal), why),
                    })
                }
            }
        };
        let about = About {
            operation: values.operation,
            role: &values.role,
            entry_key: values.entry_key.as_deref(),
            proposal: None,
        };
        let became = self.write_entry(context, session, about, &make).await?;
        let entry = match self.entry_now(session, &values.role, values.entry_key.as_deref()).await {
            Ok(entry) => Some(entry),
            Err(error) if error.code() == jig_contract::Code::EntryNotFound => None,
            Err(error) => return Err(error),
        };
        Ok(match became {
            Became::Written { created } => {
                EntryPutOutput { outcome: PutOutcome::Written, created, entry, proposal: None, why: None }
            }
            Became::Proposed(proposal, why) => EntryPutOutput {
                outcome: PutOutcome::Proposed,
                created: false,
                entry,
                proposal: Some(*proposal),
                why: Some(why),
            },
        })
    }

    /// All errors in values, including the files they refer to.
    async fn check_values(
        &self,
        id: &jig_contract::WorkbenchId,
        named: &Named,
        data: &Map<String, Value>,
    ) -> Result<(), OpError> {
        let kind = named.definition()?;
        let mut problems = entry::check_data(kind, data);
        problems.extend(self.asset_problems(id, kind, data).await?);
        if problems.is_empty() {
            return Ok(());
        }
        Err(OpError::from(EntryError::Values { address: named.address().to_string(), problems }).workbench(id))
    }

    pub(super) fn fresh_proposal_id(&self) -> Result<ProposalId, OpError> {
        let id = self.env().fresh_id().to_string();
        ProposalId::new(id).map_err(|e| OpError::new(jig_contract::Code::Internal, "a fresh id is none").because(e))
    }
}

/// The document form of sources.
fn origin_of(sources: &[EntrySource]) -> Result<Origin, OpError> {
    let read: Result<Vec<_>, _> = sources.iter().map(source_from_wire).collect();
    let sources = read.map_err(|problem| jig_context::definition::refused("a source is wrong", &[problem]))?;
    Ok(Origin { model_id: None, sources })
}

fn proposed(field: &str, data: &Map<String, Value>) -> ProposedField {
    ProposedField {
        field: field.to_owned(),
        value: data.get(field).cloned().unwrap_or_default(),
        quote: None,
        quote_found: None,
        confidence: None,
        current: None,
        conflict: false,
        state: ProposalState::Pending,
    }
}

/// `wrote @brand: name, voice`.
fn summary(address: &str, before: Option<&Entry>, after: &Entry) -> String {
    let changed: Vec<String> = entry::changes(before, after).into_iter().map(|change| change.field).collect();
    let verb = if before.is_some() { "wrote" } else { "added" };
    match changed.len() {
        0 => format!("{verb} {address}"),
        1..=4 => format!("{verb} {address}: {}", changed.join(", ")),
        more => format!("{verb} {address}: {} and {} more", changed[..3].join(", "), more - 3),
    }
}

impl Handle<EntryDelete> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryDeleteParams) -> Result<EntryDeleteOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        self.named_entry(&session, &params.role, params.entry_key.as_deref()).await?;
        let writer = self.writer(context);
        let (writer, base) = (&writer, params.base_revision.as_ref());
        let make = |target: Target<'_>| {
            let seen = target.seen.ok_or_else(|| gone(&target))?;
            check_base(&target, seen, &Writer { base_revision: target.base(base)?, ..writer.clone() })?;
            let named = target.named;
            Ok(Edit {
                entry: EntryEdit::Remove,
                proposal: None,
                summary: format!("deleted {}", named.address()),
                output: EntryDeleteOutput {
                    role: named.kind.to_string(),
                    entry_key: named.key.to_string(),
                    revision: seen.entry.revision(),
                },
            })
        };
        let about = about("EntryDelete", &params.role, params.entry_key.as_deref());
        self.write_entry(context, &mut session, about, &make).await
    }
}

impl Handle<EntryArchive> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryArchiveParams) -> Result<EntryOutput, OpError> {
        let state = if params.archived { EntryState::Archived } else { EntryState::Active };
        let verb = if params.archived { "archived" } else { "took back into use" };
        let (writer, base) = (self.writer(context), params.base_revision);
        let change = move |target: &Target<'_>, seen: &Seen| {
            let writer = on(&writer, target, seen, base.as_ref())?;
            Ok((archive(target.kind, &seen.entry, state, &writer)?, format!("{verb} {}", target.named.address())))
        };
        let place = (params.workbench_id, params.role, params.entry_key);
        self.rewrite(context, "EntryArchive", place, &change).await
    }
}

impl Handle<EntryMarkDone> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryMarkDoneParams) -> Result<EntryOutput, OpError> {
        let done = if params.done { DoneMark::Done } else { DoneMark::NotDone };
        let (writer, base) = (self.writer(context), params.base_revision);
        let (field, verb) = (params.field, if params.done { "done" } else { "not done" });
        let change = move |target: &Target<'_>, seen: &Seen| {
            let writer = on(&writer, target, seen, base.as_ref())?;
            let next = mark_done(target.kind, &seen.entry, &field, done, &writer)?;
            Ok((next, format!("said that {}#{field} is {verb}", target.named.address())))
        };
        let place = (params.workbench_id, params.role, params.entry_key);
        self.rewrite(context, "EntryMarkDone", place, &change).await
    }
}

impl Handle<EntryRestore> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryRestoreParams) -> Result<EntryOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let newest = self.named_entry(&session, &params.role, params.entry_key.as_deref()).await?;
        let old = self.revision_of(&newest, params.revision).await?;
        let (writer, base) = (self.writer(context), params.base_revision);
        let change = move |target: &Target<'_>, seen: &Seen| {
            let writer = on(&writer, target, seen, base.as_ref())?;
            let words = format!("restored revision {} of {}", old.entry.revision(), target.named.address());
            Ok((restore(target.kind, &seen.entry, &old.entry, &writer)?, words))
        };
        let place = (params.workbench_id, params.role, params.entry_key);
        self.rewrite(context, "EntryRestore", place, &change).await
    }
}

type Place = (jig_contract::Given<jig_contract::WorkbenchId>, String, Option<String>);
type Rewrite<'a> = &'a (dyn Fn(&Target<'_>, &Seen) -> Result<(Entry, String), OpError> + Send + Sync);

impl Workbench {
    /// Writes an entry that must exist.
    async fn rewrite(
        &self,
        context: &CallContext,
        operation: &'static str,
        place: Place,
        change: Rewrite<'_>,
    ) -> Result<EntryOutput, OpError> {
        let (id, role, key) = place;
        let mut session = self.enter_lightly(&id.check()?).await?;
        self.named_entry(&session, &role, key.as_deref()).await?;
        let make = |target: Target<'_>| {
            let seen = target.seen.ok_or_else(|| gone(&target))?;
            let (next, summary) = change(&target, seen)?;
            let same = next.revision() == seen.entry.revision();
            let entry = if same { EntryEdit::Keep } else { EntryEdit::Put(Box::new(next)) };
            Ok(Edit { entry, proposal: None, summary, output: () })
        };
        self.write_entry(context, &mut session, about(operation, &role, key.as_deref()), &make).await?;
        Ok(EntryOutput { entry: self.entry_now(&session, &role, key.as_deref()).await? })
    }

    /// The named entry, which must exist.
    async fn named_entry(
        &self,
        session: &crate::engine::Session,
        role: &str,
        key: Option<&str>,
    ) -> Result<Seen, OpError> {
        let named = Named::of(self.kinds_at(session.head.state).await?, role, key)?;
        self.needed_entry(&session.id, session.head.state, &named).await
    }

    fn writer(&self, context: &CallContext) -> Writer {
        Writer { author: context.actor.clone(), at: self.env().now(), base_revision: None, previous: None }
    }
}

const fn about<'a>(operation: &'static str, role: &'a str, entry_key: Option<&'a str>) -> About<'a> {
    About { operation, role, entry_key, proposal: None }
}

/// The author, with the base revision of the call.
fn on(writer: &Writer, target: &Target<'_>, seen: &Seen, base: Option<&RevisionTag>) -> Result<Writer, OpError> {
    Ok(Writer { base_revision: target.base(base)?, previous: seen.previous(), ..writer.clone() })
}

/// The entry was deleted during the call.
fn gone(target: &Target<'_>) -> OpError {
    EntryError::Gone { address: target.named.address().to_string(), base: 0 }.into()
}

/// Checks that the base is the newest revision, like every other write of an entry.
fn check_base(target: &Target<'_>, seen: &Seen, writer: &Writer) -> Result<(), OpError> {
    archive(target.kind, &seen.entry, seen.entry.state, writer)?;
    Ok(())
}
