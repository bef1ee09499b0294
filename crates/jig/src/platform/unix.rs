//! Linux and macOS.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, channel};

/// One message for each SIGINT or SIGTERM.
pub(crate) fn stop_requests() -> io::Result<Receiver<()>> {
    let (sender, receiver) = channel(2);
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut asked, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move { while asked.recv().await.is_some() && sender.send(()).await.is_ok() {} });
    }
    Ok(receiver)
}

/// Replaces this process by the program. Returns only an error.
pub(crate) fn exec(command: &mut Command) -> io::Error {
    command.exec()
}

/// Writes a file that only its owner may read, in a folder that only its owner may enter. One that is there is removed
/// first: it may have been made by others, or with other rights.
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
