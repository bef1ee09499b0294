//! Windows, and any system with `--cfg jig_portable`: only the program itself is terminated, by `kill_on_drop`. Its
//! child processes may continue until they finish, and only the timeout limits them.

use std::path::Path;

use jig_store::platform::required_environment;
use tokio::process::{Child, Command};

use super::super::convert::Bounds;

/// Sets the environment that the program needs, with its temporary files in this folder.
pub(in super::super) fn configure(command: &mut Command, work: &Path) {
    command.envs(required_environment()).env("TEMP", work).env("TMP", work).kill_on_drop(true);
}

/// The program alone, because this system has no process groups.
pub(in super::super) struct ProcessGroup;

impl ProcessGroup {
    /// The child process alone.
    pub(in super::super) fn of(_: &Child) -> Self {
        Self
    }

    /// No limits.
    #[expect(clippy::unused_self, reason = "the signature of `unix`")]
    pub(in super::super) fn limit(&self, _: Bounds) {}
}

/// Whether the program has written a regular file rather than a link.
pub(in super::super) fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file())
}

/// LibreOffice removes its own sockets here.
pub(in super::super) fn remove_sockets(_: &Path) {}
