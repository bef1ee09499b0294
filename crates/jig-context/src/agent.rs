//! Agent workspaces: an agent's instructions and tools as content, in a folder with an index, prompt packs, tool
//! catalogs
//! and static context.
//!
//! `agent.workspace.json` names everything that is loaded; folders are never scanned. [`compile`] turns the files into
//! one immutable [`Snapshot`], or reports all errors at once. Content decides what an agent sees; permissions are
//! decided elsewhere.

mod catalog;
mod compile;
mod coverage;
mod index;
mod legacy;
mod lock;
mod merge;
mod object;
mod pack;
mod problem;
mod reader;
mod reference;
mod schema;
mod shape;
mod shipped;
mod snapshot;
mod strict;
mod template;
mod tools;
mod variables;

pub use catalog::{Catalog, Descriptor, TOOL_NAME_MAX};
pub use compile::{Compiled, Options, compile};
pub use coverage::{Coverage, Standing};
pub use index::{Defaults, INDEX, PhaseDefaults, SCHEMA};
pub use legacy::LEGACY_NOTE;
pub use lock::{LOCK, Lock, LockedFile};
pub use merge::{Conflict, Merged, merge};
pub use pack::{Message, ModelOptions, Pack, Part, ResponseFormat, Role};
pub use problem::Problem;
pub use reader::{FILE_BYTES_MAX, FileRef, Files};
pub use reference::{BadReference, OWN_NAME, Reference, SHIPPED_NAME, WorkspaceName};
pub use schema::check_input;
pub use shipped::{SHIPPED_VERSION, shipped};
pub use snapshot::{Snapshot, Source};
pub use template::render;
pub use tools::{TOOLS, ToolSpec, descriptor};
pub use variables::{Variables, declared};

#[cfg(test)]
mod tests;
