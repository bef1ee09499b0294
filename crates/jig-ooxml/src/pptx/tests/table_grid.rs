//! New tables, and rows and columns of tables.

use super::*;

/// A table of 3 by 3 whose second and third row are merged in the first column, and second and third column in the first row.
fn deck() -> Vec<u8> {
    let cell = |text: &str, more: &str| {
        format!(
            r#"<a:tc{more}><a:txBody><a:bodyPr/><a:p><a:r><a:rPr b="1"/><a:t>{text}</a:t></a:r></a:p></a:txBody><a:tcPr anchor="ctr"/></a:tc>"#
        )
    };
    let empty = |more: &str| format!("<a:tc{more}><a:txBody><a:bodyPr/><a:p/></a:txBody><a:tcPr/></a:tc>");
    let rows = [
        format!("{}{}{}", cell("head", ""), cell("wide", r#" gridSpan="2""#), empty(r#" hMerge="1""#)),
        format!("{}{}{}", cell("high", r#" rowSpan="2""#), cell("b", ""), cell("c", "")),
        format!("{}{}{}", empty(r#" vMerge="1""#), cell("d", ""), cell("e", "")),
    ];
    let rows: String =
        rows.iter().map(|row| format!(r#"<a:tr h="100">{row}<a:extLst><a:ext uri="x"/></a:extLst></a:tr>"#)).collect();
    let frame = format!(
        r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="7" name="Numbers"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="600" cy="300"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblGrid><a:gridCol w="200"/><a:gridCol w="200"/><a:gridCol w="200"/></a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"#
    );
    Making::new().slide(&frame).bytes()
}

fn rows(bytes: &[u8]) -> Value {
    read(bytes, "PptxGetSlideContent", json!({}))["slide"]["shapes"][0]["table"]["rows"].clone()
}

fn slide(bytes: &[u8]) -> String {
    part(bytes, "ppt/slides/slide1.xml")
}

#[test]
fn rows_go_in_with_the_format_of_their_neighbours_and_through_merged_cells() {
    let ops = json!([{"op": "insert_table_rows", "slide": 1, "row": 2, "values": [["", "x", 2]]}]);
    let applied = run(Some(deck()), ops).unwrap();
    assert_eq!(applied.changes[0].summary, "Inserted 1 row into the table Numbers on slide 1.");
    assert_eq!(rows(&applied.bytes), json!([["head", "wide", ""], ["high", "b", "c"], ["", "x", "2"], ["", "d", "e"]]));
    let text = slide(&applied.bytes);
    assert!(text.contains(r#"rowSpan="3""#) && text.matches("vMerge").count() == 2, "{text}");
    assert!(text.contains(r#"<a:r><a:rPr b="1"/><a:t>x</a:t></a:r></a:p></a:txBody><a:tcPr anchor="ctr"/></a:tc>"#));
    assert!(text.contains(r#"<a:ext cx="600" cy="400"/>"#));
    assert_eq!(text.matches("<a:extLst>").count(), 3);
    // At the end, without values.
    let applied = run(Some(deck()), json!([{"op": "insert_table_rows", "slide": 1, "count": 2}])).unwrap();
    assert_eq!(rows(&applied.bytes).as_array().unwrap().len(), 5);
    assert!(slide(&applied.bytes).contains(r#"rowSpan="2""#));
}

#[test]
fn deleted_rows_leave_merged_cells_with_their_text() {
    let applied = run(Some(deck()), json!([{"op": "delete_table_rows", "slide": 1, "row": 1}])).unwrap();
    assert_eq!(rows(&applied.bytes), json!([["head", "wide", ""], ["high", "d", "e"]]));
    let text = slide(&applied.bytes);
    assert!(!text.contains("vMerge") && !text.contains("rowSpan") && text.contains(r#"cy="200""#), "{text}");
    let applied = run(Some(deck()), json!([{"op": "delete_table_rows", "slide": 1, "row": 2}])).unwrap();
    assert_eq!(rows(&applied.bytes), json!([["head", "wide", ""], ["high", "b", "c"]]));
    assert!(!slide(&applied.bytes).contains("rowSpan"));
}

#[test]
fn columns_go_in_and_out_the_same_way() {
    let ops = json!([{"op": "insert_table_columns", "slide": 1, "column": 2, "values": [["", "x", "y"]]}]);
    let applied = run(Some(deck()), ops).unwrap();
    assert_eq!(rows(&applied.bytes), json!([["head", "wide", "", ""], ["high", "b", "x", "c"], ["", "d", "y", "e"]]));
    let text = slide(&applied.bytes);
    assert!(text.contains(r#"gridSpan="3""#) && text.matches(r#"<a:gridCol w="150"/>"#).count() == 4, "{text}");
    let applied = run(Some(deck()), json!([{"op": "delete_table_columns", "slide": 1, "col": 1}])).unwrap();
    assert_eq!(rows(&applied.bytes), json!([["head", "wide"], ["high", "c"], ["", "e"]]));
    let text = slide(&applied.bytes);
    assert!(!text.contains("hMerge") && !text.contains("gridSpan") && text.contains(r#"cx="400""#), "{text}");
    assert_eq!(text.matches("<a:gridCol").count(), 2);
}

#[test]
fn tables_keep_a_row_and_a_column() {
    let cases = [
        (
            json!({"op": "delete_table_rows", "slide": 1, "row": 0, "count": 3}),
            "ops[0].count: the table has only 3 rows; use delete_shape to delete the table",
        ),
        (
            json!({"op": "delete_table_rows", "slide": 1, "row": 2, "count": 2}),
            "ops[0].row: row 3 not found; the table has 3, counted from 0",
        ),
        (
            json!({"op": "delete_table_columns", "slide": 1, "col": 3}),
            "ops[0].col: column 3 not found; the table has 3, counted from 0",
        ),
        (
            json!({"op": "insert_table_rows", "slide": 1, "row": 4}),
            "ops[0].row: row 4 not found; the table has 3, so a new row can go before 0 to 3",
        ),
        (
            json!({"op": "insert_table_rows", "slide": 1, "values": [["a", "b", "c", "d"]]}),
            "ops[0].values[0]: the list has 4 values, but there are 3",
        ),
        (
            json!({"op": "insert_table_rows", "slide": 1, "values": [[["a"]]]}),
            "ops[0].values[0][0]: expected a text, number, boolean or null",
        ),
    ];
    for (op, wanted) in cases {
        assert_eq!(refused(&deck(), json!([op])).to_string(), wanted);
    }
}

#[test]
fn a_new_table_goes_into_the_empty_placeholder() {
    let bytes = run(None, json!([{"op": "add_slide", "title": "t"}])).unwrap().bytes;
    let ops = json!([{"op": "insert_table", "slide": 1, "values": [["a", 1], ["b"]], "style": "no style table grid", "header": false}]);
    let error = refused(&bytes, ops.clone());
    assert!(error.to_string().starts_with("ops[0].header: unknown field"), "{error}");
    let ops = json!([{"op": "insert_table", "slide": 1, "values": [["a", 1], ["b"]], "style": "no style table grid", "header_row": false}]);
    let applied = run(Some(bytes.clone()), ops).unwrap();
    let text = slide(&applied.bytes);
    assert!(
        text.contains(r#"<p:nvPr><p:ph idx="1"/></p:nvPr></p:nvGraphicFramePr><p:xfrm><a:off x="838200""#),
        "{text}"
    );
    assert!(text.contains(
        r#"<a:tblPr bandRow="1"><a:tableStyleId>{5940675A-B579-460E-94D1-54222C63F5DA}</a:tableStyleId></a:tblPr>"#
    ));
    let content = read(&applied.bytes, "PptxGetSlideContent", json!({}));
    assert_eq!(content["slide"]["shapes"][1]["table"]["rows"], json!([["a", "1"], ["b", ""]]));
    // With a place, the placeholder stays.
    let ops = json!([{"op": "insert_table", "slide": 1, "rows": 2, "columns": 3, "left": 1, "top": 2, "width": 6, "height": 2, "name": "T"}]);
    let text = slide(&run(Some(bytes.clone()), ops).unwrap().bytes);
    assert!(
        text.contains(r#"name="T"/>"#)
            && text.contains(r#"<a:gridCol w="1828800"/>"#)
            && text.contains(r#"<a:tr h="914400">"#)
    );
    assert!(text.contains("{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"));
    let cases = [
        (
            json!({"op": "insert_table", "slide": 1}),
            "ops[0].values: the size of the table is missing: give values, or rows and columns",
        ),
        (
            json!({"op": "insert_table", "slide": 1, "rows": 1, "values": [["a"], ["b"]]}),
            "ops[0].values: the list of rows has 2 values, but there are 1",
        ),
        (
            json!({"op": "insert_table", "slide": 1, "rows": 500, "columns": 100}),
            "ops[0]: the table would have 50000 cells; the limit is 20000",
        ),
        (
            json!({"op": "insert_table", "slide": 1, "rows": 1, "columns": 1, "placeholder": 7}),
            "ops[0].placeholder: slide 1 has no such empty placeholder; it has Title 1 (title), Content Placeholder 2 (obj)",
        ),
    ];
    for (op, wanted) in cases {
        assert_eq!(refused(&bytes, json!([op])).to_string(), wanted);
    }
}
