//! A part as a tree of byte ranges, parsed in one pass without recursion. It holds no text of its own.
//!
//! Why not roxmltree: edits splice ranges that it does not have (the end of a start tag, the position for a new attribute,
//! whether an element is written as one tag), its tree borrows the text, so that an edit could not keep the tree of a part
//! it owns, and it has no limits for depth and the length of tags. `benches/xml_tree.rs` compares the two on a document.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use super::namespaces::{Ns, Vocabulary};
use super::node::Node;
use super::scan::{Token, Tokens};
use crate::error::{PackageError, PartFault, Quantity};
use crate::limits::Limits;

/// The number of a node in its tree, from 1, so that an optional number needs no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The node with this record. There are fewer than 2³² of them, as parts have fewer bytes.
    pub(super) fn of(at: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(at as u32))
    }

    /// The position of its record.
    pub(super) fn at(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// An element.
    Element,
    /// Text, with its references.
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
    /// The complete node.
    pub(super) span: Span,
    /// Where the start tag ends; for other nodes the end.
    pub(super) open_end: u32,
    /// Where the end tag begins; the same as the end of the node when it has none.
    pub(super) close_start: u32,
    /// Length of the qualified name, which begins one byte after the node.
    pub(super) name_len: u32,
    /// Length of the prefix with its colon.
    pub(super) prefix_len: u32,
    /// The nearest namespace declaration in scope, counted from 1; 0 for none.
    pub(super) scope: u32,
}

/// A namespace declaration. Those in scope at an element form a chain, the nearest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declaration {
    /// The prefix in the source, without its colon; empty for the default namespace.
    pub(super) prefix: Span,
    pub(super) ns: Ns,
    /// The next of the chain, counted from 1; 0 for none.
    pub(super) outer: u32,
    /// The length of the chain from here on.
    pub(super) count: u32,
}

/// The declarations in scope, from the nearest on.
pub(super) fn in_scope(list: &[Declaration], scope: u32) -> impl Iterator<Item = &Declaration> {
    let at = move |number: u32| list.get((number as usize).checked_sub(1)?);
    std::iter::successors(at(scope), move |declaration| at(declaration.outer))
}

/// The nodes of a part by their byte positions. It is valid only for the text that it was parsed from.
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
    /// Parses a part. A document type declaration is refused, and so is a part that exceeds the limits.
    pub fn parse(part: &str, source: &'a str, limits: &Limits) -> Result<Self, PackageError> {
        Self::parse_with(part, source, limits, Ns::of)
    }

    /// Parses a part whose namespaces another vocabulary names.
    pub fn parse_with(
        part: &str,
        source: &'a str,
        limits: &Limits,
        vocabulary: Vocabulary,
    ) -> Result<Self, PackageError> {
        let (tree, stray) = Self::parse_with_stray_text(part, source, limits, vocabulary)?;
        match stray {
            None => Ok(tree),
            Some(at) => Err(PackageError::part(part, at, PartFault::TextOutsideRoot)),
        }
    }

    /// Parses a part that may have text outside its root element; returns where that text begins. Splices keep it.
    pub(crate) fn parse_with_stray_text(
        part: &str,
        source: &'a str,
        limits: &Limits,
        vocabulary: Vocabulary,
    ) -> Result<(Self, Option<usize>), PackageError> {
        if source.len() as u64 > limits.tree_bytes.min(u64::from(u32::MAX)) {
            let what = Quantity::Part { part: part.to_owned() };
            return Err(PackageError::TooLarge { what, limit: limits.tree_bytes });
        }
        let mut builder = Builder {
            part,
            source,
            limits,
            vocabulary,
            // Real parts have a node for about every 48 bytes.
            nodes: Vec::with_capacity(source.len() / 48),
            open: Vec::new(),
            declarations: Vec::new(),
            xmlns: memchr::memmem::Finder::new("xmlns"),
            resolved: None,
            root: None,
            stray_text: None,
        };
        builder.run()?;
        let root = builder.root.ok_or_else(|| PackageError::part(part, source.len(), PartFault::NoElement))?;
        let index = TreeIndex { nodes: builder.nodes, declarations: builder.declarations, root };
        Ok((Self { source, index: Arc::new(index) }, builder.stray_text))
    }

    /// The text that was parsed.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// The root element.
    pub fn root(&self) -> Node<'_> {
        self.node(self.index.root)
    }

    /// A node by its number.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    pub(super) fn record(&self, id: NodeId) -> &Record {
        // An id of another tree gives the root instead of a panic.
        self.index.nodes.get(id.at()).unwrap_or(&self.index.nodes[self.index.root.at()])
    }
}

/// Limit of namespaces in scope at one element. Real parts have fewer than a hundred; every prefix is searched in them.
const MAX_DECLARED: u32 = 1_000;

struct Builder<'a, 'b> {
    part: &'b str,
    source: &'a str,
    limits: &'b Limits,
    vocabulary: Vocabulary,
    nodes: Vec<Record>,
    /// Elements that are not closed yet.
    open: Vec<NodeId>,
    declarations: Vec<Declaration>,
    xmlns: memchr::memmem::Finder<'static>,
    /// The last prefix with its scope and namespace: most tags of a part have the same.
    resolved: Option<(&'a str, u32, Ns)>,
    root: Option<NodeId>,
    /// Where text outside the root element begins.
    stray_text: Option<usize>,
}

impl<'a> Builder<'a, '_> {
    fn run(&mut self) -> Result<(), PackageError> {
        // A byte order mark is not markup.
        let skipped = self.source.len() - self.source.trim_start_matches('\u{FEFF}').len();
        let mut tokens = Tokens::new(self.source, skipped);
        loop {
            let start = tokens.at;
            let Some(token) = tokens.next().map_err(|fault| self.fault(fault.at, fault.fault))? else { break };
            let end = tokens.at;
            if self.nodes.len() >= self.limits.nodes {
                let what = Quantity::Nodes { part: self.part.to_owned() };
                return Err(PackageError::TooLarge { what, limit: self.limits.nodes as u64 });
            }
            match token {
                Token::Open { name_len, empty } => {
                    self.start(name_len, start, end)?;
                    if empty {
                        self.end(end, end);
                    }
                }
                Token::Close { name_len } => {
                    self.check_name(name_len, start)?;
                    self.end(start, end);
                }
                Token::Text => self.text(NodeKind::Text, start, end),
                Token::Cdata => self.text(NodeKind::Cdata, start, end),
                // The XML declaration is not a node.
                Token::Aside if self.is_declaration(start) => {}
                Token::Aside => self.text(NodeKind::Aside, start, end),
                Token::DocType => return Err(self.fault(start, PartFault::DocumentType)),
            }
        }
        match self.open.last() {
            None => Ok(()),
            Some(_) => Err(self.fault(self.source.len(), PartFault::Unfinished)),
        }
    }

    fn is_declaration(&self, start: usize) -> bool {
        let name = self.source.get(start..).and_then(|rest| rest.strip_prefix("<?xml"));
        name.is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_whitespace() || next == '?'))
    }

    /// Checks that an end tag closes the open element.
    fn check_name(&self, name_len: usize, start: usize) -> Result<(), PackageError> {
        let name = self.source.get(start + 2..start + 2 + name_len).unwrap_or_default();
        let open = self.open.last().and_then(|open| self.nodes.get(open.at())).map(|open| {
            let from = open.span.start as usize + 1;
            self.source.get(from..from + open.name_len as usize).unwrap_or_default()
        });
        match open {
            Some(open) if open == name => Ok(()),
            Some(open) => {
                let fault = PartFault::WrongEndTag { found: name.to_owned(), expected: open.to_owned() };
                Err(self.fault(start, fault))
            }
            None => Err(self.fault(start, PartFault::NoStartTag { found: name.to_owned() })),
        }
    }

    fn start(&mut self, name_len: usize, start: usize, end: usize) -> Result<(), PackageError> {
        if self.open.len() >= self.limits.depth {
            let what = Quantity::Depth { part: self.part.to_owned() };
            return Err(PackageError::TooLarge { what, limit: self.limits.depth as u64 });
        }
        if end - start > self.limits.tag_bytes {
            let what = Quantity::Tag { part: self.part.to_owned() };
            return Err(PackageError::TooLarge { what, limit: self.limits.tag_bytes as u64 });
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.fault(start, PartFault::SecondRoot));
        }
        let outer = self.open.last().map_or(0, |parent| self.nodes.get(parent.at()).map_or(0, |node| node.scope));
        // Most tags have no attributes at all.
        let has_attributes = end - start > name_len + "</>".len();
        let scope = if has_attributes { self.declare(start, end, outer)? } else { outer };
        let name = self.source.get(start + 1..start + 1 + name_len).unwrap_or_default();
        let prefix_len = name.bytes().position(|byte| byte == b':').map_or(0, |at| at + 1);
        let prefix = name.get(..prefix_len.saturating_sub(1)).unwrap_or_default();
        let Some(ns) = self.resolve(prefix, scope) else {
            return Err(self.fault(start, PartFault::UndeclaredPrefix { prefix: prefix.to_owned() }));
        };
        let (name_len, prefix_len) = (name_len as u32, prefix_len as u32);
        let id = self.push(NodeKind::Element, ns, start, end, name_len, prefix_len);
        if let Some(record) = self.nodes.get_mut(id.at()) {
            record.scope = scope;
        }
        self.open.push(id);
        self.root.get_or_insert(id);
        Ok(())
    }

    /// Adds the namespaces that a start tag declares; returns the scope of the element.
    fn declare(&mut self, start: usize, end: usize, outer: u32) -> Result<u32, PackageError> {
        let tag = self.source.get(start..end).unwrap_or_default();
        if self.xmlns.find(tag.as_bytes()).is_none() {
            return Ok(outer);
        }
        let declared = super::node::attributes(tag).filter_map(|attribute| {
            let prefix = if attribute.name == "xmlns" { "" } else { attribute.name.strip_prefix("xmlns:")? };
            let from = start + attribute.start + attribute.name.len() - prefix.len();
            Some((Span { start: from as u32, end: (from + prefix.len()) as u32 }, attribute.raw))
        });
        let declared: Vec<(Span, &str)> = declared.collect();
        let mut scope = outer;
        // In reverse, so that the chain has them in the order in which they are written.
        for (prefix, raw) in declared.into_iter().rev() {
            let ns = (self.vocabulary)(&super::escape::unescape(raw));
            let count = 1 + in_scope(&self.declarations, scope).next().map_or(0, |next| next.count);
            if count > MAX_DECLARED {
                let what = Quantity::Namespaces { part: self.part.to_owned() };
                return Err(PackageError::TooLarge { what, limit: MAX_DECLARED.into() });
            }
            self.declarations.push(Declaration { prefix, ns, outer: scope, count });
            scope = self.declarations.len() as u32;
        }
        Ok(scope)
    }

    fn resolve(&mut self, prefix: &'a str, scope: u32) -> Option<Ns> {
        if let Some((last, at, ns)) = self.resolved
            && at == scope
            && last == prefix
        {
            return Some(ns);
        }
        let ns = self.look_up(prefix, scope)?;
        self.resolved = Some((prefix, scope, ns));
        Some(ns)
    }

    fn look_up(&self, prefix: &str, scope: u32) -> Option<Ns> {
        match in_scope(&self.declarations, scope)
            .find(|declared| self.source.get(declared.prefix.range()) == Some(prefix))
        {
            Some(declaration) => Some(declaration.ns),
            None if prefix.is_empty() => Some(Ns::None),
            None if prefix == "xml" => Some(Ns::Xml),
            None => None,
        }
    }

    fn end(&mut self, close_start: usize, end: usize) {
        let Some(id) = self.open.pop() else { return };
        if let Some(record) = self.nodes.get_mut(id.at()) {
            record.span.end = end as u32;
            record.close_start = close_start as u32;
        }
    }

    fn text(&mut self, kind: NodeKind, start: usize, end: usize) {
        if self.open.is_empty() {
            let is_blank = self.source.get(start..end).unwrap_or_default().trim().is_empty();
            if !is_blank && kind != NodeKind::Aside {
                self.stray_text.get_or_insert(start);
            }
            return;
        }
        // Text that follows text extends its node.
        let last = self.open.last().and_then(|parent| self.nodes.get(parent.at())?.last);
        if let Some(record) = last.and_then(|last| self.nodes.get_mut(last.at()))
            && kind == NodeKind::Text
            && record.kind == NodeKind::Text
        {
            record.span.end = end as u32;
            record.open_end = end as u32;
            record.close_start = end as u32;
            return;
        }
        if end > start {
            self.push(kind, Ns::None, start, end, 0, 0);
        }
    }

    fn push(&mut self, kind: NodeKind, ns: Ns, start: usize, end: usize, name_len: u32, prefix_len: u32) -> NodeId {
        let id = NodeId::of(self.nodes.len());
        let parent = self.open.last().copied();
        let previous = parent.and_then(|parent| self.nodes.get(parent.at())?.last);
        if let Some(before) = previous.and_then(|previous| self.nodes.get_mut(previous.at())) {
            before.next = Some(id);
        }
        if let Some(record) = parent.and_then(|parent| self.nodes.get_mut(parent.at())) {
            record.first.get_or_insert(id);
            record.last = Some(id);
        }
        self.nodes.push(Record {
            kind,
            ns,
            parent,
            first: None,
            last: None,
            next: None,
            previous,
            span: Span { start: start as u32, end: end as u32 },
            open_end: end as u32,
            close_start: end as u32,
            name_len,
            prefix_len,
            scope: 0,
        });
        id
    }

    fn fault(&self, at: usize, fault: PartFault) -> PackageError {
        PackageError::part(self.part, at, fault)
    }
}
