//! Random operations and manual edits: the folder matches the head, nothing is lost, and everything can be undone.

use jig_testkit::home::texts_on_disk;
use jig_testkit::{ID, TestHome};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
enum Step {
    Add(String, String),
    Write(String, String),
    RemoveInDraft(String),
    RemovePublished(String),
    Publish(&'static str),
    Plain(&'static str),
    Restore,
    EditByHand(&'static str, String, String),
    RemoveByHand(&'static str, String),
    LoseFolder,
}

fn any_step() -> impl Strategy<Value = Step> {
    // Few names, including a folder and a name that is a file in one place and a folder in another.
    let path =
        || prop::sample::select(vec!["a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "e"]).prop_map(str::to_owned);
    let text = || "[a-c]{0,3}";
    let root = || prop::sample::select(vec!["published", "draft"]);
    prop_oneof![
        2 => (path(), text()).prop_map(|(p, t)| Step::Add(p, t)),
        4 => (path(), text()).prop_map(|(p, t)| Step::Write(p, t)),
        1 => path().prop_map(Step::RemoveInDraft),
        1 => path().prop_map(Step::RemovePublished),
        3 => prop::sample::select(vec!["stop", "take_outside", "keep_draft"]).prop_map(Step::Publish),
        5 => prop::sample::select(vec!["DraftCreate", "DraftDiscard", "JournalUndo", "JournalUndo", "JournalRedo"]).prop_map(Step::Plain),
        1 => Just(Step::Restore),
        3 => (root(), path(), text()).prop_map(|(r, p, t)| Step::EditByHand(r, p, t)),
        1 => (root(), path()).prop_map(|(r, p)| Step::RemoveByHand(r, p)),
        1 => Just(Step::LoseFolder),
    ]
}

/// Takes a step. It may be refused but must not damage anything.
async fn take(home: &TestHome, step: &Step) {
    let call = async |name: &str, mut params: Value| {
        params["workbench_id"] = ID.into();
        let answer = home.call(name, params).await;
        if let Err(error) = &answer {
            assert_ne!(error.code().kind(), jig_contract::Kind::Internal, "{name}: {error} {:?}", error.source);
        }
        answer.ok()
    };
    match step {
        Step::Add(path, text) => {
            let file = home.outside(path, text);
            let folder = path.rsplit_once('/').map(|(folder, _)| folder);
            call("FileAdd", json!({ "paths": [file], "folder": folder, "replace": true })).await;
        }
        Step::Write(path, text) => drop(call("DraftWriteText", json!({ "path": path, "text": text })).await),
        Step::RemoveInDraft(path) => drop(call("DraftRemoveFile", json!({ "path": path })).await),
        Step::RemovePublished(path) => drop(call("FileRemove", json!({ "paths": [path] })).await),
        Step::Publish(on_conflict) => {
            if call("DraftPublish", json!({ "on_conflict": on_conflict })).await.is_none() {
                let error = home.call("DraftPublish", json!({ "workbench_id": ID, "on_conflict": on_conflict })).await;
                let paths = error.err().and_then(|e| e.info.detail).map(|detail| detail["paths"].clone());
                call(
                    "DraftPublish",
                    json!({ "on_conflict": on_conflict, "confirm_deletions": paths.unwrap_or_default() }),
                )
                .await;
            }
        }
        Step::Plain(name) => drop(call(name, json!({})).await),
        Step::Restore => {
            let newest = home.plain("CheckpointList").await["checkpoints"][0]["id"].clone();
            call("CheckpointRestore", json!({ "checkpoint": newest.as_str().unwrap_or("none") })).await;
        }
        Step::EditByHand(root, path, text) => {
            let file = home.view(root).join(path);
            // A folder in place of a file, or the reverse, is the user's own mistake.
            if std::fs::create_dir_all(file.parent().unwrap()).is_ok() {
                let _ = std::fs::write(file, text);
            }
        }
        Step::RemoveByHand(root, path) => drop(std::fs::remove_file(home.view(root).join(path))),
        Step::LoseFolder => drop(std::fs::remove_dir_all(home.view(""))),
    }
}

async fn check(home: &TestHome) {
    let published = home.texts("published").await;
    assert_eq!(texts_on_disk(&home.view("published")), published);
    match home.plain("DraftGetState").await["exists"].as_bool() {
        Some(true) => assert_eq!(texts_on_disk(&home.view("draft")), home.texts("draft").await),
        _ => assert_eq!(texts_on_disk(&home.view("draft")).len(), 0, "a folder without a Draft"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_order_of_steps_keeps_the_promises(watch: bool, steps in prop::collection::vec(any_step(), 1..25)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let home = TestHome::with(|config| config.watch = watch).await;
            home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
            for step in &steps {
                take(&home, step).await;
                check(&home).await;
            }
            let doctor = home.ok("StoreDoctor", json!({})).await;
            assert_eq!(doctor["problems"], json!([]), "{doctor}");
            // Undoing and redoing everything leads to the same state.
            let before = home.plain("WorkbenchGet").await["state"].clone();
            let mut undone = 0;
            while home.call("JournalUndo", json!({ "workbench_id": ID })).await.is_ok() {
                undone += 1;
            }
            assert_eq!(home.plain("FileList").await["total"], 0);
            check(&home).await;
            for _ in 0..undone {
                home.plain("JournalRedo").await;
            }
            assert_eq!(home.plain("WorkbenchGet").await["state"], before);
            check(&home).await;
        });
    }
}
