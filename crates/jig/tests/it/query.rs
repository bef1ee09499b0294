//! `jig query` and maps of tables, from the user's perspective.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;

const BANK: &str = "day;what;amount\n2024-01-05;Rent;-1.200,50\n2024-01-06;;99,00\n2024-01-07;Food;-12,25\n";
const BY_AMOUNT: &str = "SELECT what, amount FROM data ORDER BY amount";

fn bank() -> TestEnvironment {
    let environment = TestEnvironment::with_notes();
    environment.write("bank.csv", BANK);
    let _ = environment.jig(&["add", "bank.csv"]).success();
    environment
}

#[test]
fn a_query_is_shown_as_a_table() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = bank();
    let ran = environment.jig(&["query", "bank.csv", BY_AMOUNT]);
    assert_eq!(ran.stdout, "what  amount\nRent  -1200.5\nFood   -12.25\nnull     99.0\n".replace("amount", " amount"));
    assert_eq!(ran.stderr, "3 rows\n");
    let ran = environment.jig(&["query", "bank.csv", "FROM data", "--window-rows", "2"]);
    assert_eq!(ran.stderr, "2 of 3 rows; `--window-offset 2` shows more, `--window-rows` sets the page size\n");
    let answer = environment.jig(&["query", "bank.csv", BY_AMOUNT, "--json"]).json();
    assert_eq!(answer["rows"], json!([["Rent", -1200.5], ["Food", -12.25], [null, 99.0]]));
    let (code, error) = environment.jig(&["query", "bank.csv", "DROP TABLE data", "--json"]).failure();
    assert_eq!((code, error.as_str()), (2, "VALIDATION_FAILED"));
}

#[test]
fn a_query_is_printed_or_written_whole() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = bank();
    let csv = "what,amount\nRent,-1200.50\nFood,-12.25\n,99.00\n";
    assert_eq!(environment.jig(&["query", "bank.csv", BY_AMOUNT, "--csv"]).success(), csv);
    let ran = environment.jig(&["query", "bank.csv", BY_AMOUNT, "--out", "rows.csv"]);
    let out = environment.work().join("rows.csv");
    assert_eq!(ran.stdout, format!("3 rows, 2 columns, {} B: {}\n", csv.len(), out.display()));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), csv);
    let again = ["query", "bank.csv", BY_AMOUNT, "--out", "rows.csv", "--json"];
    assert_eq!(environment.jig(&again).failure().1, "FILE_EXISTS");
    let answer = environment.jig(&[&again[..], &["--overwrite"]].concat()).json();
    assert_eq!(answer["row_count"], 3);
    let _ = environment.jig(&["query", "bank.csv", BY_AMOUNT, "-o", "rows.xlsx"]).success();
    assert!(std::fs::read(environment.work().join("rows.xlsx")).unwrap().starts_with(b"PK"));
    assert_eq!(environment.jig(&["query", "bank.csv", BY_AMOUNT, "--csv", "--json"]).failure().1, "INVALID_PARAMS");
    assert_eq!(environment.jig(&["draft", "get-state", "--json"]).json()["exists"], false);
    let left = std::fs::read_dir(environment.home().join("scratch")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).filter(|name| name != "tables").collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}

#[test]
fn the_map_of_a_table_shows_its_columns() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = bank();
    let shown = environment.jig(&["map", "bank.csv"]).success();
    let table = "\
        table  3 rows, 3 columns, a header, delimiter `;`, utf-8\n    \
        column  type           format                             for example\n    \
        day     DATE                                              2024-01-05 · 2024-01-06 · 2024-01-07\n    \
        what    VARCHAR                                           Rent · Food\n    \
        amount  DECIMAL(18,2)  thousands by point, decimal comma  -1.200,50 · 99,00 · -12,25\n";
    assert!(shown.contains(table), "{shown}");
    assert!(shown.contains("line count: 4\n"), "{shown}");
}

/// The only converted table of a home.
fn converted(environment: &TestEnvironment) -> PathBuf {
    let mut files: Vec<PathBuf> = std::fs::read_dir(environment.home().join("cache/tables"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "duckdb"))
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

#[test]
fn a_converted_table_that_is_damaged_is_made_anew() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = bank();
    let expected = environment.jig(&["query", "bank.csv", BY_AMOUNT]).success();
    let path = converted(&environment);
    let (place, whole) = (path.clone(), std::fs::read(&path).unwrap());
    // Replaces the file instead of writing into it: a worker with a link to the old file must not see the change.
    let damage = move || {
        let mut torn = whole.clone();
        torn[4_096..8_192].fill(0x5a);
        std::fs::remove_file(&place).unwrap();
        std::fs::write(&place, torn).unwrap();
    };
    damage();
    assert_eq!(environment.jig(&["query", "bank.csv", BY_AMOUNT]).success(), expected);
    let mut rpc = Rpc::start(&environment);
    let query = json!({ "workbench_id": "deck", "path": "bank.csv", "query": BY_AMOUNT });
    let ask = |rpc: &mut Rpc| rpc.call("TabularQuery", query.clone()).unwrap()["rows"].clone();
    let rows = ask(&mut rpc);
    damage();
    assert_eq!(ask(&mut rpc), rows, "by the worker that has just read it");
    assert_eq!(ask(&mut rpc), rows);
    assert_eq!(rpc.finish(), 0);
    assert_eq!(environment.jig(&["query", "bank.csv", BY_AMOUNT]).success(), expected);
}

#[test]
fn two_processes_can_convert_the_same_file_at_once() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = bank();
    let rows: String = (0..50_000).map(|n| format!("{n};name {n}\n")).collect();
    environment.write("long.csv", format!("id;name\n{rows}"));
    let _ = environment.jig(&["add", "long.csv"]).success();
    let arguments = ["query", "long.csv", "SELECT count(*), sum(id) FROM data", "--json"];
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = environment.command();
            command.args(arguments).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["rows"], json!([[50_000, 1_249_975_000]]));
    }
    converted(&environment);
}
