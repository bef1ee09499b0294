//! The database: SQLite or PostgreSQL, with a shared set of SQL statements.
//!
//! Both support `$1`. [`Dialect`] fills in the few differences.

mod migrate;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jig_contract::Env;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Row as _, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::blob::Blobs;
use crate::error::StoreError;
use crate::{identity, platform};

/// A connection that was idle for longer is tested before use.
const ASK_AFTER: Duration = Duration::from_secs(1);

/// The location of the database.
#[derive(Clone)]
pub enum Database {
    /// A SQLite file, created if missing.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL database.
    Postgres(String),
}

impl std::fmt::Debug for Database {
    /// Hides the URL, which may contain a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite(_) => "Sqlite",
            Self::Postgres(_) => "Postgres",
        })
    }
}

/// The SQL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Fills in the JSON type.
    pub(crate) fn sql(self, text: &'static str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("{json}", self.json()))
    }

    /// The suffix for comparing texts bytewise. SQLite always does; in PostgreSQL it depends on the collation.
    pub(crate) const fn bytewise(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "COLLATE \"C\"",
        }
    }

    /// The rows of a parameter that is a JSON list of texts.
    pub(crate) fn listed(self, parameter: &str) -> String {
        match self {
            Self::Sqlite => format!("SELECT value FROM json_each({parameter})"),
            Self::Postgres => format!("SELECT jsonb_array_elements_text(CAST({parameter} AS JSONB))"),
        }
    }

    /// The JSON type.
    pub(crate) const fn json(self) -> &'static str {
        match self {
            Self::Sqlite => "TEXT",
            Self::Postgres => "JSONB",
        }
    }
}

/// An open database.
pub(crate) struct Db {
    pool: AnyPool,
    dialect: Dialect,
    /// SQLite permits one writer at a time. Writers of this process queue here in order instead of polling.
    turn: Arc<Semaphore>,
    read_only: bool,
}

/// How a SQLite file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SqliteAccess {
    Write,
    /// Read-only, while other processes may write.
    Read,
    /// Read-only on a read-only file system, where not even lock files can be created.
    ReadUnchanging,
}

/// A write transaction, rolled back unless it is committed.
pub(crate) struct Write {
    transaction: Transaction<'static, Any>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Write {
    pub(crate) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        Ok(self.transaction.commit().await?)
    }
}

impl Db {
    /// Connects and migrates the tables to the newest version. A database without tables is only accepted if there are
    /// no blobs either.
    pub(crate) async fn open(database: &Database, blobs: &Blobs, env: &Env) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let (url, dialect, connections, access) = match database {
            Database::Sqlite(path) => {
                if is_missing(path)? {
                    // Checked before connecting would create the file. Another process may have created and used it in
                    // the meantime.
                    let unused = identity::check_unused(blobs).await;
                    if is_missing(path)? {
                        unused?;
                        create_private(path)?;
                    }
                }
                let access = sqlite_access(path)?;
                (sqlite_url(path, access)?, Dialect::Sqlite, 8, access)
            }
            Database::Postgres(url) => (postgres_url(url)?, Dialect::Postgres, 16, SqliteAccess::Write),
        };
        let options: AnyConnectOptions = url.parse().map_err(settings)?;
        let mut pool = AnyPoolOptions::new().max_connections(connections).test_before_acquire(false);
        pool = match dialect {
            Dialect::Sqlite => {
                let pool = pool.after_connect(move |connection, _| Box::pin(prepare_sqlite(connection, access)));
                pool.before_acquire(|connection, _| Box::pin(is_between_transactions(connection)))
            }
            Dialect::Postgres => {
                let pool = pool.after_connect(|connection, _| Box::pin(prepare_postgres(connection)));
                pool.before_acquire(|connection, meta| Box::pin(still_there(connection, meta.idle_for)))
            }
        };
        // A direct connection first: a pool would retry for half a minute before reporting an error.
        let mut first = AnyConnection::connect_with(&options).await?;
        if dialect == Dialect::Sqlite {
            prepare_sqlite(&mut first, access).await?;
        }
        if migrate::version(&mut first, dialect).await?.is_none() {
            let is_foreign = dialect == Dialect::Sqlite && migrate::count_tables(&mut first).await? > 0;
            let unused = identity::check_unused(blobs).await;
            // Checked again: another process may have created the tables since.
            if migrate::version(&mut first, dialect).await?.is_none() {
                if is_foreign {
                    return Err(StoreError::ForeignDatabase);
                }
                unused?;
            }
        }
        let pool = pool.connect_lazy_with(options);
        let db = Self { pool, dialect, turn: Arc::new(Semaphore::new(1)), read_only: access != SqliteAccess::Write };
        migrate::run(&db, &mut first, &env.fresh_id().to_string()).await?;
        first.close().await?;
        Ok(db)
    }

    /// Whether the database is read-only.
    pub(crate) const fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) const fn pool(&self) -> &AnyPool {
        &self.pool
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Checks that the database responds.
    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        let _: i64 = sqlx::query_scalar("SELECT version FROM schema_version").fetch_one(&self.pool).await?;
        Ok(())
    }

    /// Starts a write transaction.
    pub(crate) async fn write(&self) -> Result<Write, StoreError> {
        if self.read_only {
            return Err(StoreError::ReadOnly);
        }
        match self.dialect {
            Dialect::Postgres => Ok(Write { transaction: self.pool.begin().await?, _turn: None }),
            Dialect::Sqlite => {
                // The semaphore is never closed, so this always succeeds.
                let turn = Arc::clone(&self.turn).acquire_owned().await.ok();
                // Locks immediately, so that what is read inside is still valid at the first write.
                Ok(Write { transaction: self.pool.begin_with("BEGIN IMMEDIATE").await?, _turn: turn })
            }
        }
    }
}

/// Tests a connection that was idle for a while. One used recently is not tested, because that would double the latency
/// of every query.
async fn still_there(connection: &mut AnyConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle >= ASK_AFTER && connection.ping().await.is_err() {
        return Ok(false);
    }
    is_between_transactions(connection).await
}

/// Whether a connection can start a transaction. If the disk is full, SQLite ends the transaction by itself and the
/// following rollback fails. `sqlx` then considers the connection to be in a transaction for ever and refuses every
/// later one. Such a connection is closed, and the pool opens another.
async fn is_between_transactions(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    // A rollback queued when its transaction was dropped completes before the ping returns.
    if connection.is_in_transaction() && connection.ping().await.is_err() {
        return Ok(false);
    }
    Ok(!connection.is_in_transaction())
}

/// Forces index scans. PostgreSQL plans for the average: for a workbench with one brand and ten thousand competitors,
/// it would scan all of them to find the brand, and compile the query first, for a third of a second.
async fn prepare_postgres(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    for setting in ["SET jit = off", "SET enable_seqscan = off"] {
        match sqlx::raw_sql(setting).execute(&mut *connection).await {
            // A server without such a setting works too.
            Ok(_) | Err(sqlx::Error::Database(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn prepare_sqlite(connection: &mut AnyConnection, access: SqliteAccess) -> Result<(), sqlx::Error> {
    let settings = "PRAGMA busy_timeout = 60000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;";
    sqlx::raw_sql(settings).execute(&mut *connection).await?;
    if access != SqliteAccess::Write {
        return Ok(());
    }
    // Stored in the file, so it is set once. SQLite's busy timeout does not cover a concurrent change of this setting.
    let mut attempt = 0;
    loop {
        match set_wal(connection).await {
            Err(error) if is_locked(&error) && attempt < LOCKED_ATTEMPTS => attempt += 1,
            outcome => return outcome,
        }
        tokio::time::sleep(LOCKED_PAUSE).await;
    }
}

/// How often to try setting the journal mode while another process locks the database, and the pause between attempts.
const LOCKED_ATTEMPTS: u32 = 600;
const LOCKED_PAUSE: Duration = Duration::from_millis(50);

async fn set_wal(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *connection).await?;
    if mode != "wal" {
        sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut *connection).await?;
    }
    Ok(())
}

/// Whether SQLite refused because another connection holds a lock: `SQLITE_BUSY` and its extended codes.
fn is_locked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|refusal| refusal.code()?.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

/// Whether no database exists at this path. An empty file does not count as one.
fn is_missing(path: &Path) -> Result<bool, StoreError> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(meta.len() == 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(StoreError::io(path, error)),
    }
}

/// Creates an empty file that only its owner can read. SQLite gives its companion files the same mode.
fn create_private(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| StoreError::io(folder, e))?;
    }
    platform::create_private_file(path).map_err(|e| StoreError::io(path, e))
}

/// How the file can be opened. Makes it and its companion files private if possible.
fn sqlite_access(path: &Path) -> Result<SqliteAccess, StoreError> {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let beside = ["-wal", "-shm"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    });
    match std::fs::OpenOptions::new().write(true).open(path) {
        Ok(_) => {
            for file in beside.iter().map(PathBuf::as_path).chain([path]).filter(|file| file.exists()) {
                // Only the owner of a file can do this; otherwise the folder's permissions must protect it.
                let _ = platform::make_private(file);
            }
            Ok(SqliteAccess::Write)
        }
        // An existing write-ahead log may contain changes that the file itself does not have yet.
        Err(error) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {
            let log = beside.iter().any(|file| file.exists());
            Ok(if log { SqliteAccess::Read } else { SqliteAccess::ReadUnchanging })
        }
        Err(error) => Err(StoreError::io(path, error)),
    }
}

fn sqlite_url(path: &Path, access: SqliteAccess) -> Result<String, StoreError> {
    let wrong = || StoreError::Settings { why: "the database's path is not Unicode".to_owned() };
    let path = path.to_str().ok_or_else(wrong)?;
    let mode = match access {
        SqliteAccess::Write => "mode=rw",
        SqliteAccess::Read => "mode=ro",
        SqliteAccess::ReadUnchanging => "mode=ro&immutable=true",
    };
    Ok(format!("sqlite:{}?{mode}", percent_encoded(path)))
}

/// Escapes everything that could have a meaning in a URL.
fn percent_encoded(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.~:\\".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn postgres_url(url: &str) -> Result<String, StoreError> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(url.to_owned());
    }
    Err(StoreError::Settings { why: "invalid database URL: use postgres://user@host/name".to_owned() })
}

/// The URL is not part of the message, because it may contain a password.
fn settings(_: sqlx::Error) -> StoreError {
    StoreError::Settings { why: "the database URL cannot be parsed".to_owned() }
}

/// A text column that contains a parsable value.
pub(crate) fn parsed<T>(row: &AnyRow, column: &str) -> Result<T, StoreError>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text: String = row.try_get(column)?;
    text.parse().map_err(|e| StoreError::row(format!("{column}: {e}")))
}

/// A column that is never negative.
pub(crate) fn counted(row: &AnyRow, column: &str) -> Result<u64, StoreError> {
    let number: i64 = row.try_get(column)?;
    u64::try_from(number).map_err(|_| StoreError::row(format!("{column} is negative")))
}

/// A text that every database can store: PostgreSQL texts cannot contain NUL.
pub(crate) fn plain(text: impl AsRef<str>) -> String {
    text.as_ref().replace('\0', "\u{fffd}")
}

/// A number in the database's integer type.
pub(crate) fn big(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_paths_survive_the_url() {
        assert_eq!(percent_encoded("/a b/ü?#%.db"), "/a%20b/%C3%BC%3F%23%25.db");
    }

    #[test]
    fn nothing_shows_a_password() {
        let database = Database::Postgres("postgres://me:secret@host/db".to_owned());
        assert_eq!(format!("{database:?}"), "Postgres");
        assert!(postgres_url("mysql://me:secret@host/db").is_err_and(|e| !e.to_string().contains("secret")));
    }
}
