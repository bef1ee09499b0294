//! Request metrics in the Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// All metrics of this process.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    in_flight: AtomicI64,
    pub(super) streams: AtomicI64,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: BTreeMap<(&'static str, u16), u64>,
    times: BTreeMap<&'static str, Times>,
}

#[derive(Debug, Default)]
struct Times {
    /// The number of requests per bucket; slower ones are only in `count`.
    within: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

impl Metrics {
    /// Counts the start of a request.
    pub(super) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a request.
    pub(super) fn end(&self, operation: &'static str, status: u16, took: Duration) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let seconds = took.as_secs_f64();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.requests.entry((operation, status)).or_default() += 1;
        let times = counts.times.entry(operation).or_default();
        times.count += 1;
        times.seconds += seconds;
        if let Some(first) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            times.within[first] += 1;
        }
    }

    /// All metrics as text, including the number of jobs per state.
    pub(super) fn text(&self, jobs: &[(String, u64)]) -> String {
        let mut text = String::new();
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        head(&mut text, "jig_requests_total", "counter", "Requests by operation and status.");
        for ((operation, status), count) in &counts.requests {
            line(
                &mut text,
                format_args!("jig_requests_total{{operation=\"{operation}\",status=\"{status}\"}} {count}"),
            );
        }
        head(&mut text, "jig_request_seconds", "histogram", "How long requests took, by operation.");
        for (operation, times) in &counts.times {
            times.write(&mut text, operation);
        }
        head(&mut text, "jig_requests_in_flight", "gauge", "Requests that are being answered.");
        line(&mut text, format_args!("jig_requests_in_flight {}", self.in_flight.load(Ordering::Relaxed)));
        head(&mut text, "jig_event_streams", "gauge", "Open streams of events.");
        line(&mut text, format_args!("jig_event_streams {}", self.streams.load(Ordering::Relaxed)));
        head(&mut text, "jig_jobs", "gauge", "Jobs by state, in the whole store.");
        for (state, count) in jobs {
            line(&mut text, format_args!("jig_jobs{{state=\"{state}\"}} {count}"));
        }
        head(&mut text, "jig_build_info", "gauge", "The version of Jig.");
        line(&mut text, format_args!("jig_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION")));
        text
    }
}

impl Times {
    fn write(&self, text: &mut String, operation: &str) {
        let mut so_far = 0;
        for (bound, count) in BOUNDS.iter().zip(self.within) {
            so_far += count;
            line(text, format_args!("jig_request_seconds_bucket{{operation=\"{operation}\",le=\"{bound}\"}} {so_far}"));
        }
        let Self { count, seconds, .. } = self;
        line(text, format_args!("jig_request_seconds_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {count}"));
        line(text, format_args!("jig_request_seconds_sum{{operation=\"{operation}\"}} {seconds}"));
        line(text, format_args!("jig_request_seconds_count{{operation=\"{operation}\"}} {count}"));
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    line(text, format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
}

fn line(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = text.write_fmt(piece);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_prometheus_reads_them() {
        let metrics = Metrics::default();
        for millis in [1, 3, 60_000] {
            metrics.begin();
            metrics.end("EntryGet", 200, Duration::from_millis(millis));
        }
        metrics.begin();
        let text = metrics.text(&[("queued".to_owned(), 2)]);
        for wanted in [
            "jig_requests_total{operation=\"EntryGet\",status=\"200\"} 3",
            "jig_request_seconds_bucket{operation=\"EntryGet\",le=\"0.001\"} 1",
            "jig_request_seconds_bucket{operation=\"EntryGet\",le=\"0.005\"} 2",
            "jig_request_seconds_bucket{operation=\"EntryGet\",le=\"30\"} 2",
            "jig_request_seconds_bucket{operation=\"EntryGet\",le=\"+Inf\"} 3",
            "jig_request_seconds_count{operation=\"EntryGet\"} 3",
            "jig_requests_in_flight 1",
            "jig_jobs{state=\"queued\"} 2",
        ] {
            assert!(text.lines().any(|line| line == wanted), "{wanted}\n{text}");
        }
    }
}
