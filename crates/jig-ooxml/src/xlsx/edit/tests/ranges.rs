//! Ops on ranges: sorting, moving, copying, and columns that come and go.

use serde_json::json;

use super::Build;

fn filled() -> Build {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c><c r="C1"><v>9</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>2</v></c><c r="B2"><f>A2*2</f><v>4</v></c></row>"#,
        r#"<row r="3"><c r="A3"><f>SUM(A1:A2)</f><v>3</v></c></row>"#,
    );
    Build::rows(rows)
}

#[test]
fn inserted_columns_push_everything_right() {
    let content = concat!(
        r#"<dimension ref="A1:C2"/><cols><col min="1" max="2" width="20" customWidth="1"/><col min="3" max="3" width="5"/></cols>"#,
        r#"<sheetData><row r="1" spans="1:3"><c r="A1"><v>1</v></c><c r="B1"><f>A1+C1</f><v>4</v></c><c r="C1"><v>3</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>1</v></c></row></sheetData><autoFilter ref="A1:C2"><filterColumn colId="2"><filters><filter val="3"/></filters></filterColumn></autoFilter>"#,
        r#"<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>"#,
        r#"<conditionalFormatting sqref="C1:C2"><cfRule type="expression" priority="1"><formula>$C1&gt;1</formula></cfRule></conditionalFormatting>"#,
        r#"<hyperlinks><hyperlink ref="C1" location="Data!C2"/></hyperlinks><colBreaks count="1" manualBreakCount="1"><brk id="2" max="16383" man="1"/></colBreaks>"#,
    );
    let names = r#"<definedNames><definedName name="All">Data!$A$1:$C$2</definedName></definedNames>"#;
    let edited = Build::sheet("Data", content)
        .tail(names)
        .apply_ok(&json!([{"op": "insert_columns", "sheet": "Data", "column": "B", "count": 2}]));
    assert_eq!(
        edited.sheet(1),
        concat!(
            r#"<dimension ref="A1:E2"/><cols><col min="1" max="4" width="20" customWidth="1"/><col min="5" max="5" width="5"/></cols>"#,
            r#"<sheetData><row r="1" spans="1:5"><c r="A1"><v>1</v></c><c r="D1"><f>A1+E1</f><v>4</v></c><c r="E1"><v>3</v></c></row>"#,
            r#"<row r="2"><c r="A2"><v>1</v></c></row></sheetData><autoFilter ref="A1:E2"><filterColumn colId="4"><filters><filter val="3"/></filters></filterColumn></autoFilter>"#,
            r#"<mergeCells count="1"><mergeCell ref="A2:D2"/></mergeCells>"#,
            r#"<conditionalFormatting sqref="E1:E2"><cfRule type="expression" priority="1"><formula>$E1&gt;1</formula></cfRule></conditionalFormatting>"#,
            r#"<hyperlinks><hyperlink ref="E1" location="Data!E2"/></hyperlinks><colBreaks count="1" manualBreakCount="1"><brk id="4" max="16383" man="1"/></colBreaks>"#,
        )
    );
    assert!(edited.part("xl/workbook.xml").contains("Data!$A$1:$E$2"));
}

#[test]
fn deleted_columns_take_along_what_stood_there() {
    let content = concat!(
        r#"<cols><col min="2" max="2" width="20"/></cols><sheetData><row r="1" spans="1:3"><c r="A1"><f>B1+C1</f><v>5</v></c><c r="B1"><v>2</v></c><c r="C1"><v>3</v></c></row></sheetData>"#,
        r#"<autoFilter ref="A1:C1"><filterColumn colId="1"/></autoFilter>"#,
    );
    let edited =
        Build::sheet("Data", content).apply_ok(&json!([{"op": "delete_columns", "sheet": "Data", "column": "B"}]));
    assert_eq!(
        edited.sheet(1),
        concat!(
            r#"<sheetData><row r="1" spans="1:2"><c r="A1"><f>#REF!+B1</f></c><c r="B1"><v>3</v></c></row></sheetData>"#,
            r#"<autoFilter ref="A1:B1"></autoFilter>"#,
        )
    );
    let change = &edited.applied.changes[0];
    assert_eq!(change.details["old"], json!([{"cell": "B1", "value": 2}]));
}

#[test]
fn columns_cannot_be_pushed_off_the_sheet() {
    let book = Build::rows(r#"<row r="1"><c r="XFD1"><v>1</v></c></row>"#);
    let why = book.refused(json!({"op": "insert_columns", "sheet": "Data", "column": "A"}));
    assert_eq!(why, "ops[0].count: column XFD holds values, which would be pushed off the sheet");
    let why = book.refused(json!({"op": "delete_columns", "sheet": "Data", "column": "XFD", "count": 2}));
    assert_eq!(why, "ops[0].count: the sheet ends at column XFD");
}

#[test]
fn moved_cells_keep_what_they_are_and_formulas_follow() {
    let edited = filled().apply_ok(&json!([{"op": "move_range", "sheet": "Data", "range": "A1:A2", "to": "E5"}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="B1"><f>E5*2</f><v>2</v></c><c r="C1"><v>9</v></c></row>"#,
            r#"<row r="2"><c r="B2"><f>E6*2</f><v>4</v></c></row>"#,
            r#"<row r="3"><c r="A3"><f>SUM(E5:E6)</f><v>3</v></c></row>"#,
            r#"<row r="5"><c r="E5"><v>1</v></c></row><row r="6"><c r="E6"><v>2</v></c></row>"#,
        )
    );
    assert!(edited.applied.warnings.is_empty(), "{:?}", edited.applied.warnings);
    // Four cells have another content: two lost theirs, two got it.
    assert_eq!(edited.applied.cells.written_count, 4);
}

#[test]
fn a_moved_formula_reads_the_same_cells() {
    let edited = filled().apply_ok(&json!([{"op": "move_range", "sheet": "Data", "range": "B1:B2", "to": "H9"}]));
    let rows = edited.rows(1);
    assert!(rows.contains(r#"<c r="H9"><f>A1*2</f><v>2</v></c>"#), "{rows}");
    assert!(rows.contains(r#"<c r="H10"><f>A2*2</f><v>4</v></c>"#), "{rows}");
}

#[test]
fn a_move_refuses_to_overwrite() {
    let why = filled().refused(json!({"op": "move_range", "sheet": "Data", "range": "A1", "to": "C1"}));
    assert_eq!(why, "ops[0].to: the new place C1 holds values (C1); set `overwrite` to replace them");
    let op = json!([{"op": "move_range", "sheet": "Data", "range": "A1", "to": "C1", "overwrite": true}]);
    let edited = filled().apply_ok(&op);
    assert!(edited.rows(1).contains(r#"<c r="C1"><v>1</v></c>"#));
    let why = filled().refused(json!({"op": "move_range", "sheet": "Data", "range": "A1:B2", "to": "XFD1"}));
    assert_eq!(why, "ops[0].to: A1:B2 does not fit there: the sheet ends at XFD1048576");
}

#[test]
fn copies_count_references_from_their_place() {
    let edited = filled().apply_ok(&json!([{"op": "copy_range", "sheet": "Data", "range": "B1", "to": "D1:D2"}]));
    let rows = edited.rows(1);
    assert!(rows.contains(r#"<c r="D1"><f>C1*2</f></c>"#), "{rows}");
    assert!(rows.contains(r#"<c r="D2"><f>C2*2</f></c>"#), "{rows}");
    let edited = filled()
        .apply_ok(&json!([{"op": "copy_range", "sheet": "Data", "range": "A1:B2", "to": "D1", "what": "values"}]));
    let rows = edited.rows(1);
    assert!(rows.contains(r#"<c r="E2"><v>4</v></c>"#), "{rows}");
    let why = filled().refused(json!({"op": "copy_range", "sheet": "Data", "range": "A1:B2", "to": "D1:E3"}));
    assert_eq!(
        why,
        "ops[0].to: D1:E3 is not filled by copies of A1:B2; give its first cell, or a multiple of its size"
    );
}

#[test]
fn rows_are_sorted_as_excel_sorts() {
    let cell = |row: u32, value: &str| format!(r#"<row r="{row}">{value}</row>"#);
    let rows = [
        r#"<c r="A1" t="str"><v>b</v></c>"#,
        r#"<c r="A2"><v>10</v></c>"#,
        r#"<c r="A3" t="b"><v>1</v></c>"#,
        r#"<c r="B4"><v>4</v></c>"#,
        r#"<c r="A5" t="e"><v>#N/A</v></c>"#,
        r#"<c r="A6" t="str"><v>A</v></c>"#,
        r#"<c r="A7"><v>9</v></c>"#,
    ];
    let rows: String = (1..).zip(rows).map(|(row, value)| cell(row, value)).collect();
    let sorted = |order: &str| {
        let op = json!([{"op": "sort_range", "sheet": "Data", "range": "A1:B7", "header": false, "by": [{"column": "A", "order": order}]}]);
        let text = Build::rows(&rows).apply_ok(&op).rows(1);
        let values: Vec<String> =
            text.split("<v>").skip(1).map(|piece| piece.split("</v>").next().unwrap_or_default().to_owned()).collect();
        values
    };
    assert_eq!(sorted("asc"), ["9", "10", "A", "b", "1", "#N/A", "4"]);
    assert_eq!(sorted("desc"), ["#N/A", "1", "b", "A", "10", "9", "4"]);
}

#[test]
fn formulas_that_read_other_rows_are_not_sorted() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1</f><v>2</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>B1+A2</f><v>3</v></c></row>"#,
    );
    let op = json!({"op": "sort_range", "sheet": "Data", "range": "A1:B2", "header": false, "by": ["A"]});
    let why = Build::rows(rows).refused(op);
    assert!(why.starts_with("ops[0].range: the formula of B2 reads B1 outside of its own row"), "{why}");
}

#[test]
fn sorted_formulas_read_their_own_row() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>2</v></c><c r="B1" s="1"><f>A1*$D$9</f><v>2</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>A2*$D$9</f><v>1</v></c></row>"#,
    );
    let op = json!([{"op": "sort_range", "sheet": "Data", "range": "A1:B2", "header": false, "by": [{"column": "A"}]}]);
    let edited = Build::rows(rows).apply_ok(&op);
    let rows = edited.rows(1);
    assert!(rows.starts_with(r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*$D$9</f>"#), "{rows}");
    assert!(rows.contains(r#"<c r="B2" s="1"><f>A2*$D$9</f>"#), "{rows}");
}

#[test]
fn rows_move_with_their_height() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="2" ht="30" customHeight="1"><c r="A2"><v>2</v></c></row>"#,
        r#"<row r="3"><c r="A3"><f>A2+A1</f><v>3</v></c></row>"#,
    );
    let edited = Build::rows(rows).apply_ok(&json!([{"op": "move_rows", "sheet": "Data", "row": 2, "to": 1}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1" customHeight="1" ht="30"><c r="A1"><v>2</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>"#,
            r#"<row r="3"><c r="A3"><f>A1+A2</f><v>3</v></c></row>"#,
        )
    );
}

#[test]
fn a_sum_keeps_a_row_that_moves_to_its_edge() {
    let rows: String = (1..=3).map(|row| format!(r#"<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>"#)).collect();
    let rows = rows + r#"<row r="4"><c r="A4"><f>SUM(A1:A3)</f><v>6</v></c></row>"#;
    for (row, to) in [(3, 1), (1, 4), (2, 1), (1, 3)] {
        let edited = Build::rows(&rows).apply_ok(&json!([{"op": "move_rows", "sheet": "Data", "row": row, "to": to}]));
        assert!(edited.rows(1).contains("<f>SUM(A1:A3)</f>"), "{row} to {to}: {}", edited.rows(1));
    }
}

#[test]
fn formats_are_cleared_and_contents_stay() {
    let rows = r#"<row r="1" s="1" customFormat="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="1"/></row>"#;
    let edited =
        Build::rows(rows).apply_ok(&json!([{"op": "clear_range", "sheet": "Data", "range": "1:1", "what": "formats"}]));
    assert_eq!(edited.rows(1), r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"/></row>"#);
}

#[test]
fn hostile_names_links_and_sizes_are_refused() {
    let book = filled();
    let cases = [
        (json!({"op": "define_name", "name": "_xlnm.Print_Area", "refers_to": "A1"}), "names that begin with `_xl`"),
        (json!({"op": "define_name", "name": "R1C1", "refers_to": "A1"}), "reads as a cell"),
        (json!({"op": "define_name", "name": "Loop", "refers_to": "=Loop+1"}), "cannot refer to itself"),
        (json!({"op": "define_name", "name": "Dde", "refers_to": "=cmd|' /c calc'!A0"}), "refers_to"),
        (
            json!({"op": "set_hyperlink", "sheet": "Data", "cell": "A1", "url": "data:text/html,x"}),
            "http, https or mailto",
        ),
        (
            json!({"op": "set_hyperlink", "sheet": "Data", "cell": "A1", "url": "\\\\host\\share"}),
            "http, https or mailto",
        ),
        (json!({"op": "set_hyperlink", "sheet": "Data", "cell": "A1", "place": "Nowhere!A1"}), "unknown sheet"),
        (json!({"op": "copy_range", "sheet": "Data", "range": "A1", "to": "A1:XFD1048576"}), "one op touches at most"),
        (json!({"op": "hide_rows", "sheet": "Data", "rows": "1:1048576"}), "at most 100000 rows"),
        (json!({"op": "set_note", "sheet": "Data", "cell": "A1", "text": "\u{1}"}), "missing or empty"),
        (json!({"op": "copy_sheet", "sheet": "Data", "new_name": "a/b"}), "contains one of"),
    ];
    for (op, wanted) in cases {
        let why = book.refused(op.clone());
        assert!(why.contains(wanted), "{op}: {why}");
    }
}
