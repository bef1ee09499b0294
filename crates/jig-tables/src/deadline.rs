//! When work ends early: a conversion at its deadline, a query at its time limit, and both when the caller cancels.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use duckdb::{Connection, InterruptHandle};
use jig_files::engine::FileError;

use crate::error::TableError;

/// When a conversion is given up. It is checked between batches of records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deadline {
    cancel: Option<Arc<AtomicBool>>,
    end: Option<(Instant, Duration)>,
}

impl Deadline {
    /// A deadline that starts now.
    pub(crate) fn start(cancel: Option<Arc<AtomicBool>>, limit: Option<Duration>) -> Self {
        let end = limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        Self { cancel, end }
    }

    /// An error if the caller cancelled or the time is over.
    pub(crate) fn check(&self) -> Result<(), TableError> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(TableError::Cancelled);
        }
        match self.end {
            Some((end, limit)) if Instant::now() >= end => Err(TableError::ConversionTimedOut { limit }),
            _ => Ok(()),
        }
    }

    /// Milliseconds until the end, and the flag by which the caller cancels, for a [`QueryTimer`].
    pub(crate) fn remaining(&self) -> (u64, Option<&Arc<AtomicBool>>) {
        let left = self.end.map_or(Duration::MAX, |(end, _)| end.saturating_duration_since(Instant::now()));
        // A year, because the end of a longer time may not be representable.
        let most = Duration::from_secs(365 * 24 * 60 * 60);
        (u64::try_from(left.min(most).as_millis()).unwrap_or(u64::MAX), self.cancel.as_ref())
    }
}

/// How often the timer thread checks whether the caller cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// How long an interrupted query may take to end. Some of DuckDB's functions ignore an interrupt: after this time the
/// process is ended.
const GRACE: Duration = Duration::from_secs(1);
const RUNNING: u8 = 0;
const TIMED_OUT: u8 = 1;
const CANCELLED: u8 = 2;

/// Times the queries of one connection, one at a time. The thread sleeps between them: starting one for each query would
/// take as long as a small query.
pub(crate) struct TimerThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    connection: Arc<InterruptHandle>,
    /// Whether the connection was interrupted. If its query had just ended, the interrupt hits the next one.
    fired: AtomicBool,
}

/// What the thread is doing.
enum State {
    Idle,
    Timing { end: Instant, millis: u64, cancel: Option<Arc<AtomicBool>>, outcome: Arc<AtomicU8> },
    Stopped,
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
            state: Mutex::new(State::Idle),
            changed: Condvar::new(),
            connection: connection.interrupt_handle(),
            fired: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("query timer".to_owned()).spawn(move || own.run());
        let thread = thread.map_err(TableError::io("a thread could not be started"))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Starts a timer.
    pub(crate) fn set(&self, millis: u64, cancel: Option<&Arc<AtomicBool>>) -> QueryTimer {
        let outcome = Arc::new(AtomicU8::new(RUNNING));
        let started = Instant::now();
        let end = started + Duration::from_millis(millis);
        self.shared.put(State::Timing { end, millis, cancel: cancel.cloned(), outcome: Arc::clone(&outcome) });
        QueryTimer { shared: Arc::clone(&self.shared), outcome, started }
    }

    /// Whether a timer has fired since the last call.
    pub(crate) fn take_fired(&self) -> bool {
        self.shared.fired.swap(false, Ordering::SeqCst)
    }
}

impl Drop for TimerThread {
    fn drop(&mut self) {
        self.shared.put(State::Stopped);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, state: State) {
        *self.lock() = state;
        self.changed.notify_one();
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            state = match &*state {
                State::Stopped => return,
                State::Idle => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                State::Timing { end, millis, cancel, outcome } => {
                    let left = end.saturating_duration_since(Instant::now());
                    let cancelled = cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed));
                    if cancelled || left.is_zero() {
                        outcome.store(if cancelled { CANCELLED } else { TIMED_OUT }, Ordering::SeqCst);
                        self.fired.store(true, Ordering::SeqCst);
                        // Repeated in each round, because the query may not have started yet.
                        self.connection.interrupt();
                        if end.elapsed() > GRACE {
                            jig_worker::expire_call(&FileError::from(TableError::TimedOut { millis: *millis }));
                        }
                    }
                    let wait = if left.is_zero() { CHECK_INTERVAL } else { left };
                    let wait = if cancel.is_some() { wait.min(CHECK_INTERVAL) } else { wait };
                    self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl QueryTimer {
    /// Whether it interrupted the query.
    pub(crate) fn fired(&self) -> bool {
        self.outcome.load(Ordering::SeqCst) != RUNNING
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
        // The thread interrupts while it holds this lock, so no interrupt comes later. It need not wake up for this.
        *self.shared.lock() = State::Idle;
    }
}
