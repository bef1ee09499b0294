//! The complete replies of every file method to every sample in the repository, and of the calls of every case,
//! compared with recorded ones under `tests/replies`. Each sample and each case is a test of its own:
//! `cargo test -p jig-worker --test replies -- samples/office/report.docx` runs one, `UPDATE=1` records again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "support/recorded.rs"]
mod recorded;

use std::fs;
use std::path::{Path, PathBuf};

use jig_files::engine::Format;
use jig_worker::Method;
use jig_worker::{FileMethods, WorkerOptions, serve};
use libtest_mimic::{Arguments, Failed, Trial};
use recorded::{Recording, check_for_unused, files_below};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// Samples above this size cost more time than they show.
const SAMPLE_BYTES: u64 = 1 << 20;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add = |name: String, record: Box<dyn Fn() -> Recording + Send>| {
        let recorded = name.clone();
        trials.push((name, move || {
            record().check(&crate_path("tests/replies"), &recorded, Path::new(env!("CARGO_TARGET_TMPDIR")))
        }));
    };
    for file in samples() {
        add(format!("samples/{}", sample_name(&file)), Box::new(move || record_sample(&file)));
    }
    for (name, text) in TEXTS {
        add(format!("samples/texts/{name}"), Box::new(|| record_text(name, text)));
    }
    for folder in case_folders(&["xlsx", "docx", "pptx"]) {
        add(case_name(&folder), Box::new(move || record_case(&folder)));
    }
    for folder in case_folders(&["diff"]) {
        add(case_name(&folder), Box::new(move || record_versions(&folder)));
    }
    add("methods".to_owned(), Box::new(record_methods));
    let names: Vec<String> = trials.iter().map(|(name, _)| name.clone()).collect();
    let mut tests: Vec<Trial> =
        trials.into_iter().map(|(name, run)| Trial::test(name, move || run().map_err(Failed::from))).collect();
    tests.push(Trial::test("every_recording_has_a_test", move || {
        Ok(check_for_unused(&crate_path("tests/replies"), &names)?)
    }));
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// Texts that no sample has: each shows one thing that readers must agree about.
const TEXTS: &[(&str, &[u8])] = &[
    ("empty.txt", b""),
    ("no-final-newline.md", b"# One\n\ntext\n\n## Two\n\nmore text"),
    ("carriage-returns.txt", b"one\r\ntwo\rthree\nfour\r\n"),
    ("nested.json", b"{\"a\": [1, 2, {\"b\": \"c\"}], \"d\": null}\n"),
    ("latin-1.txt", b"caf\xe9 \xfcber stra\xdfe\nna\xefve\n"),
    ("utf-16le.txt", b"\xff\xfea\0b\0\n\0\xac\x20\n\0"),
    ("utf-8-mark.txt", b"\xef\xbb\xbffirst\nsecond\n"),
    ("code.rs", b"fn main() {\n    println!(\"hello\");\n}\n"),
    ("list.yaml", b"- one\n- two: 2\n"),
    ("nul-bytes.txt", b"a\0b\0c\n"),
];

/// A worker with files of its own.
struct Worker {
    folder: TempDir,
    methods: FileMethods,
    recording: Recording,
}

impl Worker {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for root in ["draft", "published"] {
            fs::create_dir_all(folder.path().join("w").join(root)).unwrap();
        }
        Self { folder, methods: FileMethods::new(), recording: Recording::default() }
    }

    fn put(&self, root: &str, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join("w").join(root).join(name), bytes).unwrap();
    }

    /// Makes a call and records its reply.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        let mut complete = params.clone();
        complete["workbench_id"] = "w".into();
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": complete });
        let now = || Some("2024-01-05T10:00:00Z".to_owned());
        let mut output = Vec::new();
        let options = WorkerOptions::new(self.folder.path(), now);
        serve(&options, &self.methods, format!("{request}\n").as_bytes(), &mut output).unwrap();
        let mut reply: Value = serde_json::from_slice(&output).unwrap();
        let body = reply.as_object_mut().unwrap();
        assert_eq!((body.remove("jsonrpc"), body.remove("id")), (Some(json!("2.0")), Some(json!(1))));
        self.recording.add(method, params, &reply);
        reply["result"].clone()
    }

    /// A read of one file, with more parameters.
    fn read(&mut self, method: &str, name: &str, more: &Value) -> Value {
        let mut params = json!({ "path": name });
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        self.call(method, &params)
    }

    /// All pages of a text, but no more than four.
    fn pages(&mut self, method: &str, name: &str, max_tokens: u32) {
        let mut cursor = Value::Null;
        for _ in 0..4 {
            let answer = self.read(method, name, &json!({ "max_tokens": max_tokens, "cursor": cursor }));
            cursor = answer["cursor"].clone();
            if cursor.is_null() {
                return;
            }
        }
    }
}

/// Calls that cannot be answered: a file that does not exist, a path that is not allowed, no path, no such method.
fn record_methods() -> Recording {
    let mut worker = Worker::new();
    for method in Method::all() {
        worker.call(method.name, &json!({ "path": "missing.txt" }));
        worker.call(method.name, &json!({ "path": "../outside.txt", "source_path": "a", "target_path": "../b" }));
        worker.call(method.name, &json!({}));
    }
    worker.call("TabularGetMap", &json!({ "path": "table.csv" }));
    worker.call("NoSuchMethod", &json!({}));
    worker.recording
}

fn record_sample(file: &Path) -> Recording {
    let name = file.file_name().unwrap().to_str().unwrap();
    record_file(name, &fs::read(file).unwrap())
}

fn record_text(name: &str, text: &[u8]) -> Recording {
    record_file(name, text)
}

/// Every method on one file.
fn record_file(name: &str, bytes: &[u8]) -> Recording {
    let mut worker = Worker::new();
    worker.put("draft", name, bytes);
    worker.put("published", name, bytes);
    let own = Format::ALL.into_iter().find(|format| *format != Format::Text && format.takes(name));
    match own {
        Some(Format::Xlsx) => workbook(&mut worker, name),
        Some(Format::Docx) => document(&mut worker, name),
        Some(Format::Pptx) => deck(&mut worker, name),
        Some(Format::Pdf) => pdf(&mut worker, name),
        Some(Format::Odt) => odt(&mut worker, name),
        Some(Format::Image) => image(&mut worker, name),
        Some(Format::Text) | None => {}
    }
    text(&mut worker, name);
    // What methods of other formats reply to this file.
    for (format, method) in [
        (Format::Xlsx, "XlsxGetInfo"),
        (Format::Docx, "DocxGetMap"),
        (Format::Pptx, "PptxGetMap"),
        (Format::Pdf, "PdfGetInfo"),
        (Format::Odt, "OdtGetMap"),
        (Format::Image, "ImageGetMetadata"),
    ] {
        if own != Some(format) {
            worker.read(method, name, &json!({}));
        }
    }
    worker.recording
}

fn workbook(worker: &mut Worker, name: &str) {
    let info = worker.read("XlsxGetInfo", name, &json!({}));
    worker.read("XlsxGetMap", name, &json!({}));
    worker.read("XlsxReadRange", name, &json!({}));
    worker.read("XlsxRenderGrid", name, &json!({}));
    worker.read("XlsxGetStyles", name, &json!({}));
    let sheets: Vec<Value> =
        info["sheets"].as_array().into_iter().flatten().map(|sheet| sheet["name"].clone()).collect();
    for sheet in sheets.iter().take(3) {
        worker.read("XlsxReadRange", name, &json!({ "sheet": sheet, "mode": "both" }));
        worker.read("XlsxReadRange", name, &json!({ "sheet": sheet, "range": "A1:D10", "mode": "formulas" }));
        worker.read("XlsxReadRange", name, &json!({ "sheet": sheet, "range": "B:C", "max_bytes": 300 }));
        worker.read("XlsxRenderGrid", name, &json!({ "sheet": sheet, "row_count": 200, "col_count": 50 }));
        let window = json!({ "sheet": sheet, "row_start": 2, "row_count": 5, "col_start": 1, "col_count": 3 });
        worker.read("XlsxRenderGrid", name, &window);
        worker.read("XlsxGetStyles", name, &json!({ "sheet": sheet }));
        worker.read("XlsxFind", name, &json!({ "query": "a", "sheet": sheet, "max_results": 5 }));
    }
    worker.read("XlsxReadRange", name, &json!({ "sheet": "No such sheet" }));
    worker.read("XlsxReadRange", name, &json!({ "range": "ZZZZ1" }));
    worker.read("XlsxExtractText", name, &json!({}));
    worker.read("XlsxExtractText", name, &json!({ "mode": "both", "include_hidden": true }));
    worker.pages("XlsxExtractText", name, 60);
    worker.pages("XlsxReadRange", name, 40);
    worker.read("XlsxFind", name, &json!({ "query": "e", "match_case": true }));
    worker.read("XlsxFind", name, &json!({ "query": "SUM", "formulas": true }));
    worker.read("XlsxRenderPage", name, &json!({ "page_index": 0, "scale": 0.25 }));
    worker.call("XlsxRenderCopy", &json!({ "source_path": name, "target_path": format!("copy-{name}") }));
    let cells = json!([
        { "cell": "A1", "value": "recorded" },
        { "cell": "B2", "value": 42.5, "style": { "font_bold": true, "number_format": "0.00" } },
        { "cell": "C3", "value": "=B2*2" },
    ]);
    let first = sheets.first().cloned().unwrap_or_else(|| "Sheet1".into());
    let ops = json!([
        { "op": "set_cells", "sheet": first, "cells": cells },
        { "op": "ensure_sheet", "sheet": "Recorded" },
        { "op": "append_rows", "sheet": "Recorded", "rows": [["a", 1], ["b", 2.5], ["c", null]] },
        { "op": "set_column_widths", "sheet": first, "columns": [{ "column": "B", "width": 22 }] },
    ]);
    edit(worker, "XlsxApplyOps", name, &ops);
    for op in [
        json!({ "op": "insert_rows", "sheet": first, "row": 2, "count": 1 }),
        json!({ "op": "delete_rows", "sheet": first, "row": 2, "count": 1 }),
        json!({ "op": "rename_sheet", "sheet": first, "new_name": "Renamed" }),
        json!({ "op": "no_such_op" }),
    ] {
        worker.call("XlsxApplyOps", &json!({ "path": name, "ops": [op] }));
    }
    let again = json!({ "path": name, "ops": [], "recalculate": "workbook" });
    worker.call("XlsxApplyOps", &again);
    worker.read("XlsxExtractText", name, &json!({ "mode": "both" }));
    revert(worker, name);
}

fn document(worker: &mut Worker, name: &str) {
    worker.read("DocxGetMap", name, &json!({}));
    worker.read("DocxExtractText", name, &json!({}));
    for view in ["original", "markup"] {
        worker.read("DocxExtractText", name, &json!({ "view": view, "include_headers_footers": true }));
    }
    worker.read("DocxExtractText", name, &json!({ "include_deleted": true }));
    worker.read("DocxExtractText", name, &json!({ "section": 0 }));
    worker.read("DocxExtractText", name, &json!({ "section": "No such heading" }));
    worker.read("DocxExtractText", name, &json!({ "chunk": 0 }));
    worker.read("DocxExtractText", name, &json!({ "paragraphs": "2-4" }));
    worker.pages("DocxExtractText", name, 60);
    for section in 0..3 {
        worker.read("DocxGetSectionContent", name, &json!({ "section_index": section }));
    }
    worker.read("DocxGetSectionContent", name, &json!({ "from_paragraph": 1 }));
    worker.read("DocxGetStyles", name, &json!({}));
    worker.read("DocxFind", name, &json!({ "query": "e", "max_results": 5 }));
    worker.read("DocxFind", name, &json!({ "query": "The", "match_case": true }));
    worker.read("DocxRenderPage", name, &json!({ "page_index": 0, "scale": 0.25 }));
    worker.read("DocxRenderPage", name, &json!({ "page_index": 900, "scale": 0.25 }));
    worker.call("DocxRenderCopy", &json!({ "source_path": name, "target_path": format!("copy-{name}") }));
    let runs = json!([{ "text": "bold", "bold": true, "font_color": "#FF0000" }, { "text": " plain" }]);
    let ops = json!([
        { "op": "append_paragraph", "text": "Recorded", "style": "Heading 1" },
        { "op": "append_paragraph", "runs": runs, "alignment": "center", "space_after": 6 },
        { "op": "replace_text", "search": "the", "replace": "THE" },
        { "op": "insert_table", "rows": [["a", "b"], ["c", "d"]] },
    ]);
    edit(worker, "DocxApplyOps", name, &ops);
    let tracked = json!({ "op": "replace_text", "search": "e", "replace": "E", "track_changes": true });
    worker.call("DocxApplyOps", &json!({ "path": name, "ops": [tracked], "author": "Ann" }));
    worker.call("DocxApplyOps", &json!({ "path": name, "ops": [{ "op": "no_such_op" }] }));
    worker.read("DocxExtractText", name, &json!({ "view": "markup" }));
    revert(worker, name);
}

fn deck(worker: &mut Worker, name: &str) {
    worker.read("PptxGetMap", name, &json!({}));
    worker.read("PptxExtractText", name, &json!({}));
    worker.read("PptxExtractText", name, &json!({ "slide_index": 0 }));
    worker.read("PptxExtractText", name, &json!({ "slide_index": 900 }));
    worker.pages("PptxExtractText", name, 40);
    for slide in 0..3 {
        worker.read("PptxGetSlideContent", name, &json!({ "slide_index": slide }));
    }
    for detail in ["positioned", "layout-lite"] {
        worker.read("PptxGetSlideContent", name, &json!({ "slide_index": 0, "detail": detail }));
    }
    worker.read("PptxGetStyles", name, &json!({}));
    worker.read("PptxFind", name, &json!({ "query": "e", "max_results": 5 }));
    worker.read("PptxRenderSlide", name, &json!({ "slide_index": 0, "scale": 0.25 }));
    worker.call("PptxRenderCopy", &json!({ "source_path": name, "target_path": format!("copy-{name}") }));
    let ops = json!([
        { "op": "add_slide", "layout": "title_and_content", "title": "Recorded", "body": "one\ntwo" },
        { "op": "replace_text", "search": "the", "replace": "THE" },
        { "op": "set_notes", "index": 0, "text": "A note." },
    ]);
    edit(worker, "PptxApplyOps", name, &ops);
    for op in [json!({ "op": "duplicate_slide", "index": 0 }), json!({ "op": "no_such_op" })] {
        worker.call("PptxApplyOps", &json!({ "path": name, "ops": [op] }));
    }
    worker.read("PptxExtractText", name, &json!({}));
    revert(worker, name);
}

fn pdf(worker: &mut Worker, name: &str) {
    worker.read("PdfGetInfo", name, &json!({}));
    worker.read("PdfGetMap", name, &json!({}));
    worker.read("PdfExtractText", name, &json!({}));
    worker.read("PdfExtractText", name, &json!({ "pages": [1] }));
    worker.read("PdfExtractText", name, &json!({ "pages": "1-2" }));
    worker.read("PdfExtractText", name, &json!({ "pages": [900] }));
    worker.pages("PdfExtractText", name, 60);
    worker.read("PdfFind", name, &json!({ "query": "e", "max_results": 5 }));
    worker.read("PdfRenderPage", name, &json!({ "page_index": 0, "scale": 0.25 }));
    worker.read("PdfRenderPage", name, &json!({ "page_index": 0, "thumbnail": true }));
}

fn odt(worker: &mut Worker, name: &str) {
    worker.read("OdtGetMap", name, &json!({}));
    worker.read("OdtExtractText", name, &json!({}));
    for view in ["original", "markup"] {
        worker.read("OdtExtractText", name, &json!({ "view": view, "include_headers_footers": true }));
    }
    worker.read("OdtExtractText", name, &json!({ "section": 0 }));
    worker.pages("OdtExtractText", name, 60);
    worker.read("OdtFind", name, &json!({ "query": "e", "max_results": 5 }));
    worker.read("OdtRenderPage", name, &json!({ "page_index": 0, "scale": 0.25 }));
    worker.call("OdtRenderCopy", &json!({ "source_path": name, "target_path": format!("copy-{name}") }));
}

fn image(worker: &mut Worker, name: &str) {
    worker.read("ImageGetMetadata", name, &json!({}));
    worker.read("ImageRender", name, &json!({}));
    worker.read("ImageRender", name, &json!({ "max_px": 32 }));
}

fn text(worker: &mut Worker, name: &str) {
    let map = worker.read("TextGetMap", name, &json!({}));
    worker.read("TextReadLines", name, &json!({}));
    if map.is_null() {
        // Not a text: the replies to other methods are the same.
        return;
    }
    worker.read("TextReadLines", name, &json!({ "line_start": 2, "line_count": 2 }));
    worker.read("TextReadLines", name, &json!({ "line_start": 9_000_000 }));
    worker.pages("TextReadLines", name, 30);
    worker.read("TextFind", name, &json!({ "query": "e", "max_results": 5 }));
    if !Format::Text.takes(name) {
        return;
    }
    let ops = json!([
        { "op": "insert_lines", "line": 1, "lines": ["recorded", "twice"] },
        { "op": "replace_text", "search": "e", "replace": "E", "all": true },
    ]);
    edit(worker, "TextApplyOps", name, &ops);
    worker.call("TextApplyOps", &json!({ "path": name, "ops": [{ "op": "no_such_op" }] }));
    revert(worker, name);
}

/// The ops together, then each by itself on the result; one that does not suit the file must not stop the others.
fn edit(worker: &mut Worker, method: &str, name: &str, ops: &Value) {
    worker.call(method, &json!({ "path": name, "ops": ops, "dry_run": true }));
    for op in ops.as_array().into_iter().flatten() {
        worker.call(method, &json!({ "path": name, "ops": [op] }));
    }
}

/// How the Draft differs from what is published, and all of it reverted.
fn revert(worker: &mut Worker, name: &str) {
    let both = json!({ "old_path": name, "old_root": "published", "new_path": name });
    for more in [json!({}), json!({ "overview": true }), json!({ "marks": true }), json!({ "page": 900 })] {
        let mut params = both.clone();
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        worker.call("FileDiff", &params);
    }
    worker.call("FileDiff", &json!({ "new_path": name, "overview": true }));
    let versions = json!({ "source_path": name, "source_root": "published", "target_path": name });
    for more in [json!({ "changes": ["no such change"] }), json!({ "all": true })] {
        let mut params = versions.clone();
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        worker.call("FileRevert", &params);
    }
    worker.call("FileDiff", &both);
}

/// The call of a case, then what the file reads as.
fn record_case(folder: &Path) -> Recording {
    let format = folder.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let prefix = format[..1].to_uppercase() + &format[1..];
    let sample = |name: &str| fs::read(files_path("tests/data/office").join(name)).unwrap();
    let text = fs::read_to_string(folder.join("ops.json")).unwrap();
    let mut call = match serde_json::from_str(&text).unwrap() {
        Value::Object(call) => call,
        ops => Map::from_iter([("ops".to_owned(), ops)]),
    };
    let mut worker = Worker::new();
    let input = fs::read_to_string(folder.join("input.txt")).ok().map(|text| text.trim().to_owned());
    let ending = input.as_deref().and_then(|input| input.rsplit('.').next()).unwrap_or(format).to_owned();
    let target = format!("case.{ending}");
    if let Some(input) = &input {
        worker.put("draft", &target, &sample(input));
        worker.put("published", &target, &sample(input));
    }
    for (name, from) in call.remove("files").iter().filter_map(Value::as_object).flatten() {
        worker.put("draft", name, &sample(from.as_str().unwrap()));
    }
    let method = match call.remove("method") {
        Some(Value::String(method)) => method,
        _ => format!("{prefix}ApplyOps"),
    };
    let writes = method.ends_with("ApplyOps") || method.ends_with("CopyAssets");
    let path = if method.ends_with("CopyAssets") { "target_path" } else { "path" };
    call.entry(path).or_insert_with(|| target.clone().into());
    if input.is_none() && writes {
        call.entry("create_new").or_insert(true.into());
    }
    worker.call(&method, &call.into());
    if writes {
        let read = if format == "xlsx" { json!({ "mode": "both" }) } else { json!({}) };
        worker.read(&format!("{prefix}ExtractText"), &target, &read);
        worker.call("FileDiff", &json!({ "old_path": target, "old_root": "published", "new_path": target }));
    }
    worker.recording
}

/// Two versions of a file, in both directions.
fn record_versions(folder: &Path) -> Recording {
    let mut worker = Worker::new();
    let mut name = String::new();
    for file in files_below(folder) {
        let own = file.file_name().unwrap().to_str().unwrap();
        match own.split_once('.') {
            Some(("old", ending)) => {
                name = format!("case.{ending}");
                worker.put("published", &name, &fs::read(&file).unwrap());
            }
            Some(("new", ending)) => worker.put("draft", &format!("case.{ending}"), &fs::read(&file).unwrap()),
            _ => {}
        }
    }
    worker.call("FileDiff", &json!({ "old_path": name, "new_path": name, "new_root": "published" }));
    revert(&mut worker, &name);
    worker.recording
}

/// Every sample of the repository that is small enough.
fn samples() -> Vec<PathBuf> {
    let mut files = files_below(&files_path("tests/data"));
    files.extend(files_below(&crate_path("../jig-tables/tests/data/csv")));
    files.retain(|file| {
        // Scripts that made samples, and expectations of other tests.
        let other = file
            .extension()
            .is_none_or(|ending| ["py", "md", "expected", "txt", "tape"].iter().any(|other| ending == *other));
        !other
            && fs::metadata(file).unwrap().len() <= SAMPLE_BYTES
            && !file.components().any(|part| part.as_os_str() == "make")
    });
    files
}

/// `office/report.docx`, or `csv/dates.csv`.
fn sample_name(file: &Path) -> String {
    let data = files_path("tests/data");
    let below = file.strip_prefix(&data).or_else(|_| file.strip_prefix(crate_path("../jig-tables/tests/data")));
    below.unwrap().to_str().unwrap().replace('\\', "/")
}

fn case_folders(formats: &[&str]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for format in formats {
        let entries = fs::read_dir(files_path("tests/cases").join(format)).unwrap();
        folders.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    }
    folders.sort();
    folders
}

/// `cases/xlsx/set-cells`.
fn case_name(folder: &Path) -> String {
    let name = folder.strip_prefix(files_path("tests")).unwrap();
    name.to_str().unwrap().replace('\\', "/")
}

fn files_path(below: &str) -> PathBuf {
    crate_path("../jig-files").join(below)
}

fn crate_path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}
