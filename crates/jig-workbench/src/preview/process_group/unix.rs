//! Linux and macOS: a separate process group. Only Linux can limit another process; on macOS only the timeout applies.

use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::super::convert::Bounds;

/// The maximum size of a file that the program may write.
#[cfg(target_os = "linux")]
const FILE_BYTES: u64 = 512 << 20;

/// The maximum number of processes and threads of the user while it runs; the system counts all of them.
#[cfg(target_os = "linux")]
const PROCESSES: u64 = 4_096;

/// Makes the program the leader of a new process group.
pub(in super::super) fn configure(command: &mut Command, _: &Path) {
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").process_group(0);
}

/// The process group, killed on drop.
pub(in super::super) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The process group of this child.
    pub(in super::super) fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// Sets limits that child processes inherit.
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
            // If a limit cannot be set, the timeout still applies.
            let _ = prlimit(self.0, resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }

    /// No limits on this system.
    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn limit(&self, _: Bounds) {}
}

/// Whether the program has written a regular file rather than a link.
pub(in super::super) fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.nlink() == 1)
}

/// Removes sockets that LibreOffice left behind, because the sandbox lets it create but not remove files there. A
/// socket that a process still listens on is left alone.
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
