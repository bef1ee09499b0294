//! Proposals: pending ones, and decisions on them.

use jig_context::document::DocumentId;
use jig_context::entry::{Accepting, accept, reject};
use jig_contract::ops::*;
use jig_contract::{Actor, Code, OpError, ProposalId, RevisionTag};
use std::sync::Arc;

use crate::engine::Session;
use crate::entries::{About, Edit, EntryEdit, Seen, Target, Waiting, no_proposal, page_limit};
use crate::{CallContext, Handle, Workbench};

impl Handle<EntryListProposals> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: EntryListProposalsParams,
    ) -> Result<EntryListProposalsOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let role = match params.role.as_deref() {
            Some(role) => {
                let kinds = self.kinds_at(session.head.state).await?;
                Some(kinds.find(role)?.definition.anchor_role.clone())
            }
            None => None,
        };
        let wanted = Waiting {
            role,
            entry_key: params.entry_key,
            recipe: None,
            state: Some(params.state.unwrap_or(ProposalState::Pending)),
            origin: params.origin,
            cursor: params.cursor,
            limit: page_limit(params.limit)?,
        };
        let (proposals, cursor) = self.list_proposals(session.head.state, &wanted).await?;
        Ok(EntryListProposalsOutput { proposals, has_more: cursor.is_some(), cursor })
    }
}

impl Handle<EntryAcceptProposal> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: EntryAcceptProposalParams,
    ) -> Result<EntryAcceptProposalOutput, OpError> {
        let id = params.proposal_id.check()?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let proposal = self.needed_proposal(&session, &id).await?;
        let chosen =
            Chosen { fields: params.fields, base_revision: params.base_revision, operation: "EntryAcceptProposal" };
        let (entry, proposal) = self.accept_proposal(context, &mut session, &proposal, chosen).await?;
        Ok(EntryAcceptProposalOutput { entry, proposal })
    }
}

impl Handle<EntryRejectProposal> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: EntryRejectProposalParams,
    ) -> Result<ProposalOutput, OpError> {
        let id = params.proposal_id.check()?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let proposal = self.needed_proposal(&session, &id).await?;
        let proposal =
            self.reject_proposal(context, &mut session, &proposal, params.reason, "EntryRejectProposal").await?;
        Ok(ProposalOutput { proposal })
    }
}

/// The fields to accept, and by which operation.
pub(crate) struct Chosen {
    pub(crate) fields: Vec<String>,
    pub(crate) base_revision: Option<RevisionTag>,
    pub(crate) operation: &'static str,
}

impl Workbench {
    async fn needed_proposal(&self, session: &Session, id: &ProposalId) -> Result<Arc<ProposalInfo>, OpError> {
        let found = self.proposal_at(session.head.state, id).await?;
        found.ok_or_else(|| no_proposal(id).workbench(&session.id))
    }

    /// Accepts values of a proposal: proposal and entry change in one commit.
    pub(crate) async fn accept_proposal(
        &self,
        context: &CallContext,
        session: &mut Session,
        proposal: &ProposalInfo,
        chosen: Chosen,
    ) -> Result<(EntryInfo, ProposalInfo), OpError> {
        check_decider(context)?;
        let (at, fresh_id) = (self.env().now(), DocumentId(self.env().fresh_id()));
        let (id, chosen) = (&proposal.id, &chosen);
        let make = |target: Target<'_>| {
            let proposal = target.proposal.ok_or_else(|| no_proposal(id))?;
            let accepting = Accepting {
                fields: chosen.fields.clone(),
                base_revision: target.base(chosen.base_revision.as_ref())?,
                author: context.actor.clone(),
                at,
                fresh_id,
                previous: target.seen.and_then(Seen::previous),
            };
            let present = target.seen.map(|seen| seen.entry.as_ref());
            let (entry, after) = accept(target.kind, present, proposal, accepting)?;
            let taken = after.fields.iter().filter(|field| field.state == ProposalState::Accepted).count();
            Ok(Edit {
                entry: EntryEdit::Put(Box::new(entry)),
                summary: format!("accepted {taken} of {} values for {}", after.fields.len(), target.named.address()),
                proposal: Some(after),
                output: (),
            })
        };
        let key = Some(proposal.entry_key.as_str()).filter(|key| !key.is_empty());
        let about = About { operation: chosen.operation, role: &proposal.role, entry_key: key, proposal: Some(id) };
        self.write_entry(context, session, about, &make).await?;
        let entry = self.entry_now(session, &proposal.role, key).await?;
        Ok((entry, self.proposal_now(session, id).await?))
    }

    /// Rejects the pending fields of a proposal.
    pub(crate) async fn reject_proposal(
        &self,
        context: &CallContext,
        session: &mut Session,
        proposal: &ProposalInfo,
        reason: Option<String>,
        operation: &'static str,
    ) -> Result<ProposalInfo, OpError> {
        check_decider(context)?;
        let (id, at, reason) = (&proposal.id, self.env().now(), &reason);
        let make = |target: Target<'_>| {
            let proposal = target.proposal.ok_or_else(|| no_proposal(id))?;
            Ok(Edit {
                entry: EntryEdit::Keep,
                proposal: Some(reject(proposal, context.actor.clone(), at, reason.clone())?),
                summary: format!("rejected values for {}", target.named.address()),
                output: (),
            })
        };
        let key = Some(proposal.entry_key.as_str()).filter(|key| !key.is_empty());
        let about = About { operation, role: &proposal.role, entry_key: key, proposal: Some(id) };
        self.write_entry(context, session, about, &make).await?;
        self.proposal_now(session, id).await
    }

    pub(crate) async fn proposal_now(&self, session: &Session, id: &ProposalId) -> Result<ProposalInfo, OpError> {
        let proposal = self.needed_proposal(session, id).await?;
        self.beside_entry(session.head.state, &proposal).await
    }
}

/// Only people decide, or Jig itself if a person permitted that in advance.
fn check_decider(context: &CallContext) -> Result<(), OpError> {
    if matches!(context.actor, Actor::Agent { .. }) {
        return Err(OpError::new(Code::NotPermitted, "an agent does not decide on proposals")
            .hint("a person looks at them with `jig entry list-proposals`"));
    }
    Ok(())
}
