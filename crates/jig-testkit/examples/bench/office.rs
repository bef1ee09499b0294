//! Operations on Office files with `jig worker`, compared with other tools on the same files.

pub(crate) mod jig;
pub(crate) mod peers;
pub(crate) mod table;

use std::path::Path;

use serde_json::{Value, json};

use crate::figures::milliseconds;

pub(crate) use jig::{Jig, Measured};
pub(crate) use peers::Peers;
pub(crate) use table::{Target, head, print_row};

/// The rounds of Jig and calamine; Python gets fewer, as most of its rounds take seconds.
const ROUNDS: usize = 9;
const PEER_ROUNDS: usize = 3;
/// The rounds for documents and presentations, which take milliseconds.
const SHORT_ROUNDS: usize = 31;
const SHORT_PEER_ROUNDS: usize = 9;

/// A measurement: a method, its parameters for a size, and the file name without the size.
struct Work {
    words: &'static str,
    file: &'static str,
    ending: &'static str,
    method: &'static str,
    params: fn(size: usize) -> Value,
}

const MAP: Work =
    Work { words: "xlsx map, 100k × 20", file: "sheet", ending: "xlsx", method: "XlsxGetMap", params: |_| json!({}) };
const SET: Work = Work {
    words: "xlsx set 10 cells and save, 100k × 20",
    file: "sheet",
    ending: "xlsx",
    method: "XlsxApplyOps",
    params: ten_cells,
};
const FIND: Work = Work {
    words: "xlsx find a text, 200k × 10",
    file: "long",
    ending: "xlsx",
    method: "XlsxFind",
    params: |size| json!({ "query": format!("{}", 12_500 * size - 2) }),
};
const DOCUMENT: [(Work, &str); 3] = [
    (document("docx map, 300 pages", "DocxGetMap", |_| json!({})), "docx-map"),
    (document("docx text, 300 pages", "DocxExtractText", |_| json!({})), "docx-text"),
    (document("docx replace_text and save, 300 pages", "DocxApplyOps", replaced), "docx-replace"),
];
const DECK: [(Work, &str); 3] = [
    (deck("pptx map, 100 slides", "PptxGetMap", |_| json!({})), "pptx-map"),
    (deck("pptx text, 100 slides", "PptxExtractText", |_| json!({})), "pptx-text"),
    (deck("pptx add_slide and save, 100 slides", "PptxApplyOps", added), "pptx-add"),
];

const fn document(words: &'static str, method: &'static str, params: fn(usize) -> Value) -> Work {
    Work { words, file: "report", ending: "docx", method, params }
}

const fn deck(words: &'static str, method: &'static str, params: fn(usize) -> Value) -> Work {
    Work { words, file: "deck", ending: "pptx", method, params }
}

fn ten_cells(size: usize) -> Value {
    let first = 3_125 * size;
    let cell = |row| json!({ "cell": format!("E{row}"), "value": row, "type": "number" });
    let cells: Vec<Value> = (first..first + 10).map(cell).collect();
    json!({ "ops": [{ "op": "set_cells", "sheet": "Data", "cells": cells }] })
}

fn replaced(_: usize) -> Value {
    json!({ "ops": [{ "op": "replace_text", "search": "forecast", "replace": "outlook", "match_case": true }] })
}

fn added(_: usize) -> Value {
    json!({ "ops": [{ "op": "add_slide", "layout": "title_and_content", "title": "Outlook", "body": "Growth" }] })
}

/// Windows of 50 rows of the long sheet: at the end, in the middle, at the start.
fn windows(size: usize) -> [Value; 3] {
    let rows = 12_500 * size;
    [rows, rows / 2, 50].map(|last| json!({ "sheet": "Data", "range": format!("A{}:J{last}", last - 49) }))
}

/// Prints the tables.
pub(crate) fn measure(peers: &Peers, files: &Path) {
    let jig = Jig::new(files);
    beside_peers(&jig, peers, files);
    growth(&jig);
    start(&jig);
}

fn beside_peers(jig: &Jig, peers: &Peers, files: &Path) {
    println!("\n## Office files, compared with other tools\n");
    println!(
        "Milliseconds, medians of {ROUNDS} rounds of Jig and calamine and {PEER_ROUNDS} of the others for xlsx, of"
    );
    println!(
        "{SHORT_ROUNDS} and {SHORT_PEER_ROUNDS} for docx and pptx, on the same files, made by XlsxWriter, python-docx and"
    );
    println!(
        "python-pptx. Jig is `jig worker`, a separate process called over a pipe and restarted for each round, so"
    );
    println!("that nothing about the file is cached. For docx and pptx it has processed another file before, because");
    println!("those tools are called repeatedly in one process. The time is measured");
    println!("from the request to the complete answer: reading the file, the work, writing the edited file, the JSON");
    println!(
        "and the pipe. excel-mcp-server is called over its pipe in the same way, with a new server and a copy of the"
    );
    println!("file each round. openpyxl, python-docx and python-pptx are called in a Python process with all imports");
    println!("done, from the path to the last value or the saved file, without a pipe; so is calamine, in a separate");
    println!("program, from the path to the sheet's values. Memory is the peak of the entire process (MiB).\n");
    head();
    let map = at_size(jig, &MAP, 16);
    let sheet = files.join("sheet-16.xlsx");
    let by_python = |work: &str, file: &Path| peers.python(work, file, PEER_ROUNDS);
    print_row(MAP.words, &map, "openpyxl, read-only", &by_python("openpyxl-map", &sheet), Target::Times(20.0));
    print_row(MAP.words, &map, "calamine", &peers.calamine(&sheet, ROUNDS), Target::Within(1.5));
    print_row(MAP.words, &map, "excel-mcp-server, describe", &by_python("excel-mcp-map", &sheet), Target::None);
    let set = at_size(jig, &SET, 16);
    print_row(SET.words, &set, "openpyxl, load and save", &by_python("openpyxl-edit", &sheet), Target::Times(50.0));
    print_row(SET.words, &set, "excel-mcp-server", &by_python("excel-mcp-edit", &sheet), Target::Times(8.0));
    let long = files.join("long-16.xlsx");
    let words = "xlsx any 50 rows, 200k × 10, after first touch";
    let window = jig.warm("long-16.xlsx", "XlsxReadRange", &windows(16), ROUNDS);
    print_row(
        words,
        &window,
        "excel-mcp-server, last 50 rows",
        &by_python("excel-mcp-tail", &long),
        Target::Times(100.0),
    );
    let find = at_size(jig, &FIND, 16);
    print_row(FIND.words, &find, "excel-mcp-server", &by_python("excel-mcp-find", &long), Target::Times(20.0));
    let short = |work: &str, file: &str| peers.python(work, &files.join(file), SHORT_PEER_ROUNDS);
    for (work, peer) in &DOCUMENT {
        let times = short(peer, "report-16.docx");
        print_row(work.words, &at_size(jig, work, 16), "python-docx", &times, Target::Times(20.0));
    }
    for (work, peer) in &DECK {
        let times = short(peer, "deck-16.pptx");
        print_row(work.words, &at_size(jig, work, 16), "python-pptx", &times, Target::Times(15.0));
    }
    let held = map.memory_kib.max(set.memory_kib) / 1_024;
    println!("\nMemory for the 100k-row map and edit: {held} MiB; the target is less than 150 MB.");
}

fn at_size(jig: &Jig, work: &Work, size: usize) -> Measured {
    let file = |size: usize| format!("{}-{size}.{}", work.file, work.ending);
    let params = (work.params)(size);
    if work.ending == "xlsx" {
        return jig.cold(&file(size), work.method, &params, ROUNDS);
    }
    let other = if size == 1 { 4 } else { 1 };
    let before = (file(other), (work.params)(other));
    jig.after(Some((&before.0, &before.1)), &file(size), work.method, &params, SHORT_ROUNDS)
}

fn growth(jig: &Jig) {
    println!("\n## Office files, by size\n");
    println!("The same at one sixteenth, one quarter and all of the size, in milliseconds.\n");
    println!("| work | 1× | 4× | 16× | growth |\n|---|---:|---:|---:|---:|");
    let documents = DOCUMENT.iter().chain(&DECK).map(|(work, _)| work);
    for work in [&MAP, &SET, &FIND].into_iter().chain(documents) {
        growth_row(work.words, &[1, 4, 16].map(|size| at_size(jig, work, size)));
    }
    let first = |size| jig.cold(&format!("long-{size}.xlsx"), "XlsxReadRange", &windows(size)[0], ROUNDS);
    growth_row("xlsx 50 rows at the end, first touch", &[1, 4, 16].map(first));
    let next = |size| jig.warm(&format!("long-{size}.xlsx"), "XlsxReadRange", &windows(size), ROUNDS);
    growth_row("xlsx any 50 rows, after first touch", &[1, 4, 16].map(next));
}

pub(crate) fn growth_row(words: &str, measured: &[Measured; 3]) {
    let times = measured.each_ref().map(Measured::median);
    let growth = times[2].as_secs_f64() / times[0].as_secs_f64();
    println!("| {words} | {} | {growth:.1}× |", times.map(milliseconds).join(" | "));
}

/// The additional cost of starting the worker's process.
fn start(jig: &Jig) {
    println!("\nStarting a `jig worker`, answering its first request and exiting takes");
    println!("{} ms (median of 30).", milliseconds(jig.whole(30).median()));
}
