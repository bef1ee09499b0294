//! Linux and macOS.

use std::io;
use std::os::unix::process::CommandExt as _;
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
