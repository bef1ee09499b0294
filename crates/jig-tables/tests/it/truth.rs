//! The truth table: small files, each with what must come out of it as readable text.
//!
//! `UPDATE=1 cargo test -p jig-tables --test it truth` rewrites the expectations.

use std::fmt::Write as _;
use std::path::Path;

use jig_tables::{ReadOptions, Reader};
use serde_json::Value;

use crate::support::TestTables;

#[test]
fn every_file_is_read_as_it_should_be() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/csv");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending != "expected"))
        .collect();
    files.sort();
    assert!(files.len() >= 60, "only {} files", files.len());
    // Each file is a database of its own, so most of the time goes into waiting for the disk.
    let parts: Vec<_> = files.chunks(files.len().div_ceil(4)).collect();
    let wrong: String = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|files| scope.spawn(|| compare(files))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

fn compare(files: &[std::path::PathBuf]) -> String {
    let desk = TestTables::new();
    let mut wrong = String::new();
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        let told = match desk.convert(&bytes, &ReadOptions::default()) {
            Ok(path) => tell(&Reader::open(&[("data", &path)], Default::default()).unwrap()),
            Err(error) => format!("error: {error}\n"),
        };
        let mut expected = file.clone().into_os_string();
        expected.push(".expected");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&expected, &told).unwrap();
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if told != wanted {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            write!(wrong, "=== {name}\n--- wanted\n{wanted}--- told\n{told}").unwrap();
        }
    }
    wrong
}

/// A table in words: marks, columns, rows, warnings.
fn tell(reader: &Reader) -> String {
    let map = reader.map("csv").unwrap();
    let mut text = String::new();
    if let Some(dialect) = &map.dialect {
        let mark = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("{text:?}") };
        writeln!(
            text,
            "delimiter {}, quote {}, escape {}, {}{}, {}, {}",
            mark(&dialect.delimiter),
            mark(&dialect.quote_char),
            mark(&dialect.escape_char),
            dialect.encoding_detected,
            if dialect.byte_order_mark { " with mark" } else { "" },
            dialect.newline,
            if map.has_header { "header" } else { "no header" },
        )
        .unwrap();
    }
    for column in &map.columns {
        let format = column.format.as_ref().map(|format| format!(" ({format})")).unwrap_or_default();
        writeln!(text, "column {:?}: {}{format}", column.name, column.sql_type).unwrap();
    }
    writeln!(text, "{} rows", map.row_count).unwrap();
    if map.row_count > 0 {
        for row in reader.read_rows(1, 12, None).unwrap().rows {
            let cells: Vec<String> = row.iter().take(12).map(show).collect();
            writeln!(text, "  {}", cells.join(" | ")).unwrap();
        }
    }
    for warning in &map.warnings {
        writeln!(text, "warning: {warning}").unwrap();
    }
    text
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}
