//! When a call is tried again, and after how long. The one place that decides it.

use std::time::Duration;

use jig_contract::Env;

use crate::error::{Again, ProviderError};
use crate::request::Retries;

/// Bounds on trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many requests are sent at most, the first included.
    pub attempts: u32,
    /// The first pause; each further one is twice as long.
    pub first: Duration,
    /// The longest pause by our own choice.
    pub longest: Duration,
    /// The most time spent on pauses in one call. A provider that asks for more gets no further try.
    pub total: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { attempts: 4, first: Duration::from_millis(500), longest: seconds(20), total: seconds(90) }
    }
}

/// What was used of a policy in one call.
#[derive(Debug)]
pub(crate) struct Tries {
    policy: RetryPolicy,
    allowed: Retries,
    pub(crate) attempts: u32,
    waited: Duration,
}

impl Tries {
    pub(crate) fn new(policy: RetryPolicy, allowed: Retries) -> Self {
        Self { policy, allowed, attempts: 0, waited: Duration::ZERO }
    }

    /// How long to wait before the next try; none when this error is final.
    pub(crate) fn wait(&mut self, error: &ProviderError, env: &Env) -> Option<Duration> {
        let may = error.again() == Again::Here && self.allowed == Retries::Allowed;
        if !may || self.attempts >= self.policy.attempts {
            return None;
        }
        let wait = self.pause(error.retry_after(), chance(env));
        let waited = self.waited.checked_add(wait)?;
        if waited > self.policy.total {
            return None;
        }
        self.waited = waited;
        Some(wait)
    }

    /// Our own pause is between half and the whole of its length; what the provider asks for is never cut short.
    fn pause(&self, asked: Option<Duration>, chance: f64) -> Duration {
        let doubled = self.policy.first.saturating_mul(1 << self.attempts.saturating_sub(1).min(16));
        let own = doubled.min(self.policy.longest);
        match asked {
            Some(asked) => asked.saturating_add(self.policy.first.mul_f64(chance)),
            None => own.mul_f64(0.5 + chance / 2.0),
        }
    }
}

/// A number from 0 up to 1, from the environment's source of fresh ids.
fn chance(env: &Env) -> f64 {
    let low = env.fresh_id().as_u128() & u128::from(u32::MAX);
    low as f64 / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use jig_contract::{Code, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn env(low: u32) -> Env {
        Env::new(|| Timestamp::from_millis(0), move || Uuid::from_u128(u128::from(low)))
    }

    fn tries(attempts: u32) -> Tries {
        Tries { attempts, ..Tries::new(RetryPolicy::default(), Retries::Allowed) }
    }

    fn busy(after: Option<Duration>) -> ProviderError {
        ProviderError::new(Code::ProviderRateLimited, "").with_again(Again::Here).with_retry_after(after)
    }

    #[test]
    fn pauses_double_and_vary_with_chance() {
        let millis = |attempts, low| tries(attempts).wait(&busy(None), &env(low)).unwrap().as_millis();
        assert_eq!([millis(1, 0), millis(2, 0), millis(3, 0)], [250, 500, 1000]);
        assert_eq!(millis(1, 1 << 31), 375);
    }

    #[test]
    fn a_provider_gets_at_least_the_wait_it_asks_for() {
        let wait = tries(1).wait(&busy(Some(Duration::from_secs(7))), &env(1 << 31));
        assert_eq!(wait, Some(Duration::from_millis(7_250)));
        assert_eq!(tries(1).wait(&busy(Some(Duration::from_secs(91))), &env(0)), None);
    }

    #[test]
    fn tries_and_time_are_bounded() {
        assert_eq!(tries(4).wait(&busy(None), &env(0)), None);
        let mut slow = tries(1);
        let asked = busy(Some(Duration::from_secs(40)));
        assert!(slow.wait(&asked, &env(0)).is_some() && slow.wait(&asked, &env(0)).is_some());
        assert_eq!(slow.wait(&asked, &env(0)), None);
    }

    #[test]
    fn only_what_is_safe_and_allowed_is_tried_again() {
        let mut off = Tries::new(RetryPolicy::default(), Retries::Off);
        assert_eq!(off.wait(&busy(None), &env(0)), None);
        for again in [Again::Later, Again::Never] {
            assert_eq!(tries(1).wait(&busy(None).with_again(again), &env(0)), None);
        }
    }
}
