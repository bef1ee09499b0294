//! A sequence of calls that uses every operation, with successes and failures.

use serde_json::{Value, json};

/// A call. `{work}` in a text is replaced by the working directory.
pub(crate) struct Step {
    pub(crate) operation: &'static str,
    pub(crate) params: Value,
    /// The expected error, if any.
    pub(crate) fails: Option<&'static str>,
    /// A value of the answer that later steps refer to as `{name}`: the name, and its JSON pointer.
    pub(crate) keeps: Option<(&'static str, &'static str)>,
}

impl Step {
    /// Stores an id that later steps refer to.
    pub(crate) fn keep(self, name: &'static str, pointer: &'static str) -> Self {
        Self { keeps: Some((name, pointer)), ..self }
    }
}

pub(crate) fn ok(operation: &'static str, params: Value) -> Step {
    Step { operation, params, fails: None, keeps: None }
}

pub(crate) fn fails(operation: &'static str, params: Value, code: &'static str) -> Step {
    Step { operation, params, fails: Some(code), keeps: None }
}

/// Adds `deck` as the workbench.
pub(crate) fn deck(mut params: Value) -> Value {
    params["workbench_id"] = json!("deck");
    params
}

/// The complete sequence.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = begin();
    steps.extend(draft());
    steps.extend(history());
    steps.extend(crate::script_context::steps());
    steps.extend(crate::script_entries::steps());
    steps.extend(crate::script_artifacts::steps());
    steps.extend(crate::script_targets::steps());
    steps.extend(end());
    steps.extend(texts());
    // At the end, because new Office files contain their creation time, which changes sizes and hashes.
    steps.extend(workbooks());
    steps.extend(tables());
    steps.extend(documents());
    steps.extend(decks());
    steps.extend(pdfs());
    steps.extend(crate::script_sessions::steps());
    steps.extend(crate::script_entries::tokens());
    steps
}

fn begin() -> Vec<Step> {
    vec![
        ok("WorkbenchList", json!({})),
        fails("WorkbenchGet", json!({ "workbench_id": "deck" }), "WORKBENCH_NOT_FOUND"),
        ok("WorkbenchCreate", json!({ "name": "Deck" })),
        fails("WorkbenchCreate", json!({ "name": "Again", "id": "deck" }), "WORKBENCH_EXISTS"),
        fails("WorkbenchCreate", json!({ "name": " " }), "VALIDATION_FAILED"),
        ok("WorkbenchGet", deck(json!({}))),
        ok("WorkbenchRename", deck(json!({ "name": "The deck" }))),
        ok("FileAdd", deck(json!({ "paths": ["{work}/notes.txt", "{work}/bank.csv"] }))),
        ok("FileAdd", deck(json!({ "paths": ["{work}/notes.txt"], "folder": "sub" }))),
        fails("FileAdd", deck(json!({ "paths": ["{work}/none.txt"] })), "FILE_NOT_FOUND"),
        fails("FileAdd", deck(json!({ "paths": ["{work}/notes.txt"], "base_hash": "0".repeat(64) })), "CONFLICT"),
        ok("FileList", deck(json!({}))),
        ok("FileList", deck(json!({ "folder": "sub", "limit": 1, "root": "published" }))),
        ok("FileGetInfo", deck(json!({ "path": "bank.csv" }))),
        fails("FileGetInfo", deck(json!({ "path": "bank.cvs" })), "FILE_NOT_FOUND"),
        ok("FileRead", deck(json!({ "path": "notes.txt", "line_start": 2, "line_count": 1 }))),
        fails("FileRead", deck(json!({ "path": "../notes.txt" })), "SANDBOX_VIOLATION"),
        ok("FileRemove", deck(json!({ "paths": ["sub/notes.txt"] }))),
        fails("FileRemove", deck(json!({ "paths": ["sub/notes.txt"] })), "FILE_NOT_FOUND"),
        ok("FileExtract", deck(json!({ "to": "{work}/out" }))),
    ]
}

fn draft() -> Vec<Step> {
    vec![
        ok("DraftGetState", deck(json!({}))),
        fails("DraftPublish", deck(json!({})), "DRAFT_NOT_FOUND"),
        fails("ReviewGetChangeSet", deck(json!({})), "DRAFT_NOT_FOUND"),
        ok("DraftCreate", deck(json!({}))),
        fails("DraftCreate", deck(json!({})), "DRAFT_EXISTS"),
        ok("DraftWriteText", deck(json!({ "path": "notes.txt", "text": "one\n2\n", "dry_run": true }))),
        ok("DraftWriteText", deck(json!({ "path": "notes.txt", "text": "one\n2\n" }))),
        fails(
            "DraftWriteText",
            deck(json!({ "path": "notes.txt", "text": "x", "base_hash": "0".repeat(64) })),
            "CONFLICT",
        ),
        ok("DraftRemoveFile", deck(json!({ "path": "bank.csv" }))),
        fails("FileRemove", deck(json!({ "paths": ["notes.txt"] })), "DRAFT_EXISTS"),
        ok("DraftGetState", deck(json!({}))),
        ok("ReviewGetChangeSet", deck(json!({}))),
        ok("ReviewGetDiff", deck(json!({ "path": "notes.txt" }))),
        fails("ReviewGetDiff", deck(json!({ "path": "none.txt" })), "FILE_NOT_FOUND"),
        fails("ReviewAccept", deck(json!({ "path": "notes.txt", "changes": ["hunk 9"] })), "CONFLICT"),
        ok("ReviewAccept", deck(json!({ "path": "notes.txt", "changes": ["hunk 1"] }))),
        ok("ReviewComment", deck(json!({ "path": "notes.txt", "change": "hunk 1", "text": "Why?" }))),
        fails("ReviewComment", deck(json!({ "path": "notes.txt", "text": " " })), "VALIDATION_FAILED"),
        ok("ReviewGetChangeSet", deck(json!({}))),
        ok("ReviewReject", deck(json!({ "path": "notes.txt", "changes": ["hunk 1"], "dry_run": true }))),
        fails("ReviewReject", deck(json!({ "path": "notes.txt", "base_hash": "0".repeat(64) })), "CONFLICT"),
        fails("ReviewReject", deck(json!({ "path": "notes.txt", "changes": ["hunk 2"] })), "CONFLICT"),
        fails("DraftPublish", deck(json!({})), "DELETION_NOT_CONFIRMED"),
        ok("DraftPublish", deck(json!({ "confirm_deletions": ["bank.csv"] }))),
        ok("DraftWriteText", deck(json!({ "path": "more.txt", "text": "more" }))),
        ok("DraftCopyFile", deck(json!({ "path": "more.txt", "to": "copy.txt" }))),
        fails("DraftCopyFile", deck(json!({ "path": "more.txt", "to": "copy.txt" })), "CONFLICT"),
        ok("DraftMoveFile", deck(json!({ "path": "copy.txt", "to": "sub/copy.txt" }))),
        fails("DraftMoveFile", deck(json!({ "path": "sub/copy.txt", "to": "copy.xlsx" })), "VALIDATION_FAILED"),
        fails("DraftMoveFile", deck(json!({ "path": "none.txt", "to": "copy.txt" })), "FILE_NOT_FOUND"),
        ok("DraftUndo", deck(json!({}))),
        ok("EditDescribe", json!({ "format": "xlsx", "op": "set_cells" })),
        fails("EditDescribe", json!({ "format": "xlsx", "op": "set_cell" }), "VALIDATION_FAILED"),
        ok("DraftDiscard", deck(json!({}))),
        fails("DraftDiscard", deck(json!({})), "DRAFT_NOT_FOUND"),
    ]
}

fn history() -> Vec<Step> {
    vec![
        ok("CheckpointCreate", deck(json!({ "name": "good" }))),
        ok("CheckpointList", deck(json!({}))),
        ok("JournalUndo", deck(json!({}))),
        ok("JournalRedo", deck(json!({}))),
        fails("JournalRedo", deck(json!({})), "NOTHING_TO_UNDO"),
        ok("CheckpointRestore", deck(json!({ "checkpoint": "good" }))),
        fails("CheckpointRestore", deck(json!({ "checkpoint": "none" })), "CHECKPOINT_NOT_FOUND"),
        ok("JournalList", deck(json!({ "limit": 5 }))),
        ok("EventList", deck(json!({ "after": 3, "limit": 4 }))),
    ]
}

fn file(path: &str, mut more: Value) -> Value {
    more["path"] = json!(path);
    deck(more)
}

fn copy(from: &str, into: &str, assets: Value) -> Value {
    deck(json!({ "source_path": from, "target_path": into, "assets": assets }))
}

fn texts() -> Vec<Step> {
    let replace = json!([{ "op": "replace_text", "search": "one", "replace": "1" }]);
    let wrong = json!([{ "op": "replace_text", "search": "three", "replace": "3" }]);
    let fresh = json!([{ "op": "insert_lines", "lines": ["# Title", "Text"] }]);
    vec![
        ok("FileAdd", deck(json!({ "paths": ["{work}/sign.svg", "{work}/minutes.fodt"] }))),
        ok("TextGetMap", file("notes.txt", json!({}))),
        fails("TextGetMap", file("none.txt", json!({})), "FILE_NOT_FOUND"),
        ok("TextReadLines", file("notes.txt", json!({ "line_start": 2, "line_count": 1 }))),
        ok("TextReadLines", file("notes.txt", json!({ "max_tokens": 1 }))),
        fails("TextReadLines", file("notes.txt", json!({ "line_start": 99 })), "VALIDATION_FAILED"),
        ok("ImageGetMetadata", file("sign.svg", json!({}))),
        fails("ImageGetMetadata", file("notes.txt", json!({})), "FILE_READ_FAILED"),
        ok("ImageRender", file("sign.svg", json!({ "max_px": 16 }))),
        ok("ImageRender", file("sign.svg", json!({ "max_px": 1 }))),
        ok("OdtGetMap", file("minutes.fodt", json!({}))),
        fails("OdtGetMap", file("notes.txt", json!({})), "FILE_READ_FAILED"),
        ok("OdtExtractText", file("minutes.fodt", json!({ "section": "Agenda", "max_tokens": 100 }))),
        fails("OdtExtractText", file("minutes.fodt", json!({ "section": "9" })), "VALIDATION_FAILED"),
        ok("OdtRenderPage", file("minutes.fodt", json!({ "scale": 0.25, "thumbnail": false }))),
        fails("OdtRenderPage", file("minutes.fodt", json!({ "page_index": 9 })), "VALIDATION_FAILED"),
        ok("FileGetPreview", file("sign.svg", json!({ "scale": 0.5 }))),
        fails("FileGetPreview", file("sign.svg", json!({ "page": 2 })), "VALIDATION_FAILED"),
        ok("FileGetInfo", file("sign.svg", json!({}))),
        ok("TextApplyOps", file("notes.txt", json!({ "ops": replace, "dry_run": true }))),
        ok("TextApplyOps", file("notes.txt", json!({ "ops": replace }))),
        ok("TextApplyOps", file("fresh.md", json!({ "ops": fresh, "create_new": true }))),
        fails("TextApplyOps", file("notes.txt", json!({ "ops": wrong })), "VALIDATION_FAILED"),
        fails("TextApplyOps", file("notes.txt", json!({ "ops": replace, "base_hash": "0".repeat(64) })), "CONFLICT"),
        fails("TextApplyOps", file("none.txt", json!({ "ops": replace, "must_exist": true })), "FILE_NOT_FOUND"),
        fails("TextApplyOps", file("plan.xlsx", json!({ "ops": [], "create_new": true })), "VALIDATION_FAILED"),
        ok("FileGetMap", file("fresh.md", json!({}))),
        ok("DraftDiscard", deck(json!({}))),
    ]
}

fn workbooks() -> Vec<Step> {
    let fill = json!([
        { "op": "set_range", "sheet": "Sheet1", "start": "A1", "values": [["Item", "Cost"], ["Desk", 120], ["Lamp", 35.5]] },
        { "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "B4", "value": "=SUM(B2:B3)" }] },
    ]);
    let wrong = json!([{ "op": "delete_rows", "sheet": "Nope", "row": 1 }]);
    vec![
        ok("XlsxApplyOps", file("plan.xlsx", json!({ "create_new": true, "ops": fill }))),
        ok(
            "XlsxApplyOps",
            file(
                "copy.xlsx",
                json!({ "copy_from": "plan.xlsx", "ops": [{ "op": "ensure_sheet", "sheet": "Sheet1" }] }),
            ),
        ),
        ok(
            "XlsxApplyOps",
            file("plan.xlsx", json!({ "dry_run": true, "ops": [{ "op": "ensure_sheet", "sheet": "More" }] })),
        ),
        fails("XlsxApplyOps", file("plan.xlsx", json!({ "ops": wrong })), "VALIDATION_FAILED"),
        fails("XlsxApplyOps", file("none.xlsx", json!({ "ops": fill, "must_exist": true })), "FILE_NOT_FOUND"),
        fails("XlsxApplyOps", file("plan.xlsx", json!({ "ops": fill, "base_hash": "0".repeat(64) })), "CONFLICT"),
        ok("XlsxGetMap", file("plan.xlsx", json!({}))),
        fails("XlsxGetMap", file("notes.txt", json!({})), "FILE_READ_FAILED"),
        ok("XlsxGetInfo", file("plan.xlsx", json!({}))),
        fails("XlsxGetInfo", file("none.xlsx", json!({})), "FILE_NOT_FOUND"),
        ok("XlsxReadRange", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": "A1:B4", "mode": "both" }))),
        ok("XlsxReadRange", file("plan.xlsx", json!({ "max_tokens": 8 }))),
        fails("XlsxReadRange", file("plan.xlsx", json!({ "range": "A0" })), "VALIDATION_FAILED"),
        ok("XlsxExtractText", file("plan.xlsx", json!({ "max_tokens": 1000 }))),
        fails("XlsxExtractText", file("plan.xlsx", json!({ "cursor": "x" })), "VALIDATION_FAILED"),
        ok(
            "XlsxRenderGrid",
            file("plan.xlsx", json!({ "row_start": 0, "row_count": 2, "col_start": 0, "col_count": 2 })),
        ),
        fails("XlsxRenderGrid", file("plan.xlsx", json!({ "sheet": "Nope" })), "VALIDATION_FAILED"),
        ok("XlsxRenderPage", file("plan.xlsx", json!({ "scale": 0.25 }))),
        fails("XlsxRenderPage", file("plan.xlsx", json!({ "page_index": 99 })), "VALIDATION_FAILED"),
        ok("XlsxGetStyles", file("plan.xlsx", json!({ "sheet": "Sheet1" }))),
        fails("XlsxGetStyles", file("../plan.xlsx", json!({})), "SANDBOX_VIOLATION"),
        ok("XlsxCopyAssets", copy("plan.xlsx", "copy.xlsx", json!(["cell_style:Sheet1!A1->Sheet1!D1"]))),
        fails("XlsxCopyAssets", copy("plan.xlsx", "copy.xlsx", json!(["nonsense"])), "VALIDATION_FAILED"),
        ok("FileGetMap", file("plan.xlsx", json!({}))),
        ok("FileGetMap", file("notes.txt", json!({}))),
        fails("FileGetMap", file("none.txt", json!({})), "FILE_NOT_FOUND"),
        ok("FileRead", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": "B4", "mode": "values" }))),
        fails("FileRead", file("plan.xlsx", json!({ "section": "1" })), "VALIDATION_FAILED"),
        ok("FileSearch", deck(json!({ "query": "lamp" }))),
        ok("FileSearch", deck(json!({ "query": "Lamp", "path": "plan.xlsx", "match_case": true, "max_results": 1 }))),
        fails("FileSearch", deck(json!({ "query": "" })), "VALIDATION_FAILED"),
        ok("FileGetInfo", file("plan.xlsx", json!({}))),
    ]
}

fn tables() -> Vec<Step> {
    let people = "id;name;paid\n1;Ann;1,50\n2;Ben;2,25\n3;Cem\n";
    let join = "SELECT name, \"Cost\" FROM data JOIN plan ON id = 1 ORDER BY 1, 2";
    let into = |target: &str, mut more: Value| {
        more["target_path"] = json!(target);
        file("people.csv", more)
    };
    vec![
        ok("DraftWriteText", file("people.csv", json!({ "text": people }))),
        ok("TabularGetMap", file("people.csv", json!({}))),
        ok("TabularGetMap", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": "A1:B3" }))),
        ok("TabularGetMap", file("people.csv", json!({ "delimiter": ",", "quote": "", "encoding": "utf-8" }))),
        fails("TabularGetMap", file("none.csv", json!({})), "FILE_NOT_FOUND"),
        fails("TabularGetMap", file("people.csv", json!({ "range": "A1:B2" })), "VALIDATION_FAILED"),
        ok("TabularDescribe", file("people.csv", json!({ "has_header": false }))),
        fails("TabularDescribe", file("../people.csv", json!({})), "SANDBOX_VIOLATION"),
        ok("TabularGetStats", file("people.csv", json!({ "columns": ["paid", "name"] }))),
        fails("TabularGetStats", file("people.csv", json!({ "columns": ["nope"] })), "VALIDATION_FAILED"),
        ok("TabularReadRows", file("people.csv", json!({ "row_start": 2, "row_count": 1, "columns": ["id"] }))),
        fails("TabularReadRows", file("people.csv", json!({ "columns": ["nope"] })), "VALIDATION_FAILED"),
        ok("TabularQuery", file("people.csv", json!({ "query": join, "tables": { "plan": "plan.xlsx" } }))),
        ok("TabularQuery", file("people.csv", json!({ "query": "FROM data", "window_rows": 1, "window_offset": 1 }))),
        fails("TabularQuery", file("people.csv", json!({ "query": "DROP VIEW data" })), "VALIDATION_FAILED"),
        fails(
            "TabularQuery",
            file("people.csv", json!({ "query": "SELECT 1", "tables": { "x": "none.csv" } })),
            "FILE_NOT_FOUND",
        ),
        ok("TabularExport", into("out.csv", json!({ "query": "SELECT name FROM data ORDER BY id", "safe_csv": true }))),
        ok(
            "TabularExport",
            into("out.tsv", json!({ "byte_order_mark": true, "newline": "crlf", "target_delimiter": "tab" })),
        ),
        ok("TabularExport", into("out.xlsx", json!({ "format": "xlsx", "sheet": "People", "dry_run": true }))),
        fails("TabularExport", into("out.pdf", json!({})), "VALIDATION_FAILED"),
        fails("TabularExport", into("out.csv", json!({ "base_hash": "0".repeat(64) })), "CONFLICT"),
        ok("FileGetMap", file("people.csv", json!({}))),
        ok(
            "TabularExtract",
            file(
                "people.csv",
                json!({ "to": "{work}/rows.csv", "query": join, "tables": { "plan": "plan.xlsx" }, "overwrite": true }),
            ),
        ),
        ok(
            "TabularExtract",
            file("plan.xlsx", json!({ "to": "{work}/rows.tsv", "source_sheet": "Sheet1", "source_range": "A1:B3" })),
        ),
        fails("TabularExtract", file("people.csv", json!({ "to": "{work}/rows.csv" })), "FILE_EXISTS"),
        ok("TabularUpdateFromExport", into("plan.xlsx", json!({ "sheet": "People", "mode": "replace_sheet" }))),
        ok(
            "TabularUpdateFromExport",
            into("plan.xlsx", json!({ "sheet": "People", "mode": "append_rows", "query": "FROM data ORDER BY id" })),
        ),
        ok(
            "TabularUpdateFromExport",
            into(
                "plan.xlsx",
                json!({ "sheet": "Sheet1", "mode": "write_range", "start_cell": "D2", "include_header": false, "clear_target_range": true }),
            ),
        ),
        fails(
            "TabularUpdateFromExport",
            into("plan.xlsx", json!({ "sheet": "S", "mode": "guess" })),
            "VALIDATION_FAILED",
        ),
        fails(
            "TabularUpdateFromExport",
            into("new.xlsx", json!({ "sheet": "S", "mode": "append_rows", "create_workbook_if_missing": false })),
            "FILE_NOT_FOUND",
        ),
        fails(
            "TabularUpdateFromExport",
            into("plan.xlsx", json!({ "sheet": "S", "mode": "append_rows", "create_sheet_if_missing": false })),
            "VALIDATION_FAILED",
        ),
    ]
}

fn documents() -> Vec<Step> {
    let paragraphs =
        json!([{ "text": "Summary", "style": "Heading 1" }, "All is well.", { "text": "Next", "style": "Heading 1" }]);
    let fill = json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]);
    let replace = json!([{ "op": "replace_text", "search": "well", "replace": "fine" }]);
    vec![
        ok("DocxApplyOps", file("memo.docx", json!({ "create_new": true, "ops": fill }))),
        ok("DocxApplyOps", file("memo.docx", json!({ "ops": replace }))),
        ok("DocxApplyOps", file("other.docx", json!({ "copy_from": "memo.docx", "ops": replace }))),
        fails("DocxApplyOps", file("memo.docx", json!({ "ops": [{ "op": "dance" }] })), "VALIDATION_FAILED"),
        fails("DocxApplyOps", file("memo.pdf", json!({ "create_new": true, "ops": [] })), "VALIDATION_FAILED"),
        ok("DocxGetMap", file("memo.docx", json!({}))),
        fails("DocxGetMap", file("plan.xlsx", json!({})), "FILE_READ_FAILED"),
        ok("DocxExtractText", file("memo.docx", json!({ "section": "Summary" }))),
        ok("DocxExtractText", file("memo.docx", json!({ "view": "markup", "max_tokens": 5 }))),
        fails("DocxExtractText", file("memo.docx", json!({ "section": "9" })), "VALIDATION_FAILED"),
        ok("DocxGetSectionContent", file("memo.docx", json!({ "section_index": "0" }))),
        fails("DocxGetSectionContent", file("memo.docx", json!({ "section_index": "7" })), "VALIDATION_FAILED"),
        ok("DocxGetStyles", file("memo.docx", json!({}))),
        fails("DocxGetStyles", file("none.docx", json!({})), "FILE_NOT_FOUND"),
        ok("DocxCopyAssets", copy("memo.docx", "other.docx", json!(["paragraph_style:heading 1"]))),
        fails("DocxCopyAssets", copy("memo.docx", "other.docx", json!(["paragraph_style:None"])), "VALIDATION_FAILED"),
        ok("FileRead", file("memo.docx", json!({ "section": "0", "view": "final" }))),
        ok("DocxRenderPage", file("memo.docx", json!({ "page_index": 0, "scale": 0.25 }))),
        fails("DocxRenderPage", file("memo.docx", json!({ "page_index": 1 })), "VALIDATION_FAILED"),
        ok("FileGetPreview", file("memo.docx", json!({ "page": 1, "thumbnail": true }))),
        fails("FileGetPreview", file("notes.txt", json!({ "page": 0 })), "VALIDATION_FAILED"),
        ok("ReviewGetPreview", file("memo.docx", json!({ "side": "draft", "scale": 0.25 }))),
        fails("ReviewGetPreview", file("memo.docx", json!({ "side": "reference" })), "FILE_NOT_FOUND"),
    ]
}

fn decks() -> Vec<Step> {
    let fill = json!([{ "op": "add_slide", "title": "Plan", "body": "One\nTwo" }, { "op": "set_notes", "index": 0, "text": "Smile" }]);
    vec![
        ok("PptxApplyOps", file("talk.pptx", json!({ "create_new": true, "ops": fill }))),
        ok(
            "PptxApplyOps",
            file(
                "second.pptx",
                json!({ "copy_from": "talk.pptx", "ops": [{ "op": "set_notes", "slide": 1, "text": "Nod" }] }),
            ),
        ),
        fails(
            "PptxApplyOps",
            file("talk.pptx", json!({ "ops": [{ "op": "delete_slide", "index": 9 }] })),
            "VALIDATION_FAILED",
        ),
        ok("PptxGetMap", file("talk.pptx", json!({}))),
        fails("PptxGetMap", file("notes.txt", json!({})), "FILE_READ_FAILED"),
        ok("PptxExtractText", file("talk.pptx", json!({ "slide_index": 0 }))),
        fails("PptxExtractText", file("talk.pptx", json!({ "slide_index": 3 })), "VALIDATION_FAILED"),
        ok("PptxGetSlideContent", file("talk.pptx", json!({ "slide_index": 0, "detail": "positioned" }))),
        fails("PptxGetSlideContent", file("talk.pptx", json!({ "slide_index": 3 })), "VALIDATION_FAILED"),
        ok("PptxRenderSlide", file("talk.pptx", json!({ "slide_index": 0, "scale": 0.25 }))),
        fails("PptxRenderSlide", file("talk.pptx", json!({ "slide_index": 3 })), "VALIDATION_FAILED"),
        ok("PptxGetStyles", file("talk.pptx", json!({}))),
        fails("PptxGetStyles", file("none.pptx", json!({})), "FILE_NOT_FOUND"),
        ok("PptxCopyAssets", copy("talk.pptx", "second.pptx", json!(["text_style:0:0->0:0"]))),
        fails("PptxCopyAssets", copy("talk.pptx", "second.pptx", json!([5])), "VALIDATION_FAILED"),
        ok("FileRead", file("talk.pptx", json!({ "slide_index": 0 }))),
        ok("DraftDiscard", deck(json!({}))),
    ]
}

fn pdfs() -> Vec<Step> {
    vec![
        ok("FileAdd", deck(json!({ "paths": ["{work}/policy.pdf"] }))),
        ok("PdfGetMap", file("policy.pdf", json!({}))),
        fails("PdfGetMap", file("notes.txt", json!({})), "FILE_READ_FAILED"),
        ok("PdfGetInfo", file("policy.pdf", json!({}))),
        fails("PdfGetInfo", file("none.pdf", json!({})), "FILE_NOT_FOUND"),
        ok("PdfExtractText", file("policy.pdf", json!({ "pages": "1", "max_tokens": 20 }))),
        fails("PdfExtractText", file("policy.pdf", json!({ "pages": "99" })), "VALIDATION_FAILED"),
        ok("PdfRenderPage", file("policy.pdf", json!({ "page_index": 0, "scale": 0.25 }))),
        fails("PdfRenderPage", file("policy.pdf", json!({ "page_index": 99 })), "VALIDATION_FAILED"),
        ok("FileGetMap", file("policy.pdf", json!({}))),
        ok("FileGetInfo", file("policy.pdf", json!({}))),
        ok("FileRead", file("policy.pdf", json!({ "pages": "1-1" }))),
        fails("FileRead", file("policy.pdf", json!({ "slide_index": 1 })), "VALIDATION_FAILED"),
        ok("FileSearch", deck(json!({ "query": "policy", "path": "policy.pdf" }))),
        fails("ReviewGetPreview", file("policy.pdf", json!({})), "DRAFT_NOT_FOUND"),
    ]
}

fn end() -> Vec<Step> {
    vec![
        ok("WorkbenchExport", deck(json!({ "to": "{work}/deck.jig" }))),
        fails("WorkbenchExport", deck(json!({ "to": "{work}/deck.jig" })), "FILE_EXISTS"),
        ok("WorkbenchImport", json!({ "from": "{work}/deck.jig", "name": "Read in" })),
        fails("WorkbenchImport", json!({ "from": "{work}/notes.txt" }), "ARCHIVE_INVALID"),
        ok("WorkbenchClone", deck(json!({ "name": "Copy", "id": "copy" }))),
        ok("WorkbenchDelete", json!({ "workbench_id": "copy", "confirm": "copy" })),
        fails("WorkbenchDelete", deck(json!({ "confirm": "dekc" })), "VALIDATION_FAILED"),
        ok("StoreDoctor", json!({})),
        ok("StoreCollect", json!({})),
        ok("WorkbenchList", json!({})),
    ]
}
