//! The retry policy: when a call is retried, and after how long. Decided only here.

use std::time::Duration;

use jig_contract::Env;

use crate::error::{Again, ProviderError};
use crate::request::Retries;

/// The limits of retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of requests, including the first.
    pub attempts: u32,
    /// The first pause; it doubles each time.
    pub first: Duration,
    /// The maximum pause, unless the provider asks for more.
    pub longest: Duration,
    /// The maximum total of pauses in a call. If a provider asks for more, the call is not retried.
    pub total: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { attempts: 4, first: Duration::from_millis(500), longest: seconds(20), total: seconds(90) }
    }
}

/// What a call has used of its policy.
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

    /// The pause before the next attempt; `None` if this error is final.
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

    /// Jig's own pause is randomised between half and all of its length; one requested by the provider is never
    /// shortened.
    fn pause(&self, asked: Option<Duration>, chance: f64) -> Duration {
        let doubled = self.policy.first.saturating_mul(1 << self.attempts.saturating_sub(1).min(16));
        let own = doubled.min(self.policy.longest);
        match asked {
            Some(asked) => asked.saturating_add(self.policy.first.mul_f64(chance)),
            None => own.mul_f64(0.5 + chance / 2.0),
        }
    }
}

/// A number between 0 and 1, from the environment's id generator.
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
