//! Office files that cannot be opened: every method says what the file should be and what is wrong with it.

use std::io::{Cursor, Read as _, Write as _};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::support::Bench;

/// A file with some parts changed: none leaves a part out.
fn with_parts(bytes: &[u8], change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        let name = part.name().unwrap().into_owned();
        drop(part);
        if let Some(content) = change(&name, content) {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(&content).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

struct Kind {
    file: &'static str,
    prefix: &'static str,
    main: &'static str,
    noun: &'static str,
    article: &'static str,
    op: Value,
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            file: "book.xlsx",
            prefix: "Xlsx",
            main: "xl/workbook.xml",
            noun: "Excel workbook",
            article: "an",
            op: json!({"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "A1", "value": 1}]}),
        },
        Kind {
            file: "report.docx",
            prefix: "Docx",
            main: "word/document.xml",
            noun: "Word document",
            article: "a",
            op: json!({"op": "append_paragraph", "text": "x"}),
        },
        Kind {
            file: "deck.pptx",
            prefix: "Pptx",
            main: "ppt/presentation.xml",
            noun: "PowerPoint presentation",
            article: "a",
            op: json!({"op": "add_slide", "title": "x"}),
        },
    ]
}

fn filled() -> Bench {
    let bench = Bench::new();
    bench.book();
    bench.document();
    bench.deck();
    bench
}

/// The messages of all kinds of calls on a file.
fn messages(bench: &Bench, kind: &Kind) -> Vec<(String, String)> {
    let read = |name: &str| format!("{}{name}", kind.prefix);
    let mut calls = vec![
        (read("GetMap"), json!({ "path": kind.file })),
        (read("ExtractText"), json!({ "path": kind.file })),
        (read("Find"), json!({ "path": kind.file, "query": "x" })),
        (read("ApplyOps"), json!({ "path": kind.file, "ops": [kind.op] })),
    ];
    // The styles of documents and the layouts of decks are in parts of their own, which may be in order.
    if kind.prefix == "Xlsx" {
        calls.push((read("GetStyles"), json!({ "path": kind.file })));
        let asset = "cell_style:Budget!A1->Budget!B2";
        let copy = json!({ "source_path": kind.file, "target_path": kind.file, "assets": [asset] });
        calls.push((read("CopyAssets"), copy));
    }
    let message = |(method, params): (String, Value)| {
        let error = bench.refused(&method, &params);
        assert_eq!(error["data"]["error_code"], "FILE_READ_FAILED", "{method}: {error}");
        (method, error["message"].as_str().unwrap().to_owned())
    };
    calls.into_iter().map(message).collect()
}

#[test]
fn damaged_office_files_are_named_as_such_by_every_method() {
    for kind in kinds() {
        let good = filled().bytes(kind.file).unwrap();
        let half = good.len() / 2;
        let damages: Vec<(&str, Vec<u8>)> = vec![
            ("empty", Vec::new()),
            ("truncated", good[..half].to_vec()),
            ("truncated early", good[..40].to_vec()),
            ("main part missing", with_parts(&good, |name, part| (name != kind.main).then_some(part))),
            (
                "main part cut",
                with_parts(&good, |name, part| {
                    Some(if name == kind.main { part[..part.len() / 2].to_vec() } else { part })
                }),
            ),
            (
                "main part not XML",
                with_parts(&good, |name, part| Some(if name == kind.main { b"plain text".to_vec() } else { part })),
            ),
            ("empty zip", with_parts(&good, |_, _| None)),
        ];
        for (damage, bytes) in damages {
            let bench = filled();
            std::fs::write(bench.path(kind.file), bytes).unwrap();
            for (method, message) in messages(&bench, &kind) {
                assert!(
                    message.starts_with(&format!("damaged {}: ", kind.noun)) && message.len() > kind.noun.len() + 15,
                    "{damage}, {method}: {message}"
                );
            }
        }
    }
}

#[test]
fn other_files_under_an_office_name_are_told_apart() {
    for kind in kinds() {
        let cases: Vec<(&str, Vec<u8>, Vec<&str>)> = vec![
            ("password", include_bytes!("../../../jig-files/tests/data/encrypted.xlsx").to_vec(), vec!["password"]),
            ("old Word", include_bytes!("../../../jig-files/tests/data/legacy.doc").to_vec(), vec![".doc", ".docx"]),
            ("old Excel", include_bytes!("../../../jig-files/tests/data/legacy.xls").to_vec(), vec![".xls", ".xlsx"]),
            (
                "html",
                b"<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>".to_vec(),
                vec!["HTML"],
            ),
            ("text", b"just some text\n".to_vec(), vec!["plain text"]),
            ("pdf", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n".to_vec(), vec!["PDF"]),
        ];
        for (what, bytes, words) in cases {
            let bench = filled();
            std::fs::write(bench.path(kind.file), bytes).unwrap();
            let not_this = format!("not {} {}", kind.article, kind.noun);
            for (method, message) in messages(&bench, &kind) {
                for word in &words {
                    assert!(message.contains(word), "{what}, {method}: {message}");
                }
                let own_words = message.contains("password") || message.contains("old binary format");
                assert!(own_words || message.contains(&not_this), "{what}, {method}: {message}");
            }
        }
    }
}
