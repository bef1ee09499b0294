//! The calculation engine behind the workbook editor: which formulas an edit concerns, in which order
//! they follow from each other, and their values.
//!
//! The grid, the dependencies, the limits and every refusal are ours; only the value of a formula whose
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
mod lifting;
mod limits;
mod order;

use std::collections::HashMap;

use jig_ooxml::xlsx::formula::recalculate::{BookModel, Calculated, Calculator, CellContent, CellKey, CellValue, Why};

use book::Book;
use graph::{Graph, NodeId};
use job::{Answer, Job};
pub use limits::{Limits, Now};
use order::{Plan, plan};

/// Computes formulas within limits, without clock, chance or any access to the outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormulaEngine {
    /// The bounds of a calculation.
    pub limits: Limits,
    /// What `NOW()` and `TODAY()` mean; without it they are not computed.
    pub now: Option<Now>,
}

impl Calculator for FormulaEngine {
    fn calculate(&self, book: &BookModel, changed: &[CellKey]) -> Calculated {
        let book = Book::new(book, self.now);
        let graph = Graph::of(&book);
        let dirty = graph.dirty(&book, changed);
        let mut blocked = guard::blocked(&book, &graph, &dirty, &self.limits);
        let first = plan(&book, &graph, &dirty, &mut blocked);
        let answers = self.answers(&book, &graph, &first);
        for (node, answer) in first.order.iter().zip(&answers) {
            if let Err(why) = answer {
                blocked.insert(*node, why.clone());
            }
        }
        // What follows from a cell the engine gave up on is not known either.
        let last = plan(&book, &graph, &dirty, &mut blocked);
        collect(&book, &graph, &first.order, answers, &last)
    }
}

impl FormulaEngine {
    fn answers(&self, book: &Book<'_>, graph: &Graph, plan: &Plan) -> Vec<Answer> {
        if plan.order.is_empty() {
            return Vec::new();
        }
        match Job::new(book, graph, plan, &self.limits) {
            Ok(job) => job.run(&self.limits),
            Err(why) => vec![Err(why); plan.order.len()],
        }
    }
}

/// Puts values and refusals into the order of the cells.
fn collect(book: &Book<'_>, graph: &Graph, order: &[NodeId], answers: Vec<Answer>, last: &Plan) -> Calculated {
    let refused: HashMap<NodeId, &Why> = last.refused.iter().map(|(node, why)| (*node, why)).collect();
    let mut found = Calculated::default();
    for (node, answer) in order.iter().zip(answers) {
        if let (Ok(cells), false) = (answer, refused.contains_key(node)) {
            found.values.extend(cells);
        }
    }
    for (node, why) in &last.refused {
        found.not_computed.extend(graph.filled(book, *node).into_iter().map(|key| (key, why.clone())));
    }
    found.values.sort_by_key(|(key, _)| *key);
    found.not_computed.sort_by_key(|(key, _)| *key);
    found
}

/// The value of a cell that is not computed: typed in, or stored beside its formula.
fn known_value(content: &CellContent) -> CellValue {
    match content {
        CellContent::Value(value) => value.clone(),
        CellContent::Formula(formula) => formula.cached.clone().unwrap_or(CellValue::Empty),
    }
}
