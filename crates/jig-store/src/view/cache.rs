//! In-memory state of a view between operations of a long-lived process.

use std::sync::{Arc, Mutex, PoisonError};

use super::folder::Folder;
use super::index::Index;
use super::log::Log;
use super::watch::Watch;

/// The state between two operations. Empty during an operation and after one that failed; the next one then starts from
/// what is on disk.
#[derive(Debug, Clone, Default)]
pub(super) struct ViewCache(Arc<Mutex<Option<Held>>>);

/// The stored state.
#[derive(Debug)]
pub(super) struct Held {
    /// The index, entirely saved in the log.
    pub index: Index,
    pub log: Log,
    pub watch: Option<Watch>,
    /// The device and inode of the workbench's folder.
    folder: (u64, u64),
}

impl ViewCache {
    pub(super) fn take(&self) -> Option<Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stores the state of the view in this folder.
    pub(super) fn put(&self, workbench: &Folder, index: Index, log: Log, watch: Option<Watch>) {
        if let Ok(folder) = workbench.id() {
            let held = Held { index, log, watch, folder };
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        }
    }
}

impl Held {
    /// Whether the state belongs to this folder, rather than to one that was replaced at its path.
    pub(super) fn is_of(&self, workbench: &Folder) -> bool {
        workbench.id().is_ok_and(|id| id == self.folder)
    }
}
