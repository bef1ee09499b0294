//! Tables through the crate's public API.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod agreement;
mod calls;
mod calls_judged;
mod calls_sheets;
mod direct;
mod escape;
mod export;
mod formats;
mod fuzz;
mod large;
mod limits;
mod original_client;
mod reader;
mod support;
mod truth;
