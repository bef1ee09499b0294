//! The column that names rows, where there is one: full, each value once, and the same values on both sides.

use std::borrow::Cow;
use std::collections::HashSet;

use super::columns::Columns;
use super::records::Table;

/// Columns that are tried.
const TRIED: usize = 8;

/// The best key among the common columns: that with most values on both sides, the leftmost of equals.
pub(super) fn find(old: &Table, new: &Table, columns: &Columns, first: usize) -> Option<usize> {
    if first == 0 {
        // Without names nothing says that a column is meant to name rows.
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for (at, (a, b)) in columns.common.iter().enumerate().take(TRIED) {
        let (Some(before), Some(after)) = (unique(old, *a, first), unique(new, *b, first)) else { continue };
        let shared = before.intersection(&after).count();
        let fewest = before.len().min(after.len());
        if shared * 2 >= fewest && shared > 0 && best.is_none_or(|(_, most)| shared > most) {
            best = Some((at, shared));
        }
    }
    best.map(|(at, _)| at)
}

fn unique<'t>(table: &'t Table, column: usize, first: usize) -> Option<HashSet<Cow<'t, str>>> {
    let mut seen = HashSet::new();
    for at in first..table.len() {
        let value = table.field(at, column);
        if value.trim().is_empty() || !seen.insert(value) {
            return None;
        }
    }
    Some(seen)
}
