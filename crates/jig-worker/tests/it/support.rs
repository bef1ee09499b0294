//! A worker in this process, with a workbench `wb` in a folder of its own.

use std::path::PathBuf;

use jig_worker::{FileMethods, Profile, WorkerOptions, serve};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Bench {
    folder: TempDir,
    profile: Profile,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with_profile(Profile::Jig)
    }

    pub(crate) fn with_profile(profile: Profile) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for root in ["draft", "published"] {
            std::fs::create_dir_all(folder.path().join("wb").join(root)).unwrap();
        }
        Self { folder, profile }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("wb/draft").join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(name)).ok()
    }

    /// The answer to one call, as it is on the wire.
    pub(crate) fn call(&self, method: &str, mut params: Value) -> Value {
        params["workbench_id"] = "wb".into();
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let options = WorkerOptions { profile: self.profile, ..WorkerOptions::new(self.folder.path(), || None) };
        let mut output = Vec::new();
        serve(&options, &FileMethods::new(), format!("{request}\n").as_bytes(), &mut output).unwrap();
        serde_json::from_slice(&output).unwrap()
    }

    #[track_caller]
    pub(crate) fn ok(&self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The error of a call that must leave every file as it is.
    #[track_caller]
    pub(crate) fn refused(&self, method: &str, params: &Value) -> Value {
        let before = self.all();
        let answer = self.call(method, params.clone());
        assert!(answer.get("error").is_some(), "accepted: {params}\n{answer}");
        assert_eq!(self.all(), before, "a refused call changed files: {params}");
        answer["error"].clone()
    }

    fn all(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = std::fs::read_dir(self.folder.path().join("wb/draft")).unwrap();
        let mut all: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        all.sort();
        all
    }

    /// What a cell holds: its value, and its formula.
    pub(crate) fn cell(&self, name: &str, sheet: &str, row: u32, col: u32) -> (Value, Value) {
        let params =
            json!({ "path": name, "sheet": sheet, "row_start": row, "row_count": 1, "col_start": col, "col_count": 1 });
        let cell = self.ok("XlsxRenderGrid", params)["cells"][0][0].clone();
        (cell["value"].clone(), cell["formula"].clone())
    }

    pub(crate) fn text(&self, method: &str, name: &str) -> String {
        self.ok(method, json!({ "path": name }))["text"].as_str().unwrap().to_owned()
    }

    /// A workbook with some content: a title, a number, a formula and a date.
    pub(crate) fn book(&self) {
        let cells = json!([
            { "cell": "A1", "value": "Title" }, { "cell": "A2", "value": "Rent" }, { "cell": "B2", "value": 120 },
            { "cell": "A3", "value": "Food" }, { "cell": "B3", "value": 30 }, { "cell": "B4", "value": "=SUM(B2:B3)" },
        ]);
        let ops = json!([{ "op": "set_cells", "sheet": "Budget", "cells": cells }]);
        self.ok("XlsxApplyOps", json!({ "path": "book.xlsx", "ops": ops }));
    }

    /// A document with headings, paragraphs and a table.
    pub(crate) fn document(&self) {
        let paragraphs = json!([
            { "text": "Report", "style": "Heading 1" }, "First paragraph.", "Second paragraph.",
            { "text": "Costs", "style": "Heading 2" }, "Third paragraph.",
        ]);
        let table = json!([["a", "b"], ["c", "d"]]);
        let ops =
            json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }, { "op": "insert_table", "rows": table }]);
        self.ok("DocxApplyOps", json!({ "path": "report.docx", "ops": ops }));
    }

    /// A deck with two slides.
    pub(crate) fn deck(&self) {
        let ops = json!([
            { "op": "add_slide", "title": "One", "body": "first\nsecond" },
            { "op": "add_slide", "title": "Two", "body": "third" },
        ]);
        self.ok("PptxApplyOps", json!({ "path": "deck.pptx", "ops": ops }));
    }

    pub(crate) fn notes(&self) {
        std::fs::write(self.path("notes.txt"), "alpha\nbeta\ngamma\n").unwrap();
    }
}

/// The warnings of an answer as one text.
pub(crate) fn warnings(answer: &Value) -> String {
    answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}
