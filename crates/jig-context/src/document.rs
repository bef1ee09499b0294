//! Kinds, documents and parts: the one model behind context items, entries and artifacts.
//!
//! A document is a named thing made of addressable parts; its kind defines which parts are possible. Identity,
//! revisions, addresses, projection, provenance, the three measures, history and staleness are implemented here once. A
//! document is a value: a write takes the current state and returns the next one; storing it is up to the caller.

mod address;
mod change;
mod error;
mod history;
mod kind;
mod measure;
mod name;
mod nearest;
mod part;
mod project;
mod resolve;
mod revision;
mod staleness;
pub(crate) mod stored;
mod write;

pub use address::{Address, BadAddress};
pub use change::{Change, Place, Write};
pub use error::{DocumentError, UnknownPart};
pub use history::{History, HistoryLine, PartDiff, diff};
pub use kind::{Extra, Kind, Need, PartRule, Slots};
pub use measure::{Measure, is_filled, measure};
pub(crate) use name::shown;
pub use name::{BadName, Key, KindName, NAME_MAX, PartName};
pub use nearest::nearest;
pub use part::{Done, Origin, Part, PartId, Provenance, Source};
pub use project::{Projection, project};
pub use resolve::{Found, FoundPart, find_part, resolve};
pub use revision::{Revision, RevisionNumber};
pub use staleness::{
    Expired, NewerSource, OutdatedView, Staleness, content_changed_at, expired, newer_sources, outdated, staleness,
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A document's surrogate id. It stays the same when kind, key or title change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(pub Uuid);

/// A document at one revision.
///
/// Kind and key together identify it within a workbench. The key is empty for a singleton kind.
/// a kind that has only one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The surrogate id.
    pub id: DocumentId,
    /// Its kind.
    pub kind: KindName,
    /// Its key; empty for a singleton.
    pub key: Key,
    /// The display title.
    pub title: String,
    /// The write that created this state.
    pub revision: Revision,
    /// The revision that last changed content, or added or removed a part.
    pub changed: RevisionNumber,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// The id of the next part. Ids are never reused within a document.
    pub next_part: u32,
}

impl Document {
    /// The address of the entire document.
    pub fn address(&self) -> Address {
        Address { kind: self.kind.clone(), key: self.key.clone(), part: None }
    }

    /// The address of `part`, whether or not the document has it.
    pub fn address_of(&self, part: &PartName) -> Address {
        Address { part: Some(part.clone()), ..self.address() }
    }

    /// Replaces the number of a new revision whose own number was used before at this address, by a deleted document or
    /// by a write that was undone. A client may still hold that number as its base.
    pub fn renumber(&mut self, number: RevisionNumber) {
        let old = std::mem::replace(&mut self.revision.number, number);
        let renew = |one: &mut RevisionNumber| {
            if *one == old {
                *one = number;
            }
        };
        renew(&mut self.changed);
        for part in &mut self.parts {
            renew(&mut part.changed);
            part.done.iter_mut().for_each(|done| renew(&mut done.revision));
        }
    }

    /// The part with exactly this name. For addresses from people use [`resolve`], which also knows former names.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name.as_str() == name)
    }
}

#[cfg(test)]
mod tests;
