//! The service layer: implements every operation, and is the only place where the other crates meet.
//!
//! An interface opens one [`Workbench`] and calls operations by name. A listed operation without a handler does not
//! compile (see [`Handle`]).

mod access;
mod artifacts;
mod assets;
mod call_scope;
mod config;
mod content;
mod context;
mod describe;
mod dispatch;
mod draft;
mod egress;
mod engine;
mod entries;
mod events;
mod folders;
mod handlers;
mod home;
mod items;
mod jobs;
mod mcp;
mod models;
mod outside;
mod packs;
mod preview;
mod prompt;
mod recipes;
mod revisions;
mod secrets;
mod sessions;
mod shelf;
mod skills;
mod state;
mod targets;
mod tokens;

pub use access::{Access, needed_role};
pub use config::{Config, Isolation, Limits, McpServer, McpTool, McpWay, QueryLimits, Renderer};
pub use content::{Content, ContentStream};
pub use context::{CallContext, publish_needs_person};
pub use dispatch::Handle;
pub use engine::Workbench;
pub use handlers::paths_in_folder;
pub use jig_context::agent::{LOCK as LOCK_FILE, Lock as AgentLock};
pub use jig_files::count_tokens;
pub use jig_prompt::{Bars, draw_bill};
pub use jig_providers::{Secret, read_secrets};
pub use jig_store::hash_of;
pub use models::{Keys, ModelConfig};
pub use packs::{PackInfo, PackMessage, PackSpeaker};
pub use skills::SkillFiles;
pub use tokens::Caller;
