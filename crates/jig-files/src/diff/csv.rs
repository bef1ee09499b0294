//! Compares two tables of delimited text row by row: by a key column if there is one, else by the values of the rows. Rows and
//! columns are those of the table methods.

mod columns;
mod key;
mod records;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use similar::DiffOp;

use super::align::align;
use super::change::{Change, ChangeKind, Detail, ROW_ORDER, Undo};
use super::inside::{InsideDiff, InsideFormat};
use super::pair::{COMPARISONS, Step, as_they_stand, pair};
use super::text::decode_alike;
use columns::Columns;
use records::{Table, dialect};

/// Rows beyond which a table is compared as lines of text.
const ROWS_MAX: usize = 3_000_000;

/// Compares two tables; none when one of them cannot be read as a table.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Option<InsideDiff> {
    counted(old, new).map(|(diff, _)| diff)
}

/// The same with the work that it took: fields read and values compared.
fn counted(old: &[u8], new: &[u8]) -> Option<(InsideDiff, u64)> {
    let (old_text, new_text) = decode_alike(old, new);
    let encodings = (old_text.encoding(), new_text.encoding());
    let endings = (old_text.line_ending(), new_text.line_ending());
    let (before, after, delimiter_change) = tables(old_text.into_content(), new_text.into_content())?;
    // A single column is compared as lines of text.
    if before.names().len().max(after.names().len()) < 2 || before.len().max(after.len()) > ROWS_MAX {
        return None;
    }
    let mut diff = InsideDiff::new(InsideFormat::Csv);
    let header = has_header(&before, &after);
    let columns = Columns::between(&before, &after, header);
    columns.tell(&before, &after, delimiter_change.is_none(), &mut diff);
    compare_above(&before, &after, &mut diff);
    let comparer = Comparer {
        before: &before,
        after: &after,
        columns: &columns,
        first: usize::from(header),
        delimiter_change: delimiter_change.clone(),
        budget: Cell::new((before.cells() + after.cells()).saturating_mul(BUDGET).saturating_add(BUDGET_FLOOR)),
        compared: Cell::new(0),
    };
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
    if let Some(change) = delimiter_change {
        diff.note(change);
    }
    if before.empty_lines() != after.empty_lines() {
        diff.note(format!("empty lines changed from {} to {}", before.empty_lines(), after.empty_lines()));
    }
    if encodings.0 != encodings.1 {
        diff.note(format!("encoding changed from {} to {}", encodings.0, encodings.1));
    }
    if endings.0 != endings.1 {
        diff.note(format!("line endings changed from {} to {}", endings.0.words(), endings.1.words()));
    }
    let work = before.reads() + after.reads() + comparer.compared.get();
    Some((diff.finish(), work))
}

/// Both tables, and how the delimiter changed. Then records of one table do not fit into the other.
fn tables(old: String, new: String) -> Option<(Table, Table, Option<String>)> {
    let (of_old, of_new) = (dialect(&old), dialect(&new));
    if of_old.delimiter == of_new.delimiter {
        // A small edit must not look like a change of dialect: the longer text is the better sample.
        let both = if old.len() > new.len() { of_old } else { of_new };
        return Some((Table::parse(old, both)?, Table::parse(new, both)?, None));
    }
    let (before, after) = (Table::parse(old, of_old)?, Table::parse(new, of_new)?);
    // In a table of one column there is no delimiter to find: the other one's is as good.
    if after.names().len() < 2 {
        let after = Table::parse(after.into_text(), of_old)?;
        return Some((before, after, None));
    }
    if before.names().len() < 2 {
        let before = Table::parse(before.into_text(), of_new)?;
        return Some((before, after, None));
    }
    let [old, new] = [of_old, of_new].map(|dialect| char::from(dialect.delimiter).escape_debug().to_string());
    Some((before, after, Some(format!("the delimiter changed from `{old}` to `{new}`"))))
}

/// Whether both tables have a header. A first record that is the same in both is one in both, or in neither.
fn has_header(before: &Table, after: &Table) -> bool {
    match (before.layout.has_header, after.layout.has_header) {
        (true, true) => true,
        (false, false) => false,
        _ => before.len() > 0 && after.len() > 0 && before.line(0) == after.line(0),
    }
}

/// What is above the tables is compared as text.
fn compare_above(before: &Table, after: &Table, diff: &mut InsideDiff) {
    let texts = [before, after].map(|table| table.text().get(table.above()).unwrap_or_default());
    let [old, new] = texts.map(str::trim_end);
    if old == new {
        return;
    }
    let kind = match (old.is_empty(), new.is_empty()) {
        (true, _) => ChangeKind::Added,
        (_, true) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    let [old, new] = [old, new].map(|text| (!text.is_empty()).then_some(text));
    let change = Change::new(ABOVE, kind, ABOVE).texts(old, new);
    diff.add(GROUP, change.fixed("it is not part of the table"));
}

struct Comparer<'c> {
    before: &'c Table,
    after: &'c Table,
    columns: &'c Columns,
    /// The first row that is not the header.
    first: usize,
    /// The change of the delimiter: then old records do not fit into the new file.
    delimiter_change: Option<String>,
    /// Values that may still be compared to find out which row became which.
    budget: Cell<usize>,
    /// Values that were compared for it.
    compared: Cell<u64>,
}

/// How many times each value may be compared on average while rows are matched: the work stays linear in the cells.
const BUDGET: usize = 16;
/// Values that may be compared in any table, so that rows of a small one are matched with care.
const BUDGET_FLOOR: usize = 1_000_000;

const GROUP: &str = "rows";
const ABOVE: &str = "lines above the table";
/// Rows by whose keys another order is shown.
const ORDER_SHOWN: usize = 100;

impl Comparer<'_> {
    fn keyed(&self, key: usize, diff: &mut InsideDiff) {
        let (old_column, new_column) = self.columns.common.get(key).copied().unwrap_or((0, 0));
        let places: HashMap<Cow<'_, str>, usize> =
            (self.first..self.before.len()).map(|at| (self.before.field(at, old_column), at)).collect();
        let name = self.columns.name(key);
        let id = |value: &str| format!("row {name}={value}");
        let mut matched = vec![None; self.before.len()];
        let mut order = Vec::new();
        for at in self.first..self.after.len() {
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
            let more = (places.len() > ORDER_SHOWN).then_some(Cow::Borrowed("…"));
            shown.chain(more).collect::<Vec<_>>().join(", ")
        };
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let detail = Detail::new(self.columns.name(key), listed(&sorted), listed(order));
        Change::new(ROW_ORDER, ChangeKind::Moved, ROW_ORDER).detail(detail).fixed("it holds for all rows")
    }

    fn aligned(&self, diff: &mut InsideDiff) {
        let mut ids: HashMap<u128, usize> = HashMap::new();
        let mut number = |table: &Table, new: bool| -> Vec<usize> {
            (self.first..table.len())
                .map(|at| {
                    let next = ids.len();
                    *ids.entry(digest(self.columns.values(table, at, new))).or_insert(next)
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
        let steps = self.steps(old_start..old_start + old.len(), new_start..new_start + new.len());
        let mut behind = new_start.checked_sub(1);
        for step in steps {
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

    /// Which of some old rows became which of some new ones. Small blocks are compared each with each; large ones by the
    /// column that tells most rows apart, so that the work stays linear.
    fn steps(&self, old: Range<usize>, new: Range<usize>) -> Vec<Step> {
        let values = |table: &Table, rows: Range<usize>, new: bool| -> Vec<Vec<u64>> {
            rows.map(|at| self.columns.values(table, at, new).map(|value| hash(&value)).collect()).collect()
        };
        if old.is_empty() || new.is_empty() {
            return as_they_stand(old.len(), new.len());
        }
        let (a, b) = (values(self.before, old, false), values(self.after, new, true));
        let pairs = a.len().saturating_mul(b.len());
        let cost = pairs.saturating_mul(self.columns.common.len().max(1));
        if pairs > COMPARISONS || cost > self.budget.get() {
            return by_column(&a, &b, self.columns.common.len());
        }
        self.budget.set(self.budget.get() - cost);
        self.compared.set(self.compared.get() + cost as u64);
        let likeness = |i: usize, j: usize| match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => {
                let same = a.iter().zip(b).filter(|(a, b)| a == b).count();
                same as f64 / a.len().max(1) as f64
            }
            _ => 0.0,
        };
        pair(a.len(), b.len(), likeness)
    }

    fn changed(&self, id: &str, old: usize, new: usize, diff: &mut InsideDiff) {
        let mut change = Change::new(id, ChangeKind::Changed, "row");
        for (at, (a, b)) in self.columns.common.iter().enumerate() {
            let (before, after) = (self.before.field(old, *a), self.after.field(new, *b));
            if before != after {
                change = change.detail(Detail::new(self.columns.name(at), before, after));
            }
        }
        // Fields beyond the header have no name.
        let widths = self.columns.widths();
        let beyond =
            self.before.width(old).saturating_sub(widths.0).max(self.after.width(new).saturating_sub(widths.1));
        for at in 0..beyond {
            let (before, after) = (self.before.field(old, widths.0 + at), self.after.field(new, widths.1 + at));
            change = change.detail(Detail::new(format!("field {}", widths.1 + at + 1), before, after));
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
        match &self.delimiter_change {
            Some(why) => change.fixed(why.as_str()),
            None if self.columns.same() => change.undone_by(undo),
            None => change.fixed("columns came, went or moved"),
        }
    }
}

/// Pairs rows by the column with the most values that occur once on each side; without such a column, in order.
fn by_column(old: &[Vec<u64>], new: &[Vec<u64>], columns: usize) -> Vec<Step> {
    let once = |rows: &[Vec<u64>], column: usize| -> HashSet<u64> {
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for value in rows.iter().filter_map(|row| row.get(column)) {
            *seen.entry(*value).or_default() += 1;
        }
        seen.into_iter().filter(|(_, count)| *count == 1).map(|(value, _)| value).collect()
    };
    let shared = |column: usize| once(old, column).intersection(&once(new, column)).count();
    let best = (0..columns.min(KEY_COLUMNS)).map(|column| (shared(column), std::cmp::Reverse(column))).max();
    let Some((count, std::cmp::Reverse(column))) = best else { return as_they_stand(old.len(), new.len()) };
    if count * 4 < old.len().min(new.len()) {
        return as_they_stand(old.len(), new.len());
    }
    let mut ids: HashMap<u64, usize> = HashMap::new();
    let mut number = |rows: &[Vec<u64>]| -> Vec<usize> {
        let mut id = |row: &Vec<u64>| {
            let next = ids.len();
            *ids.entry(row.get(column).copied().unwrap_or(0)).or_insert(next)
        };
        rows.iter().map(&mut id).collect()
    };
    let (old_ids, new_ids) = (number(old), number(new));
    let mut steps = Vec::with_capacity(old.len().max(new.len()));
    for op in align(&old_ids, &new_ids).0 {
        let (a, b) = (op.old_range(), op.new_range());
        let shifted = as_they_stand(a.len(), b.len()).into_iter().map(|step| match step {
            Step::Both(i, j) => Step::Both(a.start + i, b.start + j),
            Step::Old(i) => Step::Old(a.start + i),
            Step::New(j) => Step::New(b.start + j),
        });
        steps.extend(shifted);
    }
    steps
}

/// Columns that are tried to tell rows apart.
const KEY_COLUMNS: usize = 32;

fn hash(value: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The values of a row as one number that no two different rows share.
fn digest<'v>(values: impl Iterator<Item = Cow<'v, str>>) -> u128 {
    let mut hasher = blake3::Hasher::new();
    for value in values {
        hasher.update(&(value.len() as u64).to_le_bytes()).update(value.as_bytes());
    }
    let sum = hasher.finalize();
    let half: [u8; 16] = std::array::from_fn(|at| sum.as_bytes().get(at).copied().unwrap_or(0));
    u128::from_le_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of so many rows and columns. Every `step`th cell of the new version has another value.
    fn tables(rows: usize, columns: usize, step: usize, key: bool) -> (String, String) {
        let (mut old, mut new) = (String::new(), String::new());
        for text in [&mut old, &mut new] {
            let names: Vec<String> = (0..columns).map(|column| format!("name {column}")).collect();
            text.push_str(&format!("{}\n", names.join(",")));
        }
        for row in 0..rows {
            for column in 0..columns {
                let end = if column + 1 == columns { "\n" } else { "," };
                let value =
                    if key && column == 0 { format!("k{row}") } else { format!("v{}", (row * 7 + column) % 50) };
                let changed = (row * columns + column).is_multiple_of(step) && !(key && column == 0);
                old.push_str(&format!("{value}{end}"));
                new.push_str(&format!("{value}{}{end}", if changed { "x" } else { "" }));
            }
        }
        (old, new)
    }

    #[test]
    fn the_work_grows_with_the_cells_and_not_faster() {
        for key in [true, false] {
            for step in [3, 29, 211] {
                for (rows, columns) in [(100, 20), (400, 20), (1_600, 20), (400, 80), (400, 320)] {
                    let (old, new) = tables(rows, columns, step, key);
                    let (diff, work) = counted(old.as_bytes(), new.as_bytes()).unwrap();
                    let most = BUDGET_FLOOR + 2 * rows * columns * (BUDGET + 12);
                    assert!(work <= most as u64, "key {key}, step {step}, {rows} × {columns}: {work} of {most}");
                    assert!(!diff.is_unchanged(), "key {key}, step {step}, {rows} × {columns}");
                }
            }
        }
    }

    #[test]
    fn a_large_block_of_changed_rows_is_matched_by_the_column_that_tells_them_apart() {
        // Without names there is no key; every row changed, and one came in the middle.
        let row = |number: usize, extra: &str| format!("{number},a{extra},b{extra},c{extra}\n");
        let old: String = (0..500).map(|number| row(number, "")).collect();
        let mut new: String = (0..250).map(|number| row(number, "!")).collect();
        new.push_str("9999,a!,b!,c!\n");
        new.extend((250..500).map(|number| row(number, "!")));
        let diff = compare(old.as_bytes(), new.as_bytes()).unwrap();
        let added: Vec<&str> =
            diff.changes().filter(|change| change.kind == ChangeKind::Added).map(|change| change.id.as_str()).collect();
        assert_eq!((diff.total(), added.as_slice()), (501, ["row 251"].as_slice()));
    }
}
