//! The wire form of sources and staleness.

use jig_contract::ops::{EntrySource, EntryStaleness, ExpiredContent, OutdatedRevision, SourceChange};

use crate::definition::Problem;
use crate::document::{Address, RevisionNumber, Source, Staleness};

/// Parses a source.
pub fn source_from_wire(source: &EntrySource) -> Result<Source, Problem> {
    Ok(match source {
        EntrySource::Text => Source::Text,
        EntrySource::File { name } => Source::File { name: name.clone() },
        EntrySource::Document { address, revision } => Source::Document {
            address: Address::parse(address).map_err(|error| Problem::new("sources", error.to_string()))?,
            revision: RevisionNumber(*revision),
        },
    })
}

/// The wire form of a source.
pub fn source_to_wire(source: &Source) -> EntrySource {
    match source {
        Source::Text => EntrySource::Text,
        Source::File { name } => EntrySource::File { name: name.clone() },
        Source::Document { address, revision } => {
            EntrySource::Document { address: address.to_string(), revision: revision.0 }
        }
    }
}

/// The wire form of staleness.
pub fn staleness_to_wire(staleness: &Staleness) -> EntryStaleness {
    EntryStaleness {
        expired: staleness.expired.map(|expired| ExpiredContent {
            content_changed_at: expired.content_changed_at,
            ttl_hours: expired.ttl_hours,
            hours_over: expired.hours_over,
        }),
        outdated_view: staleness
            .outdated_view
            .map(|view| OutdatedRevision { seen: view.seen.0, newest: view.newest.0 }),
        newer_sources: staleness
            .newer_sources
            .iter()
            .map(|newer| SourceChange {
                address: newer.address.to_string(),
                used: newer.used.0,
                changed_in: newer.changed_in.map(|number| number.0),
            })
            .collect(),
    }
}
