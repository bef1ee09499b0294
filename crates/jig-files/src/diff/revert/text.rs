//! Hunks of a text taken back.

use std::collections::BTreeSet;

use super::super::text::{Hunk, TextDiff, decode_alike};
use super::super::view::hunk_id;
use super::{Versions, alone, no_change};
use crate::engine::FileError;

/// The places of the hunks with these ids.
pub(super) fn chosen(diff: &TextDiff, ids: &[String]) -> Result<BTreeSet<usize>, FileError> {
    let place = |id: &String| {
        let found = (0..diff.hunks.len()).find(|at| hunk_id(*at) == *id);
        let last = diff.hunks.len().checked_sub(1).map(hunk_id);
        found.ok_or_else(|| no_change(id, last.into_iter().collect()))
    };
    ids.iter().map(place).collect()
}

/// The new text with the old lines of some hunks.
pub(super) fn hunks(versions: &Versions<'_>, diff: &TextDiff, chosen: &BTreeSet<usize>) -> Result<Vec<u8>, FileError> {
    let (old, new) = decode_alike(versions.old, versions.new);
    let first = chosen.first().copied().map(hunk_id).unwrap_or_default();
    if !(old.round_trips() && new.round_trips()) {
        return Err(alone(&first, "the file holds bytes that are not text in its encoding"));
    }
    let raw = |text: &crate::text::Text| -> Vec<String> {
        text.iter_lines().map(|line| format!("{}{}", line.text, line.ending)).collect()
    };
    let (old_lines, new_lines) = (raw(&old), raw(&new));
    let mut out = String::with_capacity(new.content().len());
    let mut at = 0;
    for (_, hunk) in diff.hunks.iter().enumerate().filter(|(place, _)| chosen.contains(place)) {
        let (old_range, new_range) = ranges(hunk);
        out.extend(new_lines.get(at..new_range.start).unwrap_or_default().iter().map(String::as_str));
        out.extend(old_lines.get(old_range).unwrap_or_default().iter().map(String::as_str));
        at = new_range.end;
    }
    out.extend(new_lines.get(at..).unwrap_or_default().iter().map(String::as_str));
    let same = old.line_ending() == new.line_ending();
    let format =
        if same { new.format() } else { crate::text::TextFormat { line_ending: new.line_ending(), ..new.format() } };
    format.encode(&out).map_err(|error| alone(&first, &error.to_string()))
}

/// The lines of a hunk on both sides, counted from 0.
fn ranges(hunk: &Hunk) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let range = |start: usize, count: usize| {
        let from = if count > 0 { start.saturating_sub(1) } else { start };
        from..from + count
    };
    (range(hunk.old_start, hunk.old_count), range(hunk.new_start, hunk.new_count))
}
