//! Linux and macOS: limits of the process that the kernel enforces. macOS counts no address space, so its limit of
//! memory may be accepted without any effect.

use std::fs::File;
use std::os::fd::AsFd as _;

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Whether [`limit_cpu`] has an effect.
pub(super) const HAS_CPU_LIMIT: bool = true;

/// Keeps the system from writing the memory of a process that crashes to a file.
pub(super) fn forbid_core_dumps() {
    let _ = bound(Resource::Core, 0);
}

/// Limits the address space; false when the system refuses.
pub(super) fn limit_memory(bytes: u64) -> bool {
    bound(Resource::As, bytes)
}

/// Ends the process after this much more processor time. The system counts from the start of the process.
pub(super) fn limit_cpu(seconds: u64) {
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or(0) + seconds + 1;
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None });
}

fn bound(resource: Resource, most: u64) -> bool {
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok()
}

/// Standard output once more, for a thread that writes while another holds the lock.
pub(crate) fn copy_of_output() -> Option<File> {
    std::io::stdout().as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Ends this process at once, whatever its other threads are doing.
pub(crate) fn end_process() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    std::process::abort()
}
