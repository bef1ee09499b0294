//! A summary of the token breakdown: how full the prompt is, and with what.

use crate::bill::{Bill, Level, share};
use crate::piece::SectionKind;

/// The summary of a token breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Clutter {
    /// The tokens of the prompt.
    pub total: u64,
    /// The context window of the model.
    pub window: u64,
    /// The used share of the window.
    pub share: f64,
    /// The level.
    pub level: Level,
    /// Whether the counts are estimates.
    pub estimated: bool,
    /// The tokens of context items as included.
    pub context_items_weight: u64,
    /// Their share of the window.
    pub context_share: f64,
    /// Warnings for people.
    pub warnings: Vec<String>,
    /// The sections, in order.
    pub sections: Vec<ClutterSection>,
}

/// A section of the summary.
#[derive(Debug, Clone, PartialEq)]
pub struct ClutterSection {
    /// Which one.
    pub section: SectionKind,
    /// Its tokens.
    pub tokens: u64,
    /// Its share of the window.
    pub share: f64,
}

impl From<&Bill> for Clutter {
    fn from(bill: &Bill) -> Self {
        let section = |(section, tokens)| ClutterSection { section, tokens, share: share(tokens, bill.window) };
        Self {
            total: bill.total,
            window: bill.window,
            share: bill.share,
            level: bill.level,
            estimated: bill.estimated,
            context_items_weight: bill.context_tokens,
            context_share: bill.context_share,
            warnings: bill.warnings.clone(),
            sections: bill.by_section().into_iter().map(section).collect(),
        }
    }
}
