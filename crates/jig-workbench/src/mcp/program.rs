//! Stdio transport for servers that are local programs.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use jig_contract::OpError;
use jig_providers::Secret;
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::reading::{Lines, TooMuch};
use super::unavailable;

/// How much of a server's error output is retained.
const KEPT: usize = 2_000;

pub(super) type ProgramTransport = AsyncRwTransport<RoleClient, Lines<ChildStdout>, ChildStdin>;

/// A running server, killed on drop.
pub(super) struct Program {
    _child: Child,
    complaints: Arc<Mutex<Vec<u8>>>,
}

impl Program {
    /// Starts the program with only those environment variables that the settings name, so that it does not see model
    /// keys.
    pub(super) fn start(
        server: &str,
        program: &Path,
        arguments: &[String],
        environment: &[(String, Secret)],
        folder: &Path,
        too_much: &TooMuch,
    ) -> Result<(Self, ProgramTransport), OpError> {
        let cannot = |error: &std::io::Error| {
            unavailable(server, &format!("cannot be started: {}: {error}", program.display()))
                .hint(format!("look at `mcp_servers.{server}.command` in the settings"))
        };
        let spawn = || {
            std::fs::create_dir_all(folder)?;
            Command::new(program)
                .args(arguments)
                .env_clear()
                .envs(jig_store::platform::required_environment())
                .envs(environment.iter().map(|(name, value)| (name, value.reveal())))
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true)
                .spawn()
        };
        let mut child = spawn().map_err(|error| cannot(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot(&std::io::Error::other("it has no input or output")));
        };
        let complaints = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(listen(stderr, Arc::clone(&complaints)));
        }
        let transport = AsyncRwTransport::new_client(Lines::new(output, too_much.clone()), input)
            .with_max_line_length(too_much.most.saturating_add(1));
        Ok((Self { _child: child, complaints }, transport))
    }

    /// The end of its error output. Text written just before the exit may still be in transit.
    pub(super) async fn last_words(&self) -> Words {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let said = self.complaints.lock().map(|said| said.clone()).unwrap_or_default();
        Words(String::from_utf8_lossy(&said).trim().to_owned())
    }
}

/// Error output of a server.
#[derive(Default)]
pub(super) struct Words(String);

impl Words {
    /// Adds the error output to an error.
    pub(super) fn tell(self, error: OpError) -> OpError {
        let last = self.0.lines().last().unwrap_or_default().trim();
        if last.is_empty() { error } else { error.hint(format!("it says: {}", super::connection::short(last))) }
    }
}

/// Drains the error output so that the server never blocks; only the end is retained.
async fn listen(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 4_096];
    while let Ok(read) = stderr.read(&mut piece).await {
        if read == 0 {
            return;
        }
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&piece[..read]);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }
}
