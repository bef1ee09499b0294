//! Entries: structured background with typed fields, so that a prompt carries `brand.voice` and not two thousand words
//! that contain it.
//!
//! A kind is data: its definition says which fields there are and what each holds. An entry is a
//! [`Document`] of that kind with typed values in its parts, and with what entries have beside
//! it: a state, values kept aside when the kind changed, and the way to the revision before. Proposals are values that
//! wait for a person.

mod accept;

mod check;
mod error;
mod file;
mod kind;
mod kind_read;
mod lookup;
mod proposal;
mod put;
mod refit;
mod rewrite;
mod shipped;
mod tier;
mod value;
mod view;
mod wire;

pub use accept::{Accepting, accept, reject};
pub use check::{asset_references, check_data, named_asset};
pub use error::EntryError;
pub use file::{BadEntry, FAMILY, path_of, proposal_from_json, proposal_path, proposal_to_json};
pub use kind::{FieldRule, as_document_kind, field, fields, kind_path, next_version, notes_field, order_of};
pub use kind_read::{FIELDS_MAX, read_kind};
pub use lookup::{check_change, find_kind, key_for, no_entry};
pub use proposal::{NewProposal, as_seen, propose};
pub use put::{Put, changed_fields, put, touched};
pub use refit::{Refit, refit, report};
pub use rewrite::{DoneMark, Writer, archive, mark_done, restore};
pub use shipped::{all_kinds, shipped_kind, shipped_kinds};
pub use tier::{Decision, Tier, decide, tier_of};
pub use value::{ARRAY_ITEMS_MAX, LONGTEXT_CHARS_MAX, TEXT_CHARS_MAX, URL_CHARS_MAX, accepts, check_value, is_date};
pub use view::{changes, info, missing_fields, rank};
pub use wire::{source_from_wire, source_to_wire, staleness_to_wire};

use jig_contract::ops::EntryState;
use serde_json::{Map, Value};

use crate::document::{Document, Part};

/// An entry in one of its states.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Identity, revision and values.
    pub document: Document,
    /// Whether it is in use.
    pub state: EntryState,
    /// The version of the kind that it was last fitted to.
    pub kind_version: u32,
    /// Values of fields that the kind no longer has, with where they came from. They come back with the field.
    pub kept_aside: Vec<Part>,
    /// The hash of the file of the revision before.
    pub previous: Option<String>,
    /// What a newer version of Jig wrote into the file: it is kept.
    pub other: Map<String, Value>,
}

impl Entry {
    /// Its values by field.
    pub fn data(&self) -> Map<String, Value> {
        self.document.parts.iter().map(|part| (part.name.to_string(), part.value.clone())).collect()
    }

    /// The number of its last write.
    pub const fn revision(&self) -> u64 {
        self.document.revision.number.0
    }
}

#[cfg(test)]
mod tests;
