//! Tests of the crate through its public face, on real files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise"
)]

mod diff;
mod diff_any;
mod diff_cases;
mod diff_large;
mod diff_read;
mod diff_rewritten;
mod diff_samples;
mod images;
mod numbers;
mod odt;
mod office;
mod pdf;
mod render_copy;
mod robust;
mod secrets;
mod sniff;
#[path = "../support/mod.rs"]
mod support;
mod text;
mod texts;

use support::sample;
