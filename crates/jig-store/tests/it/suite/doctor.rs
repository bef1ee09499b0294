//! The check finds planted damage of every kind.

use jig_contract::ops::{Problem, ProblemKind};
use jig_store::{Repair, StoreError};

use super::conformance;
use super::tables::document_edit;
use crate::setup::{Setup, committed, id, made, me, text, written};

conformance! { a_sound_store_has_no_problems, damaged_blobs_are_found, a_broken_journal_is_found, wrong_tables_are_found_and_mended }

fn problem(kind: ProblemKind, message: impl Into<String>) -> Problem {
    Problem { workbench_id: Some(id("deck")), kind, message: message.into(), repaired: false }
}

async fn a_sound_store_has_no_problems(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let head =
        committed(&store, &head, &[text(&store, "published/a.txt", "a").await, document_edit(&store, "k", "T").await])
            .await;
    let head = written(&store, &head, "published/a.txt", "b").await;
    store.undo(&head.id, me()).await.unwrap();
    store.redo(&head.id, me()).await.unwrap();
    store.rename_workbench(&head.id, "Other".into(), me()).await.unwrap();
    store.clone_workbench(&head.id, id("copy"), "Copy".into(), me()).await.unwrap();
    made(&store, "third").await;
    let report = store.check(None, Repair::No).await.unwrap();
    assert_eq!((report.workbenches, report.states, report.problems), (3, 3, vec![]));
    assert_eq!(report.blobs as usize, setup.blob_count());
    let one = store.check(Some(&id("third")), Repair::No).await.unwrap();
    assert_eq!((one.workbenches, one.states, one.blobs), (1, 1, 1));
    assert!(matches!(store.check(Some(&id("none")), Repair::No).await, Err(StoreError::WorkbenchNotFound { .. })));
}

async fn damaged_blobs_are_found(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let before = written(&store, &head, "published/old.txt", "old").await;
    let head = committed(
        &store,
        &before,
        &[crate::setup::remove("published/old.txt"), text(&store, "published/a.txt", "a").await],
    )
    .await;
    let head = committed(&store, &head, &[text(&store, "agent/x/b.txt", "b").await]).await;
    made(&store, "healthy").await;
    let at = async |state, path: &str| store.lookup(state, path).await.unwrap().unwrap().hash();
    let old = at(before.state, "published/old.txt").await;
    let a = at(head.state, "published/a.txt").await;
    let x = at(head.state, "agent/x").await;
    std::fs::remove_file(setup.blob_file(&old)).unwrap();
    std::fs::write(setup.blob_file(&a), "A").unwrap();
    std::fs::write(setup.blob_file(&x), "jig-tree 1\n").unwrap();
    // On the same store: its cache must not hide what is stored.
    let report = store.check(None, Repair::Yes).await.unwrap();
    let mut expected = [
        problem(ProblemKind::BlobMissing, format!("the blob {old} is missing; only older states use it")),
        problem(
            ProblemKind::BlobCorrupt,
            format!("the blob {a} is damaged: its bytes do not match its hash; it is `published/a.txt`"),
        ),
        problem(
            ProblemKind::BlobCorrupt,
            format!("the blob {x} is damaged: its bytes do not match its hash; it is `agent/x`"),
        ),
    ];
    let mut found = report.problems;
    found.sort_by(|a, b| a.message.cmp(&b.message));
    expected.sort_by(|a, b| a.message.cmp(&b.message));
    assert_eq!(found, expected);
    let asset = store.blobs().put("asset").await.unwrap();
    std::fs::remove_file(setup.blob_file(&asset)).unwrap();
    let sql = "INSERT INTO assets (workbench_id, id, hash, bytes, name, media_type, permanence, expires_at, created_at)
               VALUES ('healthy', 'a', $1, 5, 'n', 'm', 'temporary', 9, 0)";
    sqlx::query(sql).bind(asset.to_string()).execute(&mut setup.raw().await).await.unwrap();
    let expected = Problem {
        workbench_id: Some(id("healthy")),
        ..problem(ProblemKind::BlobMissing, format!("the blob {asset} is missing; it is an asset"))
    };
    assert_eq!(store.check(Some(&id("healthy")), Repair::No).await.unwrap().problems, [expected]);
    setup.sql("DELETE FROM assets").await;

    std::fs::remove_file(setup.blob_file(&head.state)).unwrap();
    let report = store.check(Some(&head.id), Repair::No).await.unwrap();
    let lost = problem(ProblemKind::BlobMissing, format!("the blob {} is missing; it is the entire state", head.state));
    assert!(report.problems.contains(&lost), "{:?}", report.problems);
    assert_eq!(store.check(Some(&id("healthy")), Repair::No).await.unwrap().problems, []);
}

async fn a_broken_journal_is_found(setup: Setup) {
    let store = setup.open().await;
    let mut head = made(&store, "deck").await;
    for n in 0..4 {
        head = written(&store, &head, "published/a.txt", &n.to_string()).await;
    }
    let off = match setup.raw().await.backend_name() {
        "SQLite" => "DROP TRIGGER journal_is_not_updated; DROP TRIGGER journal_is_not_deleted",
        _ => "ALTER TABLE journal DISABLE TRIGGER USER",
    };
    setup.sql(off).await;
    let found = async || store.check(None, Repair::Yes).await.unwrap().problems;
    let only = |message: &str| vec![problem(ProblemKind::Journal, message)];

    setup.sql("UPDATE journal SET position = 4 WHERE seq = 3").await;
    assert_eq!(found().await[0], only("row 3 has a wrong undo position")[0]);
    setup.sql("UPDATE journal SET position = 3 WHERE seq = 3").await;
    assert_eq!(found().await, []);
    setup.sql("UPDATE journal SET state_before = state_after WHERE seq = 4").await;
    assert_eq!(found().await, only("row 4 does not start at the end of row 3"));
    setup.sql("DELETE FROM journal WHERE seq = 4").await;
    assert_eq!(found().await, only("the journal lacks rows after 3"));
    setup.sql("DELETE FROM journal WHERE seq > 3").await;
    assert_eq!(found().await, only("the journal ends at 3, the head is at 5"));
    setup.sql("UPDATE workbenches SET generation = 3").await;
    assert_eq!(found().await, only("the last state of the journal differs from the head's"));
    setup.sql("UPDATE workbenches SET generation = 2").await;
    assert_eq!(found().await, only("the journal continues after the head"));
    setup.sql("UPDATE journal SET state_after = 'nonsense' WHERE seq = 3").await;
    assert!(store.check(None, Repair::No).await.is_err() || !found().await.is_empty());
}

async fn wrong_tables_are_found_and_mended(setup: Setup) {
    let store = setup.open().await;
    let edits = [
        document_edit(&store, "a", "A").await,
        document_edit(&store, "b", "B").await,
        text(&store, "meta/kinds/k.json", r#"{"x":1e2}"#).await,
        text(&store, "meta/documents/senseless.json", "[]").await,
    ];
    let head = committed(&store, &made(&store, "deck").await, &edits).await;
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, [], "numbers may be written in another way");
    setup.sql("UPDATE documents SET title = 'other' WHERE key = 'a'").await;
    setup.sql("DELETE FROM documents WHERE key = 'b'").await;
    setup.sql("UPDATE kinds SET path = 'meta/kinds/other.json'").await;
    let expected = |repaired| {
        [
            "the index has an outdated copy of `meta/documents/entries/brand/a.json`",
            "the index lacks `meta/documents/entries/brand/b.json`",
            "the index lacks `meta/kinds/k.json`",
            "the index has `meta/kinds/other.json`, which the state lacks",
        ]
        .map(|message| Problem { repaired, ..problem(ProblemKind::Projection, message) })
    };
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, expected(false));
    assert_eq!(store.check(Some(&head.id), Repair::Yes).await.unwrap().problems, expected(true));
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}
