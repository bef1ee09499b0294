//! Widths, heights, panes, merged cells, number formats.

use serde_json::json;

use super::Build;

#[test]
fn columns_are_split_where_a_width_differs() {
    let content =
        r#"<cols><col min="1" max="5" width="10" hidden="1"/><col min="8" max="8" width="3"/></cols><sheetData/>"#;
    let edited = Build::sheet("Data", content).apply_ok(&json!([
        {"op": "set_column_widths", "sheet": "Data", "columns": [{"column": "C", "width": 20}, {"column": 7, "width": 7.5}]},
    ]));
    assert_eq!(
        edited.sheet(1),
        concat!(
            r#"<cols><col min="1" max="2" width="10" hidden="1"/><col min="3" max="3" width="20" hidden="1" customWidth="1"/>"#,
            r#"<col min="4" max="5" width="10" hidden="1"/><col min="7" max="7" width="7.5" customWidth="1"/>"#,
            r#"<col min="8" max="8" width="3"/></cols><sheetData></sheetData>"#,
        )
    );
}

#[test]
fn heights_are_set_on_rows_that_are_and_are_not_there() {
    let edited = Build::rows(r#"<row r="2" ht="5"><c r="A2"/></row>"#).apply_ok(&json!([
        {"op": "set_row_heights", "sheet": "Data", "rows": [{"row": 2, "height": 30}, {"row": 4, "height": 12.5}]},
    ]));
    assert_eq!(
        edited.rows(1),
        r#"<row customHeight="1" r="2" ht="30"><c r="A2"/></row><row r="4" ht="12.5" customHeight="1"/>"#
    );
}

#[test]
fn panes_are_frozen_and_freed() {
    let content = r#"<sheetViews><sheetView tabSelected="1" workbookViewId="0"><selection activeCell="B3" sqref="B3"/></sheetView></sheetViews><sheetData/>"#;
    let book = Build::sheet("Data", content);
    let frozen = book.apply_ok(&json!([{"op": "freeze_panes", "sheet": "Data", "row": 1, "column": 2}]));
    assert_eq!(
        frozen.sheet(1),
        concat!(
            r#"<sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane xSplit="2" ySplit="1" topLeftCell="C2" activePane="bottomRight" state="frozen"/>"#,
            r#"<selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="B3" sqref="B3"/>"#,
            r#"</sheetView></sheetViews><sheetData></sheetData>"#,
        )
    );
    let freed = super::super::apply(
        Some(frozen.applied.bytes.into()),
        &json!([{"op": "freeze_panes", "sheet": "Data"}]),
        &Default::default(),
    );
    let freed = super::Edited::of(freed.unwrap());
    assert_eq!(freed.sheet(1), content.replace("<sheetData/>", "<sheetData></sheetData>"));
}

#[test]
fn merging_clears_what_it_covers_and_says_so() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1" s="0"><v>2</v></c></row>"#;
    let edited = Build::rows(rows).apply_ok(&json!([{"op": "merge_cells", "sheet": "Data", "range": "A1:B2"}]));
    assert_eq!(
        edited.sheet(1),
        r#"<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1" s="0"/></row></sheetData><mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells>"#
    );
    assert_eq!(edited.applied.warnings, ["ops[0].range: values under the merged area were cleared: B1"]);
    let back = super::super::apply(
        Some(edited.applied.bytes.into()),
        &json!([{"op": "merge_cells", "sheet": "Data", "range": "B2", "unmerge": true}]),
        &Default::default(),
    );
    assert!(!super::Edited::of(back.unwrap()).sheet(1).contains("merge"));
}

#[test]
fn a_format_for_whole_columns_is_kept_by_the_columns() {
    let rows = r#"<row r="1"><c r="B1"><v>1</v></c></row>"#;
    let edited = Build::rows(rows)
        .apply_ok(&json!([{"op": "set_number_format", "sheet": "Data", "range": "B:C", "format": "0.00"}]));
    assert_eq!(
        edited.sheet(1),
        r#"<cols><col min="2" max="3" style="1" width="9.140625"/></cols><sheetData><row r="1"><c r="B1" s="1"><v>1</v></c></row></sheetData>"#
    );
}

#[test]
fn the_dimension_covers_new_cells() {
    let content = r#"<dimension ref="B2:C3"/><sheetData><row r="2"><c r="B2"><v>1</v></c></row></sheetData>"#;
    let edited = Build::sheet("Data", content)
        .apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A9", "value": 1}]}]));
    assert!(edited.sheet(1).starts_with(r#"<dimension ref="A2:C9"/>"#));
}
