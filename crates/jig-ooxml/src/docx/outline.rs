//! The body of a document as positions in its tree. It is made once per document, so that reading one section neither
//! parses the document again nor walks through the blocks before it.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::blocks::{self, Block, Paragraph, Table};
use super::document::Document;
use super::inline::Mark;
use super::numbering::ListState;
use super::render::Renderer;
use super::sections::{self, Section};
use super::tables;
use crate::error::Error;
use crate::xml::{Node, NodeId, Tree};

/// The blocks and sections of the body.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) sections: Vec<Section>,
    blocks: Vec<BlockPosition>,
    /// The state of lists before some of the blocks, with the positions of these blocks, in order. Reads add to it as far as
    /// they have counted.
    list_states: Mutex<Vec<(usize, ListState)>>,
}

/// Limit of stored list states: each has the numbers of all lists, so one for each section would be quadratic.
const MAX_LIST_STATES: usize = 64;

/// A block without its tree.
#[derive(Debug, Clone, Copy)]
struct BlockPosition {
    node: NodeId,
    index: usize,
    is_table: bool,
    inserted: Option<NodeId>,
    deleted: Option<NodeId>,
}

impl Outline {
    pub(super) fn read(document: &Document) -> Result<Self, Error> {
        let tree = document.main.tree(&document.limits)?;
        let found = blocks::blocks(blocks::body(&tree, document.main.name())?);
        let sections = sections::sections(&found, &document.supporting().styles);
        let list_states = Mutex::new(vec![(0, ListState::default())]);
        Ok(Self { sections, blocks: found.iter().map(BlockPosition::of).collect(), list_states })
    }

    /// Some of the blocks, in the tree of the main part.
    pub(super) fn blocks<'t>(&self, tree: &'t Tree<'t>, range: Range<usize>) -> Vec<Block<'t>> {
        let positions = self.blocks.get(range).unwrap_or_default();
        positions.iter().map(|position| position.block(tree)).collect()
    }

    /// Lets a renderer count lists up to a block.
    pub(super) fn count_lists_before(&self, block: usize, tree: &Tree<'_>, renderer: &mut Renderer<'_>) {
        let mut states = self.list_states.lock().unwrap_or_else(PoisonError::into_inner);
        let known = states.partition_point(|(at, _)| *at <= block);
        let Some((from, state)) = known.checked_sub(1).and_then(|last| states.get(last)).cloned() else { return };
        renderer.set_list_state(state);
        let step = self.blocks.len() / MAX_LIST_STATES + 1;
        // Later states are known only if other reads have counted further.
        let is_furthest = known == states.len();
        for (at, between) in (from..block).zip(self.blocks(tree, from..block)) {
            if at > from && at % step == 0 && is_furthest {
                states.push((at, renderer.list_state()));
            }
            count_lists(renderer, between);
        }
    }
}

impl BlockPosition {
    fn of(block: &Block<'_>) -> Self {
        let (node, index, is_table, mark) = match block {
            Block::Paragraph(Paragraph { node, index, mark }) => (node, *index, false, mark),
            Block::Table(Table { node, index, mark }) => (node, *index, true, mark),
        };
        Self {
            node: node.id(),
            index,
            is_table,
            inserted: mark.inserted.map(Node::id),
            deleted: mark.deleted.map(Node::id),
        }
    }

    fn block<'t>(self, tree: &'t Tree<'t>) -> Block<'t> {
        let (node, index) = (tree.node(self.node), self.index);
        let mark =
            Mark { inserted: self.inserted.map(|id| tree.node(id)), deleted: self.deleted.map(|id| tree.node(id)) };
        if self.is_table {
            Block::Table(Table { node, index, mark })
        } else {
            Block::Paragraph(Paragraph { node, index, mark })
        }
    }
}

/// Counts the list paragraphs of a block without rendering its text.
fn count_lists(renderer: &mut Renderer<'_>, block: Block<'_>) {
    match block {
        Block::Paragraph(paragraph) => {
            renderer.label(paragraph);
        }
        Block::Table(table) => {
            for row in tables::rows(table.node) {
                let inner = row.cells.iter().flat_map(|cell| blocks::blocks(cell.node));
                inner.for_each(|block| count_lists(renderer, block));
            }
        }
    }
}
