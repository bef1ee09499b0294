//! Complete prompts: deterministic bytes, escaping, token breakdown, and selection.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod billing;
mod choice;
mod expected;
mod hostile;
mod hostile_tokens;
mod layout;
mod same;
mod states;
mod words;
