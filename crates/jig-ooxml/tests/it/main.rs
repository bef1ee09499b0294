//! What users of the crate rely on: its examples and the wording of its errors; and the order of its modules.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod examples;
mod messages;
mod modules;
