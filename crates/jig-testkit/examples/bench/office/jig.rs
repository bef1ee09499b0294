//! `jig worker` from a client's perspective.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::program;
use crate::figures::median;

/// The times of the rounds, and their peak memory.
pub(crate) struct Measured {
    pub(crate) times: Vec<Duration>,
    pub(crate) memory_kib: u64,
}

impl Measured {
    pub(crate) fn median(&self) -> Duration {
        median(self.times.clone())
    }
}

/// A folder with the files to start workers on.
pub(crate) struct Jig<'a> {
    files: &'a Path,
    folder: TempDir,
}

impl<'a> Jig<'a> {
    pub(crate) fn new(files: &'a Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("bench/draft")).expect("a folder");
        Self { files, folder }
    }

    /// Each round in a new worker, on a new copy of the file.
    pub(crate) fn cold(&self, file: &str, method: &str, params: &Value, rounds: usize) -> Measured {
        self.after(None, file, method, params, rounds)
    }

    /// The same, after an uncounted call on another file.
    pub(crate) fn after(
        &self,
        before: Option<(&str, &Value)>,
        file: &str,
        method: &str,
        params: &Value,
        rounds: usize,
    ) -> Measured {
        let mut measured = Measured { times: Vec::new(), memory_kib: 0 };
        for _ in 0..rounds {
            self.place(file);
            let mut worker = self.start();
            if let Some((other, params)) = before {
                self.place(other);
                worker.call(method, other, params);
            }
            measured.times.push(worker.call(method, file, params));
            measured.memory_kib = measured.memory_kib.max(worker.memory_kib());
        }
        measured
    }

    /// All rounds in one worker, after an uncounted first call. Of several parameters, the slowest.
    pub(crate) fn warm(&self, file: &str, method: &str, each: &[Value], rounds: usize) -> Measured {
        self.place(file);
        let mut worker = self.start();
        worker.call(method, file, each.first().expect("parameters"));
        let times = each.iter().map(|params| (0..rounds).map(|_| worker.call(method, file, params)).collect());
        let times: Vec<Vec<Duration>> = times.collect();
        let slowest = times.into_iter().max_by_key(|times| median(times.clone())).expect("times");
        Measured { times: slowest, memory_kib: worker.memory_kib() }
    }

    /// The lifetime of a worker with one request that touches no file.
    pub(crate) fn whole(&self, rounds: usize) -> Measured {
        let times = (0..rounds).map(|_| {
            let begin = Instant::now();
            drop(self.start());
            begin.elapsed()
        });
        Measured { times: times.collect(), memory_kib: 0 }
    }

    /// Drops the cached tables of workers.
    pub(crate) fn forget_tables(&self) {
        let _ = fs::remove_dir_all(self.folder.path().join("bench/meta"));
    }

    fn place(&self, file: &str) {
        let target = self.folder.path().join("bench/draft").join(file);
        // Tables are read-only, and too large to be copied each time.
        if file.ends_with(".csv") && (target.exists() || fs::hard_link(self.files.join(file), &target).is_ok()) {
            return;
        }
        fs::copy(self.files.join(file), target).unwrap_or_else(|error| panic!("{file}: {error}"));
    }

    /// Starts a worker and waits for its first response.
    fn start(&self) -> Worker {
        let mut process = Command::new(program())
            .arg("worker")
            .env("JIG_WORKBENCHES_DIR", self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a worker");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("its output"));
        let mut worker = Worker { process, input, output };
        worker.ask("WorkerGetInfo", &json!({}));
        worker
    }
}

struct Worker {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn call(&mut self, method: &str, file: &str, params: &Value) -> Duration {
        let mut params = params.clone();
        params["workbench_id"] = "bench".into();
        params["path"] = file.into();
        let begin = Instant::now();
        let answer = self.ask(method, &params);
        let took = begin.elapsed();
        assert!(answer.contains("\"result\":"), "{method}: {answer}");
        took
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.input.as_mut().expect("its input"), "{request}").expect("a question");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("an answer");
        answer
    }

    /// The peak memory of the worker and all processes below it: the relay, and the SQL engine started by the relay.
    fn memory_kib(&self) -> u64 {
        let mut processes = vec![self.process.id()];
        let mut total = 0;
        while let Some(id) = processes.pop() {
            total += peak_kib(id);
            processes.extend(children(id));
        }
        total
    }
}

/// The child processes of a process; empty if it has exited.
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// The peak memory of a process; 0 if it has exited.
fn peak_kib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

impl Drop for Worker {
    /// The worker exits when its input closes.
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}
