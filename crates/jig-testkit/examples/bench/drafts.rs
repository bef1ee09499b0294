//! The cost of Drafts and publishing, and how it grows with the files.

use std::time::Duration;

use serde_json::json;

use crate::bench::{Hand, call, filled};
use crate::figures::{median, milliseconds, timed};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const ROUNDS: usize = 15;
const CHANGED: usize = 10;

/// Prints the tables.
pub(crate) async fn measure() {
    numbers().await;
    sizes().await;
    changes().await;
}

/// With an increasing number of files.
async fn numbers() {
    println!("## Draft and publish, by the number of files\n");
    println!(
        "Files of 2 KiB in folders of 100. Medians of {ROUNDS} rounds in milliseconds, durable (fsync) each time."
    );
    println!(
        "“Store alone” is the operation without a folder of plain files (`view = \"off\"`, as on a server). “With"
    );
    println!("folder” also imports manual edits and updates `published/` and `draft/`, in a long-running process");
    println!("(`jig mcp`, `jig rpc`) that is notified of changes. “Each command by itself” checks every file");
    println!("once, as a newly started command must; its start-up time is not included.\n");
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
        row(&format!("check one file, {place}"), &columns, |c| c.list);
    }
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

/// With files of increasing size.
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

/// With the same files and an increasing number of changes.
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

fn row(name: &str, columns: &[Costs], pick: impl Fn(&Costs) -> Duration) {
    let times: Vec<Duration> = columns.iter().map(pick).collect();
    let growth = times[times.len() - 1].as_secs_f64() / times[0].as_secs_f64();
    let cells: Vec<String> = times.iter().map(|t| milliseconds(*t)).collect();
    println!("| {name} | {} | {growth:.1}× |", cells.join(" | "));
}
