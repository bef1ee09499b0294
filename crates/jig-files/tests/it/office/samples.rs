//! What holds for every sample of another program: it is read, and an edit touches what it must and
//! nothing else.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::archive::Archive;
use crate::support::case::{Format, sample};
use crate::support::describe::Parts;
use crate::support::engine::{self, Files};

/// Every readable package among the samples, with its format.
pub(crate) fn packages() -> Vec<(Format, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/office");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let readable = entries.filter(|name| !name.starts_with("encrypted"));
    let mut packages: Vec<_> = readable.filter_map(|name| Some((Format::of(&name)?, name))).collect();
    packages.sort();
    packages
}

/// One small edit that suits any file of the format.
pub(crate) fn small_edit(format: Format) -> Value {
    match format {
        Format::Xlsx => json!([
            {"op": "ensure_sheet", "sheet": "Added by test"},
            {"op": "set_cells", "sheet": "Added by test", "cells": [
                {"cell": "B2", "value": "added text", "type": "string"}, {"cell": "B3", "value": 42.5, "type": "number"},
            ]},
        ]),
        Format::Docx => json!([{"op": "append_paragraph", "text": "added text"}]),
        Format::Pptx => {
            json!([{"op": "add_slide", "layout": "title_and_content", "title": "added text", "body": "check"}])
        }
    }
}

/// Calls a method of the format on one file; the bytes afterwards with the answer.
pub(crate) fn call(
    format: Format,
    verb: &str,
    bytes: &[u8],
    more: &Value,
) -> (Result<Value, engine::Refusal>, Vec<u8>) {
    let path = format!("file.{}", format.ending());
    let mut params = json!({"workbench_id": "w", "root": "draft", "path": path});
    params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let mut files = Files::from([(path.clone(), bytes.to_vec())]);
    let answer = engine::call(&format.method(verb), &params, &mut files);
    (answer, files.remove(&path).unwrap())
}

/// The parts that the small edit may touch beside those it adds.
fn may_touch(format: Format, name: &str) -> bool {
    let ends: &[&str] = match format {
        Format::Xlsx => &["workbook.xml", "workbook.xml.rels", "sharedStrings.xml", "styles.xml", "calcChain.xml"],
        Format::Docx => &["document.xml", "document2.xml", "styles.xml", "settings.xml"],
        Format::Pptx => &["presentation.xml", "presentation.xml.rels"],
    };
    name == "[Content_Types].xml" || name.starts_with("docProps/") || ends.iter().any(|end| name.ends_with(end))
}

#[test]
fn every_sample_has_a_map_and_text() {
    for (format, name) in packages() {
        for verb in ["GetMap", "ExtractText", "GetStyles"] {
            let (answer, _) = call(format, verb, &sample(&name), &json!({}));
            assert!(answer.is_ok(), "{name}: {verb}: {answer:?}");
        }
    }
}

#[test]
fn no_operation_keeps_every_byte() {
    for (format, name) in packages() {
        let bytes = sample(&name);
        let idle = match format {
            Format::Xlsx => {
                let (info, _) = call(format, "GetInfo", &bytes, &json!({}));
                json!({"op": "ensure_sheet", "sheet": info.unwrap()["sheets"][0]["name"]})
            }
            _ => json!({"op": "replace_text", "search": "this text is not in any sample", "replace": "x"}),
        };
        let (answer, after) = call(format, "ApplyOps", &bytes, &json!({"ops": [idle]}));
        assert!(answer.is_ok(), "{name}: {answer:?}");
        assert!(after == bytes, "{name}: saving without a change is not the same file");
    }
}

#[test]
fn a_small_edit_touches_what_it_must() {
    for (format, name) in packages() {
        let bytes = sample(&name);
        let (answer, after) = call(format, "ApplyOps", &bytes, &json!({"ops": small_edit(format)}));
        assert!(answer.is_ok(), "{name}: {answer:?}");
        let parts = Parts::compare(&Archive::read(&bytes), &Archive::read(&after));
        parts.assert_raw(&name);
        assert!(parts.changed.iter().all(|part| may_touch(format, part)), "{name}: {parts:?}");
        assert!(parts.removed.iter().all(|part| part.ends_with("calcChain.xml")), "{name}: {parts:?}");
        let (answer, _) = call(format, "ExtractText", &after, &json!({}));
        let text = answer.unwrap()["text"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains("added text"), "{name}: {text}");
    }
}

#[test]
fn many_shared_strings_are_read_and_kept() {
    let bytes = workbook_with_strings(20_000);
    let range = json!({"sheet": "Tabellenblatt1", "range": "A19999:A20000"});
    let (answer, _) = call(Format::Xlsx, "ReadRange", &bytes, &range);
    assert!(answer.unwrap()["text"].as_str().unwrap().contains("string 19999"));
    let (answer, after) = call(Format::Xlsx, "ApplyOps", &bytes, &json!({"ops": small_edit(Format::Xlsx)}));
    assert!(answer.is_ok(), "{answer:?}");
    let parts = Parts::compare(&Archive::read(&bytes), &Archive::read(&after));
    parts.assert_raw("many strings");
    assert!(!parts.changed.iter().any(|part| part.contains("worksheets/")), "{parts:?}");
}

/// A workbook with as many different strings, one a row.
fn workbook_with_strings(count: usize) -> Vec<u8> {
    use std::fmt::Write as _;
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let (mut strings, mut rows) = (String::new(), String::new());
    for index in 0..count {
        let _ = write!(strings, "<si><t>string {index}</t></si>");
        let _ = write!(rows, "<row r=\"{0}\"><c r=\"A{0}\" t=\"s\"><v>{index}</v></c></row>", index + 1);
    }
    let mut archive = Archive::read(&sample("google-like.xlsx"));
    archive.put("xl/sharedStrings.xml", format!("<sst xmlns=\"{MAIN}\">{strings}</sst>").as_bytes());
    let sheet = format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
    archive.put("xl/worksheets/sheet1.xml", sheet.as_bytes());
    archive.write()
}

#[test]
fn the_samples_are_there() {
    let count = |wanted| packages().iter().filter(|(format, _)| *format == wanted).count();
    assert!(Format::ALL.iter().all(|format| count(*format) >= 10), "{:?}", packages());
    let strings = Archive::read(&workbook_with_strings(3)).get("xl/sharedStrings.xml").unwrap().content();
    assert!(strings.ends_with(b"<si><t>string 2</t></si></sst>"));
}
