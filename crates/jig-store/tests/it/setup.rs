//! Stores for tests: every combination of database and blob store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use jig_contract::{Actor, BlobHash, Env, Timestamp, WorkbenchId};
use jig_store::{ASSET_TTL_MS, Blobs, Change, Commit, Database, GC_GRACE_MS, Head, Store, StoreConfig, TreeEdit};

use crate::support;

/// The database of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows {
    Sqlite,
    Postgres,
}

/// The blob store of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bytes {
    Folder,
    S3,
}

/// A clock that the test controls.
#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicI64>);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_800_000_000_000)))
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub(crate) fn pass(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    /// The current time plus `ms`.
    pub(crate) fn later(&self, ms: i64) -> Timestamp {
        Timestamp::from_millis(self.now().as_millis() + ms)
    }
}

/// The environment of a store, removed on drop.
pub(crate) struct Setup {
    pub(crate) config: StoreConfig,
    /// A folder for the test's own files.
    pub(crate) folder: tempfile::TempDir,
    /// The folder of the blob files, local or on the S3 server.
    pub(crate) blob_files: PathBuf,
}

impl Setup {
    /// `None` without PostgreSQL.
    pub(crate) async fn new(rows: Rows, bytes: Bytes) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let database = match rows {
            Rows::Sqlite => Database::Sqlite(folder.path().join("jig.db")),
            Rows::Postgres => Database::Postgres(support::postgres_database().await?),
        };
        let (blobs, blob_files) = match bytes {
            Bytes::Folder => (Blobs::folder(folder.path().join("blobs")).unwrap(), folder.path().join("blobs")),
            Bytes::S3 => {
                let bucket = support::s3_bucket();
                (Blobs::bucket(&bucket.url, &bucket.options).unwrap(), bucket.folder.join("some/prefix"))
            }
        };
        let config = StoreConfig { database, blobs, gc_grace_ms: GC_GRACE_MS, asset_ttl_ms: ASSET_TTL_MS };
        Some(Self { config, folder, blob_files })
    }

    pub(crate) async fn local() -> Self {
        Self::new(Rows::Sqlite, Bytes::Folder).await.unwrap()
    }

    /// Opens another store on the same data.
    pub(crate) async fn open(&self) -> Store {
        Store::open(self.config.clone(), Env::system()).await.unwrap()
    }

    /// Opens another store on the same data, with a test clock.
    pub(crate) async fn open_at(&self, clock: &Clock) -> Store {
        let clock = clock.clone();
        let ids = Env::system();
        let env = Env::new(move || clock.now(), move || ids.fresh_id());
        Store::open(self.config.clone(), env).await.unwrap()
    }

    /// Makes all blobs older by this much.
    pub(crate) fn age(&self, ms: u64) {
        let then = UNIX_EPOCH + Duration::from_millis(u64::try_from(Env::system().now().as_millis()).unwrap() - ms);
        for file in self.blob_paths() {
            std::fs::File::options().write(true).open(file).unwrap().set_modified(then).unwrap();
        }
    }

    /// The file of a blob.
    pub(crate) fn blob_file(&self, hash: &BlobHash) -> PathBuf {
        let hex = hash.to_string();
        self.blob_files.join(&hex[..2]).join(&hex[2..])
    }

    /// A direct connection to the database.
    pub(crate) async fn raw(&self) -> sqlx::AnyConnection {
        use sqlx::Connection as _;
        sqlx::any::install_default_drivers();
        let url = match &self.config.database {
            Database::Sqlite(path) => format!("sqlite:{}", path.display()),
            Database::Postgres(url) => url.clone(),
        };
        sqlx::AnyConnection::connect(&url).await.unwrap()
    }

    /// Executes SQL directly.
    pub(crate) async fn sql(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&mut self.raw().await).await.unwrap();
    }

    /// The number of blobs.
    pub(crate) fn blob_count(&self) -> usize {
        self.blob_paths().len()
    }

    fn blob_paths(&self) -> Vec<PathBuf> {
        let inside = |folder: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
        };
        let mut folders = inside(&self.blob_files);
        folders.retain(|folder| folder.file_name().unwrap().len() == 2);
        folders.iter().flat_map(|folder| inside(folder)).collect()
    }
}

pub(crate) fn id(text: &str) -> WorkbenchId {
    WorkbenchId::new(text).unwrap()
}

pub(crate) fn me() -> Actor {
    Actor::person()
}

/// Creates a workbench with this id.
pub(crate) async fn made(store: &Store, name: &str) -> Head {
    store.create_workbench(id(name), name.to_owned(), me()).await.unwrap().0
}

/// Stores a text and returns the edit that puts it at a path.
pub(crate) async fn text(store: &Store, path: &str, text: &str) -> TreeEdit {
    let hash = store.blobs().put(text.to_owned()).await.unwrap();
    TreeEdit::File { path: path.to_owned(), hash, bytes: text.len() as u64 }
}

pub(crate) fn remove(path: &str) -> TreeEdit {
    TreeEdit::Remove { path: path.to_owned() }
}

/// Commits these edits on this head.
pub(crate) async fn committed(store: &Store, head: &Head, edits: &[TreeEdit]) -> Head {
    let state = store.edit(head.state, edits).await.unwrap();
    match store.commit(head, Change::new(me(), "Test", "a change", state)).await.unwrap() {
        Commit::Done(head, _) => head,
        Commit::Moved => panic!("the head moved"),
    }
}

/// Writes one text and commits.
pub(crate) async fn written(store: &Store, head: &Head, path: &str, words: &str) -> Head {
    committed(store, head, &[text(store, path, words).await]).await
}

/// The files of a state with their content.
pub(crate) async fn texts(store: &Store, state: BlobHash) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, file) in store.files(state, "").await.unwrap() {
        let bytes = store.blobs().get(&file.hash).await.unwrap();
        assert_eq!(bytes.len() as u64, file.bytes);
        found.push((path, String::from_utf8(bytes.to_vec()).unwrap()));
    }
    found
}

/// Expected files, as written in a test.
pub(crate) fn files<const N: usize>(files: [(&str, &str); N]) -> Vec<(String, String)> {
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec()
}
