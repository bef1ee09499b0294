//! Checks of the repository as a whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod tidy;
