//! Parameters of reads as clients write them: they are understood and the difference is reported, and nothing stops a read that
//! could be answered.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

fn filled() -> Bench {
    let bench = Bench::new();
    bench.book();
    bench.document();
    bench.deck();
    bench.notes();
    let ops = json!([{"op": "set_cells", "sheet": "2024", "cells": [{"cell": "A1", "value": "year"}]}]);
    bench.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops }));
    bench
}

/// Two ways to ask must give the same answer, but for warnings.
#[track_caller]
fn same(bench: &Bench, method: &str, plain: Value, given: Value) -> String {
    let (mut wanted, mut found) = (bench.ok(method, plain), bench.ok(method, given.clone()));
    let told = warnings(&found);
    for answer in [&mut wanted, &mut found] {
        answer.as_object_mut().unwrap().shift_remove("warnings");
    }
    assert_eq!(found, wanted, "{method} {given}");
    told
}

#[test]
fn numbers_and_flags_are_read_in_every_lossless_form() {
    let bench = filled();
    let grid = json!({ "path": "book.xlsx", "row_start": 1, "row_count": 2, "col_start": 0, "col_count": 2 });
    for given in [
        json!({ "path": "book.xlsx", "row_start": "1", "row_count": "2", "col_start": 0.0, "col_count": " 2 " }),
        json!({ "path": "book.xlsx", "row_start": 1.0, "row_count": 2.0, "col_start": "0", "col_count": "2.0" }),
        json!({ "path": "book.xlsx", "rowStart": 1, "ROW_COUNT": 2, "col_start": null, "column_count": 2 }),
    ] {
        same(&bench, "XlsxRenderGrid", grid.clone(), given);
    }
    let found = json!({ "path": "book.xlsx", "query": "rent", "match_case": false, "max_results": 5 });
    for flag in [json!("false"), json!(0), json!("no"), json!("False")] {
        let given = json!({ "path": "book.xlsx", "query": "rent", "match_case": flag, "max_results": "5" });
        same(&bench, "XlsxFind", found.clone(), given);
    }
    same(
        &bench,
        "TextReadLines",
        json!({"path": "notes.txt", "line_start": 2, "line_count": 1}),
        json!({"path": "notes.txt", "line_start": "2", "line_count": 1.0}),
    );
    same(
        &bench,
        "PptxExtractText",
        json!({"path": "deck.pptx", "slide_index": 1}),
        json!({"path": "deck.pptx", "slide_index": "1"}),
    );
    same(
        &bench,
        "PptxExtractText",
        json!({"path": "deck.pptx", "slide_index": 1}),
        json!({"path": "deck.pptx", "slide": 2, "index": 1}),
    );
    same(
        &bench,
        "DocxGetSectionContent",
        json!({"path": "report.docx", "section_index": 1}),
        json!({"path": "report.docx", "section_index": "1", "from_paragraph": "0"}),
    );
}

#[test]
fn empty_values_were_not_given() {
    let bench = filled();
    for empty in [json!(""), json!("  "), json!([]), Value::Null] {
        same(
            &bench,
            "XlsxRenderGrid",
            json!({"path": "book.xlsx"}),
            json!({"path": "book.xlsx", "sheet": empty, "root": empty}),
        );
        same(
            &bench,
            "XlsxReadRange",
            json!({"path": "book.xlsx"}),
            json!({"path": "book.xlsx", "sheet": empty, "range": empty, "mode": empty}),
        );
        same(&bench, "XlsxGetStyles", json!({"path": "book.xlsx"}), json!({"path": "book.xlsx", "sheet": empty}));
        same(
            &bench,
            "DocxExtractText",
            json!({"path": "report.docx"}),
            json!({"path": "report.docx", "section": empty, "view": empty, "paragraphs": empty}),
        );
        same(
            &bench,
            "PptxGetSlideContent",
            json!({"path": "deck.pptx"}),
            json!({"path": "deck.pptx", "detail": empty}),
        );
        same(&bench, "TextReadLines", json!({"path": "notes.txt"}), json!({"path": "notes.txt", "line_count": empty}));
    }
}

#[test]
fn names_are_texts_and_spaces_around_them_do_not_count() {
    let bench = filled();
    let year = json!({ "path": "book.xlsx", "sheet": "2024" });
    for sheet in [json!(2024), json!(" 2024 "), json!("2024\n")] {
        same(&bench, "XlsxReadRange", year.clone(), json!({ "path": "book.xlsx", "sheet": sheet }));
    }
    same(
        &bench,
        "XlsxReadRange",
        json!({"path": "book.xlsx", "sheet": "Budget"}),
        json!({"path": " book.xlsx ", "sheet": " budget "}),
    );
    same(
        &bench,
        "DocxExtractText",
        json!({"path": "report.docx", "section": "Costs"}),
        json!({"path": "report.docx", "section": "  costs "}),
    );
    // A file and a sheet that have spaces in their names are found under those first.
    std::fs::write(bench.path(" notes.txt"), "with a space\n").unwrap();
    assert_eq!(bench.ok("TextReadLines", json!({"path": " notes.txt"}))["text"], "with a space\n");
    assert!(bench.text("TextReadLines", "notes.txt").starts_with("alpha"));
}

#[test]
fn words_of_a_list_are_read_in_any_case() {
    let bench = filled();
    for mode in ["Formulas", "FORMULAS", " formulas"] {
        same(
            &bench,
            "XlsxReadRange",
            json!({"path": "book.xlsx", "mode": "formulas"}),
            json!({"path": "book.xlsx", "mode": mode}),
        );
    }
    for detail in ["Positioned", "POSITIONED"] {
        same(
            &bench,
            "PptxGetSlideContent",
            json!({"path": "deck.pptx", "detail": "positioned"}),
            json!({"path": "deck.pptx", "detail": detail}),
        );
    }
    same(
        &bench,
        "PptxGetSlideContent",
        json!({"path": "deck.pptx", "detail": "layout-lite"}),
        json!({"path": "deck.pptx", "detail": "layout_lite"}),
    );
    same(
        &bench,
        "DocxExtractText",
        json!({"path": "report.docx", "view": "original"}),
        json!({"path": "report.docx", "view": "Original"}),
    );
    let error = bench.refused("XlsxReadRange", &json!({"path": "book.xlsx", "mode": "formulars"}));
    assert!(error["message"].as_str().unwrap().contains("values, formulas, both"), "{error}");
    assert_eq!(error["data"]["suggestions"][0], "formulas");
}

#[test]
fn counts_and_scales_out_of_range_are_clamped_with_a_warning() {
    let bench = filled();
    let told = same(
        &bench,
        "XlsxRenderGrid",
        json!({"path": "book.xlsx", "row_start": 0, "row_count": 1, "col_count": 1}),
        json!({"path": "book.xlsx", "row_start": -5, "row_count": 0, "col_count": -1}),
    );
    assert!(told.contains("row_start") && told.contains("read as 0") && told.contains("col_count"), "{told}");
    let told = same(
        &bench,
        "TextReadLines",
        json!({"path": "notes.txt", "line_start": 1, "line_count": 1}),
        json!({"path": "notes.txt", "line_start": 0, "line_count": -3}),
    );
    assert!(told.contains("line_start"), "{told}");
    for (given, used) in [(json!(9), 2.0), (json!(0), 0.25), (json!("-1"), 0.25), (json!("5.5"), 2.0)] {
        let told = same(
            &bench,
            "DocxRenderPage",
            json!({"path": "report.docx", "page_index": 0, "scale": used}),
            json!({"path": "report.docx", "page_index": "0", "scale": given}),
        );
        assert!(told.contains("scale"), "{given}: {told}");
    }
    let told = same(
        &bench,
        "XlsxFind",
        json!({"path": "book.xlsx", "query": "a", "max_results": 1}),
        json!({"path": "book.xlsx", "query": "a", "max_results": 0}),
    );
    assert!(told.contains("max_results"), "{told}");
}

#[test]
fn unknown_parameters_of_a_read_are_warnings_with_the_near_name() {
    for profile in [Profile::Jig, Profile::Compat] {
        let bench = Bench::with_profile(profile);
        bench.book();
        bench.notes();
        let answer = bench.ok("XlsxReadRange", json!({"path": "book.xlsx", "shet": "Budget", "trace_id": "t"}));
        let told = warnings(&answer);
        assert!(told.contains("shet") && told.contains("`sheet`") && told.contains("trace_id"), "{told}");
        let answer = bench.ok("TextReadLines", json!({"path": "notes.txt", "line_strat": 2}));
        assert!(warnings(&answer).contains("`line_start`"), "{answer}");
        let answer = bench.ok("XlsxGetMap", json!({"path": "book.xlsx", "verbose": true}));
        assert!(warnings(&answer).contains("verbose"), "{answer}");
    }
}

#[test]
fn what_has_no_meaning_is_an_error_that_names_the_parameter() {
    let bench = filled();
    for (method, params, name) in [
        ("XlsxRenderGrid", json!({"path": "book.xlsx", "row_count": "many"}), "row_count"),
        ("XlsxFind", json!({"path": "book.xlsx", "query": "a", "match_case": "sometimes"}), "match_case"),
        ("PptxExtractText", json!({"path": "deck.pptx", "slide_index": {"n": 1}}), "slide_index"),
        ("TextReadLines", json!({"path": "notes.txt", "line_start": [1, 2]}), "line_start"),
        ("PptxExtractText", json!({"path": "deck.pptx", "slide": 1, "slide_index": 1}), "slide"),
    ] {
        let error = bench.refused(method, &params);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(name), "{message}");
        assert_eq!(error["data"]["error_code"], "VALIDATION_FAILED");
        for word in ["f64", "u32", "usize", "u64", "i64"] {
            assert!(!message.contains(word), "a Rust type in: {message}");
        }
    }
}
