//! Interrupts a query at its time limit, or when its caller cancels it.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use duckdb::{Connection, InterruptHandle};

use crate::error::TableError;

/// How often the thread checks whether the caller cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// How long an interrupted query may take to end. Some functions ignore an interrupt: after this time the process is ended.
const GRACE: Duration = Duration::from_secs(1);
const QUIET: u8 = 0;
const LATE: u8 = 1;
const CANCELLED: u8 = 2;

/// Times the queries of one connection, one at a time. The thread waits between them: starting one for each query would
/// take as long as a small query.
pub(crate) struct TimerThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    now: Mutex<Now>,
    changed: Condvar,
    connection: Arc<InterruptHandle>,
    /// Whether the connection was interrupted. If its query had just ended, the interrupt hits the next one.
    fired: AtomicBool,
}

/// What the thread does.
enum Now {
    Rest,
    Watch { end: Instant, millis: u64, cancel: Option<Arc<AtomicBool>>, outcome: Arc<AtomicU8> },
    End,
}

/// The timer of one query. Nothing is interrupted after it is dropped.
pub(crate) struct QueryTimer {
    shared: Arc<Shared>,
    outcome: Arc<AtomicU8>,
    started: Instant,
}

impl TimerThread {
    pub(crate) fn new(connection: &Connection) -> Result<Self, TableError> {
        let shared = Arc::new(Shared {
            now: Mutex::new(Now::Rest),
            changed: Condvar::new(),
            connection: connection.interrupt_handle(),
            fired: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("query watch".to_owned()).spawn(move || own.watch());
        let thread = thread.map_err(|error| TableError::Engine(format!("no thread can be started: {error}")))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Starts a timer.
    pub(crate) fn set(&self, millis: u64, cancel: Option<&Arc<AtomicBool>>) -> QueryTimer {
        let outcome = Arc::new(AtomicU8::new(QUIET));
        let started = Instant::now();
        let end = started + Duration::from_millis(millis);
        self.shared.give(Now::Watch { end, millis, cancel: cancel.cloned(), outcome: Arc::clone(&outcome) });
        QueryTimer { shared: Arc::clone(&self.shared), outcome, started }
    }

    /// Whether a timer has fired since the last call.
    pub(crate) fn take_fired(&self) -> bool {
        self.shared.fired.swap(false, Ordering::SeqCst)
    }
}

impl Drop for TimerThread {
    fn drop(&mut self) {
        self.shared.give(Now::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, next: Now) {
        *self.lock() = next;
        self.changed.notify_one();
    }

    fn watch(&self) {
        let mut now = self.lock();
        loop {
            now = match &*now {
                Now::End => return,
                Now::Rest => self.changed.wait(now).unwrap_or_else(PoisonError::into_inner),
                Now::Watch { end, millis, cancel, outcome } => {
                    let left = end.saturating_duration_since(Instant::now());
                    let given_up = cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed));
                    if given_up || left.is_zero() {
                        outcome.store(if given_up { CANCELLED } else { LATE }, Ordering::SeqCst);
                        self.fired.store(true, Ordering::SeqCst);
                        // Repeated, because the query may not have started yet.
                        self.connection.interrupt();
                        if end.elapsed() > GRACE {
                            jig_worker::expire_call(&crate::calls::told(&TableError::TimedOut { millis: *millis }));
                        }
                    }
                    let wait = if left.is_zero() { LOOK } else { left };
                    let wait = if cancel.is_some() { wait.min(LOOK) } else { wait };
                    self.changed.wait_timeout(now, wait).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl QueryTimer {
    /// Whether it interrupted the query.
    pub(crate) fn fired(&self) -> bool {
        self.outcome.load(Ordering::SeqCst) != QUIET
    }

    /// Whether the caller cancelled.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.outcome.load(Ordering::SeqCst) == CANCELLED
    }

    /// Milliseconds since its start.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Drop for QueryTimer {
    fn drop(&mut self) {
        // The thread interrupts while it holds this lock, so nothing comes later. It need not wake for it.
        *self.shared.lock() = Now::Rest;
    }
}
