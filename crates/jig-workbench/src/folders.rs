//! The watched folders of plain files, which need not be scanned again for each call, and their locks.
//!
//! A folder has two locks. Within the process, operations queue as async tasks, so none of them occupies a thread. Only
//! the first in the queue tries the file lock that excludes other processes, in short steps. However many operations
//! are waiting, no thread is blocked, and the holder can always finish. Both waits share one deadline.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_contract::{Code, OpError, WorkbenchId};
use jig_store::{StoreError, View, ViewLock};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use crate::call_scope;

/// The maximum number of watched workbenches: each costs memory and an operating system watch.
const WATCHED: usize = 16;

/// The watched folders, most recently used first.
#[derive(Default)]
pub(crate) struct Folders(Mutex<Vec<(WorkbenchId, View)>>);

impl Folders {
    /// The view of a workbench whose folder is at this path.
    pub(crate) fn get(&self, id: &WorkbenchId, path: impl FnOnce() -> PathBuf) -> View {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = folders.iter().position(|(known, _)| known == id).map(|at| folders.remove(at));
        let (id, view) = known.unwrap_or_else(|| (id.clone(), View::watched(path())));
        folders.insert(0, (id, view.clone()));
        folders.truncate(WATCHED);
        view
    }
}

/// The first pause between attempts at the file lock; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The maximum pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The queues for the folders in use.
#[derive(Default)]
pub(crate) struct WorkbenchLocks(Mutex<HashMap<WorkbenchId, Arc<tokio::sync::Mutex<()>>>>);

/// The exclusive lock on a folder, within this process and across processes.
pub(crate) struct WorkbenchLock {
    // Dropped in declaration order: the next in the queue finds the file lock free.
    _file: ViewLock,
    _turn: OwnedMutexGuard<()>,
}

impl WorkbenchLocks {
    /// Waits for a folder until the deadline. Stops early if the caller cancels.
    pub(crate) async fn acquire(
        &self,
        id: &WorkbenchId,
        folder: &View,
        wait: Duration,
    ) -> Result<WorkbenchLock, OpError> {
        let deadline = Instant::now() + wait;
        let acquiring = async {
            let turn = self.queue(id).lock_owned().await;
            let file = file_lock(folder).await?;
            Ok::<_, OpError>(WorkbenchLock { _file: file, _turn: turn })
        };
        tokio::select! {
            biased;
            acquired = tokio::time::timeout_at(deadline, acquiring) => acquired.unwrap_or_else(|_| Err(busy(id, wait))),
            () = call_scope::cancelled() => Err(call_scope::cancelled_error()),
        }
    }

    fn queue(&self, id: &WorkbenchId) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Each waiter and holder has a clone, so a queue with a single owner is unused.
        queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        Arc::clone(queues.entry(id.clone()).or_default())
    }
}

async fn file_lock(folder: &View) -> Result<ViewLock, OpError> {
    let mut pause = FIRST_PAUSE;
    loop {
        let view = folder.clone();
        let attempt = tokio::task::spawn_blocking(move || view.try_lock()).await.map_err(StoreError::from)?;
        if let Some(lock) = attempt? {
            return Ok(lock);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn busy(id: &WorkbenchId, wait: Duration) -> OpError {
    let message = format!("the workbench is busy: another operation has held it for {} s", wait.as_secs());
    OpError::new(Code::Busy, message).workbench(id).action("retry").hint("retry in a few seconds; nothing was changed")
}
