//! What a call costs.

use serde::{Deserialize, Serialize};

use crate::message::Usage;

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// For what goes in.
    pub input: f64,
    /// For what comes out.
    pub output: f64,
    /// For what is read from the cache; none when it costs as much as any input.
    pub cached: Option<f64>,
    /// Other prices for long prompts, where the provider has them.
    pub long: Option<LongPrice>,
}

/// Prices for a call whose input is long: they hold for all of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// From more tokens of input than this.
    pub above: u64,
    /// For what goes in.
    pub input: f64,
    /// For what comes out.
    pub output: f64,
    /// For what is read from the cache.
    pub cached: Option<f64>,
}

impl Price {
    /// What a call cost, in millionths of a dollar, rounded up. Surcharges for writing to a cache are not in it.
    pub fn micros(&self, usage: &Usage) -> u64 {
        let long = self.long.filter(|long| usage.input > long.above);
        let (input, output, cached) =
            long.map_or((self.input, self.output, self.cached), |long| (long.input, long.output, long.cached));
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        let kept = usage.cached.min(usage.input) as f64;
        // A price for a million tokens in dollars is one for a single token in millionths.
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
