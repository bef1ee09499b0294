//! Files of other programs, changed by every sort of op: the difference is reported, and reverting it gives the very
//! file that was there before. `JIG_TEST_CORPUS` names a folder with more files than the samples.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jig_files::FileBytes;
use jig_files::engine::{EditOptions, Format, Versions};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

use crate::support::versions::{ids, rendered};

/// Files of the corpus that are tried, unless `JIG_TEST_CORPUS_COUNT` says another number.
const CORPUS: usize = 60;

/// Edits that leave nothing to see, as nothing stands where they are made, or that go back with the whole file only: a
/// row put back at the edge of a range does not make the range longer again, and a workbook without styles gets some.
const KNOWN: &[(&str, &str)] = &[
    ("absolute-targets.xlsx", "insert rows"),
    ("absolute-targets.xlsx", "delete rows"),
    ("everything.xlsx", "delete rows"),
    ("libreoffice.xlsx", "delete rows"),
    ("macros.xlsm", "blank"),
    ("openpyxl.xlsx", "delete rows"),
    ("outside.xlsx", "insert rows"),
    ("outside.xlsx", "delete rows"),
    ("prefixed.xlsx", "bold"),
    ("prefixed.xlsx", "insert rows"),
    ("prefixed.xlsx", "delete rows"),
    ("prefixed.xlsx", "number format"),
    ("strict.xlsx", "delete rows"),
    ("threaded-comments.xlsx", "insert rows"),
    ("threaded-comments.xlsx", "delete rows"),
];

/// The samples that open, and as many of the corpus as are wanted.
fn files() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/office");
    let mut files = found(&samples);
    if let Some(corpus) = std::env::var_os("JIG_TEST_CORPUS") {
        let count = std::env::var_os("JIG_TEST_CORPUS_COUNT");
        let count = count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(CORPUS);
        let all = found(Path::new(&corpus));
        let step = (all.len() / count).max(1);
        files.extend(all.into_iter().step_by(step).take(count));
    }
    files
}

fn found(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(found(&path));
        } else if format(&path).is_some() && std::fs::metadata(&path).unwrap().len() < 400_000 {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "xlsx" | "xlsm" => Some(Format::Xlsx),
        "docx" | "docm" => Some(Format::Docx),
        "pptx" | "pptm" => Some(Format::Pptx),
        _ => None,
    }
}

/// Edits that a file of the format may take, each with a name; one that does not suit the file is refused by the engine.
fn edits(format: Format, engine: &FileApi, bytes: &Arc<[u8]>) -> Vec<(&'static str, Value)> {
    let read = |method: &str| engine.read(Method::find(method).unwrap(), bytes, &json!({})).unwrap_or_default();
    match format {
        Format::Xlsx => {
            let map = read("XlsxGetInfo");
            let Some(sheet) = map["sheets"][0]["name"].as_str().map(str::to_owned) else { return Vec::new() };
            // Rows inserted or deleted below the last one leave no trace.
            let rows = map["sheets"][0]["row_count"].as_u64().unwrap_or(0);
            let on = |mut op: Value| {
                op["sheet"] = sheet.clone().into();
                json!([op])
            };
            let mut edits = vec![
                ("text", on(json!({ "op": "set_cells", "cells": [{ "cell": "B3", "value": "put in" }] }))),
                ("number", on(json!({ "op": "set_cells", "cells": [{ "cell": "A1", "value": 4711.25 }] }))),
                (
                    "blank",
                    on(json!({ "op": "set_cells", "cells": [{ "cell": "A1", "value": null, "type": "blank" }] })),
                ),
                ("formula", on(json!({ "op": "set_cells", "cells": [{ "cell": "C4", "value": "=SUM(A1:A3)" }] }))),
                (
                    "bold",
                    on(
                        json!({ "op": "set_cells", "cells": [{ "cell": "A1", "value": "x", "style": { "font_bold": true, "fill_color": "#FFCC00" } }] }),
                    ),
                ),
                ("append", on(json!({ "op": "append_rows", "rows": [["one", 2, true]] }))),
                ("widths", on(json!({ "op": "set_column_widths", "columns": [{ "column": "B", "width": 31 }] }))),
                ("heights", on(json!({ "op": "set_row_heights", "rows": [{ "row": 2, "height": 41 }] }))),
                ("panes", on(json!({ "op": "freeze_panes", "row": 1, "column": 1 }))),
                ("merge", on(json!({ "op": "merge_cells", "range": "H30:I31" }))),
                ("number format", on(json!({ "op": "set_number_format", "range": "B2:B4", "format": "0.000" }))),
                ("sheet", json!([{ "op": "ensure_sheet", "sheet": "Put in" }])),
                ("rename", on(json!({ "op": "rename_sheet", "new_name": "Renamed" }))),
            ];
            if rows > 3 {
                edits.push(("insert rows", on(json!({ "op": "insert_rows", "row": 3, "count": 2 }))));
                edits.push(("delete rows", on(json!({ "op": "delete_rows", "row": 2, "count": 1 }))));
            }
            edits
        }
        Format::Docx => {
            let text = read("DocxExtractText");
            let words = text["text"].as_str().unwrap_or_default().split(|c: char| !c.is_alphabetic());
            let word = words.filter(|word| word.len() > 4).max_by_key(|word| word.len().min(12)).unwrap_or("nothing");
            vec![
                ("append", json!([{ "op": "append_paragraph", "text": "Put in at the end.", "style": "Heading 1" }])),
                ("replace", json!([{ "op": "replace_text", "search": word, "replace": "REPLACED" }])),
                (
                    "insert",
                    json!([{ "op": "insert_paragraphs", "index": 1, "paragraphs": ["Put in first.", "And second."] }]),
                ),
                ("delete section", json!([{ "op": "delete_section", "section": 1 }])),
                (
                    "replace section",
                    json!([{ "op": "replace_section", "section": 1, "paragraphs": ["All of it is new."] }]),
                ),
                (
                    "tracked",
                    json!([{ "op": "replace_text", "search": word, "replace": "tracked", "track_changes": true }]),
                ),
                (
                    "table cells",
                    json!([{ "op": "set_table_cells", "table": 0, "cells": [{ "row": 0, "column": 0, "text": "Cell" }] }]),
                ),
                ("table rows", json!([{ "op": "append_table_rows", "table": 0, "rows": [["a"]] }])),
                ("table", json!([{ "op": "insert_table", "rows": [["a", "b"], ["1", "2"]] }])),
            ]
        }
        Format::Pptx => {
            let text = read("PptxExtractText");
            let words = text["text"].as_str().unwrap_or_default().split(|c: char| !c.is_alphabetic());
            let word = words
                .filter(|word| word.len() > 4 && *word != "Slide")
                .max_by_key(|word| word.len().min(12))
                .unwrap_or("nothing");
            vec![
                ("add", json!([{ "op": "add_slide", "title": "Put in", "body": "One" }])),
                ("title", json!([{ "op": "set_slide_text", "index": 0, "title": "Another title" }])),
                ("bullets", json!([{ "op": "append_bullets", "index": 0, "bullets": ["One", "Two"] }])),
                ("delete", json!([{ "op": "delete_slide", "index": 0 }])),
                ("move", json!([{ "op": "move_slide", "index": 0, "to": 1 }])),
                ("duplicate", json!([{ "op": "duplicate_slide", "index": 0 }])),
                ("notes", json!([{ "op": "set_notes", "index": 0, "text": "Say this." }])),
                ("replace", json!([{ "op": "replace_text", "search": word, "replace": "REPLACED" }])),
            ]
        }
        _ => Vec::new(),
    }
}

/// What is wrong with the difference that an edit makes, and with reverting it.
fn wrong(engine: &FileApi, versions: &Versions, edit: &str) -> Option<String> {
    let all = ids(engine, versions);
    if all.is_empty() {
        return (edit != "blank").then(|| "no change is reported".to_owned());
    }
    let free: Vec<&String> = all.iter().filter(|(_, free)| *free).map(|(id, _)| id).collect();
    if free.is_empty() {
        return None;
    }
    let left = |bytes: Vec<u8>| {
        let after = Versions { new: Some(bytes.into()), ..versions.clone() };
        ids(engine, &after)
    };
    match engine.revert(versions, &json!({ "changes": free })) {
        Err(error) => Some(format!("all: {error}\n{}", rendered(engine, versions))),
        Ok((reverted, _)) if free.len() == all.len() => (Some(reverted.bytes.as_slice()) != versions.old.as_deref())
            .then(|| format!("all: not the old file, left are {:?}", left(reverted.bytes))),
        Ok((reverted, _)) => {
            let (most, left) = (all.len() - free.len(), left(reverted.bytes));
            (left.len() > most).then(|| format!("all: left are {left:?}\n{}", rendered(engine, versions)))
        }
    }
}

#[test]
fn edits_of_real_files_are_told_and_come_back() {
    let options = EditOptions { now: Some("2024-01-05T10:00:00Z"), ..EditOptions::default() };
    let (mut tried, mut whole, mut problems) = (0, 0, Vec::new());
    for path in files() {
        let engine = FileApi::default();
        let Some(format) = format(&path) else { continue };
        let old: Arc<[u8]> = std::fs::read(&path).unwrap().into();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        for (edit, ops) in edits(format, &engine, &old) {
            let Ok(edited) = engine.engine.apply(format, Some((&old).into()), &ops, &options) else { continue };
            let new = FileBytes::from(edited.bytes);
            if *new == *old {
                continue;
            }
            tried += 1;
            let versions = Versions { name: name.clone(), old: Some((&old).into()), new: Some(new) };
            match wrong(&engine, &versions, edit) {
                Some(_) if KNOWN.contains(&(name.as_str(), edit)) => {}
                Some(why) => problems.push(format!("{}: {edit}: {why}", path.display())),
                None => whole += 1,
            }
        }
    }
    assert!(problems.is_empty(), "{} of {tried} are wrong:\n{}", problems.len(), problems.join("\n"));
    assert!(whole > 150, "only {whole} edits were tried");
}
