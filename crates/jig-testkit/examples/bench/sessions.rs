//! The cost of a long agent session: loading it, checking its records, and replaying it exactly.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use jig_contract::Env;
use jig_workbench::{Config, Workbench};
use serde_json::{Value, json};

use crate::bench::call;
use crate::figures::median;

const BASE: u64 = 10_000;
const FACTORS: [u64; 3] = [1, 4, 16];
/// The number of model calls per run, and of tool calls in each. A request repeats the newest 200 messages of the
/// conversation: with runs of this length, even the shortest session reaches that number early, so all sizes are
/// comparable.
const TURNS: usize = 2;
const CALLS: usize = 5;
const ROUNDS: usize = 3;

/// Prints the table.
pub(crate) async fn measure() {
    let home = tempfile::tempdir().expect("a folder");
    let runs = BASE * FACTORS[FACTORS.len() - 1] / (TURNS * CALLS) as u64 + 1;
    write_script(&home.path().join("play"), runs);
    write_script(&home.path().join("silent"), 0);
    let workbench = opened(home.path(), "play").await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Bench", "id": "bench" })).await;
    let made = call(&workbench, "SessionCreate", json!({ "workspace": "jig", "model": "scripted:bench" })).await;
    let session = made["session"]["id"].clone();
    println!("\n## A long session\n");
    println!(
        "Runs of {TURNS} model calls with {CALLS} tool calls each. Seconds, medians of {ROUNDS} rounds, on SQLite.\n"
    );
    println!("Load and replay are the first operation of a process that has read nothing yet.\n");
    println!(
        "| records | requests | load (`SessionGet`) | replay, every byte (`SessionReplay`) | per {BASE} records |"
    );
    println!("|---:|---:|---:|---:|---:|");
    let mut records = 0;
    for factor in FACTORS {
        while records < BASE * factor {
            let params = json!({ "session_id": session, "message": "go on", "options": { "mode": "direct" } });
            let done = call(&workbench, "WorkshopSend", params).await;
            assert_eq!(done["session"]["status"], "idle", "the run stands still: {}", done["run"]);
            records = done["session"]["records"].as_u64().expect("a number");
        }
        let (load, _) = timed(home.path(), "SessionGet", &session);
        let (replay, replayed) = timed(home.path(), "SessionReplay", &session);
        assert_eq!(replayed["same"], true, "{replayed:#}");
        let parts = records as f64 / BASE as f64;
        println!(
            "| {records} | {} | {:.2} | {:.2} | {:.2} and {:.2} |",
            replayed["requests"],
            load.as_secs_f64(),
            replay.as_secs_f64(),
            load.as_secs_f64() / parts,
            replay.as_secs_f64() / parts,
        );
    }
}

/// In a separate process, because memory and cached sessions of this one would affect the result.
fn timed(home: &Path, operation: &str, session: &Value) -> (Duration, Value) {
    let (mut times, mut output) = (Vec::new(), Value::Null);
    for _ in 0..ROUNDS {
        let mut process = Command::new(std::env::current_exe().expect("this program"));
        process.arg("--on-session").arg(operation).arg(home).arg(session.as_str().expect("an id"));
        let done = process.output().expect("a run");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let told: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        times.push(Duration::from_secs_f64(told["seconds"].as_f64().expect("seconds")));
        output = told["output"].clone();
    }
    (median(times), output)
}

/// A timed operation on a session, which [`timed`] starts.
pub(crate) async fn one(operation: &str, home: &Path, session: &str) {
    // The model is not called, so no long script is required.
    let workbench = opened(home, "silent").await;
    let begin = Instant::now();
    let output = call(&workbench, operation, json!({ "session_id": session })).await;
    println!("{}", json!({ "seconds": begin.elapsed().as_secs_f64(), "output": output }));
}

/// A script for this many runs.
fn write_script(folder: &Path, runs: u64) {
    std::fs::create_dir_all(folder).expect("a folder");
    let calls: Vec<Value> =
        (0..CALLS).map(|n| json!({ "name": format!("tool_{n}"), "arguments": { "n": n } })).collect();
    let turn = json!({ "answer": { "tool_calls": calls } });
    let run: Vec<Value> = (0..TURNS).map(|_| turn.clone()).chain([json!({ "answer": { "text": "done" } })]).collect();
    let steps: Vec<Value> = (0..runs).flat_map(|_| run.clone()).collect();
    std::fs::write(folder.join("bench.json"), json!({ "steps": steps }).to_string()).expect("a script");
}

/// A workbench whose model plays a script.
async fn opened(home: &Path, script: &str) -> Workbench {
    let mut config = Config::new(home.join("home"));
    config.view = false;
    config.models.scripts = Some(home.join(script));
    let window =
        "[[model]]\nid = \"scripted:bench\"\nwindow = 400_000\ntokenizer = \"o200k\"\nabilities = [\"tools\"]\n";
    config.models.file = Some(("models.toml".to_owned(), window.to_owned()));
    Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"))
}
