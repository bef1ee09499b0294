//! What putting a prompt together costs, and whether entries that no call needs cost anything.

use std::time::{Duration, Instant};

use jig_prompt::sample::{add_unrelated, sample};
use jig_prompt::{Cached, O200k, assemble};
use serde_json::{Value, json};

use crate::bench::{Hand, call, filled};
use crate::figures::{median, milliseconds, timed};

const FILES: usize = 10;
const ITEMS: usize = 4;
const ENTRIES: usize = 20;
const UNRELATED: [usize; 4] = [0, 100, 1_000, 10_000];
const ROUNDS: usize = 201;

/// Prints the tables.
pub(crate) async fn measure() {
    println!("\n## A prompt and its bill\n");
    println!("{FILES} files, {ITEMS} context items, {ENTRIES} entries that the call needs, and more and more that it");
    println!("does not need. Every token is counted exactly. Medians of {ROUNDS} rounds in milliseconds, warm.\n");
    println!("| work | {} | growth |", UNRELATED.map(|n| format!("{n} unrelated")).join(" | "));
    println!("|---|{}---|", "---:|".repeat(UNRELATED.len()));
    let times = UNRELATED.map(assembled);
    let growth = times[UNRELATED.len() - 1].as_secs_f64() / times[0].as_secs_f64();
    println!("| assembly | {} | {growth:.1}× |", times.map(milliseconds).join(" | "));
    operation().await;
}

/// The assembly alone, from what a workbench keeps at hand.
fn assembled(unrelated: usize) -> Duration {
    let mut input = sample(FILES, ITEMS, ENTRIES);
    add_unrelated(&mut input, unrelated);
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

/// The whole operation on a real workbench: state, maps by content, items, styles, assembly.
async fn operation() {
    let home = tempfile::tempdir().expect("a folder");
    let workbench = filled(home.path(), FILES, 2_048, Hand::Watched).await;
    for category in ["company-context", "department-context", "situation", "document-style"] {
        let text = "Acme sells ropes to climbers.\n- Use short sentences.\n- Deadline: Friday\n".repeat(10);
        let input = json!({ "mode": "text", "text": text });
        call(&workbench, "ContextProcess", json!({ "category": category, "input": input, "model": "offline:extract" }))
            .await;
    }
    let params = || json!({ "message": "Compare this quarter's costs with the plan." });
    let first = timed(call(&workbench, "PromptAssemble", params())).await;
    let mut times = Vec::new();
    let mut tokens = Value::Null;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let answer = call(&workbench, "PromptAssemble", params()).await;
        times.push(begin.elapsed());
        tokens = answer["bill"]["total"].clone();
    }
    println!(
        "\nThe operation `PromptAssemble` on a workbench with {FILES} text files and {ITEMS} items ({tokens} tokens), with a \
         look at the folder and its answer as JSON: {} ms the first time, {} ms after that.",
        milliseconds(first),
        milliseconds(median(times))
    );
}
