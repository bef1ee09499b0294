//! Receipts: what was there and what is there now, bounded, with counts of all, so that no re-read is needed and nothing
//! is emptied unnoticed.

use serde_json::{Value, json};

use crate::support::{Bench, warnings};

fn edit(bench: &Bench, method: &str, path: &str, ops: Value) -> Value {
    bench.ok(method, json!({ "path": path, "ops": ops }))
}

fn change(cell: &str, old: Value, new: Value) -> Value {
    json!({ "cell": cell, "old": old, "new": new })
}

#[test]
fn cells_are_reported_with_old_and_new_values() {
    let bench = Bench::new();
    bench.book();
    let cells = json!([
        {"cell": "A1", "value": "Heading"}, {"cell": "B2", "value": 100}, {"cell": "B3", "value": null},
        {"cell": "C1", "value": true}, {"cell": "C2", "formula": "=B2*2"}, {"cell": "A2", "value": "Rent"},
        {"cell": "A3", "style": {"bold": true}},
    ]);
    let answer =
        edit(&bench, "XlsxApplyOps", "book.xlsx", json!([{"op": "set_cells", "sheet": "Budget", "cells": cells}]));
    let receipt = &answer["receipt"];
    let wanted = [
        change("Budget!A1", json!("Title"), json!("Heading")),
        change("Budget!C1", Value::Null, json!(true)),
        change("Budget!B2", json!(120), json!(100)),
        change("Budget!C2", Value::Null, json!("=B2*2")),
        change("Budget!B3", json!(30), Value::Null),
    ];
    // A2 keeps its value and A3 gets only a format: neither is a change of values.
    assert_eq!(receipt["cells"], json!(wanted), "{receipt}");
    assert_eq!(receipt["cells_count"], 5);
    assert_eq!(receipt["recalculated"], json!([change("Budget!B4", json!(150), json!(100))]), "{receipt}");
    assert_eq!(receipt["recalculated_count"], 1);
    let answer = edit(
        &bench,
        "XlsxApplyOps",
        "book.xlsx",
        json!([{"op": "set_range", "sheet": "Budget", "start": "B4", "values": [[7]]}]),
    );
    assert_eq!(answer["receipt"]["cells"], json!([change("Budget!B4", json!("=SUM(B2:B3)"), json!(7))]));
}

#[test]
fn long_lists_are_bounded_and_counted() {
    let bench = Bench::new();
    let rows: Vec<Vec<u32>> = (0..300).map(|row| vec![row, row * 2]).collect();
    let answer = edit(
        &bench,
        "XlsxApplyOps",
        "long.xlsx",
        json!([{"op": "set_range", "sheet": "S", "start": "A1", "values": rows}]),
    );
    assert_eq!(answer["receipt"]["cells"].as_array().unwrap().len(), 20);
    assert_eq!(answer["receipt"]["cells_count"], 600);
    let long = "x".repeat(5000);
    let answer = edit(
        &bench,
        "XlsxApplyOps",
        "long.xlsx",
        json!([{"op": "set_cells", "sheet": "S", "cells": [{"cell": "A1", "value": long}]}]),
    );
    let new = answer["receipt"]["cells"][0]["new"].as_str().unwrap().chars().count();
    assert!(new <= 201, "{new} characters");
    assert!(answer.to_string().len() < 4000, "{answer}");
}

#[test]
fn rows_that_are_deleted_and_totals_are_reported() {
    let bench = Bench::new();
    bench.book();
    let answer = edit(
        &bench,
        "XlsxApplyOps",
        "book.xlsx",
        json!([{"op": "delete_rows", "sheet": "Budget", "row": 2, "count": 2}]),
    );
    assert_eq!(answer["changes"][0]["count"], 2, "{answer}");
    assert_eq!(
        answer["changes"][0]["old"],
        json!([{"cell": "A2", "value": "Rent"}, {"cell": "B2", "value": 120}, {"cell": "A3", "value": "Food"}, {"cell": "B3", "value": 30}]),
        "{answer}"
    );
    assert_eq!(answer["changes"][0]["cells"], 4);
    let answer = edit(
        &bench,
        "XlsxApplyOps",
        "book.xlsx",
        json!([{"op": "insert_rows", "sheet": "Budget", "row": 1, "count": 3}]),
    );
    assert_eq!(answer["changes"][0]["count"], 3);
}

#[test]
fn texts_are_reported_with_old_and_new() {
    let bench = Bench::new();
    bench.document();
    bench.deck();
    bench.notes();
    let answer = edit(
        &bench,
        "DocxApplyOps",
        "report.docx",
        json!([{"op": "set_table_cells", "cells": [{"row": 0, "col": 0, "text": "A"}, {"row": 1, "col": 1, "text": ""}]}]),
    );
    let texts = json!([{"row": 0, "col": 0, "old": "a", "new": "A"}, {"row": 1, "col": 1, "old": "d", "new": ""}]);
    assert_eq!(answer["changes"][0]["texts"], texts, "{answer}");
    let answer = edit(
        &bench,
        "PptxApplyOps",
        "deck.pptx",
        json!([{"op": "set_slide_text", "slide": 1, "title": "Uno", "body": "x\ny"}]),
    );
    assert_eq!(answer["changes"][0]["old"], json!({"title": "One", "body": "first\nsecond"}));
    assert_eq!(answer["changes"][0]["new"], json!({"title": "Uno", "body": "x\ny"}));
    edit(&bench, "PptxApplyOps", "deck.pptx", json!([{"op": "set_notes", "slide": 1, "text": "Say this"}]));
    let answer =
        edit(&bench, "PptxApplyOps", "deck.pptx", json!([{"op": "set_notes", "slide": 1, "text": "Say that"}]));
    assert_eq!((&answer["changes"][0]["old"], &answer["changes"][0]["new"]), (&json!("Say this"), &json!("Say that")));
    let answer = edit(
        &bench,
        "TextApplyOps",
        "notes.txt",
        json!([{"op": "replace_lines", "line_start": 2, "lines": ["B1", "B2"]}]),
    );
    assert_eq!((&answer["changes"][0]["old"], &answer["changes"][0]["new"]), (&json!(["beta"]), &json!(["B1", "B2"])));
    let answer = edit(&bench, "TextApplyOps", "notes.txt", json!([{"op": "delete_lines", "line_start": 1}]));
    assert_eq!(answer["changes"][0]["old"], json!(["alpha"]));
    let answer = edit(
        &bench,
        "TextApplyOps",
        "notes.txt",
        json!([{"op": "replace_text", "search": "b1", "replace": "", "match_case": false}]),
    );
    assert_eq!((&answer["changes"][0]["old"], &answer["changes"][0]["replacements"]), (&json!(["B1"]), &json!(1)));
}

#[test]
fn an_empty_value_leaves_text_as_it_is_unless_it_is_cleared_explicitly() {
    for empty in [json!(""), json!("  "), json!([]), json!([""])] {
        let bench = Bench::new();
        bench.deck();
        let op = json!({"op": "set_slide_text", "slide": 1, "title": "Uno", "body": empty});
        let answer = edit(&bench, "PptxApplyOps", "deck.pptx", json!([op]));
        assert!(warnings(&answer).contains("body") && warnings(&answer).contains("clear"), "{answer}");
        assert!(bench.text("PptxExtractText", "deck.pptx").contains("second"));
        let only = json!([{"op": "set_slide_text", "slide": 1, "body": empty}]);
        bench.refused("PptxApplyOps", &json!({ "path": "deck.pptx", "ops": only }));
    }
    let bench = Bench::new();
    bench.deck();
    bench.document();
    edit(&bench, "PptxApplyOps", "deck.pptx", json!([{"op": "set_notes", "slide": 1, "text": "Say this"}]));
    bench
        .refused("PptxApplyOps", &json!({ "path": "deck.pptx", "ops": [{"op": "set_notes", "slide": 1, "text": ""}] }));
    let answer = edit(&bench, "PptxApplyOps", "deck.pptx", json!([{"op": "set_notes", "slide": 1, "clear": true}]));
    assert_eq!(answer["changes"][0]["old"], "Say this");
    let answer =
        edit(&bench, "PptxApplyOps", "deck.pptx", json!([{"op": "set_slide_text", "slide": 1, "clear": "body"}]));
    assert_eq!(answer["changes"][0]["old"], json!({"body": "first\nsecond"}));
    let text = bench.text("PptxExtractText", "deck.pptx");
    assert!(text.contains("One") && !text.contains("second"), "{text}");
    let clash = json!([{"op": "set_slide_text", "slide": 1, "clear": ["title"], "title": "x"}]);
    bench.refused("PptxApplyOps", &json!({ "path": "deck.pptx", "ops": clash }));
    bench.refused(
        "DocxApplyOps",
        &json!({ "path": "report.docx", "ops": [{"op": "set_paragraph", "paragraph": 2, "text": ""}] }),
    );
    let answer = edit(
        &bench,
        "DocxApplyOps",
        "report.docx",
        json!([{"op": "set_paragraph", "paragraph": 2, "text": "", "alignment": "center"}]),
    );
    assert!(warnings(&answer).contains("clear"), "{answer}");
    assert!(bench.text("DocxExtractText", "report.docx").contains("First paragraph."));
    let answer =
        edit(&bench, "DocxApplyOps", "report.docx", json!([{"op": "set_paragraph", "paragraph": 2, "clear": true}]));
    assert_eq!(answer["changes"][0]["old"], "First paragraph.");
    assert!(!bench.text("DocxExtractText", "report.docx").contains("First"));
    bench.notes();
    bench.refused(
        "TextApplyOps",
        &json!({ "path": "notes.txt", "ops": [{"op": "replace_lines", "line_start": 1, "lines": []}] }),
    );
    for (method, path) in
        [("DocxApplyOps", "report.docx"), ("PptxApplyOps", "deck.pptx"), ("TextApplyOps", "notes.txt")]
    {
        bench.refused(method, &json!({ "path": path, "ops": [{"op": "replace_text", "search": "", "replace": "x"}] }));
    }
}

#[test]
fn a_replacement_without_a_match_is_reported() {
    let bench = Bench::new();
    bench.document();
    bench.deck();
    bench.notes();
    for (method, path) in [("DocxApplyOps", "report.docx"), ("PptxApplyOps", "deck.pptx")] {
        let answer = edit(&bench, method, path, json!([{"op": "replace_text", "search": "zzz", "replace": "x"}]));
        assert_eq!(answer["changes"][0]["replacements"], 0);
        assert!(warnings(&answer).contains("zzz"), "{answer}");
    }
    bench.refused(
        "TextApplyOps",
        &json!({ "path": "notes.txt", "ops": [{"op": "replace_text", "search": "zzz", "replace": "x"}] }),
    );
}
