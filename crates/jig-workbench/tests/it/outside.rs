//! Manual edits of the folder are imported and never overwritten.

use jig_contract::Code;
use jig_testkit::home::texts_on_disk;
use jig_testkit::{ID, TestHome};
use serde_json::json;

async fn newest(home: &TestHome) -> (String, String) {
    let entry = home.plain("JournalList").await["entries"][0].clone();
    (entry["actor"]["type"].as_str().unwrap().to_owned(), entry["summary"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_edit_in_published_is_a_change_of_its_own() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.add("b.txt", "b").await;
    std::fs::write(home.view("published/a.txt"), "edited").unwrap();
    std::fs::remove_file(home.view("published/b.txt")).unwrap();
    std::fs::create_dir(home.view("published/sub")).unwrap();
    std::fs::write(home.view("published/sub/c.txt"), "new").unwrap();
    let expected = [("a.txt", "edited"), ("sub/c.txt", "new")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    assert_eq!(home.texts("published").await, expected);
    assert_eq!(newest(&home).await, ("outside".into(), "edited outside: a.txt, b.txt (removed), sub/c.txt".into()));
    home.plain("JournalUndo").await;
    let before = [("a.txt", "one"), ("b.txt", "b")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    assert_eq!(texts_on_disk(&home.view("published")), before);
}

#[tokio::test]
async fn an_edit_in_the_draft_is_the_persons() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.add("b.txt", "b").await;
    home.write("a.txt", "agent").await;
    std::fs::write(home.view("draft/b.txt"), "person").unwrap();
    let set = home.plain("ReviewGetChangeSet").await;
    assert_eq!(set["changes"].as_array().unwrap().len(), 2);
    assert_eq!(newest(&home).await, ("outside".into(), "edited by hand in the Draft: b.txt".into()));
    home.plain("DraftPublish").await;
    assert_eq!(home.texts("published").await["b.txt"], "person");
}

#[tokio::test]
async fn an_edit_just_before_a_write_to_the_same_file_is_kept_in_history() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "agent 1").await;
    std::fs::write(home.view("draft/a.txt"), "person").unwrap();
    home.write("a.txt", "agent 2").await;
    home.plain("JournalUndo").await;
    assert_eq!(home.texts("draft").await["a.txt"], "person");
}

#[tokio::test]
async fn an_edit_in_the_context_folder_is_taken_in() {
    let home = TestHome::with_workbench().await;
    let file = home.view("meta/context/situation/context.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# Situation\n").unwrap();
    home.plain("FileList").await;
    assert_eq!(newest(&home).await, ("outside".into(), "edited outside: meta/context/situation/context.md".into()));
    home.plain("JournalUndo").await;
    assert!(!file.exists());
    home.plain("JournalRedo").await;
    assert_eq!(std::fs::read_to_string(file).unwrap(), "# Situation\n");
}

#[tokio::test]
async fn a_file_put_into_the_draft_folder_begins_a_draft() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    std::fs::create_dir(home.view("draft")).unwrap();
    std::fs::write(home.view("draft/n.txt"), "new").unwrap();
    let state = home.plain("DraftGetState").await;
    assert_eq!(
        (state["draft"]["source"].as_str(), state["added"].as_u64(), state["deleted"].as_u64()),
        (Some("outside"), Some(1), Some(0))
    );
    assert_eq!(texts_on_disk(&home.view("draft")).len(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_plain_file_is_left_alone_and_reported() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    std::os::unix::fs::symlink("/etc/passwd", home.view("published/link")).unwrap();
    std::os::unix::fs::symlink("/etc", home.view("published/dir")).unwrap();
    std::fs::write(home.view("published/A.TXT"), "collides").unwrap();
    std::fs::write(home.view("published/back\\slash"), "x").unwrap();
    let list = home.plain("FileList").await;
    assert_eq!(list["total"], 1);
    let left: Vec<&str> = list["left_alone"].as_array().unwrap().iter().map(|l| l["path"].as_str().unwrap()).collect();
    for name in ["published/link", "published/dir", "published/A.TXT", "published/back\\slash"] {
        assert!(left.contains(&name), "{name}: {left:?}");
    }
    assert_eq!(home.plain("JournalList").await["total"], 2);
    home.write("a.txt", "two").await;
    home.plain("DraftPublish").await;
    assert!(home.view("published/link").is_symlink() && home.view("published/A.TXT").exists());
    // A link in place of a file is never written through.
    std::fs::remove_file(home.view("published/a.txt")).unwrap();
    let target = home.outside("target.txt", "precious");
    std::os::unix::fs::symlink(&target, home.view("published/a.txt")).unwrap();
    home.plain("FileList").await;
    home.write("a.txt", "three").await;
    let _ = home.call("DraftPublish", json!({ "workbench_id": ID, "on_conflict": "keep_draft" })).await;
    assert_eq!(std::fs::read_to_string(target).unwrap(), "precious");
}

#[tokio::test]
async fn a_lost_folder_is_written_again_and_deletes_nothing() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("b.txt", "two").await;
    std::fs::remove_dir_all(home.view("")).unwrap();
    home.plain("FileList").await;
    assert_eq!(std::fs::read_to_string(home.view("published/a.txt")).unwrap(), "one");
    assert_eq!(std::fs::read_to_string(home.view("draft/b.txt")).unwrap(), "two");
    assert_eq!(home.plain("JournalList").await["total"], 3);
    std::fs::remove_dir_all(home.view("published")).unwrap();
    assert_eq!(home.texts("published").await.len(), 1);
    assert_eq!(home.plain("JournalList").await["total"], 3);
}

#[tokio::test]
async fn files_over_the_limit_are_left_alone() {
    let home = TestHome::with(|config| config.limits.file_bytes = 4).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home.add("a.txt", "one").await;
    std::fs::write(home.view("published/big.txt"), "12345").unwrap();
    let list = home.plain("FileList").await;
    assert_eq!(list["total"], 1);
    assert!(list["left_alone"][0]["reason"].as_str().unwrap().contains("limits.file_bytes"), "{list}");
    assert!(home.view("published/big.txt").exists());
    home.fails_with(Code::FileNotFound, "FileRead", json!({ "workbench_id": ID, "path": "big.txt" })).await;
}
