//! `jig serve` on its own core.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::place::Pinned;
use crate::bench::program;

/// A running server, stopped on drop.
pub(crate) struct Server {
    child: Child,
    /// For example `127.0.0.1:41234`.
    pub(crate) address: String,
}

impl Server {
    /// Starts it with default settings; request logging is on, with its output discarded.
    pub(crate) fn start(home: &Path, database: Option<&str>, pinned: &Pinned) -> Self {
        let mut command = Command::new("taskset");
        command.args(["-c", &pinned.server.to_string()]).arg(program());
        Self::started(command, home, database)
    }

    /// Starts it on any core.
    pub(crate) fn start_anywhere(home: &Path) -> Self {
        Self::started(Command::new(program()), home, None)
    }

    fn started(mut command: Command, home: &Path, database: Option<&str>) -> Self {
        command.arg("--home").arg(home);
        command.args(["serve", "--bind", "127.0.0.1:0"]).args(database.iter().flat_map(|url| ["--database", url]));
        // The clients send no token.
        command.env("JIG_SERVE_OPEN_LOOPBACK", "on");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("where it listens");
        let address = line.trim().strip_prefix("Jig listens on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
