//! Windows, and any system with `--cfg jig_portable`.

use std::io;
use std::path::Path;
use std::process::Command;

use tokio::sync::mpsc::{Receiver, channel};

/// One message for each Ctrl-C. Other requests to end the program end it at once.
#[expect(clippy::unnecessary_wraps, reason = "the signature of `unix`")]
pub(crate) fn stop_requests() -> io::Result<Receiver<()>> {
    let (sender, receiver) = channel(2);
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).await.is_ok() {} });
    Ok(receiver)
}

/// Runs the program as a child and then exits with its status. Returns only when it cannot be started. When this
/// process is killed, the child reads the end of its input and ends too.
pub(crate) fn exec(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Writes a file. Who may read it is decided by the folder that the home lies in.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}
