//! Systems without Landlock and seccomp, and Linux with `--cfg jig_portable`: a worker may do what its user may.

use std::path::Path;

use super::Held;
use super::launch::ProgramAccess;

/// Restricts nothing.
pub(super) fn restrict_files(_: &Path, _: Option<&Path>) -> Held {
    Held::No
}

/// Restricts nothing.
pub(super) fn restrict_calls() -> Held {
    Held::No
}

/// Restricts nothing.
pub(super) fn restrict_launch(_: &ProgramAccess) -> (Held, Held) {
    (Held::No, Held::No)
}

/// Nothing to try out.
pub(super) fn probe() -> (Held, Held) {
    (Held::No, Held::No)
}

/// Left to the system.
pub(super) fn set_huge_pages(_: bool) {}

/// Not known, so that a limit of memory that is too small is found only when a call fails.
pub(super) fn held_memory() -> Option<u64> {
    None
}
