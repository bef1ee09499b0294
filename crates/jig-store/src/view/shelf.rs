//! What a process that stays keeps of a view from one operation to the next.

use std::sync::{Arc, Mutex, PoisonError};

use super::folder::Folder;
use super::index::Index;
use super::log::Log;
use super::watch::Watch;

/// A place for what is known between two operations. Empty during an operation and after one that failed:
/// the next one then begins from what is on disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelf(Arc<Mutex<Option<Held>>>);

/// What is kept.
#[derive(Debug)]
pub(super) struct Held {
    /// The index, all of which is in the log.
    pub index: Index,
    pub log: Log,
    pub watch: Option<Watch>,
    /// The number of the workbench's folder.
    folder: (u64, u64),
}

impl Shelf {
    /// Takes what is there.
    pub(super) fn take(&self) -> Option<Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Puts down what is known of the view in this folder.
    pub(super) fn put(&self, workbench: &Folder, index: Index, log: Log, watch: Option<Watch>) {
        if let Ok(folder) = workbench.id() {
            let held = Held { index, log, watch, folder };
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        }
    }
}

impl Held {
    /// Whether this was learnt in that folder, and not in one whose path it has now.
    pub(super) fn is_of(&self, workbench: &Folder) -> bool {
        workbench.id().is_ok_and(|id| id == self.folder)
    }
}
