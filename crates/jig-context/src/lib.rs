//! What an agent is told about the work: kinds, documents and their parts.
//!
//! A document is a context item, an entry or an artifact; a part is a file, a field or a section of it.
//! This crate holds their rules, the addresses that reach them and the selection of what a task needs.
//!
//! Invariants:
//! - pure: documents come in as values and go out as values; the store is someone else's;
//! - the same documents and the same request select the same parts in the same order;
//! - what was left out of a selection is listed with its size.
//!
//! May use `jig-contract`.

pub mod document;
pub mod item;
pub mod skill;
pub mod style;
