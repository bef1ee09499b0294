//! Errors of the store.

use std::path::PathBuf;

use jig_contract::{BadPath, BlobHash, WorkbenchId};

/// An error of the store. Messages refer to things in the workbench, never to host paths.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The workbench does not exist.
    #[error("there is no workbench `{id}`")]
    WorkbenchNotFound {
        /// The requested id.
        id: WorkbenchId,
    },
    /// The id is taken.
    #[error("workbench `{id}` already exists")]
    WorkbenchExists {
        /// The requested id.
        id: WorkbenchId,
    },
    /// The checkpoint does not exist.
    #[error("there is no checkpoint `{wanted}`")]
    CheckpointNotFound {
        /// The requested id or name.
        wanted: String,
    },
    /// A blob is missing.
    #[error("the blob {hash} is missing")]
    BlobMissing {
        /// Its hash.
        hash: BlobHash,
    },
    /// The content of a blob does not match its hash.
    #[error("the blob {hash} is damaged: its bytes do not match its hash")]
    BlobCorrupt {
        /// Its hash.
        hash: BlobHash,
    },
    /// A blob cannot be parsed as a folder.
    #[error("the folder {hash} cannot be read: {why}")]
    TreeInvalid {
        /// The blob.
        hash: BlobHash,
        /// The violated rule.
        why: String,
    },
    /// Another writer changed the same paths first.
    #[error("someone else changed the same thing first: {}", paths.join(", "))]
    Conflict {
        /// The paths they changed.
        paths: Vec<String>,
    },
    /// A name differs from an existing one only in case.
    #[error("`{path}` differs from the existing `{existing}` only in upper and lower case")]
    CaseCollision {
        /// The new path.
        path: String,
        /// The existing path.
        existing: String,
    },
    /// A file is where a folder is needed, or the reverse.
    #[error("`{path}` is a file where a folder is needed, or a folder where a file is needed")]
    PathInUse {
        /// The path.
        path: String,
    },
    /// A path violates the rules for names.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// No change can be undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// No change can be redone.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The disk is full.
    #[error("no space left on device")]
    DiskFull,
    /// The data was written by a newer version.
    #[error("the data has format {found}; this version knows formats up to {known}")]
    TooNew {
        /// The version of the data.
        found: i64,
        /// The newest supported version.
        known: i64,
    },
    /// An archive is damaged or invalid.
    #[error("invalid archive: {why}")]
    Archive {
        /// The reason.
        why: String,
    },
    /// The store settings are invalid.
    #[error("invalid store settings: {why}")]
    Settings {
        /// The reason.
        why: String,
    },
    /// There are blobs, but their database is missing.
    #[error("the database is missing or empty, but the blob store contains data")]
    DatabaseMissing,
    /// The database file belongs to another program.
    #[error("the database file was not written by Jig")]
    ForeignDatabase,
    /// There is a database, but its blobs are missing.
    #[error("the blob store is empty, but the database is in use")]
    BlobsMissing,
    /// The database and the blobs belong to different stores.
    #[error("the database and the blob store do not belong together")]
    WrongBlobs,
    /// The store is read-only.
    #[error("the store is read-only: its files cannot be written")]
    ReadOnly,
    /// A file changed while it was being read.
    #[error("the file changed while it was being read")]
    FileChanged,
    /// Another process is collecting garbage.
    #[error("another process is currently removing unused blobs")]
    Collecting,
    /// A database row is inconsistent.
    #[error("the database has an invalid row: {why}")]
    Row {
        /// The row and the reason.
        why: String,
    },
    /// The database failed.
    #[error("the database failed{}", database_words(.0))]
    Database(#[source] sqlx::Error),
    /// The blob store failed.
    #[error("the blob store failed")]
    Blobs(#[source] object_store::Error),
    /// A local file could not be read or written.
    #[error("a file could not be read or written: {}", source.kind())]
    Io {
        /// The file, for the log only.
        path: Option<PathBuf>,
        /// The cause.
        source: std::io::Error,
    },
}

impl StoreError {
    /// An I/O error at this path.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        match Self::from(source) {
            Self::Io { source, .. } => Self::Io { path: Some(path.into()), source },
            other => other,
        }
    }

    /// The error for an invalid archive.
    pub(crate) fn archive(why: impl Into<String>) -> Self {
        Self::Archive { why: why.into() }
    }

    /// The error for an inconsistent row.
    pub(crate) fn row(why: impl std::fmt::Display) -> Self {
        Self::Row { why: why.to_string() }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(source: std::io::Error) -> Self {
        if is_full(&source) { Self::DiskFull } else { Self::Io { path: None, source } }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // SQLITE_FULL, SQLITE_IOERR_SHMSIZE (no space to extend the index of the write-ahead log), PostgreSQL's
        // `disk_full`.
        let code = error.as_database_error().and_then(|e| e.code().map(std::borrow::Cow::into_owned));
        if matches!(code.as_deref(), Some("13" | "4874" | "53100")) || caused_by_full(&error) {
            return Self::DiskFull;
        }
        Self::Database(error)
    }
}

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> Self {
        if caused_by_full(&error) { Self::DiskFull } else { Self::Blobs(error) }
    }
}

impl From<tokio::task::JoinError> for StoreError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::from(std::io::Error::other(error))
    }
}

/// Whether the disk or the quota is full.
fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

fn caused_by_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<std::io::Error>().is_some_and(is_full) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// A description of a database error that reveals neither passwords nor stored data.
fn database_words(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Io(io) => format!(": it cannot be reached ({})", io.kind()),
        sqlx::Error::PoolTimedOut => ": it does not respond in time".to_owned(),
        sqlx::Error::Database(refusal) => match refusal.code().as_deref() {
            Some(code) if code.starts_with("28") => ": it rejected the user or password".to_owned(),
            Some("3D000") => ": a database with that name does not exist".to_owned(),
            Some(code) if sqlite(code, &UNWRITABLE) => ": its file or folder cannot be written".to_owned(),
            Some(code) if sqlite(code, &DAMAGED) => ": its file is damaged or not a database".to_owned(),
            Some(code) => format!(" (code {code})"),
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// SQLite's codes for a file that cannot be written or opened.
const UNWRITABLE: [u32; 2] = [8, 14];
const DAMAGED: [u32; 2] = [11, 26];

/// Whether a code is one of these SQLite codes, whose lowest byte is the kind. PostgreSQL codes have five characters.
fn sqlite(code: &str, kinds: &[u32]) -> bool {
    code.len() < 5 && code.parse::<u32>().is_ok_and(|code| kinds.contains(&(code & 0xff)))
}

/// Whether the database file is damaged.
pub(crate) fn is_damaged(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(refusal) = error else { return false };
    refusal.code().is_some_and(|code| sqlite(&code, &DAMAGED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_known_however_deep_it_is_wrapped() {
        let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(matches!(StoreError::from(full()), StoreError::DiskFull));
        assert!(matches!(StoreError::io("somewhere", full()), StoreError::DiskFull));
        assert!(matches!(StoreError::from(sqlx::Error::Io(full())), StoreError::DiskFull));
        let wrapped = object_store::Error::Generic { store: "x", source: Box::new(full()) };
        assert!(matches!(StoreError::from(wrapped), StoreError::DiskFull));
    }

    #[test]
    fn messages_name_no_place_on_the_host() {
        let error = StoreError::io("a/secret/place", std::io::ErrorKind::PermissionDenied.into());
        assert_eq!(error.to_string(), "a file could not be read or written: permission denied");
    }
}
