//! Every formula of a workbook with the cells it reads, and what a change reaches.

use std::collections::{BTreeMap, HashMap};

use jig_ooxml::xlsx::address::RangeRef;
use jig_ooxml::xlsx::formula::recalculate::{CellContent, CellKey, FormulaCell};
use jig_ooxml::xlsx::formula::{Dependencies, Scope};

use super::book::Book;
use super::expand::expand;
use super::intervals::Intervals;

/// A formula's place in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

/// A range on a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Read {
    pub(super) sheet: usize,
    pub(super) range: RangeRef,
}

/// A formula and what it reads.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) key: CellKey,
    pub(super) reads: Vec<Read>,
    /// Reads cells that its text does not name.
    pub(super) dynamic: bool,
    always_dirty: bool,
    subtotal: bool,
}

/// Every formula of a workbook, sheet by sheet and column by column.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    by_key: HashMap<CellKey, NodeId>,
}

impl Graph {
    pub(super) fn of(book: &Book<'_>) -> Self {
        let mut nodes = Vec::new();
        for (sheet, model) in book.model.sheets.iter().enumerate() {
            for (cell, content) in model.cells() {
                if let CellContent::Formula(formula) = content {
                    nodes.push(node(book, CellKey { sheet, cell }, formula));
                }
            }
        }
        let by_key = nodes.iter().enumerate().map(|(at, node)| (node.key, NodeId(at))).collect();
        Self { nodes, by_key }
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)
    }

    /// The cells a formula gives values to. An array's cells without content are not among them.
    pub(super) fn filled(&self, book: &Book<'_>, id: NodeId) -> Vec<CellKey> {
        let Some(node) = self.node(id) else { return Vec::new() };
        let area = book.formula(node.key).and_then(|formula| formula.shape.area());
        let (Some(area), Some(sheet)) = (area, book.model.sheets.get(node.key.sheet)) else { return vec![node.key] };
        let inside = sheet.cells_in(area).map(|(cell, _)| CellKey { sheet: node.key.sheet, cell });
        let others = inside.filter(|key| book.formula(*key).is_none());
        std::iter::once(node.key).chain(others).collect()
    }

    /// The formulas whose value can be another after these cells changed, in the order of the graph.
    pub(super) fn dirty(&self, book: &Book<'_>, changed: &[CellKey]) -> Vec<NodeId> {
        let mut spread =
            Spread { readers: Readers::of(&self.nodes), dirty: vec![false; self.nodes.len()], todo: vec![] };
        for key in changed {
            spread.todo.push(Read { sheet: key.sheet, range: key.cell.into() });
            if let Some(id) = self.by_key.get(key) {
                self.mark(book, *id, &mut spread);
            }
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if node.always_dirty {
                self.mark(book, NodeId(at), &mut spread);
            }
        }
        self.drain(book, &mut spread);
        // A SUBTOTAL leaves other SUBTOTALs out, so the engine must see them as what they are.
        let subtotals = || self.nodes.iter().enumerate().filter(|(_, node)| node.subtotal);
        if subtotals().any(|(at, _)| spread.dirty.get(at) == Some(&true)) {
            subtotals().for_each(|(at, _)| self.mark(book, NodeId(at), &mut spread));
            self.drain(book, &mut spread);
        }
        spread.dirty.iter().enumerate().filter(|(_, dirty)| **dirty).map(|(at, _)| NodeId(at)).collect()
    }

    fn drain(&self, book: &Book<'_>, spread: &mut Spread) {
        let mut found = Vec::new();
        while let Some(read) = spread.todo.pop() {
            spread.readers.take(read, &mut found);
            for at in found.drain(..) {
                self.mark(book, NodeId(at), spread);
            }
        }
    }

    fn mark(&self, book: &Book<'_>, id: NodeId, spread: &mut Spread) {
        let (Some(dirty), Some(node)) = (spread.dirty.get_mut(id.0), self.node(id)) else { return };
        if std::mem::replace(dirty, true) {
            return;
        }
        let area = book.formula(node.key).and_then(|formula| formula.shape.area());
        spread.todo.push(Read { sheet: node.key.sheet, range: area.unwrap_or_else(|| node.key.cell.into()) });
    }
}

struct Spread {
    readers: Readers,
    dirty: Vec<bool>,
    todo: Vec<Read>,
}

fn node(book: &Book<'_>, key: CellKey, formula: &FormulaCell) -> Node {
    let written = Dependencies::of(&formula.text);
    let named = !written.names.is_empty() || !written.structured.is_empty();
    let expanded = if named { expand(book, &formula.text, key).ok() } else { None };
    let found = expanded.map_or(written, |text| Dependencies::of(&text));
    let mut reads = Vec::new();
    for range in &found.ranges {
        for sheet in sheets_of(book, key.sheet, &range.scope) {
            reads.push(Read { sheet, range: range.range });
        }
    }
    Node {
        key,
        reads,
        dynamic: found.dynamic,
        // A formula without a stored value has never been computed: others cannot build on it.
        always_dirty: found.is_volatile() || formula.cached.is_none(),
        subtotal: found.functions.iter().any(|function| function == "SUBTOTAL"),
    }
}

/// The sheets a reference points into; none when it names a sheet that does not exist.
pub(super) fn sheets_of(book: &Book<'_>, own: usize, scope: &Scope) -> Vec<usize> {
    match scope {
        Scope::Own => vec![own],
        Scope::Sheet(name) => book.sheet(name).into_iter().collect(),
        Scope::Sheets(first, last) => match (book.sheet(first), book.sheet(last)) {
            (Some(first), Some(last)) => (first.min(last)..=first.max(last)).collect(),
            _ => Vec::new(),
        },
    }
}

/// Ranges wider than this are found by their rows alone: a little more is computed than needed.
const NARROW: u32 = 16;

/// Who reads which cells. Formulas that read the same range share an entry.
struct Readers {
    groups: Vec<Vec<usize>>,
    columns: BTreeMap<(usize, u32), Intervals>,
    wide: BTreeMap<usize, Intervals>,
}

impl Readers {
    fn of(nodes: &[Node]) -> Self {
        let mut readers = Self { groups: Vec::new(), columns: BTreeMap::new(), wide: BTreeMap::new() };
        let mut known: HashMap<Read, usize> = HashMap::new();
        for (at, node) in nodes.iter().enumerate() {
            for read in &node.reads {
                let group = *known.entry(*read).or_insert_with(|| readers.add(*read));
                if let Some(members) = readers.groups.get_mut(group) {
                    members.push(at);
                }
            }
        }
        readers.columns.values_mut().chain(readers.wide.values_mut()).for_each(Intervals::seal);
        readers
    }

    fn add(&mut self, read: Read) -> usize {
        let group = self.groups.len();
        self.groups.push(Vec::new());
        let (start, end) = (read.range.start(), read.range.end());
        if read.range.columns() > NARROW {
            self.wide.entry(read.sheet).or_default().add(start.row(), end.row(), group);
        } else {
            for col in start.col()..=end.col() {
                self.columns.entry((read.sheet, col)).or_default().add(start.row(), end.row(), group);
            }
        }
        group
    }

    /// The formulas that read any of these cells and were not found before.
    fn take(&mut self, cells: Read, found: &mut Vec<usize>) {
        let (start, end) = (cells.range.start(), cells.range.end());
        let columns = (cells.sheet, start.col())..=(cells.sheet, end.col());
        let narrow = self.columns.range_mut(columns).map(|(_, intervals)| intervals);
        let mut groups = Vec::new();
        for intervals in narrow.chain(self.wide.get_mut(&cells.sheet)) {
            intervals.take(start.row(), end.row(), &mut groups);
        }
        for group in groups {
            found.append(&mut self.groups.get_mut(group).map(std::mem::take).unwrap_or_default());
        }
    }
}
