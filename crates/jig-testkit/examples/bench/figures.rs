//! Measured times and their format.

use std::time::{Duration, Instant};

/// The duration of the work.
pub(crate) async fn timed(work: impl Future) -> Duration {
    let begin = Instant::now();
    work.await;
    begin.elapsed()
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// With an additional decimal place for small values.
pub(crate) fn milliseconds(time: Duration) -> String {
    let time = time.as_secs_f64() * 1_000.0;
    if time < 1.0 { format!("{time:.2}") } else { format!("{time:.1}") }
}
