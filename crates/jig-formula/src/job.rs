//! One calculation, complete in itself: the values that are read and the formulas in order, cut into
//! rounds. It runs on a thread of its own with a deep stack. What it may take is counted before it starts, never by the
//! clock: results must not depend on the speed of the machine.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::thread;

use crate::functions::FunctionTrait;
use crate::model::{CalcModel, CellContent, CellKey, CellValue, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed, Unsupported};
use crate::{FormulaText, ParsedFormula};
use jig_file_api::address::{CellRange, CellRef};

use crate::book::Book;
use crate::cells::Cells;
use crate::clip::clip;
use crate::criteria::with_ranges;
use crate::graph::{FormulaGraph, NodeId, Read};
use crate::ironcalc;
use crate::limits::Limits;
use crate::plan::Order;
use crate::subtotals::without_subtotals;

/// The values a formula gives to its cells, or why it has none.
pub(crate) type Answer = Result<Vec<(CellKey, CellValue)>, NotComputed>;

/// Deep enough for the longest formula the limits let through, in a build without optimisation too.
const STACK: usize = 64 << 20;

#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) sheets: Vec<String>,
    pub(crate) values: Vec<(CellKey, CellValue)>,
    pub(crate) rounds: Vec<Vec<Formula>>,
}

#[derive(Clone)]
pub(crate) struct Formula {
    pub(crate) key: CellKey,
    pub(crate) formula: Arc<ParsedFormula>,
    pub(crate) shape: FormulaShape,
}

impl Job {
    /// Gathers what the plan's formulas need. Values that are known already come before those that are stored.
    pub(crate) fn new(
        book: &Book<'_>,
        graph: &FormulaGraph,
        plan: &Order,
        known: &HashMap<CellKey, CellValue>,
        limits: &Limits,
    ) -> Result<Self, NotComputed> {
        let sheets = book.model.sheets.iter().map(|sheet| sheet.name.clone()).collect();
        let rounds = rounds(book, graph, &plan.order);
        let is_dynamic = |id: &NodeId| graph.node(*id).is_some_and(|node| node.dynamic.is_some());
        if rounds.len() > 1 && plan.order.iter().any(is_dynamic) {
            // It may read a cell of a later round.
            return Err(Unsupported::DynamicInRounds.into());
        }
        if rounds.len() > limits.rounds {
            return Err(LimitKind::Rounds(limits.rounds).into());
        }
        Ok(Self { sheets, values: values(book, graph, plan, known, limits)?, rounds })
    }

    /// The same job with other values in some cells.
    pub(crate) fn with(&self, inputs: &[(CellKey, CellValue)]) -> Self {
        let mut job = self.clone();
        job.values.retain(|(key, _)| inputs.iter().all(|(input, _)| input != key));
        job.values.extend_from_slice(inputs);
        job
    }

    /// One answer for each formula, in order.
    pub(crate) fn run(self) -> Vec<Answer> {
        let count = self.rounds.iter().map(Vec::len).sum();
        let started = thread::Builder::new().name("formulas".to_owned()).stack_size(STACK);
        let failed: NotComputed = match started.spawn(move || ironcalc::evaluate(&self)).map(thread::JoinHandle::join) {
            Ok(Ok(answers)) => return answers,
            Ok(Err(_)) => Unsupported::EngineFailure.into(),
            Err(_) => LimitKind::Threads.into(),
        };
        vec![Err(failed); count]
    }
}

/// Cuts the order where a formula that lengthens texts reads what another one has just lengthened: between
/// rounds texts are held to the length a cell can have, so they cannot double from cell to cell.
fn rounds(book: &Book<'_>, graph: &FormulaGraph, order: &[NodeId]) -> Vec<Vec<Formula>> {
    let mut rounds = vec![Vec::new()];
    let mut grown = Cells::default();
    for id in order {
        let Some(node) = graph.node(*id) else { continue };
        let (Some(cell), Some(formula)) = (book.formula(node.key), graph.formula(book, *id)) else { continue };
        let grows = lengthens(formula);
        let reads_grown = node.reads.iter().any(|read| grown.first_in(read.sheet, read.range).is_some());
        if grows && reads_grown {
            rounds.push(Vec::new());
            grown = Cells::default();
        }
        if grows || reads_grown {
            grown.insert(node, *id);
        }
        if let Some(round) = rounds.last_mut() {
            // The guard has refused what has no such form.
            let cut = without_subtotals(book, node.key.sheet, formula).unwrap_or_else(|| formula.clone());
            let formula = with_ranges(&clip(book, &cut));
            round.push(Formula { key: node.key, formula, shape: cell.shape });
        }
    }
    rounds
}

/// Whether it can give a text longer than those it is given.
fn lengthens(formula: &ParsedFormula) -> bool {
    formula.tokens().any(|token| token.text == "&") || formula.calls(FunctionTrait::Lengthens)
}

/// The known values that the formulas read.
fn values(
    book: &Book<'_>,
    graph: &FormulaGraph,
    plan: &Order,
    known: &HashMap<CellKey, CellValue>,
    limits: &Limits,
) -> Result<Vec<(CellKey, CellValue)>, NotComputed> {
    let mut computed: HashSet<CellKey> = HashSet::new();
    for id in &plan.order {
        computed.extend(graph.filled(book, *id));
    }
    let needed = needed(book, graph, plan);
    let is_needed = |key: &CellKey| needed.iter().any(|read| read.sheet == key.sheet && read.range.contains(key.cell));
    let other = known.iter().filter(|(key, _)| !computed.contains(*key) && is_needed(key));
    let mut values: Vec<(CellKey, CellValue)> = other.map(|(key, value)| (*key, value.clone())).collect();
    computed.extend(values.iter().map(|(key, _)| *key));
    for Read { sheet, range } in needed {
        let Some(model) = book.model.sheets.get(sheet) else { continue };
        for (cell, content) in model.cells_in(range) {
            let key = CellKey { sheet, cell };
            if computed.contains(&key) {
                continue;
            }
            if values.len() >= limits.cells {
                return Err(LimitKind::Cells(limits.cells).into());
            }
            values.push((key, known_value(content)?));
        }
    }
    Ok(values)
}

/// The value of a cell that is not computed: a constant, or the trusted value stored beside its formula. A formula
/// without one is never read as 0: the plan has it computed first or refuses what reads it.
fn known_value(content: &CellContent) -> Result<CellValue, NotComputed> {
    match content {
        CellContent::Value(value) => Ok(value.clone()),
        CellContent::Formula(formula) => formula.stored.known().cloned().ok_or_else(|| Unsupported::NoValue.into()),
    }
}

/// The ranges that are read, without overlaps; everything when a formula reads what it does not name.
fn needed(book: &Book<'_>, graph: &FormulaGraph, plan: &Order) -> Vec<Read> {
    let nodes = || plan.order.iter().filter_map(|id| graph.node(*id));
    if nodes().any(|node| node.dynamic.is_some()) {
        return everything(book.model);
    }
    let reads: HashSet<Read> = nodes().flat_map(|node| node.reads.iter().copied()).collect();
    let mut columns: BTreeMap<(usize, u32), Vec<(u32, u32)>> = BTreeMap::new();
    for read in reads {
        let Some(range) = book.used(read.sheet).and_then(|used| used.intersection(read.range)) else { continue };
        for col in range.start().col()..=range.end().col() {
            columns.entry((read.sheet, col)).or_default().push((range.start().row(), range.end().row()));
        }
    }
    columns.into_iter().flat_map(|((sheet, col), rows)| joined(sheet, col, rows)).collect()
}

fn everything(model: &CalcModel) -> Vec<Read> {
    let sheets = model.sheets.iter().enumerate();
    sheets.filter_map(|(sheet, model)| Some(Read { sheet, range: model.used()? })).collect()
}

/// Pieces of one column without overlaps.
fn joined(sheet: usize, col: u32, mut rows: Vec<(u32, u32)>) -> Vec<Read> {
    rows.sort_unstable();
    let mut pieces: Vec<(u32, u32)> = Vec::new();
    for (start, end) in rows {
        match pieces.last_mut() {
            Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
            _ => pieces.push((start, end)),
        }
    }
    let cell = |row| CellRef::new(row, col);
    let ranges = pieces.into_iter().filter_map(|(start, end)| Some(CellRange::new(cell(start)?, cell(end)?)));
    ranges.map(|range| Read { sheet, range }).collect()
}
