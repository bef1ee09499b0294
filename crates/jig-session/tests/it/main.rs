//! Integration tests of the session, through its public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod answers;
mod any;
mod calls;
mod phases;
mod runs;
mod setup;
mod standing;
mod stored;
mod workspace;
