//! Nodes: navigation in a tree, and the ranges that an edit needs.

use std::borrow::Cow;
use std::ops::Range;

use super::escape::unescape;
use super::namespaces::Ns;
use super::scan::Attributes;
use super::tree::{Declaration, NodeId, NodeKind, Record, Tree, in_scope};
use crate::error::ActualKind;

/// A node of a tree. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) id: NodeId,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.tree, other.tree)
    }
}

/// An attribute as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The qualified name.
    pub name: &'a str,
    /// The value with its references.
    pub raw: &'a str,
    /// Where the attribute begins, counted from the start of the tag.
    pub start: usize,
    /// Where the value begins, after its quote.
    pub value_start: usize,
    /// Where the attribute ends, after the closing quote.
    pub end: usize,
}

impl<'t> Node<'t> {
    fn record(self) -> &'t Record {
        self.tree.record(self.id)
    }

    /// Its number in the tree.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The tree it is in.
    pub fn tree(self) -> &'t Tree<'t> {
        self.tree
    }

    /// Its kind.
    pub fn kind(self) -> NodeKind {
        self.record().kind
    }

    /// Whether it is an element.
    pub fn is_element(self) -> bool {
        self.kind() == NodeKind::Element
    }

    /// The namespace of an element.
    pub fn ns(self) -> Ns {
        self.record().ns
    }

    /// The name of an element without its prefix.
    pub fn local(self) -> &'t str {
        let record = self.record();
        let name = record.span.start as usize + 1;
        self.tree.source.get(name + record.prefix_len as usize..name + record.name_len as usize).unwrap_or_default()
    }

    /// The name of an element as it is written.
    pub fn qualified(self) -> &'t str {
        let record = self.record();
        let start = record.span.start as usize + 1;
        self.tree.source.get(start..start + record.name_len as usize).unwrap_or_default()
    }

    /// The prefix with its colon, or nothing: what a new element of the same namespace needs.
    pub fn prefix(self) -> &'t str {
        self.qualified().get(..self.record().prefix_len as usize).unwrap_or_default()
    }

    /// Whether it is an element of this name.
    pub fn is(self, ns: Ns, local: &str) -> bool {
        let record = self.record();
        let is_as_long = (record.name_len - record.prefix_len) as usize == local.len();
        record.ns == ns && is_as_long && record.kind == NodeKind::Element && self.local() == local
    }

    /// What a main part with this root element is, where `expected` was expected.
    pub(crate) fn unexpected_root(self, expected: &str) -> ActualKind {
        if self.local() == expected && matches!(self.ns(), Ns::Other | Ns::None) {
            return ActualKind::OtherNamespace {
                namespace: self.declared_namespace().unwrap_or_default().into_owned(),
            };
        }
        ActualKind::MainElement { element: self.qualified().to_owned() }
    }

    /// The namespace that the element declares for its own prefix, as it is written; none if an ancestor declares it.
    pub fn declared_namespace(self) -> Option<Cow<'t, str>> {
        let declaration = match self.prefix().strip_suffix(':') {
            None => "xmlns".to_owned(),
            Some(prefix) => format!("xmlns:{prefix}"),
        };
        self.attributes().find(|attribute| attribute.name == declaration).map(|attribute| unescape(attribute.raw))
    }

    /// The element around it.
    pub fn parent(self) -> Option<Self> {
        self.record().parent.map(|id| self.tree.node(id))
    }

    /// The elements around it, the nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Its children.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let first = self.record().first.map(|id| self.tree.node(id));
        std::iter::successors(first, |node| node.next())
    }

    /// Its child elements.
    pub fn elements(self) -> impl Iterator<Item = Self> {
        self.children().filter(|node| node.is_element())
    }

    /// The node after it, on the same level.
    pub fn next(self) -> Option<Self> {
        self.record().next.map(|id| self.tree.node(id))
    }

    /// The node before it, on the same level.
    pub fn previous(self) -> Option<Self> {
        self.record().previous.map(|id| self.tree.node(id))
    }

    /// Its last child.
    pub fn last(self) -> Option<Self> {
        self.record().last.map(|id| self.tree.node(id))
    }

    /// Its first child element with this name.
    pub fn child(self, ns: Ns, local: &str) -> Option<Self> {
        self.children().find(|node| node.is(ns, local))
    }

    /// Its child elements with this name.
    pub fn children_named(self, ns: Ns, local: &'static str) -> impl Iterator<Item = Self> {
        self.children().filter(move |node| node.is(ns, local))
    }

    /// Follows a path of children of one namespace.
    pub fn path(self, ns: Ns, locals: &[&str]) -> Option<Self> {
        locals.iter().try_fold(self, |node, local| node.child(ns, local))
    }

    /// All nodes in it, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        // Records are stored in document order, so a subtree is one run of them.
        let end = self.record().span.end;
        let from = self.id.at() + 1;
        let nodes = self.tree.index.nodes.get(from..).unwrap_or_default();
        let count = nodes.partition_point(|record| record.span.start < end);
        (from..from + count).map(|at| self.tree.node(NodeId::of(at)))
    }

    /// The value of an attribute without a namespace, or of the element's own namespace if the format qualifies its
    /// attributes, as Word does.
    pub fn attr(self, local: &str) -> Option<Cow<'t, str>> {
        self.attributes().find(|attribute| self.has_name(attribute, local)).map(|attribute| unescape(attribute.raw))
    }

    /// An attribute of a given namespace.
    pub fn attr_ns(self, ns: Ns, local: &str) -> Option<Cow<'t, str>> {
        self.find_ns(ns, local).map(|attribute| unescape(attribute.raw))
    }

    /// The range of an attribute's value, without its quotes.
    pub fn attr_value_range(self, local: &str) -> Option<Range<usize>> {
        let attribute = self.attributes().find(|attribute| self.has_name(attribute, local))?;
        let start = self.range().start + attribute.value_start;
        Some(start..start + attribute.raw.len())
    }

    /// The range of a value of an attribute of a given namespace.
    pub fn attr_ns_value_range(self, ns: Ns, local: &str) -> Option<Range<usize>> {
        let attribute = self.find_ns(ns, local)?;
        let start = self.range().start + attribute.value_start;
        Some(start..start + attribute.raw.len())
    }

    /// The range of an attribute with the space before it, for deleting it.
    pub fn attr_range(self, local: &str) -> Option<Range<usize>> {
        let attribute = self.attributes().find(|attribute| self.has_name(attribute, local))?;
        let start = self.range().start;
        let tag = self.tree.source.get(start..start + attribute.start).unwrap_or_default();
        Some(start + tag.trim_end().len()..start + attribute.end)
    }

    /// Where a new attribute can be inserted, with a space before it: after the name.
    pub fn attr_insert_at(self) -> usize {
        let record = self.record();
        record.span.start as usize + 1 + record.name_len as usize
    }

    /// Its attributes, as they are written.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        let tag = if self.is_element() { self.tree.source.get(self.open_range()) } else { None };
        attributes(tag.unwrap_or_default())
    }

    fn has_name(self, attribute: &Attribute<'_>, local: &str) -> bool {
        match attribute.name.split_once(':') {
            None => attribute.name == local,
            // The element's own prefix, as it nearly always is, spares the search for its declaration.
            Some((prefix, name)) => {
                let own = || self.prefix().strip_suffix(':') == Some(prefix);
                name == local && self.ns() == Ns::W && (own() || self.namespace_of(prefix) == Some(Ns::W))
            }
        }
    }

    fn find_ns(self, ns: Ns, local: &str) -> Option<Attribute<'t>> {
        self.attributes().find(|attribute| match attribute.name.split_once(':') {
            Some((prefix, name)) => name == local && self.namespace_of(prefix) == Some(ns),
            None => false,
        })
    }

    /// The namespace of a prefix at this element.
    pub fn namespace_of(self, prefix: &str) -> Option<Ns> {
        if prefix == "xml" {
            return Some(Ns::Xml);
        }
        self.declarations().find(|(known, _)| *known == prefix).map(|(_, ns)| ns)
    }

    /// The prefix (with its colon, or nothing) under which an element of a namespace can be written
    /// inside this one. None when the namespace is not declared here: declare it on the new element.
    pub fn prefix_for(self, ns: Ns) -> Option<String> {
        let mut seen: Vec<&str> = Vec::new();
        for (prefix, found) in self.declarations() {
            if seen.contains(&prefix) {
                continue;
            }
            if found == ns {
                return Some(if prefix.is_empty() { String::new() } else { format!("{prefix}:") });
            }
            seen.push(prefix);
        }
        None
    }

    /// The prefix (with its colon) under which an *attribute* of a namespace can be written here.
    pub fn attr_prefix_for(self, ns: Ns) -> Option<String> {
        let mut seen: Vec<&str> = Vec::new();
        for (prefix, found) in self.declarations() {
            if !prefix.is_empty() && !seen.contains(&prefix) && found == ns {
                return Some(format!("{prefix}:"));
            }
            seen.push(prefix);
        }
        None
    }

    /// Namespace declarations in scope, the nearest first.
    fn declarations(self) -> impl Iterator<Item = (&'t str, Ns)> {
        // A node that is not an element has those of the one around it.
        let element = if self.is_element() { Some(self) } else { self.parent() };
        let scope = element.map_or(0, |node| node.record().scope);
        let tree = self.tree;
        let prefix = |declared: &Declaration| tree.source.get(declared.prefix.range()).unwrap_or_default();
        in_scope(&tree.index.declarations, scope).map(move |declared| (prefix(declared), declared.ns))
    }

    /// The range of the node.
    pub fn range(self) -> Range<usize> {
        self.record().span.range()
    }

    /// The start tag of an element.
    pub fn open_range(self) -> Range<usize> {
        let record = self.record();
        record.span.start as usize..record.open_end as usize
    }

    /// The range between start and end tag; empty after the tag of an element that is written as one.
    pub fn inner_range(self) -> Range<usize> {
        let record = self.record();
        record.open_end as usize..record.close_start.max(record.open_end) as usize
    }

    /// Whether the element is written as a single tag, `<a/>`.
    pub fn is_single_tag(self) -> bool {
        let record = self.record();
        self.is_element() && record.open_end == record.span.end
    }

    /// The markup of the node as it is written.
    pub fn source(self) -> &'t str {
        self.tree.source.get(self.range()).unwrap_or_default()
    }

    /// The markup inside the element as it is written.
    pub fn inner(self) -> &'t str {
        self.tree.source.get(self.inner_range()).unwrap_or_default()
    }

    /// The characters of a text node, or of all text directly in an element.
    pub fn text(self) -> Cow<'t, str> {
        match self.kind() {
            NodeKind::Text => unescape(self.source()),
            NodeKind::Cdata => {
                let source = self.source();
                source.strip_prefix("<![CDATA[").and_then(|s| s.strip_suffix("]]>")).unwrap_or(source).into()
            }
            NodeKind::Aside => "".into(),
            NodeKind::Element => {
                let mut texts = self.children().filter(|node| matches!(node.kind(), NodeKind::Text | NodeKind::Cdata));
                match (texts.next(), texts.next()) {
                    (None, _) => "".into(),
                    (Some(only), None) => only.text(),
                    (Some(first), Some(second)) => {
                        let mut all = first.text().into_owned();
                        all.push_str(&second.text());
                        texts.for_each(|node| all.push_str(&node.text()));
                        all.into()
                    }
                }
            }
        }
    }
}

/// The attributes of a start tag.
pub(super) fn attributes(tag: &str) -> impl Iterator<Item = Attribute<'_>> {
    let name_end = tag.bytes().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    let found = Attributes::new(tag.as_bytes(), name_end.unwrap_or(tag.len()));
    found.map_while(|found| {
        let name = tag.get(found.start..found.start + found.name.len())?;
        let raw = tag.get(found.value_range.clone())?;
        let (value_start, end) = (found.value_range.start, found.whole.end);
        Some(Attribute { name, raw, start: found.start, value_start, end })
    })
}
