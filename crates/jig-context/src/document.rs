//! Kinds, documents and parts: the one model behind context items, entries and artifacts.
//!
//! A document is a named thing made of addressable parts; its kind says which parts there may be. Identity, revisions,
//! addresses, projection, provenance, the three numbers, history and staleness are written here once. A document is a
//! value: a write takes the present state and gives the next one, and who keeps either is someone else's business.

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

/// A document's surrogate id. It stays when kind, key or title change, and says nothing about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(pub Uuid);

/// A document in one of its states.
///
/// Kind and key together name it: no two documents of a workbench share both. The key is empty for the one document of
/// a kind that has only one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The surrogate id.
    pub id: DocumentId,
    /// What it may contain.
    pub kind: KindName,
    /// Which one of its kind; empty for a singleton.
    pub key: Key,
    /// What people call it.
    pub title: String,
    /// The write that made this state.
    pub revision: Revision,
    /// The revision in which any content last changed, or a part came or went.
    pub changed: RevisionNumber,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// The id of the next part: ids are never given twice in one document.
    pub next_part: u32,
}

impl Document {
    /// The address of the whole document.
    pub fn address(&self) -> Address {
        Address { kind: self.kind.clone(), key: self.key.clone(), part: None }
    }

    /// The address of one of its parts.
    pub fn address_of(&self, part: &PartName) -> Address {
        Address { part: Some(part.clone()), ..self.address() }
    }

    /// Gives the revision that was just made another number, where its own was already used at this address: by a
    /// document that was deleted, or by a write that was undone. A client may still hold that number as its base.
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

    /// The part with exactly this name. Addresses from people go through [`resolve`], which also knows old names.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name.as_str() == name)
    }
}

#[cfg(test)]
mod tests;
