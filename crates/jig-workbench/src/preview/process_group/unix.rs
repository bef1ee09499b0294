//! Linux and macOS: a process group of its own. Only Linux limits another process; on macOS the time-out alone holds.

use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::super::convert::Bounds;

/// The largest file that the program may write.
#[cfg(target_os = "linux")]
const FILE_BYTES: u64 = 512 << 20;

/// The most processes and threads that its user may have while it runs; the system counts all of them.
#[cfg(target_os = "linux")]
const PROCESSES: u64 = 4_096;

/// Sets what the program needs to be the first of its group.
pub(in super::super) fn configure(command: &mut Command, _: &Path) {
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").process_group(0);
}

/// The program and what it has started, killed when this is dropped.
pub(in super::super) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group that this child began.
    pub(in super::super) fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// Sets bounds that the program's own children inherit.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn limit(&self, bounds: Bounds) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limits = [
            (Resource::As, bounds.memory_bytes),
            (Resource::Cpu, bounds.seconds.saturating_mul(2)),
            (Resource::Fsize, FILE_BYTES),
            (Resource::Nproc, PROCESSES),
            (Resource::Core, 0),
        ];
        for (resource, most) in limits {
            // Where a bound cannot be set the time-out still holds.
            let _ = prlimit(self.0, resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }

    /// Limits nothing.
    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn limit(&self, _: Bounds) {}
}

/// Whether the program has written a file, and not a link to another one.
pub(in super::super) fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.nlink() == 1)
}

/// Removes sockets that LibreOffice has left behind: it may create them there, but not remove anything. One that a
/// process still listens to is left alone.
pub(in super::super) fn remove_sockets(folder: &Path) {
    let Ok(open) = std::fs::read_to_string("/proc/net/unix") else { return };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
        let is_ours = entry.file_name().to_string_lossy().starts_with("OSL_PIPE_");
        if is_socket && is_ours && !open.lines().any(|line| line.ends_with(&*path.to_string_lossy())) {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
