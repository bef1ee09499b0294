//! Manual changes of context items: edits, processing again, deletion, skill import and export, and the Draft.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

use crate::model_home::{ModelHome, categories, files, good, of, text};

fn offline(category: &str, words: &str) -> Value {
    let mut params = text(category, words);
    params["model"] = "offline:extract".into();
    params
}

async fn with_item(category: &str) -> TestHome {
    let home = TestHome::with_workbench().await;
    home.ok("ContextProcess", offline(category, "# Acme\n\n- Audience: climbers\n\nAlways use Title Case.\n")).await;
    home
}

fn edit(category: &str, files: &Value) -> Value {
    json!({ "workbench_id": ID, "category": category, "files": files })
}

#[tokio::test]
async fn an_edit_by_hand_is_saved_as_it_is_and_the_author_is_told() {
    let home = with_item("company-context").await;
    let broken = json!([{ "path": "SKILL.md", "content": "no frontmatter at all" }]);
    let edited = home.ok("ContextUpdateDirect", edit("company-context", &broken)).await;
    assert_eq!((&edited["item"]["has_direct_edits"], &edited["item"]["files"]), (&json!(true), &broken));
    let warnings = edited["item"]["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains("frontmatter")), "{warnings:?}");
    assert!(edited["item"]["last_direct_edit_at"].is_string());
    let artifact = home.ok("ContextGetArtifact", of("company-context")).await;
    assert_eq!((&artifact["files"], &artifact["has_direct_edits"]), (&broken, &json!(true)));
    let source: Value =
        serde_json::from_slice(&std::fs::read(home.view("meta/context/company-context/source.json")).unwrap()).unwrap();
    assert_eq!(source["has_direct_edits"], true);
    assert!(!home.view("meta/context/company-context/references").exists(), "what is not named is gone");
}

#[tokio::test]
async fn an_edit_stays_inside_the_item_and_off_its_source() {
    let home = with_item("company-context").await;
    let skill = json!({ "path": "SKILL.md", "content": "x" });
    for (path, code) in [
        ("../situation/context.md", Code::SandboxViolation),
        ("/etc/passwd", Code::SandboxViolation),
        ("a\\b.md", Code::SandboxViolation),
        ("source.json", Code::NotPermitted),
        ("Source.JSON", Code::NotPermitted),
        ("source_file/a.md", Code::NotPermitted),
    ] {
        let files = json!([skill, { "path": path, "content": "x" }]);
        home.fails_with(code, "ContextUpdateDirect", edit("company-context", &files)).await;
    }
    home.fails_with(Code::ValidationFailed, "ContextUpdateDirect", edit("company-context", &json!([]))).await;
    home.fails_with(Code::FileNotFound, "ContextUpdateDirect", edit("situation", &json!([skill]))).await;
    assert_eq!(home.plain("JournalList").await["total"], 2);
}

#[tokio::test]
async fn reprocessing_over_an_edit_must_be_asked_for_and_can_be_undone() {
    let bench = ModelHome::agreed().await;
    bench.server.reply(files(&good("situation"))).reply(files(&good("situation")));
    bench.home.ok("ContextProcess", text("situation", "Board")).await;
    let mine = json!([{ "path": "context.md", "content": "- mine\n" }]);
    bench.home.ok("ContextUpdateDirect", edit("situation", &mine)).await;
    let error = bench.home.fails_with(Code::Conflict, "ContextReprocess", of("situation")).await;
    let warning = "This context item was manually edited. Reprocessing will overwrite your manual changes.";
    assert_eq!(
        (error.info.message.as_str(), error.info.actions.as_slice()),
        (warning, &["proceed".to_owned(), "cancel".to_owned()][..])
    );
    assert_eq!(bench.server.requests().len(), 1, "nothing is sent");
    let mut sure = of("situation");
    sure["overwrite_direct_edits"] = true.into();
    let again = bench.home.ok("ContextReprocess", sure).await;
    assert_eq!((&again["item"]["has_direct_edits"], &again["item"]["files"]), (&json!(false), &good("situation")));
    assert_eq!(again["item"].get("last_direct_edit_at"), None);
    bench.home.plain("JournalUndo").await;
    let back = bench.home.ok("ContextGet", of("situation")).await;
    assert_eq!((&back["item"]["has_direct_edits"], &back["item"]["files"]), (&json!(true), &mine));
}

#[tokio::test]
async fn a_hand_in_the_folder_is_a_hand_too() {
    let home = with_item("company-context").await;
    let place = |path: &str| home.view(&format!("meta/context/company-context/{path}"));
    let made = home.ok("ContextGet", of("company-context")).await;
    assert_eq!(made["item"]["has_direct_edits"], false);
    std::fs::write(place("references/summary.md"), "- by hand\n").unwrap();
    let edited = home.ok("ContextGet", of("company-context")).await;
    assert_eq!(edited["item"]["has_direct_edits"], true);
    assert!(edited["item"]["last_direct_edit_at"].is_string() && edited.to_string().contains("- by hand"), "{edited}");
    let source: Value = serde_json::from_slice(&std::fs::read(place("source.json")).unwrap()).unwrap();
    assert_eq!(source["has_direct_edits"], true, "the folder shows it too");
    let mut again = of("company-context");
    again["model"] = "offline:extract".into();
    home.fails_with(Code::Conflict, "ContextReprocess", again.clone()).await;
    let counts = home.plain("StatsGet").await["counts"].to_string();
    assert!(counts.contains("context.direct_edit"), "{counts}");
    again["overwrite_direct_edits"] = true.into();
    home.ok("ContextReprocess", again.clone()).await;
    // A write to `source.json` itself records the origin of the item.
    let mut source: Value = serde_json::from_slice(&std::fs::read(place("source.json")).unwrap()).unwrap();
    source["text"] = "Other words".into();
    std::fs::write(place("source.json"), source.to_string()).unwrap();
    let other = home.ok("ContextGet", of("company-context")).await;
    assert_eq!(
        (&other["item"]["has_direct_edits"], &other["item"]["source"]["text"]),
        (&json!(false), &json!("Other words"))
    );
    std::fs::remove_file(place("references/summary.md")).unwrap();
    assert_eq!(home.ok("ContextGet", of("company-context")).await["item"]["has_direct_edits"], true);
}

/// Damages the stored blob that contains these words.
fn lose(home: &TestHome, words: &str) {
    let mut open = vec![home.home().join("blobs")];
    let mut lost = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(words) {
                std::fs::remove_file(&path).unwrap();
                lost += 1;
            }
        }
    }
    assert_eq!(lost, 1, "{words}");
}

#[tokio::test]
async fn an_item_that_the_store_has_lost_is_told_and_can_be_made_anew() {
    let home = TestHome::with(|config| config.view = false).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home.ok("ContextProcess", offline("situation", "Board on Friday")).await;
    for category in ["company-context", "department-context"] {
        home.ok("ContextProcess", offline(category, "# Acme\n\n- Audience: climbers\n")).await;
    }
    let mine = json!([
        { "path": "SKILL.md", "content": "---\nname: company-context\ndescription: d\n---\nSee `references/mine.md`.\n" },
        { "path": "references/mine.md", "content": "- needle in the store\n" },
    ]);
    home.ok("ContextUpdateDirect", edit("company-context", &mine)).await;
    lose(&home, "needle in the store");
    let list = home.plain("ContextList").await;
    let states: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|item| item["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["damaged", "active", "active", "empty"]);
    let sentence = "Company-Wide context could not be loaded. You may need to re-add it.";
    assert_eq!((&list["items"][0]["warnings"][0], &list["items"][0]["tokens"]), (&json!(sentence), &json!(0)));
    let seen = home.ok("ContextGet", of("company-context")).await;
    assert_eq!(seen["item"]["files"].as_array().unwrap().len(), 1, "what is left can be seen");
    let prompt = home.plain("PromptAssemble").await;
    assert!(prompt["notices"].to_string().contains(sentence), "{}", prompt["notices"]);
    assert!(prompt["sections"].to_string().contains("department-context"));
    let made = home.ok("ContextProcess", offline("company-context", "# Acme\n\n- Audience: sailors\n")).await;
    assert_eq!((&made["item"]["status"], &made["item"]["created_at"]), (&json!("active"), &seen["item"]["created_at"]));
}

#[tokio::test]
async fn an_item_emptied_by_hand_says_so_and_can_be_made_again() {
    let home = with_item("situation").await;
    let empty = json!([{ "path": "context.md", "content": "" }]);
    home.ok("ContextUpdateDirect", edit("situation", &empty)).await;
    let item = home.ok("ContextGet", of("situation")).await["item"].clone();
    assert_eq!((&item["status"], &item["has_direct_edits"]), (&json!("damaged"), &json!(true)), "{item:#}");
    assert!(item["created_at"].is_string() && item["model_id"].is_string(), "{item:#}");
    let mut again = of("situation");
    again["model"] = "offline:extract".into();
    again["overwrite_direct_edits"] = true.into();
    let made = home.ok("ContextReprocess", again).await;
    assert_eq!((&made["item"]["status"], &made["item"]["has_direct_edits"]), (&json!("active"), &json!(false)));
}

#[tokio::test]
async fn an_item_is_deleted_at_once_and_undo_brings_it_back() {
    let home = with_item("situation").await;
    assert_eq!(home.ok("ContextDelete", of("situation")).await, json!({ "deleted": "situation" }));
    assert!(!home.view("meta/context/situation").exists());
    assert_eq!(home.ok("ContextGet", of("situation")).await["item"]["status"], "empty");
    for operation in ["ContextDelete", "ContextReprocess"] {
        let mut params = of("situation");
        if operation == "ContextReprocess" {
            params["model"] = "offline:extract".into();
        }
        home.fails_with(Code::FileNotFound, operation, params).await;
    }
    home.plain("JournalUndo").await;
    assert_eq!(home.ok("ContextGet", of("situation")).await["item"]["status"], "active");
}

#[tokio::test]
async fn a_draft_blocks_every_change_and_no_look() {
    let home = with_item("situation").await;
    let out = home.path().join("skills");
    home.ok("ContextExport", json!({ "workbench_id": ID, "category": "situation", "out": out })).await;
    home.write("a.txt", "x").await;
    let before = home.plain("JournalList").await["total"].clone();
    let folder = out.join("situation");
    let files = json!([{ "path": "context.md", "content": "x" }]);
    let mut again = of("situation");
    again["model"] = "offline:extract".into();
    for (operation, params) in [
        ("ContextProcess", offline("situation", "Board")),
        ("ContextReprocess", again),
        ("ContextUpdateDirect", edit("situation", &files)),
        ("ContextDelete", of("situation")),
        ("ContextImport", json!({ "workbench_id": ID, "category": "situation", "folder": folder })),
    ] {
        let error = home.fails_with(Code::DraftExists, operation, params).await;
        assert_eq!(error.info.message, "Publish or discard your Draft to modify context.", "{operation}");
    }
    assert_eq!(home.plain("JournalList").await["total"], before);
    home.ok("ContextGet", of("situation")).await;
    home.plain("ContextList").await;
    home.plain("PromptAssemble").await;
    home.plain("DraftDiscard").await;
    home.ok("ContextDelete", of("situation")).await;
}

#[tokio::test]
async fn every_item_goes_out_as_a_skill_and_comes_in_again() {
    let home = TestHome::with_workbench().await;
    let out = home.path().join("skills");
    for category in categories() {
        home.ok("ContextProcess", offline(category, "# Acme\n\n- Audience: climbers\n\nAlways use Title Case.\n"))
            .await;
        let params = json!({ "workbench_id": ID, "category": category, "out": out });
        let written = home.ok("ContextExport", params.clone()).await;
        let folder = out.join(category);
        assert_eq!(written["folder"], folder.to_str().unwrap());
        assert!(folder.join("SKILL.md").exists() && !folder.join("source.json").exists());
        home.fails_with(Code::FileExists, "ContextExport", params).await;
        let before = home.ok("ContextGetArtifact", of(category)).await;
        home.ok("ContextDelete", of(category)).await;
        let import = json!({ "workbench_id": ID, "category": category, "folder": folder });
        let taken = home.ok("ContextImport", import).await;
        assert_eq!(
            (&taken["item"]["status"], &taken["item"]["model_id"]),
            (&json!("active"), &json!("import:skill-folder"))
        );
        let after = home.ok("ContextGetArtifact", of(category)).await;
        if category == "situation" {
            let said = |artifact: &Value| artifact["files"][0]["content"].as_str().unwrap().trim().to_owned();
            assert_eq!(said(&after), said(&before));
        } else {
            assert_eq!(after["files"], before["files"]);
        }
    }
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 4, "nothing half written is left");
}

#[tokio::test]
async fn a_folder_that_is_no_skill_is_not_taken() {
    let home = TestHome::with_workbench().await;
    let folder = home.path().join("outside/no-skill");
    let import = json!({ "workbench_id": ID, "category": "company-context", "folder": folder });
    home.fails_with(Code::FileNotFound, "ContextImport", import.clone()).await;
    home.outside("no-skill/SKILL.md", "---\nname: Other Name\n---\n");
    let error = home.fails_with(Code::ValidationFailed, "ContextImport", import.clone()).await;
    assert!(error.info.detail.unwrap()["errors"].as_array().unwrap().len() >= 2);
    home.outside("no-skill/SKILL.md", "---\nname: no-skill\ndescription: Consider this.\n---\nAlways say Acme.\n");
    std::os::unix::fs::symlink("/etc/hostname", folder.join("link.md")).unwrap();
    home.outside("no-skill/logo.png", b"\x89PNG\xff\xfe");
    // Links, ignored files, version control, dependencies and key files are skipped and reported, as when a folder is
    // added.
    for (path, text) in [
        (".gitignore", "drafts/\n*.tmp\n"),
        ("drafts/idea.md", "not for anybody"),
        ("notes.tmp", "scratch"),
        (".git/config", "[remote]"),
        ("node_modules/x/index.js", "1"),
        (".env", "TOKEN=abc"),
        ("deploy/id_rsa", "key"),
    ] {
        home.outside(&format!("no-skill/{path}"), text);
    }
    let taken = home.ok("ContextImport", import).await;
    let warnings = taken["item"]["warnings"].to_string();
    for left in ["logo.png", "link.md", "drafts", "notes.tmp", ".git", "node_modules", ".env", "deploy/id_rsa"] {
        assert!(warnings.contains(&format!("{left} was left out")), "{left}: {warnings}");
    }
    for kept_out in ["not for anybody", "scratch", "TOKEN=abc", "[remote]"] {
        assert!(!taken.to_string().contains(kept_out), "{kept_out}: {taken}");
    }
    let files = taken["item"]["files"].as_array().unwrap();
    let skill = files.iter().find(|file| file["path"] == "SKILL.md").unwrap()["content"].as_str().unwrap();
    assert!(skill.contains("imported_from") && skill.contains("company-context"), "{skill}");
}
