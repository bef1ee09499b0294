//! `jig worker`: newline-delimited JSON-RPC on standard input and output, one call at a time.

use std::io::{self, BufRead, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use jig_files::engine::{self, EditOptions, Engine, FileError, Format, Method, Reason, Verb, Versions};
use serde_json::{Value, json};

use super::confine::{Confinement, WorkerLimits};
use super::place::{Place, Places};
use super::written;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The folder with one folder for each workbench.
    pub workbenches: PathBuf,
    /// The largest file that is read.
    pub file_bytes: u64,
    /// The largest message.
    pub message_bytes: u64,
    /// The largest csv or tsv file that is read.
    pub table_bytes: u64,
    /// Bounds of queries.
    pub table_limits: jig_files::tables::QueryLimits,
    /// Whether new formulas may reach outside their workbook.
    pub allow_outside_formulas: bool,
    /// Bounds of the process itself; none to run without.
    pub limits: Option<WorkerLimits>,
    /// The time for tracked changes, made anew for each call.
    pub now: fn() -> Option<String>,
}

/// Answers calls until the input ends.
pub fn serve(options: &WorkerOptions, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let confinement = match &options.limits {
        Some(limits) => Confinement::enter(limits, &options.workbenches),
        None => Confinement::none(),
    };
    let scratch = options.limits.as_ref().is_some_and(|limits| limits.writable.is_some());
    let worker = Worker {
        engine: Engine::default(),
        places: Places { folder: options.workbenches.clone(), file_bytes: options.file_bytes, durable: !scratch },
        options,
        confinement,
        tables: super::table_calls::KeptTables::default(),
    };
    let mut input = input;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(options.message_bytes + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let answer = if line.last() != Some(&b'\n') && line.len() as u64 > options.message_bytes {
            skip_line(&mut input)?;
            Some(failure(
                &Value::Null,
                -32600,
                "the message is too large",
                json!({ "error_code": "VALIDATION_FAILED" }),
            ))
        } else {
            worker.answer(&line)
        };
        if let Some(answer) = answer {
            // In one piece: standard output would pass it on in a thousand.
            output.write_all(&written::line(&answer)?)?;
            output.flush()?;
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// What ops start from.
struct Start {
    /// A file's bytes; none for a new file.
    bytes: Option<Arc<[u8]>>,
    /// Whether the result takes the place of a file it was not made from.
    hides: bool,
}

pub(super) struct Worker<'a> {
    engine: Engine,
    pub(super) places: Places,
    pub(super) options: &'a WorkerOptions,
    confinement: Confinement,
    pub(super) tables: super::table_calls::KeptTables,
}

impl Worker<'_> {
    fn answer(&self, line: &[u8]) -> Option<Value> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let Ok(request) = serde_json::from_slice::<Value>(line) else {
            return Some(failure(&Value::Null, -32700, "the line is not JSON", Value::Null));
        };
        let id = request.get("id").cloned().unwrap_or(Value::Null);
        let method = request.get("method").and_then(Value::as_str);
        let (Some(method), true) = (method, request["jsonrpc"] == "2.0") else {
            let words = "a request needs `jsonrpc` \"2.0\" and a `method`";
            return Some(failure(&id, -32600, words, Value::Null));
        };
        if id.is_null() {
            // A notification, and the protocol has none.
            return None;
        }
        let none = Value::Object(serde_json::Map::new());
        let params = request.get("params").unwrap_or(&none);
        Some(match self.call(method, params) {
            Ok(result) => {
                let mut answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                // Moved and not copied, as it may be large.
                answer["result"] = result;
                answer
            }
            Err(error) => {
                let mut data = json!({ "error_code": error.reason.code(), "reason": error.reason.word() });
                if !error.suggestions.is_empty() {
                    data["suggestions"] = json!(error.suggestions);
                }
                failure(&id, -32000, &error.message, data)
            }
        })
    }

    /// A fault of the engine ends the call and not the worker.
    fn call(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        self.confinement.begin_call();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.method(method, params)));
        outcome.unwrap_or_else(|_| {
            let words = "the file engine failed on this call through a fault of its own; nothing was changed";
            Err(FileError::new(Reason::Damaged, words))
        })
    }

    fn method(&self, name: &str, params: &Value) -> Result<Value, FileError> {
        if name == "WorkerGetInfo" {
            return Ok(json!({
                "ok": true, "worker": "jig", "version": env!("CARGO_PKG_VERSION"), "isolation": self.confinement.to_json(),
            }));
        }
        if jig_files::tables::is_table_method(name) {
            return self.table(name, params);
        }
        let method = Method::find(name).ok_or_else(|| FileError::invalid(format!("unknown method: {name}")))?;
        if !params.is_object() {
            return Err(FileError::invalid("params: an object is needed"));
        }
        match method.verb {
            Verb::Read => {
                let place = Place::of(params, "path", "root")?;
                self.engine.read(method, &self.places.read(&place)?, params)
            }
            Verb::Apply => self.apply(method.format, params),
            Verb::Copy => self.copy(method.format, params),
            Verb::Compare => self.compare(params),
            Verb::Revert => self.revert(params),
        }
    }

    /// Compares two files; one that is not named does not exist.
    fn compare(&self, params: &Value) -> Result<Value, FileError> {
        let side = |path: &str, root: &str| match params.get(path).filter(|path| !path.is_null()) {
            Some(_) => {
                let place = Place::of(params, path, root)?;
                Ok(Some((place.path.to_string(), self.places.read(&place)?)))
            }
            None => Ok::<_, FileError>(None),
        };
        let (old, new) = (side("old_path", "old_root")?, side("new_path", "new_root")?);
        let name = new.as_ref().or(old.as_ref()).map(|(name, _)| name.clone()).unwrap_or_default();
        let bytes = |side: Option<(String, Arc<[u8]>)>| side.map(|(_, bytes)| bytes);
        self.engine.diff(&Versions { name, old: bytes(old), new: bytes(new) }, params)
    }

    /// Takes changes of a file back: the source is its old version.
    fn revert(&self, params: &Value) -> Result<Value, FileError> {
        let source = Place::of(params, "source_path", "source_root")?;
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        let (old, new) = (self.places.read(&source)?, self.places.read(&target)?);
        let versions = Versions { name: target.path.to_string(), old: Some(old), new: Some(new) };
        let (reverted, answer) = self.engine.revert(&versions, params)?;
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&target, &reverted.bytes)?;
        }
        Ok(answer)
    }

    fn apply(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let place = Place::of(params, "path", "root")?;
        place.check_writable()?;
        check_ending(format, &place, params)?;
        let Start { bytes: source, hides } = self.source(&place, params)?;
        let given = params.get("now").and_then(Value::as_str).map(str::to_owned);
        let now = given.or_else(self.options.now);
        let files = |path: &str| self.beside(&place, path);
        let options = EditOptions {
            author: params.get("author").and_then(Value::as_str).unwrap_or("Jig"),
            now: now.as_deref(),
            allow_outside_formulas: self.allows_outside(params),
            files: &files,
        };
        let none = Value::Array(Vec::new());
        let ops = params.get("ops").filter(|ops| !ops.is_null()).unwrap_or(&none);
        let mut edited = self.engine.apply(format, source, ops, &options)?;
        if hides {
            edited.warnings.push(format!("{} was there already and is replaced by the new file", place.path));
        }
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&place, &edited.bytes)?;
        }
        Ok(engine::applied(&edited))
    }

    /// Whether formulas may reach outside: said at the start for every caller, or by Jig itself for one call.
    pub(super) fn allows_outside(&self, params: &Value) -> bool {
        let ours = self.options.limits.as_ref().is_some_and(|limits| limits.writable.is_some());
        self.options.allow_outside_formulas || (ours && params["allow_outside_formulas"] == true)
    }

    /// What the ops start from: the file, another one, or nothing. And whether that hides a file.
    fn source(&self, place: &Place, params: &Value) -> Result<Start, FileError> {
        let flag = |name: &str| params.get(name) == Some(&Value::Bool(true));
        match params.get("copy_from").filter(|from| !from.is_null()) {
            Some(from) => {
                let from = Place::of(
                    &json!({ "workbench_id": params["workbench_id"], "path": from, "root": params["root"] }),
                    "path",
                    "root",
                )?;
                let bytes = match self.places.read(&from) {
                    Err(error) if error.reason == Reason::NotFound => match from.published() {
                        Some(published) => self.places.read(&published).map_err(|_| error)?,
                        None => return Err(error),
                    },
                    read => read?,
                };
                Ok(Start { bytes: Some(bytes), hides: from != *place && self.places.exists(place)? })
            }
            None if flag("create_new") => Ok(Start { bytes: None, hides: self.places.exists(place)? }),
            None => match self.places.read(place) {
                Err(error) if error.reason == Reason::NotFound => {
                    let words = format!("{}; `create_new` makes a new one", error.message);
                    Err(FileError::new(Reason::NotFound, words))
                }
                read => Ok(Start { bytes: Some(read?), hides: false }),
            },
        }
    }

    /// A file of the same workbench, for pictures.
    fn beside(&self, place: &Place, path: &str) -> Option<Vec<u8>> {
        let beside = place.sibling(path)?;
        let read = self.places.read(&beside).or_else(|error| match beside.published() {
            Some(published) => self.places.read(&published),
            None => Err(error),
        });
        read.ok().map(|bytes| bytes.to_vec())
    }

    fn copy(&self, format: Format, params: &Value) -> Result<Value, FileError> {
        let source = Place::of(params, "source_path", "source_root")?;
        let target = Place::of(params, "target_path", "target_root")?;
        target.check_writable()?;
        check_ending(format, &target, params)?;
        let none = Value::Array(Vec::new());
        let assets = params.get("assets").unwrap_or(&none);
        let (from, into) = (self.places.read(&source)?, self.places.read(&target)?);
        let edited = self.engine.copy_assets(format, from, into, assets)?;
        if params.get("dry_run") != Some(&Value::Bool(true)) {
            self.places.write(&target, &edited.bytes)?;
        }
        Ok(engine::copied(&edited))
    }
}

/// A file is written under an ending that fits what is in it.
fn check_ending(format: Format, place: &Place, params: &Value) -> Result<(), FileError> {
    let ending = place.path.extension();
    let plain = format.extension();
    if !format.takes(place.path.file_name()) {
        let what = if format == Format::Text { "a text file".to_owned() } else { format!("a .{plain} file") };
        let words = format!("path: {} is not {what}; other formats cannot be written by this method", place.path);
        return Err(FileError::invalid(words));
    }
    // A text may have any ending, and new ones too.
    let plain = if format == Format::Text { ending.as_str() } else { plain };
    let new = params.get("create_new") == Some(&Value::Bool(true));
    let from = params.get("copy_from").and_then(Value::as_str);
    let from = from.and_then(|from| from.rsplit_once('.')).map(|(_, ending)| ending.to_lowercase());
    match from {
        Some(from) if from != ending => {
            Err(FileError::invalid(format!("copy_from: a copy of a .{from} file must end in .{from} too")))
        }
        None if new && ending != plain => Err(FileError::invalid(format!("path: a new file must end in .{plain}"))),
        _ => Ok(()),
    }
}

fn failure(id: &Value, code: i64, message: &str, data: Value) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
