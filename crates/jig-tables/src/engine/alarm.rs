//! Stops a query when its time is over, or when its caller gives up.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, atomic::AtomicBool};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use duckdb::Connection;

/// How often a caller's wish to stop is looked for.
const LOOK: Duration = Duration::from_millis(20);
const QUIET: u8 = 0;
const LATE: u8 = 1;
const CANCELLED: u8 = 2;

/// A watch over one connection. It ends with its value.
pub(crate) struct Alarm {
    state: Arc<AtomicU8>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    started: Instant,
}

impl Alarm {
    /// Watches from now on.
    pub(crate) fn set(connection: &Connection, millis: u64, cancel: Option<&Arc<AtomicBool>>) -> Self {
        let (stop, stopped) = channel();
        let state = Arc::new(AtomicU8::new(QUIET));
        let (handle, shared, cancel) = (connection.interrupt_handle(), state.clone(), cancel.cloned());
        let started = Instant::now();
        let end = started + Duration::from_millis(millis);
        let thread = std::thread::spawn(move || {
            loop {
                let now = Instant::now();
                let given_up = cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed));
                if given_up || now >= end {
                    shared.store(if given_up { CANCELLED } else { LATE }, Ordering::SeqCst);
                    // Again and again: the query may only be about to begin.
                    handle.interrupt();
                }
                let wait = if cancel.is_some() || now >= end { LOOK } else { end - now };
                match stopped.recv_timeout(wait.min(end.saturating_duration_since(now).max(LOOK))) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { state, stop: Some(stop), thread: Some(thread), started }
    }

    /// Whether it had to stop the query.
    pub(crate) fn rang(&self) -> bool {
        self.state.load(Ordering::SeqCst) != QUIET
    }

    /// Whether the caller gave up.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.state.load(Ordering::SeqCst) == CANCELLED
    }

    /// Milliseconds since it was set.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
