//! Counts about context items, for the person at this machine. They are numbers only and never leave it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::category::Category;

/// Something worth counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// An item was made where there was none.
    Added(Category),
    /// An item was made again, from the same or from other input.
    Reprocessed(Category),
    /// An item was edited by hand.
    DirectlyEdited(Category),
    /// An item was deleted.
    Deleted(Category),
    /// A model's answers became an item of this size.
    Succeeded {
        /// Of which category.
        category: Category,
        /// By which model.
        model_id: String,
        /// The tokens of its texts.
        tokens: u64,
    },
    /// A model was asked and no item came of it.
    Failed {
        /// Of which category.
        category: Category,
        /// By which model.
        model_id: String,
    },
}

/// All counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// By category.
    pub categories: BTreeMap<Category, CategoryStats>,
    /// By category and model.
    pub models: BTreeMap<Category, BTreeMap<String, ModelStats>>,
}

/// Counts of one category.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryStats {
    /// Items made where there was none.
    pub added: u64,
    /// Items made again.
    pub reprocessed: u64,
    /// Edits by hand.
    pub direct_edits: u64,
    /// Items deleted.
    pub deleted: u64,
    /// Items whose size is in `tokens`.
    pub measured: u64,
    /// The tokens of those together.
    pub tokens: u64,
}

/// Counts of one model for one category.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStats {
    /// Calls that became an item.
    pub succeeded: u64,
    /// Calls that did not.
    pub failed: u64,
}

impl Stats {
    /// Counts one thing more.
    pub fn record(&mut self, happened: &Happened) {
        match happened {
            Happened::Added(category) => self.category(*category).added += 1,
            Happened::Reprocessed(category) => self.category(*category).reprocessed += 1,
            Happened::DirectlyEdited(category) => self.category(*category).direct_edits += 1,
            Happened::Deleted(category) => self.category(*category).deleted += 1,
            Happened::Succeeded { category, model_id, tokens } => {
                self.model(*category, model_id).succeeded += 1;
                let of = self.category(*category);
                of.measured += 1;
                of.tokens = of.tokens.saturating_add(*tokens);
            }
            Happened::Failed { category, model_id } => self.model(*category, model_id).failed += 1,
        }
    }

    fn category(&mut self, category: Category) -> &mut CategoryStats {
        self.categories.entry(category).or_default()
    }

    fn model(&mut self, category: Category, model_id: &str) -> &mut ModelStats {
        self.models.entry(category).or_default().entry(model_id.to_owned()).or_default()
    }
}

impl<'a> FromIterator<&'a Happened> for Stats {
    fn from_iter<T: IntoIterator<Item = &'a Happened>>(happened: T) -> Self {
        let mut stats = Self::default();
        happened.into_iter().for_each(|one| stats.record(one));
        stats
    }
}

impl CategoryStats {
    /// Items edited in any way: made again or by hand.
    pub const fn edited(&self) -> u64 {
        self.reprocessed + self.direct_edits
    }

    /// The share of edits that were made by hand; none when there were no edits.
    pub fn direct_edit_share(&self) -> Option<f64> {
        ratio(self.direct_edits, self.edited())
    }

    /// The tokens of an item on average; none when none was measured.
    pub fn average_tokens(&self) -> Option<f64> {
        ratio(self.tokens, self.measured)
    }
}

impl ModelStats {
    /// The share of calls that became an item; none when there were none.
    pub fn success_rate(&self) -> Option<f64> {
        ratio(self.succeeded, self.succeeded + self.failed)
    }
}

fn ratio(of: u64, all: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "an average for people to read")]
    let ratio = of as f64 / all as f64;
    (all > 0).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted_by_category_and_model() {
        let (company, style) = (Category::CompanyContext, Category::DocumentStyle);
        let succeeded = |tokens| Happened::Succeeded { category: company, model_id: "a:b".into(), tokens };
        let failed = Happened::Failed { category: company, model_id: "a:b".into() };
        let happened = [
            Happened::Added(company),
            succeeded(100),
            Happened::Reprocessed(company),
            succeeded(200),
            failed,
            Happened::DirectlyEdited(company),
            Happened::DirectlyEdited(company),
            Happened::DirectlyEdited(company),
            Happened::Deleted(style),
        ];
        let stats: Stats = happened.iter().collect();
        let of = stats.categories[&company];
        assert_eq!((of.added, of.reprocessed, of.direct_edits, of.edited(), of.deleted), (1, 1, 3, 4, 0));
        assert_eq!((of.average_tokens(), of.direct_edit_share()), (Some(150.0), Some(0.75)));
        assert_eq!(stats.categories[&style].deleted, 1);
        let model = stats.models[&company]["a:b"];
        assert_eq!((model.succeeded, model.failed), (2, 1));
        assert!((model.success_rate().unwrap() - 2.0 / 3.0).abs() < 1e-9);
        let kept = serde_json::to_value(&stats).unwrap();
        assert_eq!(kept["models"]["company-context"]["a:b"]["failed"], 1);
        assert_eq!(serde_json::from_value::<Stats>(kept).unwrap(), stats);
    }

    #[test]
    fn nothing_counted_gives_no_averages() {
        assert_eq!(CategoryStats::default().average_tokens(), None);
        assert_eq!(CategoryStats::default().direct_edit_share(), None);
        assert_eq!(ModelStats::default().success_rate(), None);
    }
}
