//! Queries on unconverted files give the same replies as on their converted tables.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;

use jig_tables::{QueryLimits, ReadOptions, Reader, TableError};
use serde_json::json;

use crate::support::TestTables;

fn direct(bytes: &[u8]) -> Result<Reader, TableError> {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    Reader::direct("data", file, &ReadOptions::default(), QueryLimits::default(), None)
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    std::iter::once("id,kind,amount\n".to_owned()).chain((1..=count).map(line)).collect()
}

fn usual(n: usize) -> String {
    format!("{n},{},{}.{:02}\n", ["food", "rent", "travel"][n % 3], n % 1_000, n % 100)
}

#[test]
fn every_file_of_the_truth_table_answers_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/csv");
    let desk = TestTables::new();
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let (Ok(converted), Ok(reader)) = (desk.convert(&bytes, &ReadOptions::default()), direct(&bytes)) else {
            continue;
        };
        let converted = Reader::open(&[("data", &converted)], QueryLimits::default()).unwrap();
        for query in ["SELECT * FROM data", "SELECT count(*) FROM data", "SELECT a.* FROM data a JOIN data b ON false"]
        {
            let answer = reader.query(query, 1_000, 0);
            if reader.is_broken() {
                continue;
            }
            let (mut answer, expected) = (answer.unwrap(), converted.query(query, 1_000, 0).unwrap());
            assert!(answer.read_directly && !expected.read_directly);
            (answer.read_directly, answer.query_elapsed_ms) = (false, expected.query_elapsed_ms);
            // Of columns that the query does not need, nothing is known.
            let mut expected = expected;
            if query != "SELECT * FROM data" {
                expected.warnings.retain(|warning| answer.warnings.contains(warning));
            }
            assert_eq!(answer, expected, "{} {query}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 200, "only {compared}");
}

#[test]
fn long_files_are_read_whole_in_order_and_as_often_as_a_query_needs() {
    let reader = direct(lines(300_000, usual).as_bytes()).unwrap();
    let rows = |query: &str| json!(reader.query(query, 10, 0).unwrap().rows);
    assert_eq!(rows("SELECT count(*), sum(id), max(amount) FROM data"), json!([[300_000, 45_000_150_000_i64, 999.99]]));
    assert_eq!(rows("SELECT id FROM data LIMIT 2 OFFSET 250000"), json!([[250_001], [250_002]]));
    let joined = "SELECT count(*) FROM data a JOIN data b ON a.id = b.id + 1 WHERE a.kind <> b.kind";
    assert_eq!(rows(joined), json!([[299_999]]));
    let window = reader.query("SELECT kind, id FROM data", 3, 299_999).unwrap();
    assert_eq!((json!(window.rows), window.total_row_count), (json!([["food", 300_000]]), Some(300_000)));
    assert!(!reader.is_broken());
}

#[test]
fn what_is_odd_is_told_when_the_file_was_read_to_its_end() {
    let text = lines(200_000, |n| if n == 150_000 { format!("{n}\n") } else { usual(n) });
    let reader = direct(text.as_bytes()).unwrap();
    // Which of its threads came how far by then is chance, and must not show.
    let first = reader.query("SELECT id FROM data LIMIT 1", 10, 0).unwrap();
    assert!(first.warnings.is_empty(), "{:?}", first.warnings);
    let all = reader.query("SELECT max(id) FROM data", 10, 0).unwrap();
    assert_eq!(all.warnings, ["1 row (line 150001) shorter than 3 fields; missing fields are null"]);
}

#[test]
fn a_value_that_the_beginning_did_not_promise_breaks_only_what_needs_it() {
    let text = lines(200_000, |n| if n == 150_000 { format!("{n},food,much\n") } else { usual(n) });
    let reader = direct(text.as_bytes()).unwrap();
    assert_eq!(json!(reader.query("SELECT max(id) FROM data", 10, 0).unwrap().rows), json!([[200_000]]));
    assert!(!reader.is_broken());
    reader.query("SELECT sum(amount) FROM data", 10, 0).unwrap_err();
    assert!(reader.is_broken());
    // A record that is too long concerns every column.
    let text = lines(200_000, |n| if n == 150_000 { format!("{n},food,1.00,more\n") } else { usual(n) });
    let reader = direct(text.as_bytes()).unwrap();
    reader.query("SELECT max(id) FROM data", 10, 0).unwrap_err();
    assert!(reader.is_broken());
}

#[test]
fn a_scan_cannot_be_called_by_a_query() {
    let reader = direct(lines(10, usual).as_bytes()).unwrap();
    for query in ["SELECT * FROM jig_rows(1)", "SELECT * FROM data, jig_rows(1)", "SELECT * FROM duckdb_views()"] {
        let error = reader.query(query, 10, 0).unwrap_err();
        assert!(matches!(error, TableError::Refused(_)), "{query}: {error}");
    }
}
