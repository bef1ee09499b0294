//! The database: SQLite or PostgreSQL behind one set of SQL texts.
//!
//! Both understand `$1`. The few words in which they differ are filled in by [`Dialect`].

mod migrate;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Row as _, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::StoreError;

/// After so long a connection is asked whether it still stands, before it is used.
const ASK_AFTER: Duration = Duration::from_secs(1);

/// Where rows are kept.
#[derive(Clone)]
pub enum Database {
    /// In this file, which is made when it is not there.
    Sqlite(PathBuf),
    /// In the PostgreSQL database with this URL.
    Postgres(String),
}

impl std::fmt::Debug for Database {
    /// A URL may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite(_) => "Sqlite",
            Self::Postgres(_) => "Postgres",
        })
    }
}

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Fills in the type of JSON.
    pub(crate) fn sql(self, text: &'static str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("{json}", self.json()))
    }

    /// What follows a text to compare it byte by byte. SQLite always does; how PostgreSQL does otherwise depends
    /// on how it was set up.
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

    /// The type of JSON.
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
    /// SQLite has one writer at a time. Those of this process queue here, in order, instead of asking
    /// again and again.
    turn: Arc<Semaphore>,
}

/// A transaction that writes. It is undone unless it is committed.
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
    /// Connects and brings the tables to the newest form.
    pub(crate) async fn open(database: &Database) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let (url, dialect, connections) = match database {
            Database::Sqlite(path) => (sqlite_url(path)?, Dialect::Sqlite, 8),
            Database::Postgres(url) => (postgres_url(url)?, Dialect::Postgres, 16),
        };
        let options: AnyConnectOptions = url.parse().map_err(settings)?;
        let mut pool = AnyPoolOptions::new().max_connections(connections).test_before_acquire(false);
        pool = match dialect {
            Dialect::Sqlite => pool.after_connect(|connection, _| Box::pin(prepare_sqlite(connection))),
            Dialect::Postgres => {
                let pool = pool.after_connect(|connection, _| Box::pin(prepare_postgres(connection)));
                pool.before_acquire(|connection, meta| Box::pin(still_there(connection, meta.idle_for)))
            }
        };
        // By hand first: a pool would try for half a minute before it says what is wrong.
        let mut first = AnyConnection::connect_with(&options).await?;
        if dialect == Dialect::Sqlite {
            prepare_sqlite(&mut first).await?;
        }
        let pool = pool.connect_lazy_with(options);
        let db = Self { pool, dialect, turn: Arc::new(Semaphore::new(1)) };
        migrate::run(&db, &mut first).await?;
        first.close().await?;
        Ok(db)
    }

    pub(crate) const fn pool(&self) -> &AnyPool {
        &self.pool
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether the database answers.
    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        let _: i64 = sqlx::query_scalar("SELECT version FROM schema_version").fetch_one(&self.pool).await?;
        Ok(())
    }

    /// Begins a transaction that writes.
    pub(crate) async fn write(&self) -> Result<Write, StoreError> {
        match self.dialect {
            Dialect::Postgres => Ok(Write { transaction: self.pool.begin().await?, _turn: None }),
            Dialect::Sqlite => {
                // The semaphore is never closed, so there is always a turn.
                let turn = Arc::clone(&self.turn).acquire_owned().await.ok();
                // Locks at once, so that what is read inside still holds when it writes.
                Ok(Write { transaction: self.pool.begin_with("BEGIN IMMEDIATE").await?, _turn: turn })
            }
        }
    }
}

/// Whether a connection that was left alone for a while still leads to the server. One that was in use a moment
/// ago is not asked: that would double the way of every question.
async fn still_there(connection: &mut AnyConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle < ASK_AFTER {
        return Ok(true);
    }
    Ok(connection.ping().await.is_ok())
}

/// Everything is asked for by index. PostgreSQL reckons with the mean: of a workbench with one brand and ten thousand
/// competitors it would read all to find the brand, and compile the question first, for a third of a second.
async fn prepare_postgres(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    for setting in ["SET jit = off", "SET enable_seqscan = off"] {
        match sqlx::raw_sql(setting).execute(&mut *connection).await {
            // A server without such a setting answers all the same.
            Ok(_) | Err(sqlx::Error::Database(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn prepare_sqlite(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let settings = "PRAGMA busy_timeout = 60000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;";
    sqlx::raw_sql(settings).execute(&mut *connection).await?;
    // Kept in the file, so it is set once. Whoever else does so at this moment makes it wait.
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *connection).await?;
    if mode != "wal" {
        sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut *connection).await?;
    }
    Ok(())
}

fn sqlite_url(path: &Path) -> Result<String, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| StoreError::io(folder, e))?;
    }
    let wrong = || StoreError::Settings { why: "the database's path is not Unicode".to_owned() };
    let path = path.to_str().ok_or_else(wrong)?;
    Ok(format!("sqlite:{}?mode=rwc", percent_encoded(path)))
}

/// Everything that could mean something in a URL.
fn percent_encoded(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.~:\\".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn postgres_url(url: &str) -> Result<String, StoreError> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(url.to_owned());
    }
    Err(StoreError::Settings { why: "a database is given as postgres://user@host/name".to_owned() })
}

/// The URL itself stays out of the message: it may hold a password.
fn settings(_: sqlx::Error) -> StoreError {
    StoreError::Settings { why: "the database's URL cannot be read".to_owned() }
}

/// A text column that holds a value of ours.
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

/// A text of ours as the database keeps it: no text of PostgreSQL holds a NUL.
pub(crate) fn plain(text: impl AsRef<str>) -> String {
    text.as_ref().replace('\0', "\u{fffd}")
}

/// A number of ours as the database keeps it.
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
