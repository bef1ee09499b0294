//! The worker protocol: newline-delimited JSON-RPC on standard input and output, one call at a time. `jig worker` and
//! `jig-sql` serve it with different [`Methods`].

use std::io::{self, BufRead, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use jig_files::engine::{FileError, Reason};
use serde_json::{Value, json};

use crate::compat::Profile;
use crate::deadline::Deadline;
use crate::json_writer;
use crate::protocol::{GET_INFO, error_reply, failure_reply};
use crate::sandbox::{self, Confinement, WorkerLimits};
use crate::table_params::QueryLimits;
use crate::workspace::WorkerRoot;

/// The largest file a worker reads: the limit of the workbench that calls it is stricter.
const FILE_BYTES: u64 = 1 << 30;
/// The largest csv or tsv file a worker reads.
const TABLE_BYTES: u64 = 2 << 30;
/// The largest message.
const MESSAGE_BYTES: u64 = 64 << 20;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The folder with one folder for each workbench.
    pub workbenches: PathBuf,
    /// The largest file that is read.
    pub file_bytes: u64,
    /// The largest csv or tsv file that is read.
    pub table_bytes: u64,
    /// The largest message.
    pub message_bytes: u64,
    /// Limits of queries.
    pub table_limits: QueryLimits,
    /// Whether new formulas may refer to data outside their workbook.
    pub allow_outside_formulas: bool,
    /// Limits of the process itself; none to run unconfined.
    pub limits: Option<WorkerLimits>,
    /// How long one call may take by the clock, in seconds; none where the process that started this one sees to it.
    /// Then the call gets an error and the process ends. Needs [`limits`](Self::limits).
    pub call_seconds: Option<u64>,
    /// Who calls, which decides how strictly calls are read.
    pub profile: Profile,
    /// The time for tracked changes, asked for on each call.
    pub now: fn() -> Option<String>,
}

impl WorkerOptions {
    /// The defaults, unconfined, for the workbenches in this folder.
    pub fn new(workbenches: impl Into<PathBuf>, now: fn() -> Option<String>) -> Self {
        Self {
            workbenches: workbenches.into(),
            file_bytes: FILE_BYTES,
            table_bytes: TABLE_BYTES,
            message_bytes: MESSAGE_BYTES,
            table_limits: QueryLimits::default(),
            allow_outside_formulas: false,
            limits: None,
            call_seconds: None,
            profile: Profile::default(),
            now,
        }
    }

    /// Whether Jig itself started this worker, with a folder for it alone.
    pub fn has_own_folder(&self) -> bool {
        self.limits.as_ref().is_some_and(|limits| limits.writable.is_some())
    }
}

/// The methods that a worker answers, beside `WorkerGetInfo`.
pub trait Methods {
    /// The program's name in `WorkerGetInfo`.
    fn worker(&self) -> &'static str;

    /// Answers one call. A panic in it becomes an error of this call.
    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError>;
}

/// One request.
#[derive(Debug)]
pub struct Call<'a> {
    /// The method's name.
    pub method: &'a str,
    /// Its parameters.
    pub params: &'a Value,
    /// The request as it was received.
    pub line: &'a [u8],
}

/// The reply to a request.
#[derive(Debug)]
pub enum Reply {
    /// The method's result.
    Result(Value),
    /// A complete reply line, from a process that the request was passed on to.
    Line(Vec<u8>),
}

/// What a worker's methods share.
pub struct Server<'a> {
    /// Its files.
    pub root: WorkerRoot,
    /// What it was started with.
    pub options: &'a WorkerOptions,
    confinement: Confinement,
    deadline: Option<Deadline>,
}

/// Answers calls until the input ends. The process is confined before the first line is read.
pub fn serve(
    options: &WorkerOptions,
    methods: &dyn Methods,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let last_words = options.limits.as_ref().and_then(|_| sandbox::copy_of_output());
    let confinement = match &options.limits {
        Some(limits) => Confinement::enter(limits, &options.workbenches),
        None => Confinement::none(),
    };
    let durable = !options.has_own_folder();
    let root = WorkerRoot { folder: options.workbenches.clone(), file_bytes: options.file_bytes, durable };
    let limit = options.call_seconds.map(std::time::Duration::from_secs);
    let deadline = last_words.map(|output| Deadline::start(output, limit)).transpose()?;
    let server = Server { root, options, confinement, deadline };
    let mut lines = Lines { input, most: options.message_bytes };
    let mut line = Vec::new();
    while let Some(received) = lines.next_into(&mut line)? {
        let answer = match received {
            Received::Line => server.answer(methods, &line)?,
            Received::TooLong => {
                let data = json!({ "error_code": "VALIDATION_FAILED" });
                Some(json_writer::line(&failure_reply(&Value::Null, -32600, "the message is too large", data))?)
            }
        };
        if let Some(answer) = answer {
            // In one piece: standard output would pass it on in a thousand.
            output.write_all(&answer)?;
            output.flush()?;
        }
    }
    Ok(())
}

/// The lines of an input, each up to a length.
pub(crate) struct Lines<R> {
    pub(crate) input: R,
    pub(crate) most: u64,
}

/// What was read for a line.
pub(crate) enum Received {
    /// All of it, with its line end if it had one.
    Line,
    /// More than the limit; the rest was skipped.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line into the buffer; none at the end of the input.
    pub(crate) fn next_into(&mut self, line: &mut Vec<u8>) -> io::Result<Option<Received>> {
        line.clear();
        let read = (&mut self.input).take(self.most + 1).read_until(b'\n', line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') || line.len() as u64 <= self.most {
            return Ok(Some(Received::Line));
        }
        self.skip_line()?;
        Ok(Some(Received::TooLong))
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}

impl Server<'_> {
    /// Whether new formulas may refer to data outside their workbook: allowed at the start for every caller, or by Jig
    /// itself for one call.
    pub fn allows_outside(&self, params: &Value) -> bool {
        let ours = self.options.has_own_folder();
        self.options.allow_outside_formulas || (ours && params["allow_outside_formulas"] == true)
    }

    fn answer(&self, methods: &dyn Methods, line: &[u8]) -> io::Result<Option<Vec<u8>>> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let written = |answer: &Value| Ok(Some(json_writer::line(answer)?));
        let Ok(request) = serde_json::from_slice::<Value>(line) else {
            return written(&failure_reply(&Value::Null, -32700, "the line is not JSON", Value::Null));
        };
        let id = request.get("id").cloned().unwrap_or(Value::Null);
        let method = request.get("method").and_then(Value::as_str);
        let (Some(method), true) = (method, request["jsonrpc"] == "2.0") else {
            let words = "a request needs `jsonrpc` \"2.0\" and a `method`";
            return written(&failure_reply(&id, -32600, words, Value::Null));
        };
        if id.is_null() {
            // A notification, and the protocol has none.
            return Ok(None);
        }
        let none = Value::Object(serde_json::Map::new());
        let params = request.get("params").unwrap_or(&none);
        if let Some(deadline) = &self.deadline {
            deadline.begin(&id);
        }
        let outcome = self.call(methods, &Call { method, params, line });
        Deadline::end();
        match outcome {
            Ok(Reply::Line(line)) => Ok(Some(line)),
            Ok(Reply::Result(result)) => {
                let mut answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                // Moved and not copied, as it may be large.
                answer["result"] = result;
                written(&answer)
            }
            Err(error) => written(&error_reply(&id, &error)),
        }
    }

    /// A fault of the engine ends the call and not the worker.
    fn call(&self, methods: &dyn Methods, call: &Call<'_>) -> Result<Reply, FileError> {
        self.confinement.begin_call();
        if call.method == GET_INFO {
            return Ok(Reply::Result(json!({
                "ok": true, "worker": methods.worker(), "version": env!("CARGO_PKG_VERSION"),
                "isolation": self.confinement.to_json(),
            })));
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| methods.call(self, call)));
        outcome.unwrap_or_else(|_| {
            let words = "the file engine failed on this call through a fault of its own; nothing was changed";
            Err(FileError::new(Reason::Internal, words))
        })
    }
}
