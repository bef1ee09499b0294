//! Filling cells, adding rows and inserting tables.

use serde_json::json;

use super::support::{body, document, edited, refused, run};

const TABLE: &str = concat!(
    r#"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>"#,
    r#"<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>"#,
    r#"<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>tall</w:t></w:r></w:p></w:tc></w:tr>"#,
    r#"<w:tr><w:tc><w:tcPr><w:shd w:val="clear"/></w:tcPr><w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>b0</w:t></w:r></w:p><w:p/></w:tc>"#,
    r#"<w:tc><w:p/></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>"#
);

#[test]
fn cells_are_found_by_the_grid_and_keep_their_look() {
    let ops = json!([{"op": "set_table_cells", "table": 0, "cells": [
        {"row": 0, "col": 1, "text": "W"}, {"row": 1, "col": 2, "text": "T"}, {"row": 1, "col": 0, "text": 5},
        {"row": 1, "col": 1, "runs": [{"text": "x", "italic": true}]}
    ]}]);
    let wanted = TABLE
        .replace("wide", "W")
        .replace("tall", "T")
        .replace("<w:t>b0</w:t></w:r></w:p><w:p/>", "<w:t>5</w:t></w:r></w:p>")
        .replace("<w:tc><w:p/></w:tc>", "<w:tc><w:p><w:r><w:rPr><w:i/><w:iCs/></w:rPr><w:t>x</w:t></w:r></w:p></w:tc>");
    assert_eq!(edited(TABLE, ops), wanted);
}

#[test]
fn cells_that_are_not_there_are_refused_with_the_size() {
    let set = |row: usize, col: usize| {
        refused(TABLE, json!([{"op": "set_table_cells", "table": 0, "cells": [{"row": row, "col": col, "text": "x"}]}]))
    };
    assert_eq!(set(2, 0), "ops[0].cells[0].row: row 2 not found; the table has 2 rows and 3 columns, counted from 0");
    assert_eq!(
        set(0, 3),
        "ops[0].cells[0].col: row 0 has no cell in column 3; the table has 2 rows and 3 columns, counted from 0"
    );
    let no_table =
        refused("", json!([{"op": "set_table_cells", "table": 1, "cells": [{"row": 0, "col": 0, "text": "x"}]}]));
    assert_eq!(no_table, "ops[0].table: the document has no tables");
    let twice = json!([{"op": "set_table_cells", "table": 0, "cells": [{"row": 0, "col": 0, "text": "x"}, {"row": 0, "col": 1, "text": "y"}]}]);
    assert_eq!(refused(TABLE, twice), "ops[0].cells[1]: this cell is set twice in one op; merged cells are one cell");
}

#[test]
fn new_rows_look_like_the_last_one() {
    let ops = json!([{"op": "append_table_rows", "table": 0, "rows": [["1", 2, true], ["only"]]}]);
    let row = |a: &str, b: &str, c: &str| {
        let run = |text: &str, like: &str| {
            if text.is_empty() { String::new() } else { format!("<w:r>{like}<w:t>{text}</w:t></w:r>") }
        };
        format!(
            r#"<w:tr><w:tc><w:tcPr><w:shd w:val="clear"/></w:tcPr><w:p><w:pPr><w:jc w:val="right"/></w:pPr>{}</w:p></w:tc><w:tc><w:p>{}</w:p></w:tc><w:tc><w:p>{}</w:p></w:tc></w:tr>"#,
            run(a, "<w:rPr><w:b/></w:rPr>"),
            run(b, ""),
            run(c, "")
        )
    };
    let wanted = TABLE.replace("</w:tbl>", &format!("{}{}</w:tbl>", row("1", "2", "true"), row("only", "", "")));
    assert_eq!(edited(TABLE, ops), wanted);
    let four = refused(TABLE, json!([{"op": "append_table_rows", "table": 0, "rows": [[1, 2, 3, 4]]}]));
    assert_eq!(four, "ops[0].rows[0]: the row has 4 values but the table has 3 columns");
}

#[test]
fn values_stay_in_their_columns_when_other_rows_have_merged_cells() {
    let cell = |text: &str| match text {
        "" => "<w:tc><w:p></w:p></w:tc>".to_owned(),
        text => format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"),
    };
    let row = |texts: &[&str]| format!("<w:tr>{}</w:tr>", texts.iter().map(|text| cell(text)).collect::<String>());
    let merged = cell("wide").replace("<w:p>", r#"<w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p>"#);
    let merged = format!("<w:tr>{merged}{}</w:tr>", cell("x"));
    let table = |rows: &str| format!("<w:tbl><w:tblPr/>{rows}</w:tbl>");
    let appended = |rows: &str, values: serde_json::Value| {
        edited(&table(rows), json!([{"op": "append_table_rows", "rows": [values]}]))
    };
    let above = format!("{merged}{}", row(&["a", "b", "c"]));
    assert_eq!(appended(&above, json!([1, 2.5])), table(&format!("{above}{}", row(&["1", "2.5", ""]))));
    // The last row has too few cells: the nearest one above with enough is the model.
    let below = format!("{}{merged}", row(&["a", "b", "c"]));
    assert_eq!(appended(&below, json!([1, 2, 3])), table(&format!("{below}{}", row(&["1", "2", "3"]))));
}

#[test]
fn a_table_is_inserted_with_a_paragraph_between_it_and_others() {
    let applied =
        run(&document(TABLE), json!([{"op": "insert_table", "header": ["A", "B"], "rows": [["1"]]}])).unwrap();
    let out = body(&applied.bytes);
    let new = out.strip_prefix(TABLE).unwrap();
    let cell =
        |markup: &str| format!(r#"<w:tc><w:tcPr><w:tcW w:w="4513" w:type="dxa"/></w:tcPr><w:p>{markup}</w:p></w:tc>"#);
    let bold = |text: &str| cell(&format!("<w:r><w:rPr><w:b/><w:bCs/></w:rPr><w:t>{text}</w:t></w:r>"));
    let wanted = format!(
        concat!(
            r#"<w:p></w:p><w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/>"#,
            r#"<w:tblLook w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr>"#,
            r#"<w:tblGrid><w:gridCol w:w="4513"/><w:gridCol w:w="4513"/></w:tblGrid>"#,
            r#"<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl><w:p></w:p>"#
        ),
        bold("A"),
        bold("B"),
        cell("<w:r><w:t>1</w:t></w:r>"),
        cell("")
    );
    assert_eq!(new, wanted);
}
