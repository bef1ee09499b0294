//! Three notions of "old" that are kept apart: expired, an outdated view, a source that is newer.

use jig_contract::Timestamp;
use serde::{Deserialize, Serialize};

use super::Document;
use super::address::Address;
use super::kind::Kind;
use super::part::Source;
use super::revision::RevisionNumber;

const HOUR_MILLIS: i64 = 3_600_000;

/// In which ways a document is old. All may be true at once, and none follows from another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staleness {
    /// Its content is older than its kind allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<Expired>,
    /// The reader saw an older revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_view: Option<OutdatedView>,
    /// What it was made from has changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newer_sources: Vec<NewerSource>,
}

impl Staleness {
    /// Whether it is old in any way.
    pub fn is_stale(&self) -> bool {
        self.expired.is_some() || self.outdated_view.is_some() || !self.newer_sources.is_empty()
    }
}

/// Content that is older than its kind allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expired {
    /// When content was last written.
    pub content_changed_at: Timestamp,
    /// How many hours it is good for.
    pub ttl_hours: u32,
    /// For how many full hours it has been too old.
    pub hours_over: i64,
}

/// A reader's revision that is no longer the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutdatedView {
    /// What the reader saw.
    pub seen: RevisionNumber,
    /// What there is.
    pub newest: RevisionNumber,
}

/// A source that has changed since it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewerSource {
    /// Which.
    pub address: Address,
    /// The revision that was used.
    pub used: RevisionNumber,
    /// The revision in which it changed after that; none when it is gone.
    pub changed_in: Option<RevisionNumber>,
}

/// In which ways a document is old, now, for a reader who saw the revision `seen`, with its sources as they are in
/// `documents`.
pub fn staleness(
    kind: &Kind,
    document: &Document,
    seen: RevisionNumber,
    documents: &[Document],
    now: Timestamp,
) -> Staleness {
    Staleness {
        expired: expired(kind, document, now),
        outdated_view: outdated(document, seen),
        newer_sources: newer_sources(document, documents),
    }
}

/// When content was last written. A new title, name, place or done mark does not count.
pub fn content_changed_at(document: &Document) -> Option<Timestamp> {
    document.parts.iter().map(|part| part.provenance.at).max()
}

/// Whether the content is older than the kind allows. At the very hour it is not yet.
pub fn expired(kind: &Kind, document: &Document, now: Timestamp) -> Option<Expired> {
    let ttl_hours = kind.ttl_hours?;
    let content_changed_at = content_changed_at(document)?;
    let over = now.since(content_changed_at) - i64::from(ttl_hours) * HOUR_MILLIS;
    (over > 0).then_some(Expired { content_changed_at, ttl_hours, hours_over: over / HOUR_MILLIS })
}

/// Whether a reader who saw this revision sees an old one.
pub fn outdated(document: &Document, seen: RevisionNumber) -> Option<OutdatedView> {
    let newest = document.revision.number;
    (seen < newest).then_some(OutdatedView { seen, newest })
}

/// The sources of this document that have changed since they were used. A source that is one part is newer when that
/// part's content changed; a source that is a whole document when any part's
/// did, or one came or went.
pub fn newer_sources(document: &Document, documents: &[Document]) -> Vec<NewerSource> {
    let mut newer: Vec<NewerSource> = Vec::new();
    for source in document.parts.iter().flat_map(|part| &part.provenance.origin.sources) {
        let Source::Document { address, revision } = source else { continue };
        let changed_in = changed_in(address, documents);
        let stale = changed_in.is_none_or(|changed| changed > *revision);
        let found = NewerSource { address: address.clone(), used: *revision, changed_in };
        if stale && !newer.contains(&found) {
            newer.push(found);
        }
    }
    newer
}

/// The revision in which the content at an address last changed.
fn changed_in(address: &Address, documents: &[Document]) -> Option<RevisionNumber> {
    let document = documents.iter().find(|other| other.kind == address.kind && other.key == address.key)?;
    match &address.part {
        None => Some(document.changed),
        Some(name) => {
            let mut parts = document.parts.iter();
            parts.find(|part| part.name == *name || part.aliases.contains(name)).map(|part| part.changed)
        }
    }
}
