//! SQL over a sheet sees the values that `XlsxReadRange` shows, for every kind of cell.

use std::sync::Arc;

use jig_files::engine::{EditOptions, Format};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

use crate::calls::TestTables;

/// One column for each kind of cell, from B2 on.
fn workbook() -> Vec<u8> {
    let rows = [
        ["day", "at", "flag", "error", "number", "computed", "text", "blank", "stale"],
        ["2024-02-29", "2024-02-29T08:30:00", "true", "=1/0", "1.5", "=F3*2", "007", "", "=GETPIVOTDATA(\"m\",$A$1)"],
        [
            "1999-12-31",
            "1999-12-31T23:59:59",
            "false",
            "=NA()",
            "-2",
            "=SUM(F3:F4)",
            "TRUE",
            "",
            "=GETPIVOTDATA(\"n\",$A$1)",
        ],
        ["", "", "", "", "", "", "", "", ""],
        ["2000-01-01", "2000-01-01T00:00:00", "true", "=1/0", "1000000", "=F6&\"\"", "1/2/2024", "", ""],
    ];
    let cell = |row: usize, column: usize, text: &str| {
        let at = format!("{}{}", char::from(b'B' + column as u8), row + 2);
        match (row, column) {
            _ if text.is_empty() => None,
            _ if text.starts_with('=') => Some(json!({ "cell": at, "formula": text })),
            (0, _) | (_, 6) => Some(json!({ "cell": at, "value": text, "type": "string" })),
            (_, 0 | 1) => Some(json!({ "cell": at, "value": text, "type": "date" })),
            (_, 2) => Some(json!({ "cell": at, "value": text == "true" })),
            _ => Some(json!({ "cell": at, "value": text.parse::<f64>().unwrap() })),
        }
    };
    let cells: Vec<Value> = rows
        .iter()
        .enumerate()
        .flat_map(|(row, cells)| cells.iter().enumerate().filter_map(move |(column, text)| cell(row, column, text)))
        .collect();
    let ops = json!([{ "op": "set_cells", "sheet": "S", "cells": cells }]);
    FileApi::default().engine.apply(Format::Xlsx, None, &ops, &EditOptions::default()).unwrap().bytes
}

/// A value of a reply as `XlsxReadRange` writes it.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string().to_uppercase(),
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        // A column of dates with times shows midnight, which a cell does not.
        Value::String(text) => text.trim_end_matches(" 00:00:00").to_owned(),
        other => other.to_string(),
    }
}

#[test]
fn a_sheet_has_the_same_values_in_sql_and_in_a_read() {
    let desk = TestTables::new();
    let bytes: Arc<[u8]> = workbook().into();
    std::fs::write(desk.place("kinds.xlsx"), &bytes).unwrap();
    let ask = json!({ "sheet": "S", "range": "B2:J6" });
    let read = FileApi::default().read(Method::find("XlsxReadRange").unwrap(), &bytes, &ask).unwrap();
    let lines: Vec<Vec<&str>> =
        read["text"].as_str().unwrap().lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let rows = desk.ok("TabularReadRows", &json!({ "path": "kinds.xlsx", "range": "B2:J6" }));
    assert_eq!(rows["columns"], json!(lines[0]));
    assert_eq!(
        rows["sql_types"],
        json!(["DATE", "TIMESTAMP", "BOOLEAN", "VARCHAR", "DECIMAL(18,1)", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR"])
    );
    let table = rows["rows"].as_array().unwrap();
    assert_eq!(table.len(), 4, "{rows}");
    for (row, line) in table.iter().zip(lines.iter().skip(1)) {
        // Stale cells are marked in the text and null in SQL.
        for column in 0..8 {
            let value = as_text(&row[column]);
            let text = line.get(column).copied().unwrap_or_default();
            let is_midnight = text.strip_suffix(" 00:00:00") == Some(&value);
            assert!(value == text || is_midnight, "column {column}: SQL {value:?}, read {text:?} ({row} {line:?})");
        }
        assert_eq!(row[8], Value::Null);
    }
    let stale = "2 formulas have no stored value and are read as null: J3, J4";
    assert!(rows["warnings"].as_array().unwrap().contains(&json!(stale)), "{}", rows["warnings"]);
    assert!(read.to_string().contains("J3") && read.to_string().contains("J4"), "{read}");
}
