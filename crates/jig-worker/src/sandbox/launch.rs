//! Starts programs that are confined from their first instruction: workers and LibreOffice.
//!
//! The layers of the sandbox belong to a thread and are inherited by what it starts. So a program is started from a
//! thread that has put them on itself and ends right after; this process keeps all its rights.

use std::io;
use std::path::PathBuf;

use tokio::process::{Child, Command};

use super::{Confinement, restrict_launch};

/// The files that a program may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramAccess {
    /// Files and folders that it may read and run; none for all that its user may.
    pub read: Option<Vec<PathBuf>>,
    /// Folders that it may write.
    pub write: Vec<PathBuf>,
    /// Folders beside those in which it may create sockets, to be reached by its own processes. Without any it has no
    /// sockets at all.
    pub sockets: Vec<PathBuf>,
}

/// Starts a program that can write only where this says, reaches no network and signals no other process. Where the
/// system lacks a feature the program is started all the same, and the result says what holds.
pub fn spawn_confined(command: &mut Command, access: &ProgramAccess) -> io::Result<(Child, Confinement)> {
    let runtime = tokio::runtime::Handle::current();
    let start = || {
        let _runtime = runtime.enter();
        let (files, network) = restrict_launch(access);
        let confinement = Confinement { files, network, ..Confinement::none() };
        command.spawn().map(|child| (child, confinement))
    };
    let started = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("launcher".to_owned()).spawn_scoped(scope, start)?;
        thread.join().map_err(|_| io::Error::other("the launcher failed"))
    });
    started?
}
