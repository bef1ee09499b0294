//! `cargo xtask bench`: what Drafts, publishing and starting cost, and how that grows with the files.
//!
//! Prints Markdown. Each figure is the median of several rounds on this machine.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a program for developers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jig_contract::{Actor, Env};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const ROUNDS: usize = 15;
const CHANGED: usize = 10;

/// How the files of a workbench are at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hand {
    /// In the store alone.
    Store,
    /// In a folder too, which this process watches.
    Watched,
    /// In a folder too, which is looked at anew each time, as by one command after the other.
    Looked,
}

impl Hand {
    const fn words(self) -> &'static str {
        match self {
            Self::Store => "store alone",
            Self::Watched => "with folder",
            Self::Looked => "with folder, each command by itself",
        }
    }
}

#[tokio::main]
async fn main() {
    println!("## Draft and publish, by the number of files\n");
    println!(
        "Files of 2 KiB in folders of 100. Medians of {ROUNDS} rounds in milliseconds, durable (fsync) each time."
    );
    println!(
        "“Store alone” is the operation without a folder of plain files (`view = \"off\"`, as on a server). “With"
    );
    println!("folder” also takes in edits by hand and brings `published/` and `draft/` up to date, in a process that");
    println!("stays (`jig mcp`, `jig rpc`) and so is told what changed. “Each command by itself” looks at every file");
    println!("once, as a command has to that was started just for this; its start is not in these figures.\n");
    println!("| operation | {} | growth |", SIZES.map(|n| format!("{n} files")).join(" | "));
    println!("|---|{}---|", "---:|".repeat(SIZES.len()));
    for hand in [Hand::Store, Hand::Watched, Hand::Looked] {
        let mut columns = Vec::new();
        for files in SIZES {
            columns.push(drafts(files, hand).await);
        }
        let place = hand.words();
        if hand != Hand::Store {
            row(&format!("the workbench's first Draft, {place}"), &columns, |c| c.first);
        }
        row(&format!("Draft create, {place}"), &columns, |c| c.create);
        row(&format!("write one file, {place}"), &columns, |c| c.write);
        row(&format!("publish, {CHANGED} files changed, {place}"), &columns, |c| c.publish);
        row(&format!("look at one file, {place}"), &columns, |c| c.list);
    }
    sizes().await;
    changes().await;
    starts().await;
}

struct Costs {
    first: Duration,
    create: Duration,
    write: Duration,
    publish: Duration,
    list: Duration,
}

async fn drafts(files: usize, hand: Hand) -> Costs {
    let home = tempfile::tempdir().expect("a folder");
    let workbench = filled(home.path(), files, 2_048, hand).await;
    let (mut create, mut write, mut publish, mut list) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        create.push(timed(call(&workbench, "DraftCreate", json!({}))).await);
        for n in 0..CHANGED {
            let params = json!({ "path": format!("00/{n}.txt"), "text": format!("round {round}, file {n}\n") });
            write.push(timed(call(&workbench, "DraftWriteText", params)).await);
        }
        publish.push(timed(call(&workbench, "DraftPublish", json!({}))).await);
        list.push(timed(call(&workbench, "FileGetInfo", json!({ "path": "00/9.txt" }))).await);
    }
    Costs {
        first: create[0],
        create: median(create),
        write: median(write),
        publish: median(publish),
        list: median(list),
    }
}

/// The same with files of growing size.
async fn sizes() {
    println!("\n## Draft and publish, by the size of files\n");
    println!("100 files each, with folder. Milliseconds.\n");
    println!("| operation | 1 KiB | 100 KiB | 1 MiB | growth |\n|---|---:|---:|---:|---|");
    let mut columns = Vec::new();
    for bytes in [1 << 10, 100 << 10, 1 << 20] {
        let home = tempfile::tempdir().expect("a folder");
        let workbench = filled(home.path(), 100, bytes, Hand::Watched).await;
        let (mut create, mut publish) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            create.push(timed(call(&workbench, "DraftCreate", json!({}))).await);
            call(&workbench, "DraftWriteText", json!({ "path": "00/0.txt", "text": format!("{round}") })).await;
            publish.push(timed(call(&workbench, "DraftPublish", json!({}))).await);
        }
        columns.push(Costs {
            first: create[0],
            create: median(create),
            write: Duration::ZERO,
            publish: median(publish),
            list: Duration::ZERO,
        });
    }
    row("Draft create", &columns, |c| c.create);
    row("publish, 1 file changed", &columns, |c| c.publish);
}

/// The same files, with more and more of them changed.
async fn changes() {
    println!("\n## Publish, by what changed\n");
    println!("1,000 files of 2 KiB, with folder. Milliseconds.\n");
    println!("| operation | 1 changed | 10 changed | 100 changed |\n|---|---:|---:|---:|");
    let home = tempfile::tempdir().expect("a folder");
    let workbench = filled(home.path(), 1_000, 2_048, Hand::Watched).await;
    let mut cells = Vec::new();
    for changed in [1usize, 10, 100] {
        let mut times = Vec::new();
        for round in 0..5 {
            for n in 0..changed {
                let params =
                    json!({ "path": format!("{:02}/{n}.txt", n / 100), "text": format!("{changed} {round} {n}") });
                call(&workbench, "DraftWriteText", params).await;
            }
            times.push(timed(call(&workbench, "DraftPublish", json!({}))).await);
        }
        cells.push(milliseconds(median(times)));
    }
    println!("| publish | {} |", cells.join(" | "));
}

/// How long a command takes from start to end.
async fn starts() {
    println!("\n## Start\n");
    println!("The whole process, optimised build, medians of 30 in milliseconds.\n");
    println!("| command | 10 files | 1,000 files |\n|---|---:|---:|");
    let jig = binary();
    let mut cells: [Vec<String>; 2] = Default::default();
    for files in [10, 1_000] {
        let home = tempfile::tempdir().expect("a folder");
        drop(filled(home.path(), files, 2_048, Hand::Looked).await);
        cells[0].push(milliseconds(median(
            (0..30).map(|_| run(&jig, home.path(), &["files", "--workbench", "bench"])).collect(),
        )));
        cells[1].push(milliseconds(median((0..30).map(|_| first_answer(&jig, home.path())).collect())));
    }
    println!("| `jig files` | {} |", cells[0].join(" | "));
    println!("| `jig mcp`, first answer | {} |", cells[1].join(" | "));
}

fn binary() -> PathBuf {
    let me = std::env::current_exe().expect("this program");
    let jig = me.ancestors().nth(2).expect("the build folder").join("jig");
    assert!(jig.exists(), "build the binary first: cargo build --release --package jig");
    jig
}

fn run(jig: &Path, home: &Path, args: &[&str]) -> Duration {
    let begin = Instant::now();
    let mut command = Command::new(jig);
    command.arg("--home").arg(home).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().expect("a run");
    assert!(status.success(), "jig {args:?} failed");
    begin.elapsed()
}

fn first_answer(jig: &Path, home: &Path) -> Duration {
    use std::io::{BufRead, BufReader, Write};
    let begin = Instant::now();
    let mut child = Command::new(jig)
        .arg("--home")
        .arg(home)
        .args(["mcp", "--workbench", "bench"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } } });
    writeln!(child.stdin.as_mut().expect("its input"), "{hello}").expect("a question");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("an answer");
    let elapsed = begin.elapsed();
    assert!(line.contains("\"result\""), "{line}");
    drop(child.stdin.take());
    child.kill().expect("an end");
    child.wait().expect("an end");
    elapsed
}

async fn filled(home: &Path, files: usize, bytes: usize, hand: Hand) -> Workbench {
    let source = tempfile::tempdir().expect("a folder");
    for n in 0..files {
        let folder = source.path().join(format!("{:02}", n / 100));
        std::fs::create_dir_all(&folder).expect("a folder");
        let line = format!("file {n} of the benchmark\n");
        let text = line.repeat(bytes / line.len() + 1);
        std::fs::write(folder.join(format!("{}.txt", n % 100)), &text[..bytes]).expect("a file");
    }
    let mut config = Config::new(home);
    config.view = hand != Hand::Store;
    config.watch = hand == Hand::Watched;
    config.limits.files = 100_000;
    let workbench = Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    call(&workbench, "WorkbenchCreate", json!({ "name": "Bench", "id": "bench" })).await;
    let folders: Vec<PathBuf> =
        std::fs::read_dir(source.path()).expect("entries").map(|e| e.expect("an entry").path()).collect();
    call(&workbench, "FileAdd", json!({ "paths": folders })).await;
    // What was just written must not be paid for by what is measured next.
    Command::new("sync").status().expect("a run");
    workbench
}

async fn call(workbench: &Workbench, name: &str, mut params: Value) -> Value {
    if name != "WorkbenchCreate" {
        params["workbench_id"] = "bench".into();
    }
    workbench.call(name, CallContext::new(Actor::person()), params).await.unwrap_or_else(|e| panic!("{name}: {e}"))
}

async fn timed(work: impl Future) -> Duration {
    let begin = Instant::now();
    work.await;
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1_000.0)
}

fn row(name: &str, columns: &[Costs], pick: impl Fn(&Costs) -> Duration) {
    let times: Vec<Duration> = columns.iter().map(pick).collect();
    let growth = times[times.len() - 1].as_secs_f64() / times[0].as_secs_f64();
    let cells: Vec<String> = times.iter().map(|t| milliseconds(*t)).collect();
    println!("| {name} | {} | {growth:.1}× |", cells.join(" | "));
}
