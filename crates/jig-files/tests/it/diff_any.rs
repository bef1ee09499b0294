//! Any edits by the engine's own ops: the difference names exactly what they changed, and taking all of it
//! back gives the very file that was there before.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_files::engine::{EditOptions, Format, Versions};
use jig_worker::FileApi;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::versions::ids;

const ROWS: u32 = 12;
const COLUMNS: [&str; 4] = ["A", "B", "C", "D"];

fn apply(engine: &FileApi, format: Format, source: Option<&Arc<[u8]>>, ops: &Value) -> Arc<[u8]> {
    let options = EditOptions { now: Some("2024-01-05T10:00:00Z"), ..EditOptions::default() };
    engine.engine.apply(format, source.map(Into::into), ops, &options).unwrap().bytes.into()
}

/// A sheet of numbers and texts with a sum below.
fn workbook(engine: &FileApi) -> Arc<[u8]> {
    let rows: Vec<Value> = (1..=ROWS)
        .map(|row| json!([format!("Name {row}"), row * 10, format!("note {row}"), f64::from(row) / 4.0]))
        .collect();
    let ops = json!([
        { "op": "set_range", "sheet": "Sheet1", "start": "A1", "values": rows },
        { "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "B14", "value": "=SUM(B1:B12)" }] },
    ]);
    apply(engine, Format::Xlsx, None, &ops)
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-1_000_i32..1_000).prop_map(|number| json!(number)),
        "[a-z ]{1,12}".prop_map(|text| json!(format!("x{text}"))),
        any::<bool>().prop_map(|flag| json!(flag)),
        Just(Value::Null),
        Just(json!("=A1&B2")),
    ]
}

fn edits() -> impl Strategy<Value = BTreeMap<(u32, usize), Value>> {
    prop::collection::btree_map((1..=ROWS, 0..COLUMNS.len()), value(), 1..6)
}

fn versions(name: &str, old: &Arc<[u8]>, new: &Arc<[u8]>) -> Versions {
    Versions { name: name.to_owned(), old: Some(old.into()), new: Some(new.into()) }
}

/// Reverts every change that can be reverted by itself; the rest must follow from those.
fn back(engine: &FileApi, versions: &Versions) -> Result<(), TestCaseError> {
    let all: Vec<String> = ids(engine, versions).into_iter().filter(|(_, free)| *free).map(|(id, _)| id).collect();
    let (reverted, _) =
        engine.revert(versions, &json!({ "changes": all })).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert!(reverted.whole, "left: {:?}", {
        let after = Versions { new: Some(reverted.bytes.clone().into()), ..versions.clone() };
        ids(engine, &after)
    });
    prop_assert_eq!(Some(reverted.bytes.as_slice()), versions.old.as_deref());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn cells_that_were_set_are_the_changes(edits in edits()) {
        let engine = FileApi::default();
        let old = workbook(&engine);
        let cells: Vec<Value> = edits
            .iter()
            .map(|((row, column), value)| json!({ "cell": format!("{}{row}", COLUMNS[*column]), "value": value }))
            .collect();
        let new = apply(&engine, Format::Xlsx, Some(&old), &json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": cells }]));
        let both = versions("a.xlsx", &old, &new);
        let same = |row: u32, column: usize, value: &Value| column == 1 && *value == json!(row * 10);
        let expected: Vec<String> = edits
            .iter()
            .filter(|((row, column), value)| !same(*row, *column, value))
            .map(|((row, column), _)| format!("Sheet1!{}{row}", COLUMNS[*column]))
            .collect();
        let found = ids(&engine, &both).into_iter().map(|(id, _)| id).filter(|id| id != "Sheet1!B14");
        prop_assert_eq!(found.collect::<Vec<_>>(), expected.clone());
        if !expected.is_empty() {
            back(&engine, &both)?;
        }
    }

    #[test]
    fn rows_that_came_and_went_are_the_changes(at in 2..ROWS, count in 1_u32..3, gone in 2..ROWS, remove in any::<bool>()) {
        let engine = FileApi::default();
        let old = workbook(&engine);
        let ops = if remove {
            json!([{ "op": "delete_rows", "sheet": "Sheet1", "row": gone, "count": 1 }])
        } else {
            let cells: Vec<Value> = (0..count).map(|n| json!({ "cell": format!("A{}", at + n), "value": format!("new {n}") })).collect();
            json!([
                { "op": "insert_rows", "sheet": "Sheet1", "row": at, "count": count },
                { "op": "set_cells", "sheet": "Sheet1", "cells": cells },
            ])
        };
        let new = apply(&engine, Format::Xlsx, Some(&old), &ops);
        let both = versions("a.xlsx", &old, &new);
        let found: Vec<String> = ids(&engine, &both).into_iter().filter(|(_, free)| *free).map(|(id, _)| id).collect();
        let expected: Vec<String> = if remove {
            vec![format!("Sheet1!{gone}:{gone} (removed)")]
        } else {
            (0..count).map(|n| format!("Sheet1!{0}:{0}", at + n)).collect()
        };
        prop_assert_eq!(found, expected);
        back(&engine, &both)?;
    }

    #[test]
    fn paragraphs_that_were_changed_are_the_changes(chosen in prop::collection::btree_set(1_usize..15, 1..5), word in "[a-z]{3,8}") {
        let engine = FileApi::default();
        let paragraphs: Vec<Value> = (0..16)
            .map(|n| if n % 5 == 0 { json!({ "text": format!("Part {n}"), "style": "Heading 1" }) } else { json!(format!("Sentence word{n}w stands alone here.")) })
            .collect();
        let old = apply(&engine, Format::Docx, None, &json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]));
        let chosen: Vec<usize> = chosen.into_iter().filter(|n| n % 5 != 0).collect();
        prop_assume!(!chosen.is_empty());
        let ops: Vec<Value> = chosen
            .iter()
            .map(|n| json!({ "op": "replace_text", "search": format!("word{n}w"), "replace": format!("{word}!") }))
            .collect();
        let new = apply(&engine, Format::Docx, Some(&old), &Value::Array(ops));
        let both = versions("a.docx", &old, &new);
        let expected: Vec<(String, bool)> = chosen.iter().map(|n| (format!("section {}, paragraph {n}", n / 5), true)).collect();
        prop_assert_eq!(ids(&engine, &both), expected);
        back(&engine, &both)?;
    }

    #[test]
    fn slides_that_were_changed_are_the_changes(chosen in prop::collection::btree_set(0_usize..5, 1..4), notes in any::<bool>()) {
        let engine = FileApi::default();
        let slides: Vec<Value> = (0..5).map(|n| json!({ "op": "add_slide", "title": format!("Title {n}"), "body": "One" })).collect();
        let old = apply(&engine, Format::Pptx, None, &Value::Array(slides));
        let op = |n: &usize| if notes {
            json!({ "op": "set_notes", "index": n, "text": "Say it" })
        } else {
            json!({ "op": "set_slide_text", "index": n, "title": "Another" })
        };
        let new = apply(&engine, Format::Pptx, Some(&old), &chosen.iter().map(op).collect());
        let both = versions("a.pptx", &old, &new);
        let found = ids(&engine, &both);
        prop_assert_eq!(found.len(), chosen.len(), "{:?}", found);
        for ((id, free), n) in found.iter().zip(&chosen) {
            prop_assert!(*free && id.starts_with(&format!("slide {},", n + 1)), "{}", id);
        }
        back(&engine, &both)?;
    }

    #[test]
    fn any_lines_come_back(old in prop::collection::vec("[ab]{0,2}", 0..12), new in prop::collection::vec("[ab]{0,2}", 0..12), end in any::<bool>()) {
        let engine = FileApi::default();
        let text = |lines: &[String]| Arc::<[u8]>::from(format!("{}{}", lines.join("\n"), if end { "\n" } else { "" }).as_bytes());
        let both = versions("a.txt", &text(&old), &text(&new));
        let all = ids(&engine, &both);
        if !all.is_empty() {
            back(&engine, &both)?;
        }
    }

    #[test]
    fn any_rows_come_back(old in prop::collection::vec(("[a-c]", "[x-z]{0,2}"), 1..10), new in prop::collection::vec(("[a-c]", "[x-z]{0,2}"), 1..10), keyed in any::<bool>()) {
        let engine = FileApi::default();
        let text = |rows: &[(String, String)]| {
            let rows: Vec<String> = rows.iter().enumerate().map(|(n, (a, b))| if keyed { format!("{a}{n},{b}\n") } else { format!("{a},{b}\n") }).collect();
            Arc::<[u8]>::from(format!("key,value\n{}", rows.concat()).as_bytes())
        };
        let both = versions("a.csv", &text(&old), &text(&new));
        let all = ids(&engine, &both);
        let free: Vec<&String> = all.iter().filter(|(_, free)| *free).map(|(id, _)| id).collect();
        if free.len() < all.len() && !free.is_empty() {
            // Another order of the rows goes with the whole file only.
            let (reverted, _) = engine.revert(&both, &json!({ "changes": free })).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let after = Versions { new: Some(reverted.bytes.into()), ..both.clone() };
            prop_assert_eq!(ids(&engine, &after), [("row order".to_owned(), false)]);
        } else if !free.is_empty() {
            back(&engine, &both)?;
        }
    }
}
