//! Files and sheets that do not exist: created and reported, unless they must exist.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

fn sheets(bench: &Bench, name: &str) -> Vec<String> {
    let info = bench.ok("XlsxGetInfo", json!({ "path": name }));
    info["sheets"].as_array().unwrap().iter().map(|sheet| sheet["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_missing_file_is_created_by_ops_and_reported() {
    let calls = [
        (
            "XlsxApplyOps",
            "new.xlsx",
            json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "A1", "value": 1}]}]),
        ),
        ("DocxApplyOps", "new.docx", json!([{"op": "set_paragraphs", "paragraphs": ["One", "Two"]}])),
        ("DocxApplyOps", "other.docx", json!([{"op": "append_paragraph", "text": "One"}])),
        ("PptxApplyOps", "new.pptx", json!([{"op": "add_slide", "title": "One"}])),
        ("TextApplyOps", "new.md", json!([{"op": "insert_lines", "lines": ["# One"]}])),
    ];
    for profile in [Profile::Jig, Profile::Compat] {
        let bench = Bench::with_profile(profile);
        for (method, name, ops) in &calls {
            let must = json!({ "path": name, "ops": ops, "must_exist": "true" });
            let error = bench.refused(method, &must);
            assert_eq!(error["data"]["error_code"], "FILE_READ_FAILED", "{error}");
            let answer = bench.ok(method, json!({ "path": name, "ops": ops }));
            assert!(warnings(&answer).contains(&format!("created {name}")), "{answer}");
            assert_eq!(answer["receipt"]["created_file"], true, "{answer}");
            assert!(bench.bytes(name).is_some());
            let again = bench.ok(method, json!({ "path": name, "ops": ops }));
            assert!(again["receipt"].get("created_file").is_none(), "{again}");
        }
    }
}

#[test]
fn create_new_is_understood_in_the_usual_types() {
    let ops = json!([{"op": "append_paragraph", "text": "One"}]);
    for create_new in [json!("true"), json!(1), json!(true), json!("yes")] {
        let bench = Bench::new();
        bench.document();
        bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": ops, "create_new": create_new }));
        assert!(!bench.text("DocxExtractText", "report.docx").contains("First"), "{create_new}");
    }
    let bench = Bench::new();
    bench.document();
    bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": ops, "create_new": "false" }));
    assert!(bench.text("DocxExtractText", "report.docx").contains("First"));
    bench.refused("DocxApplyOps", &json!({ "path": "report.docx", "ops": ops, "create_new": "perhaps" }));
}

#[test]
fn new_files_get_the_ending_of_their_format() {
    let bench = Bench::new();
    let ops = json!([{"op": "set_cells", "sheet": "A", "cells": [{"cell": "A1", "value": 1}]}]);
    for name in ["new.docx", "new.csv", "new.xlsm", "new"] {
        bench.refused("XlsxApplyOps", &json!({ "path": name, "ops": ops }));
    }
    for name in ["new.docx", "new.pdf", "new.png", "new.zip", "New.Xlsx"] {
        bench.refused("TextApplyOps", &json!({ "path": name, "ops": [{"op": "insert_lines", "lines": "x"}] }));
    }
}

#[test]
fn a_missing_sheet_is_created_and_reported() {
    let ops = [
        json!({"op": "set_cells", "sheet": "Notes", "cells": [{"cell": "A1", "value": 1}]}),
        json!({"op": "set_range", "sheet": "Notes", "start": "A1", "values": [[1]]}),
        json!({"op": "append_rows", "sheet": "Notes", "rows": [[1]]}),
        json!({"op": "set_column_widths", "sheet": "Notes", "columns": [{"column": "A", "width": 9}]}),
        json!({"op": "set_row_heights", "sheet": "Notes", "rows": [{"row": 1, "height": 9}]}),
        json!({"op": "freeze_panes", "sheet": "Notes", "row": 1}),
    ];
    for op in ops {
        let bench = Bench::new();
        bench.book();
        let error = bench.refused("XlsxApplyOps", &json!({ "path": "book.xlsx", "ops": [op], "must_exist": true }));
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("unknown sheet") && message.contains("ensure_sheet"), "{message}");
        let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": [op] }));
        assert!(warnings(&answer).contains("created the sheet `Notes`"), "{answer}");
        assert_eq!(answer["receipt"]["created_sheets"], json!(["Notes"]));
        assert_eq!(sheets(&bench, "book.xlsx"), ["Budget", "Notes"]);
        assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, "Title");
    }
    // A near name is mentioned, since the new one could be a misspelling.
    let bench = Bench::new();
    bench.book();
    let op = json!({"op": "set_cells", "sheet": "Bugdet", "cells": [{"cell": "A1", "value": 1}]});
    let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": [op] }));
    assert!(warnings(&answer).contains("also has `Budget`"), "{answer}");
}

#[test]
fn ops_that_take_something_away_need_their_sheet() {
    for op in [
        json!({"op": "delete_rows", "sheet": "Bugdet", "row": 1}),
        json!({"op": "insert_rows", "sheet": "Bugdet", "row": 1}),
        json!({"op": "delete_sheet", "sheet": "Bugdet"}),
        json!({"op": "rename_sheet", "sheet": "Bugdet", "new_name": "B"}),
        json!({"op": "summarize_by_category", "sheet": "Sums", "source_sheets": ["Bugdet"]}),
    ] {
        let bench = Bench::new();
        bench.book();
        let error = bench.refused("XlsxApplyOps", &json!({ "path": "book.xlsx", "ops": [op] }));
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("unknown sheet") && message.contains("`Budget`"), "{message}");
    }
}

#[test]
fn the_default_sheet_of_a_new_workbook_becomes_the_named_one() {
    let bench = Bench::new();
    let cells = json!([{"cell": "A1", "value": 1}]);
    let ops = json!([
        {"op": "set_cells", "sheet": "First", "cells": cells}, {"op": "set_cells", "sheet": "Second", "cells": cells},
    ]);
    bench.ok("XlsxApplyOps", json!({ "path": "a.xlsx", "ops": ops }));
    assert_eq!(sheets(&bench, "a.xlsx"), ["First", "Second"]);
    let ops = json!([{"op": "ensure_sheet", "sheet": "Only"}]);
    bench.ok("XlsxApplyOps", json!({ "path": "b.xlsx", "ops": ops }));
    assert_eq!(sheets(&bench, "b.xlsx"), ["Only"]);
    let ops = json!([{"op": "set_cells", "sheet": "Sheet1", "cells": cells}, {"op": "ensure_sheet", "sheet": "Other"}]);
    bench.ok("XlsxApplyOps", json!({ "path": "c.xlsx", "ops": ops }));
    assert_eq!(sheets(&bench, "c.xlsx"), ["Sheet1", "Other"]);
    // An existing workbook keeps its sheets.
    let ops = json!([{"op": "set_cells", "sheet": "Third", "cells": cells}]);
    bench.ok("XlsxApplyOps", json!({ "path": "c.xlsx", "ops": ops }));
    assert_eq!(sheets(&bench, "c.xlsx"), ["Sheet1", "Other", "Third"]);
}

#[test]
fn assets_are_copied_into_a_new_file() {
    let bench = Bench::new();
    bench.book();
    bench.document();
    bench.deck();
    let copy = |method: &str, source: &str, target: &str, assets: Value| {
        let params = json!({ "source_path": source, "target_path": target, "assets": assets });
        let mut must = params.clone();
        must["must_exist"] = true.into();
        bench.refused(method, &must);
        let answer = bench.ok(method, params);
        assert!(warnings(&answer).contains(&format!("created {target}")), "{answer}");
        assert_eq!((&answer["copied_count"], &answer["receipt"]["created_file"]), (&json!(1), &json!(true)));
    };
    copy("XlsxCopyAssets", "book.xlsx", "new.xlsx", json!(["cell_style:Budget!A1->Looks!B2"]));
    assert_eq!(sheets(&bench, "new.xlsx"), ["Looks"]);
    copy("DocxCopyAssets", "report.docx", "new.docx", json!("paragraph_style:Heading 1"));
    copy("PptxCopyAssets", "deck.pptx", "new.pptx", json!(["layout:Title Only"]));
}

#[test]
fn receipts_say_old_and_new() {
    let bench = Bench::new();
    bench.deck();
    let ops = json!([{"op": "set_slide_text", "index": 0, "title": "New"}]);
    let answer = bench.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": ops }));
    assert_eq!(answer["changes"][0]["old"], json!({ "title": "One" }));
}
