//! Tests of the interfaces, in memory, with a real workbench in a temporary home.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first surprise"
)]

mod bench;
mod fuzz;
mod http_access;
mod http_artifacts;
mod http_bytes;
mod http_calls;
mod http_end;
mod http_entries;
mod http_events;
mod http_files;
mod http_foreign_ids;
mod http_load;
mod http_memory;
mod http_resources;
mod http_safety;
mod http_server;
mod http_sessions;
mod http_starve;
mod http_tags;
mod mcp_any_input;
mod mcp_artifacts;
mod mcp_calls;
mod mcp_client;
mod mcp_confined;
mod mcp_http;
mod mcp_limits;
mod mcp_prompts;
mod mcp_publish;
mod mcp_regions;
mod mcp_resources;
mod mcp_skills;
mod mcp_tasks;
mod mcp_tools;
mod rpc_any_input;
mod rpc_calls;
mod rpc_client;
mod rpc_errors;
mod rpc_events;
mod session_events;
mod targeting;
mod web;
