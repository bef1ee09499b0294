//! The view: a workbench's files as plain files in a folder, for people and their programs.
//!
//! The store is authoritative and the folder follows it, but manual edits of the folder are never overwritten:
//! [`View::scan`] finds them and stores their content, and [`View::write`] avoids files that a scan has not reported
//! yet. A lost or partial folder is recreated from the head.
//!
//! Internal data is in `.jig/` next to the files:
//! * `lock`: held during scans and writes;
//! * `index`: what the folder showed last (see `index` and `log`);
//! * `pending`: what a possibly interrupted write was about to show (see `pending`);
//! * `spare/`: a prepared folder for the next Draft (see `spare`);
//! * `leaving/`: a Draft's folder on its way to `spare/`;
//! * `tmp/`: files being written; a file gets its final name only when it is complete.

mod alike;
mod cache;
mod check;
mod clash;
mod files;
mod folder;
mod index;
mod log;
mod names;
mod nodes;
mod op;
mod open_view;
mod part;
mod pending;
mod place;
mod plan;
mod put_back;
mod read;
mod remove;
mod scan;
mod seal;
mod spare;
mod stage;
mod stat;
mod suspect;
mod tend;
#[cfg(test)]
mod tests;
mod walk;
mod watch;
mod why;
mod write;

use std::fs::{File, TryLockError};
use std::path::PathBuf;

use jig_contract::ops::LeftAlone;

use crate::error::StoreError;
use crate::tree::FileNode;
pub use check::ViewProblem;

/// The folders of a state that are shown.
const ROOTS: [&str; 3] = ["published", "draft", "meta/context"];

/// A workbench's folder. Cheap to clone.
///
/// The caller of a scan or write must hold the [lock](Self::try_lock).
#[derive(Debug, Clone)]
pub struct View {
    folder: PathBuf,
    cache: Option<cache::ViewCache>,
    #[cfg(test)]
    fault: Option<open_view::Fault>,
}

/// Limits on imported files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewLimits {
    /// The maximum size of a file: `limits.file_bytes`.
    pub file_bytes: u64,
    /// The maximum size of a `.csv` or `.tsv` file: `limits.table_bytes`.
    pub table_bytes: u64,
    /// The maximum number of files in each of `published/`, `draft/` and `meta/context/`: `limits.files`.
    pub files: u64,
}

/// Manual changes of the folder since it was last updated or scanned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// The changes: removals first, then writes, each sorted by path. They can be applied to the head in this order.
    pub changes: Vec<OutsideChange>,
    /// What is not imported, by path.
    pub left_alone: Vec<LeftAlone>,
    /// Whether the folder does not show the head, because of a crash or a missing part: [`View::write`] is required
    /// even without changes.
    pub behind: bool,
}

/// A manual change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideChange {
    /// Its path in the state: `published/notes.txt`.
    pub path: String,
    /// What happened to the file.
    pub kind: OutsideKind,
}

/// What happened to a manually changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideKind {
    /// It is new or has new content, which is already stored as a blob.
    Written(FileNode),
    /// It was removed.
    Removed,
}

/// The result of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewReport {
    /// The number of written files, without those that came with the folder of an earlier Draft.
    pub written: u64,
    /// The number of removed files.
    pub removed: u64,
    /// What could not be shown or removed and was left unchanged, by path.
    pub left_alone: Vec<LeftAlone>,
}

/// The exclusive lock of a view, released on drop.
#[derive(Debug)]
pub struct ViewLock {
    _file: File,
}

impl View {
    /// The view in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            cache: None,
            #[cfg(test)]
            fault: None,
        }
    }

    /// A view for a long-lived process: it and its clones remember what they showed, and if the system supports file
    /// notifications, they only check what was reported.
    pub fn watched(folder: impl Into<PathBuf>) -> Self {
        Self { cache: Some(cache::ViewCache::default()), ..Self::new(folder) }
    }

    /// Tries to acquire the lock; `None` while another thread or process holds it. Never blocks.
    pub fn try_lock(&self) -> Result<Option<ViewLock>, StoreError> {
        loop {
            match self.lock_found_file() {
                // The folder was removed between two steps.
                Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
                Ok(LockAttempt::Replaced) => {}
                Ok(LockAttempt::Locked(lock)) => return Ok(Some(lock)),
                Ok(LockAttempt::Held) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    fn lock_found_file(&self) -> Result<LockAttempt, StoreError> {
        let name = std::ffi::OsStr::new("lock");
        let file = open_view::open_private(&self.folder)?.1.own(name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(LockAttempt::Held),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // If the path leads to another file by now, this lock protects nothing.
        let found = open_view::open_private(&self.folder)?.1.thing(name)?;
        let ours = inode(found) == inode(Some(folder::thing(&file)?));
        Ok(if ours { LockAttempt::Locked(ViewLock { _file: file }) } else { LockAttempt::Replaced })
    }
}

/// The result of one attempt at the lock.
enum LockAttempt {
    /// Acquired.
    Locked(ViewLock),
    /// Held by another thread or process.
    Held,
    /// The locked file is no longer the one at the path.
    Replaced,
}

fn inode(thing: Option<stat::Thing>) -> Option<u64> {
    match thing {
        Some(stat::Thing::File(mark)) => Some(mark.inode),
        _ => None,
    }
}

/// Runs disk I/O on a thread where blocking is permitted.
async fn blocking<T, F>(work: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, StoreError> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await?
}
