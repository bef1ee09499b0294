//! The context of the work for agents: kinds, documents and their parts.
//!
//! [`agent`] compiles the instructions of an agent (prompt packs, tools and static context) into snapshots. A document
//! is a context item, an entry or an artifact; a part is a file, a field or a section of it. [`document`] has what they
//! have in common; [`item`] the four context items and how they are processed; [`entry`] entries, kinds and proposals;
//! [`artifact`] artifacts, sections, stages and suggestions; [`extract`] the extraction of values from a text;
//! [`recipe`] the context that a task needs; [`asset`] the classification of files; [`definition`] the parsing of kinds
//! and recipes; [`skill`] the Agent Skills that most items are; [`style`] the style rules for each file format.
//! `jig-prompt` decides which parts go into a prompt.
//!
//! Invariants:
//! - pure: documents and model requests are values; time and ids are parameters;
//! - nothing written by a model, a file or a person affects anything outside of its own document;
//! - an address has one meaning, or the error lists what it could refer to.
//!
//! May use `jig-contract`.

pub mod agent;
pub mod agent_context;
pub mod artifact;
pub mod asset;
pub mod definition;
pub mod document;
pub mod entry;
pub mod extract;
pub mod item;
pub mod recipe;
pub mod skill;
pub mod style;
pub mod target;
