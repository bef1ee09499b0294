//! The interfaces for programs and agents: JSON-RPC over standard input and output, MCP, and HTTP.
//!
//! An interface is a loop over the list of operations. It makes no decisions: it passes a call to the
//! [`Workbench`](jig_workbench::Workbench) and returns the result in the form of its protocol.

mod diff;
mod follow;
pub mod http;
mod lazy;
pub mod mcp;
mod nearest;
pub mod reference;
pub mod rpc;
mod schemas;
mod slots;

pub use diff::{DiffTextLine, Span, Tone, diff_lines, marked, unified};
pub use follow::{Follow, start};
pub use lazy::LazyWorkbench;
pub use nearest::nearest;
