//! `jig-sql`, seen from the programs that ask it: how it is started, and how a confined worker reaches it.
//!
//! The SQL engine is an executable of its own, so that its crashes, its memory and its libraries stay out of `jig`.
//! Jig's pool starts it directly. A standalone `jig worker` confines itself and cannot start programs afterwards, so it
//! starts a *relay* before: the same program, unconfined, that does nothing but pass lines to `jig-sql`, and starts that
//! again when it has died. The relay parses no files and no requests.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use jig_files::engine::{FileError, Reason};
use jig_store::platform::required_environment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::compat::Profile;
use crate::json_writer;
use crate::protocol::error_reply;
use crate::sandbox::{SMALL_STEPS, WorkerLimits};
use crate::serve::{Lines, Received, WorkerOptions};
use crate::table_params::QueryLimits;

/// The name of the SQL engine's executable, without the platform's extension.
pub const SQL_PROGRAM: &str = "jig-sql";

/// How long a call on small tables may take, beside the time of its query.
const SQL_CALL_SECONDS: u64 = 60;

/// The largest reply that is passed on.
const REPLY_BYTES: u64 = 1 << 30;

/// Where the SQL engine is expected: beside another executable, or one folder up where cargo puts tests and examples in
/// a folder of their own. The file need not exist.
pub fn sql_program_beside(executable: &Path) -> PathBuf {
    let name = format!("{SQL_PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let folder = executable.parent().unwrap_or(Path::new(""));
    let beside = folder.join(&name);
    let is_build_folder = folder.file_name().is_some_and(|folder| folder == "deps" || folder == "examples");
    match folder.parent() {
        Some(above) if is_build_folder && !beside.is_file() => above.join(name),
        _ => beside,
    }
}

/// What `jig-sql serve` is started with: one argument, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlOptions {
    /// The folder with one folder for each workbench.
    pub workbenches: PathBuf,
    /// The folder below the workbenches that may be written; none for all of them.
    pub writable: Option<PathBuf>,
    /// Address space of the process.
    pub memory_bytes: Option<u64>,
    /// Processor time of one call.
    pub cpu_seconds: Option<u64>,
    /// Limits of queries.
    pub limits: QueryLimits,
    /// Whether new formulas may refer to data outside their workbook.
    pub allow_outside_formulas: bool,
    /// Whether the original client calls.
    #[serde(default)]
    pub compat: bool,
}

impl SqlOptions {
    /// The options of a SQL engine that does the table work of a worker with these options.
    pub fn of(options: &WorkerOptions) -> Self {
        let limits = options.limits.as_ref();
        Self {
            workbenches: options.workbenches.clone(),
            writable: limits.and_then(|limits| limits.writable.clone()),
            memory_bytes: limits.and_then(|limits| limits.memory_bytes),
            cpu_seconds: limits.and_then(|limits| limits.cpu_seconds),
            limits: options.table_limits,
            allow_outside_formulas: options.allow_outside_formulas,
            compat: options.profile == Profile::Compat,
        }
    }

    /// The same as a worker's options.
    pub fn worker_options(&self, now: fn() -> Option<String>) -> WorkerOptions {
        WorkerOptions {
            table_limits: self.limits,
            allow_outside_formulas: self.allow_outside_formulas,
            profile: if self.compat { Profile::Compat } else { Profile::Jig },
            // More for large files: `jig-sql` extends it as it opens them.
            call_seconds: Some(SQL_CALL_SECONDS + self.limits.timeout_ms / 1_000),
            limits: Some(WorkerLimits {
                memory_bytes: self.memory_bytes,
                cpu_seconds: self.cpu_seconds,
                writable: self.writable.clone(),
            }),
            ..WorkerOptions::new(&self.workbenches, now)
        }
    }

    /// The arguments that start the engine with them.
    pub(crate) fn arguments(&self) -> io::Result<[OsString; 2]> {
        Ok(["serve".into(), serde_json::to_string(self)?.into()])
    }
}

/// The error without a SQL engine. Callers may be remote, so it names no path of this machine.
pub(crate) const MISSING: &str =
    "the SQL engine is not installed: `jig-sql` was found neither beside `jig` nor where `tables.engine` points";
/// What to do about it.
pub(crate) const MISSING_HINT: &str =
    "install Jig again, or set `tables.engine` to the path of `jig-sql`; everything but SQL works without it";

/// The connection of a worker to its relay.
#[derive(Debug)]
pub struct SqlRelay(Mutex<Pipe>);

impl SqlRelay {
    /// Starts the relay by this command, which must call [`relay`]. Nothing is waited for.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        Pipe::start(command).map(|pipe| Self(Mutex::new(pipe)))
    }

    /// Passes a request on and waits for the reply.
    pub(crate) fn forward(&self, line: &[u8]) -> Result<Vec<u8>, FileError> {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pipe.forward(line).map_err(|error| {
            let words = format!("the SQL engine cannot be reached ({error}); restart the worker");
            FileError::new(Reason::Unavailable, words)
        })
    }
}

/// Passes requests to the SQL engine until the input ends, starting it when it is needed and not running.
pub fn relay(program: &Path, options: &WorkerOptions, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let arguments = SqlOptions::of(options).arguments()?;
    let mut engine: Option<Pipe> = None;
    let mut lines = Lines { input, most: options.message_bytes };
    let mut line = Vec::new();
    while let Some(received) = lines.next_into(&mut line)? {
        let answer = match received {
            Received::Line => ask(&mut engine, program, &arguments, &line),
            Received::TooLong => Err(FileError::invalid("the message is too large")),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let request: Option<Value> = serde_json::from_slice(&line).ok();
                let id = request.and_then(|request| request.get("id").cloned()).unwrap_or(Value::Null);
                json_writer::line(&error_reply(&id, &error))?
            }
        };
        output.write_all(&answer)?;
        output.flush()?;
    }
    Ok(())
}

fn ask(engine: &mut Option<Pipe>, program: &Path, arguments: &[OsString], line: &[u8]) -> Result<Vec<u8>, FileError> {
    // One that has run before may have died since its last call, which is known only by trying.
    if let Some(mut running) = engine.take()
        && let Ok(answer) = running.forward(line)
    {
        *engine = Some(running);
        return Ok(answer);
    }
    let unavailable = |words: String| FileError::new(Reason::Unavailable, words);
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(required_environment()).env(SMALL_STEPS.0, SMALL_STEPS.1);
    let mut started = Pipe::start(&mut command).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unavailable(format!("{MISSING}; {MISSING_HINT}")),
        _ => unavailable(format!("the SQL engine could not be started: {error}")),
    })?;
    match started.forward(line) {
        Ok(answer) => {
            *engine = Some(started);
            Ok(answer)
        }
        Err(_) => Err(unavailable(format!(
            "the SQL engine stopped during this call ({}); the call may need more memory or time than the worker has; \
             nothing was changed",
            started.end()
        ))),
    }
}

/// A process that answers each line with a line.
#[derive(Debug)]
struct Pipe {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipe {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let gone = || io::Error::other("a pipe to the process is missing");
        let input = process.stdin.take().ok_or_else(gone)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(gone)?);
        Ok(Self { process, input, output })
    }

    fn forward(&mut self, line: &[u8]) -> io::Result<Vec<u8>> {
        self.input.write_all(line)?;
        if line.last() != Some(&b'\n') {
            self.input.write_all(b"\n")?;
        }
        self.input.flush()?;
        let mut answer = Vec::new();
        match (Lines { input: &mut self.output, most: REPLY_BYTES }).next_into(&mut answer)? {
            Some(Received::Line) if answer.last() == Some(&b'\n') => Ok(answer),
            Some(Received::TooLong) => Err(io::Error::other("the reply is too large")),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Ends the process, and describes how it ended.
    fn end(&mut self) -> String {
        // One that was killed by a limit is given the moment it takes to be gone: its own end says more than ours.
        let ended = (0..50).find_map(|_| match self.process.try_wait() {
            Ok(Some(status)) => Some(status.to_string()),
            _ => {
                std::thread::sleep(std::time::Duration::from_millis(2));
                None
            }
        });
        let _ = self.process.kill();
        let _ = self.process.wait();
        ended.unwrap_or_else(|| "it did not answer".to_owned())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_beside_its_executable_and_above_cargos_own_folders() {
        let beside = |executable: &str| sql_program_beside(Path::new(executable));
        let name = format!("jig-sql{}", std::env::consts::EXE_SUFFIX);
        assert_eq!(beside("/usr/bin/jig"), Path::new("/usr/bin").join(&name));
        assert_eq!(beside("/w/target/debug/deps/it-0123"), Path::new("/w/target/debug").join(&name));
        assert_eq!(beside("/w/target/release/examples/bench"), Path::new("/w/target/release").join(&name));
        assert_eq!(beside("jig"), Path::new(&name));
    }

    #[test]
    fn without_the_engine_every_call_says_what_is_missing_and_the_relay_continues() {
        let folder = tempfile::tempdir().unwrap();
        let options = WorkerOptions::new(folder.path(), || None);
        let requests = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"TabularQuery\"}\n{\"id\":\"b\"}\n";
        let mut output = Vec::new();
        relay(&folder.path().join("jig-sql"), &options, &requests[..], &mut output).unwrap();
        let replies: Vec<Value> =
            output.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert_eq!(replies.iter().map(|reply| &reply["id"]).collect::<Vec<_>>(), [&Value::from(7), &Value::from("b")]);
        for reply in replies {
            assert_eq!(reply["error"]["data"]["error_code"], "TOOL_WORKER_UNAVAILABLE", "{reply}");
            assert!(reply["error"]["message"].as_str().unwrap().contains("`jig-sql` was found neither"), "{reply}");
        }
    }
}
