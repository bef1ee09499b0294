//! What-if data tables. Each of their cells shows a formula beside the table as it would be with other values in one or
//! two input cells: the formulas between the inputs and that one are computed again for each cell.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::FormulaText;
use crate::model::{CellContent, CellKey, CellValue, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed, Unsupported};
use jig_file_api::address::{CellRange, CellRef};

use crate::book::Book;
use crate::cells::Cells;
use crate::graph::{FormulaGraph, NodeId, Read, cells_of};
use crate::guard;
use crate::job::{Answer, Job};
use crate::limits::Limits;
use crate::plan::{Blocked, Order, address, order};

/// The most data tables that are computed.
const MOST_TABLES: usize = 200;
/// The most formulas that all cells of a data table together compute.
const MOST_FORMULAS: u64 = 200_000;

/// The data tables of a calculation.
#[derive(Default)]
pub(crate) struct DataTables {
    tables: Vec<DataTable>,
    /// All formulas between input cells and results, in order.
    order: Order,
    blocked: Blocked,
}

struct DataTable {
    id: NodeId,
    sheet: usize,
    area: CellRange,
    /// Gets the values of the row above the table.
    row_input: Option<CellKey>,
    /// Gets the values of the column left of the table.
    column_input: Option<CellKey>,
    /// The formulas that depend on the inputs and that the table shows, directly or through others.
    formulas: BTreeSet<NodeId>,
}

impl DataTables {
    /// Finds the data tables among the required formulas.
    pub(crate) fn of(book: &Book<'_>, graph: &FormulaGraph, required: &[NodeId]) -> Self {
        let tables = required.iter().filter_map(|id| DataTable::of(book, graph, *id)).take(MOST_TABLES).collect();
        Self { tables, ..Self::default() }
    }

    /// The formulas that are computed for every cell.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = NodeId> {
        let all: BTreeSet<NodeId> = self.tables.iter().flat_map(|table| table.formulas.iter().copied()).collect();
        all.into_iter()
    }

    /// Orders these formulas.
    pub(crate) fn order(&mut self, book: &Book<'_>, graph: &FormulaGraph, blocked: &Blocked) {
        let formulas: Vec<NodeId> = self.formulas().collect();
        let why = |id: &NodeId| blocked.get(id).map(|why| (*id, why.clone()));
        self.blocked = formulas.iter().filter_map(why).collect();
        self.order = order(book, graph, &formulas, &mut self.blocked);
    }

    /// What the tables and these formulas read.
    pub(crate) fn reads(&self, graph: &FormulaGraph) -> impl Iterator<Item = Read> {
        let ids = self.order.order.iter().copied().chain(self.tables.iter().map(|table| table.id));
        ids.filter_map(|id| graph.node(id)).flat_map(|node| node.reads.iter().copied())
    }

    /// Computes the tables with the values that are known by now, and takes them off the list of what is refused.
    pub(crate) fn compute(
        mut self,
        book: &Book<'_>,
        graph: &FormulaGraph,
        limits: &Limits,
        answers: &[(NodeId, Answer)],
        last: &mut Order,
    ) -> Vec<(NodeId, Answer)> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        guard::block_by_inputs(book, graph, &self.order.order, limits, &mut self.blocked);
        let formulas: Vec<NodeId> = self.formulas().collect();
        self.order = order(book, graph, &formulas, &mut self.blocked);
        let refused: HashSet<NodeId> = last.refused.iter().map(|(id, _)| *id).collect();
        let right = answers.iter().filter(|(id, _)| !refused.contains(id));
        let known: HashMap<CellKey, CellValue> =
            right.flat_map(|(_, answer)| answer.iter().flatten().cloned()).collect();
        let unknown = cells(graph, refused.iter().copied());
        let (refused, known, unknown) = (&refused, &known, &unknown);
        let context = Context { book, graph, limits, order: &self.order, known, refused, unknown };
        let mut found = Vec::new();
        for table in &self.tables {
            match table.compute(&context) {
                Ok(values) => {
                    last.refused.retain(|(id, _)| *id != table.id);
                    found.push((table.id, Ok(values)));
                }
                Err(reason) => {
                    let own = last.refused.iter_mut().filter(|(id, _)| *id == table.id);
                    own.for_each(|(_, why)| *why = reason.clone());
                }
            }
        }
        found
    }
}

/// What is known when the tables are computed.
struct Context<'a> {
    book: &'a Book<'a>,
    graph: &'a FormulaGraph,
    limits: &'a Limits,
    order: &'a Order,
    known: &'a HashMap<CellKey, CellValue>,
    /// The formulas that were not computed.
    refused: &'a HashSet<NodeId>,
    /// Their cells.
    unknown: &'a Cells,
}

/// The cells that formulas fill.
fn cells(graph: &FormulaGraph, ids: impl Iterator<Item = NodeId>) -> Cells {
    let mut found = Cells::default();
    for id in ids {
        if let Some(node) = graph.node(id) {
            found.insert(node, id);
        }
    }
    found
}

impl Context<'_> {
    /// The value of a cell.
    fn value(&self, key: CellKey) -> Result<CellValue, NotComputed> {
        if let Some((key, _)) = self.unknown.first_in(key.sheet, key.cell.into()) {
            return Err(NotComputed::DependsOn(address(self.book, key)));
        }
        if let Some(value) = self.known.get(&key) {
            return Ok(value.clone());
        }
        match self.book.model.sheets.get(key.sheet).and_then(|sheet| sheet.get(key.cell)) {
            None => Ok(CellValue::Empty),
            Some(CellContent::Value(value)) => Ok(value.clone()),
            Some(CellContent::Formula(formula)) => {
                formula.stored.known().cloned().ok_or_else(|| Unsupported::NoValue.into())
            }
        }
    }
}

impl DataTable {
    fn of(book: &Book<'_>, graph: &FormulaGraph, id: NodeId) -> Option<Self> {
        let key = graph.node(id)?.key;
        let formula = book.formula(key)?;
        let FormulaShape::DataTable(area) = formula.shape else { return None };
        let (row, column) = formula.formula.text().strip_prefix("TABLE(")?.strip_suffix(')')?.split_once(',')?;
        let input = |text: &str| match text {
            "" => Some(None),
            cell => Some(Some(CellKey { sheet: key.sheet, cell: cell.parse().ok()? })),
        };
        let (row_input, column_input) = (input(row)?, input(column)?);
        if (row_input.is_none() && column_input.is_none()) || area.start().row() == 1 || area.start().col() == 1 {
            return None;
        }
        let mut table = Self { id, sheet: key.sheet, area, row_input, column_input, formulas: BTreeSet::new() };
        table.formulas = table.between(graph);
        Some(table)
    }

    fn inputs(&self) -> Vec<CellKey> {
        self.row_input.into_iter().chain(self.column_input).collect()
    }

    /// The formulas that depend on the inputs and on which the shown ones depend.
    fn between(&self, graph: &FormulaGraph) -> BTreeSet<NodeId> {
        let inputs = self.inputs();
        let reached = graph.reached(&inputs, std::iter::empty());
        let mut open = Cells::default();
        for (id, node) in graph.nodes() {
            if reached.get(id.0) == Some(&true) && id != self.id && !inputs.contains(&node.key) {
                open.insert(node, id);
            }
        }
        let mut found = BTreeSet::new();
        let mut todo: Vec<Read> = Vec::new();
        for key in cells_of(self.sheet, self.area) {
            if let Some(cell) = self.shown(key.cell) {
                todo.push(Read { sheet: self.sheet, range: cell.into() });
            }
        }
        todo.dedup();
        while let Some(read) = todo.pop() {
            while let Some((_, id)) = open.first_in(read.sheet, read.range) {
                let Some(node) = graph.node(id) else { break };
                open.remove(node, id);
                found.insert(id);
                todo.extend(&node.reads);
            }
        }
        found
    }

    /// The cell with the formula that a cell of the table shows.
    fn shown(&self, cell: CellRef) -> Option<CellRef> {
        let (above, left) = (self.area.start().row() - 1, self.area.start().col() - 1);
        match (self.row_input, self.column_input) {
            (Some(_), Some(_)) => CellRef::new(above, left),
            (Some(_), None) => CellRef::new(cell.row(), left),
            _ => CellRef::new(above, cell.col()),
        }
    }

    fn compute(&self, context: &Context<'_>) -> Answer {
        let graph = context.graph;
        let order: Vec<NodeId> = context.order.order.iter().copied().filter(|id| self.formulas.contains(id)).collect();
        if let Some((_, why)) = context.order.refused.iter().find(|(id, _)| self.formulas.contains(id)) {
            return Err(why.clone());
        }
        let is_other = |id: &NodeId| *id != self.id && !self.formulas.contains(id);
        let unknown = cells(graph, context.refused.iter().copied().filter(is_other));
        for node in order.iter().filter_map(|id| graph.node(*id)) {
            if node.dynamic.is_some() {
                return Err(Unsupported::DynamicWithUnknown.into());
            }
            if let Some((key, _)) = node.reads.iter().find_map(|read| unknown.first_in(read.sheet, read.range)) {
                return Err(NotComputed::DependsOn(address(context.book, key)));
            }
        }
        // Other inputs may make an array larger than what was counted.
        let calls_sequence = |id: &NodeId| {
            let formula = graph.formula(context.book, *id);
            formula.is_some_and(|formula| formula.dependencies().functions.iter().any(|name| name == "SEQUENCE"))
        };
        if order.iter().any(calls_sequence) {
            return Err(Unsupported::ResizedArray.into());
        }
        if self.area.cells().saturating_mul(order.len() as u64) > MOST_FORMULAS {
            return Err(LimitKind::DataTable(MOST_FORMULAS).into());
        }
        let plan = Order { order, refused: Vec::new() };
        let job = Job::new(context.book, graph, &plan, context.known, context.limits)?;
        cells_of(self.sheet, self.area).map(|key| Ok((key, self.cell(context, &plan, &job, key)?))).collect()
    }

    /// The value of one cell of the table.
    fn cell(&self, context: &Context<'_>, plan: &Order, job: &Job, key: CellKey) -> Result<CellValue, NotComputed> {
        let sheet = self.sheet;
        let (above, left) = (self.area.start().row() - 1, self.area.start().col() - 1);
        let at = |cell: Option<CellRef>| cell.map(|cell| CellKey { sheet, cell }).ok_or(Unsupported::DataTable);
        let shown = at(self.shown(key.cell))?;
        let mut inputs: Vec<(CellKey, CellValue)> = Vec::new();
        if let Some(input) = self.row_input {
            inputs.push((input, context.value(at(CellRef::new(above, key.cell.col()))?)?));
        }
        if let Some(input) = self.column_input {
            inputs.push((input, context.value(at(CellRef::new(key.cell.row(), left))?)?));
        }
        if let Some((_, value)) = inputs.iter().find(|(input, _)| *input == shown) {
            return Ok(value.clone());
        }
        let Some(position) = context.graph.at(shown).and_then(|id| plan.order.iter().position(|other| *other == id))
        else {
            return context.value(shown);
        };
        let mut answers = job.with(&inputs).run();
        if let Some(Err(why)) = answers.iter().find(|answer| answer.is_err()) {
            return Err(why.clone());
        }
        let cells = if position < answers.len() { answers.swap_remove(position)? } else { Vec::new() };
        let own = cells.into_iter().find(|(cell, _)| *cell == shown);
        own.map(|(_, value)| value).ok_or_else(|| Unsupported::EngineValue.into())
    }
}
