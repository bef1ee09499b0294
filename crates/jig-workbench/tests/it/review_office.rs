//! Reviewing Office files and tables: changes by address, rejected, accepted and commented one by one.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

/// A workbench with a published file of each format.
async fn published() -> TestHome {
    let home = TestHome::with_workbench().await;
    let ops = json!([
        { "op": "set_range", "sheet": "Sheet1", "start": "A1", "values": [["Item", "Cost"], ["Desk", 120], ["Lamp", 35.5]] },
        { "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "B4", "value": "=SUM(B2:B3)" }] },
    ]);
    home.ok("XlsxApplyOps", file("budget.xlsx", json!({ "create_new": true, "ops": ops }))).await;
    let paragraphs = json!([{ "text": "Risks", "style": "Heading 1" }, "We expect ten percent growth.", "The end."]);
    let ops = json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]);
    home.ok("DocxApplyOps", file("report.docx", json!({ "create_new": true, "ops": ops }))).await;
    let ops = json!([{ "op": "add_slide", "title": "Costs", "body": "One" }, { "op": "add_slide", "title": "End", "body": "Two" }]);
    home.ok("PptxApplyOps", file("talk.pptx", json!({ "create_new": true, "ops": ops }))).await;
    home.ok("DraftWriteText", file("bank.csv", json!({ "text": "id,amount\n1,10\n2,20\n3,30\n" }))).await;
    home.plain("DraftPublish").await;
    home
}

/// The same, with a Draft that changes every file.
async fn edited() -> TestHome {
    let home = published().await;
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [
        { "cell": "B2", "value": 150 }, { "cell": "A3", "value": "Desk lamp", "style": { "font_bold": true } }] }]);
    home.ok("XlsxApplyOps", file("budget.xlsx", json!({ "ops": ops }))).await;
    let ops = json!([
        { "op": "replace_text", "search": "ten percent", "replace": "three percent" },
        { "op": "append_paragraph", "text": "One more." },
    ]);
    home.ok("DocxApplyOps", file("report.docx", json!({ "ops": ops }))).await;
    let ops = json!([
        { "op": "set_slide_text", "index": 0, "title": "All costs" },
        { "op": "add_slide", "title": "New", "body": "Three" },
    ]);
    home.ok("PptxApplyOps", file("talk.pptx", json!({ "ops": ops }))).await;
    home.ok("DraftWriteText", file("bank.csv", json!({ "text": "id,amount\n1,10\n2,25\n4,40\n" }))).await;
    home
}

async fn ids(home: &TestHome, path: &str) -> Vec<String> {
    let diff = home.ok("ReviewGetDiff", file(path, json!({}))).await;
    let groups = diff["diff"]["groups"].as_array().unwrap().clone();
    let changes = groups.iter().flat_map(|group| group["changes"].as_array().unwrap().clone());
    changes.map(|change| change["id"].as_str().unwrap().to_owned()).collect()
}

async fn change_of(home: &TestHome, path: &str) -> Value {
    let set = home.plain("ReviewGetChangeSet").await;
    set["changes"].as_array().unwrap().iter().find(|change| change["path"] == path).cloned().unwrap_or(Value::Null)
}

#[tokio::test]
async fn the_change_set_tells_each_format_in_its_own_words() {
    let home = edited().await;
    let set = home.plain("ReviewGetChangeSet").await;
    let told: Vec<(&str, &str, &str)> = set["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["path"].as_str().unwrap(), c["summary"].as_str().unwrap(), c["focus"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("bank.csv", "1 row changed, 1 row added, 1 row removed", "row id=2"),
            ("budget.xlsx", "2 cells changed on Sheet1, 1 cell recalculated on Sheet1", "Sheet1!B2"),
            (
                "report.docx",
                "1 paragraph changed in section 0 “Risks”, 1 paragraph added in section 0 “Risks”",
                "section 0 “Risks”"
            ),
            ("talk.pptx", "1 text changed in slide 1 “All costs”, 1 slide added", "slide 1"),
        ]
    );
}

#[tokio::test]
async fn a_rejected_cell_is_as_it_was_and_the_rest_stays() {
    let home = edited().await;
    assert_eq!(ids(&home, "budget.xlsx").await, ["Sheet1!B2", "Sheet1!A3", "Sheet1!B4"]);
    let params = file("budget.xlsx", json!({ "changes": ["Sheet1!B2"], "dry_run": true }));
    assert_eq!(home.ok("ReviewReject", params).await["dry_run"], true);
    assert_eq!(ids(&home, "budget.xlsx").await.len(), 3);
    let rejected = home.ok("ReviewReject", file("budget.xlsx", json!({ "changes": ["Sheet1!B2"] }))).await;
    assert_eq!((&rejected["restored"], &rejected["rejected"]), (&json!(false), &json!(["Sheet1!B2"])));
    assert_eq!(ids(&home, "budget.xlsx").await, ["Sheet1!A3"], "the sum follows");
    let rejected = home.ok("ReviewReject", file("budget.xlsx", json!({ "changes": ["Sheet1!A3"] }))).await;
    assert_eq!(rejected["restored"], true);
    assert_eq!(change_of(&home, "budget.xlsx").await, Value::Null, "the very bytes of the reference");
}

#[tokio::test]
async fn every_format_comes_back_change_by_change() {
    let home = edited().await;
    for path in ["bank.csv", "report.docx", "talk.pptx"] {
        let mut left = ids(&home, path).await;
        while let Some(id) = left.first() {
            let before = left.len();
            home.ok("ReviewReject", file(path, json!({ "changes": [id] }))).await;
            if change_of(&home, path).await.is_null() {
                break;
            }
            left = ids(&home, path).await;
            assert!(left.len() < before, "{path}: {left:?}");
        }
        assert_eq!(change_of(&home, path).await, Value::Null, "{path}");
    }
}

#[tokio::test]
async fn whole_files_are_rejected_added_and_removed_ones_too() {
    let home = edited().await;
    home.write("new.txt", "n").await;
    home.ok("DraftRemoveFile", file("report.docx", json!({}))).await;
    for path in ["new.txt", "report.docx", "budget.xlsx", "talk.pptx", "bank.csv"] {
        let rejected = home.ok("ReviewReject", file(path, json!({}))).await;
        assert_eq!(rejected["restored"], true, "{path}");
    }
    assert_eq!(home.plain("ReviewGetChangeSet").await["changes"], json!([]));
    home.fails_with(Code::FileNotFound, "ReviewReject", file("new.txt", json!({}))).await;
}

#[tokio::test]
async fn a_choice_of_no_changes_is_refused_and_never_the_whole_file() {
    let home = edited().await;
    for operation in ["ReviewReject", "ReviewAccept"] {
        let params = file("bank.csv", json!({ "changes": [] }));
        let error = home.fails_with(Code::ValidationFailed, operation, params).await;
        assert!(error.info.hints.iter().any(|hint| hint.contains("leave `changes` out")), "{error}");
    }
    assert_eq!(ids(&home, "bank.csv").await.len(), 3);
    assert_eq!(change_of(&home, "bank.csv").await["review"], "open");
}

#[tokio::test]
async fn addresses_of_another_diff_are_a_conflict() {
    let home = edited().await;
    let params = file("budget.xlsx", json!({ "changes": ["Sheet1!Z9"] }));
    let error = home.fails_with(Code::Conflict, "ReviewReject", params.clone()).await;
    assert!(error.info.message.contains("Sheet1!Z9"), "{error}");
    home.fails_with(Code::Conflict, "ReviewAccept", params).await;
    let old = home.ok("ReviewGetDiff", file("budget.xlsx", json!({}))).await["hash_after"].clone();
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "C1", "value": 1 }] }]);
    home.ok("XlsxApplyOps", file("budget.xlsx", json!({ "ops": ops }))).await;
    for operation in ["ReviewReject", "ReviewAccept"] {
        let params = file("budget.xlsx", json!({ "changes": ["Sheet1!B2"], "base_hash": old }));
        home.fails_with(Code::Conflict, operation, params).await;
    }
    let follows = file("budget.xlsx", json!({ "changes": ["Sheet1!B4"] }));
    let error = home.fails_with(Code::ValidationFailed, "ReviewReject", follows).await;
    assert!(error.info.hints.iter().any(|hint| hint.contains("jig reject budget.xlsx")), "{error}");
}

#[tokio::test]
async fn accepted_changes_are_shown_until_they_change_again() {
    let home = edited().await;
    let accepted = home.ok("ReviewAccept", file("budget.xlsx", json!({ "changes": ["Sheet1!B2"] }))).await;
    assert_eq!((&accepted["file"]["review"], &accepted["file"]["accepted"]), (&json!("partly"), &json!(1)));
    let diff = home.ok("ReviewGetDiff", file("budget.xlsx", json!({}))).await;
    let marks: Vec<bool> = diff["diff"]["groups"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["accepted"] == true)
        .collect();
    assert_eq!(marks, [true, false, false]);
    home.ok("ReviewAccept", file("talk.pptx", json!({}))).await;
    assert_eq!(change_of(&home, "talk.pptx").await["review"], "accepted");
    let ops = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "B2", "value": 151 }] }]);
    home.ok("XlsxApplyOps", file("budget.xlsx", json!({ "ops": ops }))).await;
    assert_eq!(change_of(&home, "budget.xlsx").await["review"], "open", "another number is another change");
    home.plain("DraftPublish").await;
    home.write("bank.csv", "id,amount\n1,11\n").await;
    assert_eq!(change_of(&home, "bank.csv").await["accepted"], 0, "marks go with their Draft");
}

#[tokio::test]
async fn comments_stay_with_the_draft() {
    let home = edited().await;
    let params = file("budget.xlsx", json!({ "change": "Sheet1!B2", "text": " Where is this from? " }));
    home.ok("ReviewComment", params).await;
    let comments = change_of(&home, "budget.xlsx").await["comments"].clone();
    let said = (&comments[0]["change"], &comments[0]["text"], &comments[0]["author"]);
    assert_eq!(said, (&json!("Sheet1!B2"), &json!("Where is this from?"), &json!("person")));
    home.fails_with(Code::Conflict, "ReviewComment", file("budget.xlsx", json!({ "change": "nope", "text": "x" })))
        .await;
    home.fails_with(Code::ValidationFailed, "ReviewComment", file("budget.xlsx", json!({ "text": "\n" }))).await;
    let journal = home.ok("JournalList", json!({ "workbench_id": ID, "limit": 1 })).await;
    assert!(journal.to_string().contains("commented on budget.xlsx"), "{journal}");
}

#[tokio::test]
async fn a_file_damaged_on_one_side_is_told_by_what_is_known() {
    let home = published().await;
    home.plain("DraftCreate").await;
    let whole = std::fs::read(home.view("draft/budget.xlsx")).unwrap();
    std::fs::write(home.view("draft/budget.xlsx"), &whole[..whole.len() / 2]).unwrap();
    let diff = home.ok("ReviewGetDiff", file("budget.xlsx", json!({}))).await;
    assert_eq!(diff["diff"]["type"], "opaque");
    home.fails_with(Code::ValidationFailed, "ReviewReject", file("budget.xlsx", json!({ "changes": ["Sheet1!A1"] })))
        .await;
    home.ok("ReviewReject", file("budget.xlsx", json!({}))).await;
    assert_eq!(std::fs::read(home.view("draft/budget.xlsx")).unwrap(), whole);
}

#[tokio::test]
async fn a_range_a_section_or_a_slide_means_all_changes_in_it() {
    let home = edited().await;
    let accepted = home.ok("ReviewAccept", file("budget.xlsx", json!({ "changes": ["Sheet1!A1:B3"] }))).await;
    assert_eq!(accepted["file"]["accepted"], 2);
    for (path, place, expected) in [
        ("budget.xlsx", "Sheet1!A1:B3", json!(["Sheet1!B2", "Sheet1!A3"])),
        ("report.docx", "section 0", json!(["section 0, paragraph 1", "section 0, paragraph 3"])),
        ("talk.pptx", "slide 1", json!(["slide 1, Title 1"])),
    ] {
        let rejected = home.ok("ReviewReject", file(path, json!({ "changes": [place] }))).await;
        assert_eq!(rejected["rejected"], expected, "{path}");
    }
    let left: Vec<Value> = home.plain("ReviewGetChangeSet").await["changes"].as_array().unwrap().clone();
    let paths: Vec<&str> = left.iter().map(|change| change["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["bank.csv", "talk.pptx"]);
    home.fails_with(Code::Conflict, "ReviewReject", file("talk.pptx", json!({ "changes": ["slide 9"] }))).await;
}

#[tokio::test]
async fn formats_that_are_only_read_are_compared_and_go_as_a_whole() {
    let data =
        |name: &str| std::fs::read(format!("{}/../jig-files/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let home = TestHome::with_workbench().await;
    let files = [
        ("a.pdf", "policy.pdf", "pdf/annotated.pdf", "pdf"),
        ("b.odt", "odt/page.odt", "odt/report.odt", "odt"),
        ("c.png", "images/alpha.png", "images/gray16.png", "opaque"),
    ];
    for (path, before, _, _) in files {
        home.add(path, data(before)).await;
    }
    home.plain("DraftCreate").await;
    for (path, before, after, kind) in files {
        std::fs::write(home.view(&format!("draft/{path}")), data(after)).unwrap();
        let diff = home.ok("ReviewGetDiff", file(path, json!({}))).await;
        assert_eq!(diff["diff"]["type"], kind, "{path}");
        let params = file(path, json!({ "changes": ["section 0, paragraph 0"] }));
        assert!(home.call("ReviewReject", params).await.is_err(), "{path}");
        assert_eq!(home.ok("ReviewReject", file(path, json!({}))).await["restored"], true);
        assert_eq!(std::fs::read(home.view(&format!("draft/{path}"))).unwrap(), data(before), "{path}");
    }
}

/// Where the blob of this content is stored.
fn blob(home: &TestHome, content: &[u8]) -> std::path::PathBuf {
    let hash = blake3::hash(content).to_hex().to_string();
    home.home().join("blobs").join(&hash[..2]).join(&hash[2..])
}

/// Diff, change set and preview agree on the version that they compare with, also if the diff was computed before.
#[tokio::test]
async fn a_lost_reference_is_replaced_by_what_is_published_in_every_answer() {
    for (path, is_changed_outside) in
        [("budget.xlsx", false), ("report.docx", false), ("talk.pptx", false), ("bank.csv", false), ("bank.csv", true)]
    {
        let home = edited().await;
        let published = home.view(&format!("published/{path}"));
        let start = std::fs::read(&published).unwrap();
        let cached = home.ok("ReviewGetDiff", file(path, json!({}))).await;
        assert_eq!(cached["reference_source"], "draft_start", "{path}: {cached}");
        if is_changed_outside {
            std::fs::write(&published, "id,amount\n1,11\n2,20\n3,30\n").unwrap();
            home.plain("FileList").await;
        }
        let lose = || std::fs::remove_file(blob(&home, &start)).unwrap();
        let falls_back = |answer: &Value, name: &str| {
            assert_eq!(answer["reference_source"], "published", "{name} {path}: {answer}");
            let label = if name == "ReviewGetPreview" { &answer["label"] } else { &answer["reference_label"] };
            assert_eq!(label, "Published (current preview)", "{name} {path}");
            let warning = answer["reference_warning"].as_str().unwrap_or_default();
            assert!(warning.contains(path) && warning.contains("missing"), "{name}: {warning}");
        };
        lose();
        let diff = home.ok("ReviewGetDiff", file(path, json!({}))).await;
        falls_back(&diff, "ReviewGetDiff");
        assert!(!diff["diff"].is_null(), "{path}: {diff}");
        if !is_changed_outside {
            // What is published has the same content, so it is stored again.
            assert_eq!(diff["diff"], cached["diff"], "{path}");
            lose();
        }
        falls_back(&home.plain("ReviewGetChangeSet").await, "ReviewGetChangeSet");
        if !is_changed_outside {
            let kept = home.ok("ReviewGetDiff", file(path, json!({}))).await;
            assert_eq!(kept["reference_source"], "draft_start", "{path}");
            lose();
        }
        let preview = home.call("ReviewGetPreview", file(path, json!({ "side": "reference" }))).await;
        match preview {
            Ok(shown) => falls_back(&shown, "ReviewGetPreview"),
            // Text and tables have no pages, and a machine without LibreOffice has no pages of Office files.
            Err(error) => assert_ne!(error.code(), Code::BlobCorrupt, "{path}: {error}"),
        }
    }
}

/// Where nothing has the content any more, the answer is a reason and never an empty comparison.
#[tokio::test]
async fn a_reference_that_nothing_has_any_more_is_reported_with_the_reason() {
    let home = edited().await;
    let published = home.view("published/report.docx");
    let start = std::fs::read(&published).unwrap();
    std::fs::remove_file(blob(&home, &start)).unwrap();
    std::fs::remove_file(&published).unwrap();
    let diff = home.ok("ReviewGetDiff", file("report.docx", json!({}))).await;
    assert_eq!(diff["diff"]["type"], "opaque", "{diff}");
    assert!(diff["diff"]["notes"].to_string().contains("is missing"), "{diff}");
    let other = home.ok("ReviewGetDiff", file("bank.csv", json!({}))).await;
    assert_eq!(other["reference_source"], "draft_start", "the rest works: {other}");
}
