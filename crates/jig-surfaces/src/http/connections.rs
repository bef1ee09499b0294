//! Limits on connections and on concurrent requests per caller.
//!
//! The number of connections is limited. A connection without an active request (idle keep-alive, or a client that
//! sends its headers slowly) is closed when a new client needs its slot, the longest idle one first. Opening many
//! connections therefore locks no one out. One caller may have at most a quarter of the active requests.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The value of [`ConnectionState::requests`] without an active request.
const IDLE: u32 = 0;
/// The value of [`ConnectionState::requests`] of a closing connection.
const CLOSING: u32 = u32::MAX;
/// How often to check for an idle connection while all are busy.
const RETRY: Duration = Duration::from_millis(100);
/// The minimum number of active requests that every caller may have, however low the connection limit is.
const LEAST_REQUESTS: usize = 8;

/// The connection slots of a server. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct ConnectionSlots(Arc<Slots>);

#[derive(Debug)]
struct Slots {
    free: Arc<Semaphore>,
    used: Mutex<BTreeMap<u64, Arc<ConnectionState>>>,
    next_id: AtomicU64,
    /// A logical clock, increased whenever a connection becomes idle.
    clock: AtomicU64,
}

#[derive(Debug)]
struct ConnectionState {
    requests: AtomicU32,
    idle_since: AtomicU64,
    close: Notify,
}

/// The slot of a connection, released on drop.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    slots: ConnectionSlots,
    id: u64,
    state: Arc<ConnectionState>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionSlots {
    pub(super) fn new(count: usize) -> Self {
        let free = Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        let (next_id, clock) = (AtomicU64::new(0), AtomicU64::new(0));
        Self(Arc::new(Slots { free, used: Mutex::default(), next_id, clock }))
    }

    /// Waits for a slot. If all are in use, closes the longest idle connection.
    pub(super) async fn acquire(&self) -> Option<ConnectionSlot> {
        let permit = match Arc::clone(&self.0.free).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => loop {
                let waiting = Arc::clone(&self.0.free).acquire_owned();
                if self.close_idle() {
                    break waiting.await.ok()?;
                }
                // All are busy: wait for one to end, and check again for one that has become idle.
                if let Ok(permit) = tokio::time::timeout(RETRY, waiting).await {
                    break permit.ok()?;
                }
            },
        };
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (requests, idle_since) = (AtomicU32::new(IDLE), AtomicU64::new(self.tick()));
        let state = Arc::new(ConnectionState { requests, idle_since, close: Notify::new() });
        self.used().insert(id, Arc::clone(&state));
        Some(ConnectionSlot { slots: self.clone(), id, state, _permit: permit })
    }

    /// Closes the longest idle connection. False if all are busy.
    fn close_idle(&self) -> bool {
        let mut idle: Vec<(u64, Arc<ConnectionState>)> = self
            .used()
            .values()
            .filter(|state| state.requests.load(Ordering::Acquire) == IDLE)
            .map(|state| (state.idle_since.load(Ordering::Relaxed), Arc::clone(state)))
            .collect();
        idle.sort_by_key(|(since, _)| *since);
        // A request may start at this moment, so an atomic exchange decides which comes first.
        idle.into_iter().any(|(_, state)| {
            let is_idle = state.requests.compare_exchange(IDLE, CLOSING, Ordering::AcqRel, Ordering::Acquire).is_ok();
            if is_idle {
                state.close.notify_one();
            }
            is_idle
        })
    }

    fn tick(&self) -> u64 {
        self.0.clock.fetch_add(1, Ordering::Relaxed)
    }

    fn used(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionState>>> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Completes when the connection must close to make space for another one.
    pub(super) async fn closed(&self) {
        self.state.close.notified().await;
    }

    pub(super) fn tracker(&self) -> RequestTracker {
        RequestTracker { slots: self.slots.clone(), state: Arc::clone(&self.state) }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.used().remove(&self.id);
    }
}

/// Tracks the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct RequestTracker {
    slots: ConnectionSlots,
    state: Arc<ConnectionState>,
}

impl RequestTracker {
    /// Starts a request. `None` if the connection is closing: the request must not be executed then.
    pub(super) fn start(&self) -> Option<ActiveRequest> {
        let add = |requests: u32| (requests != CLOSING).then(|| requests + 1);
        let started = self.state.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
        started.is_ok().then(|| ActiveRequest(self.clone()))
    }
}

/// An active request, until its response is sent or abandoned.
#[derive(Debug)]
pub(super) struct ActiveRequest(RequestTracker);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let RequestTracker { slots, state } = &self.0;
        state.idle_since.store(slots.tick(), Ordering::Relaxed);
        state.requests.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Limits the active requests of each caller.
#[derive(Debug)]
pub(super) struct CallerLimits {
    most: usize,
    callers: Arc<Mutex<HashMap<String, usize>>>,
}

impl CallerLimits {
    /// A quarter of the connections for each caller.
    pub(super) fn new(connections: usize) -> Self {
        Self { most: (connections / 4).max(LEAST_REQUESTS), callers: Arc::default() }
    }

    /// Counts a request. `None` if the caller has reached the limit.
    pub(super) fn acquire(&self, caller: &str) -> Option<CallerPermit> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let count = callers.entry(caller.to_owned()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(CallerPermit { callers: Arc::clone(&self.callers), caller: caller.to_owned() })
    }
}

/// An active request of a caller.
#[derive(Debug)]
pub(super) struct CallerPermit {
    callers: Arc<Mutex<HashMap<String, usize>>>,
    caller: String,
}

impl Drop for CallerPermit {
    fn drop(&mut self) {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = callers.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                callers.remove(&self.caller);
            }
        }
    }
}

/// A body that keeps a guard alive until it is sent completely or abandoned.
pub(super) fn guarded_body<G: Send + Sync + Unpin + 'static>(body: Body, guard: G) -> Body {
    Body::new(GuardedBody { body, _guard: guard })
}

struct GuardedBody<G> {
    body: Body,
    _guard: G,
}

impl<G: Unpin> HttpBody for GuardedBody<G> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn the_longest_idle_connection_is_closed_and_no_busy_one() {
        let slots = ConnectionSlots::new(3);
        let (first, second, third) =
            (slots.acquire().await.unwrap(), slots.acquire().await.unwrap(), slots.acquire().await.unwrap());
        let active = first.tracker().start().unwrap();
        // The second has been idle longer than the third.
        drop(third.tracker().start());
        let mut next = Box::pin(slots.acquire());
        assert!((&mut next).now_or_never().is_none(), "the slot is free only when the connection has ended");
        assert!(second.closed().now_or_never().is_some());
        assert!(first.closed().now_or_never().is_none() && third.closed().now_or_never().is_none());
        assert!(second.tracker().start().is_none(), "no request starts on a connection that is closing");
        drop(second);
        let next = next.await.unwrap();
        let others = (third.tracker().start().unwrap(), next.tracker().start().unwrap());
        // All are busy: the new connection waits for the first that becomes idle.
        let mut last = Box::pin(slots.acquire());
        assert!((&mut last).now_or_never().is_none());
        drop(active);
        let (last, ()) = tokio::join!(last, async {
            first.closed().await;
            drop(first);
        });
        assert!(last.is_some());
        drop(others);
    }

    #[test]
    fn the_requests_of_a_caller_are_limited_and_released() {
        let limits = CallerLimits::new(40);
        let all: Vec<CallerPermit> = (0..10).map(|_| limits.acquire("one").unwrap()).collect();
        assert!(limits.acquire("one").is_none());
        assert!(limits.acquire("other").is_some());
        drop(all);
        assert!(limits.acquire("one").is_some());
        assert!(limits.callers.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_guarded_body_has_its_length_and_releases_the_guard_at_its_end() {
        let guard = Arc::new(());
        let body = guarded_body(Body::from("hello"), Arc::clone(&guard));
        assert_eq!(body.size_hint().exact(), Some(5));
        assert_eq!(Arc::strong_count(&guard), 2);
        assert_eq!(body.collect().await.unwrap().to_bytes(), "hello");
        assert_eq!(Arc::strong_count(&guard), 1);
    }
}
