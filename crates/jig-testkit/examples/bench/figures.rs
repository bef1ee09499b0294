//! Times, and how they are shown.

use std::time::{Duration, Instant};

/// How long the work takes.
pub(crate) async fn timed(work: impl Future) -> Duration {
    let begin = Instant::now();
    work.await;
    begin.elapsed()
}

/// The middle one.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// With a decimal more where there is little.
pub(crate) fn milliseconds(time: Duration) -> String {
    let time = time.as_secs_f64() * 1_000.0;
    if time < 1.0 { format!("{time:.2}") } else { format!("{time:.1}") }
}
