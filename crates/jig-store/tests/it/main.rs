//! Tests of the store through its public API.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "these are tests")]

mod blobs;
mod hostile;
mod identity;
mod properties;
mod setup;
mod suite;
mod support;
mod versions;
mod view;
// The same tests for a long-lived process.
#[expect(clippy::duplicate_mod, reason = "each test runs in both ways of looking")]
#[path = "view/mod.rs"]
mod view_watched;
