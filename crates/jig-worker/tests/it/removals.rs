//! Calls that could remove content without asking for it: pieces of text without text, positions in ops that replace
//! a whole, corrections that mean something else, and values that contradict each other.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

fn filled(profile: Profile) -> Bench {
    let bench = Bench::with_profile(profile);
    bench.book();
    bench.document();
    bench.deck();
    bench.notes();
    let notes = json!([{"op": "set_notes", "index": 0, "text": "Speak slowly."}]);
    bench.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": notes }));
    bench
}

fn file(method: &str) -> &'static str {
    match method {
        "XlsxApplyOps" => "book.xlsx",
        "DocxApplyOps" => "report.docx",
        "PptxApplyOps" => "deck.pptx",
        _ => "notes.txt",
    }
}

/// The error of an op that must leave every file as it is.
#[track_caller]
fn refused(profile: Profile, method: &str, op: &Value) -> Value {
    filled(profile).refused(method, &json!({ "path": file(method), "ops": [op] }))
}

#[test]
fn pieces_without_text_remove_none() {
    let pieces =
        [json!([{"bold": true}]), json!([{"text": "", "italic": true}]), json!([{"text": " "}, {"font_size": 12}])];
    for profile in [Profile::Jig, Profile::Compat] {
        for runs in &pieces {
            let ops = [
                ("DocxApplyOps", json!({"op": "set_paragraph", "index": 1, "runs": runs})),
                ("DocxApplyOps", json!({"op": "set_table_cells", "cells": [{"row": 0, "col": 0, "runs": runs}]})),
                ("DocxApplyOps", json!({"op": "replace_section", "section": "Costs", "paragraphs": [{"runs": runs}]})),
                ("DocxApplyOps", json!({"op": "set_paragraphs", "paragraphs": [{"runs": runs}]})),
                ("PptxApplyOps", json!({"op": "set_slide_text", "index": 0, "body_runs": runs})),
                ("PptxApplyOps", json!({"op": "set_slide_text", "index": 0, "title_runs": runs})),
                ("PptxApplyOps", json!({"op": "set_notes", "index": 0, "runs": runs})),
            ];
            for (method, op) in ops {
                refused(profile, method, &op);
            }
            // Beside something that can be written, the rest is written and the piece is reported.
            let bench = filled(profile);
            let op = json!({"op": "set_slide_text", "index": 0, "title": "New title", "body_runs": runs});
            let answer = bench.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": [op] }));
            assert!(warnings(&answer).contains("ops[0].body_runs"), "{answer}");
            let text = bench.text("PptxExtractText", "deck.pptx");
            assert!(text.contains("New title") && text.contains("first") && text.contains("second"), "{text}");
        }
    }
    // A piece with text beside one without is a text.
    let bench = filled(Profile::Jig);
    let op = json!({"op": "set_paragraph", "index": 1, "runs": [{"bold": true}, {"text": "Written."}]});
    bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
    assert!(bench.text("DocxExtractText", "report.docx").contains("Written."));
}

#[test]
fn positions_in_ops_that_replace_a_whole_are_refused_in_every_profile() {
    for profile in [Profile::Jig, Profile::Compat] {
        for field in ["index", "paragraph", "position", "paragraph_number"] {
            let item = json!({field: 1, "text": "New"});
            let op = json!({"op": "replace_section", "section": "Costs", "paragraphs": [item]});
            let error = refused(profile, "DocxApplyOps", &op);
            assert!(error["message"].as_str().unwrap().contains("`set_paragraph`"), "{error}");
        }
        for (field, value) in
            [("index", json!(2)), ("section", json!("Costs")), ("start", json!("2")), ("after", json!("Report"))]
        {
            refused(profile, "DocxApplyOps", &json!({"op": "set_paragraphs", "paragraphs": ["New"], field: value}));
        }
    }
}

#[test]
fn what_the_original_client_may_send_in_its_ops_is_accepted_there() {
    let run = json!({"text": "Kept", "unknown_run_key": "x"});
    let paragraphs = json!([{"runs": [run], "unknown_style_key": "x", "indent_first_line": "bad"}]);
    let op = json!({"op": "set_paragraphs", "paragraphs": paragraphs});
    let bench = filled(Profile::Compat);
    let answer = bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
    let found = warnings(&answer);
    for field in ["runs[0].unknown_run_key", "unknown_style_key", "indent_first_line"] {
        assert!(found.contains(field), "{field}: {found}");
    }
    assert_eq!(bench.text("DocxExtractText", "report.docx").trim(), "Kept");
}

#[test]
fn ops_that_delete_are_strict_in_every_profile() {
    let ops = [
        ("XlsxApplyOps", json!({"op": "delete_rows", "sheet": "Budget", "row": 2, "end": 3})),
        ("XlsxApplyOps", json!({"op": "delete_sheet", "sheet": "Budget", "range": "A1:B2"})),
        ("XlsxApplyOps", json!({"op": "merge_cells", "sheet": "Budget", "range": "A1:B2", "split": true})),
        ("DocxApplyOps", json!({"op": "delete_paragraphs", "index": 1, "end": 1})),
        ("DocxApplyOps", json!({"op": "delete_section", "section": "Report", "paragraph": 2})),
        ("DocxApplyOps", json!({"op": "replace_section", "section": "Costs", "paragraphs": ["x"], "only": "Third"})),
        ("PptxApplyOps", json!({"op": "delete_slide", "index": 0, "shape": "Title 1"})),
        ("TextApplyOps", json!({"op": "delete_lines", "line_start": 2, "line_end": 2})),
        ("TextApplyOps", json!({"op": "replace_lines", "line_start": 2, "line_end": 3, "lines": ["x"]})),
    ];
    for profile in [Profile::Jig, Profile::Compat] {
        for (method, op) in &ops {
            let error = refused(profile, method, op);
            assert!(error["message"].as_str().unwrap().contains("unknown field"), "{error}");
        }
    }
}

#[test]
fn a_correction_never_means_something_else() {
    let ops = [
        // The opposite, or rows for columns.
        ("XlsxApplyOps", json!({"op": "unmerge_cells", "sheet": "Budget", "range": "A1:B2"})),
        ("XlsxApplyOps", json!({"op": "delete_cols", "sheet": "Budget", "row": 2})),
        ("XlsxApplyOps", json!({"op": "clear_range", "sheet": "Budget", "start": "A1", "values": [[null]]})),
        // From 0 or from 1, an end or a count.
        ("XlsxApplyOps", json!({"op": "delete_rows", "sheet": "Budget", "row_index": 1})),
        ("TextApplyOps", json!({"op": "delete_lines", "line_start": 2, "line_end": 2})),
        // Other places for a text.
        ("DocxApplyOps", json!({"op": "append_paragraph", "text": "x", "index": 2})),
        ("DocxApplyOps", json!({"op": "insert_paragraphs", "paragraphs": ["x"], "position": "Costs"})),
        ("PptxApplyOps", json!({"op": "add_slide", "title": "x", "notes": "said, not shown"})),
        ("PptxApplyOps", json!({"op": "set_body", "slide": 1, "text": "x"})),
    ];
    for (method, op) in ops {
        let error = refused(Profile::Jig, method, &op);
        assert_eq!(error["data"].get("corrected_ops"), None, "{op}: {error}");
    }
    // Slips of the keyboard are corrected.
    for (method, op) in [
        ("XlsxApplyOps", json!({"op": "merge_cels", "sheet": "Budget", "range": "A1:B1"})),
        ("XlsxApplyOps", json!({"op": "delete_rows", "sheet": "Budget", "row": 2, "cuont": 1})),
        ("DocxApplyOps", json!({"op": "append_paragraph", "txet": "x"})),
        ("PptxApplyOps", json!({"op": "delete_slied", "index": 1})),
        ("TextApplyOps", json!({"op": "delete_lines", "line_strat": 2})),
    ] {
        let error = refused(Profile::Jig, method, &op);
        assert!(error["data"]["corrected_ops"].is_array(), "{op}: {error}");
    }
}

#[test]
fn values_that_contradict_each_other_remove_nothing_and_are_reported() {
    let write = |op: Value| {
        let bench = filled(Profile::Jig);
        let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": [op] }));
        (warnings(&answer), bench)
    };
    for (value, shown) in [(json!("5"), json!("5")), (json!(7), json!(7)), (json!(false), json!(false))] {
        let cell = json!({"cell": "A1", "value": value, "type": "blank"});
        let (found, bench) = write(json!({"op": "set_cells", "sheet": "Budget", "cells": [cell]}));
        assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, shown);
        assert!(found.contains("`blank` is skipped"), "{found}");
    }
    let twice = json!([{"cell": "A1", "value": 1}, {"cell": "b2", "value": 3}, {"cell": "$A$1", "value": 2}]);
    let (found, bench) = write(json!({"op": "set_cells", "sheet": "Budget", "cells": twice}));
    assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, 2);
    assert!(found.contains("more than one value for A1;"), "{found}");
    let apart = json!([{"cell": "A1", "value": 1}, {"cell": "A1", "style": {"bold": true}}]);
    assert_eq!(write(json!({"op": "set_cells", "sheet": "Budget", "cells": apart})).0, "");
    for (range, values) in [("A1:C3", json!([["x"]])), ("D1:D2", json!([[1], [2], [3]])), ("D1:D1", json!([[1, 2]]))] {
        let (found, _) = write(json!({"op": "set_range", "sheet": "Budget", "range": range, "values": values}));
        assert!(found.contains(range) && found.contains("written from"), "{found}");
    }
    for range in ["D1", "D1:E2"] {
        let op = json!({"op": "set_range", "sheet": "Budget", "range": range, "values": [[1, 2], [3, 4]]});
        assert_eq!(write(op).0, "", "{range}");
    }
}

#[test]
fn a_flag_that_is_not_known_is_refused_where_files_are_written() {
    let op = json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "value": "changed"}]});
    for profile in [Profile::Jig, Profile::Compat] {
        for flag in ["dry_runn", "is_dry_run", "validate_only", "what_if", "no_write", "create"] {
            for value in [json!(true), json!("true"), json!(1), json!("yes")] {
                let error =
                    filled(profile).refused("XlsxApplyOps", &json!({ "path": "book.xlsx", "ops": [op], flag: value }));
                assert!(error["message"].as_str().unwrap().contains(flag), "{error}");
            }
        }
        let assets = json!(["cell_style:Budget!A1->Budget!B2"]);
        let params = json!({ "source_path": "book.xlsx", "target_path": "book.xlsx", "assets": assets, "check": true });
        filled(profile).refused("XlsxCopyAssets", &params);
    }
    // Other things that the original client may send, and flags that are off, are reported and skipped there.
    let params = json!({ "path": "book.xlsx", "ops": [op], "trace_id": "t", "attempt": 2, "what_if": false });
    let answer = filled(Profile::Compat).ok("XlsxApplyOps", params);
    for field in ["trace_id", "attempt", "what_if"] {
        assert!(warnings(&answer).contains(field), "{answer}");
    }
}
