//! Formulas that are overwritten, and those that depend on what was written.

use serde_json::{Value, json};

use super::Build;
use crate::edit::ApplyOptions;
use crate::xlsx::formula::FormulaEngine;

#[test]
fn a_shared_formula_goes_on_without_its_first_cell() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*2</f><v>2</v></c></row>"#,
        r#"<row r="2"><c r="A2"><f t="shared" si="0"/><v>4</v></c></row>"#,
        r#"<row r="3"><c r="A3"><f t="shared" si="0"/><v>6</v></c></row>"#,
    );
    let edited = Build::rows(rows)
        .apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1"><v>5</v></c></row>"#,
            r#"<row r="2"><c r="A2"><f t="shared" ref="A2:A3" si="0">B2*2</f><v>4</v></c></row>"#,
            r#"<row r="3"><c r="A3"><f t="shared" si="0"/><v>6</v></c></row>"#,
        )
    );
}

#[test]
fn shared_formulas_that_expand_too_far_lose_their_values() {
    // One formula of 8 KB, shared by 9,000 cells.
    let formula = format!("A1{}", "+1".repeat(4_000));
    let first = format!(r#"<c r="B1"><f t="shared" ref="B1:B9000" si="0">{formula}</f><v>1</v></c>"#);
    let other = |n: u32| format!(r#"<row r="{n}"><c r="B{n}"><f t="shared" si="0"/><v>1</v></c></row>"#);
    let others: String = (2..=9_000).map(other).collect();
    let book = Build::rows(&format!(r#"<row r="1"><c r="A1"><v>1</v></c>{first}</row>{others}"#));
    let edited = computed(&book, &json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]));
    assert_eq!(edited.applied.stale.len(), 9_000);
    assert_eq!(edited.applied.stale[0].reason, "the workbook has more formulas than can be followed");
    assert!(edited.rows(1).ends_with(r#"<c r="B9000"><f t="shared" si="0"/></c></row>"#));
}

#[test]
fn a_shared_formula_follows_a_new_name_of_its_sheet() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><f t="shared" ref="A1:A2" si="0">Data!B1*2</f><v>2</v></c><c r="B1"><v>1</v></c></row>"#,
        r#"<row r="2"><c r="A2"><f t="shared" si="0"/><v>4</v></c><c r="C2"><f t="shared">Data!B1</f><v>1</v></c></row>"#,
    );
    let edited =
        Build::rows(rows).apply_ok(&json!([{"op": "rename_sheet", "sheet": "Data", "new_name": "Input"}])).rows(1);
    let wanted = rows.replace("Data!", "Input!");
    assert_eq!(edited, wanted);
}

#[test]
fn an_array_formula_is_replaced_whole_or_not() {
    let rows = concat!(
        r#"<row r="1"><c r="A1" cm="1"><f t="array" ref="A1:A2">B1:B2</f><v>1</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>2</v></c></row>"#,
    );
    let book = Build::rows(rows);
    let why = book.refused(json!({"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A2", "value": 5}]}));
    assert_eq!(
        why,
        "ops[0].cells[0].cell: A2 is part of the formula of A1, which fills A1:A2; write to A1 to replace it whole"
    );
    let edited = book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]));
    assert_eq!(edited.rows(1), r#"<row r="1"><c r="A1"><v>5</v></c></row><row r="2"></row>"#);
}

#[test]
fn the_calculation_chain_follows() {
    let rows = r#"<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>2+2</f><v>4</v></c></row>"#;
    let chain = r#"<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><c r="A1" i="1"/><c r="B1"/></calcChain>"#;
    let book = Build::rows(rows).part("xl/calcChain.xml", "calcChain", chain);
    let edited = book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}, {"cell": "C1", "value": "=B1"}]}]));
    let wanted = r#"<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><c i="1" r="B1"/><c r="C1" i="1"/></calcChain>"#;
    assert_eq!(edited.part("xl/calcChain.xml"), wanted);
    let edited = book.apply_ok(&json!([{"op": "set_range", "sheet": "Data", "start": "A1", "values": [[5, 6]]}]));
    assert!(!edited.package.has("xl/calcChain.xml"));
    assert!(!edited.part("[Content_Types].xml").contains("calcChain"));
    assert!(!edited.part("xl/_rels/workbook.xml.rels").contains("calcChain"));
}

const CHAIN: &str = r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c><c r="C1"><f>SUM(B:B)</f><v>2</v></c><c r="D1"><f>9+9</f><v>18</v></c></row>"#;

#[test]
fn without_an_engine_no_wrong_value_stays() {
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]);
    let applied = super::super::apply(Some(Build::rows(CHAIN).bytes()), &ops, &ApplyOptions::default()).unwrap();
    let edited = super::Edited::of(applied);
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1"><v>5</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f>SUM(B:B)</f></c><c r="D1"><f>9+9</f></c></row>"#
    );
    assert!(edited.part("xl/workbook.xml").contains(r#"</sheets><calcPr fullCalcOnLoad="1"/>"#));
    assert_eq!(
        edited.applied.warnings,
        [
            "not calculated, so without a stored value until the workbook is opened: Data!B1 (formulas are not computed here; was 2), Data!C1 (formulas are not computed here; was 2), Data!D1 (formulas are not computed here; was 18)"
        ]
    );
}

fn computed(book: &Build, ops: &Value) -> super::Edited {
    let engine = FormulaEngine::default();
    let options = ApplyOptions { formulas: Some(&engine), ..ApplyOptions::default() };
    super::Edited::of(super::super::apply(Some(book.bytes()), ops, &options).unwrap())
}

#[test]
fn computed_values_are_stored_with_their_type() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1&amp;"&lt;b"</f><v>2</v></c><c r="C1"><f>INFO(B1)</f><v>2</v></c><c r="D1"><f>9+9</f><v>18</v></c></row>"#;
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]);
    let edited = computed(&Build::rows(rows), &ops);
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1"><v>5</v></c><c r="B1" t="str"><f>A1&amp;"&lt;b"</f><v>5&lt;b</v></c><c r="C1"><f>INFO(B1)</f></c><c r="D1"><f>9+9</f><v>18</v></c></row>"#
    );
    assert_eq!(
        edited.applied.warnings,
        [
            "not calculated, so without a stored value until the workbook is opened: Data!C1 (the function INFO is not supported; was 2)"
        ]
    );
}

#[test]
fn results_that_stay_as_they_are_stay_to_the_byte() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*0+2+Other!E1*0</f><v>2.0</v></c></row>"#;
    let other = r#"<sheetData><row r="1"><c r="E1"><f>2+2</f></c></row></sheetData>"#;
    let book = Build::rows(rows).and_sheet("Other", other);
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}]);
    let edited = computed(&book, &ops);
    assert_eq!(edited.rows(1), rows.replace("<v>1</v>", "<v>5</v>"));
    assert_eq!(edited.changed_parts(), ["xl/worksheets/sheet1.xml"]);
}

#[test]
fn dates_in_iso_form_are_numbers_to_formulas() {
    let rows = concat!(
        r#"<row r="1"><c r="A1" t="d"><v>2024-01-05</v></c><c r="B1"><f>COUNT(A1:A4)+C1</f></c></row>"#,
        r#"<row r="2"><c r="A2" t="d"><v>2024-01-05T12:00:00</v></c><c r="B2"><f>A1+A2+A3+C1</f></c></row>"#,
        r#"<row r="3"><c r="A3" t="d"><v>06:00:00</v></c></row>"#,
        r#"<row r="4"><c r="A4" t="d"><v>soon</v></c><c r="B4"><f>A4&amp;C1</f></c></row>"#,
    );
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "C1", "value": 0}]}]);
    for (tail, sum) in [("", "90592.75"), (r#"<workbookPr date1904="1"/>"#, "87668.75")] {
        let edited = computed(&Build::rows(rows).tail(tail), &ops).rows(1);
        for value in ["COUNT(A1:A4)+C1</f><v>3", &format!("A1+A2+A3+C1</f><v>{sum}"), "A4&amp;C1</f><v>soon0"] {
            assert!(edited.contains(value), "{value}: {edited}");
        }
    }
}

#[test]
fn a_formula_that_spills_is_marked_as_a_dynamic_array() {
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "B1", "value": "=UNIQUE(A1:A3)"}, {"cell": "C1", "value": "=SUM(B1#)"}, {"cell": "D1", "value": "=XLOOKUP(1,A1:A3,A1:A3)"},
    ]}]);
    let edited = Build::rows(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#).apply_ok(&ops);
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1" cm="1"><f t="array" ref="B1">_xlfn.UNIQUE(A1:A3)</f></c>"#,
            r#"<c r="C1" cm="1"><f t="array" ref="C1">SUM(_xlfn.ANCHORARRAY(B1))</f></c><c r="D1"><f>_xlfn.XLOOKUP(1,A1:A3,A1:A3)</f></c></row>"#
        )
    );
    let metadata = edited.part("xl/metadata.xml");
    let entry = r#"<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>"#;
    assert!(metadata.ends_with(entry), "{metadata}");
    assert!(metadata.contains(r#"fDynamic="1" fCollapsed="0"/>"#));
    assert!(edited.part("xl/_rels/workbook.xml.rels").contains("/sheetMetadata"));
    let again = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "F1", "value": "=SEQUENCE(2)"}]}]);
    let bytes = edited.applied.bytes.clone().into();
    let twice = super::super::apply(Some(bytes), &again, &ApplyOptions::default()).unwrap();
    assert_eq!(super::Edited::of(twice).part("xl/metadata.xml"), metadata);
}

#[test]
fn metadata_of_other_kinds_is_kept() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let types =
        r#"<metadataTypes count="1"><metadataType name="XLRICHVALUE" minSupportedVersion="120000"/></metadataTypes>"#;
    let values = r#"<valueMetadata count="1"><bk><rc t="1" v="0"/></bk></valueMetadata>"#;
    let old = format!(r#"<metadata xmlns="{main}">{types}{values}</metadata>"#);
    let book = Build::rows(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#).part("xl/metadata.xml", "sheetMetadata", &old);
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "B1", "value": "=SORT(A1:A3)"}]}]);
    let metadata = book.apply_ok(&ops).part("xl/metadata.xml");
    assert!(metadata.contains(r#"<metadataTypes count="2"><metadataType name="XLRICHVALUE""#), "{metadata}");
    assert!(metadata.contains(r#"</futureMetadata><cellMetadata count="1"><bk><rc t="2" v="0"/></bk></cellMetadata>"#));
    assert!(metadata.ends_with(&format!("{values}</metadata>")));
}
