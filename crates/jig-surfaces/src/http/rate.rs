//! Rate limits per caller: token buckets.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The maximum number of remembered callers. Full buckets carry no information and are dropped first.
const CALLERS: usize = 10_000;

/// The buckets of all callers.
#[derive(Debug)]
pub(super) struct Rates {
    per_second: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    calls: f64,
    at: Instant,
}

impl Rates {
    /// A limit in calls per second, with bursts of twice as many; `None` for no limit.
    pub(super) fn new(per_second: Option<u32>) -> Self {
        Self { per_second: per_second.map_or(f64::INFINITY, f64::from), buckets: Mutex::default() }
    }

    /// Takes one call from a caller's bucket, or returns how long to wait.
    pub(super) fn take(&self, caller: &str) -> Result<(), Duration> {
        self.take_at(caller, Instant::now())
    }

    fn take_at(&self, caller: &str, now: Instant) -> Result<(), Duration> {
        if self.per_second.is_infinite() {
            return Ok(());
        }
        let most = self.per_second * 2.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CALLERS && !buckets.contains_key(caller) {
            buckets.retain(|_, bucket| bucket.filled(self.per_second, most, now) < most);
            if buckets.len() >= CALLERS {
                buckets.clear();
            }
        }
        let bucket = match buckets.get_mut(caller) {
            Some(bucket) => bucket,
            None => buckets.entry(caller.to_owned()).or_insert(Bucket { calls: most, at: now }),
        };
        let calls = bucket.filled(self.per_second, most, now);
        (bucket.calls, bucket.at) = (calls, now);
        if calls >= 1.0 {
            bucket.calls = calls - 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - calls) / self.per_second))
    }
}

impl Bucket {
    fn filled(&self, per_second: f64, most: f64, now: Instant) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        (self.calls + since * per_second).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_then_a_steady_rate() {
        let (rates, start) = (Rates::new(Some(10)), Instant::now());
        for _ in 0..20 {
            assert_eq!(rates.take_at("a", start), Ok(()));
        }
        let wait = rates.take_at("a", start).unwrap_err();
        assert!(wait > Duration::from_millis(90) && wait <= Duration::from_millis(101), "{wait:?}");
        assert_eq!(rates.take_at("b", start), Ok(()), "others have their own");
        let later = start + Duration::from_millis(105);
        assert_eq!(rates.take_at("a", later), Ok(()));
        assert!(rates.take_at("a", later).is_err());
        assert_eq!(rates.take_at("a", start), Err(Duration::from_secs_f64(0.095)), "time never runs back");
    }

    #[test]
    fn memory_is_bounded_and_no_limit_is_none() {
        let (rates, start) = (Rates::new(Some(1)), Instant::now());
        for n in 0..CALLERS * 2 {
            let _ = rates.take_at(&n.to_string(), start);
        }
        assert!(rates.buckets.lock().unwrap().len() <= CALLERS);
        let free = Rates::new(None);
        assert!((0..100_000).all(|_| free.take_at("a", start).is_ok()));
    }
}
