//! Compares two tables of delimited text row by row: by a key column if there is one, else by the values of the rows. Rows and
//! columns are those of the table methods.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use jig_text::Charset;
use jig_text::csv::{CsvDialect, CsvOptions, RecordReader, Records, TableLayout, detect_dialect};
use similar::DiffOp;

use super::align::{COMPARISONS, Step, align, as_they_stand, intern, pair};
use super::change::{Change, ChangeKind, Detail, ROW_ORDER, RevertPlan, StructuredDiff, StructuredFormat};
use super::text::decode_alike;

/// Rows beyond which a table is compared as lines of text.
const ROWS_MAX: usize = 3_000_000;

/// Compares two tables; none when one of them cannot be read as a table.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Option<StructuredDiff> {
    counted(old, new).map(|(diff, _)| diff)
}

/// The same with the work that it took: fields read and values compared.
fn counted(old: &[u8], new: &[u8]) -> Option<(StructuredDiff, u64)> {
    let (old_text, new_text) = decode_alike(old, new);
    let encodings = (old_text.encoding(), new_text.encoding());
    let endings = (old_text.line_ending(), new_text.line_ending());
    let (before, after, delimiter_change) = tables(old_text.into_content(), new_text.into_content())?;
    // A single column is compared as lines of text.
    if before.names().len().max(after.names().len()) < 2 || before.len().max(after.len()) > ROWS_MAX {
        return None;
    }
    let mut diff = StructuredDiff::new(StructuredFormat::Csv);
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
    match find_key(&before, &after, &columns, comparer.first) {
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
    // A table of one column shows no delimiter: that of the other version applies.
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

/// Whether both tables have a header. A first record that is the same in both is either a header in both or a row in both.
fn has_header(before: &Table, after: &Table) -> bool {
    match (before.layout.has_header, after.layout.has_header) {
        (true, true) => true,
        (false, false) => false,
        _ => before.len() > 0 && after.len() > 0 && before.line(0) == after.line(0),
    }
}

/// What is above the tables is compared as text.
fn compare_above(before: &Table, after: &Table, diff: &mut StructuredDiff) {
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
    let change = Change::new(ABOVE, kind, "preamble").texts(old, new);
    diff.add(GROUP, change.not_revertible("it is not part of the table"));
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
    fn keyed(&self, key: usize, diff: &mut StructuredDiff) {
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

    /// The change for rows whose order differs, listed by their keys. `order` has their old indexes.
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
        Change::new(ROW_ORDER, ChangeKind::Moved, ROW_ORDER).detail(detail).not_revertible("it holds for all rows")
    }

    fn aligned(&self, diff: &mut StructuredDiff) {
        let old = (self.first..self.before.len()).map(|at| digest(self.columns.values(self.before, at, false)));
        let new = (self.first..self.after.len()).map(|at| digest(self.columns.values(self.after, at, true)));
        let (old_ids, new_ids) = intern(old, new);
        let (ops, _) = align(&old_ids, &new_ids);
        for op in ops {
            if !matches!(op, DiffOp::Equal { .. }) {
                self.block(op.old_range(), op.new_range(), diff);
            }
        }
    }

    fn block(&self, old: Range<usize>, new: Range<usize>, diff: &mut StructuredDiff) {
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

    fn changed(&self, id: &str, old: usize, new: usize, diff: &mut StructuredDiff) {
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
        let plan = RevertPlan::Records { old: self.before.range(old), new: self.after.range(new) };
        diff.add(GROUP, self.alone(change, plan));
    }

    fn added(&self, id: &str, new: usize, diff: &mut StructuredDiff) {
        let change = Change::new(id, ChangeKind::Added, "row").texts(None, Some(self.after.line(new)));
        let plan = RevertPlan::Records { old: 0..0, new: self.after.range(new) };
        diff.add(GROUP, change.revertible(plan));
    }

    fn removed(&self, id: &str, old: usize, behind: Option<usize>, diff: &mut StructuredDiff) {
        let change = Change::new(id, ChangeKind::Removed, "row").texts(Some(self.before.line(old)), None);
        let at = behind.map_or(0, |at| self.after.range(at).end);
        diff.add(GROUP, self.alone(change, RevertPlan::Records { old: self.before.range(old), new: at..at }));
    }

    /// A whole old row fits only between the same columns.
    fn alone(&self, change: Change, plan: RevertPlan) -> Change {
        match &self.delimiter_change {
            Some(why) => change.not_revertible(why.as_str()),
            None if self.columns.same() => change.revertible(plan),
            None => change.not_revertible("columns came, went or moved"),
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
    let value = |row: &Vec<u64>| row.get(column).copied().unwrap_or(0);
    let (old_ids, new_ids) = intern(old.iter().map(value), new.iter().map(value));
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

/// A table: the header, if there is one, and the rows.
struct Table {
    records: Records,
    layout: TableLayout,
    /// The records of the table; the first is the header, if there is one. Lines above the table and empty lines are left out.
    rows: Vec<usize>,
    /// Fields that were read: the work that a comparison takes.
    reads: Cell<u64>,
}

/// The dialect of a text.
fn dialect(text: &str) -> CsvDialect {
    detect_dialect(text, true, &CsvOptions::default()).dialect
}

impl Table {
    /// Reads all records; `None` if a record is too long.
    fn parse(text: String, dialect: CsvDialect) -> Option<Self> {
        let layout = layout(&text, dialect)?;
        let records = Records::split(text, dialect);
        let one_column = layout.names.len() == 1;
        let is_row = |row: &usize| records.line(*row) >= layout.first_line && (one_column || !records.is_blank(*row));
        let rows = (0..records.len()).filter(is_row).collect();
        Some(Self { records, layout, rows, reads: Cell::new(0) })
    }

    /// How many records the table has, with its header.
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// The names of the columns.
    fn names(&self) -> &[String] {
        &self.layout.names
    }

    /// The lines above the table, with their line endings.
    fn above(&self) -> Range<usize> {
        0..self.rows.first().map_or(0, |_| self.range(0).start)
    }

    /// How many empty lines are below the first record and not part of the table.
    fn empty_lines(&self) -> usize {
        let from = self.rows.first().copied().unwrap_or_default();
        self.records.len().saturating_sub(from).saturating_sub(self.rows.len())
    }

    fn text(&self) -> &str {
        self.records.text()
    }

    /// The text, to be read with another dialect.
    fn into_text(self) -> String {
        self.records.into_text()
    }

    fn record(&self, at: usize) -> usize {
        self.rows.get(at).copied().unwrap_or(usize::MAX)
    }

    /// The place of a record in the text, with its line ending.
    fn range(&self, at: usize) -> Range<usize> {
        self.records.range(self.record(at)).unwrap_or_default()
    }

    /// A record as it is in the file, without its line ending.
    fn line(&self, at: usize) -> &str {
        self.records.raw(self.record(at)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// How many fields a record has.
    fn width(&self, at: usize) -> usize {
        self.records.width(self.record(at))
    }

    /// How many fields there are in total.
    fn cells(&self) -> usize {
        (0..self.len()).map(|at| self.width(at)).sum()
    }

    /// The place of a field in the text, with its quotes; `None` beyond the last one of its record.
    fn field_range(&self, at: usize, column: usize) -> Option<Range<usize>> {
        self.records.field_range(self.record(at), column)
    }

    /// A value; empty beyond the last field.
    fn field(&self, at: usize, column: usize) -> Cow<'_, str> {
        self.reads.set(self.reads.get() + 1);
        self.records.cell(self.record(at), column).map(|cell| cell.text).unwrap_or_default()
    }

    /// How many fields were read so far.
    fn reads(&self) -> u64 {
        self.reads.get()
    }
}

/// The layout as the table methods detect it: by the first batch of records.
fn layout(text: &str, dialect: CsvDialect) -> Option<TableLayout> {
    let source = jig_text::TextReader::new(text.as_bytes(), Charset::UTF_8);
    let first = RecordReader::new(source, dialect).next_batch().ok()?.unwrap_or_default();
    Some(TableLayout::detect(&first, None))
}

/// Rows that are looked at to tell whether a column only got another name.
const SAMPLE: usize = 1_000;
/// Values that are compared for it in all; with many columns fewer rows are looked at.
const SAMPLE_VALUES: usize = 1_000_000;

/// The columns of two tables.
struct Columns {
    /// Places of a column before and after.
    common: Vec<(usize, usize)>,
    names: Vec<String>,
    old_only: Vec<(usize, String)>,
    new_only: Vec<(usize, String)>,
    renamed: Vec<(usize, usize)>,
    widths: (usize, usize),
}

impl Columns {
    fn between(old: &Table, new: &Table, header: bool) -> Self {
        let (before, after) = (old.names().to_vec(), new.names().to_vec());
        let widths = (before.len(), after.len());
        if !header {
            let width = widths.0.max(widths.1);
            let common = (0..width).map(|at| (at, at)).collect();
            let names = (1..=width).map(|at| format!("column {at}")).collect();
            return Self { common, names, old_only: vec![], new_only: vec![], renamed: vec![], widths: (width, width) };
        }
        let places: HashMap<&str, usize> = before.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let named = |(at, name): (usize, &String)| Some((*places.get(name.as_str())?, at));
        let common: Vec<(usize, usize)> = after.iter().enumerate().filter_map(named).collect();
        let alone = |names: &[String], taken: &dyn Fn(usize) -> bool| -> Vec<(usize, String)> {
            names.iter().cloned().enumerate().filter(|(at, _)| !taken(*at)).collect()
        };
        let taken: (HashSet<usize>, HashSet<usize>) = common.iter().copied().unzip();
        let old_only = alone(&before, &|at| taken.0.contains(&at));
        let new_only = alone(&after, &|at| taken.1.contains(&at));
        let mut columns = Self { common, names: Vec::new(), old_only, new_only, renamed: Vec::new(), widths };
        columns.find_renamed(old, new);
        columns.find_rewritten(old, new);
        columns.common.sort_by_key(|(_, after)| *after);
        columns.names = columns.common.iter().map(|(_, at)| after.get(*at).cloned().unwrap_or_default()).collect();
        columns
    }

    /// A column that went and one that came are the same when their values are.
    fn find_renamed(&mut self, old: &Table, new: &Table) {
        let pairs = (self.old_only.len() * self.new_only.len()).max(1);
        let rows = old.len().min(new.len()).min(SAMPLE).min((SAMPLE_VALUES / pairs).max(2));
        for (a, _) in self.old_only.clone() {
            let alike = |b: usize| {
                let same = (1..rows).filter(|row| old.field(*row, a) == new.field(*row, b)).count();
                rows > 1 && same * 10 >= (rows - 1) * 8
            };
            if let Some((b, _)) = self.new_only.iter().find(|(b, _)| alike(*b)).cloned() {
                self.common.push((a, b));
                self.renamed.push((a, b));
                self.old_only.retain(|(at, _)| *at != a);
                self.new_only.retain(|(at, _)| *at != b);
            }
        }
    }

    /// Names that mean the same column but are written in another way, such as with another case of a repeated name.
    fn find_rewritten(&mut self, old: &Table, new: &Table) {
        let rewritten =
            |pair: &&(usize, usize)| !self.renamed.contains(pair) && old.field(0, pair.0) != new.field(0, pair.1);
        let found: Vec<(usize, usize)> = self.common.iter().filter(rewritten).copied().collect();
        self.renamed.extend(found);
    }

    /// The name of a common column.
    fn name(&self, at: usize) -> &str {
        self.names.get(at).map_or("", String::as_str)
    }

    /// How many columns the headers of both tables name.
    const fn widths(&self) -> (usize, usize) {
        self.widths
    }

    /// Whether rows of one table fit into the other as they are.
    fn same(&self) -> bool {
        self.old_only.is_empty()
            && self.new_only.is_empty()
            && self.widths.0 == self.widths.1
            && self.common.iter().all(|(a, b)| a == b)
    }

    /// The values of the common columns of a record. Fields beyond the header count too.
    fn values<'t>(&self, table: &'t Table, at: usize, new: bool) -> impl Iterator<Item = Cow<'t, str>> {
        let place = move |(a, b): &(usize, usize)| if new { *b } else { *a };
        let width = if new { self.widths.1 } else { self.widths.0 };
        let columns = self.common.iter().map(place).chain(width..table.width(at).max(width));
        columns.map(move |column| table.field(at, column)).collect::<Vec<_>>().into_iter()
    }

    fn tell(&self, old: &Table, new: &Table, alike: bool, diff: &mut StructuredDiff) {
        let why = "every row changed with it";
        for (_, name) in &self.new_only {
            diff.add("columns", Change::new(format!("column {name}"), ChangeKind::Added, "column").not_revertible(why));
        }
        for (_, name) in &self.old_only {
            let change = Change::new(format!("column {name} (removed)"), ChangeKind::Removed, "column");
            diff.add("columns", change.not_revertible(why));
        }
        for (a, b) in &self.renamed {
            let (before, after) = (old.field(0, *a), new.field(0, *b));
            let change = Change::new(format!("column {after}"), ChangeKind::Renamed, "column");
            let change = change.texts(Some(&before), Some(&after));
            let (from, to) = (old.field_range(0, *a), new.field_range(0, *b));
            diff.add(
                "columns",
                match (from, to) {
                    (Some(from), Some(to)) if alike => change.revertible(RevertPlan::Records { old: from, new: to }),
                    _ => change.not_revertible(why),
                },
            );
        }
        let moved = self.common.iter().map(|(a, _)| *a).collect::<Vec<_>>();
        if !moved.is_sorted() {
            let change = Change::new("column order", ChangeKind::Moved, "column");
            diff.add("columns", change.not_revertible(why));
        }
    }
}

/// Columns that are tried.
const TRIED: usize = 8;

/// The best key among the common columns: that with most values on both sides, the leftmost of equals.
fn find_key(old: &Table, new: &Table, columns: &Columns, first: usize) -> Option<usize> {
    if first == 0 {
        // Without a header no column is known to identify rows.
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
        // Without a header no key exists; every row changed, and one was inserted in the middle.
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
