//! Small files whose formulas expand to very much: the work is bounded by counting, what is not computed is reported,
//! and nothing wrong stays in the file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Book, stale};

/// How many formulas of a reply have no value, and the words of its warnings.
fn not_computed(reply: &Value) -> (u64, String) {
    (reply["receipt"]["stale_count"].as_u64().unwrap_or_default(), reply["warnings"].to_string())
}

/// Column A has numbers; column B shares one formula among all rows, each with the stored value 1.
fn shared(rows: u32, formula: &str) -> Book {
    let mut markup = String::new();
    for row in 1..=rows {
        let text = if row == 1 {
            format!("<f t=\"shared\" si=\"0\" ref=\"B1:B{rows}\">{formula}</f>")
        } else {
            "<f t=\"shared\" si=\"0\"/>".to_owned()
        };
        let _ = write!(markup, "<row r=\"{row}\"><c r=\"A{row}\"><v>1</v></c><c r=\"B{row}\">{text}<v>1</v></c></row>");
    }
    Book::of_rows(&[("Data", markup)], "")
}

#[test]
fn a_long_formula_that_many_cells_share_is_not_written_out_for_all() {
    // 8 KiB in each of 20,000 cells: 160 MiB in a file of some 100 KiB.
    let long = vec!["A1"; 2_700].join("+");
    let rows = 20_000;
    let book = shared(rows, &long);
    let (edited, reply) = book.set(&[("Data!A1", json!(5))]);
    let (count, warnings) = not_computed(&reply);
    assert_eq!(count, u64::from(rows), "{warnings}");
    assert!(warnings.contains("more formulas than can be followed"), "{warnings}");
    // Every value that the edit may affect is gone, and nothing is read as one.
    assert_eq!(["B1", "B7", "B20000"].map(|cell| edited.stored(1, cell)), ["-"; 3]);
    assert_eq!(edited.cell("Data", 1, 2)["stale"], json!(true));
    assert_eq!(edited.cell("Data", 1, 2)["value"], Value::Null);
}

#[test]
fn a_formula_over_a_whole_column_in_thousands_of_cells_reads_it_a_bounded_number_of_times() {
    for formula in [
        "SUM(A$1:A$1048576)",
        "SUM($A$2:$A$1048576)+A1",
        "SUMPRODUCT($A$2:$A$1048576*1)+A1",
        "COUNTIF($A$1:$A$1048576,A1)",
    ] {
        let rows = 400;
        let book = shared(rows, formula);
        let (edited, reply) = book.set(&[("Data!A9", json!(1))]);
        let (count, warnings) = not_computed(&reply);
        // Right or removed and reported: the change of nothing keeps every right value.
        let values: Vec<String> = (1..=rows).map(|row| edited.stored(1, &format!("B{row}"))).collect();
        let removed = values.iter().filter(|value| *value == "-").count();
        assert!(values.iter().all(|value| value == "400" || value == "-"), "{formula}: {values:?}");
        assert_eq!(count, u64::try_from(removed).unwrap(), "{formula}: {warnings}");
    }
}

#[test]
fn names_that_double_each_other_end_at_a_bound() {
    let mut names = String::from("<definedName name=\"nest_0\">Data!$A$1+Data!$A$2</definedName>");
    for level in 1..=40 {
        let _ = write!(
            names,
            "<definedName name=\"nest_{level}\">nest_{0}+nest_{0}+nest_{0}+nest_{0}</definedName>",
            level - 1
        );
    }
    // Names that fit, and fill the bound of one formula almost.
    let _ = write!(names, "<definedName name=\"wide\">{}</definedName>", vec!["Data!$A$1"; 6_000].join("+"));
    let rest = format!("<definedNames>{names}</definedNames>");
    for name in ["nest_40", "nest_7", "wide"] {
        let mut markup = String::from("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>");
        for row in 2..=450 {
            let _ = write!(markup, "<row r=\"{row}\"><c r=\"B{row}\"><f>{name}+A{row}</f><v>9</v></c></row>");
        }
        let book = Book::of_rows(&[("Data", markup)], &rest);
        let (edited, reply) = book.set(&[("Data!A1", json!(2))]);
        let (count, warnings) = not_computed(&reply);
        assert_eq!(count, 449, "{name}: {warnings}");
        assert_eq!(edited.stored(1, "B450"), "-", "{name}");
    }
}

#[test]
fn huge_arrays_and_data_tables_lose_their_values_and_nothing_else() {
    for kind in ["t=\"array\"", "t=\"dataTable\" dt2D=\"0\" dtr=\"1\" r1=\"A1\""] {
        // Ten thousand formulas that say they fill the whole sheet below them, and constants outside of it.
        let mut markup = String::from("<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c></row>");
        for row in 2..=3_000 {
            let _ = write!(
                markup,
                "<row r=\"{row}\"><c r=\"A{row}\"><v>4</v></c><c r=\"C{row}\"><f {kind} ref=\"C{row}:XFD1048576\">A1:A9*2</f><v>7</v></c><c r=\"D{row}\"><v>8</v></c></row>"
            );
        }
        let book = Book::of_rows(&[("Data", markup)], "");
        let (edited, reply) = book.set(&[("Data!A1", json!(2))]);
        let (count, warnings) = not_computed(&reply);
        assert_eq!(
            ["A2", "B1", "C2", "D2", "C3000", "D3000"].map(|cell| edited.stored(1, cell)),
            ["4", "2", "-", "-", "-", "-"],
            "{warnings}"
        );
        assert!(count >= 2_999, "{count} {warnings}");
    }
}

#[test]
fn brackets_inside_brackets_are_refused_in_every_cell() {
    let deep = format!("{}A1{}", "(".repeat(3_000), ")".repeat(3_000));
    let book = shared(2_000, &deep);
    let (edited, reply) = book.set(&[("Data!A1", json!(5))]);
    // Each formula reads the cell beside it, so only the first is affected.
    assert_eq!(stale(&reply), ["Data!B1 was 1.0"]);
    assert_eq!(["B1", "B2"].map(|cell| edited.stored(1, cell)), ["-", "1"]);
}

#[test]
fn reading_is_bounded_as_editing_is() {
    let long = vec!["A1"; 2_700].join("+");
    let mut markup = String::new();
    for row in 1..=20_000 {
        let formula = if row == 1 { long.as_str() } else { "" };
        let _ = write!(
            markup,
            "<row r=\"{row}\"><c r=\"A{row}\"><v>1</v></c><c r=\"B{row}\"><f t=\"shared\" si=\"0\" ref=\"B1:B20000\">{formula}</f></c></row>"
        );
    }
    let book = Book::of_rows(&[("Data", markup)], "");
    let map = book.read("XlsxGetMap", &json!({}));
    assert_eq!(map["sheets"][0]["stale_formula_count"], json!(20_000), "{map}");
    assert_eq!(book.cell("Data", 20_000, 2)["stale"], json!(true));
}

#[test]
fn totals_by_category_do_not_use_values_that_cannot_be_followed() {
    let book = shared(20_000, &vec!["A1"; 2_700].join("+"));
    let op = json!([
        {"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A2", "value": 5}]},
        {"op": "summarize_by_category", "sheet": "Totals", "source_sheets": ["Data"], "category_col": 1, "amount_col": 2},
    ]);
    let (edited, reply) = book.edit(&op, false);
    // The stored ones of 19,998 rows would be summed to this.
    let totals = edited.read("XlsxReadRange", &json!({"sheet": "Totals"}))["text"].to_string();
    assert!(!totals.contains("19998"), "{totals}");
    assert!(reply["warnings"].to_string().contains("Data"), "{reply}");
}
