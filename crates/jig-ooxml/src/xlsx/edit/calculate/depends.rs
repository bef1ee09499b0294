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
    /// Formulas that read cells their text does not name.
    dynamic: Vec<usize>,
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
            let (reads, dynamic) = graph.reads(formula);
            if dynamic {
                graph.dynamic.push(place);
            }
            for (sheet, range) in reads {
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

    /// The ranges that a formula reads, and whether there are more.
    pub(super) fn reads(&self, formula: &Formula) -> (Vec<(usize, RangeRef)>, bool) {
        let mut found = Vec::new();
        let mut dynamic = false;
        self.gather(&Dependencies::of(&formula.text), formula.key, &mut found, &mut dynamic, 0);
        (found, dynamic)
    }

    fn gather(
        &self,
        depends: &Dependencies,
        at: CellKey,
        found: &mut Vec<(usize, RangeRef)>,
        dynamic: &mut bool,
        depth: usize,
    ) {
        *dynamic |= depends.dynamic;
        let place = |name: &str| self.book.sheet_place(name);
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
                found.extend(self.tables.iter().filter(|table| same(&table.name)).map(|t| (t.sheet, t.range)));
                continue;
            };
            if depth < MOST_DEPTH {
                self.gather(&Dependencies::of(&name.formula), at, found, dynamic, depth + 1);
            } else {
                *dynamic = true;
            }
        }
    }

    fn table(&self, used: &StructuredRef, at: CellKey) -> Option<&TableModel> {
        match &used.table {
            Some(name) => self.tables.iter().find(|table| same_sheet(&table.name, name)),
            None => self.tables.iter().find(|table| table.sheet == at.sheet && table.range.contains(at.cell)),
        }
    }

    /// The formulas whose value may be another once these cells are; also those in these cells.
    pub(super) fn affected(&self, changed: &[CellKey]) -> Vec<usize> {
        let mut found: BTreeSet<usize> = self.dynamic.iter().copied().collect();
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
