//! Pages as images: conversions happen once, and a failing or hanging program is handled.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use jig_contract::{Actor, Code};
use jig_testkit::{ID, TestHome};
use jig_workbench::{CallContext, Renderer};
use serde_json::{Value, json};

fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

/// A script in place of LibreOffice, which gets its working folder and its input as variables.
fn program(folder: &std::path::Path, body: &str) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join("office");
    let script = format!("#!/bin/sh\nwhile [ \"$1\" != --outdir ]; do shift; done\nout=\"$2\"; in=\"$3\"\n{body}\n");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Next to the program, where a confined process can read it.
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fifty-pages.pdf");
    std::fs::copy(pages, folder.join("fifty-pages.pdf")).unwrap();
    path
}

/// A home with a memo in the Draft, and this script in place of LibreOffice.
async fn home(body: &str, seconds: u64) -> TestHome {
    home_with(&tempfile::tempdir().unwrap().keep(), body, seconds).await
}

/// The same, with the script in this folder.
async fn home_with(scripts: &std::path::Path, body: &str, seconds: u64) -> TestHome {
    let office = program(scripts, body);
    let home = TestHome::with(|config| {
        config.renderer = Renderer { program: Some(office), seconds, ..Renderer::default() };
    })
    .await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    let ops = json!([{ "op": "set_paragraphs", "paragraphs": ["All is well."] }]);
    home.ok("DocxApplyOps", file("memo.docx", json!({ "create_new": true, "ops": ops }))).await;
    home
}

fn fifty_pages() -> String {
    "cp \"${0%/*}/fifty-pages.pdf\" \"$out/file.pdf\"".to_owned()
}

#[tokio::test]
async fn the_second_page_needs_no_other_conversion() {
    let home = home(&fifty_pages(), 20).await;
    let first = home.ok("FileGetPreview", file("memo.docx", json!({ "scale": 0.25 }))).await;
    assert_eq!(
        (&first["renderer"], &first["page"], &first["page_count"]),
        (&json!("libreoffice"), &json!(1), &json!(50))
    );
    assert_eq!(home.workbench.preview_conversions(), 1);
    let second = home.ok("FileGetPreview", file("memo.docx", json!({ "page": 2, "scale": 0.25 }))).await;
    assert_eq!((&second["page"], second.get("notice")), (&json!(2), None));
    assert_ne!(first["bytes_base64"], second["bytes_base64"]);
    let page = home.ok("DocxRenderPage", file("memo.docx", json!({ "page_index": 49, "scale": 0.25 }))).await;
    assert_eq!((&page["page_index"], &page["page_count"]), (&json!(49), &json!(50)));
    assert_eq!(home.workbench.preview_conversions(), 1);
    // Different content is converted separately.
    let ops = json!([{ "op": "append_paragraph", "text": "More." }]);
    home.ok("DocxApplyOps", file("memo.docx", json!({ "ops": ops }))).await;
    home.ok("FileGetPreview", file("memo.docx", json!({ "scale": 0.25 }))).await;
    assert_eq!(home.workbench.preview_conversions(), 2);
}

#[tokio::test]
async fn many_who_ask_at_once_share_one_conversion() {
    let home = home(&fifty_pages(), 20).await;
    let ask = |page: u64| home.ok("FileGetPreview", file("memo.docx", json!({ "page": page, "scale": 0.25 })));
    let pages = tokio::join!(ask(1), ask(2), ask(3), ask(4));
    assert_eq!((&pages.0["page"], &pages.3["page"]), (&json!(1), &json!(4)));
    assert_eq!(home.workbench.preview_conversions(), 1);
}

#[tokio::test]
async fn a_failed_conversion_is_said_shown_plainly_and_not_tried_again_at_once() {
    let home = home("echo 'source file could not be loaded' >&2", 20).await;
    for _ in 0..2 {
        let shown = home.ok("FileGetPreview", file("memo.docx", json!({ "scale": 0.25 }))).await;
        assert_eq!(shown["renderer"], "plain");
        let notice = shown["notice"].as_str().unwrap();
        assert!(notice.contains("office could not convert the file: source file could not be loaded"), "{notice}");
        assert!(notice.contains("tried again in 5 minutes"), "{notice}");
    }
    assert_eq!(home.workbench.preview_conversions(), 1);
}

#[tokio::test]
async fn a_program_that_hangs_is_ended_with_what_it_started() {
    // A sleep duration that no other process uses.
    let length = format!("600.{}", std::process::id());
    let home = home(&format!("sleep {length} & wait"), 1).await;
    let shown = home.ok("FileGetPreview", file("memo.docx", json!({ "scale": 0.25 }))).await;
    assert!(shown["notice"].as_str().unwrap().contains("timed out after 1 seconds"), "{}", shown["notice"]);
    let sleeps = |entry: std::fs::DirEntry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).split('\0').any(|argument| argument == length)
    };
    assert!(!std::fs::read_dir("/proc").unwrap().flatten().any(sleeps), "it still runs");
}

/// All conversion slots are in use by a hanging program. Cancelled calls return, and hold no slot afterwards.
#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_a_program_that_hangs() {
    let scripts = tempfile::tempdir().unwrap();
    let waits = format!("while [ ! -e \"${{0%/*}}/go\" ]; do sleep 0.05; done; {}", fifty_pages());
    let home = home_with(scripts.path(), &waits, 60).await;
    for n in 1..6 {
        let ops = json!([{ "op": "set_paragraphs", "paragraphs": [format!("Number {n}")] }]);
        home.ok("DocxApplyOps", file(&format!("{n}.docx"), json!({ "create_new": true, "ops": ops }))).await;
    }
    let ask = |n: u32| home.ok("FileGetPreview", file(&format!("{n}.docx"), json!({ "scale": 0.25 })));
    let others = async {
        while home.workbench.preview_conversions() < 2 {
            tokio::task::yield_now().await;
        }
        let context = CallContext::new(Actor::person());
        let cancel = context.cancel.clone();
        let name = |n: u32| file(&format!("{n}.docx"), json!({ "scale": 0.25 }));
        // One call that waits for a slot, and one that waits for the conversion of another caller.
        let waiting = [3, 1].map(|n| home.workbench.call("FileGetPreview", context.clone(), name(n)));
        let (answers, ()) = tokio::join!(futures::future::join_all(waiting), async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            cancel.cancel();
        });
        for answer in answers {
            assert_eq!(answer.unwrap_err().code(), Code::UserCanceled);
        }
        std::fs::write(scripts.path().join("go"), "").unwrap();
        ask(4).await
    };
    let (first, second, last) = tokio::join!(ask(1), ask(2), others);
    for shown in [first, second, last] {
        assert_eq!(shown["renderer"], "libreoffice", "{}", shown["notice"]);
    }
    assert_eq!(home.workbench.preview_conversions(), 3, "no conversion was started for cancelled calls");
}

#[tokio::test]
async fn conversions_leave_nothing_but_their_result() {
    let home = home(&fifty_pages(), 20).await;
    home.ok("FileGetPreview", file("memo.docx", json!({ "scale": 0.25 }))).await;
    let folder = home.home().join("cache/previews");
    let names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.len() == 1 && names[0].ends_with(".pdf"), "{names:?}");
}

#[tokio::test]
async fn without_an_office_program_the_text_is_shown_with_a_notice() {
    let home = TestHome::with_workbench().await;
    let ops = json!([{ "op": "add_slide", "title": "Plan", "body": "One" }]);
    home.ok("PptxApplyOps", file("talk.pptx", json!({ "create_new": true, "ops": ops }))).await;
    let slide = home.ok("PptxRenderSlide", file("talk.pptx", json!({ "slide_index": 0 }))).await;
    assert_eq!((&slide["renderer"], &slide["slide_count"]), (&json!("plain"), &json!(1)));
    assert_eq!((&slide["width"], &slide["height"]), (&json!(1280), &json!(720)));
    assert!(slide["notice"].as_str().unwrap().ends_with("no office program is set"), "{}", slide["notice"]);
}

#[tokio::test]
async fn a_review_shows_each_side_under_its_label() {
    let home = TestHome::with_workbench().await;
    home.add("policy.pdf", include_bytes!("../../../../demo/files/policy.pdf")).await;
    let view = |side: &str| file("policy.pdf", json!({ "side": side, "scale": 0.25 }));
    home.fails_with(Code::DraftNotFound, "ReviewGetPreview", view("draft")).await;
    home.plain("DraftCreate").await;
    let labels = [
        ("reference", "Reference (Draft start)", json!("draft_start")),
        ("published", "Published (current preview)", Value::Null),
        ("draft", "Draft", Value::Null),
    ];
    for (side, label, source) in labels {
        let shown = home.ok("ReviewGetPreview", view(side)).await;
        assert_eq!((&shown["side"], &shown["label"]), (&json!(side), &json!(label)));
        assert_eq!(shown["reference_source"], source);
        assert_eq!((&shown["mime_type"], &shown["renderer"]), (&json!("image/png"), &json!("pdf")));
        assert_eq!(shown["reference_warning"], Value::Null);
    }
    let ops = json!([{ "op": "set_paragraphs", "paragraphs": ["New."] }]);
    home.ok("DocxApplyOps", file("new.docx", json!({ "create_new": true, "ops": ops }))).await;
    let error =
        home.fails_with(Code::FileNotFound, "ReviewGetPreview", file("new.docx", json!({ "side": "reference" }))).await;
    assert!(error.to_string().contains("is new in the Draft"), "{error}");
    home.fails_with(Code::FileNotFound, "ReviewGetPreview", file("none.docx", json!({ "side": "draft" }))).await;
    home.fails_with(Code::ValidationFailed, "ReviewGetPreview", file("policy.pdf", json!({ "page": 0 }))).await;
    home.fails_with(Code::ValidationFailed, "FileGetPreview", file("policy.pdf", json!({ "page": 999 }))).await;
}

#[tokio::test]
async fn a_pdf_is_read_mapped_and_searched_like_any_file() {
    let home = TestHome::with_workbench().await;
    home.add("policy.pdf", include_bytes!("../../../../demo/files/policy.pdf")).await;
    let info = home.ok("FileGetInfo", file("policy.pdf", json!({}))).await;
    let map = home.ok("FileGetMap", file("policy.pdf", json!({}))).await;
    assert_eq!(info["page_count"], map["map"]["page_count"]);
    let read = home.ok("FileRead", file("policy.pdf", json!({ "pages": [1] }))).await;
    assert!(read["text"].as_str().unwrap().starts_with("# Page 1\n\n"), "{read}");
    let word = read["text"].as_str().unwrap().split_whitespace().nth(3).unwrap();
    let found = home.ok("FileSearch", json!({ "workbench_id": ID, "query": word })).await;
    assert_eq!(found["hits"][0]["at"], json!({ "pages": "1" }), "{found}");
    let again = home.ok("FileRead", file("policy.pdf", json!({ "pages": found["hits"][0]["at"]["pages"] }))).await;
    assert_eq!(again["text"], read["text"]);
}

#[tokio::test]
async fn a_picture_is_its_own_only_page() {
    let home = TestHome::with_workbench().await;
    let drawing =
        "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='200'><rect width='400' height='200'/></svg>";
    home.add("sign.svg", drawing.as_bytes()).await;
    let size = |shown: &Value| (shown["width"].as_u64().unwrap(), shown["height"].as_u64().unwrap());
    let whole = home.ok("FileGetPreview", file("sign.svg", json!({}))).await;
    assert_eq!((size(&whole), &whole["scaled_down"]), ((400, 200), &json!(false)));
    assert_eq!(
        (&whole["renderer"], &whole["mime_type"], &whole["page"], &whole["page_count"]),
        (&json!("image"), &json!("image/png"), &json!(1), &json!(1))
    );
    let half = home.ok("FileGetPreview", file("sign.svg", json!({ "scale": 0.5 }))).await;
    assert_eq!((size(&half), &half["scaled_down"]), ((200, 100), &json!(false)));
    let small = home.ok("FileGetPreview", file("sign.svg", json!({ "thumbnail": true }))).await;
    assert_eq!((size(&small), &small["scaled_down"]), ((256, 128), &json!(false)));
    let double = home.ok("FileGetPreview", file("sign.svg", json!({ "scale": 2 }))).await;
    assert_eq!((size(&double), &double["notice"]), ((400, 200), &json!("a picture is not shown larger than it is")));
    for wrong in [json!({ "page": 2 }), json!({ "page": 0 }), json!({ "scale": 3 }), json!({ "scale": 0.1 })] {
        home.fails_with(Code::ValidationFailed, "FileGetPreview", file("sign.svg", wrong)).await;
    }
}

/// The folder on disk and the published files still have what the store has lost.
#[tokio::test]
async fn a_review_falls_back_to_what_is_published_when_the_reference_is_lost() {
    let picture = |colour: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='40' height='20' fill='{colour}'/></svg>"
        )
    };
    for (name, old, new) in [
        ("sign.svg", picture("red"), picture("blue")),
        ("notes.txt", "one\ntwo\n".to_owned(), "one\nthree\n".to_owned()),
        ("table.csv", "a,b\n1,2\n".to_owned(), "a,b\n1,3\n".to_owned()),
    ] {
        let home = TestHome::with_workbench().await;
        home.add(name, old.as_bytes()).await;
        home.ok("DraftWriteText", file(name, json!({ "text": new }))).await;
        let hash = blake3::hash(old.as_bytes()).to_hex().to_string();
        let blob = home.home().join("blobs").join(&hash[..2]).join(&hash);
        let blob = if blob.exists() { blob } else { home.home().join("blobs").join(&hash[..2]).join(&hash[2..]) };
        let calls: &[&str] =
            if name == "sign.svg" { &["ReviewGetPreview", "ReviewGetDiff"] } else { &["ReviewGetDiff"] };
        for call in calls {
            if *call == "ReviewGetPreview" || name == "notes.txt" {
                std::fs::write(&blob, vec![b'x'; old.len()]).unwrap();
            } else {
                std::fs::remove_file(&blob).unwrap();
            }
            let params = if *call == "ReviewGetPreview" { json!({ "side": "reference" }) } else { json!({}) };
            let shown = home.ok(call, file(name, params)).await;
            assert_eq!(shown["reference_source"], "published", "{name}: {shown}");
            let warning = shown["reference_warning"].as_str().unwrap();
            assert!(warning.contains("at the Draft's start is missing"), "{warning}");
            if *call == "ReviewGetDiff" {
                assert!(!shown["file"]["summary"].as_str().unwrap().contains("could not be"), "{shown}");
            }
        }
    }
}
