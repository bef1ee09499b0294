//! A server that is a program on this machine, spoken to over its standard input and output.

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

/// How much of what a server complained is kept.
const KEPT: usize = 2_000;

pub(super) type ProgramTransport = AsyncRwTransport<RoleClient, Lines<ChildStdout>, ChildStdin>;

/// A running server. It is ended when this goes.
pub(super) struct Program {
    _child: Child,
    complaints: Arc<Mutex<Vec<u8>>>,
}

impl Program {
    /// Starts it with nothing of this process's environment but what the settings name: keys of models are none of its
    /// business.
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

    /// What it complained about last; what it wrote just before its end may still be on its way.
    pub(super) async fn last_words(&self) -> Words {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let said = self.complaints.lock().map(|said| said.clone()).unwrap_or_default();
        Words(String::from_utf8_lossy(&said).trim().to_owned())
    }
}

/// What a server complained about.
#[derive(Default)]
pub(super) struct Words(String);

impl Words {
    /// The error with them.
    pub(super) fn tell(self, error: OpError) -> OpError {
        let last = self.0.lines().last().unwrap_or_default().trim();
        if last.is_empty() { error } else { error.hint(format!("it says: {}", super::connection::short(last))) }
    }
}

/// Reads on, so that the server never waits; only the end is kept.
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
