//! Descriptions of ops for agents: short, typed, and with every op.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::parse_ops;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::schema::{TypedOps, list_schema, op_help, op_infos, op_signature};
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpSet, Strictness};
use serde_json::{Map, Value, json};

/// The schema of a list of ops, and its definitions.
fn schema_of<T: OpSet>(typed: TypedOps) -> (Value, Map<String, Value>) {
    let mut generator = schemars::SchemaGenerator::default();
    let schema = list_schema::<T>(&mut generator, typed, "").to_value();
    (schema, generator.take_definitions(false))
}

/// All references in a schema.
fn references(schema: &Value) -> Vec<String> {
    let text = schema.to_string();
    text.split("\"#/$defs/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

fn check_set<T: OpSet>(most: usize) {
    for name in T::USUAL {
        assert!(T::names().contains(name), "{name} is not an op");
    }
    for typed in [TypedOps::Usual, TypedOps::All] {
        let (schema, definitions) = schema_of::<T>(typed);
        assert_eq!((schema.clone(), definitions.clone()), schema_of::<T>(typed), "stable");
        let item = &schema["items"];
        assert_eq!(item["additionalProperties"], true);
        assert_eq!(item["properties"]["op"]["enum"], serde_json::json!(T::names()));
        assert_eq!(item["properties"].as_object().unwrap().keys().next().unwrap(), "op", "grammars keep the order");
        let described = item["description"].as_str().unwrap();
        for name in T::names() {
            let is_typed = typed == TypedOps::All || T::USUAL.contains(&name);
            assert_eq!(described.split([' ', ';', '.']).any(|word| word == name), is_typed, "{name} in {described}");
        }
        let text = format!("{item}{}", Value::Object(definitions.clone()));
        for op in op_infos::<T>().iter().filter(|op| typed == TypedOps::All || T::USUAL.contains(&op.name.as_str())) {
            for field in &op.fields {
                assert!(text.contains(&format!("\"{}\":", field.name)), "{}: {}", op.name, field.name);
                let is_typed = item["properties"][&field.name].is_object();
                assert!(is_typed || !field.required, "{}: {}", op.name, field.name);
            }
        }
        let texts: Vec<&Value> = definitions.values().chain([&schema]).collect();
        for name in texts.iter().flat_map(|schema| references(schema)) {
            assert!(definitions.contains_key(&name), "{name}");
            assert!(name.starts_with(&format!("{}_", T::FORMAT)), "{name}");
        }
        // llama.cpp takes an empty schema for an object.
        for keyword in ["\"x-aliases", "oneOf", ":{}", "items\":{}"] {
            assert!(texts.iter().all(|schema| !schema.to_string().contains(keyword)), "{keyword} in {schema}");
        }
        if typed == TypedOps::Usual {
            let size: usize = texts.iter().map(|schema| schema.to_string().len()).sum();
            assert!(size < most, "{}: {size} characters", T::FORMAT);
        }
    }
    let help = op_help::<T>();
    assert_eq!(help.len(), T::SPECS.len());
    for op in help {
        assert_eq!(Some(op.signature.clone()), op_signature::<T>(op.name));
        assert!(op.signature.starts_with(op.name));
        assert!(!op.summary.is_empty() && !op.summary.contains('\n'), "{}: {}", op.name, op.summary);
    }
}

#[test]
fn schemas_type_the_usual_ops_and_name_all() {
    check_set::<XlsxOp>(3_500);
    check_set::<DocxOp>(3_300);
    check_set::<PptxOp>(2_900);
    check_set::<TextOp>(1_200);
}

#[test]
fn a_field_of_two_types_accepts_both() {
    let (schema, _) = schema_of::<XlsxOp>(TypedOps::All);
    let rows = &schema["items"]["properties"]["rows"]["anyOf"];
    let accepts = |kind: &str| rows.as_array().unwrap().iter().any(|schema| schema["items"]["type"] == kind);
    assert!(accepts("array"), "rows of append_rows: {rows}");
    assert!(accepts("object"), "rows of set_row_heights: {rows}");
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
