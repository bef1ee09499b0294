//! What callers may ask of the file engines: the edit operations of each format and the parameters of reads, defined
//! once. Nothing here reads a file, so that the contract can use it without an engine.
//!
#![doc = include_str!("../README.md")]

pub mod address;
pub mod nearest;
pub mod ops;
mod query;
pub mod read;
pub mod table;

pub use nearest::nearest;
pub use ops::{OpIssue, OpSet, OpSpec, OpsError, ParsedOp, ParsedOps, Strictness, Warning, parse_ops};
pub use query::{QueryError, parse_query};
pub use read::read_params;
pub use table::{TableCommand, TableRequest, TableSource};
