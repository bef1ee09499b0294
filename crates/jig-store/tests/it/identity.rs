//! Database and blob store belong together: a missing, empty or foreign one is refused, and nothing is lost.

use jig_contract::{Code, Env, OpError};
use jig_store::{Collect, Database, Store, StoreConfig, StoreError};

use crate::setup::{Bytes, Rows, Setup, made, texts, written};

async fn filled(setup: &Setup) {
    filled_with(setup, "one").await;
}

async fn filled_with(setup: &Setup, words: &str) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    written(&store, &head, "published/notes.txt", words).await;
    store.close().await;
}

async fn refusal(config: &StoreConfig) -> StoreError {
    match Store::open(config.clone(), Env::system()).await {
        Ok(_) => panic!("the store opened"),
        Err(error) => error,
    }
}

fn op_error(error: StoreError) -> OpError {
    let error = OpError::from(error);
    assert_eq!(error.code(), Code::StoreIncomplete, "{error}");
    assert!(error.info.hints.iter().any(|hint| hint.contains("restore") || hint.contains("correct")), "{error:?}");
    error
}

fn remove_database(setup: &Setup) {
    for name in ["jig.db", "jig.db-wal", "jig.db-shm"] {
        let _ = std::fs::remove_file(setup.folder.path().join(name));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_empty_or_foreign_database_beside_blobs_is_refused_and_no_blob_is_touched() {
    for bytes in [Bytes::Folder, Bytes::S3] {
        let Some(setup) = Setup::new(Rows::Sqlite, bytes).await else { continue };
        filled(&setup).await;
        let file = setup.folder.path().join("jig.db");
        let backup = std::fs::read(&file).unwrap();
        let blobs = setup.blob_count();

        remove_database(&setup);
        assert!(
            matches!(op_error(refusal(&setup.config).await).info.message.as_str(), m if m.contains("missing or empty"))
        );
        assert!(!file.exists(), "no new database is left behind");
        std::fs::write(&file, b"").unwrap();
        op_error(refusal(&setup.config).await);
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
        // With the header of a database, but without tables.
        remove_database(&setup);
        std::fs::write(&file, b"").unwrap();
        setup.sql("CREATE TABLE t (a); DROP TABLE t").await;
        assert!(std::fs::metadata(&file).unwrap().len() > 0);
        op_error(refusal(&setup.config).await);
        setup.sql("CREATE TABLE notes (a); INSERT INTO notes VALUES (1)").await;
        assert!(matches!(refusal(&setup.config).await, StoreError::ForeignDatabase));
        remove_database(&setup);
        std::fs::write(&file, b"not a database, but long enough to be one ".repeat(40)).unwrap();
        let _ = refusal(&setup.config).await;

        assert_eq!(setup.blob_count(), blobs);
        remove_database(&setup);
        std::fs::write(&file, backup).unwrap();
        let store = setup.open().await;
        let head = store.heads().await.unwrap().remove(0);
        assert_eq!(texts(&store, head.state).await, [("published/notes.txt".to_owned(), "one".to_owned())]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_postgres_beside_a_filled_bucket_is_refused() {
    let (Some(setup), Some(other)) =
        (Setup::new(Rows::Postgres, Bytes::S3).await, Setup::new(Rows::Postgres, Bytes::S3).await)
    else {
        println!("skipped: PostgreSQL is not installed");
        return;
    };
    filled(&setup).await;
    let mixed = StoreConfig { database: other.config.database.clone(), ..setup.config.clone() };
    assert!(matches!(refusal(&mixed).await, StoreError::DatabaseMissing));
    // The same with the database of another store.
    filled(&other).await;
    assert!(matches!(refusal(&mixed).await, StoreError::WrongBlobs));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_of_another_store_is_refused() {
    let (setup, other) = (Setup::local().await, Setup::local().await);
    filled(&setup).await;
    filled_with(&other, "another").await;
    let mixed = StoreConfig { database: other.config.database.clone(), ..setup.config.clone() };
    assert!(matches!(refusal(&mixed).await, StoreError::WrongBlobs));
    // Blobs of an older version, without a marker, are compared with what the database refers to.
    std::fs::remove_file(setup.blob_files.join("store-id")).unwrap();
    assert!(matches!(refusal(&mixed).await, StoreError::WrongBlobs));
    setup.open().await;
    assert!(setup.blob_files.join("store-id").is_file(), "the right ones get their id");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_database_of_an_older_version_beside_its_blobs_is_refused() {
    // Simulates what an older version created when the database was missing: all tables, empty.
    let (setup, fresh) = (Setup::local().await, Setup::local().await);
    filled(&setup).await;
    fresh.open().await.close().await;
    std::fs::remove_file(setup.blob_files.join("store-id")).unwrap();
    let mixed = StoreConfig { database: fresh.config.database.clone(), ..setup.config.clone() };
    assert!(matches!(refusal(&mixed).await, StoreError::DatabaseMissing));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blobs_that_are_gone_as_a_whole_are_reported_at_the_start() {
    let setup = Setup::local().await;
    filled(&setup).await;
    let aside = setup.folder.path().join("aside");
    std::fs::rename(&setup.blob_files, &aside).unwrap();
    std::fs::create_dir(&setup.blob_files).unwrap();
    assert!(matches!(refusal(&setup.config).await, StoreError::BlobsMissing));
    std::fs::remove_dir(&setup.blob_files).unwrap();
    std::fs::rename(&aside, &setup.blob_files).unwrap();
    setup.open().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_collection_checks_once_more() {
    let (setup, other) = (Setup::local().await, Setup::local().await);
    filled(&setup).await;
    filled(&other).await;
    let store = setup.open().await;
    let id = std::fs::read(other.blob_files.join("store-id")).unwrap();
    std::fs::write(setup.blob_files.join("store-id"), id).unwrap();
    setup.age(1_000_000_000);
    let before = setup.blob_count();
    for mode in [Collect::Report, Collect::Remove] {
        assert!(matches!(store.collect(mode).await, Err(StoreError::WrongBlobs)));
    }
    assert_eq!(setup.blob_count(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_without_workbenches_opens_again_and_again() {
    let setup = Setup::local().await;
    for _ in 0..3 {
        setup.open().await.close().await;
    }
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    store.delete_workbench(&head.id).await.unwrap();
    store.close().await;
    setup.open().await.collect(Collect::Remove).await.unwrap();
    assert!(matches!(setup.config.database, Database::Sqlite(_)));
}
