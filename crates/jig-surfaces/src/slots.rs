//! Request slots limit concurrent operations, in total and per workbench.
//!
//! A slot is held by the operation rather than the connection, so a client that disconnects frees nothing that is still
//! in use. A waiting request holds nothing, and stops waiting when its client disconnects. The share of one workbench
//! is smaller than the total, so that a slow workbench leaves slots for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_contract::{Code, OpError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a call waits for a slot.
const WAIT: Duration = Duration::from_secs(10);
/// The share of one workbench is the total divided by this.
const SHARES: usize = 4;

/// The slots of a server. Cheap to clone; clones share the same slots.
#[derive(Debug, Clone)]
pub struct Slots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: Arc<Semaphore>,
    share: usize,
    /// The shares of active workbenches.
    workbenches: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// The right to run one operation, released on drop.
#[derive(Debug)]
pub struct Slot {
    _total: OwnedSemaphorePermit,
    _workbench: Option<OwnedSemaphorePermit>,
}

impl Slots {
    /// Slots for this many concurrent operations.
    pub fn new(at_once: usize) -> Self {
        let total = at_once.clamp(1, Semaphore::MAX_PERMITS);
        let share = (total / SHARES).max(1);
        Self(Arc::new(Inner { total: Arc::new(Semaphore::new(total)), share, workbenches: Mutex::default() }))
    }

    /// Waits for a slot, for a limited time.
    pub async fn acquire(&self, workbench: Option<&str>) -> Result<Slot, OpError> {
        let both = async {
            // The share first: a request that waits for a slow workbench must not hold a slot meanwhile.
            let share = match workbench {
                Some(id) => Some(self.share(id).acquire_owned().await.ok()?),
                None => None,
            };
            let total = Arc::clone(&self.0.total).acquire_owned().await.ok()?;
            Some(Slot { _total: total, _workbench: share })
        };
        let slot = tokio::time::timeout(WAIT, both).await.ok().flatten();
        slot.ok_or_else(|| OpError::new(Code::Busy, "the server is busy; retry in a few seconds").action("retry"))
    }

    /// Waits until any slot is free.
    pub async fn free(&self) {
        let _ = self.0.total.acquire().await;
    }

    fn share(&self, id: &str) -> Arc<Semaphore> {
        let mut shares = self.0.workbenches.lock().unwrap_or_else(PoisonError::into_inner);
        // Each waiter and holder has a clone, so a share with a single owner is unused.
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let fresh = || Arc::new(Semaphore::new(self.0.share));
        Arc::clone(shares.entry(id.to_owned()).or_insert_with(fresh))
    }
}
