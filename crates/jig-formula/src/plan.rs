//! What a calculation has to do: which formulas a change affects, which others must be computed because they
//! have no trusted value, in which order, and why the rest cannot be computed.
//!
//! A formula is computed only if everything it reads is a constant, a trusted stored value, or computed before it.

use std::collections::{BTreeSet, HashMap};

use crate::model::{CellKey, Request};
use crate::not_computed::{NotComputed, Unsupported};
use crate::quoted_sheet;

use crate::book::Book;
use crate::cells::Cells;
use crate::graph::{FormulaGraph, NodeId};

/// Formulas that cannot be computed, each with its reason.
pub(crate) type Blocked = HashMap<NodeId, NotComputed>;

/// The formulas that matter for a request, by [`NodeId`].
#[derive(Debug)]
pub(crate) struct CalcPlan {
    /// Formulas whose value may differ because of the changed cells.
    affected: Vec<bool>,
    /// Formulas whose stored value is missing, or rests on a missing one, or that the file does not vouch for.
    outdated: Vec<bool>,
    /// The affected formulas and those that must be computed for them, in the order of the graph.
    pub(crate) required: Vec<NodeId>,
}

impl CalcPlan {
    pub(crate) fn of(book: &Book<'_>, graph: &FormulaGraph, request: &Request<'_>) -> Self {
        let affected = graph.reached(request.changed, std::iter::empty());
        let outdated = outdated(book, graph);
        let untrusted = untrusted(graph, &outdated);
        let mut wanted = affected.clone();
        if request.whole_workbook {
            wanted.iter_mut().zip(&outdated).for_each(|(wanted, outdated)| *wanted |= outdated);
        }
        let required = required(graph, wanted, &untrusted);
        Self { affected, outdated, required }
    }

    pub(crate) fn is_affected(&self, id: NodeId) -> bool {
        self.affected.get(id.0) == Some(&true)
    }

    pub(crate) fn is_required(&self, id: NodeId) -> bool {
        self.required.binary_search(&id).is_ok()
    }

    pub(crate) fn is_outdated(&self, id: NodeId) -> bool {
        self.outdated.get(id.0) == Some(&true)
    }
}

/// Formulas without an up-to-date stored value.
fn outdated(book: &Book<'_>, graph: &FormulaGraph) -> Vec<bool> {
    if book.model.untrusted {
        return vec![true; graph.len()];
    }
    let missing = || graph.nodes().filter(|(_, node)| !node.is_stored).map(|(id, _)| id);
    if missing().next().is_none() { vec![false; graph.len()] } else { graph.reached(&[], missing()) }
}

/// Formulas whose stored value cannot be built on: the outdated ones, and those that rest on the time or on chance,
/// because their value belongs to another moment.
fn untrusted(graph: &FormulaGraph, outdated: &[bool]) -> Vec<bool> {
    let volatile = || graph.nodes().filter(|(_, node)| node.is_volatile).map(|(id, _)| id);
    if volatile().next().is_none() {
        return outdated.to_vec();
    }
    let mut found = graph.reached(&[], volatile());
    found.iter_mut().zip(outdated).for_each(|(found, outdated)| *found |= outdated);
    found
}

/// The wanted formulas with all precedents that have no trusted value, directly or through others.
fn required(graph: &FormulaGraph, mut wanted: Vec<bool>, untrusted: &[bool]) -> Vec<NodeId> {
    let mut open = Cells::default();
    for (id, node) in graph.nodes() {
        if untrusted.get(id.0) == Some(&true) && wanted.get(id.0) == Some(&false) {
            open.insert(node, id);
        }
    }
    let mut todo: Vec<NodeId> = (0..wanted.len()).filter(|at| wanted.get(*at) == Some(&true)).map(NodeId).collect();
    let mut subtotals = false;
    while let Some(id) = todo.pop() {
        if graph.is_subtotal(id) && !std::mem::replace(&mut subtotals, true) {
            for other in graph.subtotals() {
                take(graph, other, &mut wanted, &mut open, &mut todo);
            }
        }
        let Some(node) = graph.node(id) else { continue };
        for read in &node.reads {
            while let Some((_, found)) = open.first_in(read.sheet, read.range) {
                take(graph, found, &mut wanted, &mut open, &mut todo);
            }
        }
        if node.dynamic.is_some() {
            while let Some(found) = open.first() {
                take(graph, found, &mut wanted, &mut open, &mut todo);
            }
        }
    }
    (0..wanted.len()).filter(|at| wanted.get(*at) == Some(&true)).map(NodeId).collect()
}

fn take(graph: &FormulaGraph, id: NodeId, wanted: &mut [bool], open: &mut Cells, todo: &mut Vec<NodeId>) {
    if let Some(node) = graph.node(id) {
        open.remove(node, id);
    }
    if let Some(wanted) = wanted.get_mut(id.0)
        && !std::mem::replace(wanted, true)
    {
        todo.push(id);
    }
}

/// The order of a calculation and what is left out of it.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Formulas in the order in which they follow from each other.
    pub(crate) order: Vec<NodeId>,
    /// The others, with the reason.
    pub(crate) refused: Vec<(NodeId, NotComputed)>,
}

/// Orders the required formulas. When some are refused, formulas that may read any cell of their sheets are refused too,
/// because what they read is not known; they are added to `blocked`.
pub(crate) fn order(book: &Book<'_>, graph: &FormulaGraph, required: &[NodeId], blocked: &mut Blocked) -> Order {
    let first = Walk::new(book, graph, required, blocked).run(required);
    let refused = first.refused.iter().filter_map(|(id, _)| graph.node(*id));
    let unknown: BTreeSet<usize> = refused.map(|node| node.key.sheet).collect();
    let reads_unknown = |id: &NodeId| {
        let scope = graph.node(*id).and_then(|node| node.dynamic.as_ref());
        scope.is_some_and(|scope| unknown.iter().any(|sheet| scope.includes(*sheet)))
    };
    let found: Vec<NodeId> = first.order.iter().copied().filter(reads_unknown).collect();
    if found.is_empty() {
        return first;
    }
    blocked.extend(found.into_iter().map(|id| (id, Unsupported::DynamicWithUnknown.into())));
    // Those are unknown to others in turn.
    order(book, graph, required, blocked)
}

/// A depth-first walk without recursion. Each formula is entered once; a search for what it still waits for
/// ends at the first such cell, so the cost does not grow with the size of ranges.
struct Walk<'a> {
    book: &'a Book<'a>,
    graph: &'a FormulaGraph,
    blocked: &'a Blocked,
    waiting: Cells,
    refused: Cells,
    entered: HashMap<NodeId, usize>,
    stack: Vec<Frame>,
    plan: Order,
}

/// A formula being entered, and the first of its ranges that may still have something to wait for.
struct Frame {
    id: NodeId,
    next_read: usize,
}

impl<'a> Walk<'a> {
    fn new(book: &'a Book<'a>, graph: &'a FormulaGraph, required: &[NodeId], blocked: &'a Blocked) -> Self {
        let mut waiting = Cells::default();
        for id in required {
            if let Some(node) = graph.node(*id) {
                waiting.insert(node, *id);
            }
        }
        let (refused, entered, stack) = (Cells::default(), HashMap::new(), Vec::new());
        Self { book, graph, blocked, waiting, refused, entered, stack, plan: Order::default() }
    }

    fn run(mut self, required: &[NodeId]) -> Order {
        for id in required {
            if !self.entered.contains_key(id) {
                self.enter(*id);
            }
            while let Some(id) = self.step() {
                self.enter(id);
            }
        }
        self.plan
    }

    fn enter(&mut self, id: NodeId) {
        self.entered.insert(id, self.stack.len());
        self.stack.push(Frame { id, next_read: 0 });
    }

    /// Works on the formula on top of the stack; gives the one to enter next, `None` when the stack is empty.
    fn step(&mut self) -> Option<NodeId> {
        while let Some(frame) = self.stack.last_mut() {
            let Some(node) = self.graph.node(frame.id) else {
                self.stack.pop();
                continue;
            };
            let mut wanted = None;
            while let Some(read) = node.reads.get(frame.next_read) {
                wanted = self.waiting.first_in(read.sheet, read.range).map(|(_, id)| id);
                if wanted.is_some() {
                    break;
                }
                frame.next_read += 1;
            }
            match wanted {
                None => self.leave(),
                Some(id) => match self.entered.get(&id) {
                    None => return Some(id),
                    Some(depth) => self.refuse_cycle(*depth),
                },
            }
        }
        None
    }

    /// All it reads is settled: it is computed unless something speaks against it.
    fn leave(&mut self) {
        let Some(Frame { id, .. }) = self.stack.pop() else { return };
        let reads = self.graph.node(id).map_or(&[][..], |node| node.reads.as_slice());
        let because = reads.iter().find_map(|read| self.refused.first_in(read.sheet, read.range));
        match (self.blocked.get(&id), because) {
            (Some(why), _) => self.refuse(id, why.clone()),
            (None, Some((key, _))) => self.refuse(id, NotComputed::DependsOn(address(self.book, key))),
            (None, None) => self.settle(id),
        }
    }

    fn refuse_cycle(&mut self, depth: usize) {
        for frame in self.stack.split_off(depth.min(self.stack.len())) {
            self.refuse(frame.id, NotComputed::Cycle);
        }
    }

    fn refuse(&mut self, id: NodeId, why: NotComputed) {
        if let Some(node) = self.graph.node(id) {
            self.waiting.remove(node, id);
            self.refused.insert(node, id);
        }
        self.plan.refused.push((id, why));
    }

    fn settle(&mut self, id: NodeId) {
        if let Some(node) = self.graph.node(id) {
            self.waiting.remove(node, id);
        }
        self.plan.order.push(id);
    }
}

/// A cell as people write it.
pub(crate) fn address(book: &Book<'_>, key: CellKey) -> String {
    format!("{}!{}", quoted_sheet(book.sheet_name(key.sheet)), key.cell)
}
