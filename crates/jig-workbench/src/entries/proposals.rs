//! The proposals of a state, both pending and decided.

use std::collections::HashSet;
use std::sync::Arc;

use jig_context::document::{Key, KindName};
use jig_context::entry::{as_seen, proposal_path};
use jig_contract::ops::{ProposalInfo, ProposalOrigin, ProposalState};
use jig_contract::{BlobHash, Code, OpError, ProposalId, SessionId, Timestamp};
use jig_store::Node;

use super::page::bad_cursor;
use crate::Workbench;

/// The folder of proposals in a state.
pub(crate) const PROPOSALS_FOLDER: &str = "meta/proposals";

/// A filter for proposals.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    pub(crate) role: Option<String>,
    pub(crate) entry_key: Option<String>,
    pub(crate) recipe: Option<String>,
    pub(crate) state: Option<ProposalState>,
    pub(crate) origin: Option<ProposalOrigin>,
    pub(crate) cursor: Option<String>,
    pub(crate) limit: u32,
}

impl Waiting {
    fn fits(&self, proposal: &ProposalInfo) -> bool {
        self.role.as_ref().is_none_or(|role| *role == proposal.role)
            && self.entry_key.as_ref().is_none_or(|key| *key == proposal.entry_key)
            && self.recipe.as_ref().is_none_or(|recipe| proposal.recipe.as_ref() == Some(recipe))
            && self.state.is_none_or(|state| state == proposal.state)
            && self.origin.is_none_or(|origin| origin == proposal.origin)
    }
}

impl Workbench {
    /// A proposal of a state.
    pub(crate) async fn proposal_at(
        &self,
        state: BlobHash,
        id: &ProposalId,
    ) -> Result<Option<Arc<ProposalInfo>>, OpError> {
        match self.store().lookup(state, &proposal_path(id)).await? {
            Some(Node::File { hash, .. }) => self.proposal_of(hash).await.map(Some),
            _ => Ok(None),
        }
    }

    /// A proposal compared with the entry in this state.
    pub(crate) async fn beside_entry(&self, state: BlobHash, proposal: &ProposalInfo) -> Result<ProposalInfo, OpError> {
        let names = (KindName::new(&proposal.role), Key::new(&proposal.entry_key));
        let (Ok(kind), Ok(key)) = names else { return Ok(proposal.clone()) };
        let seen = self.entry_at(state, &kind, &key).await?;
        Ok(as_seen(proposal, seen.as_ref().map(|seen| seen.entry.as_ref())))
    }

    /// A page of proposals, newest first, with the cursor of the next page.
    pub(crate) async fn list_proposals(
        &self,
        state: BlobHash,
        wanted: &Waiting,
    ) -> Result<(Vec<ProposalInfo>, Option<String>), OpError> {
        let after = wanted.cursor.as_deref().map(read_cursor).transpose()?;
        let mut found = Vec::new();
        for (_, node) in self.store().files(state, PROPOSALS_FOLDER).await? {
            let proposal = self.proposal_of(node.hash).await?;
            if wanted.fits(&proposal) {
                found.push(proposal);
            }
        }
        let place = |proposal: &ProposalInfo| (proposal.created_at, proposal.id.to_string());
        found.sort_by_key(|proposal| std::cmp::Reverse(place(proposal)));
        found.retain(|proposal| after.as_ref().is_none_or(|after| place(proposal) < *after));
        let more = found.len() > wanted.limit as usize;
        found.truncate(wanted.limit as usize);
        let next = found.last().filter(|_| more).map(|last| format!("{}/{}", last.created_at.as_millis(), last.id));
        let mut shown = Vec::with_capacity(found.len());
        for proposal in found {
            shown.push(self.beside_entry(state, &proposal).await?);
        }
        Ok((shown, next))
    }

    /// The sessions whose model calls produced the outputs of a state.
    pub(crate) async fn sessions_of_outputs(&self, state: BlobHash) -> Result<HashSet<SessionId>, OpError> {
        let mut named = HashSet::new();
        for (_, node) in self.store().files(state, PROPOSALS_FOLDER).await? {
            let proposal = self.proposal_of(node.hash).await?;
            named.extend(proposal.sent.as_ref().and_then(|sent| sent.session_id.clone()));
        }
        Ok(named)
    }
}

fn read_cursor(text: &str) -> Result<(Timestamp, String), OpError> {
    let (millis, id) = text.split_once('/').ok_or_else(bad_cursor)?;
    let millis: i64 = millis.parse().map_err(|_| bad_cursor())?;
    let id = ProposalId::new(id).map_err(|_| bad_cursor())?;
    Ok((Timestamp::from_millis(millis), id.to_string()))
}

/// The error for an unknown proposal.
pub(crate) fn no_proposal(id: &ProposalId) -> OpError {
    OpError::new(Code::ProposalNotFound, format!("there is no proposal `{id}`"))
        .hint("`jig entry list-proposals` shows those that wait")
}
