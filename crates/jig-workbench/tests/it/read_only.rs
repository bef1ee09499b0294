//! A home on a read-only file system: everything can be read, and changes are refused with a clear error.

use std::path::Path;

use jig_contract::{Actor, Code, OpError};
use jig_testkit::ID;
use jig_testkit::home::open;
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

use crate::disk_full::in_small_file_system;

/// Fills the home while it is writable.
pub(crate) async fn write(disk: &Path) {
    let workbench = open(Config::new(disk.join("home"))).await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Test", "id": ID })).await.unwrap();
    let text = json!({ "workbench_id": ID, "path": "notes.txt", "text": "one\ntwo\n" });
    call(&workbench, "DraftWriteText", text).await.unwrap();
    assert_eq!(workbench.notices(), [""; 0]);
}

/// Reads it when it is not.
pub(crate) async fn read(disk: &Path) {
    assert!(std::fs::write(disk.join("x"), "").is_err(), "the file system is read-only");
    for _ in 0..2 {
        let workbench = open(Config::new(disk.join("home"))).await;
        assert!(workbench.notices().iter().any(|notice| notice.contains("read-only")), "{:?}", workbench.notices());
        for (name, params, words) in [
            ("WorkbenchList", json!({}), ID),
            ("FileList", json!({ "workbench_id": ID }), "notes.txt"),
            ("FileRead", json!({ "workbench_id": ID, "path": "notes.txt" }), "two"),
            ("JournalList", json!({ "workbench_id": ID }), "DraftWriteText"),
            ("DraftGetState", json!({ "workbench_id": ID }), "created_at"),
            ("ReviewGetChangeSet", json!({ "workbench_id": ID }), "notes.txt"),
        ] {
            let answer = call(&workbench, name, params).await.unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.source));
            assert!(answer.to_string().contains(words), "{name}: {answer}");
        }
        for (name, params) in [
            ("DraftWriteText", json!({ "workbench_id": ID, "path": "new.txt", "text": "x" })),
            ("WorkbenchCreate", json!({ "name": "Other" })),
            ("CheckpointCreate", json!({ "workbench_id": ID, "name": "c" })),
            ("ConversationAdd", json!({ "workbench_id": ID, "text": "hello" })),
        ] {
            let error = call(&workbench, name, params).await.unwrap_err();
            assert_eq!(error.code(), Code::StoreReadOnly, "{name}: {error}");
        }
    }
    println!("survived");
}

async fn call(workbench: &Workbench, name: &str, params: Value) -> Result<Value, OpError> {
    workbench.call(name, CallContext::new(Actor::person()), params).await
}

#[test]
fn a_home_that_cannot_be_written_can_be_read() {
    let script =
        "disk=$JIG_TEST_HOME && JIG_TEST_JOB=read-only-write \"$@\" && mount -o remount,ro \"$disk\" && exec \"$@\"";
    in_small_file_system("read-only-read", script);
}

/// File modes apply whatever the umask is, and also to existing homes.
#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_has_access_to_the_home() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let mode = |path: &str| std::fs::metadata(home.join(path)).unwrap().permissions().mode() & 0o777;
    let set =
        |path: &str, mode| std::fs::set_permissions(home.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    let workbench = open(Config::new(&home)).await;
    call(&workbench, "WorkbenchCreate", json!({ "name": "Test", "id": ID })).await.unwrap();
    let files = ["jig.db", "jig.db-wal", "jig.db-shm"];
    assert_eq!((mode(""), mode("blobs")), (0o700, 0o700));
    assert_eq!(files.map(mode), [0o600; 3]);
    assert_eq!(workbench.notices(), [""; 0]);
    // A home created by an older version, accessible to everyone.
    for (path, open_mode) in
        [("", 0o755), ("blobs", 0o775), ("jig.db", 0o644), ("jig.db-wal", 0o664), ("jig.db-shm", 0o644)]
    {
        set(path, open_mode);
    }
    let again = open(Config::new(&home)).await;
    assert_eq!((mode(""), mode("blobs")), (0o700, 0o700));
    assert_eq!(files.map(mode), [0o600; 3]);
    assert!(again.notices().iter().any(|notice| notice.contains("0700")), "{:?}", again.notices());
    let third = open(Config::new(&home)).await;
    assert_eq!(third.notices(), [""; 0], "it is told once");
}
