//! Export and import of archives, also between different databases.

use jig_contract::ops::CheckpointReason;
use jig_store::{ExportReport, JournalQuery, Repair, Store, StoreError};

use super::conformance;
use super::tables::document_edit;
use crate::setup::{Bytes, Rows, Setup, committed, id, made, me, remove, text, texts, written};

conformance! { a_workbench_goes_out_and_comes_back, a_damaged_workbench_is_not_exported }

const ALL: JournalQuery = JournalQuery::After { seq: 0, limit: 10_000 };

/// A workbench with content of every kind.
async fn busy(store: &Store) -> jig_store::Head {
    let head = made(store, "deck").await;
    let large = "0123456789abcdef".repeat(40_000);
    let edits = [
        text(store, "published/a.txt", "a").await,
        text(store, "published/large.bin", &large).await,
        document_edit(store, "k", "Title").await,
    ];
    let head = committed(store, &head, &edits).await;
    store.create_checkpoint(&head.id, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    let head =
        store.rename_workbench(&head.id, "Deck Ü “x”".into(), jig_contract::Actor::agent("claude")).await.unwrap().0;
    let head = committed(store, &head, &[remove("published/a.txt"), text(store, "published/empty", "").await]).await;
    store.undo(&head.id, me()).await.unwrap();
    store.redo(&head.id, me()).await.unwrap();
    store.undo(&head.id, me()).await.unwrap();
    store.head(&head.id).await.unwrap()
}

async fn a_workbench_goes_out_and_comes_back(setup: Setup) {
    let store = setup.open().await;
    let head = busy(&store).await;
    let archive = setup.folder.path().join("deck.jig");
    std::fs::write(&archive, "something else").unwrap();
    let report = store.export(&head.id, &archive).await.unwrap();
    let bytes = std::fs::read(&archive).unwrap();
    let expected = ExportReport { bytes: bytes.len() as u64, changes: head.seq, blobs: setup.blob_count() as u64 };
    assert_eq!(report, expected);
    store.export(&head.id, &archive).await.unwrap();
    assert_eq!(std::fs::read(&archive).unwrap(), bytes, "equal contents make equal archives");
    let beside: Vec<_> = std::fs::read_dir(setup.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{beside:?}");

    // Next to the original: another id, no new blobs.
    let blobs = setup.blob_count();
    let (copy, entry) = store.import(&archive, None, None, me()).await.unwrap();
    assert_eq!((copy.id.as_str(), copy.name.as_str(), copy.created_at), ("deck-2", "Deck Ü “x”", head.created_at));
    assert_eq!((entry.operation.as_str(), entry.seq), ("WorkbenchImport", head.seq + 1));
    assert_eq!(entry.summary, "imported from an archive of “Deck Ü “x”” (deck)");
    assert_eq!(setup.blob_count(), blobs);
    let taken = store.import(&archive, Some(id("deck")), None, me()).await;
    assert!(matches!(taken, Err(StoreError::WorkbenchExists { .. })), "{taken:?}");

    for (rows, bytes) in [(Rows::Sqlite, Bytes::Folder), (Rows::Postgres, Bytes::S3)] {
        let Some(elsewhere) = Setup::new(rows, bytes).await else { continue };
        let other = elsewhere.open().await;
        let (copy, _) = other.import(&archive, None, Some("Mine".into()), me()).await.unwrap();
        assert_eq!((copy.id.as_str(), copy.name.as_str(), copy.state), ("deck", "Mine", head.state));
        let rows = async |store: &Store| store.journal(&head.id, ALL).await.unwrap()[..head.seq as usize].to_vec();
        assert_eq!(rows(&other).await, rows(&store).await);
        assert_eq!(other.checkpoints(&copy.id).await.unwrap(), store.checkpoints(&head.id).await.unwrap());
        assert_eq!(texts(&other, copy.state).await, texts(&store, head.state).await);
        let report = other.check(None, Repair::No).await.unwrap();
        assert_eq!((report.problems, report.blobs), (vec![], expected.blobs), "the tables are there as well");
        assert_eq!(elsewhere.blob_count() as u64, expected.blobs);
        // History continues where it was: an undone change can be redone.
        assert_eq!(
            other.redo(&copy.id, me()).await.unwrap().1.state_after,
            store.redo(&head.id, me()).await.unwrap().1.state_after
        );
        store.undo(&head.id, me()).await.unwrap();
        written(&other, &other.head(&copy.id).await.unwrap(), "published/new", "x").await;
    }
}

async fn a_damaged_workbench_is_not_exported(setup: Setup) {
    let store = setup.open().await;
    let head = busy(&store).await;
    let archive = setup.folder.path().join("deck.jig");
    let large = store.lookup(head.state, "published/large.bin").await.unwrap().unwrap().hash();
    std::fs::write(setup.blob_file(&large), "x".repeat(640_000)).unwrap();
    let refused = store.export(&head.id, &archive).await;
    assert!(matches!(refused, Err(StoreError::BlobCorrupt { hash }) if hash == large), "{refused:?}");
    let left: Vec<_> = std::fs::read_dir(setup.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("jig.") || name.to_string_lossy().starts_with("jig.db")),
        "{left:?}"
    );
    assert!(!archive.exists());
    let none = store.export(&id("none"), &archive).await;
    assert!(matches!(none, Err(StoreError::WorkbenchNotFound { .. })));
}
