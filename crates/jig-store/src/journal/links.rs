//! Checks that the entries of a journal are continuous.

use super::Row;
use super::undo::{REDO, UNDO};

/// The errors in a complete journal; empty if it is valid.
pub(crate) fn broken_links(rows: &[Row]) -> Vec<String> {
    let mut broken = Vec::new();
    if let Some(first) = rows.first() {
        if first.entry.seq != 1 {
            broken.push(format!("the journal starts at {}", first.entry.seq));
            return broken;
        }
        if !follows(rows, 0, first) {
            broken.push("row 1 has a wrong undo position".to_owned());
        }
    }
    for pair in rows.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let seq = after.entry.seq;
        if seq != before.entry.seq + 1 {
            broken.push(format!("the journal lacks rows after {}", before.entry.seq));
            // The checks below find entries by number, which requires continuous numbers.
            return broken;
        }
        if after.entry.state_before != before.entry.state_after {
            broken.push(format!("row {seq} does not start at the end of row {}", before.entry.seq));
        } else if !follows(rows, before.position, after) {
            broken.push(format!("row {seq} has a wrong undo position"));
        }
    }
    broken
}

/// Whether an entry leads from one position to its own in the way of its operation.
fn follows(rows: &[Row], before: u64, row: &Row) -> bool {
    let entry = &row.entry;
    if row.parent_position != before {
        return false;
    }
    let target = || {
        let index = usize::try_from(entry.target?.checked_sub(1)?).ok()?;
        rows.get(index).filter(|target| target.entry.seq < entry.seq && target.position == target.entry.seq)
    };
    match entry.operation.as_str() {
        UNDO => target().is_some_and(|change| {
            change.entry.seq == before
                && row.position == change.parent_position
                && entry.state_after == change.entry.state_before
        }),
        REDO => target().is_some_and(|change| {
            change.parent_position == before
                && row.position == change.entry.seq
                && entry.state_after == change.entry.state_after
        }),
        _ if entry.state_before == entry.state_after => row.position == before,
        _ => row.position == entry.seq,
    }
}
