//! Which formulas can be computed, in an order in which each comes after those it reads, and why the
//! others cannot.

use std::collections::HashMap;

use jig_ooxml::xlsx::formula::quoted_sheet;
use jig_ooxml::xlsx::formula::recalculate::{CellKey, Why};

use super::book::Book;
use super::cells::Cells;
use super::graph::{Graph, NodeId};

/// Formulas that cannot be computed, each with its reason.
pub(super) type Blocked = HashMap<NodeId, Why>;

/// What to compute and what not.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Formulas in the order in which they follow from each other.
    pub(super) order: Vec<NodeId>,
    /// The others, with the reason.
    pub(super) refused: Vec<(NodeId, Why)>,
}

/// Orders the dirty formulas. When some are refused, formulas that read cells they do not name are refused
/// too, because nobody knows what they read; they are added to `blocked`.
pub(super) fn plan(book: &Book<'_>, graph: &Graph, dirty: &[NodeId], blocked: &mut Blocked) -> Plan {
    let first = Walk::new(book, graph, dirty, blocked).run(dirty);
    let is_dynamic = |id: &NodeId| graph.node(*id).is_some_and(|node| node.dynamic);
    if first.refused.is_empty() || !first.order.iter().any(is_dynamic) {
        return first;
    }
    for id in first.order.iter().filter(|id| is_dynamic(id)) {
        let why = "a computed reference while other cells were not computed";
        blocked.insert(*id, Why::Unsupported(why.to_owned()));
    }
    Walk::new(book, graph, dirty, blocked).run(dirty)
}

/// A depth-first walk without recursion. Each formula is entered once; a search for what it still waits for
/// ends at the first such cell, so the cost does not grow with the size of ranges.
struct Walk<'a> {
    book: &'a Book<'a>,
    graph: &'a Graph,
    blocked: &'a Blocked,
    waiting: Cells,
    refused: Cells,
    entered: HashMap<NodeId, usize>,
    stack: Vec<Frame>,
    plan: Plan,
}

/// A formula being entered, and the first of its ranges that may still have something to wait for.
struct Frame {
    id: NodeId,
    next_read: usize,
}

impl<'a> Walk<'a> {
    fn new(book: &'a Book<'a>, graph: &'a Graph, dirty: &[NodeId], blocked: &'a Blocked) -> Self {
        let mut waiting = Cells::default();
        for id in dirty {
            graph.filled(book, *id).into_iter().for_each(|key| waiting.insert(key, *id));
        }
        let (refused, entered, stack) = (Cells::default(), HashMap::new(), Vec::new());
        Self { book, graph, blocked, waiting, refused, entered, stack, plan: Plan::default() }
    }

    fn run(mut self, dirty: &[NodeId]) -> Plan {
        for id in dirty {
            let open = self.graph.node(*id).is_some_and(|node| self.waiting.contains(node.key));
            if open {
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
            (None, Some((key, _))) => self.refuse(id, Why::DependsOn(address(self.book, key))),
            (None, None) => self.settle(id),
        }
    }

    fn refuse_cycle(&mut self, depth: usize) {
        for frame in self.stack.split_off(depth.min(self.stack.len())) {
            self.refuse(frame.id, Why::Cycle);
        }
    }

    fn refuse(&mut self, id: NodeId, why: Why) {
        for key in self.graph.filled(self.book, id) {
            self.waiting.remove(key);
            self.refused.insert(key, id);
        }
        self.plan.refused.push((id, why));
    }

    fn settle(&mut self, id: NodeId) {
        self.graph.filled(self.book, id).into_iter().for_each(|key| self.waiting.remove(key));
        self.plan.order.push(id);
    }
}

/// A cell as people write it.
fn address(book: &Book<'_>, key: CellKey) -> String {
    format!("{}!{}", quoted_sheet(book.sheet_name(key.sheet)), key.cell)
}
