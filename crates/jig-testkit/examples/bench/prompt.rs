//! The cost of assembling a prompt, and of entries that no call needs.

use std::time::{Duration, Instant};

use jig_prompt::sample::sample;
use jig_prompt::{Cached, O200k, assemble};
use serde_json::{Value, json};

use crate::bench::{Hand, call, filled};
use crate::figures::{median, milliseconds};

const FILES: usize = 10;
const ITEMS: usize = 4;
const ENTRIES: usize = 20;
/// The numbers of unrelated entries.
const UNRELATED: [usize; 4] = [0, 100, 1_000, 10_000];
const ROUNDS: usize = 201;

/// Prints the tables.
pub(crate) async fn measure() {
    println!("\n## A prompt and its token breakdown\n");
    println!(
        "{FILES} files, {ITEMS} context items and {ENTRIES} entries. Every token is counted exactly. Medians of {ROUNDS}"
    );
    println!("rounds in milliseconds, warm.\n");
    println!("Assembly alone, from data that a workbench has in memory: {} ms.\n", milliseconds(assembled()));
    println!(
        "The operation `PromptAssemble` on a real workbench, including the check of its folder and the answer as JSON, with"
    );
    println!("an increasing number of entries besides those that the prompt uses:\n");
    println!("| | {} | growth |", UNRELATED.map(|n| format!("{n} others")).join(" | "));
    println!("|---|{}---:|", "---:|".repeat(UNRELATED.len()));
    let rows = operation().await;
    let times: Vec<String> = rows.iter().map(|row| milliseconds(row.time)).collect();
    let growth = rows[UNRELATED.len() - 1].time.as_secs_f64() / rows[0].time.as_secs_f64();
    println!("| time | {} | {growth:.1}× |", times.join(" | "));
    let tokens: Vec<String> = rows.iter().map(|row| row.tokens.to_string()).collect();
    println!("| tokens | {} | |", tokens.join(" | "));
}

/// Assembly only.
fn assembled() -> Duration {
    let input = sample(FILES, ITEMS, ENTRIES);
    let counter = Cached::<O200k>::default();
    let once = || {
        let begin = Instant::now();
        let prompt = assemble(&input, &counter).unwrap_or_else(|error| panic!("{error}"));
        let time = begin.elapsed();
        assert!(prompt.bill.total > 0, "a prompt of nothing");
        time
    };
    once();
    median((0..ROUNDS).map(|_| once()).collect())
}

struct Row {
    time: Duration,
    tokens: Value,
}

/// The complete operation: state, file maps, items, styles, entries, assembly.
async fn operation() -> Vec<Row> {
    let home = tempfile::tempdir().expect("a folder");
    let workbench = filled(home.path(), FILES, 2_048, Hand::Watched).await;
    for category in ["company-context", "department-context", "situation", "document-style"] {
        let text = "Acme sells ropes to climbers.\n- Use short sentences.\n- Deadline: Friday\n".repeat(10);
        let input = json!({ "mode": "text", "text": text });
        call(&workbench, "ContextProcess", json!({ "category": category, "input": input, "model": "offline:extract" }))
            .await;
    }
    let mut message = "Compare our costs with those of".to_owned();
    for n in 0..ENTRIES {
        let data = json!({ "name": format!("Competitor {n}"), "description": "Sells instruments to universities.", "strengths": ["price"] });
        call(&workbench, "EntryPut", json!({ "role": "competitor", "entry_key": format!("number-{n}"), "data": data }))
            .await;
        message.push_str(&format!(" @competitor:number-{n}"));
    }
    let (mut rows, mut there) = (Vec::new(), 0);
    for unrelated in UNRELATED {
        if unrelated > there {
            crate::entries::add(home.path(), None, ("competitor", "number-0"), there..unrelated).await;
        }
        there = unrelated;
        rows.push(row(&workbench, &message).await);
    }
    rows
}

async fn row(workbench: &jig_workbench::Workbench, message: &str) -> Row {
    call(workbench, "PromptAssemble", json!({ "message": message })).await;
    let mut times = Vec::new();
    let mut tokens = Value::Null;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let answer = call(workbench, "PromptAssemble", json!({ "message": message })).await;
        times.push(begin.elapsed());
        tokens = answer["bill"]["total"].clone();
    }
    Row { time: median(times), tokens }
}
