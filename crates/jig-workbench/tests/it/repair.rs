//! Damage: only the affected content is reported, everything else works, and the check repairs what it can.

use std::path::PathBuf;

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::json;

/// The file of a stored blob.
async fn blob_of(home: &TestHome, path: &str) -> PathBuf {
    let info = home.ok("FileGetInfo", json!({ "workbench_id": ID, "path": path })).await;
    let hash = info["hash"].as_str().unwrap().to_owned();
    let mut open = vec![home.home().join("blobs")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                open.push(entry);
            } else if entry.to_string_lossy().replace('/', "").ends_with(&hash) {
                return entry;
            }
        }
    }
    panic!("no blob {hash}");
}

#[tokio::test]
async fn a_damaged_blob_is_reported_and_the_rest_works() {
    let home = TestHome::with(|config| config.view = false).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home.add("bad.txt", "precious").await;
    home.add("good.txt", "fine").await;
    let blob = blob_of(&home, "bad.txt").await;
    for damage in ["changed", "gone"] {
        match damage {
            "changed" => std::fs::write(&blob, "prec1ous").unwrap(),
            _ => std::fs::remove_file(&blob).unwrap(),
        }
        let error =
            home.fails_with(Code::BlobCorrupt, "FileRead", json!({ "workbench_id": ID, "path": "bad.txt" })).await;
        assert!(error.info.hints[0].contains("doctor"), "{error}");
        assert_eq!(home.ok("FileRead", json!({ "workbench_id": ID, "path": "good.txt" })).await["text"], "fine");
        assert_eq!(home.plain("FileList").await["total"], 2);
        let doctor = home.ok("StoreDoctor", json!({})).await;
        assert_eq!(doctor["ok"], false, "{damage}");
        assert!(doctor["problems"].to_string().contains("blob_"), "{doctor}");
    }
    home.write("good.txt", "still works").await;
    home.plain("DraftPublish").await;
}

#[tokio::test]
async fn the_folder_on_disk_mends_a_damaged_blob() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "precious").await;
    std::fs::write(blob_of(&home, "a.txt").await, "garbage").unwrap();
    assert_eq!(home.ok("StoreDoctor", json!({})).await["ok"], false);
    let mended = home.ok("StoreDoctor", json!({ "repair": true })).await;
    assert_eq!(mended["ok"], true, "{mended}");
    assert_eq!(home.texts("published").await["a.txt"], "precious");
    assert_eq!(home.ok("StoreDoctor", json!({})).await["problems"], json!([]));
}

#[tokio::test]
async fn review_falls_back_when_the_drafts_start_is_damaged() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    let base = home.plain("DraftGetState").await["draft"]["base_state"].as_str().unwrap().to_owned();
    let blob = home.home().join("blobs").join(&base[..2]).join(&base[2..]);
    std::fs::remove_file(blob).unwrap();
    let fresh = jig_testkit::home::open(jig_workbench::Config::new(home.home())).await;
    let context = jig_workbench::CallContext::new(jig_contract::Actor::person());
    let set = fresh.call("ReviewGetChangeSet", context, json!({ "workbench_id": ID })).await.unwrap();
    assert_eq!(set["reference_source"], "published");
    assert_eq!(set["reference_label"], "Published (current preview)");
    assert!(set["reference_warning"].as_str().unwrap().contains("cannot be read"));
    assert_eq!(set["changes"].as_array().unwrap().len(), 1);

    let call = async |name: &str, params| {
        let context = jig_workbench::CallContext::new(jig_contract::Actor::person());
        fresh.call(name, context, params).await
    };
    let state = call("DraftGetState", json!({ "workbench_id": ID })).await.unwrap();
    assert!(state["warning"].as_str().unwrap().contains("cannot be read"));
    let stopped = call("DraftPublish", json!({ "workbench_id": ID })).await.unwrap_err();
    assert_eq!(stopped.code(), Code::BlobCorrupt);
    call("DraftPublish", json!({ "workbench_id": ID, "on_conflict": "keep_draft" })).await.unwrap();
    assert_eq!(std::fs::read_to_string(home.view("published/a.txt")).unwrap(), "two");
}

#[tokio::test]
async fn cleaning_up_says_what_it_would_free_and_frees_it_when_told() {
    let home = TestHome::with(|config| config.gc_grace_ms = 0).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home.ok("WorkbenchCreate", json!({ "name": "Other", "id": "other" })).await;
    home.add("a.txt", "stays").await;
    home.ok("DraftWriteText", json!({ "workbench_id": "other", "path": "b.txt", "text": "goes" })).await;
    assert_eq!(home.ok("StoreCollect", json!({})).await["unneeded"], 0, "history is kept");
    home.ok("WorkbenchDelete", json!({ "workbench_id": "other", "confirm": "other" })).await;
    let would = home.ok("StoreCollect", json!({})).await;
    assert!(would["unneeded"].as_u64().unwrap() >= 2 && would["removed"] == false, "{would}");
    let did = home.ok("StoreCollect", json!({ "yes": true })).await;
    assert_eq!((&did["unneeded"], &did["removed"]), (&would["unneeded"], &json!(true)));
    assert_eq!(home.ok("StoreCollect", json!({})).await["unneeded"], 0);
    assert_eq!(home.texts("published").await["a.txt"], "stays");

    home.plain("DraftCreate").await;
    home.plain("DraftDiscard").await;
    assert_eq!(home.ok("StoreCollect", json!({})).await["spare_folders"], 1);
    assert_eq!(home.ok("StoreCollect", json!({ "yes": true })).await["spare_folders"], 1);
    assert_eq!(home.ok("StoreCollect", json!({})).await["spare_folders"], 0);
    assert_eq!(home.ok("StoreDoctor", json!({})).await["ok"], true);
}
