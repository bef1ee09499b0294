//! A semaphore that is fair between workbenches.
//!
//! Requests of one workbench are served in their order, and workbenches take turns. So a workbench with a long queue makes
//! the others wait for one of its calls, not for all of them. A caller that stops waiting holds nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A number of permits. Clones share them.
#[derive(Debug, Clone)]
pub struct FairSemaphore(Arc<Mutex<Queues>>);

#[derive(Debug)]
struct Queues {
    free: usize,
    /// The waiting callers by workbench.
    waiting: BTreeMap<String, VecDeque<oneshot::Sender<FairPermit>>>,
    /// The workbenches with waiting callers, in the order of their turns.
    order: VecDeque<String>,
}

/// A permit, released when dropped.
#[derive(Debug)]
pub struct FairPermit(Option<FairSemaphore>);

impl FairSemaphore {
    /// With this number of permits, at least one.
    pub fn new(permits: usize) -> Self {
        let free = permits.max(1);
        Self(Arc::new(Mutex::new(Queues { free, waiting: BTreeMap::new(), order: VecDeque::new() })))
    }

    /// Waits for a permit. Drop the future to stop waiting.
    pub async fn acquire(&self, workbench: Option<&str>) -> FairPermit {
        let receive = {
            let mut queues = self.lock();
            if queues.free > 0 {
                queues.free -= 1;
                return FairPermit(Some(self.clone()));
            }
            let (send, receive) = oneshot::channel();
            let workbench = workbench.unwrap_or_default().to_owned();
            if !queues.order.contains(&workbench) {
                queues.order.push_back(workbench.clone());
            }
            queues.waiting.entry(workbench).or_default().push_back(send);
            receive
        };
        // A sender is only dropped after it has sent.
        match receive.await {
            Ok(permit) => permit,
            Err(_) => std::future::pending().await,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a permit to the next caller, or makes it free.
    fn release(&self) {
        loop {
            let send = {
                let mut queues = self.lock();
                let Some(send) = queues.next() else {
                    queues.free += 1;
                    return;
                };
                send
            };
            // A caller that has stopped waiting returns the permit. It must not be released again by its drop.
            match send.send(FairPermit(Some(self.clone()))) {
                Ok(()) => return,
                Err(mut permit) => permit.0 = None,
            }
        }
    }
}

impl Queues {
    fn next(&mut self) -> Option<oneshot::Sender<FairPermit>> {
        while let Some(workbench) = self.order.pop_front() {
            let Some(queue) = self.waiting.get_mut(&workbench) else { continue };
            let first = queue.pop_front();
            if queue.is_empty() {
                self.waiting.remove(&workbench);
            } else {
                self.order.push_back(workbench);
            }
            if first.is_some() {
                return first;
            }
        }
        None
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        if let Some(semaphore) = self.0.take() {
            semaphore.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::BoxFuture;

    use super::*;

    /// A caller that waits.
    fn waiting<'s>(semaphore: &'s FairSemaphore, workbench: &'s str) -> BoxFuture<'s, FairPermit> {
        let mut wait = semaphore.acquire(Some(workbench)).boxed();
        // The first poll puts it into the queue.
        assert!((&mut wait).now_or_never().is_none());
        wait
    }

    #[test]
    fn workbenches_take_turns_and_each_has_its_order() {
        let semaphore = FairSemaphore::new(1);
        let mut permit = semaphore.acquire(Some("a")).now_or_never();
        let mut waits: Vec<(usize, BoxFuture<'_, FairPermit>)> =
            ["a", "a", "a", "b", "b", "c"].into_iter().map(|name| waiting(&semaphore, name)).enumerate().collect();
        let mut order = Vec::new();
        while !waits.is_empty() {
            drop(permit.take());
            waits.retain_mut(|(n, wait)| match wait.now_or_never() {
                Some(next) => {
                    assert!(permit.replace(next).is_none(), "one permit was given to two callers");
                    order.push(*n);
                    false
                }
                None => true,
            });
            assert!(permit.is_some(), "no caller got the permit");
        }
        assert_eq!(order, [0, 3, 5, 1, 4, 2]);
        drop(permit);
        assert!(semaphore.acquire(None).now_or_never().is_some());
    }

    #[test]
    fn callers_that_stop_waiting_hold_no_permit() {
        let semaphore = FairSemaphore::new(2);
        let permits = [semaphore.acquire(None), semaphore.acquire(None)].map(|wait| wait.now_or_never().unwrap());
        let (gone, stays) = (waiting(&semaphore, "a"), waiting(&semaphore, "b"));
        let late = waiting(&semaphore, "a");
        drop(gone);
        drop(permits);
        let (stays, late) = (stays.now_or_never().unwrap(), late.now_or_never().unwrap());
        assert!(semaphore.acquire(None).now_or_never().is_none(), "both permits are in use");
        // A caller that got its permit and left before it noticed releases it too.
        let unseen = waiting(&semaphore, "c");
        drop(stays);
        drop(unseen);
        let again = semaphore.acquire(None).now_or_never().unwrap();
        drop((late, again));
        assert_eq!(semaphore.lock().free, 2);
        assert!(semaphore.lock().waiting.is_empty() && semaphore.lock().order.is_empty());
    }
}
