//! Agents at work: their workspaces, the logs of their sessions, and carrying out what those ask for.
//!
//! `jig-session` decides; here what it decided is written down first ([`live`], [`desk`]) and then done ([`runner`]): a model is
//! asked with exactly the bytes that were kept ([`request`], [`task`]), a tool is an operation called as the agent ([`tools`]).
//! [`replay`] builds everything again from the log. What happens is told on the stream of events ([`progress`]).

mod bindings;
mod call_check;
mod consent;
mod desk;
mod dropped;
mod links;
mod live;
mod log;
mod notes;
mod progress;
mod receipt;
mod replay;
mod request;
mod runner;
mod shown;
mod sync;
mod task;
mod tools;
mod workspaces;

pub(crate) use consent::RunGrant;
pub(crate) use desk::{AtHand, SessionDesk};
pub(crate) use live::Live;
pub(crate) use progress::suspended;
pub(crate) use replay::lines;
pub(crate) use shown::{info, permissions, recipe_of};
pub(crate) use sync::bad_reference;
pub(crate) use workspaces::{AGENT_FOLDER, own_version, shared_version, shown_problems};
