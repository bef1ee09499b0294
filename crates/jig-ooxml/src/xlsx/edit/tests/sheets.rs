//! Whole sheets: added, renamed, deleted, summarized.

use jig_file_api::ops::xlsx::{RenameSheet, XlsxOp};
use serde_json::json;

use super::super::apply;
use super::Build;
use crate::edit::ApplyOptions;
use crate::limits::Limits;
use crate::package::Package;
use crate::xlsx::workbook::Workbook;
use crate::xlsx::workbook_part::WorkbookPart;

fn two() -> Build {
    let names = r#"<definedNames><definedName name="Own" localSheetId="0">Data!$A$1</definedName><definedName name="Rate">'Data'!$B$1</definedName><definedName name="Other" localSheetId="1">Two!$A$1</definedName></definedNames>"#;
    Build::rows(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#)
        .and_sheet("Two", r#"<sheetData><row r="1"><c r="A1"><f>Data!A1+1</f><v>2</v></c></row></sheetData>"#)
        .tail(names)
}

#[test]
fn a_sheet_is_renamed_in_formulas_too() {
    let edited = two().apply_ok(&json!([{"op": "rename_sheet", "sheet": "data", "new_name": "My Data"}]));
    assert_eq!(edited.rows(2), r#"<row r="1"><c r="A1"><f>'My Data'!A1+1</f><v>2</v></c></row>"#);
    let book = edited.part("xl/workbook.xml");
    assert!(book.contains(r#"name="My Data" sheetId="1""#));
    assert!(book.contains("'My Data'!$A$1") && book.contains("'My Data'!$B$1"));
    assert_eq!(edited.changed_parts(), ["xl/worksheets/sheet2.xml", "xl/workbook.xml"]);
}

#[test]
fn typed_ops_do_the_same_as_their_json() {
    let (bytes, options) = (two().bytes(), ApplyOptions::default());
    let op = RenameSheet { sheet: "Data".to_owned(), new_name: "My Data".to_owned() };
    let book = Workbook::open(bytes.clone(), Limits::default()).unwrap();
    let typed = book.apply(vec![XlsxOp::RenameSheet(op)], &options).unwrap();
    let json = json!([{"op": "rename_sheet", "sheet": "Data", "new_name": "My Data"}]);
    assert_eq!(typed, apply(Some(bytes), &json, &options).unwrap());
}

#[test]
fn a_sheet_is_deleted_with_what_is_its_own() {
    let edited = two().apply_ok(&json!([{"op": "delete_sheet", "sheet": "Data"}]));
    assert!(!edited.package.has("xl/worksheets/sheet1.xml"));
    assert!(!edited.part("[Content_Types].xml").contains("sheet1.xml"));
    let book = edited.part("xl/workbook.xml");
    let wanted = r##"<sheets><sheet name="Two" sheetId="2" r:id="rId2"/></sheets><definedNames><definedName name="Rate">#REF!</definedName><definedName name="Other" localSheetId="0">Two!$A$1</definedName></definedNames><calcPr fullCalcOnLoad="1"/>"##;
    assert!(book.contains(wanted), "{book}");
    assert_eq!(edited.rows(2), r#"<row r="1"><c r="A1"><f>#REF!+1</f></c></row>"#);
    let why = Build::rows("").refused(json!({"op": "delete_sheet", "sheet": "Data"}));
    assert_eq!(why, "ops[0].sheet: `Data` is the last visible sheet; a workbook needs one");
}

#[test]
fn a_deleted_sheet_leaves_no_value_that_may_be_wrong() {
    let names = r#"<definedNames><definedName name="Rate">Data!$A$1</definedName><definedName name="Twice">Rate*2</definedName><definedName name="Own">Two!$Z$1</definedName></definedNames>"#;
    let rows = r#"<sheetData><row r="1"><c r="A1"><f>SUM(Twice)</f><v>1</v></c><c r="B1"><f>Own+1</f><v>2</v></c><c r="C1"><f>SUM(Two:End!Z1)</f><v>3</v></c><c r="D1"><f>INDIRECT("Data!A1")</f><v>4</v></c></row></sheetData>"#;
    let book = Build::sheet("Two", rows).and_sheet("Data", "<sheetData/>").and_sheet("End", "<sheetData/>").tail(names);
    let edited = book.apply_ok(&json!([{"op": "delete_sheet", "sheet": "Data"}]));
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1"><f>SUM(Twice)</f></c><c r="B1"><f>Own+1</f><v>2</v></c><c r="C1"><f>SUM(Two:End!Z1)</f></c><c r="D1"><f>INDIRECT("Data!A1")</f></c></row>"#
    );
    assert_eq!(
        edited.applied.warnings,
        [
            "references are lost (#REF!) in the name Rate",
            "not calculated, so without a stored value until the workbook is opened: Two!A1, Two!C1, Two!D1",
        ]
    );
    let edited = book.apply_ok(&json!([{"op": "delete_sheet", "sheet": "End"}]));
    assert!(edited.rows(1).contains("<f>SUM(Twice)</f><v>1</v>"));
}

#[test]
fn only_what_a_new_sheet_needs_is_touched() {
    let edited = Build::rows("")
        .apply_ok(&json!([{"op": "ensure_sheet", "sheet": "New"}, {"op": "ensure_sheet", "sheet": "new"}]));
    assert_eq!(
        edited.changed_parts(),
        ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml", "xl/worksheets/sheet2.xml"]
    );
    assert_eq!(edited.applied.changes[1].summary, "The sheet New was there already.");
}

#[test]
fn categories_are_summed_exactly() {
    let rows = concat!(
        r#"<row r="1"><c r="B1" t="inlineStr"><is><t>Cat</t></is></c></row>"#,
        r#"<row r="2"><c r="B2" t="inlineStr"><is><t>Food</t></is></c><c r="C2"><v>0.1</v></c></row>"#,
        r#"<row r="3"><c r="B3" t="inlineStr"><is><t>Food</t></is></c><c r="C3"><f>1/5</f><v>0.2</v></c></row>"#,
        r#"<row r="4"><c r="B4" t="inlineStr"><is><t>Rent</t></is></c><c r="C4" t="inlineStr"><is><t>n/a</t></is></c></row>"#,
    );
    let edited = Build::rows(rows)
        .apply_ok(&json!([{"op": "summarize_by_category", "sheet": "Sum", "source_sheets": ["Data"]}]));
    assert_eq!(
        edited.rows(2),
        concat!(
            r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>"#,
            r#"<row r="2"><c r="A2" t="s"><v>3</v></c><c r="B2"><v>0.3</v></c><c r="C2"><v>0.3</v></c></row>"#,
        )
    );
    assert_eq!(edited.applied.warnings, ["ops[0].source_sheets: cells of Data that do not count: C4 (not a number)"]);
}

#[test]
fn an_amount_that_is_not_calculated_is_told() {
    let food = |row: u32, amount: &str| {
        format!(r#"<row r="{row}"><c r="B{row}" t="inlineStr"><is><t>Food</t></is></c>{amount}</row>"#)
    };
    let rows = [
        food(2, r#"<c r="C2"><f>1+1</f><v></v></c>"#),
        food(3, r#"<c r="C3"><f>1+2</f></c>"#),
        food(4, r#"<c r="C4"><v>4</v></c>"#),
        food(5, r#"<c r="C5" s="0"/>"#),
        food(6, ""),
    ];
    let edited = Build::rows(&rows.concat()).apply_ok(&json!([
        {"op": "set_cells", "sheet": "Data", "cells": [{"cell": "C6", "value": "=C4*2"}]},
        {"op": "summarize_by_category", "sheet": "Sum", "source_sheets": ["Data"]},
    ]));
    let told = "ops[1].source_sheets: cells of Data that do not count: C2 (a formula without a stored value), C3 (a formula without a stored value), C6 (a formula without a stored value)";
    assert_eq!(edited.applied.warnings.first().map(String::as_str), Some(told));
    let sums = edited.rows(2);
    assert!(sums.contains(r#"<c r="B2"><v>4</v></c>"#), "{sums}");
}

#[test]
fn a_part_that_another_sheet_uses_stays() {
    let mut package = Package::open(two().bytes(), Limits::default()).unwrap();
    let book = String::from_utf8(package.read("xl/workbook.xml").unwrap()).unwrap();
    package.set("xl/workbook.xml", book.replace("r:id=\"rId2\"", "r:id=\"rId1\"").as_bytes());
    let ops = json!([{"op": "delete_sheet", "sheet": "Two"}]);
    let applied = apply(Some(package.save().unwrap().into()), &ops, &ApplyOptions::default()).unwrap();
    let after = Package::open(applied.bytes, Limits::default()).unwrap();
    let parts: Vec<_> = WorkbookPart::read(&after).unwrap().sheets.into_iter().map(|sheet| sheet.part).collect();
    assert_eq!(parts, [Some("xl/worksheets/sheet1.xml".to_owned())]);
    assert!(after.has("xl/worksheets/sheet1.xml"));
}
