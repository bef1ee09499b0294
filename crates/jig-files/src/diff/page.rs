//! A large difference in pages, so that nothing has to be cut off to keep an answer small.

use std::num::NonZeroUsize;

use super::text::{DiffLine, Hunk, LineTag, TextDiff};

/// One page of a difference. All pages together hold every line of every hunk once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPage {
    /// This page, counted from zero.
    pub page: usize,
    /// Pages in all; at least one.
    pub total_pages: usize,
    /// Whether another page follows.
    pub has_more: bool,
    /// Whether the first hunk goes on from the page before.
    pub continued: bool,
    /// The hunks, those at the edges possibly cut, with starts and counts of what is here.
    pub hunks: Vec<Hunk>,
}

impl TextDiff {
    /// A page of at most `page_size` hunk lines; `None` past the last page.
    ///
    /// A page counts lines and not hunks, because a single hunk can be as long as the file.
    #[must_use]
    pub fn page(&self, page: usize, page_size: NonZeroUsize) -> Option<DiffPage> {
        let total_lines: usize = self.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        let total_pages = total_lines.div_ceil(page_size.get()).max(1);
        if page >= total_pages {
            return None;
        }
        let start = page * page_size.get();
        let end = start.saturating_add(page_size.get());
        let mut result =
            DiffPage { page, total_pages, has_more: page + 1 < total_pages, continued: false, hunks: Vec::new() };
        let mut before = 0;
        for hunk in &self.hunks {
            let from = start.saturating_sub(before).min(hunk.lines.len());
            let to = end.saturating_sub(before).min(hunk.lines.len());
            if from < to {
                result.continued |= from > 0;
                result.hunks.push(hunk.part(from, to));
            }
            before += hunk.lines.len();
        }
        Some(result)
    }
}

impl Hunk {
    /// The lines from `from` up to `to` as a hunk of their own.
    fn part(&self, from: usize, to: usize) -> Self {
        let skipped = self.lines.get(..from).unwrap_or_default();
        let without = |tag| skipped.iter().filter(|line| line.tag != tag).count();
        let (old_skipped, new_skipped) = (without(LineTag::Added), without(LineTag::Removed));
        let lines: &[DiffLine] = self.lines.get(from..to).unwrap_or_default();
        let mut part = Self { lines: lines.to_vec(), ..Self::EMPTY };
        let old_before = self.old_start - usize::from(self.old_count > 0);
        let new_before = self.new_start - usize::from(self.new_count > 0);
        part.place(old_before + old_skipped, new_before + new_skipped);
        part
    }
}
