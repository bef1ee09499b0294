//! Plausible mistakes: each either leaves the files as they are, with an error that names the correction, or is
//! understood and reported.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

fn filled(profile: Profile) -> Bench {
    let bench = Bench::with_profile(profile);
    bench.book();
    bench.document();
    bench.deck();
    bench.notes();
    bench
}

fn target(method: &str) -> &'static str {
    match method {
        "XlsxApplyOps" => "book.xlsx",
        "DocxApplyOps" => "report.docx",
        "PptxApplyOps" => "deck.pptx",
        _ => "notes.txt",
    }
}

/// One op that must change nothing, and the words that its error must have.
#[track_caller]
fn refuses(method: &str, op: &Value, words: &[&str]) {
    let bench = filled(Profile::Jig);
    let error = bench.refused(method, &json!({ "path": target(method), "ops": [op] }));
    let message = error["message"].as_str().unwrap();
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}\nfor {op}");
    }
    assert_eq!(error["data"]["error_code"], "VALIDATION_FAILED", "{error}");
    for word in ["f64", "u32", "usize", "u64", "i64", "bool,", "struct "] {
        assert!(!message.contains(word), "a Rust type in: {message}");
    }
}

#[test]
fn an_unknown_field_changes_nothing_and_the_error_names_the_near_one() {
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "vlaue": 5}]}),
        &["vlaue", "`value`", "usage: set_cells"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "valeu": "x", "type": "string"}]}),
        &["valeu", "`value`"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "formla": "=B2"}]}),
        &["`formula`"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "style": {"font_blod": true}}]}),
        &["font_blod", "`font_bold`"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_range", "sheet": "Budget", "start": "A1", "values": [[1]], "valuse": [[2]]}),
        &["`values`"],
    );
    refuses("XlsxApplyOps", &json!({"op": "delete_rows", "sheet": "Budget", "row": 2, "cuont": 1}), &["`count`"]);
    refuses("DocxApplyOps", &json!({"op": "append_paragraph", "txet": "x"}), &["`text`"]);
    refuses("DocxApplyOps", &json!({"op": "set_paragraphs", "paragraphs": [{"txt": "x"}]}), &["`text`"]);
    refuses("DocxApplyOps", &json!({"op": "replace_text", "search": "First", "repalce": "x"}), &["`replace`"]);
    refuses(
        "DocxApplyOps",
        &json!({"op": "set_table_cells", "cells": [{"row": 0, "col": 0, "txet": "x"}]}),
        &["`text`"],
    );
    refuses("PptxApplyOps", &json!({"op": "set_slide_text", "index": 0, "titel": "x"}), &["`title`"]);
    refuses("PptxApplyOps", &json!({"op": "add_slide", "title_runs": [{"text": "x", "blod": true}]}), &["`bold`"]);
    refuses("PptxApplyOps", &json!({"op": "delete_slide", "index": 0, "confirmed": true}), &["confirmed"]);
    refuses(
        "TextApplyOps",
        &json!({"op": "replace_text", "search": "alpha", "replace": "x", "regex": true}),
        &["regex"],
    );
    refuses("TextApplyOps", &json!({"op": "delete_lines", "line_start": 1, "line_end": 2}), &["line_end"]);
}

#[test]
fn an_unknown_op_is_refused_with_the_nearest_name() {
    refuses("XlsxApplyOps", &json!({"op": "set_cels", "sheet": "Budget", "cells": []}), &["set_cels", "`set_cells`"]);
    refuses("XlsxApplyOps", &json!({"op": "apend_rows", "sheet": "Budget", "rows": []}), &["`append_rows`"]);
    refuses("DocxApplyOps", &json!({"op": "replace_txt", "search": "a", "replace": "b"}), &["`replace_text`"]);
    refuses("DocxApplyOps", &json!({"op": "update_paragraph", "text": "x"}), &["unknown op", "set_paragraph"]);
    refuses("PptxApplyOps", &json!({"op": "add_slides", "slides": [{"title": "x"}]}), &["`add_slide`"]);
    refuses("TextApplyOps", &json!({"op": "insert_line", "lines": "x", "where": 3}), &["`insert_lines`"]);
    // Ops that replace or delete everything need their own name.
    refuses("DocxApplyOps", &json!({"op": "write_paragraphs", "paragraphs": ["x"]}), &["unknown op"]);
    refuses("DocxApplyOps", &json!({"op": "update_document", "paragraphs": ["x"]}), &["unknown op"]);
    refuses("XlsxApplyOps", &json!({"op": "remove", "sheet": "Budget"}), &["unknown op"]);
    refuses("PptxApplyOps", &json!({"op": "set_title", "slide": 1, "text": "x"}), &["unknown op"]);
    refuses("XlsxApplyOps", &json!({"sheet": "Budget"}), &["missing", "set_cells"]);
    refuses("XlsxApplyOps", &json!("set_cells"), &["ops[0]", "object"]);
}

#[test]
fn missing_fields_are_named() {
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "cells": [{"cell": "A1", "value": 1}]}),
        &["ops[0].sheet", "missing"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"value": 1}]}),
        &["ops[0].cells[0].cell", "missing"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1"}]}),
        &["nothing to write", "`value`"],
    );
    refuses("XlsxApplyOps", &json!({"op": "set_cells", "sheet": "Budget", "cells": []}), &["ops[0].cells"]);
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_range", "sheet": "Budget", "start": "A1", "values": [[]]}),
        &["ops[0].values"],
    );
    refuses("DocxApplyOps", &json!({"op": "replace_text", "search": "First"}), &["ops[0].replace", "missing"]);
    refuses(
        "DocxApplyOps",
        &json!({"op": "replace_text", "search": "First", "replace": null}),
        &["ops[0].replace", "missing"],
    );
    refuses("DocxApplyOps", &json!({"op": "set_table_cells", "cells": [{"row": 0, "col": 0}]}), &["text", "missing"]);
    refuses("PptxApplyOps", &json!({"op": "set_slide_text", "title": "x"}), &["ops[0].index", "missing"]);
    refuses(
        "PptxApplyOps",
        &json!({"op": "set_table_cells", "index": 0, "cells": [{"row": 0, "col": 0}]}),
        &["text", "missing"],
    );
}

#[test]
fn positions_in_set_paragraphs_are_refused_and_the_right_op_is_named() {
    let items = [
        json!({"index": 4, "text": "New"}),
        json!({"paragraph": 3, "text": "New"}),
        json!({"position": 1, "text": "New"}),
        json!({"n": 2, "text": "New"}),
        json!({"paragraph_index": 0, "text": "New"}),
        json!({"Index": 0, "text": "New"}),
        json!({"after_index": 0, "text": "New"}),
    ];
    for profile in [Profile::Jig, Profile::Compat] {
        for item in &items {
            let bench = filled(profile);
            let ops = json!([{"op": "set_paragraphs", "paragraphs": [item]}]);
            let error = bench.refused("DocxApplyOps", &json!({ "path": "report.docx", "ops": ops }));
            assert!(error["message"].as_str().unwrap().contains("`set_paragraph`"), "{error}");
        }
    }
    // Any other name for a position is unknown, and this op refuses that in every profile.
    for field in ["where", "slot", "nr"] {
        let bench = filled(Profile::Compat);
        let ops = json!([{"op": "set_paragraphs", "paragraphs": [{field: 4, "text": "New"}]}]);
        let error = bench.refused("DocxApplyOps", &json!({ "path": "report.docx", "ops": ops }));
        assert!(error["message"].as_str().unwrap().contains(field), "{error}");
    }
    refuses(
        "XlsxApplyOps",
        &json!({"op": "append_rows", "sheet": "Budget", "rows": [{"row": 2, "values": [1]}]}),
        &["`set_cells`"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_range", "sheet": "Budget", "start": "A1", "values": [{"row": 2, "a": 1}]}),
        &["`set_cells`"],
    );
    refuses(
        "DocxApplyOps",
        &json!({"op": "append_table_rows", "rows": [{"row": 0, "cells": ["x"]}]}),
        &["`set_table_cells`"],
    );
    refuses(
        "PptxApplyOps",
        &json!({"op": "append_bullets", "index": 0, "bullets": [{"index": 0, "text": "x"}]}),
        &["`set_slide_text`"],
    );
}

#[test]
fn the_corrected_list_of_a_refused_call_is_accepted() {
    let cases = [
        (
            "XlsxApplyOps",
            json!([{"op": "set_cels", "sheet": "Budget", "cells": [{"cell": "A1", "vlaue": 5, "style": {"font_blod": true}}]}]),
        ),
        (
            "DocxApplyOps",
            json!([{"op": "set_paragraphs", "paragraphs": [{"index": 1, "text": "New"}, {"index": 2, "text": "Newer"}]}]),
        ),
        ("PptxApplyOps", json!([{"op": "set_slide_txt", "index": 0, "titel": "x"}])),
        ("TextApplyOps", json!([{"op": "replace_tekst", "search": "alpha", "replce": "x"}])),
    ];
    for (method, ops) in cases {
        let bench = filled(Profile::Jig);
        let error = bench.refused(method, &json!({ "path": target(method), "ops": ops }));
        let corrected = error["data"]["corrected_ops"].clone();
        assert!(corrected.is_array(), "{error}");
        bench.ok(method, json!({ "path": target(method), "ops": corrected }));
    }
    let bench = filled(Profile::Jig);
    let ops = json!([{"op": "set_paragraphs", "paragraphs": [{"index": 1, "text": "New"}]}]);
    let error = bench.refused("DocxApplyOps", &json!({ "path": "report.docx", "ops": ops }));
    bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": error["data"]["corrected_ops"] }));
    let text = bench.text("DocxExtractText", "report.docx");
    assert!(text.contains("New") && text.contains("Second paragraph.") && !text.contains("First"), "{text}");
}

#[test]
fn a_cell_without_a_value_keeps_it() {
    let kept = [
        json!({"cell": "A1", "style": {"bold": true}}),
        json!({"cell": "A1", "style": {"font_bold": true}}),
        json!({"cell": "A1", "bold": true, "fill": "yellow"}),
        json!({"cell": "A1", "style": {"font_size": "huge"}}),
        json!({"cell": "A1", "style": {"color": "#F00"}, "type": "string"}),
        json!({"cell": "A1", "format": {"align": "centre"}}),
    ];
    for cell in kept {
        let bench = filled(Profile::Jig);
        bench.ok(
            "XlsxApplyOps",
            json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell.clone()]}] }),
        );
        assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, "Title", "{cell}");
    }
    // The original client's worker took a missing value for an empty one. Nothing is erased by it here.
    let bench = filled(Profile::Compat);
    for cell in [json!({"cell": "A1"}), json!({"cell": "A1", "vlaue": 5}), json!({"cell": "A1", "type": "number"})] {
        let answer = bench.ok(
            "XlsxApplyOps",
            json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell.clone()]}] }),
        );
        assert!(warnings(&answer).contains("stays as it is"), "{answer}");
        assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, "Title", "{cell}");
    }
}

#[test]
fn clearing_is_said_explicitly() {
    for cell in [
        json!({"cell": "A1", "value": null}),
        json!({"cell": "A1", "clear": true}),
        json!({"cell": "A1", "clear": "true"}),
        json!({"cell": "A1", "type": "blank"}),
        json!({"cell": "A1", "value": ""}),
        json!({"cell": "A1", "value": "", "type": "string"}),
    ] {
        let bench = filled(Profile::Jig);
        bench.ok(
            "XlsxApplyOps",
            json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell.clone()]}] }),
        );
        let params = json!({ "path": "book.xlsx", "sheet": "Budget" });
        let grid = bench.ok("XlsxRenderGrid", params);
        assert_eq!(grid["cells"][0][0]["type"], "blank", "{cell}: {grid}");
        assert_eq!(grid["cells"][1][0]["value"], "Rent");
    }
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "clear": true, "value": 4}]}),
        &["clear"],
    );
}

#[test]
fn formulas_are_understood_in_their_own_field() {
    for cell in [
        json!({"cell": "B6", "formula": "=B4*2"}),
        json!({"cell": "B6", "formula": "B4*2"}),
        json!({"cell": "B6", "formula": "=B4*2", "value": null}),
        json!({"cell": "B6", "formula": "=B4*2", "value": "=B4*2"}),
        json!({"cell": "B6", "value": "B4*2", "type": "formula"}),
        json!({"cell": "B6", "value": "=B4*2", "formula": null, "style": null}),
    ] {
        let bench = filled(Profile::Jig);
        bench.ok(
            "XlsxApplyOps",
            json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell.clone()]}] }),
        );
        let (value, formula) = bench.cell("book.xlsx", "Budget", 5, 1);
        assert_eq!(formula, "=B4*2", "{cell}");
        assert_eq!(value, json!(300), "{cell}");
    }
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "formula": "=B4", "value": 7}]}),
        &["`value` and `formula`"],
    );
}

#[test]
fn calls_without_ops_or_assets_are_refused() {
    for profile in [Profile::Jig, Profile::Compat] {
        let bench = filled(profile);
        for method in ["XlsxApplyOps", "DocxApplyOps", "PptxApplyOps", "TextApplyOps"] {
            for params in [
                json!({}),
                json!({"ops": null}),
                json!({"ops": []}),
                json!({"opps": [{"op": "x"}]}),
                json!({"ops": {}}),
                json!({"ops": "x"}),
            ] {
                let mut params = params;
                params["path"] = target(method).into();
                let error = bench.refused(method, &params);
                assert_eq!(error["data"]["error_code"], "VALIDATION_FAILED", "{error}");
                assert!(error["message"].as_str().unwrap().contains("ops"), "{error}");
            }
        }
        for (method, name) in
            [("XlsxCopyAssets", "book.xlsx"), ("DocxCopyAssets", "report.docx"), ("PptxCopyAssets", "deck.pptx")]
        {
            for params in [
                json!({}),
                json!({"assets": null}),
                json!({"assets": []}),
                json!({"asets": ["x"]}),
                json!({"assets": 5}),
            ] {
                let mut params = params;
                params["source_path"] = name.into();
                params["target_path"] = name.into();
                let error = bench.refused(method, &params);
                assert!(error["message"].as_str().unwrap().contains("assets"), "{error}");
            }
        }
    }
}

#[test]
fn a_dry_run_never_writes() {
    let ops = json!([{"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "value": "changed"}]}]);
    for profile in [Profile::Jig, Profile::Compat] {
        for dry_run in [json!(true), json!("true"), json!("True"), json!(1), json!("1"), json!(1.0), json!("yes")] {
            let bench = filled(profile);
            let before = bench.bytes("book.xlsx");
            let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops, "dry_run": dry_run }));
            assert_eq!(answer["changes"][0]["cells"], 1);
            assert_eq!(bench.bytes("book.xlsx"), before, "{dry_run}");
        }
        for spelling in ["dryRun", "dry-run", "DryRun"] {
            let bench = filled(profile);
            let before = bench.bytes("book.xlsx");
            bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops, spelling: true }));
            assert_eq!(bench.bytes("book.xlsx"), before, "{spelling}");
        }
        for dry_run in [json!("maybe"), json!(2), json!([true]), json!({}), json!("tru")] {
            let bench = filled(profile);
            let error = bench.refused("XlsxApplyOps", &json!({ "path": "book.xlsx", "ops": ops, "dry_run": dry_run }));
            assert!(error["message"].as_str().unwrap().contains("dry_run"), "{error}");
        }
        for dry_run in [json!(false), json!("false"), json!(0), json!(null), json!("no")] {
            let bench = filled(profile);
            bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops, "dry_run": dry_run }));
            assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, "changed", "{dry_run}");
        }
    }
    let bench = filled(Profile::Jig);
    let params = json!({ "path": "book.xlsx", "ops": ops, "simulated": true });
    assert!(bench.refused("XlsxApplyOps", &params)["message"].as_str().unwrap().contains("simulated"));
    // A new file is not written by a dry run either.
    bench.ok("XlsxApplyOps", json!({ "path": "fresh.xlsx", "ops": ops, "dry_run": "true" }));
    assert_eq!(bench.bytes("fresh.xlsx"), None);
    let assets = json!({ "source_path": "book.xlsx", "target_path": "book.xlsx", "assets": ["cell_style:Budget!A1->Budget!B2"], "dry_run": "true" });
    let before = bench.bytes("book.xlsx");
    bench.ok("XlsxCopyAssets", assets);
    assert_eq!(bench.bytes("book.xlsx"), before);
}

#[test]
fn a_document_is_not_emptied_by_mistake() {
    for paragraphs in
        [json!([]), json!([""]), json!([{}]), json!([{"text": "  "}]), json!([null]), json!([{"style": "Normal"}])]
    {
        refuses("DocxApplyOps", &json!({"op": "set_paragraphs", "paragraphs": paragraphs}), &["`replace_document`"]);
    }
    refuses(
        "DocxApplyOps",
        &json!({"op": "replace_section", "section": "Costs", "paragraphs": []}),
        &["`delete_section`"],
    );
    refuses("DocxApplyOps", &json!({"op": "insert_paragraphs", "paragraphs": []}), &["paragraphs"]);
    refuses("PptxApplyOps", &json!({"op": "append_bullets", "index": 0, "bullets": []}), &["bullets"]);
    refuses("TextApplyOps", &json!({"op": "replace_text", "search": "", "replace": ""}), &["search"]);
    // A whole document can be replaced, and the answer says what it replaced.
    let bench = filled(Profile::Jig);
    let answer = bench.ok(
        "DocxApplyOps",
        json!({ "path": "report.docx", "ops": [{"op": "set_paragraphs", "paragraphs": ["All new"]}] }),
    );
    assert!(warnings(&answer).contains("5 paragraphs and 1 table"), "{answer}");
    let bench = filled(Profile::Jig);
    let answer = bench
        .ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [{"op": "replace_document", "paragraphs": []}] }));
    assert_eq!(warnings(&answer), "");
}

#[test]
fn single_paragraphs_are_changed_in_place() {
    for op in [
        json!({"op": "set_paragraph", "index": 1, "text": "Changed."}),
        json!({"op": "set_paragraph", "paragraph": 2, "text": "Changed."}),
        json!({"op": "set_paragraph", "paragraph": 2, "index": 1, "text": "Changed."}),
        json!({"op": "set_paragraph", "paragraph": "2", "runs": [{"text": "Changed."}]}),
    ] {
        let bench = filled(Profile::Jig);
        let answer = bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
        assert_eq!(
            (&answer["changes"][0]["old"], &answer["changes"][0]["new"]),
            (&json!("First paragraph."), &json!("Changed."))
        );
        let text = bench.text("DocxExtractText", "report.docx");
        for kept in ["Report", "Changed.", "Second paragraph.", "Third paragraph.", "| a | b |"] {
            assert!(text.contains(kept), "{op}: {text}");
        }
        assert!(!text.contains("First"), "{text}");
    }
    // A format alone keeps the text, and the style.
    let bench = filled(Profile::Jig);
    bench.ok(
        "DocxApplyOps",
        json!({ "path": "report.docx", "ops": [{"op": "set_paragraph", "index": 0, "alignment": "centre"}] }),
    );
    let map = bench.ok("DocxGetMap", json!({ "path": "report.docx" }));
    assert_eq!(map["sections"][0]["heading"], "Report", "{map}");
    let bench = filled(Profile::Jig);
    bench.ok(
        "DocxApplyOps",
        json!({ "path": "report.docx", "ops": [{"op": "delete_paragraphs", "paragraph": 2, "count": 2}] }),
    );
    let text = bench.text("DocxExtractText", "report.docx");
    assert!(
        text.contains("Report") && text.contains("Third") && !text.contains("First") && !text.contains("Second"),
        "{text}"
    );
    refuses(
        "DocxApplyOps",
        &json!({"op": "set_paragraph", "paragraph": 1, "index": 1, "text": "x"}),
        &["different values"],
    );
    refuses("DocxApplyOps", &json!({"op": "set_paragraph", "paragraph": 0, "text": "x"}), &["at least 1"]);
    refuses("DocxApplyOps", &json!({"op": "set_paragraph", "index": 99, "text": "x"}), &["99"]);
    refuses("DocxApplyOps", &json!({"op": "set_paragraph", "index": 1}), &["missing"]);
}

#[test]
fn equal_duplicates_pass_and_different_ones_do_not() {
    let bench = filled(Profile::Jig);
    let op = json!({"op": "set_slide_text", "index": 1, "slide_index": 1, "slide": 2, "title": "Both"});
    bench.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": [op] }));
    assert!(bench.text("PptxExtractText", "deck.pptx").contains("Both"));
    let op = json!({"op": "replace_text", "operation": "replace_text", "search": "First", "find": "First", "replace": "1st"});
    bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
    refuses(
        "PptxApplyOps",
        &json!({"op": "set_slide_text", "index": 1, "slide_index": 0, "title": "x"}),
        &["`index` and `slide_index`"],
    );
    refuses("PptxApplyOps", &json!({"op": "delete_slide", "index": 1, "slide": 1}), &["different values"]);
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "operation": "set_range", "sheet": "Budget", "cells": []}),
        &["different values"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "value": "a", "text": "b"}]}),
        &["`value` and `text`"],
    );
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "style": {"bold": true, "font_bold": false}}]}),
        &["different values"],
    );
}

#[test]
fn invalid_cosmetic_values_are_skipped_with_a_warning_and_the_rest_is_applied() {
    let styles = [
        json!({"font_size": 9999}),
        json!({"font_size": "big"}),
        json!({"font_color": "reddish"}),
        json!({"fill_color": "#12"}),
        json!({"h_align": "sideways"}),
        json!({"v_align": 7}),
        json!({"wrap_text": "perhaps"}),
        json!({"font_italic": [1]}),
        json!({"border_top": {"style": "wiggly"}}),
        json!({"border_top": 5}),
        json!({"fill_pattern": "plaid"}),
        json!("bold"),
        json!([1]),
    ];
    for style in styles {
        let bench = filled(Profile::Jig);
        let cell = json!({"cell": "A1", "value": "written", "style": style});
        let answer = bench.ok(
            "XlsxApplyOps",
            json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell]}] }),
        );
        assert!(
            warnings(&answer).contains("cells[0].style") && warnings(&answer).contains("skipped"),
            "{style}: {answer}"
        );
        assert_eq!(bench.cell("book.xlsx", "Budget", 0, 0).0, "written", "{style}");
    }
    let paragraphs = [
        json!({"alignment": "diagonal"}),
        json!({"space_before": -4}),
        json!({"line_spacing": "wide"}),
        json!({"indent_left": 900}),
        json!({"runs": [{"text": "written", "font_size": 0}]}),
        json!({"runs": [{"text": "written", "font_color": "x"}]}),
        json!({"runs": [{"text": "written", "underline": "zigzag"}]}),
        json!({"runs": [{"text": "written", "highlight_color": "mauve"}]}),
        json!({"runs": [{"text": "written", "bold": "very"}]}),
    ];
    for mut op in paragraphs {
        op["op"] = "append_paragraph".into();
        if op["runs"].is_null() {
            op["text"] = "written".into();
        }
        let bench = filled(Profile::Jig);
        let answer = bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
        assert!(warnings(&answer).contains("skipped"), "{op}: {answer}");
        assert!(bench.text("DocxExtractText", "report.docx").contains("written"), "{op}");
    }
    let slides = [
        json!({"title": "written", "alignment": "diagonal"}),
        json!({"title": "written", "space_after": "much"}),
        json!({"title_runs": [{"text": "written", "font_size": 99999}]}),
        json!({"title_runs": [{"text": "written", "font_color": "#GG0000"}]}),
    ];
    for mut op in slides {
        op["op"] = "set_slide_text".into();
        op["index"] = 0.into();
        let bench = filled(Profile::Jig);
        let answer = bench.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": [op] }));
        assert!(warnings(&answer).contains("skipped"), "{op}: {answer}");
        assert!(bench.text("PptxExtractText", "deck.pptx").contains("written"), "{op}");
    }
    // Each bad entry by itself; the good ones count.
    let bench = filled(Profile::Jig);
    let columns = json!([{"column": "A", "width": 20}, {"column": "?", "width": 5}, {"column": "B", "width": -1}, {"column": "C"}, {"column": "4", "width": "12"}]);
    let rows = json!([{"row": 1, "height": 30}, {"row": 0, "height": 5}, {"row": 2, "height": "tall"}, {"row": "3", "height": "18"}]);
    let ops = json!([{"op": "set_column_widths", "sheet": "Budget", "columns": columns}, {"op": "set_row_heights", "sheet": "Budget", "rows": rows}]);
    let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops }));
    assert_eq!((&answer["changes"][0]["columns"], &answer["changes"][1]["rows"]), (&json!(2), &json!(2)));
    for place in ["columns[1]", "columns[2]", "columns[3]", "rows[1]", "rows[2]"] {
        assert!(warnings(&answer).contains(place), "{place}: {answer}");
    }
    // An unknown field is an error there too: it could be data.
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_column_widths", "sheet": "Budget", "columns": [{"column": "A", "widht": 20}]}),
        &["`width`"],
    );
}

#[test]
fn the_usual_words_for_formats_are_understood() {
    let bench = filled(Profile::Jig);
    let style = json!({
        "bold": "true", "italic": 1, "underline": "single", "size": "14", "color": "#F00", "fill": "light blue", "align": "centre",
        "vertical": "middle", "wrap": "yes", "border": "thin", "border_top": {"style": "solid", "color": "navy"}, "number_format": "0.00",
    });
    let cell = json!({"cell": "C1", "value": "styled", "style": style});
    let answer = bench.ok(
        "XlsxApplyOps",
        json!({ "path": "book.xlsx", "ops": [{"op": "set_cells", "sheet": "Budget", "cells": [cell]}] }),
    );
    assert!(!warnings(&answer).contains("skipped"), "{answer}");
    let styles = bench.ok("XlsxGetStyles", json!({ "path": "book.xlsx" })).to_string();
    for word in ["FF0000", "ADD8E6"] {
        assert!(styles.contains(word), "{word}: {styles}");
    }
    let run = json!({"text": "styled", "bold": "yes", "size": 12.0, "color": "teal", "highlight": "Bright Green", "underline": "double"});
    let op = json!({"op": "append_paragraph", "runs": [run], "align": "justified", "space_before": "6"});
    let answer = bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [op] }));
    assert!(!warnings(&answer).contains("skipped"), "{answer}");
    // Without a highlight there is not even an element.
    let run = json!([{"text": "plain", "highlight_color": "none"}, {"text": "auto", "highlight_color": "auto"}]);
    bench.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": [{"op": "append_paragraph", "runs": run}] }));
    let content = bench.ok("DocxGetSectionContent", json!({ "path": "report.docx", "section_index": 1 })).to_string();
    assert!(content.contains("plain") && !content.contains("\"none\""), "{content}");
}

#[test]
fn lossless_differences_of_type_are_coerced() {
    let cases = [
        ("XlsxApplyOps", json!({"operation": "freeze_panes", "sheet": "Budget", "row": "1", "column": 1.0})),
        ("XlsxApplyOps", json!({"op": "insert_rows", "sheet_name": "Budget", "row": "2", "count": "1"})),
        ("XlsxApplyOps", json!({"op": "merge_cells", "sheet": " Budget ", "range": "C1:D1", "unmerge": "false"})),
        ("XlsxApplyOps", json!({"op": "set_cells", "sheet": "Budget", "cells": {"cell": "C1", "value": 1}})),
        ("XlsxApplyOps", json!({"op": "set_cells", "sheet": "Budget", "cells": "[{\"cell\": \"C1\", \"value\": 1}]"})),
        (
            "XlsxApplyOps",
            json!({"op": "setCells", "Sheet": "Budget", "cells": [{"cell": "C1", "value": 1, "type": "integer"}]}),
        ),
        (
            "XlsxApplyOps",
            json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "C1", "value": 1, "type": "sparkle"}]}),
        ),
        ("DocxApplyOps", json!({"op": "replace_text", "find": "First", "replace": 1, "match_case": "false"})),
        ("DocxApplyOps", json!({"op": "append_paragraph", "text": 2024})),
        ("DocxApplyOps", json!({"op": "append_paragraph", "text": "x", "search": null, "rows": [], "cells": ""})),
        ("PptxApplyOps", json!({"op": "set_slide_text", "slide_index": "0", "body": ["a", "b"]})),
        ("PptxApplyOps", json!({"op": "append_bullets", "index": 0.0, "bullets": "one"})),
        ("TextApplyOps", json!({"op": "delete_lines", "line_start": "1", "line_count": 1.0})),
        ("TextApplyOps", json!({"op": "replace_text", "old_string": "alpha", "new_string": "omega"})),
    ];
    for (method, op) in cases {
        let bench = filled(Profile::Jig);
        let before = bench.bytes(target(method));
        bench.ok(method, json!({ "path": target(method), "ops": [op] }));
        if op["unmerge"].is_null() {
            assert_ne!(bench.bytes(target(method)), before, "{op}");
        }
    }
    let bench = filled(Profile::Jig);
    let ops = "[{\"op\": \"delete_lines\", \"line_start\": 1}]";
    bench.ok("TextApplyOps", json!({ "path": " notes.txt ", "root": "", "operations": ops }));
    assert_eq!(bench.bytes("notes.txt").unwrap(), b"beta\ngamma\n");
    refuses(
        "XlsxApplyOps",
        &json!({"op": "insert_rows", "sheet": "Budget", "row": "two"}),
        &["ops[0].row", "whole number"],
    );
    refuses("XlsxApplyOps", &json!({"op": "delete_rows", "sheet": "Budget", "row": 2.5}), &["ops[0].row"]);
    refuses("XlsxApplyOps", &json!({"op": "delete_rows", "sheet": "Budget", "row": -1}), &["ops[0].row"]);
    refuses(
        "XlsxApplyOps",
        &json!({"op": "set_range", "sheet": "Budget", "start": "A1", "values": [1, 2]}),
        &["ops[0].values"],
    );
    refuses(
        "DocxApplyOps",
        &json!({"op": "replace_text", "search": "First", "replace": "x", "match_case": "sometimes"}),
        &["match_case"],
    );
    refuses("PptxApplyOps", &json!({"op": "delete_slide", "index": "last"}), &["ops[0].index"]);
}

#[test]
fn texts_that_look_like_numbers_are_written_as_text_and_reported() {
    let bench = filled(Profile::Jig);
    let ops = json!([{"op": "set_range", "sheet": "Budget", "start": "D1", "values": [["512", "007"], ["text", 5]]}]);
    let answer = bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops }));
    assert!(warnings(&answer).contains("2 values") && warnings(&answer).contains("look like numbers"), "{answer}");
    assert_eq!(bench.cell("book.xlsx", "Budget", 0, 4).0, "007");
}

#[test]
fn the_compatibility_profile_warns_where_the_other_refuses() {
    let calls = [
        (
            "XlsxApplyOps",
            json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "C1", "value": 1, "note": "x"}], "reason": "y"}),
        ),
        ("DocxApplyOps", json!({"op": "append_paragraph", "text": "x", "keep_with_next": true})),
        ("PptxApplyOps", json!({"op": "add_slide", "title": "x", "transition": "fade"})),
    ];
    for (method, op) in calls {
        let bench = filled(Profile::Compat);
        let answer = bench.ok(method, json!({ "path": target(method), "ops": [op.clone()], "trace_id": "t" }));
        assert!(warnings(&answer).contains("unknown field, skipped"), "{answer}");
        refuses(method, &op, &["unknown field"]);
    }
}
