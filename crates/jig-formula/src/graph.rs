//! Every formula of a workbook with the cells it reads, and what a change reaches.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::{CellContent, CellKey, FormulaCell, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed};
use crate::{Dependencies, FormulaText, FunctionTrait, ParsedFormula, ReferencedRange, SheetScope, Token, TokenKind};
use jig_file_api::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};

use crate::book::Book;
use crate::expand::expand_within;
use crate::intervals::Intervals;

/// A formula's place in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) usize);

/// A range on a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    pub(crate) sheet: usize,
    pub(crate) range: CellRange,
}

/// A formula and what it reads.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) key: CellKey,
    pub(crate) reads: Vec<Read>,
    /// Where it may read cells that its text does not name; none when the text names all.
    pub(crate) dynamic: Option<DynamicScope>,
    /// The formula with its names, tables and resolved references written out, where it differs.
    written_out: Option<Arc<ParsedFormula>>,
    /// The cells it fills, when those are more than its own.
    pub(crate) area: Option<CellRange>,
    /// Whether its value depends on the time or on chance.
    pub(crate) is_volatile: bool,
    /// Whether the file has a value for it.
    pub(crate) is_stored: bool,
    /// Why it cannot be written out.
    pub(crate) failed: Option<NotComputed>,
    subtotal: bool,
}

/// The sheets on which a formula may read cells that its text does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DynamicScope {
    /// `OFFSET` and spilled ranges stay on the sheets they start from.
    Sheets(BTreeSet<usize>),
    /// `INDIRECT` leads to any sheet.
    Anywhere,
}

impl DynamicScope {
    /// Whether it may read cells of a sheet.
    pub(crate) fn includes(&self, sheet: usize) -> bool {
        match self {
            Self::Sheets(sheets) => sheets.contains(&sheet),
            Self::Anywhere => true,
        }
    }
}

/// Every formula of a workbook, sheet by sheet and column by column.
#[derive(Debug)]
pub(crate) struct FormulaGraph {
    nodes: Vec<Node>,
    by_key: HashMap<CellKey, NodeId>,
    sheets: usize,
}

/// The most text that names and tables may read and write for all formulas together: a small file can use
/// one long name in very many cells.
const MOST_EXPANDED_BYTES: usize = 32 << 20;

/// Areas up to this many cells are listed cell by cell; larger ones are few and looked through.
pub(crate) const SMALL_AREA: u64 = 4096;
/// Of a formula without stored values, the cells of areas up to this size are listed though they hold nothing.
const MOST_LISTED: u64 = 100_000;
/// The most formulas with larger areas.
const MOST_LARGE_AREAS: u64 = 1_000;
/// The most cells in smaller areas together.
const MOST_FILLED: u64 = 2_000_000;

impl FormulaGraph {
    pub(crate) fn of(book: &Book<'_>) -> Self {
        let mut nodes = Vec::new();
        let mut room = MOST_EXPANDED_BYTES;
        for (sheet, model) in book.model.sheets.iter().enumerate() {
            for (cell, content) in model.cells() {
                if let CellContent::Formula(formula) = content {
                    nodes.push(node(book, CellKey { sheet, cell }, formula, &mut room));
                }
            }
        }
        let by_key = nodes.iter().enumerate().map(|(at, node)| (node.key, NodeId(at))).collect();
        Self { nodes, by_key, sheets: book.model.sheets.len() }
    }

    pub(crate) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)
    }

    pub(crate) fn at(&self, key: CellKey) -> Option<NodeId> {
        self.by_key.get(&key).copied()
    }

    /// All formulas in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(at, node)| (NodeId(at), node))
    }

    /// How many sheets the workbook has.
    pub(crate) fn sheets(&self) -> usize {
        self.sheets
    }

    /// How many formulas there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Replaces a formula by one in which computed references are written out.
    pub(crate) fn resolve(&mut self, book: &Book<'_>, id: NodeId, formula: ParsedFormula) {
        let Some(old) = self.nodes.get_mut(id.0) else { return };
        let (reads, dynamic) = reads(book, old.key, &formula, &formula.dependencies());
        // Its arguments are still read: another value there leads to other cells.
        old.reads.extend(reads);
        old.dynamic = dynamic;
        old.written_out = Some(Arc::new(formula));
    }

    /// Replaces a formula by one that reads the same cells.
    pub(crate) fn write_out(&mut self, id: NodeId, formula: Arc<ParsedFormula>) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            node.written_out = Some(formula);
        }
    }

    /// A formula, as far as it is written out.
    pub(crate) fn formula<'a>(&'a self, book: &Book<'a>, id: NodeId) -> Option<&'a Arc<ParsedFormula>> {
        let node = self.node(id)?;
        node.written_out.as_ref().or_else(|| book.formula(node.key).map(|cell| &cell.formula))
    }

    /// The cells a formula gives values to; of a large area with stored values only those that hold anything.
    pub(crate) fn filled(&self, book: &Book<'_>, id: NodeId) -> Vec<CellKey> {
        let Some(node) = self.node(id) else { return Vec::new() };
        let sheet = node.key.sheet;
        let (Some(area), Some(model)) = (node.area, book.model.sheets.get(sheet)) else {
            return vec![node.key];
        };
        let is_other = |key: &CellKey| *key != node.key && book.formula(*key).is_none();
        let others: Vec<CellKey> = if area.cells() > SMALL_AREA && (node.is_stored || area.cells() > MOST_LISTED) {
            model.cells_in(area).map(|(cell, _)| CellKey { sheet, cell }).filter(is_other).collect()
        } else {
            cells_of(sheet, area).filter(is_other).collect()
        };
        std::iter::once(node.key).chain(others).collect()
    }

    /// Why the formulas are more than can be followed: what they fill would have to be looked through too often.
    pub(crate) fn excess(&self) -> Option<NotComputed> {
        let (mut large, mut filled) = (0_u64, 0_u64);
        for area in self.nodes.iter().filter_map(|node| node.area) {
            match area.cells() {
                cells if cells > SMALL_AREA => large += 1,
                cells => filled += cells,
            }
        }
        if large > MOST_LARGE_AREAS {
            return Some(LimitKind::LargeArrays(MOST_LARGE_AREAS).into());
        }
        (filled > MOST_FILLED).then(|| LimitKind::FilledCells(MOST_FILLED).into())
    }

    /// The formulas whose value can differ after these cells changed and these formulas have another value.
    pub(crate) fn reached(&self, changed: &[CellKey], roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
        let mut spread = Spread {
            readers: Readers::of(&self.nodes),
            reached: vec![false; self.nodes.len()],
            todo: Vec::new(),
            sheets: BTreeSet::new(),
            dynamic: self.nodes().filter(|(_, node)| node.dynamic.is_some()).map(|(id, _)| id).collect(),
        };
        for key in changed {
            spread.todo.push(Read { sheet: key.sheet, range: key.cell.into() });
            if let Some(id) = self.by_key.get(key) {
                self.mark(*id, &mut spread);
            }
        }
        roots.for_each(|id| self.mark(id, &mut spread));
        let mut found = Vec::new();
        while let Some(read) = spread.todo.pop() {
            if spread.sheets.insert(read.sheet) {
                self.mark_dynamic(read.sheet, &mut spread);
            }
            spread.readers.take(read, &mut found);
            for at in found.drain(..) {
                self.mark(NodeId(at), &mut spread);
            }
        }
        spread.reached
    }

    /// Marks the formulas that may read any cell of a sheet.
    fn mark_dynamic(&self, sheet: usize, spread: &mut Spread) {
        let reads = |id: &NodeId| {
            let scope = self.node(*id).and_then(|node| node.dynamic.as_ref());
            scope.is_some_and(|scope| scope.includes(sheet))
        };
        let (hit, rest) = std::mem::take(&mut spread.dynamic).into_iter().partition(reads);
        spread.dynamic = rest;
        let hit: Vec<NodeId> = hit;
        hit.into_iter().for_each(|id| self.mark(id, spread));
    }

    fn mark(&self, id: NodeId, spread: &mut Spread) {
        let (Some(reached), Some(node)) = (spread.reached.get_mut(id.0), self.node(id)) else { return };
        if std::mem::replace(reached, true) {
            return;
        }
        let range = node.area.unwrap_or_else(|| node.key.cell.into());
        spread.todo.push(Read { sheet: node.key.sheet, range });
    }

    /// The formulas that call `SUBTOTAL` or `AGGREGATE`: they leave each other out, so the engine must see them as
    /// formulas.
    pub(crate) fn subtotals(&self) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(|(_, node)| node.subtotal).map(|(id, _)| id)
    }

    pub(crate) fn is_subtotal(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(|node| node.subtotal)
    }
}

/// The cells of an area, row by row.
pub(crate) fn cells_of(sheet: usize, area: CellRange) -> impl Iterator<Item = CellKey> {
    let (start, end) = (area.start(), area.end());
    let rows = start.row()..=end.row();
    rows.flat_map(move |row| (start.col()..=end.col()).filter_map(move |col| CellRef::new(row, col)))
        .map(move |cell| CellKey { sheet, cell })
}

struct Spread {
    readers: Readers,
    reached: Vec<bool>,
    todo: Vec<Read>,
    /// Sheets with a cell that was reached.
    sheets: BTreeSet<usize>,
    /// Formulas with a dynamic scope that have not been reached.
    dynamic: Vec<NodeId>,
}

fn node(book: &Book<'_>, key: CellKey, formula: &FormulaCell, room: &mut usize) -> Node {
    let written = formula.formula.dependencies();
    let spilled = written.functions.iter().any(|name| name == "ANCHORARRAY");
    let named =
        !written.names.is_empty() || !written.structured.is_empty() || spilled || formula.formula.text().contains('[');
    let mut written_out = None;
    let mut failed = None;
    if named {
        match expand_within(book, &formula.formula, key, room) {
            Ok(expanded) => written_out = Some(expanded),
            Err(why) => failed = Some(why),
        }
    }
    let found = written_out.as_ref().map_or(written, |formula| formula.dependencies());
    let (mut reads, mut dynamic) = reads(book, key, written_out.as_deref().unwrap_or(&formula.formula), &found);
    if failed.is_some() {
        // What it reads is not known.
        dynamic = Some(DynamicScope::Anywhere);
    }
    if let FormulaShape::DataTable(area) = formula.shape {
        reads.extend(headers(area).into_iter().map(|range| Read { sheet: key.sheet, range }));
    }
    Node {
        key,
        reads,
        dynamic,
        written_out,
        area: formula.shape.area(),
        is_volatile: found.needs_clock_or_chance(),
        is_stored: formula.stored.is_stored(),
        failed,
        subtotal: found.calls(FunctionTrait::Subtotal),
    }
}

/// The row above and the column left of a data table, which hold its inputs and formulas.
fn headers(area: CellRange) -> Vec<CellRange> {
    let (start, end) = (area.start(), area.end());
    let left = start.col().saturating_sub(1).max(1);
    let row =
        start.row().checked_sub(1).and_then(|row| Some((CellRef::new(row, left)?, CellRef::new(row, end.col())?)));
    let column = start.col().checked_sub(1);
    let column = column.and_then(|col| Some((CellRef::new(start.row(), col)?, CellRef::new(end.row(), col)?)));
    row.into_iter().chain(column).map(|(first, last)| CellRange::new(first, last)).collect()
}

/// The ranges whose values a formula reads, and where it may read others.
fn reads(
    book: &Book<'_>,
    key: CellKey,
    formula: &ParsedFormula,
    found: &Dependencies,
) -> (Vec<Read>, Option<DynamicScope>) {
    let named = ranges_of(book, key, found);
    let reads = match without_places(formula) {
        Some(rest) => ranges_of(book, key, &Dependencies::of(&rest)),
        None => named.clone(),
    };
    if !found.dynamic {
        return (reads, None);
    }
    let calls = |name: &str| found.functions.iter().any(|function| function == name);
    if calls("INDIRECT") {
        return (reads, Some(DynamicScope::Anywhere));
    }
    if calls("OFFSET") || calls("ANCHORARRAY") || found.spills {
        let sheets = named.iter().map(|read| read.sheet).chain([key.sheet]).collect();
        return (reads, Some(DynamicScope::Sheets(sheets)));
    }
    // `A1:INDEX(B1:B9,2)` is within the rectangle around all ranges that it names.
    (around(&named), None)
}

fn ranges_of(book: &Book<'_>, key: CellKey, found: &Dependencies) -> Vec<Read> {
    let sheets = |range: &ReferencedRange| sheets_of(book, key.sheet, &range.scope);
    let reads =
        found.ranges.iter().flat_map(|range| sheets(range).into_iter().map(|sheet| Read { sheet, range: range.range }));
    reads.collect()
}

/// The formula without the references of which only the place matters: `A1` in `ROW(A1)` and in `OFFSET(A1,2,0)`, which
/// may even be the formula's own cell. None if it has no such reference.
fn without_places(formula: &ParsedFormula) -> Option<String> {
    const PLACES: [&str; 3] = ["OFFSET", "ROW", "COLUMN"];
    if !formula.dependencies().functions.iter().any(|name| PLACES.contains(&name.as_str())) {
        return None;
    }
    let text = formula.text();
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    let mut rest = String::with_capacity(text.len());
    let mut copied = 0;
    for window in all.windows(4) {
        let [function, open, reference, end] = window else { continue };
        let is_place = matches!(function.kind, TokenKind::Function(_))
            && PLACES.contains(&function.text.to_ascii_uppercase().as_str())
            && open.kind == TokenKind::Open
            && matches!(reference.kind, TokenKind::Reference(_))
            && matches!(end.kind, TokenKind::Separator | TokenKind::Close);
        if is_place {
            rest.push_str(text.get(copied..reference.start)?);
            copied = reference.start + reference.text.len();
        }
    }
    rest.push_str(text.get(copied..)?);
    (copied > 0).then_some(rest)
}

fn around(reads: &[Read]) -> Vec<Read> {
    let mut hulls: BTreeMap<usize, CellRange> = BTreeMap::new();
    for read in reads {
        let hull = hulls.entry(read.sheet).or_insert(read.range);
        let first = CellRange::new(hull.start(), read.range.start()).start();
        *hull = CellRange::new(first, CellRange::new(hull.end(), read.range.end()).end());
    }
    hulls.into_iter().map(|(sheet, range)| Read { sheet, range }).collect()
}

/// All cells of a sheet.
pub(crate) fn all_cells() -> Option<CellRange> {
    Some(CellRange::new(CellRef::new(1, 1)?, CellRef::new(MAX_ROW, MAX_COLUMN)?))
}

/// The sheets a reference points into; none when it names a sheet that does not exist.
pub(crate) fn sheets_of(book: &Book<'_>, own: usize, scope: &SheetScope) -> Vec<usize> {
    match scope {
        SheetScope::Own => vec![own],
        SheetScope::Sheet(name) => book.sheet(name).into_iter().collect(),
        SheetScope::Sheets(first, last) => match (book.sheet(first), book.sheet(last)) {
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
