//! Ends a call that takes too long, and the process with it.
//!
//! A library that is running cannot be stopped from outside: an engine may not look at its interrupt flag for minutes. So a
//! thread of its own answers in its place when the time is over, and ends the process. Whoever started the worker
//! starts another one. A call is answered once: by its method or from here, never by both.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jig_files::engine::{FileError, Reason};
use serde_json::Value;

use crate::json_writer;
use crate::protocol::error_reply;
use crate::sandbox;

/// The call that is being answered.
struct Current {
    id: Value,
    output: File,
    until: Option<Instant>,
    seconds: u64,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Option<Current>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches the calls of this process. Only for a process that does nothing else.
pub(crate) struct Deadline {
    output: File,
    limit: Option<Duration>,
}

impl Deadline {
    /// Starts watching, with replies to this output.
    pub(crate) fn start(output: File, limit: Option<Duration>) -> std::io::Result<Self> {
        std::thread::Builder::new().name("deadline".to_owned()).spawn(watch)?;
        Ok(Self { output, limit })
    }

    /// A call begins.
    pub(crate) fn begin(&self, id: &Value) {
        let Ok(output) = self.output.try_clone() else { return };
        let until = self.limit.map(|limit| Instant::now() + limit);
        let seconds = self.limit.unwrap_or_default().as_secs();
        *lock() = Some(Current { id: id.clone(), output, until, seconds });
        CHANGED.notify_one();
    }

    /// The call has ended: from now on its reply is the method's.
    pub(crate) fn end() {
        *lock() = None;
    }
}

/// Gives the current call more time, because its files are large.
pub fn extend_deadline(seconds: u64) {
    if let Some(current) = lock().as_mut() {
        current.until = current.until.map(|until| until + Duration::from_secs(seconds));
        current.seconds += seconds;
        CHANGED.notify_one();
    }
}

/// Answers the current call with an error and ends the process. Comes back when no call is being answered by a process
/// that may be ended.
pub fn expire_call(error: &FileError) {
    let current = lock();
    if let Some(current) = &*current {
        // The lock is never given back, so nothing else is written.
        expire(current, error);
    }
}

fn expire(current: &Current, error: &FileError) -> ! {
    if let Ok(reply) = json_writer::line(&error_reply(&current.id, error)) {
        let mut output = &current.output;
        let _ = output.write_all(&reply);
    }
    sandbox::end_process()
}

fn watch() {
    let mut current = lock();
    loop {
        let until = current.as_ref().and_then(|call| call.until);
        current = match until {
            None => CHANGED.wait(current).unwrap_or_else(PoisonError::into_inner),
            Some(until) => match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => {
                    CHANGED.wait_timeout(current, left).unwrap_or_else(PoisonError::into_inner).0
                }
                _ => {
                    if let Some(call) = &*current {
                        let words = format!("the call timed out after {} seconds; nothing was changed", call.seconds);
                        expire(call, &FileError::new(Reason::Unavailable, words));
                    }
                    current
                }
            },
        };
    }
}
