//! Likely keys: reported when files are added, and never sent to a model or an MCP server unless a person allows it.

use jig_contract::{Code, OpError};
use jig_fake_model::Reply;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome, files, good, text};
use crate::session_home::{of_session, workspace};

/// A key in GitHub's format, assembled so that the source contains none.
fn key() -> String {
    format!("ghp_{}", "9fK2xQ7LmZ4TbW8cVnR1sYdH6uJpGe3aXo5i")
}

fn password() -> String {
    format!("postgres://app:{}@db.internal:5432/app", "w8Zk2!fQx9Lm")
}

/// Checks that no request contained a key.
fn nothing_leaked(bench: &ModelHome) {
    for request in bench.server.requests() {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        assert!(!body.contains(&key()) && !body.contains("w8Zk2!fQx9Lm"), "{body}");
    }
}

fn secrets(error: &OpError) -> Vec<Value> {
    let shown = format!("{error:?} {}", serde_json::to_string(&error.info).unwrap());
    assert!(!shown.contains(&key()), "an error never shows the key: {shown}");
    error.info.detail.as_ref().unwrap()["secrets"].as_array().unwrap().clone()
}

#[tokio::test]
async fn added_files_with_keys_are_reported_by_place_and_kind() {
    let bench = ModelHome::new().await;
    let text = format!("# Setup\n\nexport GITHUB_TOKEN={}\nDATABASE_URL={}\n", key(), password());
    let path = bench.home.outside("setup.md", &text);
    let plain = bench.home.outside("plain.md", "API_KEY=YOUR_API_KEY\ntoken: ${TOKEN}\nAKIAIOSFODNN7EXAMPLE\n");
    let done = bench.home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [path, plain] })).await;
    let found = done["secrets"].as_array().unwrap();
    let places: Vec<(&str, &str, u64)> = found
        .iter()
        .map(|one| (one["kind"].as_str().unwrap(), one["source"].as_str().unwrap(), one["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [("github-pat", "setup.md", 3), ("password-in-address", "setup.md", 4)]);
    assert!(!done.to_string().contains(&key()), "the key itself is not repeated");
    // Content that existed before is not reported again.
    let again = json!({ "workbench_id": ID, "paths": [bench.home.outside("setup.md", &text)] });
    assert!(bench.home.ok("FileAdd", again).await["secrets"].is_null());
}

/// A PDF with two pages and this text on the second.
fn pdf(text: &str) -> Vec<u8> {
    let page = |text: &str| {
        let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 7 0 R >> >> >>"
            .to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R /Resources << /Font << /F1 7 0 R >> >> >>"
            .to_owned(),
        page("Nothing here"),
        page(text),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let xref = out.len();
    out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    places.iter().for_each(|place| out.push_str(&format!("{place:010} 00000 n \n")));
    out.push_str(&format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n", objects.len() + 1));
    out.into_bytes()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn keys_in_office_pdf_and_other_encodings_are_reported_with_their_place() {
    let bench = ModelHome::new().await;
    let home = &bench.home;
    let said = format!("export GITHUB_TOKEN={}", key());
    let of = |path: &str, ops: Value| json!({ "workbench_id": ID, "path": path, "create_new": true, "ops": ops });
    let cells = json!([
        { "op": "ensure_sheet", "sheet": "Access" },
        { "op": "set_cells", "sheet": "Access", "cells": [{ "cell": "B7", "value": said }] },
        { "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": "Budget" }] },
    ]);
    home.ok("XlsxApplyOps", of("plan.xlsx", cells)).await;
    let paragraphs = json!([{ "text": "Deployment", "style": "Heading 1" }, said]);
    home.ok("DocxApplyOps", of("memo.docx", json!([{ "op": "set_paragraphs", "paragraphs": paragraphs }]))).await;
    let slides = json!([
        { "op": "add_slide", "title": "Plan", "body": "One" },
        { "op": "add_slide", "title": "Access", "body": said },
    ]);
    home.ok("PptxApplyOps", of("talk.pptx", slides)).await;
    home.plain("DraftPublish").await;
    let out = home.path().join("out");
    let names = ["plan.xlsx", "memo.docx", "talk.pptx"];
    home.ok("FileExtract", json!({ "workbench_id": ID, "paths": names, "to": out })).await;
    let odt = zip(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "META-INF/manifest.xml",
            r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>"#,
        ),
        (
            "content.xml",
            &format!(
                r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:h text:outline-level="1">Notes</text:h><text:p>{said}</text:p></office:text></office:body></office:document-content>"#
            ),
        ),
    ]);
    for (name, bytes) in [
        ("policy.pdf", pdf(&said)),
        ("little.txt", utf16(&format!("one\n{said}\n"), false)),
        ("big.csv", utf16(&format!("name,value\nx,{}\n", key()), true)),
        ("latin.txt", [b"gr\xfc\xdfe\n".as_slice(), said.as_bytes()].concat()),
        ("note.odt", odt),
    ] {
        std::fs::write(out.join(name), bytes).unwrap();
    }
    let added = home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [out] })).await;
    assert!(!added.to_string().contains(&key()), "the key itself is not repeated");
    let mut found: Vec<(String, String)> = added["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            assert_eq!(one["kind"], "github-pat");
            let place = one["place"].as_str().map_or_else(|| one["line"].to_string(), str::to_owned);
            (one["source"].as_str().unwrap().trim_start_matches("out/").to_owned(), place)
        })
        .collect();
    found.sort();
    let expected = [
        ("big.csv", "2"),
        ("latin.txt", "2"),
        ("little.txt", "2"),
        ("memo.docx", "Deployment"),
        ("note.odt", "Notes"),
        ("plan.xlsx", "Sheet: Access"),
        ("policy.pdf", "Page 2"),
        ("talk.pptx", "Slide 2"),
    ];
    assert_eq!(found, expected.map(|(source, place)| (source.to_owned(), place.to_owned())));
    assert!(added["unsearched"].is_null(), "{added}");
}

/// A Word document whose text is cut off.
fn broken_docx() -> Vec<u8> {
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let relations = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    zip(&[("[Content_Types].xml", types), ("_rels/.rels", relations), ("word/document.xml", "<w:document><w:body")])
}

#[tokio::test]
async fn what_cannot_be_searched_is_counted_and_stops_nothing() {
    let bench = ModelHome::new().await;
    let folder = bench.home.path().join("mixed");
    std::fs::create_dir_all(&folder).unwrap();
    let large = format!("{}\n{}\n", "x".repeat(5 << 20), key());
    for (name, bytes) in [
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR2".to_vec()),
        ("old.zip", zip(&[("secret.txt", &key())])),
        ("app.sqlite", [b"SQLite format 3\0".as_slice(), &[0; 200]].concat()),
        ("broken.docx", broken_docx()),
        ("large.log", large.into_bytes()),
        ("empty.txt", Vec::new()),
        ("plain.txt", b"nothing".to_vec()),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let added = bench.home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [folder] })).await;
    assert_eq!(added["added"].as_array().unwrap().len(), 8);
    let unsearched = added["unsearched"].as_array().unwrap();
    let count = |reason: &str| {
        let one = unsearched.iter().find(|one| one["reason"].as_str().unwrap().contains(reason));
        one.map_or(0, |one| one["count"].as_u64().unwrap())
    };
    assert_eq!((count("PNG image"), count("ZIP archive"), count("binary data")), (2, 1, 1), "{added:#}");
    assert_eq!((count("larger than"), count("could not be read")), (1, 1), "{added:#}");
    assert_eq!(unsearched.iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), 6, "{added:#}");
}

#[tokio::test]
async fn a_key_in_a_text_or_file_to_process_or_extract_is_not_sent() {
    let bench = ModelHome::agreed().await;
    let words = format!("We deploy on Friday.\nThe token is {}\n", key());
    let file = bench.home.outside("notes.txt", &words);
    bench.home.add("inside.txt", &words).await;
    let calls = [
        ("ContextProcess", text("situation", &words), "the text of this call"),
        (
            "ContextProcess",
            json!({ "workbench_id": ID, "category": "company-context", "input": { "source_path": file } }),
            "the file notes.txt",
        ),
        ("EntryExtract", json!({ "workbench_id": ID, "role": "brand", "text": words }), "the text of this call"),
        ("EntryExtract", json!({ "workbench_id": ID, "role": "brand", "path": "inside.txt" }), "inside.txt"),
        ("EntryExtract", json!({ "workbench_id": ID, "role": "brand", "source_path": file }), "the file notes.txt"),
    ];
    for (operation, params, source) in calls {
        let error = bench.home.fails_with(Code::SecretDetected, operation, params).await;
        let found = secrets(&error);
        assert_eq!(found[0]["kind"], "github-pat", "{operation}");
        assert!(found[0]["source"].as_str().unwrap().contains(source), "{operation}: {found:?}");
    }
    assert_eq!((bench.server.requests().len(), bench.home.plain("EgressList").await["total"].clone()), (0, json!(0)));
}

#[tokio::test]
async fn a_key_in_any_source_of_a_run_stops_its_first_request_and_names_the_source() {
    for source in ["file", "situation", "entry", "artifact", "message", "document"] {
        let bench = ModelHome::agreed().await;
        let home = &bench.home;
        let planted = format!("the token is {}", key());
        let mut message = "go on".to_owned();
        let mut expected = source;
        match source {
            "file" => {
                home.add("notes.txt", format!("one\ntwo\n{planted}\n")).await;
                expected = "notes.txt";
            }
            "situation" => {
                let mut params = text("situation", &format!("We are in a hurry. {planted}"));
                params["model"] = "offline:extract".into();
                home.ok("ContextProcess", params).await;
            }
            "entry" => {
                let data = json!({ "name": "Acme", "voice": planted });
                home.ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": data })).await;
                expected = "@brand#voice";
            }
            "artifact" => {
                let content = format!("# Plan\n\n## Price\n\n{planted}\n");
                home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Plan", "content": content })).await;
                message = "look at @plan".to_owned();
                expected = "plan";
            }
            "message" => message = planted.clone(),
            _ => {}
        }
        let mut list = workspace("You write.", &["list_files"]);
        if source == "document" {
            let parts = list.as_array_mut().unwrap();
            parts[1]["text"] = format!("You write. {planted}").into();
            expected = "prompts/templates/system.md";
        }
        home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": list, "delete": true })).await;
        let session = bench.session(json!({})).await;
        bench.says("never");
        let params = of_session(&session, json!({ "message": message, "options": { "mode": "direct" } }));
        let done = home.ok("WorkshopSend", params).await;
        assert_eq!(done["session"]["status"], "suspended", "{source}: {done:#}");
        let why = done["run"]["suspended"].to_string();
        assert!(why.contains("github-pat") && why.contains(expected), "{source}: {why}");
        assert!(!done.to_string().contains(&key()) || source == "message", "{source}: {done:#}");
        assert_eq!(bench.server.requests().len(), 0, "{source}");
    }
}

#[tokio::test]
async fn a_key_that_a_tool_reads_stops_the_next_request() {
    let bench = ModelHome::agreed().await;
    let filler = "nothing to see in this line\n".repeat(4_000);
    bench.home.add("long.txt", format!("{filler}password for the database: {}\n{filler}", password())).await;
    let session = bench.session(json!({})).await;
    let call = json!({ "path": "long.txt", "line_start": 3_990, "line_count": 20 });
    bench.calls("a", "read_file", &call).says("never");
    let done = bench.direct(&session, "read it").await;
    assert_eq!(done["session"]["status"], "suspended", "{done:#}");
    assert!(done["run"]["suspended"].to_string().contains("password-in-address"), "{:#}", done["run"]);
    assert_eq!(bench.server.requests().len(), 1);
    nothing_leaked(&bench);
}

#[tokio::test]
async fn a_key_in_an_entry_or_the_input_of_a_recipe_is_not_sent() {
    let bench = ModelHome::agreed().await;
    let put = |role: &str, data: Value| json!({ "workbench_id": ID, "role": role, "data": data });
    bench.home.ok("EntryPut", put("brand", json!({ "name": "Acme", "voice": format!("Plain. {}", key()) }))).await;
    bench.home.ok("EntryPut", put("customer", json!({ "description": "Founders", "pain_points": ["no time"] }))).await;
    let run = json!({ "workbench_id": ID, "recipe": "weekly-content-calendar" });
    let error = bench.home.fails_with(Code::SecretDetected, "RecipeRun", run.clone()).await;
    assert_eq!(secrets(&error)[0]["kind"], "github-pat");
    bench.home.ok("EntryPut", put("brand", json!({ "name": "Acme", "voice": "Plain." }))).await;
    let with = json!({ "workbench_id": ID, "recipe": "weekly-content-calendar", "input": format!("use {}", key()) });
    bench.home.fails_with(Code::SecretDetected, "RecipeRun", with).await;
    bench.server.reply(Reply::text(json!({ "topics": ["a"], "schedule": ["b"], "hooks": ["c"] }).to_string()));
    bench.home.ok("RecipeRun", run).await;
    nothing_leaked(&bench);
}

#[tokio::test]
async fn a_person_allows_one_key_for_one_model_and_agents_cannot() {
    let bench = ModelHome::agreed().await;
    bench.agree("openai:gpt-4.1").await;
    let words = format!("The token is {}", key());
    let error = bench.home.fails_with(Code::SecretDetected, "ContextProcess", text("situation", &words)).await;
    let print = secrets(&error)[0]["fingerprint"].clone();
    let allow = json!({ "workbench_id": ID, "model": MODEL, "reach": "secret", "scope_hash": print });
    let agent = jig_workbench::CallContext::new(jig_contract::Actor::agent("model"));
    let denied = bench.home.workbench.call("ConsentGrant", agent, allow.clone()).await.unwrap_err();
    assert_eq!(denied.code(), Code::NotPermitted);
    bench.home.ok("ConsentGrant", allow).await;
    let listed = bench.home.plain("ConsentList").await;
    assert_eq!(listed["consents"][0]["reach"], "secret");
    // Another key, and the same key for another model, are not covered.
    let other = format!("The token is ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    bench.home.fails_with(Code::SecretDetected, "ContextProcess", text("situation", &other)).await;
    let mut elsewhere = text("situation", &words);
    elsewhere["model"] = "openai:gpt-4.1".into();
    bench.home.fails_with(Code::SecretDetected, "ContextProcess", elsewhere).await;
    bench.server.reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", &words)).await;
    assert!(String::from_utf8_lossy(&bench.server.requests()[0].body).contains(&key()), "it was allowed");
    bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": listed["consents"][0]["id"] })).await;
    bench.home.fails_with(Code::SecretDetected, "ContextProcess", text("situation", &words)).await;
}

#[tokio::test]
async fn a_key_does_not_use_up_a_consent_and_the_preview_reports_it() {
    let bench = ModelHome::new().await;
    bench.home.add("notes.txt", format!("one\n{}\n", password())).await;
    let params = json!({ "workbench_id": ID, "message": "hello" });
    let preview = bench.home.ok("PromptAssemble", params).await;
    let notices = preview["notices"].to_string();
    assert!(
        notices.contains("SECRET_DETECTED") && notices.contains("password-in-address in notes.txt, line 2"),
        "{notices}"
    );
    let session = bench.session(json!({})).await;
    let run = of_session(&session, json!({ "message": "hello", "options": { "mode": "direct" } }));
    // The key is reported before anyone is asked for consent.
    bench.home.fails_with(Code::SecretDetected, "WorkshopSend", run).await;
    let words = format!("The token is {}", key());
    bench.home.fails_with(Code::SecretDetected, "ContextProcess", text("situation", &words)).await;
    assert_eq!(bench.server.connections(), 0);
}

/// A false alarm must not end a run for good: whoever resumes it learns which key stops it, and can allow it.
#[tokio::test]
async fn a_run_that_a_key_pauses_says_at_its_resume_how_to_allow_it() {
    for (place, message) in [("message", format!("use {}", key())), ("tool", "read it".to_owned())] {
        let bench = ModelHome::agreed().await;
        let filler = "nothing to see in this line\n".repeat(4_000);
        bench.home.add("long.txt", format!("{filler}the token: {}\n{filler}", key())).await;
        let session = bench.session(json!({})).await;
        if place == "tool" {
            let call = json!({ "path": "long.txt", "line_start": 3_990, "line_count": 20 });
            bench.calls("a", "read_file", &call);
        }
        let paused = bench.direct(&session, &message).await;
        assert_eq!(paused["run"]["suspended"]["code"], "SECRET_DETECTED", "{place}: {paused:#}");
        let sent = bench.server.requests().len();
        for _ in 0..2 {
            let resume = of_session(&session, json!({}));
            let error = bench.home.fails_with(Code::SecretDetected, "WorkshopResume", resume).await;
            assert!(error.info.hints.iter().any(|hint| hint.contains("allow")), "{error:?}");
            assert_eq!(secrets(&error)[0]["kind"], "github-pat", "{place}");
        }
        let error = bench.home.fails("WorkshopResume", of_session(&session, json!({}))).await;
        assert_eq!(bench.server.requests().len(), sent, "{place}: nothing was sent");
        let print = secrets(&error)[0]["fingerprint"].clone();
        let allow = json!({ "workbench_id": ID, "model": MODEL, "reach": "secret", "scope_hash": print });
        bench.home.ok("ConsentGrant", allow).await;
        bench.says("Done.");
        let done = bench.home.ok("WorkshopResume", of_session(&session, json!({}))).await;
        assert_eq!(done["session"]["status"], "idle", "{place}: {done:#}");
        bench.home.ok("WorkshopResume", of_session(&session, json!({}))).await;
        bench.replays(&session).await;
    }
}

/// Allowing the keys that an error lists allows no others.
#[tokio::test]
async fn keys_beyond_the_listed_ones_are_not_sent_either() {
    let bench = ModelHome::agreed().await;
    let mut state = 7_u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[(state >> 16) as usize % 52])
    };
    let tokens: Vec<String> =
        (0..60).map(|_| format!("ghp_{}", (0..36).map(|_| letter()).collect::<String>())).collect();
    let words = tokens.iter().map(|token| format!("One is {token}\n")).collect::<String>();
    let mut refused = 0;
    bench.server.reply(files(&good("situation")));
    loop {
        match bench.home.call("ContextProcess", text("situation", &words)).await {
            Ok(_) => break,
            Err(error) => {
                refused += 1;
                assert_eq!(error.code(), Code::SecretDetected, "{error}");
                assert_eq!(bench.server.requests().len(), 0, "{refused}");
                let listed = secrets(&error);
                assert_eq!(listed.len(), if refused == 1 { 50 } else { 10 }, "{refused}");
                for secret in listed {
                    let print = &secret["fingerprint"];
                    let allow = json!({ "workbench_id": ID, "model": MODEL, "reach": "secret", "scope_hash": print });
                    bench.home.ok("ConsentGrant", allow).await;
                }
            }
        }
    }
    assert_eq!(refused, 2);
}
