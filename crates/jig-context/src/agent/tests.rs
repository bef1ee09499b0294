//! Tests on in-memory workspaces.

mod compiling;
mod fixtures;
mod names;
mod shipping;
mod templates;
