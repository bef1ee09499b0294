//! End-to-end tests of the program, run as a person, a program or an agent runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first surprise"
)]

mod agent_folders;
mod agent_tasks;
mod ask;
mod ask_ends;
mod bad_input;
mod context;
mod demo;
mod environment;
mod generated;
mod http_process;
mod install;
mod mcp_binding;
mod mcp_judges;
mod mcp_process;
mod mcp_python;
mod parity;
mod pipes;
mod postgres;
mod query;
mod readme;
mod rpc_process;
mod s3;
mod schemathesis;
mod script;
mod script_artifacts;
mod script_context;
mod script_entries;
mod script_sessions;
mod script_targets;
mod serve;
mod settings;
mod small_disk;
mod sql_engine;
mod targets;
mod team;
mod terminal;
mod verbs;
mod web;
mod worker;
mod worker_limits;
