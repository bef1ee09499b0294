//! SQL over large csv files by `jig worker`, beside DuckDB itself of the same version.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::office::jig::{Jig, Measured};
use crate::office::peers::run;
use crate::office::table::{Target, head, print_row};
use crate::office::{Peers, growth_row};

/// Rounds of a first query beside DuckDB's, of what else reads the whole file, and of what only asks a table.
const TURNS: usize = 7;
const COLD_ROUNDS: usize = 3;
const WARM_ROUNDS: usize = 21;

const GROUP: &str = "SELECT kind, count(*), sum(amount), avg(quantity) FROM data GROUP BY kind ORDER BY kind";
const WARM: [(&str, &str); 4] = [
    ("group by", GROUP),
    ("filter and top 10", "SELECT id, amount FROM data WHERE city = 'Oslo' AND paid ORDER BY amount DESC, id LIMIT 10"),
    ("by month", "SELECT date_trunc('month', day) AS m, sum(amount) FROM data GROUP BY 1 ORDER BY 1 LIMIT 12"),
    ("text search", "SELECT count(*) FROM data WHERE note LIKE '%invoice%'"),
];

/// Prints the tables.
pub(crate) fn measure(peers: &Peers, files: &Path) {
    let jig = Jig::new(files);
    let size = std::fs::metadata(files.join("rows-16.csv")).expect("the file").len() as f64 / 1e6;
    println!("\n## Tables, beside DuckDB\n");
    println!(
        "Milliseconds on a csv file of {size:.0} MB with 9 columns. Jig is `jig worker` as above; its first query"
    );
    println!(
        "tells encoding, marks and types, and reads the columns it needs where they lie; the second one converts the"
    );
    println!(
        "file. DuckDB is the Python package of the version that Jig carries, with its defaults: once asking the file"
    );
    println!(
        "where it lies, once making a table in a database file first, its amounts as decimals as Jig has them. Warm is"
    );
    println!(
        "a query on the table that is there already, of Jig with the JSON and the pipe. Medians of {TURNS} rounds of \
         the first\nquery, taken in turns with DuckDB's on the csv, each in a new process; of {COLD_ROUNDS} with a table \
         first, and of {WARM_ROUNDS} warm.\n"
    );
    head();
    let duckdb = DuckDb { python: &peers.python, script: peers.script.with_file_name("peer_duckdb.py"), files };
    let (first, on_the_csv) = first_queries(&jig, &duckdb);
    let words = "csv first query";
    print_row(words, &first, "DuckDB, on the csv", &on_the_csv, Target::Times(1.0));
    let convert = duckdb.run("convert", GROUP, COLD_ROUNDS);
    print_row(words, &first, "DuckDB, table first", &convert, Target::Times(1.0));
    print_row(
        "csv second query, which converts",
        &second_query(&jig),
        "DuckDB, table first",
        &convert,
        Target::Times(0.9),
    );
    let mut held = first.memory_kib;
    for (words, query) in WARM {
        let warm = jig.warm("rows-16.csv", "TabularQuery", &[asked(query)], WARM_ROUNDS);
        held = held.max(warm.memory_kib);
        let words = format!("csv warm query, {words}");
        print_row(&words, &warm, "DuckDB, its table", &duckdb.run("warm", query, WARM_ROUNDS), Target::Times(0.9));
    }
    println!("\nMemory for the queries: {} MiB; the target is less than 1 GB.", held / 1_024);
    growth(&jig);
}

fn growth(jig: &Jig) {
    println!("\n## Tables, by size\n");
    println!("The same at a sixteenth, a quarter and the whole of the size, in milliseconds.\n");
    println!("| work | 1× | 4× | 16× | growth |\n|---|---:|---:|---:|---:|");
    let first = |size| together((0..COLD_ROUNDS).map(|_| first_query(jig, size)));
    growth_row("csv first query", &[1, 4, 16].map(first));
    let group = |size: usize| jig.warm(&format!("rows-{size}.csv"), "TabularQuery", &[asked(GROUP)], WARM_ROUNDS);
    growth_row("csv warm query, group by", &[1, 4, 16].map(group));
    let rows = |size: usize| {
        let params = json!({ "row_start": 30_000 * size, "row_count": 100 });
        jig.warm(&format!("rows-{size}.csv"), "TabularReadRows", &[params], WARM_ROUNDS)
    };
    growth_row("csv 100 rows in the middle", &[1, 4, 16].map(rows));
}

fn asked(query: &str) -> Value {
    json!({ "query": query })
}

/// In turns, because the pace of a machine changes within the seconds that each takes.
fn first_queries(jig: &Jig, duckdb: &DuckDb<'_>) -> (Measured, Measured) {
    let rounds = (0..TURNS).map(|_| (first_query(jig, 16), duckdb.run("cold", GROUP, 1)));
    let (ours, theirs): (Vec<_>, Vec<_>) = rounds.unzip();
    (together(ours), together(theirs))
}

/// What is kept of earlier rounds is dropped before.
fn first_query(jig: &Jig, size: usize) -> Measured {
    jig.forget_tables();
    jig.cold(&format!("rows-{size}.csv"), "TabularQuery", &asked(GROUP), 1)
}

/// Rounds that were measured one by one.
fn together(rounds: impl IntoIterator<Item = Measured>) -> Measured {
    let mut all = Measured { times: Vec::new(), memory_kib: 0 };
    for one in rounds {
        all.times.extend(one.times);
        all.memory_kib = all.memory_kib.max(one.memory_kib);
    }
    all
}

/// The one that converts the file.
fn second_query(jig: &Jig) -> Measured {
    jig.forget_tables();
    let mut params = asked(GROUP);
    params["convert"] = true.into();
    jig.cold("rows-16.csv", "TabularQuery", &params, 1)
}

struct DuckDb<'a> {
    python: &'a Path,
    script: PathBuf,
    files: &'a Path,
}

impl DuckDb<'_> {
    fn run(&self, work: &str, query: &str, rounds: usize) -> Measured {
        let mut command = std::process::Command::new(self.python);
        command.arg(&self.script).arg(work).arg(self.files.join("rows-16.csv")).arg(rounds.to_string()).arg(query);
        run(command, rounds)
    }
}
