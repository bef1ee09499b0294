//! Whatever comes in, there is an answer.

use proptest::prelude::*;
use serde_json::{Value, json};

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::{OpSet, Strictness};

use super::support::{document, run};
use crate::docx::edit::apply;
use crate::edit::ApplyOptions;

/// Pieces of markup that fit together in many right and wrong ways.
const PIECES: &[&str] = &[
    "<w:p/>",
    "<w:p><w:r><w:t>one two</w:t></w:r></w:p>",
    "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>",
    "<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr><w:ins w:id=\"3\"><w:r><w:t>two</w:t></w:r></w:ins></w:p>",
    "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/><w:t>one</w:t></w:r></w:p>",
    "<w:p><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:bookmarkEnd w:id=\"1\"/></w:p>",
    "<w:tbl/>",
    "<w:tbl><w:tr/></w:tbl>",
    "<w:tbl><w:tr><w:tc/></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>",
    "<w:sdt><w:sdtContent><w:p><w:r><w:t>two</w:t></w:r></w:p><w:tbl/></w:sdtContent></w:sdt>",
    "<w:del><w:p><w:r><w:delText>one</w:delText></w:r></w:p></w:del>",
    "<w:p><w:pPr><w:sectPr/></w:pPr></w:p>",
    "<w:bookmarkStart w:id=\"1\" w:name=\"x\"/>",
    "<w:r><w:t>two</w:t></w:r>",
];

fn any_op() -> impl Strategy<Value = Value> {
    let fields = (0..DocxOp::names().len(), any::<bool>(), 0_usize..4, 0_usize..3, 0_usize..3);
    fields.prop_map(|(op, track, section, row, place)| {
        let mut op = json!({
            "op": DocxOp::names()[op], "track_changes": track, "section": section, "paragraphs": ["one", {"runs": [{"text": "b", "bold": true}]}],
            "search": "one", "replace": "o\ttwo", "table": 0, "cells": [{"row": row, "col": 0, "text": "two"}], "rows": [["one"]],
            "heading": "two", "text": "t", "data_base64": "R0lGODlhAQACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAIAAAICBAoAOw=="
        });
        if place > 0 && let Some(fields) = op.as_object_mut() && matches!(fields["op"].as_str(), Some("insert_paragraphs" | "insert_table" | "insert_image")) {
            fields.remove("section");
            fields.insert(if place == 1 { "after_index" } else { "before_index" }.to_owned(), section.into());
        }
        // These are strict in every profile.
        if let Some(fields) = op.as_object_mut().filter(|op| matches!(op["op"].as_str(), Some("set_paragraphs" | "replace_document"))) {
            fields.retain(|name, _| matches!(name.as_str(), "op" | "paragraphs" | "track_changes"));
        }
        op
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn ops_on_any_body_leave_one_that_can_be_edited_again(
        pieces in prop::collection::vec(0..PIECES.len(), 0..6),
        ops in prop::collection::vec(any_op(), 1..4),
    ) {
        let body: String = pieces.iter().map(|at| PIECES[*at]).collect();
        let options = ApplyOptions { strictness: Strictness::Warn, ..ApplyOptions::default() };
        if let Ok(applied) = apply(Some(document(&body)), &Value::Array(ops), &options) {
            let again = run(&applied.bytes.into(), json!([{"op": "append_paragraph", "text": "again"}]));
            prop_assert!(again.is_ok(), "{:?}", again.err());
        }
    }
}
