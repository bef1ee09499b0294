//! Entries: structured context with typed fields, so that a prompt contains `brand.voice` instead of two thousand words
//! around it.
//!
//! A kind is data: its definition lists the fields and their types. An entry is a [`Document`] of that kind with typed
//! values as parts, plus what only entries have: a state, values set aside when the kind changed, and a link to the
//! previous revision. Proposals are values that await a person's decision.

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

/// An entry at one revision.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Identity, revision and values.
    pub document: Document,
    /// Whether it is active or archived.
    pub state: EntryState,
    /// The version of the kind that it was last fitted to.
    pub kind_version: u32,
    /// Values of fields that the kind no longer has, with their provenance. They are restored if the field returns.
    pub kept_aside: Vec<Part>,
    /// The hash of the previous revision's file.
    pub previous: Option<String>,
    /// Fields written by a newer version of Jig, preserved on write.
    pub other: Map<String, Value>,
}

impl Entry {
    /// The values by field.
    pub fn data(&self) -> Map<String, Value> {
        self.document.parts.iter().map(|part| (part.name.to_string(), part.value.clone())).collect()
    }

    /// The current revision number.
    pub const fn revision(&self) -> u64 {
        self.document.revision.number.0
    }
}

#[cfg(test)]
mod tests;
