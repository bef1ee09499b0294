//! Linux and macOS.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, channel};

/// Receives a message for each SIGINT or SIGTERM.
pub(crate) fn stop_requests() -> io::Result<Receiver<()>> {
    let (sender, receiver) = channel(2);
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut asked, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move { while asked.recv().await.is_some() && sender.send(()).await.is_ok() {} });
    }
    Ok(receiver)
}

/// Replaces this process with the program. Returns only on failure.
pub(crate) fn exec(command: &mut Command) -> io::Error {
    command.exec()
}

/// Writes a file with mode 0600 in a folder with mode 0700. An existing file is removed first, because it may have been
/// created by someone else or with other permissions.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(bytes)
}
