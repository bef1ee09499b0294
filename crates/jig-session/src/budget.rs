//! Caps on what a run may cost.

use serde::{Deserialize, Serialize};

/// The caps of a run; what is left out has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens in and out, of all model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Time at work, in milliseconds. Waiting for a person does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

/// What a run has cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens in.
    pub input: u64,
    /// Tokens out.
    pub output: u64,
    /// Cost, in millionths of a dollar, as far as prices are known.
    pub micros: u64,
    /// Time at work, in milliseconds.
    pub millis: u64,
}

/// A cap that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    /// `tokens`, `micros` or `millis`.
    pub which: CapKind,
    /// What was allowed.
    pub cap: u64,
    /// What was used.
    pub used: u64,
}

/// What a cap is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapKind {
    /// Tokens.
    Tokens,
    /// Cost.
    Micros,
    /// Time.
    Millis,
}

impl Budget {
    /// The first cap that is reached.
    pub fn reached(&self, spent: &Spent) -> Option<Cap> {
        let all = [
            (CapKind::Tokens, self.tokens, spent.input.saturating_add(spent.output)),
            (CapKind::Micros, self.micros, spent.micros),
            (CapKind::Millis, self.millis, spent.millis),
        ];
        all.into_iter().find_map(|(which, cap, used)| {
            let cap = cap.filter(|cap| used >= *cap)?;
            Some(Cap { which, cap, used })
        })
    }

    /// The cap that a call would reach which uses this much more.
    pub fn reached_with(&self, spent: &Spent, more: &Spent) -> Option<Cap> {
        self.reached(&Spent {
            input: spent.input.saturating_add(more.input),
            output: spent.output.saturating_add(more.output),
            micros: spent.micros.saturating_add(more.micros),
            millis: spent.millis.saturating_add(more.millis),
        })
    }

    /// A cap that was reached, where it is not raised above what was needed.
    pub(crate) fn still_reached(&self, reached: Cap) -> Option<Cap> {
        let cap = match reached.which {
            CapKind::Tokens => self.tokens,
            CapKind::Micros => self.micros,
            CapKind::Millis => self.millis,
        };
        cap.filter(|cap| *cap <= reached.used).map(|cap| Cap { cap, ..reached })
    }

    /// This budget with the caps that another one names in their places.
    #[must_use]
    pub fn patched(self, by: Self) -> Self {
        Self { tokens: by.tokens.or(self.tokens), micros: by.micros.or(self.micros), millis: by.millis.or(self.millis) }
    }
}

impl std::fmt::Display for Cap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cap, used, .. } = self;
        match self.which {
            CapKind::Tokens => write!(f, "{used} tokens are used or needed; the limit is {cap}"),
            CapKind::Micros => {
                let dollars = |micros: u64| format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100);
                write!(f, "{} are spent or needed; the limit is {}", dollars(*used), dollars(*cap))
            }
            CapKind::Millis => write!(f, "{} seconds are used; the limit is {}", used / 1_000, cap / 1_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cap_is_found_when_it_is_reached() {
        let spent = Spent { input: 60, output: 40, micros: 2_500_000, millis: 9_000 };
        let cap = |budget: Budget| budget.reached(&spent).map(|cap| cap.to_string());
        assert_eq!(cap(Budget::default()), None);
        assert_eq!(cap(Budget { tokens: Some(101), ..Budget::default() }), None);
        let tokens = Budget { tokens: Some(100), ..Budget::default() };
        assert_eq!(cap(tokens).unwrap(), "100 tokens are used or needed; the limit is 100");
        let micros = Budget { micros: Some(2_000_000), ..Budget::default() };
        assert_eq!(cap(micros).unwrap(), "$2.5000 are spent or needed; the limit is $2.0000");
        let millis = Budget { millis: Some(5_000), ..Budget::default() };
        assert_eq!(cap(millis).unwrap(), "9 seconds are used; the limit is 5");
        assert_eq!(cap(tokens.patched(Budget { tokens: Some(500), ..Budget::default() })), None);
    }
}
