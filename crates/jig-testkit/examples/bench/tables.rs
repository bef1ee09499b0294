//! SQL on large CSV files with `jig worker`, compared with DuckDB itself: the version in Jig and the newest.

use std::path::Path;

use serde_json::{Value, json};

use crate::office::jig::{Jig, Measured};
use crate::office::peers::run;
use crate::office::table::{Target, head, print_row};
use crate::office::{Peers, growth_row};

/// The rounds of first queries, of other operations that read the entire file, and of queries on converted tables.
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

/// Prints the tables. `newest` is a Python with the newest DuckDB; `peers` has the version in Jig.
pub(crate) fn measure(peers: &Peers, newest: &Path, files: &Path) {
    let jig = Jig::new(files);
    let script = peers.script.with_file_name("peer_duckdb.py");
    let peer = |python| DuckDb::new(python, &script, files);
    // Targets are relative to the same engine, where the difference is Jig's own work.
    let duckdbs = [(peer(&peers.python), Target::Times(0.9)), (peer(newest), Target::None)];
    introduce(files, &duckdbs.each_ref().map(|(duckdb, _)| duckdb.version.as_str()));
    head();
    let words = "csv first query";
    for (duckdb, target) in &duckdbs {
        let (first, on_the_csv) = first_queries(&jig, duckdb);
        let target = if matches!(target, Target::None) { Target::None } else { Target::Times(1.0) };
        print_row(words, &first, &duckdb.named("on the csv"), &on_the_csv, target);
    }
    let second = second_query(&jig);
    for (duckdb, target) in &duckdbs {
        let convert = duckdb.run("convert", GROUP, COLD_ROUNDS);
        print_row("csv second query, which converts", &second, &duckdb.named("table first"), &convert, *target);
    }
    let mut held = second.memory_kib;
    for (words, query) in WARM {
        let warm = jig.warm("rows-16.csv", "TabularQuery", &[asked(query)], WARM_ROUNDS);
        held = held.max(warm.memory_kib);
        for (duckdb, target) in &duckdbs {
            let words = format!("csv warm query, {words}");
            print_row(&words, &warm, &duckdb.named("its table"), &duckdb.run("warm", query, WARM_ROUNDS), *target);
        }
    }
    println!("\nMemory for the queries: {} MiB; the target is less than 1 GB.", held / 1_024);
    growth(&jig);
}

fn introduce(files: &Path, [carried, newest]: &[&str; 2]) {
    let size = std::fs::metadata(files.join("rows-16.csv")).expect("the file").len() as f64 / 1e6;
    println!("\n## Tables, compared with DuckDB\n");
    println!(
        "Milliseconds on a csv file of {size:.0} MB with 9 columns. Jig is `jig worker` as above. Its first query"
    );
    println!("detects encoding, dialect and types, and reads the columns it needs from the csv file; the second query");
    println!(
        "converts the file to a table. DuckDB is the Python package with its defaults: {carried}, the version that"
    );
    println!("Jig contains, and {newest}, the newest. It queries the csv file, or first creates a table in a database");
    println!(
        "file, with amounts as decimals as Jig has them. Warm queries use a table that exists, Jig's with the JSON"
    );
    println!("and the pipe. Medians of {TURNS} rounds of the first query, alternating with DuckDB's, each in a new");
    println!("process; of {COLD_ROUNDS} with a table first, and of {WARM_ROUNDS} warm.\n");
}

fn growth(jig: &Jig) {
    println!("\n## Tables, by size\n");
    println!("The same at one sixteenth, one quarter and all of the size, in milliseconds.\n");
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

/// Alternating, because the speed of a machine changes within the seconds that each takes.
fn first_queries(jig: &Jig, duckdb: &DuckDb<'_>) -> (Measured, Measured) {
    let rounds = (0..TURNS).map(|_| (first_query(jig, 16), duckdb.run("cold", GROUP, 1)));
    let (ours, theirs): (Vec<_>, Vec<_>) = rounds.unzip();
    (together(ours), together(theirs))
}

/// Drops the cache of earlier rounds first.
fn first_query(jig: &Jig, size: usize) -> Measured {
    jig.forget_tables();
    jig.cold(&format!("rows-{size}.csv"), "TabularQuery", &asked(GROUP), 1)
}

/// Combines rounds that were measured separately.
fn together(rounds: impl IntoIterator<Item = Measured>) -> Measured {
    let mut all = Measured { times: Vec::new(), memory_kib: 0 };
    for one in rounds {
        all.times.extend(one.times);
        all.memory_kib = all.memory_kib.max(one.memory_kib);
    }
    all
}

/// The query that converts the file.
fn second_query(jig: &Jig) -> Measured {
    jig.forget_tables();
    let mut params = asked(GROUP);
    params["convert"] = true.into();
    jig.cold("rows-16.csv", "TabularQuery", &params, 1)
}

/// A version of DuckDB in a Python process.
struct DuckDb<'a> {
    python: &'a Path,
    script: &'a Path,
    files: &'a Path,
    version: String,
}

impl<'a> DuckDb<'a> {
    fn new(python: &'a Path, script: &'a Path, files: &'a Path) -> Self {
        let mut command = std::process::Command::new(python);
        let printed = command.args(["-c", "import duckdb; print(duckdb.__version__)"]).output().expect("a version");
        Self { python, script, files, version: String::from_utf8_lossy(&printed.stdout).trim().to_owned() }
    }

    fn named(&self, work: &str) -> String {
        format!("DuckDB {}, {work}", self.version)
    }

    fn run(&self, work: &str, query: &str, rounds: usize) -> Measured {
        let mut command = std::process::Command::new(self.python);
        command.arg(self.script).arg(work).arg(self.files.join("rows-16.csv")).arg(rounds.to_string()).arg(query);
        run(command, rounds)
    }
}
