//! Word, Excel and PowerPoint files as an agent uses them.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

/// Parameters for a file of the workbench.
fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

async fn with_files() -> TestHome {
    let home = TestHome::with_workbench().await;
    let rows: Vec<Value> = (1..=120).map(|n| json!([format!("Item {n}"), n])).collect();
    let ops = json!([
        { "op": "set_range", "sheet": "Sheet1", "start": "A1", "values": [["Name", "Cost"]] },
        { "op": "append_rows", "sheet": "Sheet1", "rows": rows },
        { "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "D1", "value": "=SUM(B2:B121)" }] },
    ]);
    home.ok("XlsxApplyOps", file("plan.xlsx", json!({ "create_new": true, "ops": ops }))).await;
    let paragraphs = json!([{ "text": "Summary", "style": "Heading 1" }, "The needle is here."]);
    let ops = json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]);
    home.ok("DocxApplyOps", file("memo.docx", json!({ "create_new": true, "ops": ops }))).await;
    let ops = json!([{ "op": "add_slide", "title": "A needle", "body": "One" }]);
    home.ok("PptxApplyOps", file("talk.pptx", json!({ "create_new": true, "ops": ops }))).await;
    home
}

#[tokio::test]
async fn a_text_is_found_in_every_format_at_an_address_that_can_be_read() {
    let home = with_files().await;
    home.ok("DraftWriteText", file("notes.txt", json!({ "text": "no\nneedle\n" }))).await;
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "F3", "value": "a NEEDLE too" }] }]);
    home.ok("XlsxApplyOps", file("plan.xlsx", json!({ "ops": ops }))).await;
    let found = home.ok("FileSearch", json!({ "workbench_id": ID, "query": "needle" })).await;
    let hits: Vec<(&str, &Value)> =
        found["hits"].as_array().unwrap().iter().map(|hit| (hit["path"].as_str().unwrap(), &hit["at"])).collect();
    let paths: Vec<&str> = hits.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, ["memo.docx", "notes.txt", "plan.xlsx", "talk.pptx"], "{found}");
    assert_eq!(hits[1].1, &json!({ "line": 2, "column": 1, "count": 1 }));
    assert_eq!((&hits[2].1["sheet"], &hits[2].1["cell"]), (&json!("Sheet1"), &json!("F3")), "{found}");
    assert_eq!(hits[3].1["slide_index"], 0);
    let read = home.ok("FileRead", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": hits[2].1["cell"] }))).await;
    assert_eq!(read["text"], "# Sheet: Sheet1\na NEEDLE too\n");
    let cased = home
        .ok("FileSearch", json!({ "workbench_id": ID, "query": "needle", "match_case": true, "max_results": 2 }))
        .await;
    assert_eq!((cased["hits"].as_array().unwrap().len(), &cased["more"]), (2, &json!(true)));
}

#[tokio::test]
async fn a_long_sheet_comes_in_pages_that_lose_nothing() {
    let home = with_files().await;
    let whole = home.ok("XlsxReadRange", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": "A1:D121" }))).await;
    let (mut text, mut cursor, mut pages) = (String::new(), Value::Null, 0);
    loop {
        let params = file("plan.xlsx", json!({ "sheet": "Sheet1", "max_tokens": 150, "cursor": cursor }));
        let page = home.ok("FileRead", params).await;
        assert!(page["tokens"].as_u64().unwrap() <= 150, "{page}");
        text.push_str(page["text"].as_str().unwrap().strip_prefix("# Sheet: Sheet1\n").unwrap());
        pages += 1;
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(pages > 3);
    assert_eq!(format!("# Sheet: Sheet1\n{}", text.trim_end()), whole["text"].as_str().unwrap());
    let other = home.ok("FileRead", file("plan.xlsx", json!({ "max_tokens": 150 }))).await;
    home.ok("XlsxApplyOps", file("plan.xlsx", json!({ "ops": [{ "op": "ensure_sheet", "sheet": "More" }] }))).await;
    let stale = file("plan.xlsx", json!({ "max_tokens": 150, "cursor": other["cursor"] }));
    home.fails_with(Code::ValidationFailed, "FileRead", stale).await;
}

#[tokio::test]
async fn an_edit_is_computed_written_to_the_draft_and_told_with_a_receipt() {
    let home = with_files().await;
    let before = home.ok("FileGetInfo", file("plan.xlsx", json!({}))).await;
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "B2", "value": 1001 }] }]);
    let params = file("plan.xlsx", json!({ "ops": ops, "base_hash": before["hash"], "dry_run": true }));
    let dry = home.ok("XlsxApplyOps", params).await;
    assert_eq!(home.ok("FileGetInfo", file("plan.xlsx", json!({}))).await, before);
    let done = home.ok("XlsxApplyOps", file("plan.xlsx", json!({ "ops": ops, "base_hash": before["hash"] }))).await;
    assert_eq!((&done["receipt"], &done["changes"]), (&dry["receipt"], &dry["changes"]));
    assert_eq!(done["receipt"]["hash_before"], before["hash"]);
    assert_eq!(done["receipt"]["hash_after"], done["file"]["hash"]);
    let parts: Vec<&str> =
        done["receipt"]["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(parts, ["xl/worksheets/sheet1.xml"], "{done}");
    let sum = home.ok("FileRead", file("plan.xlsx", json!({ "sheet": "Sheet1", "range": "D1" }))).await;
    assert_eq!(sum["text"], format!("# Sheet: Sheet1\n{}\n", 121 * 60 + 1000));
    let old = file("plan.xlsx", json!({ "ops": ops, "base_hash": before["hash"] }));
    home.fails_with(Code::Conflict, "XlsxApplyOps", old).await;
}

#[tokio::test]
async fn a_dry_run_in_any_spelling_writes_nothing() {
    let home = with_files().await;
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": "changed" }] }]);
    let before = home.ok("FileGetInfo", file("plan.xlsx", json!({}))).await["hash"].clone();
    for dry_run in [json!("true"), json!(1), json!("True"), json!(1.0)] {
        let done = home.ok("XlsxApplyOps", file("plan.xlsx", json!({ "ops": ops, "dry_run": dry_run }))).await;
        assert_eq!((&done["dry_run"], &done["changes"][0]["cells"]), (&json!(true), &json!(1)));
        let text = json!({ "text": "new", "dry_run": dry_run });
        assert_eq!(home.ok("DraftWriteText", file("brand-new.txt", text)).await["dry_run"], true);
    }
    for dry_run in [json!("perhaps"), json!(3), json!([]), json!({})] {
        let error = home
            .fails_with(
                Code::InvalidParams,
                "XlsxApplyOps",
                file("plan.xlsx", json!({ "ops": ops, "dry_run": dry_run })),
            )
            .await;
        assert!(error.info.message.contains("`dry_run`: expected true or false"), "{error}");
    }
    assert_eq!(home.ok("FileGetInfo", file("plan.xlsx", json!({}))).await["hash"], before);
    home.fails_with(Code::FileNotFound, "FileGetInfo", file("brand-new.txt", json!({}))).await;
}

#[tokio::test]
async fn text_is_not_written_under_the_name_of_another_format() {
    let home = with_files().await;
    let names = [
        ("new.docx", "docx_operations"),
        ("New.XLSX", "xlsx_operations"),
        ("sub/new.pptx", "pptx_operations"),
        ("new.pdf", ".txt"),
        ("new.png", ".txt"),
        ("new.zip", ".txt"),
        ("new.jpeg", ".txt"),
        ("new.doc", ".txt"),
    ];
    for (name, hint) in names {
        for dry_run in [true, false] {
            let text = json!({ "text": "plain", "dry_run": dry_run });
            let error = home.fails_with(Code::ValidationFailed, "DraftWriteText", file(name, text)).await;
            assert!(error.info.hints.iter().any(|one| one.contains(hint)), "{name}: {:?}", error.info.hints);
        }
        home.fails_with(Code::FileNotFound, "FileGetInfo", file(name, json!({}))).await;
    }
    for name in ["new.md", "new.csv", "new.svg", "Makefile", "new.unknown"] {
        home.ok("DraftWriteText", file(name, json!({ "text": "plain" }))).await;
    }
}

#[tokio::test]
async fn missing_files_and_sheets_are_created_and_reported() {
    let home = with_files().await;
    let ops = json!([{ "op": "set_cells", "sheet": "Data", "cells": [{ "cell": "A1", "value": 1 }] }]);
    let done = home.ok("XlsxApplyOps", file("fresh.xlsx", json!({ "ops": ops }))).await;
    assert_eq!(
        (&done["receipt"]["created_file"], &done["receipt"]["created_sheets"]),
        (&json!(true), &json!(["Data"]))
    );
    assert!(done["warnings"].to_string().contains("created `fresh.xlsx`"), "{done}");
    let error = home
        .fails_with(
            Code::ValidationFailed,
            "XlsxApplyOps",
            file("plan.xlsx", json!({ "ops": ops, "must_exist": true })),
        )
        .await;
    assert!(error.info.message.contains("unknown sheet"), "{error}");
    let slip = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "vlaue": 1 }] }]);
    let error =
        home.fails_with(Code::ValidationFailed, "XlsxApplyOps", file("plan.xlsx", json!({ "ops": slip }))).await;
    let detail = error.info.detail.clone().unwrap();
    assert!(detail["signature"].as_str().is_some_and(|text| text.starts_with("set_cells")), "{detail}");
    assert_eq!(detail["corrected_ops"][0]["cells"][0]["value"], 1, "{detail}");
}

#[tokio::test]
async fn what_cannot_be_edited_says_so_and_stays() {
    let home = with_files().await;
    home.ok("DraftPublish", json!({ "workbench_id": ID })).await;
    let empty = json!({ "ops": [], "create_new": true });
    home.fails_with(Code::ValidationFailed, "XlsxApplyOps", file("new.xlsm", empty.clone())).await;
    home.fails_with(Code::ValidationFailed, "DocxApplyOps", file("new.pdf", empty)).await;
    let both = json!({ "ops": [], "create_new": true, "copy_from": "plan.xlsx" });
    home.fails_with(Code::ValidationFailed, "XlsxApplyOps", file("new.xlsx", both)).await;
    let ops = json!([{ "op": "delete_rows", "sheet": "Sheet2", "row": 1 }]);
    home.fails_with(Code::FileNotFound, "XlsxApplyOps", file("plna.xlsx", json!({ "ops": ops, "must_exist": true })))
        .await;
    home.fails_with(Code::ValidationFailed, "XlsxApplyOps", file("plan.xlsx", json!({ "ops": [] }))).await;
    let wrong = json!({ "ops": ops });
    let error = home.fails_with(Code::ValidationFailed, "XlsxApplyOps", file("plan.xlsx", wrong)).await;
    assert_eq!(error.info.suggestions[0], "Sheet1");
    home.fails_with(Code::ValidationFailed, "FileRead", file("memo.docx", json!({ "sheet": "Sheet1" }))).await;
    home.fails_with(Code::FileReadFailed, "DocxGetMap", file("plan.xlsx", json!({}))).await;
    let state = home.ok("DraftGetState", json!({ "workbench_id": ID })).await;
    assert_eq!(state["exists"], false, "no failed edit began a Draft");
}
