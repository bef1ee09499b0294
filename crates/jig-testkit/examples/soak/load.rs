//! Puts mixed load on a server and monitors its resources: memory, file descriptors, connections, threads and
//! processes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Options;
use crate::client::Client;
use crate::server::{self, Server};

const BETWEEN_SAMPLES: Duration = Duration::from_secs(2);
/// The pause of a client that was rate limited.
const TOO_FAST: Duration = Duration::from_millis(50);

/// The repeated work of a client, with the number of the iteration.
type Work = fn(&mut Client, u64, &Tally);

/// Reads, edits, queries, publishing, abandoned requests, and event streams, in parallel.
const CLIENTS: [(&str, Work); 13] = [
    ("read an entry", read_entry),
    ("write an entry", write_entry),
    ("write an entry", write_entry),
    ("edit a workbook", edit_workbook),
    ("map and read a workbook", read_workbook),
    ("query a table", query),
    ("publish or discard", publish_or_discard),
    ("leave before the answer", leave),
    ("write slowly, with the workbench locked", write_slowly),
    ("leave while the workbench is locked", leave_a_queue),
    ("download a file", download),
    ("follow events and leave", follow),
    ("refused requests", refused),
];

pub(crate) fn run(options: &Options) -> bool {
    let folder = options.folder.join("load");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder");
    let home = folder.join("home");
    let token = server::owner_token(&options.program, &home);
    let server = Server::start(&options.program, &home, &token);
    fill(&mut server.client());
    let tally = Tally::default();
    let end = AtomicBool::new(false);
    let samples = std::thread::scope(|scope| {
        for (at, (name, work)) in CLIENTS.iter().enumerate() {
            let (mut client, tally, end) = (server.client(), &tally, &end);
            scope.spawn(move || {
                let mut turn = at as u64;
                while !end.load(Ordering::Relaxed) {
                    work(&mut client, turn, tally);
                    tally.turn(name);
                    turn += CLIENTS.len() as u64;
                }
            });
        }
        let samples = watch(server.id(), options.time);
        end.store(true, Ordering::Relaxed);
        samples
    });
    let ready = server.client().request("GET", "/readyz", "").map(|answer| answer.status);
    server.kill();
    let log = fs::read_to_string(folder.join("serve.log")).unwrap_or_default();
    report(&tally, &samples, ready.ok(), log.matches("panicked").count())
}

fn fill(client: &mut Client) {
    let must = |client: &mut Client, operation: &str, params: &Value| {
        let answer = client.call(operation, params).unwrap_or_else(|error| panic!("{operation}: {error}"));
        assert_eq!(answer.status, 200, "{operation}: {}", answer.json());
    };
    must(client, "WorkbenchCreate", &json!({ "name": "Load", "id": "load" }));
    let rows: String = (0..2_000).map(|row| format!("{row},region {},{}\n", row % 7, row * 3)).collect();
    let csv = json!({ "workbench_id": "load", "path": "sales.csv", "text": format!("id,region,amount\n{rows}") });
    must(client, "DraftWriteText", &csv);
    let rows: Vec<Value> = (0..200).map(|row| json!([row, row * 2, format!("=A{0}+B{0}", row + 1)])).collect();
    let range = json!({ "op": "set_range", "sheet": "Data", "start": "A1", "values": rows });
    let sheet = json!({ "op": "ensure_sheet", "sheet": "Data" });
    let book = json!({ "workbench_id": "load", "path": "book.xlsx", "create_new": true, "ops": [sheet, range] });
    must(client, "XlsxApplyOps", &book);
    must(client, "DraftPublish", &json!({ "workbench_id": "load" }));
    must(client, "EntryPut", &entry(0));
}

fn entry(turn: u64) -> Value {
    let data = json!({ "name": format!("Acme {turn}") });
    json!({ "workbench_id": "load", "role": "competitor", "entry_key": format!("c{}", turn % 20), "data": data })
}

fn read_entry(client: &mut Client, _: u64, tally: &Tally) {
    tally.call(client, "EntryGet", &json!({ "workbench_id": "load", "role": "competitor", "entry_key": "c0" }));
    tally.call(client, "EntryList", &json!({ "workbench_id": "load" }));
}

fn write_entry(client: &mut Client, turn: u64, tally: &Tally) {
    tally.call(client, "EntryPut", &entry(turn));
}

fn edit_workbook(client: &mut Client, turn: u64, tally: &Tally) {
    let cell = json!({ "cell": format!("A{}", turn % 200 + 1), "value": turn });
    let op = json!({ "op": "set_cells", "sheet": "Data", "cells": [cell] });
    tally.call(client, "XlsxApplyOps", &json!({ "workbench_id": "load", "path": "book.xlsx", "ops": [op] }));
}

fn read_workbook(client: &mut Client, _: u64, tally: &Tally) {
    tally.call(client, "FileGetMap", &json!({ "workbench_id": "load", "path": "book.xlsx" }));
    let range = json!({ "workbench_id": "load", "path": "book.xlsx", "sheet": "Data", "range": "A1:C50" });
    tally.call(client, "XlsxReadRange", &range);
}

fn query(client: &mut Client, turn: u64, tally: &Tally) {
    let sql = format!("SELECT region, sum(amount) FROM data WHERE id % 5 <> {} GROUP BY region", turn % 5);
    tally.call(client, "TabularQuery", &json!({ "workbench_id": "load", "path": "sales.csv", "query": sql }));
}

fn publish_or_discard(client: &mut Client, turn: u64, tally: &Tally) {
    let text = format!("{turn}\n");
    tally.call(client, "DraftWriteText", &json!({ "workbench_id": "load", "path": "notes.txt", "text": text }));
    let end = if turn.is_multiple_of(3) { "DraftDiscard" } else { "DraftPublish" };
    tally.call(client, end, &json!({ "workbench_id": "load" }));
    std::thread::sleep(Duration::from_millis(200));
}

fn leave(client: &mut Client, turn: u64, tally: &Tally) {
    let sql = "SELECT count(*) FROM data a, data b WHERE a.amount < b.amount";
    let params = json!({ "workbench_id": "load", "path": "sales.csv", "query": sql });
    let left = client.abandon("TabularQuery", &params, Duration::from_millis(turn % 80));
    tally.count(if left.is_ok() { "left" } else { "not connected" });
}

/// Locks the workbench for the duration of the query. Reads must continue, and nothing may pile up.
fn write_slowly(client: &mut Client, turn: u64, tally: &Tally) {
    let sql = "SELECT a.region, count(*) AS n FROM data a, data b WHERE a.amount < b.amount GROUP BY a.region";
    let target = format!("export-{}.csv", turn % 2);
    let params = json!({ "workbench_id": "load", "path": "sales.csv", "query": sql, "target_path": target });
    tally.call(client, "TabularExport", &params);
    std::thread::sleep(Duration::from_secs(2));
}

fn leave_a_queue(client: &mut Client, turn: u64, tally: &Tally) {
    let file = json!({ "workbench_id": "load", "path": "notes.txt" });
    let left = match turn % 3 {
        0 => client.abandon("FileList", &json!({ "workbench_id": "load" }), Duration::from_millis(turn % 50)),
        1 => client.abandon("FileRead", &file, Duration::from_millis(turn % 50)),
        _ => client.abandon("JournalList", &json!({ "workbench_id": "load" }), Duration::from_millis(turn % 50)),
    };
    tally.count(if left.is_ok() { "left" } else { "not connected" });
}

fn download(client: &mut Client, _: u64, tally: &Tally) {
    match client.request("GET", "/api/workbenches/load/files/sales.csv?root=published", "") {
        Ok(answer) if answer.status == 200 || answer.status == 503 => tally.count("download"),
        Ok(answer) => tally.fault(format!("download: {} {}", answer.status, answer.json())),
        Err(error) => tally.fault(format!("download: {error}")),
    }
    std::thread::sleep(Duration::from_millis(50));
}

fn follow(client: &mut Client, turn: u64, tally: &Tally) {
    let left = client.follow("/api/workbenches/load/events", Duration::from_millis(turn % 300));
    tally.count(if left.is_ok() { "left" } else { "not connected" });
}

fn refused(client: &mut Client, turn: u64, tally: &Tally) {
    let (operation, params) = match turn % 3 {
        0 => ("EntryGet", json!({ "workbench_id": "none", "role": "competitor" })),
        1 => ("XlsxReadRange", json!({ "workbench_id": "load", "path": "sales.csv", "range": "A1" })),
        _ => ("NoSuchOperation", json!({ "x": [1, 2, 3] })),
    };
    tally.call(client, operation, &params);
    std::thread::sleep(Duration::from_millis(20));
}

/// Responses by status, and iterations by client.
#[derive(Default)]
struct Tally {
    answers: Mutex<BTreeMap<String, u64>>,
    turns: Mutex<BTreeMap<&'static str, u64>>,
    faults: Mutex<Vec<String>>,
}

impl Tally {
    fn call(&self, client: &mut Client, operation: &str, params: &Value) {
        match client.call(operation, params) {
            Ok(answer) => {
                self.count(&answer.status.to_string());
                if matches!(answer.status, 429 | 503) {
                    std::thread::sleep(TOO_FAST);
                }
                // A full queue is a correct response; every other server error is a failure.
                if answer.status >= 500 && answer.status != 503 {
                    self.fault(format!("{operation}: {} {}", answer.status, answer.json()));
                }
            }
            Err(error) => self.fault(format!("{operation}: {error}")),
        }
    }

    fn count(&self, name: &str) {
        if let Ok(mut answers) = self.answers.lock() {
            *answers.entry(name.to_owned()).or_default() += 1;
        }
    }

    fn turn(&self, name: &'static str) {
        if let Ok(mut turns) = self.turns.lock() {
            *turns.entry(name).or_default() += 1;
        }
    }

    fn fault(&self, text: String) {
        self.count("fault");
        if let Ok(mut faults) = self.faults.lock()
            && faults.len() < 20
        {
            faults.push(text);
        }
    }
}

/// The resources of a server at one time.
struct Sample {
    memory_kib: u64,
    descriptors: u64,
    sockets: u64,
    threads: u64,
    processes: u64,
    processes_memory_kib: u64,
}

/// A value of a sample, and its permitted growth: caches fill and pools fluctuate.
type Measure = (&'static str, fn(&Sample) -> u64, u64);

const MEASURES: [Measure; 6] = [
    ("memory, KiB", |sample| sample.memory_kib, 48 * 1024),
    ("descriptors", |sample| sample.descriptors, 24),
    ("connections", |sample| sample.sockets, 16),
    ("threads", |sample| sample.threads, 16),
    ("worker processes", |sample| sample.processes, 4),
    ("workers' memory, KiB", |sample| sample.processes_memory_kib, 160 * 1024),
];

fn watch(id: u32, time: Duration) -> Vec<Sample> {
    let start = Instant::now();
    let mut samples = Vec::new();
    while start.elapsed() < time {
        std::thread::sleep(BETWEEN_SAMPLES.min(time));
        samples.push(sample(id));
    }
    samples
}

fn sample(id: u32) -> Sample {
    let descriptors: Vec<_> = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten().collect();
    let is_socket = |target: &std::path::Path| target.to_string_lossy().starts_with("socket:");
    let sockets = descriptors.iter().filter(|entry| fs::read_link(entry.path()).is_ok_and(|target| is_socket(&target)));
    let children = server::children(id);
    Sample {
        memory_kib: status(id, "VmRSS:"),
        descriptors: descriptors.len() as u64,
        sockets: sockets.count() as u64,
        threads: status(id, "Threads:"),
        processes: children.len() as u64,
        processes_memory_kib: children.iter().map(|child| status(*child, "VmRSS:")).sum(),
    }
}

/// A number in `/proc/<id>/status`.
fn status(id: u32, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn report(tally: &Tally, samples: &[Sample], ready: Option<u16>, panics: usize) -> bool {
    let mut is_clean = panics == 0 && ready == Some(200);
    println!("server: ready {ready:?}, {panics} panics");
    if let (Ok(turns), Ok(answers), Ok(faults)) = (tally.turns.lock(), tally.answers.lock(), tally.faults.lock()) {
        println!("turns: {turns:?}\nanswers: {answers:?}");
        is_clean &= faults.is_empty();
        faults.iter().for_each(|fault| println!("FAULT: {fault}"));
    }
    // The first quarter fills caches. A leak shows between the second and the last.
    let quarter = samples.len() / 4;
    for (name, figure, allowance) in MEASURES {
        let median = |part: &[Sample]| {
            let mut figures: Vec<u64> = part.iter().map(figure).collect();
            figures.sort_unstable();
            figures.get(figures.len() / 2).copied().unwrap_or(0)
        };
        let second = median(samples.get(quarter..2 * quarter).unwrap_or_default());
        let last = median(samples.get(3 * quarter..).unwrap_or_default());
        let is_flat = last <= second + (second / 10).max(allowance);
        println!("{name}: {second} in the second quarter, {last} in the last{}", if is_flat { "" } else { ": GROWS" });
        is_clean &= is_flat;
    }
    is_clean
}
