//! Which column became which.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::super::change::{Change, ChangeKind, Undo};
use super::super::inside::InsideDiff;
use super::records::Table;

/// Rows that are looked at to tell whether a column only got another name.
const SAMPLE: usize = 1_000;
/// Values that are compared for it in all; with many columns fewer rows are looked at.
const SAMPLE_VALUES: usize = 1_000_000;

/// The columns of two tables.
pub(super) struct Columns {
    /// Places of a column before and after.
    pub(super) common: Vec<(usize, usize)>,
    names: Vec<String>,
    old_only: Vec<(usize, String)>,
    new_only: Vec<(usize, String)>,
    renamed: Vec<(usize, usize)>,
    widths: (usize, usize),
}

impl Columns {
    pub(super) fn between(old: &Table, new: &Table, header: bool) -> Self {
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
    pub(super) fn name(&self, at: usize) -> &str {
        self.names.get(at).map_or("", String::as_str)
    }

    /// How many columns the headers of both tables name.
    pub(super) const fn widths(&self) -> (usize, usize) {
        self.widths
    }

    /// Whether rows of one table fit into the other as they are.
    pub(super) fn same(&self) -> bool {
        self.old_only.is_empty()
            && self.new_only.is_empty()
            && self.widths.0 == self.widths.1
            && self.common.iter().all(|(a, b)| a == b)
    }

    /// The values of the common columns of a record. Fields beyond the header count too.
    pub(super) fn values<'t>(&self, table: &'t Table, at: usize, new: bool) -> impl Iterator<Item = Cow<'t, str>> {
        let place = move |(a, b): &(usize, usize)| if new { *b } else { *a };
        let width = if new { self.widths.1 } else { self.widths.0 };
        let columns = self.common.iter().map(place).chain(width..table.width(at).max(width));
        columns.map(move |column| table.field(at, column)).collect::<Vec<_>>().into_iter()
    }

    pub(super) fn tell(&self, old: &Table, new: &Table, alike: bool, diff: &mut InsideDiff) {
        let why = "every row changed with it";
        for (_, name) in &self.new_only {
            diff.add("columns", Change::new(format!("column {name}"), ChangeKind::Added, "column").fixed(why));
        }
        for (_, name) in &self.old_only {
            let change = Change::new(format!("column {name} (removed)"), ChangeKind::Removed, "column");
            diff.add("columns", change.fixed(why));
        }
        for (a, b) in &self.renamed {
            let (before, after) = (old.field(0, *a), new.field(0, *b));
            let change = Change::new(format!("column {after}"), ChangeKind::Renamed, "column");
            let change = change.texts(Some(&before), Some(&after));
            let (from, to) = (old.field_range(0, *a), new.field_range(0, *b));
            diff.add(
                "columns",
                match (from, to) {
                    (Some(from), Some(to)) if alike => change.undone_by(Undo::Records { old: from, new: to }),
                    _ => change.fixed(why),
                },
            );
        }
        let moved = self.common.iter().map(|(a, _)| *a).collect::<Vec<_>>();
        if !moved.is_sorted() {
            let change = Change::new("column order", ChangeKind::Moved, "column");
            diff.add("columns", change.fixed(why));
        }
    }
}
