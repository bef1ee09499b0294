//! The bill in short: how full the prompt is, and with what.

use crate::bill::{Bill, Level, share};
use crate::piece::SectionKind;

/// The summary of a bill.
#[derive(Debug, Clone, PartialEq)]
pub struct Clutter {
    /// The tokens of the prompt.
    pub total: u64,
    /// What the model can take.
    pub window: u64,
    /// How much of the window is used.
    pub share: f64,
    /// How full that is.
    pub level: Level,
    /// Whether the counts are estimates.
    pub estimated: bool,
    /// The tokens of context items as they are injected.
    pub context_items_weight: u64,
    /// How much of the window those are.
    pub context_share: f64,
    /// What a person should do about it.
    pub warnings: Vec<String>,
    /// Each section, in order.
    pub sections: Vec<ClutterSection>,
}

/// One section of the summary.
#[derive(Debug, Clone, PartialEq)]
pub struct ClutterSection {
    /// Which one.
    pub section: SectionKind,
    /// Its tokens.
    pub tokens: u64,
    /// How much of the window that is.
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
