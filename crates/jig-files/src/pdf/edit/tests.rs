//! Edits of PDF files, read back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use serde_json::json;

use super::*;

fn sample(name: &str) -> Arc<[u8]> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdf");
    Arc::from(std::fs::read(folder.join(name)).unwrap())
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better with the value in place")]
fn run(name: &str, ops: Value) -> Result<PdfEdit, PdfEditError> {
    apply(&sample(name), &ops, &|path| path.ends_with(".pdf").then(|| sample(path).to_vec()))
}

fn texts(edit: &PdfEdit) -> Vec<String> {
    let document = crate::pdf::Document::open(&Arc::from(edit.bytes.clone())).unwrap();
    document.all_pages().0
}

fn pages(name: &str) -> Vec<String> {
    crate::pdf::Document::open(&sample(name)).unwrap().all_pages().0
}

fn map(edit: &PdfEdit) -> Value {
    crate::pdf::Document::open(&Arc::from(edit.bytes.clone())).unwrap().map()
}

#[test]
fn pages_are_extracted_deleted_and_reordered() {
    let before = pages("office-report.pdf");
    let count = before.len();
    assert!(count >= 2, "{count}");
    let last = run("office-report.pdf", json!([{"op": "extract_pages", "pages": [count, 1]}])).unwrap();
    assert_eq!(texts(&last), [before[count - 1].clone(), before[0].clone()]);
    let rest = run("office-report.pdf", json!([{"op": "delete_pages", "pages": "1"}])).unwrap();
    assert_eq!(texts(&rest), before[1..]);
    let turned = run("office-report.pdf", json!([{"op": "reorder_pages", "order": format!("{count}-1")}])).unwrap();
    let mut backwards = before.clone();
    backwards.reverse();
    assert_eq!(texts(&turned), backwards);
    assert_eq!(turned.summaries, [format!("Reordered {count} pages.")]);
}

#[test]
fn pages_that_do_not_exist_are_refused() {
    let count = pages("office-report.pdf").len();
    let cases = [
        (
            json!({"op": "extract_pages", "pages": 99}),
            format!("ops[0].pages: page 99 does not exist: the file has {count} pages"),
        ),
        (json!({"op": "extract_pages", "pages": "1,1"}), "ops[0].pages: page 1 is named twice".to_owned()),
        (
            json!({"op": "extract_pages", "pages": "one"}),
            "ops[0].pages: expected pages such as `1-3, 7`, but found `one`".to_owned(),
        ),
        (
            json!({"op": "delete_pages", "pages": "1-"}),
            "ops[0].pages: all pages would be deleted; a PDF file needs at least one".to_owned(),
        ),
        (
            json!({"op": "reorder_pages", "order": [1]}),
            format!("ops[0].order: 1 of {count} pages are named; name every page once"),
        ),
        (
            json!({"op": "rotate_pages", "degrees": 45}),
            "ops[0].degrees: expected a multiple of 90, but found 45".to_owned(),
        ),
        (
            json!({"op": "merge", "files": ["none"]}),
            "ops[0].files[0]: file `none` not found in the workbench".to_owned(),
        ),
        (json!({"op": "fill_form", "fields": {"a": "b"}}), "ops[0].fields: the file has no form fields".to_owned()),
    ];
    for (op, wanted) in cases {
        assert_eq!(run("office-report.pdf", json!([op])).unwrap_err().to_string(), wanted);
    }
}

#[test]
fn pages_are_rotated_over_what_they_had() {
    let twice = json!([{"op": "rotate_pages", "degrees": 90}, {"op": "rotate_pages", "pages": 1, "degrees": -90}]);
    let edit = run("rotated-pages.pdf", twice).unwrap();
    let before = PageTree::read(&load(&sample("rotated-pages.pdf"), "").unwrap());
    drop(before);
    let document = load(&Arc::from(edit.bytes.clone()), "").unwrap();
    let source = load(&sample("rotated-pages.pdf"), "").unwrap();
    let turn = |document: &Document, page: u32| {
        let page = document.get_pages()[&page];
        document.get_dictionary(page).unwrap().get(b"Rotate").and_then(Object::as_i64).unwrap_or(0)
    };
    assert_eq!(turn(&document, 1), turn(&source, 1));
    if source.get_pages().len() > 1 {
        assert_eq!(turn(&document, 2), (turn(&source, 2) + 90) % 360);
    }
}

#[test]
fn files_are_merged_where_they_are_asked_for() {
    let (first, other) = (pages("office-report.pdf"), pages("table.pdf"));
    let edit = run("office-report.pdf", json!([{"op": "merge", "files": ["table.pdf", "form.pdf"], "at": 2}])).unwrap();
    let all = texts(&edit);
    assert_eq!(all.len(), first.len() + other.len() + pages("form.pdf").len());
    assert_eq!(all[0], first[0]);
    assert_eq!(all[1], other[0]);
    assert_eq!(all[all.len() - 1], first[first.len() - 1]);
    let form = crate::pdf::Document::open(&sample("form.pdf")).unwrap().map();
    assert_eq!(map(&edit)["forms"].as_array().map(Vec::len), form["forms"].as_array().map(Vec::len));
}

#[test]
fn protected_and_damaged_files_are_refused() {
    let op = || json!([{"op": "rotate_pages", "degrees": 90}]);
    let refused = |name: &str| run(name, op()).unwrap_err().to_string();
    assert_eq!(
        refused("encrypted-empty.pdf"),
        "the PDF file is encrypted; save a copy without a password, and edit that"
    );
    assert_eq!(
        refused("encrypted-password.pdf"),
        "the PDF file is protected by a password; a copy without one can be read"
    );
    let merged = run("table.pdf", json!([{"op": "merge", "files": ["encrypted-password.pdf"]}])).unwrap_err();
    assert!(merged.to_string().starts_with("encrypted-password.pdf: the PDF file is protected"));
    assert_eq!(apply(&Arc::from(*b"no pdf"), &op(), &|_| None).unwrap_err().to_string(), "this is not a PDF file");
}

#[test]
fn every_sample_that_can_be_read_can_be_turned() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdf");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".pdf") {
            continue;
        }
        let ops = json!([{"op": "rotate_pages", "degrees": 180}, {"op": "extract_pages", "pages": "1-"}]);
        if let Ok(edit) = run(&name, ops) {
            assert_eq!(edit.page_count, pages(&name).len(), "{name}");
        }
    }
}

#[test]
fn fields_are_filled() {
    let source = crate::pdf::Document::open(&sample("form.pdf")).unwrap().map();
    let fields = source["forms"].as_array().cloned().unwrap_or_default();
    let text = fields.iter().find(|field| field["type"] == "text").unwrap()["name"].as_str().unwrap().to_owned();
    let edit = run("form.pdf", json!([{"op": "fill_form", "fields": {text.clone(): "Grüße (1)"}}])).unwrap();
    let after = map(&edit);
    let value = after["forms"].as_array().unwrap().iter().find(|field| field["name"] == text.as_str()).unwrap();
    assert_eq!(value["value"], "Grüße (1)");
    assert_eq!(edit.summaries, ["Filled 1 field."]);
    for field in &fields {
        let name = field["name"].as_str().unwrap();
        if field["type"] == "checkbox" {
            let edit = run("form.pdf", json!([{"op": "fill_form", "fields": {name: true}}])).unwrap();
            let after = map(&edit);
            let found = after["forms"].as_array().unwrap().iter().find(|other| other["name"] == name).unwrap().clone();
            assert_ne!(found["value"], "Off");
        }
    }
    let error = run("form.pdf", json!([{"op": "fill_form", "fields": {"no such field": "x"}}])).unwrap_err();
    assert!(error.to_string().starts_with("ops[0].fields.no such field: field not found; the form has "), "{error}");
}
