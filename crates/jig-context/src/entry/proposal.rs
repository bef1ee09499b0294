//! Proposals: values that wait for a person.

use jig_contract::ops::{EntrySource, ProposalInfo, ProposalOrigin, ProposalState, ProposedField};
use jig_contract::{Actor, ProposalId, Timestamp};

use super::Entry;
use crate::document::Key;

/// What a new proposal is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct NewProposal {
    /// Its id.
    pub id: ProposalId,
    /// What it comes from.
    pub origin: ProposalOrigin,
    /// The kind of entry.
    pub role: String,
    /// Which one of its kind.
    pub key: Key,
    /// What the entry is to be called.
    pub display_name: Option<String>,
    /// The values; states, conflicts and present values are filled in.
    pub fields: Vec<ProposedField>,
    /// Who makes it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The model that made the values.
    pub model_id: Option<String>,
    /// What they were made from.
    pub sources: Vec<EntrySource>,
    /// The recipe whose run made it.
    pub recipe: Option<String>,
    /// The job of that run.
    pub job_id: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// A proposal for the entry as it is now. Nothing of the entry changes.
pub fn propose(new: NewProposal, entry: Option<&Entry>) -> ProposalInfo {
    let fields = new.fields.into_iter().map(|field| ProposedField {
        current: value(entry, &field.field),
        conflict: false,
        state: ProposalState::Pending,
        ..field
    });
    ProposalInfo {
        id: new.id,
        origin: new.origin,
        state: ProposalState::Pending,
        role: new.role,
        entry_key: new.key.to_string(),
        display_name: new.display_name,
        base_revision: entry.map_or(0, Entry::revision),
        fields: fields.collect(),
        conflict: false,
        created_at: new.at,
        created_by: new.by,
        model_id: new.model_id,
        sources: new.sources,
        recipe: new.recipe,
        job_id: new.job_id,
        sent: None,
        reason: new.reason,
        warnings: new.warnings,
        decided_at: None,
        decided_by: None,
        decision_reason: None,
    }
}

pub(super) fn value(entry: Option<&Entry>, field: &str) -> Option<serde_json::Value> {
    entry.and_then(|entry| entry.document.part(field)).map(|part| part.value.clone())
}

/// Whether a field was changed after the proposal was made.
pub(super) fn moved(proposal: &ProposalInfo, field: &ProposedField, entry: Option<&Entry>) -> bool {
    if entry.is_none() && proposal.base_revision > 0 {
        // The entry itself is gone.
        return true;
    }
    match entry.and_then(|entry| entry.document.part(&field.field)) {
        Some(part) => part.changed.0 > proposal.base_revision,
        // There was a value, and it is gone.
        None => field.current.is_some(),
    }
}

/// The proposal beside the entry as it is now: present values, and which fields were changed since.
pub fn as_seen(proposal: &ProposalInfo, entry: Option<&Entry>) -> ProposalInfo {
    let mut seen = proposal.clone();
    for (field, stored) in seen.fields.iter_mut().zip(&proposal.fields) {
        let waits = stored.state == ProposalState::Pending;
        field.conflict = waits && moved(proposal, stored, entry);
        field.current = value(entry, &stored.field);
    }
    seen.conflict = seen.fields.iter().any(|field| field.conflict);
    seen
}
