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

/// Not possible here without the system's own calls: a call that takes too long is ended by the pool only.
pub(crate) fn copy_of_output() -> Option<std::fs::File> {
    None
}

/// Ends this process at once.
pub(crate) fn end_process() -> ! {
    std::process::abort()
}
