//! Accepting or rejecting a proposal, entirely or in part.

use jig_contract::ops::{KindDefinition, ProposalInfo, ProposalState, ProposedField, PutMode};
use jig_contract::{Actor, Timestamp};
use serde_json::Map;

use super::Entry;
use super::error::EntryError;
use super::proposal::moved;
use super::put::{Put, put};
use super::wire::source_from_wire;
use crate::document::{Address, DocumentError, DocumentId, Key, KindName, Origin};

/// The parameters of accepting a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepting {
    /// The fields to accept; all pending ones if empty.
    pub fields: Vec<String>,
    /// The entry's revision that the author has seen. Fields that changed since the proposal are only replaced if it is
    /// the newest.
    pub base_revision: Option<u64>,
    /// Who accepts.
    pub author: Actor,
    /// When.
    pub at: Timestamp,
    /// The id for a new entry.
    pub fresh_id: DocumentId,
    /// The hash of the current revision's file.
    pub previous: Option<String>,
}

/// Returns the entry with the accepted values, and the updated proposal.
pub fn accept(
    kind: &KindDefinition,
    entry: Option<&Entry>,
    proposal: &ProposalInfo,
    accepting: Accepting,
) -> Result<(Entry, ProposalInfo), EntryError> {
    let chosen = chosen(proposal, &accepting.fields)?;
    let key = Key::new(&proposal.entry_key).map_err(DocumentError::from)?;
    let changed: Vec<String> =
        chosen.iter().filter(|field| moved(proposal, field, entry)).map(|field| field.field.clone()).collect();
    if !changed.is_empty() && accepting.base_revision.is_none() {
        let kind = KindName::new(&proposal.role).map_err(DocumentError::from)?;
        let address = Address { kind, key, part: None }.to_string();
        return Err(EntryError::Moved { address, fields: changed, newest: entry.map_or(0, Entry::revision) });
    }
    let fields: Vec<String> = chosen.iter().map(|field| field.field.clone()).collect();
    let data: Map<_, _> = chosen.iter().map(|field| (field.field.clone(), field.value.clone())).collect();
    let origin = Origin {
        model_id: proposal.model_id.clone(),
        sources: proposal.sources.iter().filter_map(|source| source_from_wire(source).ok()).collect(),
    };
    let written = put(
        kind,
        entry,
        Put {
            key,
            fresh_id: accepting.fresh_id,
            display_name: proposal.display_name.clone(),
            data,
            mode: PutMode::Merge,
            base_revision: accepting.base_revision,
            author: accepting.author.clone(),
            reason: format!("accepted proposal {}", proposal.id),
            at: accepting.at,
            origin,
            previous: accepting.previous,
        },
    )?;
    let taken = |field: &ProposedField| fields.contains(&field.field);
    Ok((written, decided(proposal, taken, ProposalState::Accepted, accepting.author, accepting.at, None)))
}

/// The proposal with its pending fields rejected. Fields that were accepted before stay accepted.
pub fn reject(
    proposal: &ProposalInfo,
    by: Actor,
    at: Timestamp,
    reason: Option<String>,
) -> Result<ProposalInfo, EntryError> {
    chosen(proposal, &[])?;
    Ok(decided(proposal, |_| true, ProposalState::Rejected, by, at, reason))
}

/// The selected fields, all of which must be pending.
fn chosen<'a>(proposal: &'a ProposalInfo, fields: &[String]) -> Result<Vec<&'a ProposedField>, EntryError> {
    let waiting: Vec<&ProposedField> =
        proposal.fields.iter().filter(|field| field.state == ProposalState::Pending).collect();
    if waiting.is_empty() {
        let state = if proposal.state == ProposalState::Rejected { "rejected" } else { "accepted" };
        return Err(EntryError::Decided { state });
    }
    let unknown = |name: &&String| waiting.iter().all(|field| field.field != **name);
    let strange: Vec<String> = fields.iter().filter(unknown).cloned().collect();
    if !strange.is_empty() {
        return Err(EntryError::NotProposed { fields: strange });
    }
    Ok(waiting.into_iter().filter(|field| fields.is_empty() || fields.contains(&field.field)).collect())
}

fn decided(
    proposal: &ProposalInfo,
    meant: impl Fn(&ProposedField) -> bool,
    state: ProposalState,
    by: Actor,
    at: Timestamp,
    reason: Option<String>,
) -> ProposalInfo {
    let mut after = proposal.clone();
    for field in after.fields.iter_mut().filter(|field| field.state == ProposalState::Pending && meant(field)) {
        field.state = state;
    }
    let any = |state| after.fields.iter().any(|field| field.state == state);
    after.state = match () {
        () if any(ProposalState::Pending) => ProposalState::Pending,
        () if any(ProposalState::Accepted) => ProposalState::Accepted,
        () => ProposalState::Rejected,
    };
    (after.decided_at, after.decided_by, after.decision_reason) = (Some(at), Some(by), reason);
    after
}
