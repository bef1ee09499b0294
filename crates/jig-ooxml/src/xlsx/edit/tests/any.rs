//! Any bytes and any ops: an answer or an error, never a panic.

use proptest::prelude::*;
use serde_json::{Value, json};

use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpSet, Strictness};

use super::super::apply;
use super::Build;
use crate::edit::ApplyOptions;

/// Pieces of sheets, whole and broken.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<row r=\"2\">"),
        Just("<row>"),
        Just("</row>"),
        Just("<row/>"),
        Just("<c r=\"A1\"><v>1</v></c>"),
        Just("<c r=\"B2\" t=\"s\"><v>9</v></c>"),
        Just("<c><f t=\"shared\" si=\"0\" ref=\"A1:B2\">A1+B$2</f></c>"),
        Just("<c r=\"C2\"><f t=\"shared\" si=\"0\"/><v>3</v></c>"),
        Just("<c r=\"A3\"><f t=\"array\" ref=\"A3:B9\">C1:C2</f></c>"),
        Just("<c r=\"ZZZ1\"/>"),
        Just("<!-- </row> -->"),
        Just("<![CDATA[</c>]]>"),
        Just("<extLst><row/></extLst>"),
        Just("<x:row xmlns:x=\"u\"/>"),
        Just("</sheetData>"),
        Just("<mergeCells><mergeCell ref=\"A1:B2\"/></mergeCells>"),
        Just("&amp;"),
        Just("é"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(0)),
        Just(json!(1_048_576)),
        Just(json!(-1.5)),
        Just(json!("Data")),
        Just(json!("A1")),
        Just(json!("A1:C3")),
        Just(json!("B:B")),
        Just(json!("=SUM(A1:B2)")),
        Just(json!("\u{1}<&>")),
        Just(json!("New")),
        Just(json!({"font_bold": true, "fill_color": "#123456"})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let names = prop::sample::select(vec!["cell", "value", "type", "style", "row", "height", "column", "width"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(names, inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn op() -> impl Strategy<Value = Value> {
    let fields = prop::sample::select(vec![
        "sheet",
        "cells",
        "start",
        "values",
        "style",
        "columns",
        "rows",
        "row",
        "column",
        "count",
        "range",
        "format",
        "new_name",
        "source_sheets",
        "unmerge",
    ]);
    (prop::sample::select(XlsxOp::names()), prop::collection::btree_map(fields, value(), 0..6)).prop_map(
        |(name, map)| {
            let mut op = json!(map);
            op["op"] = json!(name);
            op["sheet"] = op.get("sheet").cloned().unwrap_or(json!("Data"));
            op
        },
    )
}

proptest! {
    #[test]
    fn nothing_panics(rows in markup(), ops in prop::collection::vec(op(), 1..4)) {
        let book = Build::rows(&rows).strings("<si><t>a</t></si>", 1);
        let options = ApplyOptions { strictness: Strictness::Warn, ..ApplyOptions::default() };
        let _ = apply(Some(book.bytes()), &Value::Array(ops), &options);
    }

    #[test]
    fn what_is_written_can_be_edited_again(row in 1_u32..9, count in 1_u32..4, text in "[ -~éß]{0,12}") {
        let formula = "<row r=\"1\"><c r=\"A1\"><f t=\"shared\" ref=\"A1:A2\" si=\"0\">B1+$B$3</f></c></row><row r=\"2\"><c r=\"A2\"><f t=\"shared\" si=\"0\"/></c></row>";
        let first = Build::rows(formula).apply_ok(&json!([
            {"op": "insert_rows", "sheet": "Data", "row": row, "count": count},
            {"op": "set_cells", "sheet": "Data", "cells": [{"cell": "C3", "value": text, "type": "string"}]},
        ]));
        let again = json!([{"op": "delete_rows", "sheet": "Data", "row": row, "count": count}]);
        let second = apply(Some(first.applied.bytes.into()), &again, &ApplyOptions::default());
        prop_assert!(second.is_ok());
    }
}
