//! Descriptions of ops for agents: short, and with every op.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::parse_ops;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::schema::{list_schema, op_signature};
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpSet, Strictness};
use serde_json::{Value, json};

fn descriptions<T: OpSet>() -> String {
    let schema = list_schema::<T>("").to_value();
    let text = schema["items"]["description"].as_str().unwrap().to_owned();
    assert!(!schema.to_string().contains("x-"), "{schema}");
    assert_eq!(schema["items"]["additionalProperties"], true);
    for name in T::names() {
        assert!(text.contains(name), "{name}");
        assert!(op_signature::<T>(name).unwrap().starts_with(name));
    }
    text
}

#[test]
fn every_op_has_a_short_description() {
    let all = [descriptions::<XlsxOp>(), descriptions::<DocxOp>(), descriptions::<PptxOp>(), descriptions::<TextOp>()];
    for (text, most) in all.iter().zip([1_300, 1_700, 1_200, 400]) {
        assert!(text.len() < most, "{} characters: {text}", text.len());
    }
}

fn cells(cells: &Value) -> Result<Vec<(String, Option<Value>)>, String> {
    let ops = json!([{ "op": "set_cells", "sheet": "S", "cells": cells }]);
    let parsed = parse_ops::<XlsxOp>(&ops, Strictness::Refuse).map_err(|error| error.to_string())?;
    let XlsxOp::SetCells(op) = &parsed.list[0].op else { panic!("another op") };
    Ok(op.cells.iter().map(|cell| (cell.cell.clone(), cell.value.clone().flatten())).collect())
}

#[test]
fn cells_may_be_written_as_an_object_from_addresses_to_values() {
    let expected = || Ok(vec![("A1".to_owned(), Some(json!(5))), ("B2".to_owned(), Some(json!("=A1*2")))]);
    assert_eq!(cells(&json!({ "A1": 5, "B2": "=A1*2" })), expected());
    assert_eq!(cells(&json!([{ "A1": 5, "B2": "=A1*2" }])), expected());
    assert_eq!(cells(&json!([{ "A1": 5 }, { "B2": "=A1*2" }])), expected());
    assert_eq!(cells(&json!([{ "A1": 5 }, { "cell": "B2", "value": "=A1*2" }])), expected());
    assert_eq!(cells(&json!([["A1", 5], ["B2", "=A1*2"]])), expected());
    let refused = cells(&json!([{ "cel": "A1", "value": 5 }])).unwrap_err();
    assert!(refused.contains("`cel`") && refused.contains("`cell`"), "{refused}");
    let refused = cells(&json!({ "A1": 5, "total": 6 })).unwrap_err();
    assert!(refused.contains("unknown field `A1`"), "{refused}");
}
