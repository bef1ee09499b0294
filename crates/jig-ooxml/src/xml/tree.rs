//! A part as a tree of ranges. It holds no text of its own.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use super::build;
use super::names::Ns;
use super::node::Node;
use crate::error::PackageError;
use crate::limits::Limits;

/// A node's number in its tree, from 1, so that a number that may be missing takes no more room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The node at this place of the records. There are fewer than 2³² of them, as parts have fewer bytes.
    pub(super) fn of(at: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(at as u32))
    }

    /// Its place among the records.
    pub(super) fn at(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// An element.
    Element,
    /// Character data, references still in it.
    Text,
    /// A CDATA section.
    Cdata,
    /// A comment or processing instruction.
    Aside,
}

/// A range of a part; parts are smaller than 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A node as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) kind: NodeKind,
    pub(super) ns: Ns,
    pub(super) parent: Option<NodeId>,
    pub(super) first: Option<NodeId>,
    pub(super) last: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    pub(super) previous: Option<NodeId>,
    /// The whole node.
    pub(super) span: Span,
    /// Where the start tag ends; for other nodes the end.
    pub(super) open_end: u32,
    /// Where the end tag begins; the same as the end of the node when it has none.
    pub(super) close_start: u32,
    /// Length of the qualified name, which begins one byte after the node.
    pub(super) name_len: u32,
    /// Length of the prefix with its colon.
    pub(super) prefix_len: u32,
    /// The nearest declaration of a namespace in force, counted from 1; 0 for none.
    pub(super) scope: u32,
}

/// A declaration of a namespace. Those in force at an element are a chain, the nearest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declaration {
    /// The prefix in the source, without its colon; empty for the default namespace.
    pub(super) prefix: Span,
    pub(super) ns: Ns,
    /// The next one to look at, counted from 1; 0 for none.
    pub(super) outer: u32,
    /// How many the chain has from here on.
    pub(super) count: u32,
}

/// The declarations in force, from a place in the list on.
pub(super) fn in_force(list: &[Declaration], scope: u32) -> impl Iterator<Item = &Declaration> {
    let at = move |number: u32| list.get((number as usize).checked_sub(1)?);
    std::iter::successors(at(scope), move |declaration| at(declaration.outer))
}

/// The nodes of a part by their byte positions. It is valid for the text it was made from only.
#[derive(Debug)]
pub(crate) struct TreeIndex {
    pub(super) nodes: Vec<Record>,
    pub(super) declarations: Vec<Declaration>,
    pub(super) root: NodeId,
}

/// A parsed part: its text, and an index of the nodes in it.
#[derive(Debug, Clone)]
pub struct Tree<'a> {
    pub(super) source: &'a str,
    pub(super) index: Arc<TreeIndex>,
}

impl<'a> Tree<'a> {
    /// Parses a part. A DTD is refused, and so is more depth, nodes or tag than the limits allow.
    pub fn parse(part: &str, source: &'a str, limits: &Limits) -> Result<Self, PackageError> {
        build::build(part, source, limits)
    }

    /// The text that was parsed.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// The outermost element.
    pub fn root(&self) -> Node<'_> {
        self.node(self.index.root)
    }

    /// A node by its number.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    pub(super) fn record(&self, id: NodeId) -> &Record {
        // Ids come from this tree's own records only; a stranger's id gives the root instead of a panic.
        self.index.nodes.get(id.at()).unwrap_or(&self.index.nodes[self.index.root.at()])
    }
}
