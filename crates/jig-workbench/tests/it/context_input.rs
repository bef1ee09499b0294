//! Raw input from files: all accepted types, and all refusals before anything is sent.

use jig_contract::Code;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{ModelHome, categories, files, good, good_reply, of};

/// A quote from the report.
const QUOTE: &str = "Bike sales stayed behind plan in all three months";

fn from_file(category: &str, path: &str, note: Option<&str>) -> Value {
    json!({ "workbench_id": ID, "category": category, "input": { "mode": "file", "source_path": path, "note": note } })
}

#[tokio::test]
async fn every_category_is_made_from_a_file_that_is_kept_beside_it() {
    let bench = ModelHome::agreed().await;
    let report: &[u8] = include_bytes!("../../../../demo/files/report.docx");
    let path = bench.home.outside("The report.docx", report);
    for category in categories() {
        bench.server.reply(good_reply(category, QUOTE));
        let made = bench.home.ok("ContextProcess", from_file(category, &path, Some("the goals"))).await;
        let source = json!({ "mode": "file", "original_filename": "The report.docx", "note": "the goals" });
        assert_eq!(made["item"]["source"], source);
        let kept = bench.home.view(&format!("meta/context/{category}/source_file/The report.docx"));
        assert_eq!(std::fs::read(kept).unwrap(), report);
        let sent = bench.server.requests().pop().unwrap().json().to_string();
        assert!(sent.contains("the goals") && sent.contains("The report.docx"), "{sent}");
    }
    std::fs::remove_file(&path).unwrap();
    bench.server.reply(files(&good("situation")));
    bench.home.ok("ContextReprocess", of("situation")).await;
    let requests = bench.server.requests();
    assert_eq!(requests[2].body, requests[4].body, "the same text is sent again, from the copy");
}

#[tokio::test]
async fn the_text_of_every_accepted_type_is_read() {
    let bench = ModelHome::agreed().await;
    let odt: &[u8] = include_bytes!("../../../jig-files/tests/data/odt/page.odt");
    let office: [(&str, &[u8], &str); 5] = [
        ("a.docx", include_bytes!("../../../../demo/files/report.docx"), "Quarterly report, Q1 2026"),
        ("a.xlsx", include_bytes!("../../../../demo/files/budget.xlsx"), "plan and actual"),
        ("a.pptx", include_bytes!("../../../../demo/files/deck.pptx"), "Board meeting, 16 April 2026"),
        ("a.pdf", include_bytes!("../../../../demo/files/policy.pdf"), "Travel and expenses policy"),
        ("a.odt", odt, "Milk"),
    ];
    for (name, bytes, word) in office {
        bench.server.reply(files(&good("situation")));
        let path = bench.home.outside(name, bytes);
        bench.home.ok("ContextProcess", from_file("situation", &path, None)).await;
        let sent = bench.server.requests().pop().unwrap().json().to_string();
        assert!(sent.contains(word), "{name}: {sent}");
    }
    let plain = "md txt csv json xml yaml html js ts py java go rb rs c cpp h css sql";
    for extension in plain.split(' ') {
        bench.server.reply(files(&good("situation")));
        let path = bench.home.outside(&format!("a.{extension}"), format!("needle {extension}, Überblick\n"));
        bench.home.ok("ContextProcess", from_file("situation", &path, None)).await;
        let sent = bench.server.requests().pop().unwrap().json().to_string();
        assert!(sent.contains(&format!("needle {extension}, Überblick")), "{extension}: {sent}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_before_anything_is_sent() {
    let bench = ModelHome::agreed().await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0";
    let image = "Image files cannot be used as context input. Please provide text or a document file.";
    let other = "This file type is not supported for context input.";
    let table: [(&str, &[u8], Code, &str); 8] = [
        ("a.png", png, Code::ValidationFailed, image),
        ("a.svg", b"<svg/>", Code::ValidationFailed, image),
        ("picture.txt", png, Code::ValidationFailed, image),
        ("a.exe", b"MZ", Code::ValidationFailed, other),
        ("a.doc", b"x", Code::ValidationFailed, other),
        ("broken.docx", b"PK\x03\x04nonsense", Code::FileReadFailed, "Choose another file, or write the text instead."),
        ("zeros.txt", b"\0\x01\x02\x03\0\0", Code::FileReadFailed, "Choose another file, or write the text instead."),
        ("empty.md", b"", Code::ValidationFailed, "No text was found in `empty.md`."),
    ];
    for (name, bytes, code, words) in table {
        let path = bench.home.outside(name, bytes);
        let error = bench.home.fails_with(code, "ContextProcess", from_file("situation", &path, None)).await;
        assert!(error.info.message.contains(words), "{name}: {error}");
    }
    let large = bench.home.outside("large.txt", vec![b'a'; (25 << 20) + 1]);
    bench.home.fails_with(Code::LimitExceeded, "ContextProcess", from_file("situation", &large, None)).await;
    let link = bench.home.path().join("outside/link.md");
    std::os::unix::fs::symlink(bench.home.outside("target.md", "secret"), &link).unwrap();
    let link = link.to_str().unwrap();
    bench.home.fails_with(Code::SandboxViolation, "ContextProcess", from_file("situation", link, None)).await;
    let folder = bench.home.path().join("outside").join("folder.md");
    std::fs::create_dir(&folder).unwrap();
    let folder = from_file("situation", folder.to_str().unwrap(), None);
    bench.home.fails_with(Code::SandboxViolation, "ContextProcess", folder).await;
    let none = from_file("situation", "none/at/all.md", None);
    bench.home.fails_with(Code::FileNotFound, "ContextProcess", none).await;
    assert_eq!(bench.server.requests().len(), 0);
    assert_eq!(bench.home.plain("JournalList").await["total"], 1);
}

#[tokio::test]
async fn text_file_and_note_do_not_mix() {
    let bench = ModelHome::agreed().await;
    let path = bench.home.outside("a.md", "x");
    for input in [
        json!({}),
        json!({ "text": " \n" }),
        json!({ "text": "a", "source_path": path }),
        json!({ "mode": "file", "text": "a" }),
        json!({ "mode": "text", "source_path": path }),
        json!({ "mode": "file" }),
        json!({ "text": "a", "note": "b" }),
    ] {
        let params = json!({ "workbench_id": ID, "category": "situation", "input": input });
        bench.home.fails_with(Code::ValidationFailed, "ContextProcess", params).await;
    }
    for input in [
        json!({ "source_path": path }),
        json!({ "mode": "file", "text": "", "source_path": path, "note": "" }),
        json!({ "mode": "text", "text": "Board", "source_path": "", "note": " " }),
    ] {
        bench.server.reply(files(&good("situation")));
        let params = json!({ "workbench_id": ID, "category": "situation", "input": input });
        bench.home.ok("ContextProcess", params).await;
    }
}

#[tokio::test]
async fn what_no_window_takes_is_not_sent() {
    let bench = ModelHome::new().await;
    let mut params = crate::model_home::text("situation", &"word ".repeat(600_000));
    params["model"] = "openai:gpt-5.2".into();
    let error = bench.home.fails_with(Code::ContextTooLarge, "ContextProcess", params).await;
    assert_eq!(error.info.model_id.as_deref(), Some("openai:gpt-5.2"));
    assert_eq!(bench.server.requests().len(), 0);
}
