//! How often an edit reads a sheet: one scan for what ops must know, one for the values that formulas read, one copy.

use serde_json::{Value, json};

use super::super::apply;
use super::Build;
use crate::edit::ApplyOptions;
use crate::xlsx::formula::FormulaEngine;
use crate::xlsx::sheet::stream::scans;

fn scanned(book: &Build, ops: &Value) -> Vec<u32> {
    let (bytes, engine) = (book.bytes(), FormulaEngine::default());
    let options = ApplyOptions { formulas: Some(&engine), ..ApplyOptions::default() };
    let (_, mut scanned) = scans::of_sheets(|| apply(Some(bytes), ops, &options).unwrap());
    scanned.sort_unstable();
    scanned
}

fn plain(formula: &str) -> Build {
    let other = format!(r#"<sheetData><row r="1"><c r="A1"><v>1</v></c>{formula}</row></sheetData>"#);
    Build::rows(r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>"#)
        .and_sheet("Other", &other)
        .and_sheet("Third", "<sheetData/>")
}

fn set_a1() -> Value {
    json!({"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]})
}

#[test]
fn an_edit_scans_a_sheet_once_and_copies_it_once() {
    // The other sheets are scanned for formulas.
    assert_eq!(scanned(&plain(""), &json!([set_a1()])), [1, 1, 2, 3]);
    let many = json!([set_a1(), {"op": "set_cells", "sheet": "Data", "cells": [{"cell": "B9", "value": 5}]}, set_a1()]);
    assert_eq!(scanned(&plain(""), &many), [1, 1, 2, 3]);
}

#[test]
fn a_style_scans_no_other_sheet() {
    let style = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "style": {"bold": true}}]}]);
    assert_eq!(scanned(&plain(""), &style), [1, 1]);
}

#[test]
fn values_are_read_once_from_the_sheets_that_affected_formulas_need() {
    let unrelated = plain(r#"<c r="B1"><f>A1*2</f><v>2</v></c>"#);
    assert_eq!(scanned(&unrelated, &json!([set_a1()])), [1, 1, 2, 3]);
    // Sheet 1 is read by the formula, sheet 2 holds it and gets a new value.
    let affected = plain(r#"<c r="B1"><f>Data!A1*2</f><v>2</v></c>"#);
    assert_eq!(scanned(&affected, &json!([set_a1()])), [1, 1, 1, 2, 2, 2, 3]);
}

#[test]
fn a_rename_finds_formulas_in_the_same_scan() {
    let book = plain(r#"<c r="B1"><f>Data!A1*2</f><v>2</v></c>"#);
    let rename = json!([{"op": "rename_sheet", "sheet": "Data", "new_name": "Input"}]);
    assert_eq!(scanned(&book, &rename), [1, 2, 2, 3]);
}
