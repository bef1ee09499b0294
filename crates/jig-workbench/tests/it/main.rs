//! Tests of user-visible guarantees, through the operations of every interface.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise"
)]

mod adding;
mod agents;
mod any_order;
mod artifacts;
mod artifacts_exchange;
mod assets;
mod behaviours;
mod child;
mod consent;
mod content_tags;
mod context_edit;
mod context_input;
mod context_process;
mod conversation;
mod crowd;
mod disk_full;
mod draft;
mod egress_scope;
mod entries;
mod extract;
mod files;
mod history;
mod jobs;
mod kill;
mod lost_updates;
mod mcp_tools;
mod model_home;
mod office;
mod outside;
mod previews;
mod previews_confined;
mod prompt;
mod publish;
mod read_only;
mod recipe_sessions;
mod recipes;
mod repair;
mod review;
mod review_office;
mod secrets;
mod session_archive;
mod session_desk;
mod session_home;
mod session_kill;
mod session_standing;
mod session_workspace;
mod sessions;
mod tables;
mod targets;
mod texts;
mod unchanged;
mod untrusted;
mod workbenches;
mod workshop;
mod workshop_begin;
mod workshop_edits;
mod workshop_rules;
