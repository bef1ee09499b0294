//! What this process knows of jobs beside the database: which ones it works on, and how far it has looked.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jig_contract::WorkbenchId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::Workbench;

/// The desk of a process.
#[derive(Default)]
pub(crate) struct JobDesk {
    /// How to stop those that are at work here.
    at_work: Mutex<HashMap<String, CancellationToken>>,
    /// Somebody queued something.
    wake: Notify,
    /// The last change of each workbench whose schedules are known.
    scheduled: Mutex<HashMap<WorkbenchId, u64>>,
}

impl JobDesk {
    /// There is something to do.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until there is.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(super) fn begin(&self, job: &str, stop: CancellationToken) {
        lock(&self.at_work).insert(job.to_owned(), stop);
    }

    pub(super) fn end(&self, job: &str) {
        lock(&self.at_work).remove(job);
    }

    /// Whether the schedules of a workbench are those of this change; from now on they are.
    pub(super) fn knows(&self, id: &WorkbenchId, seq: u64) -> bool {
        lock(&self.scheduled).insert(id.clone(), seq) == Some(seq)
    }
}

impl Workbench {
    /// Stops a job that is at work in this process; one elsewhere hears of it with its next sign of life.
    pub(crate) fn stop_here(&self, job: &str) {
        if let Some(stop) = lock(&self.job_desk().at_work).get(job) {
            stop.cancel();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
