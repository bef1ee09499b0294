//! Windows, and any system with `--cfg jig_portable`.

use std::io;
use std::path::Path;
use std::process::Command;

use tokio::sync::mpsc::{Receiver, channel};

/// Receives a message for each Ctrl-C. Other termination requests end the program immediately.
#[expect(clippy::unnecessary_wraps, reason = "the signature of `unix`")]
pub(crate) fn stop_requests() -> io::Result<Receiver<()>> {
    let (sender, receiver) = channel(2);
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).await.is_ok() {} });
    Ok(receiver)
}

/// Runs the program as a child process and exits with its status. Returns only if it cannot be started. If this process
/// is killed, the child sees the end of its input and exits too.
pub(crate) fn exec(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Writes a file. Access is controlled by the permissions of the home folder that contains it.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}
