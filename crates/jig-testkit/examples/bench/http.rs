//! Reading an entry over HTTP: the throughput of one core, and latencies at half of that load.

mod load;
mod place;
mod postgres;
pub(crate) mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::figures::milliseconds;
use load::{Request, Times};
use server::Server;

/// The minimum number of reads per second, and the maximum latency of the 99th percentile.
const READS: f64 = 5_000.0;
const P99: Duration = Duration::from_millis(20);

/// The numbers of unrelated entries.
const UNRELATED: [usize; 2] = [0, 10_000];

/// Tools that are not part of Jig.
pub(crate) struct Tools {
    /// The load tool.
    pub(crate) wrk: PathBuf,
    /// The folder with the programs of a PostgreSQL server.
    pub(crate) postgres: PathBuf,
}

/// Prints the table.
pub(crate) async fn measure(tools: &Tools) {
    println!("\n## Reads of an entry over HTTP\n");
    println!(
        "`jig serve` with its own settings on one core, everything else (load tool, PostgreSQL) on the others. Two"
    );
    println!(
        "fields of one entry, in a workbench with 4 foundation entries and 3 competitors, and with 10,000 more. Full"
    );
    println!(
        "load is `wrk` with {} connections, median of {} rounds of {} s. Half load is our own client, which",
        load::CONNECTIONS,
        load::ROUNDS,
        load::SECONDS
    );
    println!("sends at a fixed rate, because `wrk` cannot; each time starts when a call was due.\n");
    println!("| database and call | | alone | with 10,000 others | growth | target |");
    println!("|---|---|---:|---:|---|---|");
    let pinned = place::Pinned::new();
    for database in ["SQLite", "PostgreSQL"] {
        let mut columns = Vec::new();
        for unrelated in UNRELATED {
            columns.push(column(tools, database, unrelated, &pinned).await);
        }
        print_rows(database, &columns);
    }
}

/// The results of each form of the call, in one workbench.
async fn column(tools: &Tools, database: &str, unrelated: usize, pinned: &place::Pinned) -> Vec<Figures> {
    let home = tempfile::tempdir().expect("a folder");
    let postgres = (database == "PostgreSQL").then(|| postgres::Postgres::start(&tools.postgres));
    let url = postgres.as_ref().map(|postgres| postgres.url.clone());
    crate::entries::fill(home.path(), url.clone(), unrelated).await;
    let server = Server::start(home.path(), url.as_deref(), pinned);
    Request::ALL.iter().map(|request| figures(&tools.wrk, &server.address, request)).collect()
}

struct Figures {
    reads: f64,
    half: Times,
}

fn figures(wrk: &Path, address: &str, request: &Request) -> Figures {
    let reads = load::full(wrk, address, request);
    Figures { reads, half: load::paced(address, request, reads / 2.0) }
}

fn print_rows(database: &str, columns: &[Vec<Figures>]) {
    for (at, request) in Request::ALL.iter().enumerate() {
        let (alone, beside) = (&columns[0][at], &columns[1][at]);
        let growth = |a: f64, b: f64| format!("{:.2}×", b / a);
        let name = format!("{database}, {}", request.words);
        let (few, many) = (alone.reads, beside.reads);
        let target = verdict("≥ 5,000", few.min(many) >= READS);
        println!("| {name} | reads/s | {few:.0} | {many:.0} | {} | {target} |", growth(few, many));
        for (words, pick) in [("p50", Times::p50 as fn(&Times) -> Duration), ("p99", Times::p99)] {
            let (few, many) = (pick(&alone.half), pick(&beside.half));
            let target = if words == "p99" { verdict("< 20 ms", few.max(many) < P99) } else { String::new() };
            let growth = growth(few.as_secs_f64(), many.as_secs_f64());
            let (few, many) = (milliseconds(few), milliseconds(many));
            println!("| | {words} at half load, ms | {few} | {many} | {growth} | {target} |");
        }
        let (few, many) = (milliseconds(alone.half.late()), milliseconds(beside.half.late()));
        println!("| | delay of the client itself, p99, ms | {few} | {many} | | |");
    }
}

fn verdict(target: &str, met: bool) -> String {
    format!("{target}: {}", if met { "met" } else { "**missed**" })
}
