//! The calculation engine behind workbooks: which formulas an edit affects, in which order they follow from each
//! other, and their values.
//!
//! The dependencies, the plan, the limits and every refusal are ours; only the value of a formula whose
//! inputs are known comes from the engine crate (`engine`), so that it can be replaced.
//! A value that might be wrong is not given: the cell is listed with the reason instead.

mod book;
mod cells;
mod clip;
mod criteria;
mod engine;
mod expand;
mod functions;
mod graph;
mod guard;
mod intervals;
mod job;
mod limits;
mod plan;
mod resolve;
mod shape_limits;
mod value_limits;

use std::collections::HashMap;

use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::formula::recalculate::{
    BookModel, Calculated, Calculator, CellContent, CellKey, CellRanges, CellSource, CellValue, NotComputed, Request,
};

use book::Book;
use graph::{Graph, NodeId, all_cells};
use job::{Answer, Job};
pub use limits::{Limits, Now};
use plan::{CalcPlan, Order, order};

/// Computes formulas within limits, without clock, chance or any access to the outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormulaEngine {
    /// The bounds of a calculation.
    pub limits: Limits,
    /// What `NOW()` and `TODAY()` mean; without it they are not computed.
    pub now: Option<Now>,
    /// Computes functions that are not on the list too. Only for finding out what belongs on it.
    #[doc(hidden)]
    pub every_function: bool,
}

impl Calculator for FormulaEngine {
    fn calculate(&self, model: &mut BookModel, request: &Request<'_>, cells: &mut dyn CellSource) -> Calculated {
        let mut graph = Graph::of(&Book::new(model, self.now));
        resolve::resolve(model, self.now, &mut graph, request, cells);
        let book = Book::new(model, self.now);
        let plan = CalcPlan::of(&book, &graph, request);
        if plan.required.is_empty() {
            return Calculated::default();
        }
        let mut blocked = guard::blocked(&book, &graph, &plan.required, self);
        let first = order(&book, &graph, &plan.required, &mut blocked);
        let loaded = cells.load(model, &inputs(&graph, &plan, &first));
        let book = Book::new(model, self.now);
        match loaded {
            Ok(()) => guard::block_by_inputs(&book, &graph, &first.order, &self.limits, &mut blocked),
            Err(why) => blocked.extend(first.order.iter().map(|id| (*id, why.clone()))),
        }
        let second = order(&book, &graph, &plan.required, &mut blocked);
        let mut answers = self.answers(&book, &graph, &second);
        self.check_values(&book, &graph, &second, &mut answers);
        for (id, answer) in second.order.iter().zip(&answers) {
            if let Err(why) = answer {
                blocked.insert(*id, why.clone());
            }
        }
        // What follows from a cell the engine gave up on is not known either.
        let last = order(&book, &graph, &plan.required, &mut blocked);
        collect(&book, &graph, &plan, &second.order, answers, &last)
    }
}

impl FormulaEngine {
    fn answers(&self, book: &Book<'_>, graph: &Graph, order: &Order) -> Vec<Answer> {
        if order.order.is_empty() {
            return Vec::new();
        }
        match Job::new(book, graph, order, &self.limits) {
            Ok(job) => job.run(&self.limits),
            Err(why) => vec![Err(why); order.order.len()],
        }
    }
}

impl FormulaEngine {
    /// Refuses results that rest on values with which programs differ.
    fn check_values(&self, book: &Book<'_>, graph: &Graph, order: &Order, answers: &mut [Answer]) {
        let computed: HashMap<CellKey, CellValue> = answers.iter().flatten().flatten().cloned().collect();
        let values = AfterCalculation { book, computed: &computed };
        for (id, answer) in order.order.iter().zip(answers.iter_mut()) {
            let (Some(node), Some(written), Ok(cells)) = (graph.node(*id), graph.text(book, *id), &*answer) else {
                continue;
            };
            let text = expand::expand(book, written, node.key);
            let checked =
                text.and_then(|text| value_limits::check(book, node.key, &text, cells, &values, self.every_function));
            if let Err(why) = checked {
                *answer = Err(why);
            }
        }
    }

    /// The shapes of the arguments with which a formula calls a function.
    #[doc(hidden)]
    pub fn argument_shapes(&self, model: &BookModel, at: CellKey, name: &str) -> Vec<String> {
        let book = Book::new(model, self.now);
        let computed = HashMap::new();
        let values = AfterCalculation { book: &book, computed: &computed };
        let text = book.formula(at).and_then(|formula| expand::expand(&book, &formula.text, at).ok());
        let shapes = text.map(|text| value_limits::shapes_of(&book, at, &text, name, &values));
        shapes.into_iter().flatten().collect()
    }
}

/// The values of cells once everything is computed.
struct AfterCalculation<'a> {
    book: &'a Book<'a>,
    computed: &'a HashMap<CellKey, CellValue>,
}

impl AfterCalculation<'_> {
    fn known(content: &CellContent) -> CellValue {
        match content {
            CellContent::Value(value) => value.clone(),
            CellContent::Formula(formula) => formula.stored.known().cloned().unwrap_or(CellValue::Empty),
        }
    }
}

impl value_limits::Values for AfterCalculation<'_> {
    fn value(&self, key: CellKey) -> CellValue {
        if let Some(value) = self.computed.get(&key) {
            return value.clone();
        }
        let content = self.book.model.sheets.get(key.sheet).and_then(|sheet| sheet.get(key.cell));
        content.map_or(CellValue::Empty, Self::known)
    }

    fn values_in(&self, sheet: usize, range: RangeRef) -> Vec<CellValue> {
        let Some(model) = self.book.model.sheets.get(sheet) else { return Vec::new() };
        let rows_first = |(cell, content): (CellRef, &CellContent)| {
            let value = self.computed.get(&CellKey { sheet, cell }).cloned();
            (cell, value.unwrap_or_else(|| Self::known(content)))
        };
        let mut found: Vec<(CellRef, CellValue)> =
            model.cells_in(range).map(rows_first).filter(|(_, value)| *value != CellValue::Empty).collect();
        found.sort_by_key(|(cell, _)| *cell);
        found.into_iter().map(|(_, value)| value).collect()
    }
}

/// The cells to load: what the formulas in order read, and the stored values of all that are required.
fn inputs(graph: &Graph, plan: &CalcPlan, order: &Order) -> CellRanges {
    let mut ranges = CellRanges::new();
    for node in order.order.iter().filter_map(|id| graph.node(*id)) {
        if node.dynamic.is_some()
            && let Some(all) = all_cells()
        {
            (0..graph.sheets()).for_each(|sheet| ranges.add(sheet, all));
        }
        node.reads.iter().for_each(|read| ranges.add(read.sheet, read.range));
    }
    for node in plan.required.iter().filter_map(|id| graph.node(*id)) {
        ranges.add(node.key.sheet, node.area.unwrap_or_else(|| node.key.cell.into()));
    }
    ranges.seal();
    ranges
}

/// Puts values and refusals into the order of the cells.
fn collect(
    book: &Book<'_>,
    graph: &Graph,
    plan: &CalcPlan,
    computed: &[NodeId],
    answers: Vec<Answer>,
    last: &Order,
) -> Calculated {
    let refused: HashMap<NodeId, &NotComputed> = last.refused.iter().map(|(id, why)| (*id, why)).collect();
    let mut found = Calculated::default();
    for (id, answer) in computed.iter().zip(answers) {
        let Ok(cells) = answer else { continue };
        if refused.contains_key(id) {
            continue;
        }
        if plan.is_affected(*id) {
            found.values.extend(cells);
        } else if plan.is_outdated(*id) {
            found.other_values.extend(cells);
        }
    }
    for (id, why) in &last.refused {
        let cells = graph.filled(book, *id).into_iter().map(|key| (key, why.clone()));
        if plan.is_affected(*id) {
            found.not_computed.extend(cells);
        } else if plan.is_outdated(*id) {
            found.other_not_computed.extend(cells);
        }
    }
    found.values.sort_by_key(|(key, _)| *key);
    found.not_computed.sort_by_key(|(key, _)| *key);
    found.other_values.sort_by_key(|(key, _)| *key);
    found.other_not_computed.sort_by_key(|(key, _)| *key);
    found
}
