//! Matches the sections of a new text with those of the old one, so that ids and done marks follow their sections.
//!
//! Matches in rounds, each on the remaining sections: same heading and text; same slug; a former slug; same text under
//! another heading; similar heading at the same position. Unmatched sections are new or removed.

use super::markdown::trimmed;
use crate::document::{Part, PartName};

/// The minimum similarity of two headings at the same position, between 0 and 1.
const ALIKE_HERE: f64 = 0.55;
/// The minimum similarity of two headings at different positions.
const ALIKE_ANYWHERE: f64 = 0.85;

/// A section of the new text.
pub(super) struct Fresh<'a> {
    pub(super) title: &'a str,
    pub(super) body: &'a str,
}

/// For each new section, the index of the matching old one.
pub(super) fn matched(old: &[Part], new: &[Fresh<'_>]) -> Vec<Option<usize>> {
    let mut pairs = Pairs { old, new, of_new: vec![None; new.len()], taken: vec![false; old.len()] };
    let slugs: Vec<PartName> = new.iter().map(|fresh| PartName::suggest(fresh.title)).collect();
    let own: Vec<PartName> = old.iter().map(|part| PartName::suggest(&part.title)).collect();
    let text = |part: &Part| trimmed(part.text().unwrap_or_default()).to_owned();
    pairs.round(|n, o| slugs[n] == own[o] && trimmed(new[n].body) == text(&old[o]));
    pairs.round(|n, o| slugs[n] == own[o]);
    pairs.round(|n, o| slugs[n] == old[o].name);
    pairs.round(|n, o| old[o].aliases.contains(&slugs[n]));
    pairs.round(|n, o| !trimmed(new[n].body).is_empty() && trimmed(new[n].body) == text(&old[o]));
    pairs.similar();
    pairs.of_new
}

struct Pairs<'a> {
    old: &'a [Part],
    new: &'a [Fresh<'a>],
    of_new: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs<'_> {
    /// Matches pairs that satisfy `fits`, in order.
    fn round(&mut self, fits: impl Fn(usize, usize) -> bool) {
        for n in 0..self.new.len() {
            if self.of_new[n].is_some() {
                continue;
            }
            let found = (0..self.old.len()).find(|o| !self.taken[*o] && fits(n, *o));
            if let Some(o) = found {
                (self.of_new[n], self.taken[o]) = (Some(o), true);
            }
        }
    }

    /// Matches similar headings, the most similar first.
    fn similar(&mut self) {
        let mut likely: Vec<(f64, usize, usize)> = Vec::new();
        for n in (0..self.new.len()).filter(|n| self.of_new[*n].is_none()) {
            for o in (0..self.old.len()).filter(|o| !self.taken[*o]) {
                let like = likeness(self.new[n].title, &self.old[o].title);
                let needed = if self.same_place(n, o) { ALIKE_HERE } else { ALIKE_ANYWHERE };
                if like >= needed {
                    likely.push((like, n, o));
                }
            }
        }
        likely.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        for (_, n, o) in likely {
            if self.of_new[n].is_none() && !self.taken[o] {
                (self.of_new[n], self.taken[o]) = (Some(o), true);
            }
        }
    }

    /// Whether both follow, or precede, the same matched section.
    fn same_place(&self, n: usize, o: usize) -> bool {
        let before_new = self.of_new[..n].iter().rev().find_map(|found| *found);
        let before_old = (0..o).rev().find(|o| self.taken[*o]);
        let after_new = self.of_new[n + 1..].iter().find_map(|found| *found);
        let after_old = (o + 1..self.old.len()).find(|o| self.taken[*o]);
        before_new == before_old || after_new == after_old
    }
}

/// The similarity of two headings, by spelling or by common words.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let spelling = strsim::normalized_damerau_levenshtein(&a, &b);
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (a, b) = (words(&a), words(&b));
    let all = a.union(&b).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let shared = if all == 0 { 0.0 } else { a.intersection(&b).count() as f64 / all as f64 };
    spelling.max(shared)
}
