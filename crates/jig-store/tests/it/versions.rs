//! Data of every released version can be opened; data of later versions is refused.

use std::path::{Path, PathBuf};

use jig_contract::ops::{CheckpointReason, Consent, ConsentReach};
use jig_contract::{Env, Timestamp};
use jig_store::{
    ASSET_TTL_MS, AssetSource, Blobs, Database, GC_GRACE_MS, JournalQuery, MessageQuery, MessagesFrom, NewEgress,
    Permanence, Reader, Repair, Store, StoreConfig, StoreError,
};

use crate::setup::{Bytes, Rows, Setup, committed, files, id, made, me, remove, text, texts, written};

fn kept(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/v{version}"))
}

async fn open(folder: &Path, env: Env) -> Store {
    let config = StoreConfig {
        database: Database::Sqlite(folder.join("jig.db")),
        blobs: Blobs::folder(folder.join("blobs")).unwrap(),
        gc_grace_ms: GC_GRACE_MS,
        asset_ttl_ms: ASSET_TTL_MS,
    };
    Store::open(config, env).await.unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// The newest version with a stored folder. Before adding a migration, increase it and run with `UPDATE=1`.
const NEWEST_KEPT: u32 = 3;

/// Writes the folder of the current version, with `UPDATE=1` only. A released folder never changes.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the switch comes from the environment")]
async fn the_folder_of_this_version_is_written_when_asked_for() {
    if std::env::var("UPDATE").as_deref() != Ok("1") {
        assert!(kept(NEWEST_KEPT).join("jig.db").is_file(), "made with UPDATE=1");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let number = std::sync::atomic::AtomicU64::new(1);
    let next = move || number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    let ids = move || uuid::Uuid::from_u64_pair(0x0190_b6c2_7d3e_7000, 0x8000_0000_0000_0000 | next());
    let store = open(folder.path(), Env::new(|| Timestamp::from_millis(1_763_199_000_123), ids)).await;
    let head = made(&store, "deck").await;
    let head = written(&store, &head, "published/notes.txt", "one").await;
    let document = r#"{"id":"d","family":"entries","kind":"brand","state":"active","updated_at":"2026-01-01T00:00:00Z","data":{}}"#;
    let edits = [
        text(&store, "published/notes.txt", "two").await,
        text(&store, "meta/documents/entries/brand/x.json", document).await,
    ];
    let head = committed(&store, &head, &edits).await;
    store.create_checkpoint(&head.id, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    let head = store.head(&head.id).await.unwrap();
    let head = committed(&store, &head, &[remove("published")]).await;
    store.undo(&head.id, me()).await.unwrap();
    remember(&store).await;
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        .execute(&mut raw(&folder.path().join("jig.db"), store).await)
        .await
        .unwrap();
    let _ = std::fs::remove_dir_all(kept(NEWEST_KEPT));
    copy(folder.path(), &kept(NEWEST_KEPT));
}

/// Data that is not part of a state.
async fn remember(store: &Store) {
    let consent = Consent {
        id: "c".to_owned(),
        model_id: "m".to_owned(),
        host: "h".to_owned(),
        reach: ConsentReach::All,
        scope_hash: None,
        granted_by: "me".to_owned(),
        granted_at: Timestamp::from_millis(7),
    };
    store.grant_consent(&id("deck"), &consent).await.unwrap();
    let new = NewEgress { purpose: "p", model_id: "m", scope_hash: "s" };
    store.begin_egress(&id("deck"), &new).await.unwrap();
    store.count(&id("deck"), "n", "", "", 3).await.unwrap();
}

/// A direct connection, with the store closed.
async fn raw(path: &Path, store: Store) -> sqlx::AnyConnection {
    use sqlx::Connection as _;
    store.close().await;
    sqlx::AnyConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_version_1_is_opened_whole() {
    opened_whole(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_version_2_is_opened_whole() {
    let (_folder, store) = opened_whole(2).await;
    let consents = store.consents(&id("deck")).await.unwrap();
    assert_eq!(consents.iter().map(|consent| consent.host.as_str()).collect::<Vec<_>>(), ["h"]);
    assert_eq!(store.egress(&id("deck"), 9).await.unwrap().1, 1);
    assert_eq!(store.counts(None).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_version_3_is_opened_whole() {
    let (_folder, store) = opened_whole(3).await;
    assert_eq!(store.consents(&id("deck")).await.unwrap().len(), 1);
    let query = MessageQuery {
        reader: Reader::Nobody,
        artifact: None,
        include_undone: true,
        from: MessagesFrom::Before(None),
        limit: 9,
    };
    assert_eq!(store.messages(&id("deck"), &query).await.unwrap(), (vec![], false, 0), "there are no messages yet");
}

/// Opens a stored folder and checks everything that all versions have.
async fn opened_whole(version: u32) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    copy(&kept(version), folder.path());
    let store = open(folder.path(), Env::system()).await;
    let report = store.check(None, Repair::No).await.unwrap();
    assert_eq!((report.workbenches, report.states, report.problems), (1, 4, vec![]));
    let head = store.head(&id("deck")).await.unwrap();
    assert_eq!((head.seq, head.created_at.as_millis()), (6, 1_763_199_000_123));
    let document = texts(&store, head.state).await.remove(0);
    assert_eq!(document.0, "meta/documents/entries/brand/x.json");
    assert_eq!(texts(&store, head.state).await[1..], files([("published/notes.txt", "two")]));
    let rows = store.journal(&head.id, JournalQuery::After { seq: 0, limit: 99 }).await.unwrap();
    let operations: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
    assert_eq!(operations, ["WorkbenchCreate", "Test", "Test", "CheckpointCreate", "Test", "JournalUndo"]);
    let here = store.checkpoint(&head.id, "here").await.unwrap();
    assert_eq!((here.seq, here.state), (3, head.state));
    store.redo(&head.id, me()).await.unwrap();
    let head = store.head(&head.id).await.unwrap();
    written(&store, &head, "published/new.txt", "goes on").await;
    (folder, store)
}

/// The script of a migration for one database.
fn step(text: &str, sqlite: bool) -> String {
    let mut wanted = true;
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix("-- only ") {
            Some(name) => wanted = (name == "sqlite") == sqlite,
            None if line == "-- both" => wanted = true,
            None if wanted => out.extend([line, "\n"]),
            None => {}
        }
    }
    out.replace("{json}", if sqlite { "TEXT" } else { "JSONB" })
}

/// Rows that existed before the tables got more columns, on both databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_version_2_are_brought_forward() {
    for rows in [Rows::Sqlite, Rows::Postgres] {
        let Some(setup) = Setup::new(rows, Bytes::Folder).await else { continue };
        if let Database::Sqlite(path) = &setup.config.database {
            std::fs::File::create(path).unwrap();
        }
        let steps =
            [include_str!("../../migrations/0001_foundation.sql"), include_str!("../../migrations/0002_egress.sql")];
        let sqlite = matches!(rows, Rows::Sqlite);
        let mut sql = steps.map(|text| step(text, sqlite)).concat();
        let hash = "0".repeat(64);
        sql.push_str(&format!(
            "CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (2);
             INSERT INTO workbenches VALUES ('deck', 'Deck', '{hash}', 1, 5, 5);
             INSERT INTO assets VALUES ('deck', 'a', '{hash}', 1, 'n', 'm', 'permanent', 'e', 'f', 5, NULL);
             INSERT INTO assets VALUES ('deck', 'b', '{hash}', 1, 'n', 'm', 'temporary', NULL, NULL, 5, 6);"
        ));
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut setup.raw().await).await.unwrap();
        // The blobs that rows refer to must exist, or they would count as those of another store.
        let blob = setup.blob_files.join(&hash[..2]).join(&hash[2..]);
        std::fs::create_dir_all(blob.parent().unwrap()).unwrap();
        std::fs::write(blob, "").unwrap();
        let store = setup.open().await;
        let asset = async |name: &str| store.asset(&id("deck"), name).await.unwrap().unwrap();
        let (a, b) = (asset("a").await, asset("b").await);
        assert_eq!((a.permanence, a.entry_id.as_deref(), a.removed_at), (Permanence::Permanent, Some("e"), None));
        assert_eq!((b.permanence, b.source, b.created_by.as_str()), (Permanence::Temporary, AssetSource::User, ""));
        assert_eq!(store.sweep_assets(None).await.unwrap().len(), 1);
        let broken = "UPDATE assets SET permanence = 'temporary' WHERE id = 'a'";
        assert!(sqlx::raw_sql(broken).execute(&mut setup.raw().await).await.is_err(), "the old rule stands");
    }
}

async fn later_data_is_refused(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    setup.open().await;
    setup.sql("UPDATE schema_version SET version = version + 1").await;
    let refused = Store::open(setup.config.clone(), Env::system()).await.map(drop);
    assert!(matches!(refused, Err(StoreError::TooNew { found, known }) if found == known + 1), "{refused:?}");
    setup.sql("UPDATE schema_version SET version = version - 1").await;
    assert_eq!(setup.open().await.heads().await.unwrap().len(), 1, "nothing was touched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_a_later_version_is_refused() {
    for rows in [Rows::Sqlite, Rows::Postgres] {
        if let Some(setup) = Setup::new(rows, Bytes::Folder).await {
            later_data_is_refused(setup).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_open_a_new_store_at_once() {
    for rows in [Rows::Sqlite, Rows::Postgres] {
        let Some(setup) = Setup::new(rows, Bytes::Folder).await else { continue };
        let config = &setup.config;
        let opened = (0..16).map(|n| async move {
            let store = Store::open(config.clone(), Env::system()).await.unwrap();
            made(&store, &format!("deck-{n}")).await;
        });
        futures::future::join_all(opened).await;
        assert_eq!(setup.open().await.heads().await.unwrap().len(), 16);
    }
}

#[tokio::test]
async fn wrong_settings_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::folder(folder.path()).unwrap();
    for url in ["mysql://host/db", "postgres//host", "postgres://[/db", "postgres://x@127.0.0.1:1/db"] {
        let config = StoreConfig {
            database: Database::Postgres(url.into()),
            blobs: blobs.clone(),
            gc_grace_ms: 0,
            asset_ttl_ms: 0,
        };
        let error = Store::open(config, Env::system()).await.map(drop).unwrap_err();
        assert!(matches!(error, StoreError::Settings { .. } | StoreError::Database(_)), "{url}: {error:?}");
    }
    let file = folder.path().join("not-a-database");
    std::fs::write(&file, "words, words, words".repeat(100)).unwrap();
    let config = StoreConfig { database: Database::Sqlite(file), blobs, gc_grace_ms: 0, asset_ttl_ms: 0 };
    let error = Store::open(config, Env::system()).await.map(drop).unwrap_err();
    assert!(matches!(error, StoreError::Database(_)), "{error:?}");
}
