//! Proposals: values that await a person's decision.

use jig_contract::ops::{EntrySource, ProposalInfo, ProposalOrigin, ProposalState, ProposedField};
use jig_contract::{Actor, ProposalId, Timestamp};

use super::Entry;
use crate::document::Key;

/// The properties of a new proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct NewProposal {
    /// Its id.
    pub id: ProposalId,
    /// Its origin.
    pub origin: ProposalOrigin,
    /// The kind of entry.
    pub role: String,
    /// The key of the entry.
    pub key: Key,
    /// The display name of the entry.
    pub display_name: Option<String>,
    /// The values. States, conflicts and current values are filled in.
    pub fields: Vec<ProposedField>,
    /// Who proposes.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The model that produced the values.
    pub model_id: Option<String>,
    /// The sources of the values.
    pub sources: Vec<EntrySource>,
    /// The recipe whose run produced it.
    pub recipe: Option<String>,
    /// The job of that run.
    pub job_id: Option<String>,
    /// The reason.
    pub reason: Option<String>,
    /// Warnings for people.
    pub warnings: Vec<String>,
}

/// Creates a proposal relative to the current entry, which does not change.
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

/// Whether a field changed after the proposal was created.
pub(super) fn moved(proposal: &ProposalInfo, field: &ProposedField, entry: Option<&Entry>) -> bool {
    if entry.is_none() && proposal.base_revision > 0 {
        // The entry no longer exists.
        return true;
    }
    match entry.and_then(|entry| entry.document.part(&field.field)) {
        Some(part) => part.changed.0 > proposal.base_revision,
        // The field had a value, and no longer has one.
        None => field.current.is_some(),
    }
}

/// The proposal relative to the current entry: current values, and which fields changed since.
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
