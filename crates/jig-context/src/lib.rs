//! What an agent is told about the work: kinds, documents and their parts.
//!
//! [`agent`] is what an agent is told about itself: prompt packs, tools and static context, compiled into snapshots.
//! A document is a context item, an entry or an artifact; a part is a file, a field or a section of it. [`document`] has
//! what is true of all of them; [`item`] the four context items and how they are made; [`entry`] the entries, their
//! kinds and proposals; [`artifact`] the artifacts, their sections, stages and suggestions; [`extract`] how values for an entry are found in a text; [`recipe`] which entries a task needs;
//! [`asset`] what a file of an entry is; [`definition`] how kinds and recipes are read; [`skill`] the Agent Skills that
//! most items are; [`style`] the skills for the look of each file format. Which parts go into a prompt is decided in
//! `jig-prompt`.
//!
//! Invariants:
//! - pure: documents come in as values and go out as values, and so do questions to models; time and ids are handed in;
//! - nothing that a model, a file or a person wrote reaches a place outside of its own document;
//! - an address means one thing, or the error lists what it could mean.
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
