//! When a conversion is to be given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::TableError;

/// Looks for reasons to stop. It is asked between runs of records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deadline {
    cancel: Option<Arc<AtomicBool>>,
    end: Option<(Instant, Duration)>,
}

impl Deadline {
    /// A deadline that begins now.
    pub(crate) fn start(cancel: Option<Arc<AtomicBool>>, within: Option<Duration>) -> Self {
        let end = within.and_then(|within| Some((Instant::now().checked_add(within)?, within)));
        Self { cancel, end }
    }

    /// An error when there is a reason.
    pub(crate) fn check(&self) -> Result<(), TableError> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(TableError::Cancelled);
        }
        match self.end {
            Some((end, within)) if Instant::now() >= end => Err(TableError::SlowConversion { within }),
            _ => Ok(()),
        }
    }
}
