//! The cost of calls.

use serde::{Deserialize, Serialize};

use crate::message::Usage;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// For input.
    pub input: f64,
    /// For output.
    pub output: f64,
    /// For input read from the cache; `None` if it costs the same as other input.
    pub cached: Option<f64>,
    /// Prices for long prompts, if they differ.
    pub long: Option<LongPrice>,
}

/// The prices of a call with long input, which apply to all of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// The number of input tokens above which they apply.
    pub above: u64,
    /// For input.
    pub input: f64,
    /// For output.
    pub output: f64,
    /// For input read from the cache.
    pub cached: Option<f64>,
}

impl Price {
    /// The cost of a call in millionths of a dollar, rounded up. Without surcharges for cache writes.
    pub fn micros(&self, usage: &Usage) -> u64 {
        let long = self.long.filter(|long| usage.input > long.above);
        let (input, output, cached) =
            long.map_or((self.input, self.output, self.cached), |long| (long.input, long.output, long.cached));
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        let kept = usage.cached.min(usage.input) as f64;
        // Dollars per million tokens equal millionths of a dollar per token.
        (fresh * input + kept * cached.unwrap_or(input) + usage.output as f64 * output).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_counts_cached_tokens_at_their_own_rate() {
        let long = LongPrice { above: 2_000, input: 4.0, output: 20.0, cached: None };
        let price = Price { input: 2.0, output: 10.0, cached: Some(0.1), long: Some(long) };
        let usage = Usage { input: 1_000, output: 100, cached: 400, ..Usage::default() };
        assert_eq!(price.micros(&usage), 1_200 + 40 + 1_000);
        let flat = Price { cached: None, ..price };
        assert_eq!(flat.micros(&usage), 3_000);
        let usage = Usage { input: 2_001, ..usage };
        assert_eq!(price.micros(&usage), 8_004 + 2_000, "a long prompt costs more in all its parts");
    }
}
