//! Tests of the store through its public face.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "these are tests")]

mod blobs;
mod hostile;
mod properties;
mod setup;
mod suite;
mod support;
mod versions;
mod view;
