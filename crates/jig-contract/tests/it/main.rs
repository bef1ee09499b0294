//! Guarantees of the contract: names and paths, error codes, operations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod codes;
mod operations;
mod paths;
