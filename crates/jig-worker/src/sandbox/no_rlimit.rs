//! Windows, and any system with `--cfg jig_portable`: the standard library sets no limits. A worker that takes too long
//! is still ended by the pool; one that takes too much memory is not.

/// Whether [`limit_cpu`] has an effect.
pub(super) const HAS_CPU_LIMIT: bool = false;

/// Has no effect: what is written of a process that crashes is the system's choice.
pub(super) fn forbid_core_dumps() {}

/// Limits nothing.
pub(super) fn limit_memory(_: u64) -> bool {
    false
}

/// Limits nothing.
pub(super) fn limit_cpu(_: u64) {}
