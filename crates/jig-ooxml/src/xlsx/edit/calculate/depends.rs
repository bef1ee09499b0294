//! Which formulas depend on changed cells.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{Formula, MOST_FILLED};
use crate::xlsx::address::RangeRef;
use crate::xlsx::book::Book;
use crate::xlsx::formula::recalculate::{CellKey, TableModel};
use crate::xlsx::formula::{Dependencies, Scope, StructuredRef, same_sheet};

/// Ranges up to this many cells are listed cell by cell, larger ones looked through.
const SMALL: u64 = 16;
/// Looking through costs at most this many comparisons; beyond, every formula counts as affected.
const MOST_WORK: usize = 50_000_000;
/// Names may stand for names, but not without end.
const MOST_DEPTH: usize = 8;

/// What each formula reads, by what it reads.
pub(super) struct Graph<'a> {
    book: &'a Book,
    tables: &'a [TableModel],
    formulas: &'a [Formula],
    by_cell: HashMap<CellKey, Vec<usize>>,
    by_range: HashMap<(usize, RangeRef), Vec<usize>>,
    by_place: HashMap<CellKey, usize>,
    /// Formulas that read cells their text does not name, with how far they may reach.
    dynamic: Vec<(usize, Reach)>,
}

/// What a formula reads.
#[derive(Default)]
pub(super) struct Reads {
    pub(super) ranges: Vec<(usize, RangeRef)>,
    /// Set when it reads more cells than its text names.
    pub(super) dynamic: bool,
    /// It makes references out of texts, so that they may lead to any sheet.
    anywhere: bool,
}

/// The sheets on which a formula may read cells that its text does not name.
enum Reach {
    /// `OFFSET`, spilled ranges and computed ends of ranges stay on the sheets they start from.
    Sheets(BTreeSet<usize>),
    /// `INDIRECT` leads to any sheet that is there; to a new one only if it failed for want of it.
    Anywhere { failed: bool },
}

impl<'a> Graph<'a> {
    /// Reads all formulas.
    pub(super) fn new(book: &'a Book, tables: &'a [TableModel], formulas: &'a [Formula]) -> Self {
        let mut graph = Self {
            book,
            tables,
            formulas,
            by_cell: HashMap::new(),
            by_range: HashMap::new(),
            by_place: HashMap::new(),
            dynamic: Vec::new(),
        };
        for (place, formula) in formulas.iter().enumerate() {
            graph.by_place.insert(formula.key, place);
            let reads = graph.reads(formula);
            if reads.dynamic {
                graph.dynamic.push((place, reads.reach(formula)));
            }
            for (sheet, range) in reads.ranges {
                if range.cells() <= SMALL {
                    for cell in super::super::editor::cells_of(range) {
                        graph.by_cell.entry(CellKey { sheet, cell }).or_default().push(place);
                    }
                } else {
                    graph.by_range.entry((sheet, range)).or_default().push(place);
                }
            }
        }
        graph
    }

    /// What a formula reads.
    pub(super) fn reads(&self, formula: &Formula) -> Reads {
        let mut reads = Reads::default();
        self.gather(&Dependencies::of(&formula.text), formula.key, &mut reads, 0);
        reads
    }

    fn gather(&self, depends: &Dependencies, at: CellKey, reads: &mut Reads, depth: usize) {
        reads.dynamic |= depends.dynamic;
        reads.anywhere |= depends.functions.iter().any(|function| function == "INDIRECT");
        let place = |name: &str| self.book.sheet_place(name);
        let found = &mut reads.ranges;
        for read in &depends.ranges {
            match &read.scope {
                Scope::Own => found.push((at.sheet, read.range)),
                Scope::Sheet(name) => found.extend(place(name).map(|sheet| (sheet, read.range))),
                Scope::Sheets(first, last) => {
                    if let (Some(first), Some(last)) = (place(first), place(last)) {
                        found.extend((first.min(last)..=first.max(last)).map(|sheet| (sheet, read.range)));
                    }
                }
            }
        }
        for used in &depends.structured {
            found.extend(self.table(used, at).map(|table| (table.sheet, table.range)));
        }
        for used in &depends.names {
            let scope = used.sheet.as_deref().map_or(Some(at.sheet), place);
            let same = |name: &str| same_sheet(name, &used.name);
            let mut known = self.book.names.iter().filter(|name| same(&name.name));
            let own = known.clone().find(|name| name.sheet == scope);
            let Some(name) = own.or_else(|| known.find(|name| name.sheet.is_none())) else {
                // A table's name alone means its data.
                let tables = self.tables.iter().filter(|table| same(&table.name));
                reads.ranges.extend(tables.map(|table| (table.sheet, table.range)));
                continue;
            };
            if depth < MOST_DEPTH {
                self.gather(&Dependencies::of(&name.formula), at, reads, depth + 1);
            } else {
                (reads.dynamic, reads.anywhere) = (true, true);
            }
        }
    }

    fn table(&self, used: &StructuredRef, at: CellKey) -> Option<&TableModel> {
        match &used.table {
            Some(name) => self.tables.iter().find(|table| same_sheet(&table.name, name)),
            None => self.tables.iter().find(|table| table.sheet == at.sheet && table.range.contains(at.cell)),
        }
    }

    /// The formulas whose value may be another once these cells are; also those in these cells. `is_new` tells
    /// of a sheet whether it was there before.
    pub(super) fn affected(&self, changed: &[CellKey], is_new: impl Fn(usize) -> bool) -> Vec<usize> {
        let sheets: BTreeSet<usize> = changed.iter().map(|key| key.sheet).collect();
        let only_new = sheets.iter().all(|sheet| is_new(*sheet));
        let touches = |reach: &Reach| match reach {
            Reach::Sheets(reach) => !reach.is_disjoint(&sheets),
            Reach::Anywhere { failed } => *failed || !only_new,
        };
        let mut found: BTreeSet<usize> =
            self.dynamic.iter().filter(|(_, reach)| touches(reach)).map(|(place, _)| *place).collect();
        let mut waiting: VecDeque<CellKey> = changed.iter().copied().collect();
        found.extend(changed.iter().filter_map(|key| self.by_place.get(key)).copied());
        for place in found.clone() {
            self.filled(place, &mut waiting);
        }
        let mut ranges: Vec<(&(usize, RangeRef), &Vec<usize>)> = self.by_range.iter().collect();
        let mut work = 0_usize;
        while let Some(key) = waiting.pop_front() {
            let mut hit: Vec<usize> = self.by_cell.get(&key).cloned().unwrap_or_default();
            work += ranges.len();
            if work > MOST_WORK {
                return (0..self.formulas.len()).collect();
            }
            // A range whose formulas are all found need not be looked at again.
            ranges.retain(|((sheet, range), readers)| {
                let reads = *sheet == key.sheet && range.contains(key.cell);
                if reads {
                    hit.extend(readers.iter());
                }
                !reads
            });
            for place in hit {
                if found.insert(place) {
                    self.filled(place, &mut waiting);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Adds the cells that a formula fills to those that wait.
    fn filled(&self, place: usize, waiting: &mut VecDeque<CellKey>) {
        let Some(formula) = self.formulas.get(place) else { return };
        let sheet = formula.key.sheet;
        match formula.array.filter(|range| range.cells() <= MOST_FILLED) {
            Some(range) => {
                let cells = super::super::editor::cells_of(range);
                waiting.extend(cells.map(|cell| CellKey { sheet, cell }));
            }
            None => waiting.push_back(formula.key),
        }
    }
}

impl Reads {
    fn reach(&self, formula: &Formula) -> Reach {
        if self.anywhere {
            return Reach::Anywhere { failed: formula.failed || tests_errors(&formula.text) };
        }
        let own = std::iter::once(formula.key.sheet);
        Reach::Sheets(self.ranges.iter().map(|(sheet, _)| *sheet).chain(own).collect())
    }
}

/// Whether a formula may hide that a reference in it leads nowhere.
fn tests_errors(formula: &str) -> bool {
    const TESTS: [&str; 9] =
        ["IFERROR", "IFNA", "ISERROR", "ISERR", "ISNA", "ISREF", "ERROR.TYPE", "AGGREGATE", "ISNUMBER"];
    Dependencies::of(formula).functions.iter().any(|function| TESTS.contains(&function.as_str()))
}
