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
mod graph;
mod guard;
mod intervals;
mod job;
mod limits;
mod plan;
mod resolve;
mod shape_limits;

use std::collections::HashMap;

use jig_ooxml::xlsx::formula::recalculate::{
    BookModel, Calculated, Calculator, CellRanges, CellSource, NotComputed, Request,
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
        let mut blocked = guard::blocked(&book, &graph, &plan.required, &self.limits);
        let first = order(&book, &graph, &plan.required, &mut blocked);
        let loaded = cells.load(model, &inputs(&graph, &plan, &first));
        let book = Book::new(model, self.now);
        match loaded {
            Ok(()) => guard::block_by_inputs(&book, &graph, &first.order, &self.limits, &mut blocked),
            Err(why) => blocked.extend(first.order.iter().map(|id| (*id, why.clone()))),
        }
        let second = order(&book, &graph, &plan.required, &mut blocked);
        let answers = self.answers(&book, &graph, &second);
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
