//! Whole prompts: the same bytes, nothing breaks out, the bill adds up, the choice is right.

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
