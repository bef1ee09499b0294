//! A few workers kept ready. One that fails, hangs or dies is replaced, and only its call notices. A worker belongs to
//! one workbench: what it has read is never near the files of another one.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_contract::{Code, OpError};
use jig_files::engine::{FileError, Reason};
use jig_store::platform::{FileStamp, required_environment};
use jig_store::{Blobs, TemporaryFolder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

use crate::fair_semaphore::FairSemaphore;
use crate::job::{Done, Input, Job, lost};
use crate::outputs::OutputFolder;
use crate::owner;
use crate::protocol::{Verb, operation_error, parse_error};
use crate::sandbox::{LANDLOCK_ABI, NO_SANDBOX, ProgramAccess, SMALL_STEPS, spawn_confined};
use crate::sql_client::{MISSING, MISSING_HINT, SqlOptions};
use crate::table_jobs::{TableDone, TableJob, parts_of, renamed, stored};
use crate::table_params::QueryLimits;

/// The one workbench of a worker's scratch folder.
const WORKBENCH: &str = "w";
/// Files that a worker may read only.
const INPUTS: &str = "published";
/// Files that a worker may write.
const OUTPUTS: &str = "draft";
/// Below the outputs: tables that a worker converted.
pub const CONVERTED_TABLES: &str = "tables";
/// Files that stay in a worker's folder for the next read of the same content.
const KEPT: usize = 8;

/// Processes of their own for work on files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    /// The program that is a worker when called with `worker`.
    pub program: PathBuf,
    /// How many work at the same time.
    pub workers: usize,
    /// The memory of each, in bytes.
    pub memory_bytes: u64,
    /// The processor time of one call.
    pub cpu_seconds: u64,
    /// The time of one call by the clock.
    pub seconds: u64,
}

impl Isolation {
    /// The defaults of the settings, for workers of this program.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), workers: 2, memory_bytes: 1 << 30, cpu_seconds: 30, seconds: 60 }
    }
}

/// What the processes of a pool run.
#[derive(Debug, Clone)]
pub(crate) enum WorkerProgram {
    /// `jig worker`, for files.
    Files,
    /// `jig-sql`, for tables.
    Sql { engine: PathBuf, limits: QueryLimits },
}

/// The pool. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Pool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: WorkerProgram,
    isolation: Isolation,
    scratch: TemporaryFolder,
    idle: Mutex<Vec<Worker>>,
    room: FairSemaphore,
}

/// Idle workers that are kept for each that may work at the same time: callers alternate between workbenches.
const IDLE_PER_WORKER: usize = 3;

/// How long a worker may take to start.
const START: Duration = Duration::from_secs(60);
/// The longest reply that is read from a worker: a compromised one must not exhaust the memory of this process.
const ANSWER_BYTES: u64 = 128 << 20;

/// Workers that this process has started, in all its pools: each has a scratch folder of its own.
static STARTED: AtomicU64 = AtomicU64::new(0);

impl Pool {
    pub(crate) fn new(program: WorkerProgram, isolation: Isolation, scratch: TemporaryFolder) -> Self {
        let room = FairSemaphore::new(isolation.workers);
        Self(Arc::new(Inner { program, isolation, scratch, idle: Mutex::new(Vec::new()), room }))
    }

    pub(crate) async fn run(&self, blobs: &Blobs, job: Job, cancel: &CancellationToken) -> Result<Done, OpError> {
        match self.work(blobs, Work::File(&job), cancel).await? {
            JobOutput::File(done) => Ok(done),
            JobOutput::Table(_) => Err(OpError::new(Code::Internal, "a table for a file")),
        }
    }

    /// Runs work on tables. Converted tables are read from this folder and written to it.
    pub(crate) async fn run_table(
        &self,
        blobs: &Blobs,
        job: TableJob,
        cache: &Path,
        cancel: &CancellationToken,
    ) -> Result<TableDone, OpError> {
        match self.work(blobs, Work::Table(&job, cache), cancel).await? {
            JobOutput::Table(done) => Ok(done),
            JobOutput::File(_) => Err(OpError::new(Code::Internal, "a file for a table")),
        }
    }

    async fn work(&self, blobs: &Blobs, work: Work<'_>, cancel: &CancellationToken) -> Result<JobOutput, OpError> {
        let owner = owner::current_workbench();
        let limit = Duration::from_secs(self.0.isolation.seconds);
        let permit = within(limit, cancel, self.0.room.acquire(owner.as_deref())).await;
        let _permit = permit.map_err(|ended| match ended {
            Interrupted::Canceled => canceled(),
            Interrupted::TooLong => {
                OpError::new(Code::Busy, "all workers are busy with other files; retry in a few seconds")
                    .action("retry")
            }
        })?;
        if let Some(worker) = self.idle(owner.as_deref()) {
            match self.on(worker, blobs, work, cancel).await {
                // It may have died before the call: that is known only by trying.
                Err(WorkerFailure::Died(_)) => {}
                Err(WorkerFailure::Call(error)) => return Err(error),
                Ok(done) => return Ok(done),
            }
        }
        let starting = within(limit.min(START), cancel, Box::pin(self.start(owner))).await;
        let worker = starting.map_err(|ended| match ended {
            Interrupted::Canceled => canceled(),
            Interrupted::TooLong => unavailable("its process did not start in time").action("retry"),
        })??;
        self.on(worker, blobs, work, cancel).await.map_err(|ended| match ended {
            WorkerFailure::Died(error) | WorkerFailure::Call(error) => error,
        })
    }

    /// A worker that has worked for this workbench and no other.
    fn idle(&self, owner: Option<&str>) -> Option<Worker> {
        let owner = owner?;
        let mut idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain_mut(|worker| !worker.is_gone());
        let at = idle.iter().rposition(|worker| worker.owner.as_deref() == Some(owner))?;
        Some(idle.remove(at))
    }

    /// Carries a job out in one worker, and keeps that for the next when all is well with it.
    async fn on(
        &self,
        mut worker: Worker,
        blobs: &Blobs,
        work: Work<'_>,
        cancel: &CancellationToken,
    ) -> Result<JobOutput, WorkerFailure> {
        let limit = Duration::from_secs(self.0.isolation.seconds);
        let outcome = within(limit, cancel, Box::pin(worker.do_work(blobs, work))).await;
        // A worker that is dropped here is killed: after a time-out or a broken pipe its state is unknown.
        match outcome {
            Err(Interrupted::Canceled) => Err(WorkerFailure::Call(canceled())),
            Err(Interrupted::TooLong) => {
                let words = format!("it timed out after {} seconds", self.0.isolation.seconds);
                Err(WorkerFailure::Call(unavailable(&words).hint("`worker.seconds` in the settings is the limit")))
            }
            Ok(Err(Failed::Worker(error))) => Err(WorkerFailure::Died(self.died(&mut worker, error).await)),
            Ok(Err(Failed::Call(error))) => {
                self.keep(worker);
                Err(WorkerFailure::Call(error))
            }
            Ok(Ok(done)) => {
                self.keep(worker);
                Ok(done)
            }
        }
    }

    fn keep(&self, worker: Worker) {
        if worker.owner.is_none() {
            return;
        }
        let mut idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
        let most = self.0.isolation.workers.max(1) * IDLE_PER_WORKER;
        let surplus = idle.len().saturating_sub(most);
        idle.drain(..surplus);
    }

    async fn died(&self, worker: &mut Worker, error: std::io::Error) -> OpError {
        let status = tokio::time::timeout(Duration::from_secs(1), worker.process.wait()).await;
        let how = match status {
            Ok(Ok(status)) => format!("the process that worked on the file ended early ({status})"),
            _ => "the process that worked on the file stopped answering".to_owned(),
        };
        unavailable(&how)
            .hint("the file may need more memory or time than `worker.memory` and `worker.cpu_seconds` allow")
            .because(error)
    }

    async fn start(&self, owner: Option<String>) -> Result<Worker, OpError> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let started = match self.0.scratch.path() {
            Ok(scratch) => {
                let folder = scratch.join(number.to_string());
                Worker::start(&self.0.program, &self.0.isolation, folder, owner).await
            }
            Err(error) => Err(error),
        };
        started.map_err(|error| match &self.0.program {
            _ if is_disk_full(&error) => disk_full(),
            WorkerProgram::Files => unavailable("its process could not be started")
                .hint("`worker.memory` in the settings may be less than the program itself needs; 1GiB is the default")
                .because(error),
            WorkerProgram::Sql { .. } if error.kind() == std::io::ErrorKind::NotFound => {
                OpError::new(Code::ToolWorkerUnavailable, MISSING).hint(MISSING_HINT).because(error)
            }
            WorkerProgram::Sql { .. } => {
                let words = format!("the SQL engine could not be started: {error}");
                OpError::new(Code::ToolWorkerUnavailable, words).because(error)
            }
        })
    }
}

fn unavailable(why: &str) -> OpError {
    OpError::new(Code::ToolWorkerUnavailable, format!("the file could not be worked on: {why}; nothing was changed"))
}

/// Why a wait ended early.
enum Interrupted {
    Canceled,
    TooLong,
}

/// Runs work until the time limit or until it is cancelled.
async fn within<T>(
    limit: Duration,
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> Result<T, Interrupted> {
    tokio::select! {
        outcome = tokio::time::timeout(limit, work) => outcome.map_err(|_| Interrupted::TooLong),
        () = cancel.cancelled() => Err(Interrupted::Canceled),
    }
}

fn canceled() -> OpError {
    OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed")
}

fn is_disk_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

fn disk_full() -> OpError {
    OpError::new(Code::DiskFull, "no space left on device").action("retry")
}

/// One piece of work of either sort.
#[derive(Clone, Copy)]
enum Work<'a> {
    File(&'a Job),
    Table(&'a TableJob, &'a Path),
}

/// The result of a piece of work.
enum JobOutput {
    File(Done),
    Table(TableDone),
}

/// Why a job has no result.
enum WorkerFailure {
    /// The worker's process ended, for whatever reason.
    Died(OpError),
    /// The worker replied with an error, the time was up, or the caller cancelled.
    Call(OpError),
}

/// Why a call gave nothing.
enum Failed {
    /// The worker is of no use any more.
    Worker(std::io::Error),
    /// The worker is fine, the call was not.
    Call(OpError),
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        // A pipe cannot be full in this way, so the error is about a file of this process.
        if is_disk_full(&error) { Self::Call(disk_full()) } else { Self::Worker(error) }
    }
}

/// One process with its folder.
#[derive(Debug)]
struct Worker {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: Scratch,
    /// Names of inputs in the folder, the newest last.
    kept: Vec<String>,
    /// Whether it was started so that it can change nothing but its outputs, not even the mode or the times of another
    /// file: then an input may be a link to the store's own file.
    is_contained: bool,
    /// The workbench that it works for; none for a single call.
    owner: Option<String>,
    calls: u64,
}

/// A folder that goes with its owner.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Worker {
    async fn start(
        program: &WorkerProgram,
        isolation: &Isolation,
        folder: PathBuf,
        owner: Option<String>,
    ) -> std::io::Result<Self> {
        let folder = Scratch(folder);
        let outputs = folder.0.join(WORKBENCH).join(OUTPUTS);
        std::fs::create_dir_all(folder.0.join(WORKBENCH).join(INPUTS))?;
        std::fs::create_dir_all(&outputs)?;
        // It reads its own program and libraries before it gives that up too. What it may write is settled here.
        let access = ProgramAccess { read: None, write: vec![outputs.clone()], sockets: Vec::new() };
        let mut command = command(program, isolation, &folder.0, outputs)?;
        command
            .env_clear()
            .envs(required_environment())
            .envs([NO_SANDBOX, LANDLOCK_ABI].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env(SMALL_STEPS.0, SMALL_STEPS.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let (mut process, confinement) = spawn_confined(&mut command, &access)?;
        let gone = || std::io::Error::other("a pipe to the worker is missing");
        let input = process.stdin.take().ok_or_else(gone)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(gone)?);
        let is_contained = confinement.is_contained();
        let mut worker = Self { process, input, output, folder, kept: Vec::new(), is_contained, owner, calls: 0 };
        let info = worker.call("WorkerGetInfo", json!({})).await?;
        let version = info["result"]["version"].as_str().unwrap_or("unknown");
        if version != env!("CARGO_PKG_VERSION") {
            let words =
                format!("it is version {version}, and `jig` is {}; install both together", env!("CARGO_PKG_VERSION"));
            return Err(std::io::Error::other(words));
        }
        Ok(worker)
    }

    /// Whether the process has ended since its last call.
    fn is_gone(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    async fn do_work(&mut self, blobs: &Blobs, work: Work<'_>) -> Result<JobOutput, Failed> {
        self.drop_old_inputs();
        Ok(match work {
            Work::File(job) => JobOutput::File(self.carry_out(blobs, job).await?),
            Work::Table(job, cache) => JobOutput::Table(self.table(blobs, job, cache).await?),
        })
    }

    async fn table(&mut self, blobs: &Blobs, job: &TableJob, cache: &Path) -> Result<TableDone, Failed> {
        let refused = |error: FileError| Failed::Call(operation_error(error));
        let mut names = Vec::new();
        for (part, file) in parts_of(job).map_err(refused)? {
            let input = Input { name: part.path.clone(), file, converted: None };
            names.push((part.path, self.place_input(blobs, &input).await?));
        }
        let converted = job.converted().map_err(refused)?;
        for name in &converted {
            self.link_converted(cache, name);
        }
        let outputs = self.outputs();
        let fresh = self.fresh_folder()?;
        let mut params = renamed(job, &names);
        params["workbench_id"] = WORKBENCH.into();
        params["root"] = INPUTS.into();
        let target = format!("output.{}", job.target_ending());
        let written = format!("{}/{target}", fresh.name);
        if job.writes() {
            params["target_path"] = written.clone().into();
            params["target_root"] = OUTPUTS.into();
            params["now"] = job.now.clone().into();
            params["allow_outside_formulas"] = job.allow_outside_formulas.into();
        }
        if let Some(file) = job.before {
            let input = Input { name: target.clone(), file, converted: None };
            self.put_output(blobs, &input, &fresh, &target).await?;
        }
        let answer = self.call(job.method, params).await?;
        if let Ok(made) = OutputFolder::of_worker(&outputs, CONVERTED_TABLES) {
            for name in &converted {
                keep_converted(&made, cache, name);
                self.link_converted(cache, name);
            }
        }
        let outcome = table_result(answer, job, &written);
        let mut output = None;
        if outcome.is_ok() && job.writes() {
            let copy = self.private_file();
            let copied = fresh.copy_to(&target, &copy);
            clear(&outputs)?;
            copied?;
            let kept = stored(blobs, &copy).await;
            let _ = std::fs::remove_file(&copy);
            output = Some(kept.map_err(Failed::Call)?);
        } else {
            clear(&outputs)?;
        }
        Ok(TableDone { result: outcome?, output })
    }

    /// Lets the worker read a converted table as it is now. A worker that cannot link it converts the file again.
    fn link_converted(&mut self, cache: &Path, name: &str) {
        let (kept, place) = (cache.join(name), self.folder.0.join(WORKBENCH).join(INPUTS).join(name));
        let is_current = if self.is_contained { is_same_file(&kept, &place) } else { is_current_copy(&kept, &place) };
        if !is_current {
            // A table that was damaged, or dropped as unused, must not stay here.
            let _ = std::fs::remove_file(&place);
            let _ = if self.is_contained {
                std::fs::hard_link(kept, place)
            } else {
                std::fs::copy(kept, place).map(|_| ())
            };
        }
    }

    async fn carry_out(&mut self, blobs: &Blobs, job: &Job) -> Result<Done, Failed> {
        match job.method.verb {
            Verb::Read => {
                let Some(input) = &job.input else { return Err(Failed::Call(no_input())) };
                let name = self.place_input(blobs, input).await?;
                let result = self.method(job, json!({ "root": INPUTS, "path": name })).await?;
                Ok(Done { result, output: None })
            }
            Verb::Apply => self.edit(blobs, job, json!({ "root": OUTPUTS }), "path").await,
            Verb::RenderCopy => {
                let Some(input) = &job.input else { return Err(Failed::Call(no_input())) };
                let source = self.place_input(blobs, input).await?;
                let place = json!({ "source_root": INPUTS, "source_path": source, "target_root": OUTPUTS });
                self.edit(blobs, job, place, "target_path").await
            }
            Verb::Compare => {
                let mut place = json!({});
                for (side, input) in [("old", &job.source), ("new", &job.input)] {
                    let Some(input) = input else { continue };
                    place[format!("{side}_path")] = self.place_input(blobs, input).await?.into();
                    place[format!("{side}_root")] = INPUTS.into();
                }
                Ok(Done { result: self.method(job, place).await?, output: None })
            }
            Verb::Copy | Verb::Revert => {
                let Some(source) = &job.source else { return Err(Failed::Call(no_input())) };
                let source = self.place_input(blobs, source).await?;
                let place = json!({ "source_root": INPUTS, "source_path": source, "target_root": OUTPUTS });
                self.edit(blobs, job, place, "target_path").await
            }
        }
    }

    /// Has a file edited, and takes the result out.
    async fn edit(&mut self, blobs: &Blobs, job: &Job, mut place: Value, key: &str) -> Result<Done, Failed> {
        let fresh = self.fresh_folder()?;
        let target = named("edited", &ending(job));
        place[key] = format!("{}/{target}", fresh.name).into();
        // Files that ops name are looked up beside the inputs, where the worker can put nothing in their place.
        let inputs = self.folder.0.join(WORKBENCH).join(INPUTS);
        let mut beside = Vec::new();
        for file in &job.beside {
            let path = inputs.join(&file.name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            beside.push(path.clone());
            copy(blobs, file, &path).await?;
        }
        match (&job.input, job.method.verb) {
            (_, Verb::RenderCopy) => {}
            // Read where it is, so that it need not be copied first.
            (Some(input), Verb::Apply) => place["copy_from"] = self.place_input(blobs, input).await?.into(),
            (Some(input), _) => self.put_output(blobs, input, &fresh, &target).await?,
            (None, _) => place["create_new"] = true.into(),
        }
        let result = self.method(job, place).await;
        let bytes = fresh.take(&target);
        for path in beside {
            let _ = std::fs::remove_file(path);
        }
        clear(&self.outputs())?;
        Ok(Done { result: result?, output: Some(bytes?) })
    }

    fn outputs(&self) -> PathBuf {
        self.folder.0.join(WORKBENCH).join(OUTPUTS)
    }

    /// A new folder below the outputs, for this call only.
    fn fresh_folder(&self) -> std::io::Result<OutputFolder> {
        clear(&self.outputs())?;
        OutputFolder::create(&self.outputs(), (self.calls + 1).to_string())
    }

    /// A name for a file of this process, where the worker cannot write.
    fn private_file(&self) -> PathBuf {
        self.folder.0.join(format!("file-{}", self.calls + 1))
    }

    /// Gives the worker a copy of a file to change.
    async fn put_output(&self, blobs: &Blobs, input: &Input, fresh: &OutputFolder, name: &str) -> Result<(), Failed> {
        let own = self.private_file();
        copy(blobs, input, &own).await?;
        Ok(fresh.put(&own, name)?)
    }

    /// Makes an input readable for the worker: by a link where that is safe, else by a copy.
    async fn place_input(&mut self, blobs: &Blobs, input: &Input) -> Result<String, Failed> {
        let name = named(&input.file.hash.to_string(), ending_of(&input.name));
        if let Some(at) = self.kept.iter().position(|kept| *kept == name) {
            let name = self.kept.remove(at);
            self.kept.push(name.clone());
            return Ok(name);
        }
        let inputs = self.folder.0.join(WORKBENCH).join(INPUTS);
        let path = inputs.join(&name);
        let local = input.converted.clone().or_else(|| blobs.local_path(&input.file.hash));
        let linked = match local {
            Some(local) if self.is_contained => std::fs::hard_link(local, &path).is_ok(),
            _ => false,
        };
        match &input.converted {
            _ if linked => {}
            Some(converted) => {
                std::fs::copy(converted, &path).map_err(|error| Failed::Call(lost(&error)))?;
            }
            None => copy(blobs, input, &path).await?,
        }
        self.kept.push(name.clone());
        Ok(name)
    }

    /// Drops inputs of earlier jobs that were not needed for long. Never while a job is prepared: one job may need more
    /// of them than are kept.
    fn drop_old_inputs(&mut self) {
        let inputs = self.folder.0.join(WORKBENCH).join(INPUTS);
        for old in self.kept.drain(..self.kept.len().saturating_sub(KEPT)) {
            let _ = std::fs::remove_file(inputs.join(old));
        }
    }

    async fn method(&mut self, job: &Job, place: Value) -> Result<Value, Failed> {
        let mut params = job.params.as_object().cloned().unwrap_or_default();
        params.extend(place.as_object().cloned().unwrap_or_default());
        params.insert("workbench_id".to_owned(), WORKBENCH.into());
        if job.method.verb == Verb::Apply {
            params.insert("now".to_owned(), job.now.clone().into());
            params.insert("allow_outside_formulas".to_owned(), job.allow_outside_formulas.into());
        }
        let mut answer = self.call(job.method.name, Value::Object(params)).await?;
        if let Some(result) = answer.get_mut("result") {
            return Ok(result.take());
        }
        Err(Failed::Call(failure(&answer["error"])))
    }

    async fn call(&mut self, method: &str, params: Value) -> std::io::Result<Value> {
        self.calls += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params });
        let mut line = serde_json::to_vec(&request)?;
        line.push(b'\n');
        self.input.write_all(&line).await?;
        self.input.flush().await?;
        let mut answer = Vec::new();
        (&mut self.output).take(ANSWER_BYTES).read_until(b'\n', &mut answer).await?;
        if answer.last() != Some(&b'\n') {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let answer: Value = serde_json::from_slice(&answer)?;
        if answer["id"] == self.calls { Ok(answer) } else { Err(std::io::Error::other("an answer to another call")) }
    }
}

/// Whether both names are of one file, or of none.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let stamp = |path| std::fs::metadata(path).ok().map(|meta| FileStamp::of(&meta));
    match (stamp(one), stamp(other)) {
        (Some(one), Some(other)) => one.is_same_file(&other),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a copy is newer than what it was made from, and as long.
fn is_current_copy(of: &Path, copy: &Path) -> bool {
    let known = |path| std::fs::metadata(path).and_then(|meta| Ok((meta.modified()?, meta.len()))).ok();
    match (known(of), known(copy)) {
        (Some((made, bytes)), Some((copied, same))) => bytes == same && copied >= made,
        (None, None) => true,
        _ => false,
    }
}

/// The command that starts a worker in this folder.
fn command(
    program: &WorkerProgram,
    isolation: &Isolation,
    folder: &Path,
    outputs: PathBuf,
) -> std::io::Result<Command> {
    Ok(match program {
        WorkerProgram::Files => {
            let mut command = Command::new(&isolation.program);
            command.args(["worker", "--scratch"]).arg(folder);
            command.arg(format!("--memory={}", isolation.memory_bytes));
            command.arg(format!("--cpu-seconds={}", isolation.cpu_seconds));
            command
        }
        WorkerProgram::Sql { engine, limits } => {
            let options = SqlOptions {
                workbenches: folder.to_owned(),
                writable: Some(outputs),
                memory_bytes: Some(isolation.memory_bytes),
                cpu_seconds: Some(isolation.cpu_seconds),
                limits: *limits,
                allow_outside_formulas: false,
                compat: false,
            };
            let mut command = Command::new(engine);
            command.args(options.arguments()?);
            command
        }
    })
}

/// Copies a converted table into the folder that all calls share, under a temporary name until it is complete.
fn keep_converted(made: &OutputFolder, cache: &Path, name: &str) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let own = format!(".{name}.{}-{}.part", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let fresh = cache.join(own);
    // A table that was not made is the usual case, and one that could not be kept is made again.
    if made.copy_to(name, &fresh).is_ok() && std::fs::rename(&fresh, cache.join(name)).is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
}

/// The answer to a job. It names the file of the caller, not the one that the worker wrote.
fn table_result(mut answer: Value, job: &TableJob, written: &str) -> Result<Value, Failed> {
    let Some(result) = answer.get_mut("result") else {
        let mut error = failure(&answer["error"]);
        if let Some(path) = job.params["target_path"].as_str() {
            error.info.message = error.info.message.replace(written, path);
        }
        return Err(Failed::Call(error));
    };
    if job.writes() {
        result["target_path"] = job.params["target_path"].clone();
    }
    Ok(result.take())
}

async fn copy(blobs: &Blobs, input: &Input, path: &Path) -> Result<(), Failed> {
    let written = blobs.write_to(&input.file.hash, path).await;
    written.map(|_| ()).map_err(|error| Failed::Call(error.into()))
}

/// Empties a folder. The folder itself must stay: the worker's permission hangs on it and not on its name.
fn clear(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn ending(job: &Job) -> String {
    let named = job.input.as_ref().map(|input| ending_of(&input.name).to_owned());
    named.unwrap_or_else(|| job.method.format.extension().to_owned())
}

/// A name with an ending, where there is one.
fn named(name: &str, ending: &str) -> String {
    if ending.is_empty() { name.to_owned() } else { format!("{name}.{ending}") }
}

fn ending_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn no_input() -> OpError {
    OpError::new(Code::Internal, "a job without its file")
}

/// The worker's error as an operation's.
fn failure(error: &Value) -> OpError {
    let error = parse_error(error);
    if error.reason == Reason::DiskFull { disk_full() } else { operation_error(error) }
}
