//! The duration of a command, and the time until a server's first response.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::{Hand, filled, program};
use crate::figures::{median, milliseconds};

/// Prints the table.
pub(crate) async fn measure() {
    println!("\n## Start\n");
    println!("Time of the entire process, optimised build, medians of 30 rounds in milliseconds.\n");
    println!("| command | 10 files | 1,000 files |\n|---|---:|---:|");
    let jig = program();
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

fn run(jig: &Path, home: &Path, args: &[&str]) -> Duration {
    let begin = Instant::now();
    let mut command = Command::new(jig);
    command.arg("--home").arg(home).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().expect("a run");
    assert!(status.success(), "jig {args:?} failed");
    begin.elapsed()
}

fn first_answer(jig: &Path, home: &Path) -> Duration {
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
