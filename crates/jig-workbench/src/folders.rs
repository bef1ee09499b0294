//! The folders of plain files that this process was at work in, so that it need not look at every file again, and who may
//! work in them.
//!
//! A folder has two locks. In the process, operations queue in the order they came, as tasks: none of them keeps a thread.
//! Only the first of the queue asks for the file lock that keeps other processes out, and it asks in short steps. So
//! however many operations wait, no thread does, and the one that holds the folder can always finish. Both waits end at
//! one deadline.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_contract::{Code, OpError, WorkbenchId};
use jig_store::{StoreError, View, ViewLock};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use crate::call_scope;

/// So many workbenches are watched at most: each takes room in memory and a queue of the system's.
const WATCHED: usize = 16;

/// The watched folders, the one used last in front.
#[derive(Default)]
pub(crate) struct Folders(Mutex<Vec<(WorkbenchId, View)>>);

impl Folders {
    /// The folder of a workbench, which is at this path.
    pub(crate) fn get(&self, id: &WorkbenchId, path: impl FnOnce() -> PathBuf) -> View {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = folders.iter().position(|(known, _)| known == id).map(|at| folders.remove(at));
        let (id, view) = known.unwrap_or_else(|| (id.clone(), View::watched(path())));
        folders.insert(0, (id, view.clone()));
        folders.truncate(WATCHED);
        view
    }
}

/// The first pause between two attempts at the file lock; each pause is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Queues for the folders of workbenches, one for each that is in use.
#[derive(Default)]
pub(crate) struct WorkbenchLocks(Mutex<HashMap<WorkbenchId, Arc<tokio::sync::Mutex<()>>>>);

/// The exclusive right to work in a folder, in this process and among all others.
pub(crate) struct WorkbenchLock {
    // Dropped in this order: the next in the queue finds the file lock free.
    _file: ViewLock,
    _turn: OwnedMutexGuard<()>,
}

impl WorkbenchLocks {
    /// Waits for a folder until the deadline. The wait ends early when the operation's caller has cancelled it.
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
        // Whoever waits or works holds a clone, so a queue with one owner is unused.
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
