//! Rows that come and go, and everything that points at them.

use serde_json::json;

use super::Build;

#[test]
fn inserted_rows_push_everything_down() {
    let content = concat!(
        r#"<dimension ref="A1:B3"/><sheetData><row r="1" spans="1:2"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A3)</f><v>6</v></c></row>"#,
        r#"<row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="A3"><v>3</v></c><c r="B3"><f>A2</f><v>2</v></c></row></sheetData>"#,
        r#"<autoFilter ref="A1:B3"/><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>"#,
        r#"<conditionalFormatting sqref="A1:A3"><cfRule type="expression" priority="1"><formula>A2&gt;1</formula></cfRule></conditionalFormatting>"#,
        r#"<dataValidations count="1"><dataValidation type="list" sqref="B2"><formula1>$A$2:$A$3</formula1></dataValidation></dataValidations>"#,
        r#"<hyperlinks><hyperlink ref="A3" location="Data!A2"/></hyperlinks>"#,
    );
    let names = r#"<definedNames><definedName name="All">Data!$A$1:$A$3</definedName></definedNames>"#;
    let book = Build::sheet("Data", content)
        .and_sheet("Two", r#"<sheetData><row r="1"><c r="A1"><f>Data!A3+A3</f></c></row></sheetData>"#)
        .tail(names);
    let edited = book.apply_ok(&json!([{"op": "insert_rows", "sheet": "Data", "row": 2, "count": 2}]));
    assert_eq!(
        edited.sheet(1),
        concat!(
            r#"<dimension ref="A1:B5"/><sheetData><row r="1" spans="1:2"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A5)</f><v>6</v></c></row>"#,
            r#"<row r="4"><c r="A4"><v>2</v></c></row><row r="5"><c r="A5"><v>3</v></c><c r="B5"><f>A4</f><v>2</v></c></row></sheetData>"#,
            r#"<autoFilter ref="A1:B5"/><mergeCells count="1"><mergeCell ref="A4:A5"/></mergeCells>"#,
            r#"<conditionalFormatting sqref="A1:A5"><cfRule type="expression" priority="1"><formula>A4&gt;1</formula></cfRule></conditionalFormatting>"#,
            r#"<dataValidations count="1"><dataValidation type="list" sqref="B4"><formula1>$A$4:$A$5</formula1></dataValidation></dataValidations>"#,
            r#"<hyperlinks><hyperlink ref="A5" location="Data!A4"/></hyperlinks>"#,
        )
    );
    assert_eq!(edited.rows(2), r#"<row r="1"><c r="A1"><f>Data!A5+A3</f></c></row>"#);
    assert!(edited.part("xl/workbook.xml").contains("Data!$A$1:$A$5"));
}

#[test]
fn deleted_rows_take_along_what_stood_there() {
    let content = concat!(
        r#"<sheetData><row r="1"><c r="A1"><f>A2</f><v>2</v></c></row><row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="A3"><v>3</v></c></row></sheetData>"#,
        r#"<mergeCells count="2"><mergeCell ref="B2:C2"/><mergeCell ref="B3:C3"/></mergeCells>"#,
        r#"<conditionalFormatting sqref="A2"><cfRule type="expression" priority="1"><formula>A2&gt;A3</formula></cfRule></conditionalFormatting>"#,
        r#"<hyperlinks><hyperlink ref="A2"/></hyperlinks>"#,
    );
    let edited = Build::sheet("Data", content).apply_ok(&json!([{"op": "delete_rows", "sheet": "Data", "row": 2}]));
    assert_eq!(
        edited.sheet(1),
        concat!(
            r#"<sheetData><row r="1"><c r="A1"><f>#REF!</f></c></row><row r="2"><c r="A2"><v>3</v></c></row></sheetData>"#,
            r#"<mergeCells count="1"><mergeCell ref="B2:C2"/></mergeCells>"#,
        )
    );
    assert_eq!(
        edited.applied.warnings,
        [
            "references are lost (#REF!) in Data!A1",
            "not calculated, so without a stored value until the workbook is opened: Data!A1",
        ]
    );
}

#[test]
fn shared_formulas_stay_right_when_rows_move() {
    let rows: String = (1..=4)
        .map(|row| {
            let formula = if row == 1 {
                "<f t=\"shared\" ref=\"B1:B4\" si=\"0\">A1+$A$4</f>"
            } else {
                "<f t=\"shared\" si=\"0\"/>"
            };
            format!("<row r=\"{row}\"><c r=\"B{row}\">{formula}</c></row>")
        })
        .collect();
    let edited = Build::rows(&rows).apply_ok(&json!([{"op": "insert_rows", "sheet": "Data", "row": 3}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="B1"><f t="shared" ref="B1:B5" si="0">A1+$A$5</f></c></row><row r="2"><c r="B2"><f t="shared" si="0"/></c></row>"#,
            r#"<row r="4"><c r="B4"><f t="shared" si="0"/></c></row><row r="5"><c r="B5"><f t="shared" si="0"/></c></row>"#,
        )
    );
}

#[test]
fn comments_drawings_and_tables_move_along() {
    let comments = r#"<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><commentList><comment ref="A2" authorId="0"/><comment ref="A5" authorId="0"/></commentList></comments>"#;
    let drawing = r#"<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:twoCellAnchor><xdr:from><xdr:row>0</xdr:row></xdr:from><xdr:to><xdr:row>5</xdr:row></xdr:to></xdr:twoCellAnchor></xdr:wsDr>"#;
    let table = r#"<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="A4:B6"><autoFilter ref="A4:B6"/><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>"#;
    let book = Build::rows("")
        .sheet_part("xl/comments1.xml", "comments", comments)
        .sheet_part("xl/drawings/drawing1.xml", "drawing", drawing)
        .sheet_part("xl/tables/table1.xml", "table", table);
    let edited = book.apply_ok(&json!([{"op": "delete_rows", "sheet": "Data", "row": 2, "count": 2}]));
    assert!(edited.part("xl/comments1.xml").contains(r#"<commentList><comment ref="A3" authorId="0"/></commentList>"#));
    assert!(
        edited.part("xl/drawings/drawing1.xml").contains("<xdr:row>0</xdr:row></xdr:from><xdr:to><xdr:row>3</xdr:row>")
    );
    assert_eq!(edited.part("xl/tables/table1.xml"), table.replace("A4:B6", "A2:B4"));
    assert_eq!(edited.applied.warnings, ["comments in the deleted rows are gone: A2"]);
    let why = book.refused(json!({"op": "delete_rows", "sheet": "Data", "row": 4}));
    assert_eq!(why, "ops[0].row: the rows hold the header or all the data of the table T (A4:B6); a table needs both");
}

#[test]
fn sparklines_go_with_their_cells() {
    let ext = r#"<extLst><ext uri="u" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">GROUPS</x14:sparklineGroups></ext></extLst>"#;
    let group = |formula: &str, cell: &str| {
        format!(
            "<x14:sparklineGroup><x14:colorSeries rgb=\"FF000000\"/><x14:sparklines><x14:sparkline><xm:f>{formula}</xm:f><xm:sqref>{cell}</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup>"
        )
    };
    let groups = group("Data!B1:C1", "D2") + &group("Data!B9:C9", "D9");
    let content = format!("<sheetData></sheetData>{}", ext.replace("GROUPS", &groups));
    let edited = Build::sheet("Data", &content).apply_ok(&json!([{"op": "delete_rows", "sheet": "Data", "row": 2}]));
    let wanted = format!("<sheetData></sheetData>{}", ext.replace("GROUPS", &group("Data!B8:C8", "D8")));
    assert_eq!(edited.sheet(1), wanted);
}

#[test]
fn inserted_rows_leave_no_value_that_may_be_wrong() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><f>ROW()</f><v>1</v></c><c r="B1"><v>10</v></c><c r="C1"><f>INDEX(B1:B3,2)</f><v>20</v></c><c r="D1"><f>SUM(B1:B3)</f><v>60</v></c></row>"#,
        r#"<row r="2"><c r="A2"><f>ROW()</f><v>2</v></c><c r="B2"><v>20</v></c><c r="C2"><f>B1+1</f><v>11</v></c></row>"#,
        r#"<row r="3"><c r="A3"><f t="shared" ref="A3" si="0">ROW()</f><v>3</v></c><c r="B3"><v>30</v></c><c r="C3"><f>ROWS($B$1:$B$3)</f><v>3</v></c><c r="D3"><f>MATCH(30,B:B,0)</f><v>3</v></c></row>"#,
    );
    let other = r#"<sheetData><row r="1"><c r="A1"><f>OFFSET(Data!B1,1,0)</f><v>20</v></c><c r="B1"><f>INDIRECT("Data!B2")</f><v>20</v></c><c r="C1"><f>Data!B3*2</f><v>60</v></c><c r="D1"><f>COUNTBLANK(All)</f><v>0</v></c><c r="E1"><f>One+1</f><v>31</v></c></row></sheetData>"#;
    let names = r#"<definedNames><definedName name="All">Data!$B$1:$B$3</definedName><definedName name="One">Data!$B$3</definedName></definedNames>"#;
    let book = Build::rows(rows).and_sheet("Two", other).tail(names);
    let edited = book.apply_ok(&json!([{"op": "insert_rows", "sheet": "Data", "row": 2}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1"><f>ROW()</f><v>1</v></c><c r="B1"><v>10</v></c><c r="C1"><f>INDEX(B1:B4,2)</f></c><c r="D1"><f>SUM(B1:B4)</f><v>60</v></c></row>"#,
            r#"<row r="3"><c r="A3"><f>ROW()</f></c><c r="B3"><v>20</v></c><c r="C3"><f>B1+1</f><v>11</v></c></row>"#,
            r#"<row r="4"><c r="A4"><f t="shared" ref="A4" si="0">ROW()</f></c><c r="B4"><v>30</v></c><c r="C4"><f>ROWS($B$1:$B$4)</f></c><c r="D4"><f>MATCH(30,B:B,0)</f></c></row>"#,
        )
    );
    assert_eq!(
        edited.rows(2),
        r#"<row r="1"><c r="A1"><f>OFFSET(Data!B1,1,0)</f></c><c r="B1"><f>INDIRECT("Data!B2")</f></c><c r="C1"><f>Data!B4*2</f><v>60</v></c><c r="D1"><f>COUNTBLANK(All)</f></c><c r="E1"><f>One+1</f><v>31</v></c></row>"#
    );
    assert_eq!(
        edited.applied.warnings,
        [
            "not calculated, so without a stored value until the workbook is opened: Data!C1, Data!A3, Data!A4, Data!C4, Data!D4, Two!A1, Two!B1, Two!D1"
        ]
    );
}

#[test]
fn deleted_rows_leave_no_value_that_may_be_wrong() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><f>ROW()</f><v>1</v></c><c r="B1"><f>One+1</f><v>31</v></c></row><row r="2"><c r="B2"><v>20</v></c></row>"#,
        r#"<row r="3"><c r="A3"><f>ROW()</f><v>3</v></c><c r="B3"><v>30</v></c></row>"#,
    );
    let names = r#"<definedNames><definedName name="One">Data!$B$3</definedName></definedNames>"#;
    let edited =
        Build::rows(rows).tail(names).apply_ok(&json!([{"op": "delete_rows", "sheet": "Data", "row": 2, "count": 1}]));
    assert_eq!(
        edited.rows(1),
        concat!(
            r#"<row r="1"><c r="A1"><f>ROW()</f><v>1</v></c><c r="B1"><f>One+1</f><v>31</v></c></row>"#,
            r#"<row r="2"><c r="A2"><f>ROW()</f></c><c r="B2"><v>30</v></c></row>"#,
        )
    );
    assert_eq!(
        edited.applied.warnings,
        ["not calculated, so without a stored value until the workbook is opened: Data!A2"]
    );
}

#[test]
fn a_table_that_grows_or_goes_changes_what_uses_it() {
    let table = r#"<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="A1:B3"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>"#;
    let rows = concat!(
        r#"<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>T[[#This Row],[a]]*2</f><v>2</v></c></row>"#,
        r#"<row r="3"><c r="A3"><v>2</v></c><c r="B3"><f>T[[#This Row],[a]]*2</f><v>4</v></c></row>"#,
    );
    let other = r#"<sheetData><row r="1"><c r="A1"><f>ROWS(T)</f><v>2</v></c><c r="B1"><f>SUM(T[a])</f><v>3</v></c><c r="C1"><f>1+1</f><v>2</v></c></row></sheetData>"#;
    let book = Build::rows(rows).and_sheet("Two", other).sheet_part("xl/tables/table1.xml", "table", table);
    let left = r#"<row r="1"><c r="A1"><f>ROWS(T)</f></c><c r="B1"><f>SUM(T[a])</f></c><c r="C1"><f>1+1</f><v>2</v></c></row>"#;
    let warning = "not calculated, so without a stored value until the workbook is opened: Two!A1, Two!B1";
    let edited = book.apply_ok(&json!([{"op": "insert_rows", "sheet": "Data", "row": 3}]));
    assert_eq!(edited.rows(1), rows.replace("r=\"3\"", "r=\"4\"").replace("A3", "A4").replace("B3", "B4"));
    assert_eq!(edited.rows(2), left);
    assert_eq!(edited.applied.warnings, [warning]);
    let edited = book.apply_ok(&json!([{"op": "delete_sheet", "sheet": "Data"}]));
    assert_eq!(edited.rows(2), left);
    assert_eq!(edited.applied.warnings, [warning]);
}
