//! What a long session of an agent costs: to load it, to see that each record still follows, and to replay it to the byte.

use std::time::{Duration, Instant};

use jig_contract::Env;
use jig_workbench::{Config, Workbench};
use serde_json::{Value, json};

use crate::bench::call;
use crate::figures::median;

const BASE: u64 = 2_500;
/// What the last column is of.
const PER: u64 = 10_000;
const FACTORS: [u64; 3] = [1, 4, 16];
/// Model calls of a run, and calls of tools in each of them.
const TURNS: usize = 6;
const CALLS: usize = 50;
const ROUNDS: usize = 3;

/// Prints the table.
pub(crate) async fn measure() {
    let home = tempfile::tempdir().expect("a folder");
    let workbench = opened(home.path()).await;
    let made = call(&workbench, "SessionCreate", json!({ "workspace": "jig", "model": "scripted:bench" })).await;
    let session = made["session"]["id"].clone();
    println!("\n## A long session\n");
    println!(
        "Runs of {TURNS} model calls with {CALLS} calls of tools each. Seconds, medians of {ROUNDS} rounds, on SQLite.\n"
    );
    println!("| records | requests | load (`SessionGet`) | replay, every byte (`SessionReplay`) | per {PER} records |");
    println!("|---:|---:|---:|---:|---:|");
    let mut records = 0;
    for factor in FACTORS {
        while records < BASE * factor {
            let params = json!({ "session_id": session, "message": "go on", "options": { "mode": "direct" } });
            let done = call(&workbench, "WorkshopSend", params).await;
            assert_eq!(done["session"]["status"], "idle", "the run stands still: {}", done["run"]);
            records = done["session"]["records"].as_u64().expect("a number");
        }
        let (load, _) = timed(&workbench, "SessionGet", &session).await;
        let (replay, replayed) = timed(&workbench, "SessionReplay", &session).await;
        assert_eq!(replayed["same"], true, "{replayed:#}");
        let parts = records as f64 / PER as f64;
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

async fn timed(workbench: &Workbench, operation: &str, session: &Value) -> (Duration, Value) {
    let (mut times, mut output) = (Vec::new(), Value::Null);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        output = call(workbench, operation, json!({ "session_id": session })).await;
        times.push(begin.elapsed());
    }
    (median(times), output)
}

/// A workbench whose model plays a script that is long enough.
async fn opened(home: &std::path::Path) -> Workbench {
    let scripts = home.join("scripts");
    std::fs::create_dir_all(&scripts).expect("a folder");
    let calls: Vec<Value> =
        (0..CALLS).map(|n| json!({ "name": format!("tool_{n}"), "arguments": { "n": n } })).collect();
    let turn = json!({ "answer": { "tool_calls": calls } });
    let run: Vec<Value> = (0..TURNS).map(|_| turn.clone()).chain([json!({ "answer": { "text": "done" } })]).collect();
    let runs = BASE * FACTORS[FACTORS.len() - 1] / (TURNS * CALLS) as u64 + 1;
    let steps: Vec<Value> = (0..runs).flat_map(|_| run.clone()).collect();
    std::fs::write(scripts.join("bench.json"), json!({ "steps": steps }).to_string()).expect("a script");
    let mut config = Config::new(home.join("home"));
    config.view = false;
    config.models.scripts = Some(scripts);
    let window =
        "[[model]]\nid = \"scripted:bench\"\nwindow = 400_000\ntokenizer = \"o200k\"\nabilities = [\"tools\"]\n";
    config.models.file = Some(("models.toml".to_owned(), window.to_owned()));
    let workbench = Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    call(&workbench, "WorkbenchCreate", json!({ "name": "Bench", "id": "bench" })).await;
    workbench
}
