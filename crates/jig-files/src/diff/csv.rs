//! Two tables of delimited text, row by row: by a key column where there is one, else by what the rows hold.

mod columns;
mod key;
mod records;

use std::collections::HashMap;
use std::ops::Range;

use similar::DiffOp;

use super::align::align;
use super::change::{Change, ChangeKind, Detail, ROW_ORDER, Undo};
use super::inside::{InsideDiff, InsideFormat};
use super::pair::{Step, pair};
use super::text::decode_alike;
use columns::Columns;
use records::{Table, delimiter};

/// Rows beyond which a table is compared as lines of text.
const ROWS_MAX: usize = 3_000_000;

/// Compares two tables; none when one of them cannot be read as a table.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Option<InsideDiff> {
    let (old_text, new_text) = decode_alike(old, new);
    let delimiter = delimiter(new_text.content())?;
    let before = Table::parse(old_text.content(), delimiter)?;
    let after = Table::parse(new_text.content(), delimiter)?;
    if before.records.len().max(after.records.len()) > ROWS_MAX {
        return None;
    }
    let mut diff = InsideDiff::new(InsideFormat::Csv);
    let header = before.has_header() && after.has_header();
    let columns = Columns::between(&before, &after, header);
    columns.tell(&before, &after, &mut diff);
    let comparer = Comparer { before: &before, after: &after, columns: &columns, first: usize::from(header) };
    match key::find(&before, &after, &columns, comparer.first) {
        Some(key) => {
            diff.note(format!("rows are matched by the column {}", columns.name(key)));
            comparer.keyed(key, &mut diff);
        }
        None => comparer.aligned(&mut diff),
    }
    if diff.is_unchanged() && old != new {
        diff.note("all values are the same; quoting, line ends, encoding or white space differ");
    }
    if old_text.encoding() != new_text.encoding() {
        diff.note(format!("encoding changed from {} to {}", old_text.encoding(), new_text.encoding()));
    }
    if old_text.line_ending() != new_text.line_ending() {
        let (old, new) = (old_text.line_ending().words(), new_text.line_ending().words());
        diff.note(format!("line endings changed from {old} to {new}"));
    }
    Some(diff.finish())
}

struct Comparer<'c, 't> {
    before: &'c Table<'t>,
    after: &'c Table<'t>,
    columns: &'c Columns,
    /// The first row that is no header.
    first: usize,
}

const GROUP: &str = "rows";
/// Rows by whose keys another order is shown.
const ORDER_SHOWN: usize = 100;

impl Comparer<'_, '_> {
    fn keyed(&self, key: usize, diff: &mut InsideDiff) {
        let (old_column, new_column) = self.columns.common.get(key).copied().unwrap_or((0, 0));
        let places: HashMap<String, usize> =
            (self.first..self.before.records.len()).map(|at| (self.before.field(at, old_column), at)).collect();
        let name = self.columns.name(key);
        let id = |value: &str| format!("row {name}={value}");
        let mut matched = vec![None; self.before.records.len()];
        let mut order = Vec::new();
        for at in self.first..self.after.records.len() {
            let value = self.after.field(at, new_column);
            match places.get(&value) {
                Some(old) => {
                    if let Some(place) = matched.get_mut(*old) {
                        *place = Some(at);
                    }
                    order.push(*old);
                    self.changed(&id(&value), *old, at, diff);
                }
                None => self.added(&id(&value), at, diff),
            }
        }
        let mut behind = self.first.checked_sub(1);
        for (old, found) in matched.iter().enumerate().skip(self.first) {
            match found {
                Some(at) => behind = Some(*at),
                None => {
                    let id = format!("{} (removed)", id(&self.before.field(old, old_column)));
                    self.removed(&id, old, behind, diff);
                }
            }
        }
        if !order.is_sorted() {
            diff.add(GROUP, self.reordered(&order, key));
        }
    }

    /// The rows of both tables stand in another order, told by their keys. `order` has their places before.
    fn reordered(&self, order: &[usize], key: usize) -> Change {
        let column = self.columns.common.get(key).map_or(0, |(old, _)| *old);
        let listed = |places: &[usize]| {
            let shown = places.iter().take(ORDER_SHOWN).map(|at| self.before.field(*at, column));
            let more = (places.len() > ORDER_SHOWN).then(|| "…".to_owned());
            shown.chain(more).collect::<Vec<_>>().join(", ")
        };
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let detail = Detail::new(self.columns.name(key), listed(&sorted), listed(order));
        Change::new(ROW_ORDER, ChangeKind::Moved, ROW_ORDER).detail(detail).fixed("it holds for all rows")
    }

    fn aligned(&self, diff: &mut InsideDiff) {
        let mut ids: HashMap<Vec<String>, usize> = HashMap::new();
        let mut number = |table: &Table<'_>, new: bool| -> Vec<usize> {
            (self.first..table.records.len())
                .map(|at| {
                    let next = ids.len();
                    *ids.entry(self.columns.values(table, at, new)).or_insert(next)
                })
                .collect()
        };
        let (old_ids, new_ids) = (number(self.before, false), number(self.after, true));
        drop(ids);
        let (ops, _) = align(&old_ids, &new_ids);
        for op in ops {
            if !matches!(op, DiffOp::Equal { .. }) {
                self.block(op.old_range(), op.new_range(), diff);
            }
        }
    }

    fn block(&self, old: Range<usize>, new: Range<usize>, diff: &mut InsideDiff) {
        let (old_start, new_start) = (old.start + self.first, new.start + self.first);
        let likeness = |i: usize, j: usize| {
            let a = self.columns.values(self.before, old_start + i, false);
            let b = self.columns.values(self.after, new_start + j, true);
            let same = a.iter().zip(&b).filter(|(a, b)| a == b).count();
            same as f64 / a.len().max(1) as f64
        };
        let mut behind = new_start.checked_sub(1);
        for step in pair(old.len(), new.len(), likeness) {
            let row = |at: usize| at + 1 - self.first;
            match step {
                Step::Both(i, j) => {
                    self.changed(&format!("row {}", row(new_start + j)), old_start + i, new_start + j, diff);
                    behind = Some(new_start + j);
                }
                Step::New(j) => {
                    self.added(&format!("row {}", row(new_start + j)), new_start + j, diff);
                    behind = Some(new_start + j);
                }
                Step::Old(i) => {
                    self.removed(&format!("row {} (removed)", row(old_start + i)), old_start + i, behind, diff);
                }
            }
        }
    }

    fn changed(&self, id: &str, old: usize, new: usize, diff: &mut InsideDiff) {
        let mut change = Change::new(id, ChangeKind::Changed, "row");
        for (at, (a, b)) in self.columns.common.iter().enumerate() {
            let (before, after) = (self.before.field(old, *a), self.after.field(new, *b));
            if before != after {
                change = change.detail(Detail::new(self.columns.name(at), before, after));
            }
        }
        if change.details.is_empty() {
            return;
        }
        let undo = Undo::Records { old: self.before.range(old), new: self.after.range(new) };
        diff.add(GROUP, self.alone(change, undo));
    }

    fn added(&self, id: &str, new: usize, diff: &mut InsideDiff) {
        let change = Change::new(id, ChangeKind::Added, "row").texts(None, Some(self.after.line(new)));
        let undo = Undo::Records { old: 0..0, new: self.after.range(new) };
        diff.add(GROUP, change.undone_by(undo));
    }

    fn removed(&self, id: &str, old: usize, behind: Option<usize>, diff: &mut InsideDiff) {
        let change = Change::new(id, ChangeKind::Removed, "row").texts(Some(self.before.line(old)), None);
        let at = behind.map_or(0, |at| self.after.range(at).end);
        diff.add(GROUP, self.alone(change, Undo::Records { old: self.before.range(old), new: at..at }));
    }

    /// A whole old row fits only between the same columns.
    fn alone(&self, change: Change, undo: Undo) -> Change {
        if self.columns.same() { change.undone_by(undo) } else { change.fixed("columns came, went or moved") }
    }
}
