//! One calculation, complete in itself: the values that are read and the formulas in order, cut into
//! rounds. It runs on a thread of its own with a deep stack, and is given up when its time is over.

use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc;
use std::thread;

use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::formula::recalculate::{BookModel, CellKey, CellValue, FormulaShape, Why};
use jig_ooxml::xlsx::formula::{Dependencies, tokens};

use super::book::Book;
use super::cells::Cells;
use super::clip::clip;
use super::criteria::with_ranges;
use super::engine;
use super::expand::expand;
use super::graph::{Graph, NodeId, Read};
use super::known_value;
use super::limits::Limits;
use super::order::Plan;

/// The values a formula gives to its cells, or why there are none.
pub(super) type Answer = Result<Vec<(CellKey, CellValue)>, Why>;

/// Deep enough for the longest formula the limits let through, in a build without optimisation too.
const STACK: usize = 64 << 20;

pub(super) struct Job {
    pub(super) sheets: Vec<String>,
    pub(super) values: Vec<(CellKey, CellValue)>,
    pub(super) rounds: Vec<Vec<Formula>>,
}

pub(super) struct Formula {
    pub(super) key: CellKey,
    pub(super) text: String,
    pub(super) shape: FormulaShape,
}

impl Job {
    /// Gathers what the plan's formulas need.
    pub(super) fn new(book: &Book<'_>, graph: &Graph, plan: &Plan, limits: &Limits) -> Result<Self, Why> {
        let sheets = book.model.sheets.iter().map(|sheet| sheet.name.clone()).collect();
        let rounds = rounds(book, graph, &plan.order);
        if rounds.len() > limits.rounds {
            return Err(Why::Limit(format!("{} rounds of joining texts", limits.rounds)));
        }
        Ok(Self { sheets, values: values(book, graph, plan, limits)?, rounds })
    }

    /// One answer for each formula, in order.
    pub(super) fn run(self, limits: &Limits) -> Vec<Answer> {
        let count = self.rounds.iter().map(Vec::len).sum();
        let (sender, receiver) = mpsc::sync_channel(1);
        let work = move || {
            // Nobody listens any more when the time is over; the answer is then of no use.
            let _ = sender.send(engine::evaluate(&self));
        };
        let started = thread::Builder::new().name("formulas".to_owned()).stack_size(STACK).spawn(work);
        let answers = match started.map(|_| receiver.recv_timeout(limits.time)) {
            Ok(Ok(answers)) => Ok(answers),
            Ok(Err(mpsc::RecvTimeoutError::Timeout)) => {
                Err(Why::Limit(format!("{} s for a calculation", limits.time.as_secs_f32())))
            }
            Ok(Err(mpsc::RecvTimeoutError::Disconnected)) => {
                Err(Why::Unsupported("something in it or in a formula computed with it".to_owned()))
            }
            Err(_) => Err(Why::Limit("threads".to_owned())),
        };
        answers.unwrap_or_else(|why| vec![Err(why); count])
    }
}

/// Cuts the order where a formula that lengthens texts reads what another one has just lengthened: between
/// rounds texts are held to the length a cell can have, so they cannot double from cell to cell.
fn rounds(book: &Book<'_>, graph: &Graph, order: &[NodeId]) -> Vec<Vec<Formula>> {
    let mut rounds = vec![Vec::new()];
    let mut grown = Cells::default();
    for id in order {
        let Some(node) = graph.node(*id) else { continue };
        let Some(formula) = book.formula(node.key) else { continue };
        // The plan holds only what expands: the guard has tried.
        let text =
            expand(book, &formula.text, node.key).map_or_else(|_| formula.text.clone(), |text| text.into_owned());
        let grows = lengthens(&text);
        let reads_grown = node.reads.iter().any(|read| grown.first_in(read.sheet, read.range).is_some());
        if grows && (reads_grown || (node.dynamic && !grown.is_empty())) {
            rounds.push(Vec::new());
            grown = Cells::default();
        }
        if grows || reads_grown {
            graph.filled(book, *id).into_iter().for_each(|key| grown.insert(key, *id));
        }
        if let Some(round) = rounds.last_mut() {
            let text = with_ranges(&clip(book, &text)).into_owned();
            round.push(Formula { key: node.key, text, shape: formula.shape });
        }
    }
    rounds
}

/// Functions that can give a text longer than those they are given.
const LENGTHENING: [&str; 8] =
    ["ARRAYTOTEXT", "CONCAT", "CONCATENATE", "REPLACE", "REPT", "SUBSTITUTE", "TEXTJOIN", "ENCODEURL"];

fn lengthens(text: &str) -> bool {
    let joins = tokens(text).any(|token| token.text == "&");
    joins || Dependencies::of(text).functions.iter().any(|name| LENGTHENING.contains(&name.as_str()))
}

/// The known values that the formulas read.
fn values(book: &Book<'_>, graph: &Graph, plan: &Plan, limits: &Limits) -> Result<Vec<(CellKey, CellValue)>, Why> {
    let mut computed: HashSet<CellKey> = HashSet::new();
    for id in &plan.order {
        computed.extend(graph.filled(book, *id));
    }
    let mut values = Vec::new();
    for Read { sheet, range } in needed(book, graph, plan) {
        let Some(model) = book.model.sheets.get(sheet) else { continue };
        for (cell, content) in model.cells_in(range) {
            let key = CellKey { sheet, cell };
            if computed.contains(&key) {
                continue;
            }
            if values.len() >= limits.cells {
                return Err(Why::Limit(format!("{} cells in one calculation", limits.cells)));
            }
            values.push((key, known_value(content)));
        }
    }
    Ok(values)
}

/// The ranges that are read, without overlaps; everything when a formula reads what it does not name.
fn needed(book: &Book<'_>, graph: &Graph, plan: &Plan) -> Vec<Read> {
    let nodes = || plan.order.iter().filter_map(|id| graph.node(*id));
    if nodes().any(|node| node.dynamic) {
        return everything(book.model);
    }
    let reads: HashSet<Read> = nodes().flat_map(|node| node.reads.iter().copied()).collect();
    let mut columns: BTreeMap<(usize, u32), Vec<(u32, u32)>> = BTreeMap::new();
    for read in reads {
        let used = book.model.sheets.get(read.sheet).and_then(|sheet| sheet.used());
        let Some(range) = used.and_then(|used| used.intersection(read.range)) else { continue };
        for col in range.start().col()..=range.end().col() {
            columns.entry((read.sheet, col)).or_default().push((range.start().row(), range.end().row()));
        }
    }
    columns.into_iter().flat_map(|((sheet, col), rows)| joined(sheet, col, rows)).collect()
}

fn everything(model: &BookModel) -> Vec<Read> {
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
    let ranges = pieces.into_iter().filter_map(|(start, end)| Some(RangeRef::new(cell(start)?, cell(end)?)));
    ranges.map(|range| Read { sheet, range }).collect()
}
