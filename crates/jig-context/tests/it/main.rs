//! The integration tests of this crate, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise"
)]

mod skills;
mod skills_ref;
mod style_corpus;
mod style_process;
mod style_rules;
