//! `jig worker` in the place of the worker of the original client: its calls, as it sends them, and what it checks of the
//! answers. The names in front of the tests' parts are those of the list of differences that hurt a client.
//!
//! Queries on tables (the time-out, the guards, `rowid`, `main.data`) are played in `jig-tables`, which has the engine.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

/// The client sends `create_new` and `copy_from` with every edit, and `root` with every call.
fn apply(bench: &Bench, method: &str, path: &str, ops: Value) -> Value {
    let params = json!({ "path": path, "root": "draft", "ops": ops, "create_new": false, "copy_from": "" });
    bench.ok(method, params)
}

fn client() -> Bench {
    Bench::with_profile(Profile::Compat)
}

fn sheets(bench: &Bench, path: &str) -> Vec<String> {
    let info = bench.ok("XlsxGetInfo", json!({ "path": path, "root": "draft" }));
    info["sheets"].as_array().unwrap().iter().map(|sheet| sheet["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_profile_is_detected_by_the_client_s_variable() {
    let with = |name: &'static str, value: &'static str| {
        Profile::detect(move |asked| (asked == name).then(|| value.to_owned()))
    };
    assert_eq!(with("KEENBENCH_WORKBENCHES_DIR", "/w"), Profile::Compat);
    assert_eq!(with("KEENBENCH_WORKBENCHES_DIR", ""), Profile::Jig);
    assert_eq!(with("JIG_WORKBENCHES_DIR", "/w"), Profile::Jig);
}

#[test]
fn s1_s3_a_new_workbook_reuses_its_default_sheet_and_an_existing_one_keeps_it() {
    let bench = client();
    let ops = json!([
        {"op": "ensure_sheet", "sheet": "Summary"},
        {"op": "set_range", "sheet": "Summary", "start": "A1", "values": [["Category", "Total"], ["Rent", "120"]]},
    ]);
    let answer = apply(&bench, "XlsxApplyOps", "new.xlsx", ops);
    assert_eq!(answer["ok"], true);
    assert_eq!(sheets(&bench, "new.xlsx"), ["Summary"]);
    let ops = json!([{"op": "set_cells", "sheet": "Other", "cells": [{"cell": "A1", "value": 1}]}]);
    apply(&bench, "XlsxApplyOps", "new.xlsx", ops);
    assert_eq!(sheets(&bench, "new.xlsx"), ["Summary", "Other"]);
    assert_eq!(bench.cell("new.xlsx", "Summary", 0, 0).0, "Category");
}

#[test]
fn s2_c5_c8_files_and_sheets_are_created_by_edits_and_copies() {
    let bench = client();
    bench.book();
    let copy = json!({
        "source_path": "book.xlsx", "target_path": "copy.xlsx", "source_root": "draft", "target_root": "draft",
        "assets": ["cell_style:Budget!A1->Report!B2:C3"],
    });
    let answer = bench.ok("XlsxCopyAssets", copy);
    assert_eq!((&answer["ok"], &answer["copied_count"]), (&json!(true), &json!(1)));
    assert_eq!(sheets(&bench, "copy.xlsx"), ["Report"]);
    for create_new in [json!(true), json!("true"), json!(1)] {
        let params =
            json!({ "path": "fresh.docx", "ops": [{"op": "append_paragraph", "text": "x"}], "create_new": create_new });
        assert_eq!(bench.ok("DocxApplyOps", params)["ok"], true);
    }
}

#[test]
fn s4_s5_s6_c1_bad_formats_do_not_stop_the_data() {
    let bench = client();
    let style = json!({
        "font_italic": "maybe", "wrap_text": [], "border_top": {"style": "wobbly", "color": "nope"}, "font_size": 9000,
        "h_align": "sideways", "fill_color": "#12", "number_format": 7, "unknown_key": 1,
    });
    let ops = json!([
        {"op": "set_cells", "sheet": "S", "cells": [{"cell": "A1", "value": "kept", "style": style}, {"cell": "A2", "value": 2, "style": "bold"}]},
        {"op": "set_column_widths", "sheet": "S", "columns": [{"column": "A", "width": "wide"}, {"column": "B", "width": 12}]},
        {"op": "set_row_heights", "sheet": "S", "rows": [{"row": 0, "height": 10}, {"row": 1, "height": 20}]},
    ]);
    let answer = apply(&bench, "XlsxApplyOps", "styled.xlsx", ops);
    assert!(!warnings(&answer).is_empty(), "{answer}");
    assert_eq!(bench.cell("styled.xlsx", "S", 0, 0).0, "kept");
    assert_eq!(bench.cell("styled.xlsx", "S", 1, 0).0, 2);
    let run =
        json!({"text": "run", "bold": 1, "font_color": "red-ish", "highlight_color": "sparkle", "font_size": "big"});
    let ops = json!([{"op": "append_paragraph", "runs": [run], "indent_left": "far", "space_before": -5, "alignment": "CENTER", "style": "No such style"}]);
    apply(&bench, "DocxApplyOps", "styled.docx", ops);
    assert!(bench.text("DocxExtractText", "styled.docx").contains("run"));
    let ops = json!([{"op": "add_slide", "layout": "no_such_layout", "title_runs": [{"text": "Deck", "font_size": -3}], "body": "b", "line_spacing": "x"}]);
    apply(&bench, "PptxApplyOps", "styled.pptx", ops);
    assert!(bench.text("PptxExtractText", "styled.pptx").contains("Deck"));
}

#[test]
fn c2_c4_reads_take_texts_for_numbers_empty_texts_and_padded_names() {
    let bench = client();
    bench.book();
    bench.deck();
    bench.document();
    let grid = json!({
        "path": " book.xlsx", "root": "", "sheet": "", "row_start": "0", "row_count": "2", "col_start": 0.0, "col_count": true,
    });
    // A flag is not a count; everything else of the call is right.
    assert!(bench.call("XlsxRenderGrid", grid)["error"]["message"].as_str().unwrap().contains("col_count"));
    let grid = json!({ "path": " book.xlsx", "root": "", "sheet": " Budget ", "row_start": "0", "row_count": "2", "col_count": 2.0 });
    assert_eq!(bench.ok("XlsxRenderGrid", grid)["cells"][0][0]["value"], "Title");
    assert!(
        bench.ok("XlsxReadRange", json!({"path": "book.xlsx", "sheet": "", "range": " a1:b2 "}))["text"]
            .as_str()
            .unwrap()
            .contains("Rent")
    );
    assert!(
        bench.ok("PptxExtractText", json!({"path": "deck.pptx", "slide_index": "1"}))["text"]
            .as_str()
            .unwrap()
            .contains("Two")
    );
    assert!(
        bench.ok("DocxExtractText", json!({"path": "report.docx", "section": " COSTS "}))["text"]
            .as_str()
            .unwrap()
            .contains("Third")
    );
    assert!(
        bench.ok("DocxExtractText", json!({"path": "report.docx", "section": ""}))["text"]
            .as_str()
            .unwrap()
            .contains("First")
    );
}

#[test]
fn c3_slides_are_positioned_unless_the_client_asks_otherwise() {
    let bench = client();
    bench.deck();
    let slide = bench.ok("PptxGetSlideContent", json!({"path": "deck.pptx", "slide_index": 0}))["slide"].clone();
    assert_eq!(slide["render_mode"], "positioned", "{slide}");
    let positioned = &slide["positioned"];
    assert_eq!(positioned["coordinate_space"], "slide_ratio");
    assert_eq!(positioned["slide_size"]["unit"], "emu");
    let shape = &positioned["positioned_shapes"][0];
    for name in ["x", "y", "w", "h"] {
        assert!(shape[name].as_f64().is_some_and(|part| (0.0..=1.0).contains(&part)), "{name}: {shape}");
    }
    for name in ["x", "y", "width", "height", "unit"] {
        assert!(shape["bounds"].get(name).is_some() && shape["frame_emu"].get(name).is_some(), "{name}: {shape}");
    }
    for name in ["text_blocks", "text_runs", "text", "index", "name", "shape_type", "z_index"] {
        assert!(shape.get(name).is_some(), "{name}: {shape}");
    }
    let lite = bench.ok("PptxGetSlideContent", json!({"path": "deck.pptx", "slide_index": 0, "detail": "layout-lite"}));
    assert_eq!(lite["slide"]["render_mode"], "layout-lite");
    assert!(lite["slide"].get("positioned").is_none());
    // Others get the short form unless they ask for more.
    let bench = Bench::new();
    bench.deck();
    let slide = bench.ok("PptxGetSlideContent", json!({"path": "deck.pptx"}))["slide"].clone();
    assert_eq!(slide["render_mode"], "layout-lite");
}

#[test]
fn c6_c16_unknown_types_and_empty_texts_of_cells() {
    let bench = client();
    let cells = json!([
        {"cell": "A1", "value": 5, "type": "sparkle"}, {"cell": "A2", "value": "2024-01-05", "type": "Date"},
        {"cell": "A3", "value": "", "type": "string"}, {"cell": "A4", "value": "text", "type": "STR"},
    ]);
    apply(&bench, "XlsxApplyOps", "types.xlsx", json!([{"op": "set_cells", "sheet": "S", "cells": cells}]));
    let grid = bench.ok("XlsxRenderGrid", json!({"path": "types.xlsx", "sheet": "S", "row_count": 4, "col_count": 1}));
    let cell = |row: usize| grid["cells"][row][0].clone();
    assert_eq!((&cell(0)["value"], &cell(2)["type"], &cell(3)["value"]), (&json!(5), &json!("blank"), &json!("text")));
    // C7: dates are ISO texts in `value`.
    assert!(cell(1)["value"].as_str().unwrap().starts_with("2024-01-05"), "{}", cell(1));
    assert_eq!(cell(1)["type"], "string");
    let jig = Bench::new();
    let op = json!({"op": "set_cells", "sheet": "S", "cells": [{"cell": "A1", "value": "2024-01-05", "type": "date"}]});
    jig.ok("XlsxApplyOps", json!({"path": "d.xlsx", "ops": [op]}));
    assert_eq!(jig.cell("d.xlsx", "S", 0, 0).0, 45296);
}

#[test]
fn c7_c9_windows_scales_and_words_are_clamped() {
    let bench = client();
    bench.book();
    bench.document();
    let grid = bench.ok("XlsxRenderGrid", json!({"path": "book.xlsx", "row_count": 5000, "col_count": 5000}));
    let rows = grid["cells"].as_array().unwrap();
    assert_eq!((rows.len(), rows[0].as_array().unwrap().len()), (200, 50));
    for scale in [json!(0.01), json!(50), json!("3")] {
        let page = bench.ok("DocxRenderPage", json!({"path": "report.docx", "page_index": 0, "scale": scale}));
        assert_eq!(page["mime_type"], "image/png");
    }
    assert!(
        bench.ok("PptxGetSlideContent", json!({"path": deck(&bench), "detail": "LAYOUT-LITE"})).get("slide").is_some()
    );
}

fn deck(bench: &Bench) -> &'static str {
    bench.deck();
    "deck.pptx"
}

#[test]
fn c8_messages_have_the_words_that_the_client_looks_for() {
    let bench = client();
    bench.book();
    let error = bench.refused("XlsxReadRange", &json!({"path": "book.xlsx", "sheet": "Missing"}));
    assert!(error["message"].as_str().unwrap().contains("unknown sheet"), "{error}");
    let error = bench.refused("NoSuchMethod", &json!({"path": "book.xlsx"}));
    assert_eq!(error["message"], "unknown method: NoSuchMethod");
    assert_eq!((&error["code"], &error["data"]["error_code"]), (&json!(-32000), &json!("VALIDATION_FAILED")));
}

#[test]
fn c10_calls_without_ops_or_assets_are_refused_and_payloads_are_needed() {
    let bench = client();
    bench.book();
    bench.document();
    for ops in [
        json!(null),
        json!([]),
        json!([{"op": "set_cells", "sheet": "Budget"}]),
        json!([{"op": "set_range", "sheet": "Budget", "start": "A1", "values": null}]),
    ] {
        bench.refused("XlsxApplyOps", &json!({"path": "book.xlsx", "ops": ops}));
    }
    bench.refused(
        "DocxApplyOps",
        &json!({"path": "report.docx", "ops": [{"op": "set_paragraphs", "paragraphs": null}]}),
    );
    bench.refused("XlsxCopyAssets", &json!({"source_path": "book.xlsx", "target_path": "x.xlsx", "assets": []}));
}

#[test]
fn c11_c13_chunk_info_is_what_was_read() {
    let bench = client();
    bench.document();
    bench.deck();
    let read = bench.ok("DocxExtractText", json!({"path": "report.docx", "section": "Report"}));
    let info = &read["chunk_info"];
    assert_eq!(
        (&info["total_chunks"], &info["has_more"], &info["range"]),
        (&json!(2), &json!(true), &json!("Report")),
        "{read}"
    );
    let last = bench.ok("DocxExtractText", json!({"path": "report.docx", "section": 1}))["chunk_info"].clone();
    assert_eq!((&last["chunk_index"], &last["has_more"]), (&json!(1), &json!(false)));
    let slide = bench.ok("PptxExtractText", json!({"path": "deck.pptx", "slide_index": 0}))["chunk_info"].clone();
    assert_eq!(
        (&slide["chunk_index"], &slide["total_chunks"], &slide["has_more"]),
        (&json!(0), &json!(2), &json!(true))
    );
    std::fs::write(bench.path("pages.pdf"), pdf(7)).unwrap();
    assert_eq!(bench.ok("PdfGetInfo", json!({"path": "pages.pdf"}))["page_count"], 7);
    for (pages, range) in
        [(json!([1, 2]), "1-2"), (json!([1.0, "2"]), "1-2"), (json!([2]), "2"), (json!([1, 3, 4]), "1,3-4")]
    {
        let info = bench.ok("PdfExtractText", json!({"path": "pages.pdf", "pages": pages}))["chunk_info"].clone();
        assert_eq!((&info["range"], &info["has_more"]), (&json!(range), &json!(true)), "{pages}");
    }
    let whole = bench.ok("PdfExtractText", json!({"path": "pages.pdf", "pages": []}));
    assert_eq!(whole["text"], bench.ok("PdfExtractText", json!({"path": "pages.pdf"}))["text"]);
}

/// A PDF file with so many empty pages.
fn pdf(pages: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", page + 3)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {pages} >>", kids.join(" ")),
    ];
    objects.extend((0..pages).map(|_| "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>".to_owned()));
    let mut file = "%PDF-1.7\n".to_owned();
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    offsets.iter().for_each(|offset| file.push_str(&format!("{offset:010} 00000 n \n")));
    let size = objects.len() + 1;
    file.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

#[test]
fn s10_text_is_replaced_as_it_was_read_from_a_table() {
    let bench = client();
    let ops = json!([
        {"op": "append_paragraph", "text": "Before"},
        {"op": "insert_table", "rows": [["plain", "left | right"], ["x", "a|b"]]},
    ]);
    apply(&bench, "DocxApplyOps", "pipes.docx", ops);
    let text = bench.text("DocxExtractText", "pipes.docx");
    assert!(text.contains("left \\| right"), "{text}");
    let ops = json!([
        {"op": "replace_text", "search": "left \\| right", "replace": "one \\| two"},
        {"op": "replace_text", "search": "a|b", "replace": "c|d"},
    ]);
    let answer = apply(&bench, "DocxApplyOps", "pipes.docx", ops);
    assert_eq!((&answer["changes"][0]["replacements"], &answer["changes"][1]["replacements"]), (&json!(1), &json!(1)));
    let text = bench.text("DocxExtractText", "pipes.docx");
    assert!(text.contains("one \\| two") && text.contains("c\\|d") && !text.contains("\\\\"), "{text}");
}

#[test]
fn c17_a_highlight_of_none_is_no_element() {
    let bench = client();
    let ops = json!([{"op": "append_paragraph", "runs": [{"text": "a", "highlight_color": "none"}, {"text": "b", "highlight_color": "AUTO"}]}]);
    apply(&bench, "DocxApplyOps", "marks.docx", ops);
    let content = bench.ok("DocxGetSectionContent", json!({"path": "marks.docx", "section_index": 0})).to_string();
    assert!(!content.contains("\"none\"") && !content.contains("\"auto\""), "{content}");
}

#[test]
fn both_names_of_a_slide_are_accepted_when_they_agree() {
    let bench = client();
    bench.deck();
    let op = json!({"op": "set_slide_text", "index": 1, "slide_index": 1, "title": "Due"});
    apply(&bench, "PptxApplyOps", "deck.pptx", json!([op]));
    let op = json!({"op": "set_slide_text", "index": 1, "slide_index": 0, "title": "Uno"});
    bench.refused("PptxApplyOps", &json!({"path": "deck.pptx", "ops": [op]}));
    assert!(bench.text("PptxExtractText", "deck.pptx").contains("Due"));
}
