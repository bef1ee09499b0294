//! Single cells, blocks and appended rows.

use serde_json::json;

use super::{Build, Edited};

#[test]
fn values_are_written_by_their_type() {
    let book = Build::rows("");
    let edited = book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "A1", "value": "text"},
        {"cell": "B1", "value": 12.5},
        {"cell": "C1", "value": true},
        {"cell": "D1", "value": "=A1&B1"},
        {"cell": "E1", "value": "=not a formula", "type": "string"},
        {"cell": "F1", "value": "12.50", "type": "number"},
        {"cell": "G1", "value": " spaced ", "type": "string"},
        {"cell": "H1", "value": null},
        {"cell": "I1", "value": "SUM(B1:F1)", "type": "formula"},
    ]}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>12.5</v></c><c r="C1" t="b"><v>1</v></c>"#,
            r#"<c r="D1"><f>A1&amp;B1</f></c><c r="E1" t="s"><v>1</v></c><c r="F1"><v>12.5</v></c>"#,
            r#"<c r="G1" t="s"><v>2</v></c><c r="I1"><f>SUM(B1:F1)</f></c></row>"#,
        )
    );
    assert_eq!(
        edited.part("xl/sharedStrings.xml").split_once("\n").unwrap().1,
        concat!(
            r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="3" uniqueCount="3">"#,
            r#"<si><t>text</t></si><si><t>=not a formula</t></si><si><t xml:space="preserve"> spaced </t></si></sst>"#,
        )
    );
}

#[test]
fn untouched_bytes_stay_and_attributes_are_kept() {
    let rows = "\n <row r='1' spans=\"1:2\" x=\"y\"><!-- note --><c r=\"A1\" s=\"3\"  t=\"s\" cm=\"1\" vm=\"2\" ph=\"1\"><v>0</v></c>\n<c r=\"B1\"><v>1.50</v></c></row>\n<row r=\"9\"><c r=\"A9\"><v>9</v></c></row>";
    let book = Build::rows(rows).strings("<si><t>old</t></si>", 1);
    let edited = book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "A1", "value": 7}, {"cell": "D1", "value": 8}, {"cell": "B5", "value": 5}, {"cell": "A10", "value": 10},
    ]}]));
    let wanted = "\n <row r='1' spans=\"1:4\" x=\"y\"><!-- note --><c r=\"A1\" s=\"3\" ph=\"1\"><v>7</v></c>\n<c r=\"B1\"><v>1.50</v></c><c r=\"D1\"><v>8</v></c></row>\n<row r=\"5\"><c r=\"B5\"><v>5</v></c></row><row r=\"9\"><c r=\"A9\"><v>9</v></c></row><row r=\"10\"><c r=\"A10\"><v>10</v></c></row>";
    assert_eq!(edited.rows(1), wanted);
    // The string is still in the table, but no cell uses it.
    assert!(edited.part("xl/sharedStrings.xml").contains(r#"count="0" uniqueCount="1"><si><t>old</t></si></sst>"#));
}

#[test]
fn rows_and_cells_without_addresses_keep_their_place() {
    let book = Build::rows("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row><row r=\"5\"/>");
    let edited = book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "C1", "value": 9}, {"cell": "A4", "value": 4}, {"cell": "B5", "value": 5},
    ]}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1"><v>9</v></c></row>"#,
            r#"<row><c><v>3</v></c></row><row r="4"><c r="A4"><v>4</v></c></row><row r="5"><c r="B5"><v>5</v></c></row>"#,
        )
    );
}

#[test]
fn rows_out_of_order_are_found() {
    let book =
        Build::rows(r#"<row r="5"><c r="A5"><v>5</v></c></row><row r="3"><c r="B3"/><c r="A3"><v>3</v></c></row>"#);
    let edited = book.apply_ok(&json!([{"op": "set_range", "sheet": "data", "start": "A3", "values": [[30, 31]]}]));
    assert_eq!(
        edited.rows(1),
        r#"<row r="5"><c r="A5"><v>5</v></c></row><row r="3"><c r="B3"><v>31</v></c><c r="A3"><v>30</v></c></row>"#
    );
}

#[test]
fn strings_are_found_before_they_are_added() {
    let items = "<si><r><t>rich</t></r></si><si/><si><t>a &amp; b</t></si><si><t>_x005F_x0041_</t></si>";
    let book = Build::rows("").strings(items, 4);
    let edited = book.apply_ok(
        &json!([{"op": "set_range", "sheet": "Data", "start": "A1", "values": [["a & b", "rich", "_x0041_", "a & b"]]}]),
    );
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1" t="s"><v>2</v></c><c r="B1" t="s"><v>4</v></c><c r="C1" t="s"><v>3</v></c><c r="D1" t="s"><v>2</v></c></row>"#
    );
    assert!(edited.part("xl/sharedStrings.xml").contains(r#"count="8" uniqueCount="5""#));
}

#[test]
fn dates_follow_the_calendar_of_the_workbook() {
    let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "A1", "value": "2024-01-05", "type": "date"},
        {"cell": "A2", "value": "1904-01-02", "type": "date"},
        {"cell": "A3", "value": "2024-01-05T12:00:00", "type": "date"},
    ]}]);
    for (tail, [first, second, third]) in
        [("", ["45296", "1463", "45296.5"]), (r#"<workbookPr date1904="1"/>"#, ["43834", "1", "43834.5"])]
    {
        let edited = Build::rows("").tail(tail).apply_ok(&ops);
        let rows = format!(
            r#"<row r="1"><c r="A1" s="1"><v>{first}</v></c></row><row r="2"><c r="A2" s="1"><v>{second}</v></c></row><row r="3"><c r="A3" s="2"><v>{third}</v></c></row>"#
        );
        assert_eq!(edited.rows(1), rows);
        assert!(edited.part("xl/styles.xml").contains(r#"<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts>"#));
    }
}

#[test]
fn a_date_before_the_calendar_of_the_workbook_is_refused() {
    let date = |date: &str| json!({"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": date, "type": "date"}]});
    let early = Build::rows("").apply_ok(&json!([date("1900-02-28")]));
    assert_eq!(early.rows(1), r#"<row r="1"><c r="A1" s="1"><v>59</v></c></row>"#);
    assert_eq!(
        Build::rows("").tail(r#"<workbookPr date1904="1"/>"#).refused(date("1903-12-31")),
        "ops[0].cells[0].value: a date is written 2024-01-05 or 2024-01-05T10:30:00, from 1904 on"
    );
}

#[test]
fn merged_areas_are_written_once_at_their_anchor() {
    let content = "<sheetData/><mergeCells count=\"1\"><mergeCell ref=\"A1:C1\"/></mergeCells>";
    let edited = Build::sheet("Data", content).apply_ok(&json!([
        {"op": "set_range", "sheet": "Data", "start": "B1", "values": [[1, 2, 3]]},
    ]));
    assert_eq!(edited.rows(1), r#"<row r="1"><c r="A1"><v>1</v></c><c r="D1"><v>3</v></c></row>"#);
    assert_eq!(
        edited.applied.warnings,
        [
            "ops[0]: written to the first cell of the merged area: B1 to A1",
            "ops[0]: 1 value(s) fall into merged areas that were written already, skipped",
        ]
    );
}

#[test]
fn rows_are_appended_below_the_data_and_a_table_grows() {
    let table = r#"<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="B1:D3"><autoFilter ref="B1:D3"/><tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/><tableColumn id="3" name="c"><calculatedColumnFormula>T[[#This Row],[b]]*2</calculatedColumnFormula></tableColumn></tableColumns></table>"#;
    let rows =
        r#"<row r="1"><c r="B1" t="inlineStr"><is><t>a</t></is></c></row><row r="3"><c r="B3"><v>1</v></c></row>"#;
    let book = Build::rows(rows).sheet_part("xl/tables/table1.xml", "table", table);
    let edited = book.apply_ok(&json!([{"op": "append_rows", "sheet": "Data", "rows": [[5, 6], [7, 8, 9]]}]));
    let new = r#"<row r="4"><c r="B4"><v>5</v></c><c r="C4"><v>6</v></c><c r="D4"><f>T[[#This Row],[b]]*2</f></c></row><row r="5"><c r="B5"><v>7</v></c><c r="C5"><v>8</v></c><c r="D5"><v>9</v></c></row>"#;
    assert_eq!(edited.rows(1), format!("{rows}{new}"));
    assert_eq!(edited.part("xl/tables/table1.xml"), table.replace("B1:D3", "B1:D5"));
    assert_eq!(edited.applied.changes[0].details["table_range"], "B1:D5");
}

#[test]
fn a_table_header_is_the_name_of_its_column() {
    let table = r#"<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="A1:B2"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>"#;
    let book = Build::rows("").sheet_part("xl/tables/table1.xml", "table", table);
    let edited =
        book.apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": "Net"}]}]));
    assert_eq!(edited.part("xl/tables/table1.xml"), table.replace("\"a\"", "\"Net\""));
    let why = book.refused(json!({"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 5}]}));
    assert_eq!(why, "ops[0].cells[0].cell: A1 is a header of the table T; a header is a text");
    let why = book.refused(json!({"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": "B"}]}));
    assert_eq!(why, "ops[0].cells[0].cell: the table T would have two columns of the same name");
}

#[test]
fn a_new_workbook_uses_its_first_sheet() {
    let edited = Edited::new_book(&json!([
        {"op": "ensure_sheet", "sheet": "Plan"},
        {"op": "set_cells", "sheet": "Plan", "cells": [{"cell": "A1", "value": 1}]},
        {"op": "ensure_sheet", "sheet": "Next"},
    ]));
    let sheets =
        r#"<sheets><sheet name="Plan" sheetId="1" r:id="rId1"/><sheet name="Next" sheetId="2" r:id="rId4"/></sheets>"#;
    assert!(edited.part("xl/workbook.xml").contains(sheets));
    assert_eq!(edited.rows(1), r#"<row r="1"><c r="A1"><v>1</v></c></row>"#);
}
