//! Agent sessions: their workspaces and logs, and executing their effects.
//!
//! `jig-session` decides; here the decisions are recorded ([`live`], [`desk`]) and then executed ([`runner`]): a model
//! is called with exactly the recorded bytes ([`request`], [`task`]), and a tool is an operation called as the agent
//! ([`tools`]). [`replay`] rebuilds everything from the log. Progress is sent as events ([`progress`]).

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
