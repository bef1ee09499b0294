//! Agents at work: their workspaces, the logs of their sessions, and carrying out what those ask for.
//!
//! `jig-session` decides; here what it decided is written down first ([`live`]) and then done ([`runner`]): a model is
//! asked with exactly the bytes that were kept ([`request`]), a tool is an operation called as the agent ([`tools`]).
//! [`replay`] builds everything again from the log. What happens is told on the stream of events ([`progress`]).

mod agreed;
mod bindings;
mod links;
mod live;
mod notes;
mod progress;
mod receipt;
mod replay;
mod request;
mod runner;
mod shown;
mod sync;
mod tools;
mod workspaces;

pub(crate) use agreed::AgreedRuns;
pub(crate) use live::Live;
pub(crate) use replay::lines;
pub(crate) use shown::info;
pub(crate) use sync::bad_reference;
pub(crate) use workspaces::{AGENT_FOLDER, own_version, shared_version, shown_problems};
