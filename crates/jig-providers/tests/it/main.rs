//! Providers against a fake model, over real HTTP.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod conversation;
mod egress;
mod faults;
mod keys;
mod limits;
mod quirks;
mod real;
mod retries;
mod scripted;
mod support;
