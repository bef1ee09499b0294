//! The cost of a separate process compared with the same one.

use std::path::Path;
use std::time::Duration;

use jig_contract::{Actor, Env};
use jig_workbench::{CallContext, Config, Isolation, Workbench};
use serde_json::{Value, json};

use crate::bench::program;
use crate::figures::{median, milliseconds, timed};

const ROUNDS: usize = 41;
const FILES: [&str; 3] = ["sheet-1.xlsx", "report-1.docx", "deck-1.pptx"];

/// Prints the table.
pub(crate) async fn measure(files: &Path) {
    println!("\n## Overhead of a worker process\n");
    println!("The same operation by `isolation = \"worker\"` (a separate, confined process) and `\"in-process\"`,");
    println!("both through the workbench, with its checks and a watched folder. The file has been read before, so");
    println!(
        "that the difference is the communication between processes. Medians of {ROUNDS} alternating rounds in milliseconds;"
    );
    println!("the target is a difference of less than 2 ms.\n");
    println!("| operation | in process | worker | difference |\n|---|---:|---:|---:|");
    let (here, apart) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let isolation = Isolation { cpu_seconds: 120, seconds: 120, ..Isolation::new(program()) };
    let here = open(here.path(), None, files).await;
    let apart = open(apart.path(), Some(isolation), files).await;
    for (name, path, params) in reads() {
        let params = with_path(&params, path);
        row(&format!("{name}, `{path}`"), name, &here, &apart, |_| params.clone()).await;
    }
    for (name, path, ops) in edits() {
        let one = |round: usize| json!({ "path": path, "ops": [ops(round)] });
        row(&format!("{name}, `{path}`, written to the Draft"), name, &here, &apart, one).await;
    }
}

fn with_path(params: &Value, path: &str) -> Value {
    let mut params = params.clone();
    params["path"] = path.into();
    params
}

fn reads() -> [(&'static str, &'static str, Value); 5] {
    [
        ("XlsxGetMap", FILES[0], json!({})),
        ("XlsxReadRange", FILES[0], json!({ "sheet": "Data", "range": "A6000:T6049" })),
        ("DocxGetMap", FILES[1], json!({})),
        ("DocxExtractText", FILES[1], json!({})),
        ("PptxExtractText", FILES[2], json!({})),
    ]
}

type Op = fn(usize) -> Value;

fn edits() -> [(&'static str, &'static str, Op); 3] {
    [
        (
            "XlsxApplyOps",
            FILES[0],
            |round| json!({ "op": "set_cells", "sheet": "Data", "cells": [{ "cell": "E9", "value": round, "type": "number" }] }),
        ),
        ("DocxApplyOps", FILES[1], |round| json!({ "op": "append_paragraph", "text": format!("Round {round}") })),
        (
            "PptxApplyOps",
            FILES[2],
            |round| json!({ "op": "set_slide_text", "slide_index": 1, "title": format!("Round {round}") }),
        ),
    ]
}

async fn row(words: &str, name: &str, here: &Workbench, apart: &Workbench, params: impl Fn(usize) -> Value) {
    let (mut at_home, mut away) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let times = (timed(call(here, name, params(round))).await, timed(call(apart, name, params(round))).await);
        // The first call starts the worker and reads the file.
        if round > 0 {
            at_home.push(times.0);
            away.push(times.1);
        }
    }
    let (at_home, away) = (median(at_home), median(away));
    let between = signed(away, at_home);
    println!("| {words} | {} | {} | {between} |", milliseconds(at_home), milliseconds(away));
}

fn signed(more: Duration, less: Duration) -> String {
    format!("{:+.2}", (more.as_secs_f64() - less.as_secs_f64()) * 1_000.0)
}

async fn open(home: &Path, isolation: Option<Isolation>, files: &Path) -> Workbench {
    let mut config = Config::new(home);
    config.isolation = isolation;
    let workbench = Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    let params = json!({ "name": "Bench", "id": "bench" });
    workbench
        .call("WorkbenchCreate", CallContext::new(Actor::person()), params)
        .await
        .unwrap_or_else(|e| panic!("{e}"));
    let paths: Vec<_> = FILES.iter().map(|name| files.join(name)).collect();
    call(&workbench, "FileAdd", json!({ "paths": paths })).await;
    call(&workbench, "DraftCreate", json!({})).await;
    workbench
}

async fn call(workbench: &Workbench, name: &str, params: Value) -> Value {
    crate::bench::call(workbench, name, params).await
}
