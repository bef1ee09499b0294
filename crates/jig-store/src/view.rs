//! The view on disk: a workbench's files as plain files in a folder, for people and their programs.
//!
//! The store is the truth and the folder follows it, but what a person does in the folder is never
//! overwritten: [`View::scan`] finds it and keeps its bytes, [`View::write`] steps around what scan has
//! not yet given out. A folder that is lost or half written is made again from the head.
//!
//! Jig's own bookkeeping is in `.jig/` beside the files:
//! * `lock`: held by whoever scans and writes;
//! * `index`: what the folder showed last (see `index` and `log`);
//! * `pending`: what a write that may have been cut off was about to show (see `pending`);
//! * `spare/`: the folder of the next Draft (see `spare`);
//! * `leaving/`: that folder on its way there;
//! * `tmp/`: files on their way in; a file appears under its name only when it is whole.

mod alike;
mod check;
mod clash;
mod desk;
mod files;
mod folder;
mod index;
mod log;
mod names;
mod nodes;
mod op;
mod part;
mod pending;
mod place;
mod plan;
mod put_back;
mod read;
mod remove;
mod scan;
mod seal;
mod shelf;
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
/// Whoever scans or writes holds the [lock](Self::try_lock) meanwhile.
#[derive(Debug, Clone)]
pub struct View {
    folder: PathBuf,
    shelf: Option<shelf::Shelf>,
    #[cfg(test)]
    fault: Option<desk::Fault>,
}

/// What is not taken in because of its size or number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewLimits {
    /// The most bytes of a file: `limits.file_bytes`.
    pub file_bytes: u64,
    /// The most bytes of a `.csv` or `.tsv` file: `limits.table_bytes`.
    pub table_bytes: u64,
    /// The most files in each of `published/`, `draft/` and `meta/context/`: `limits.files`.
    pub files: u64,
}

/// What a person did in the folder since Jig last showed or took in something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// The changes: first what was removed, then what was written, each by path. They can be
    /// applied to the head in this order.
    pub changes: Vec<OutsideChange>,
    /// What is not taken in, by path.
    pub left_alone: Vec<LeftAlone>,
    /// Whether the folder does not show the head, be it for a crash or for a part that went missing:
    /// [`View::write`] is due even when there are no changes.
    pub behind: bool,
}

/// A file that was changed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideChange {
    /// Its path in the state: `published/notes.txt`.
    pub path: String,
    /// What happened to it.
    pub kind: OutsideKind,
}

/// What happened to a file that was changed by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideKind {
    /// It is new or has new content, which is kept as a blob already.
    Written(FileNode),
    /// It is gone.
    Removed,
}

/// What a write did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewReport {
    /// How many files were written. Those that came back with the last Draft's folder were not.
    pub written: u64,
    /// How many files were removed.
    pub removed: u64,
    /// What could not be shown or removed, and was left as it is, by path.
    pub left_alone: Vec<LeftAlone>,
}

/// The right to scan and write a view, given back when dropped.
#[derive(Debug)]
pub struct ViewLock {
    _file: File,
}

impl View {
    /// The view in this folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            shelf: None,
            #[cfg(test)]
            fault: None,
        }
    }

    /// The same for a process that stays: it and its clones remember what they showed, and where the system
    /// tells what happens in the folder, they look only at that.
    pub fn watched(folder: impl Into<PathBuf>) -> Self {
        Self { shelf: Some(shelf::Shelf::default()), ..Self::new(folder) }
    }

    /// The lock; none while another thread or process holds the view. This never waits.
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
        let file = desk::open_private(&self.folder)?.1.own(name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(LockAttempt::Held),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // A lock that others do not find guards nothing.
        let found = desk::open_private(&self.folder)?.1.thing(name)?;
        let ours = inode(found) == inode(Some(folder::thing(&file)?));
        Ok(if ours { LockAttempt::Locked(ViewLock { _file: file }) } else { LockAttempt::Replaced })
    }
}

/// What became of one attempt at the lock.
enum LockAttempt {
    /// It is ours.
    Locked(ViewLock),
    /// Someone else has it.
    Held,
    /// The locked file is no longer the one that others find.
    Replaced,
}

fn inode(thing: Option<stat::Thing>) -> Option<u64> {
    match thing {
        Some(stat::Thing::File(mark)) => Some(mark.inode),
        _ => None,
    }
}

/// Runs work that waits for the disk where it holds nothing up.
async fn blocking<T, F>(work: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, StoreError> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await?
}
