//! Workspaces in memory.

mod compiling;
mod fixtures;
mod names;
mod shipping;
mod templates;
