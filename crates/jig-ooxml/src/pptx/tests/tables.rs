//! Text in table cells.

use super::*;

fn deck() -> Vec<u8> {
    let cell = |text: &str, more: &str| {
        format!(
            r#"<a:tc{more}><a:txBody><a:bodyPr/><a:p><a:r><a:rPr b="1"/><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"#
        )
    };
    let rows = format!(
        r#"<a:tr h="1">{}{}</a:tr><a:tr h="1">{}<a:tc/></a:tr>"#,
        cell("a", " rowSpan=\"2\""),
        cell("b", ""),
        cell("", " vMerge=\"1\"")
    );
    let frame = format!(
        r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="7" name="Numbers"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"#
    );
    Making::new().slide(&frame).bytes()
}

#[test]
fn cells_are_set_with_their_format() {
    let cells = json!([{"row": 0, "col": 1, "text": "new"}, {"row": 1, "col": 0, "text": "merged"}, {"row": 1, "col": 1, "text": "bare"}]);
    let applied =
        run(Some(deck()), json!([{"op": "set_table_cells", "index": 0, "table": "numbers", "cells": cells}])).unwrap();
    assert_eq!(applied.warnings, ["ops[0].cells[1]: the cell is merged; its text went to row 0, column 0"]);
    assert_eq!(applied.changes[0].summary, "Set 3 cells of the table Numbers on slide 1.");
    let content = read(&applied.bytes, "PptxGetSlideContent", json!({}));
    assert_eq!(content["slide"]["shapes"][0]["table"]["rows"], json!([["merged", "new"], ["", "bare"]]));
    let slide = part(&applied.bytes, "ppt/slides/slide1.xml");
    assert!(slide.contains(r#"<a:r><a:rPr b="1"/><a:t>new</a:t></a:r>"#));
    assert!(
        slide.contains(
            "<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>bare</a:t></a:r></a:p></a:txBody></a:tc>"
        )
    );
}

#[test]
fn what_is_outside_is_refused() {
    let cases = [
        (
            json!({"row": 2, "col": 0, "text": ""}),
            json!(0),
            "ops[0].cells[0].row: row 2 not found; the table has 2, counted from 0",
        ),
        (
            json!({"row": 0, "col": 2, "text": ""}),
            json!(0),
            "ops[0].cells[0].col: col 2 not found; the table has 2, counted from 0",
        ),
        (json!({"row": 0, "col": 0}), json!(0), "ops[0].cells[0].text: missing: the text of the cell"),
        (
            json!({"row": 0, "col": 0, "text": ""}),
            json!(1),
            "ops[0].table: table 1 not found on slide 1; it has Numbers",
        ),
        (
            json!({"row": 0, "col": 0, "text": ""}),
            json!("Number"),
            "ops[0].table: table Number not found on slide 1; it has Numbers",
        ),
    ];
    for (cell, table, wanted) in cases {
        let error = refused(&deck(), json!([{"op": "set_table_cells", "index": 0, "table": table, "cells": [cell]}]));
        assert_eq!(error.to_string(), wanted);
    }
}
