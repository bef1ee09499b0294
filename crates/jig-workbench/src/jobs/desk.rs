//! In-memory state of jobs in this process: running jobs, and which schedules are up to date.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jig_contract::WorkbenchId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::Workbench;

/// The job state of a process.
#[derive(Default)]
pub(crate) struct JobDesk {
    /// Cancels jobs that run in this process.
    at_work: Mutex<HashMap<String, CancellationToken>>,
    /// Notified when a job was queued.
    wake: Notify,
    /// The journal number of each workbench for which schedules were last updated.
    scheduled: Mutex<HashMap<WorkbenchId, u64>>,
}

impl JobDesk {
    /// Notifies the workers that there is work.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits for a notification.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(super) fn begin(&self, job: &str, stop: CancellationToken) {
        lock(&self.at_work).insert(job.to_owned(), stop);
    }

    pub(super) fn end(&self, job: &str) {
        lock(&self.at_work).remove(job);
    }

    /// Whether the schedules of a workbench are up to date for this journal number; records the number.
    pub(super) fn knows(&self, id: &WorkbenchId, seq: u64) -> bool {
        lock(&self.scheduled).insert(id.clone(), seq) == Some(seq)
    }
}

impl Workbench {
    /// Cancels a job that runs in this process. A worker elsewhere notices when it renews its lease.
    pub(crate) fn stop_here(&self, job: &str) {
        if let Some(stop) = lock(&self.job_desk().at_work).get(job) {
            stop.cancel();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
