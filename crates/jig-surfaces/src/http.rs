//! `jig serve`: every operation over HTTP, resources based on the same operations, events, and an OpenAPI schema.
//!
//! A single table of routes (`routes`) maps addresses to operations and describes where parameters come from. The
//! router, the OpenAPI document and the API reference page are generated from that table and the list of operations, so
//! they cannot disagree. What every request passes is in `gate`: host names, origins, tokens, rate limits, ids, logs
//! and metrics. The web app is in `web`.

mod answer;
mod app;
mod assets;
mod body;
mod bytes;
mod call;
mod conditional;
mod connections;
mod events;
mod files;
mod fixed;
mod gate;
mod host;
mod log;
mod mcp;
mod metrics;
mod openapi;
mod options;
mod page;
mod params;
mod problem;
mod proxies;
mod query;
mod rate;
mod routes;
mod server;
mod staging;
mod table;
mod timed;
mod web;

pub use log::Log;
pub use openapi::document as openapi_document;
pub use options::{Demo, HttpOptions, McpDoor};
pub use proxies::{InvalidProxyRange, ProxyRange};
pub use server::HttpServer;
