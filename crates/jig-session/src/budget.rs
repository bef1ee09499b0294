//! Caps on the tokens, cost and time of a run.

use serde::{Deserialize, Serialize};

/// The caps of a run. `None` means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Input and output tokens of all model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// In millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Running time in milliseconds. Time spent waiting for a person does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

/// What a run has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens in.
    pub input: u64,
    /// Tokens out.
    pub output: u64,
    /// Cost in millionths of a dollar. Calls with an unknown price add nothing.
    pub micros: u64,
    /// Running time in milliseconds.
    pub millis: u64,
}

/// A cap that has been reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    /// `tokens`, `micros` or `millis`.
    pub which: CapKind,
    /// The limit.
    pub cap: u64,
    /// The usage that reached it.
    pub used: u64,
}

/// The resource that a cap limits.
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
    /// The first cap that has been reached.
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

    /// The first cap that a call would reach if it used `more`.
    pub fn reached_with(&self, spent: &Spent, more: &Spent) -> Option<Cap> {
        self.reached(&Spent {
            input: spent.input.saturating_add(more.input),
            output: spent.output.saturating_add(more.output),
            micros: spent.micros.saturating_add(more.micros),
            millis: spent.millis.saturating_add(more.millis),
        })
    }

    /// `reached`, unless this budget now allows more than was used.
    pub(crate) fn still_reached(&self, reached: Cap) -> Option<Cap> {
        let cap = match reached.which {
            CapKind::Tokens => self.tokens,
            CapKind::Micros => self.micros,
            CapKind::Millis => self.millis,
        };
        cap.filter(|cap| *cap <= reached.used).map(|cap| Cap { cap, ..reached })
    }

    /// This budget, with the caps set in `by` replacing its own.
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
