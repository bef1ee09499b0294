//! Three independent kinds of staleness: expired content, an outdated view, and newer sources.

use jig_contract::Timestamp;
use serde::{Deserialize, Serialize};

use super::Document;
use super::address::Address;
use super::kind::Kind;
use super::part::Source;
use super::revision::RevisionNumber;

const HOUR_MILLIS: i64 = 3_600_000;

/// The staleness of a document. All kinds can apply at once, and none implies another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staleness {
    /// Set if the content is older than its kind allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<Expired>,
    /// Set if the reader has seen an older revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_view: Option<OutdatedView>,
    /// The sources that have changed since they were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newer_sources: Vec<NewerSource>,
}

impl Staleness {
    /// Whether there is any reason to refresh the value.
    pub fn is_stale(&self) -> bool {
        self.expired.is_some() || self.outdated_view.is_some() || !self.newer_sources.is_empty()
    }
}

/// Content that is older than its kind allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expired {
    /// When content was last written.
    pub content_changed_at: Timestamp,
    /// The validity period of the content, in hours.
    pub ttl_hours: u32,
    /// The number of full hours past the period.
    pub hours_over: i64,
}

/// A reader's revision that is not the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutdatedView {
    /// The revision that the reader has seen.
    pub seen: RevisionNumber,
    /// The newest revision.
    pub newest: RevisionNumber,
}

/// A source that has changed since it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewerSource {
    /// The source.
    pub address: Address,
    /// The revision that was used.
    pub used: RevisionNumber,
    /// The later revision that changed it; `None` if the source no longer exists.
    pub changed_in: Option<RevisionNumber>,
}

/// The staleness of a document now, for a reader who has seen the revision `seen`. `documents` has the current state of
/// its sources.
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

/// When content was last written. Changes of titles, names, positions and done marks do not count.
pub fn content_changed_at(document: &Document) -> Option<Timestamp> {
    document.parts.iter().map(|part| part.provenance.at).max()
}

/// Whether the content has expired. It has not yet at the exact end of the period.
pub fn expired(kind: &Kind, document: &Document, now: Timestamp) -> Option<Expired> {
    let ttl_hours = kind.ttl_hours?;
    let content_changed_at = content_changed_at(document)?;
    let over = now.since(content_changed_at) - i64::from(ttl_hours) * HOUR_MILLIS;
    (over > 0).then_some(Expired { content_changed_at, ttl_hours, hours_over: over / HOUR_MILLIS })
}

/// Whether a reader who has seen this revision is outdated.
pub fn outdated(document: &Document, seen: RevisionNumber) -> Option<OutdatedView> {
    let newest = document.revision.number;
    (seen < newest).then_some(OutdatedView { seen, newest })
}

/// The sources of this document that have changed since they were used: a part if its content changed, an entire
/// document if the content of any part changed, or a part was added or removed.
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

/// The revision that last changed the content at an address.
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
