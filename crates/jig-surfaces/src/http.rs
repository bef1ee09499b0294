//! `jig serve`: every operation over HTTP, resources on the same operations, events, and the schema of it all.
//!
//! One table of routes (`routes`) says which operation stands behind which address and where its parameters come
//! from. The router, the OpenAPI document and the page about it are made from that table and from the list of
//! operations, so that they cannot tell different stories. What every request passes, whatever it asks for, is in
//! `gate`: names of the host, origins, tokens, rates, ids, logs and counts. The page for people is in `web`.

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
