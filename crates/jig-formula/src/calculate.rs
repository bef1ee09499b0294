//! A calculation from the request to the values: find, order, reject, compute, collect.
//!
//! A value that may be wrong is not given: the cell is listed with the reason instead.

use std::collections::HashMap;

use crate::book::Book;
use crate::data_tables::DataTables;
use crate::graph::{FormulaGraph, NodeId, all_cells};
use crate::guard;
use crate::job::{Answer, Job};
use crate::limits::{Limits, Now};
use crate::model::{CalcModel, Calculated, CellRanges, CellSource, Request};
use crate::not_computed::{LimitKind, NotComputed};
use crate::parse::FormulaText;
use crate::plan::{Blocked, CalcPlan, Order, order};
use crate::resolve;

/// Computes formulas within limits, without clock, chance or any access to the outside.
///
/// A formula is computed only if every cell it reads is a constant, a trusted stored value or was computed in the same
/// calculation. Whatever the workbook holds, a calculation does not panic and ends within bounds of memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormulaEngine {
    /// The bounds of a calculation.
    pub limits: Limits,
    /// What `NOW()` and `TODAY()` mean; without it they are not computed.
    pub now: Option<Now>,
}

impl FormulaEngine {
    /// Computes what the request asks for. `model` holds every formula of the workbook; values are loaded from `cells`
    /// as far as they are needed.
    pub fn calculate(&self, model: &mut CalcModel, request: &Request<'_>, cells: &mut dyn CellSource) -> Calculated {
        let mut graph = FormulaGraph::of(&Book::new(model, self.now));
        if let Some(why) = graph.excess() {
            return Calculated { not_followed: Some(why), ..Calculated::default() };
        }
        resolve::resolve(model, self.now, &mut graph, request, cells);
        let book = Book::new(model, self.now);
        let plan = CalcPlan::of(&book, &graph, request);
        if plan.required.is_empty() {
            return Calculated::default();
        }
        let (mut within, mut blocked) = self.within_bytes(&book, &graph, &plan);
        let mut tables = DataTables::of(&book, &graph, &plan.required);
        within.extend(tables.formulas().filter(|id| !plan.is_required(*id)));
        blocked.extend(guard::blocked(&book, &mut graph, &within, &self.limits));
        tables.order(&book, &graph, &blocked);
        let first = order(&book, &graph, &plan.required, &mut blocked);
        // What arrays fill comes first: its stored values must be found even if there is too much to compute.
        if let Err(why) = cells.load(model, &filled(&graph, &plan)) {
            return Calculated { not_followed: Some(why), ..Calculated::default() };
        }
        let loaded = cells.load(model, &inputs(&graph, &plan, &first, &tables));
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
        let mut last = order(&book, &graph, &plan.required, &mut blocked);
        let mut answers: Vec<(NodeId, Answer)> = second.order.into_iter().zip(answers).collect();
        answers.extend(tables.compute(&book, &graph, &self.limits, &answers, &mut last));
        collect(&book, &graph, &plan, answers, &last)
    }

    /// The required formulas as far as their text together keeps within the limit, and the others with the reason.
    fn within_bytes(&self, book: &Book<'_>, graph: &FormulaGraph, plan: &CalcPlan) -> (Vec<NodeId>, Blocked) {
        let mut left = self.limits.all_formulas_bytes;
        let mut within = Vec::with_capacity(plan.required.len());
        let mut blocked = Blocked::new();
        for id in &plan.required {
            match left.checked_sub(graph.formula(book, *id).map_or(0, |formula| formula.text().len())) {
                Some(rest) => {
                    left = rest;
                    within.push(*id);
                }
                None => {
                    blocked.insert(*id, LimitKind::AllFormulasBytes(self.limits.all_formulas_bytes).into());
                }
            }
        }
        (within, blocked)
    }

    fn answers(&self, book: &Book<'_>, graph: &FormulaGraph, order: &Order) -> Vec<Answer> {
        if order.order.is_empty() {
            return Vec::new();
        }
        match Job::new(book, graph, order, &HashMap::new(), &self.limits) {
            Ok(job) => job.run(),
            Err(why) => vec![Err(why); order.order.len()],
        }
    }
}

/// The cells that required array formulas and data tables fill.
fn filled(graph: &FormulaGraph, plan: &CalcPlan) -> CellRanges {
    let mut ranges = CellRanges::new();
    for node in plan.required.iter().filter_map(|id| graph.node(*id)) {
        if let Some(area) = node.area {
            ranges.add(node.key.sheet, area);
        }
    }
    ranges.seal();
    ranges
}

/// The cells to load: what the formulas in order read, and the stored values of all that are required.
fn inputs(graph: &FormulaGraph, plan: &CalcPlan, order: &Order, tables: &DataTables) -> CellRanges {
    let mut ranges = CellRanges::new();
    tables.reads(graph).for_each(|read| ranges.add(read.sheet, read.range));
    for node in order.order.iter().filter_map(|id| graph.node(*id)) {
        if node.dynamic.is_some()
            && let Some(all) = all_cells()
        {
            (0..graph.sheets()).for_each(|sheet| ranges.add(sheet, all));
        }
        node.reads.iter().for_each(|read| ranges.add(read.sheet, read.range));
    }
    for node in plan.required.iter().filter_map(|id| graph.node(*id)) {
        ranges.add(node.key.sheet, node.key.cell.into());
    }
    ranges.seal();
    ranges
}

/// Puts values and refusals into the order of the cells.
fn collect(
    book: &Book<'_>,
    graph: &FormulaGraph,
    plan: &CalcPlan,
    answers: Vec<(NodeId, Answer)>,
    last: &Order,
) -> Calculated {
    let refused: HashMap<NodeId, &NotComputed> = last.refused.iter().map(|(id, why)| (*id, why)).collect();
    let mut found = Calculated::default();
    for (id, answer) in answers {
        let Ok(cells) = answer else { continue };
        if refused.contains_key(&id) {
            continue;
        }
        if plan.is_affected(id) {
            found.values.extend(cells);
        } else if plan.is_outdated(id) {
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
