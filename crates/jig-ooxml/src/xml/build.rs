//! From text to tree, in one pass without recursion.

use std::sync::Arc;

use super::names::Ns;
use super::token::{Token, Tokens};
use super::tree::{Declaration, NodeId, NodeKind, Record, Span, Tree, TreeIndex, in_force};
use crate::error::PackageError;
use crate::limits::Limits;

/// Namespaces in force at one element. Real parts have fewer than a hundred; every prefix is looked up in them.
const MOST_DECLARED: u32 = 1_000;

pub(super) fn build<'a>(part: &str, source: &'a str, limits: &Limits) -> Result<Tree<'a>, PackageError> {
    if source.len() as u64 > limits.tree_bytes.min(u64::from(u32::MAX)) {
        return Err(PackageError::TooLarge { what: format!("the bytes of the part {part}"), limit: limits.tree_bytes });
    }
    let mut builder = Builder {
        part,
        source,
        limits,
        nodes: Vec::with_capacity(source.len() / 48),
        open: Vec::new(),
        declarations: Vec::new(),
        xmlns: memchr::memmem::Finder::new("xmlns"),
        resolved: None,
        root: None,
    };
    builder.run()?;
    let root = builder.root.ok_or_else(|| PackageError::part(part, source.len(), "it has no element"))?;
    let index = TreeIndex { nodes: builder.nodes, declarations: builder.declarations, root };
    Ok(Tree { source, index: Arc::new(index) })
}

struct Builder<'a, 'b> {
    part: &'b str,
    source: &'a str,
    limits: &'b Limits,
    nodes: Vec<Record>,
    /// Elements that are not closed yet.
    open: Vec<NodeId>,
    declarations: Vec<Declaration>,
    xmlns: memchr::memmem::Finder<'static>,
    /// The prefix that was looked up last, with the scope and what was found: most tags of a part have the same.
    resolved: Option<(&'a str, u32, Ns)>,
    root: Option<NodeId>,
}

impl<'a> Builder<'a, '_> {
    fn run(&mut self) -> Result<(), PackageError> {
        // A byte order mark is not markup.
        let skipped = self.source.len() - self.source.trim_start_matches('\u{FEFF}').len();
        let mut tokens = Tokens::new(self.source, skipped);
        loop {
            let start = tokens.at;
            let Some(token) = tokens.next().map_err(|fault| self.wrong(fault.at, fault.why))? else { break };
            let end = tokens.at;
            if self.nodes.len() >= self.limits.nodes {
                let what = format!("the nodes of the part {}", self.part);
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
                Token::Text => self.text(NodeKind::Text, start, end)?,
                Token::Cdata => self.text(NodeKind::Cdata, start, end)?,
                // The XML declaration is not a node.
                Token::Aside if self.is_declaration(start) => {}
                Token::Aside => self.text(NodeKind::Aside, start, end)?,
                Token::DocType => return Err(self.wrong(start, "it has a document type, which is not allowed")),
            }
        }
        match self.open.last() {
            None => Ok(()),
            Some(_) => Err(self.wrong(self.source.len(), "it ends inside an element")),
        }
    }

    fn is_declaration(&self, start: usize) -> bool {
        let name = self.source.get(start..).and_then(|rest| rest.strip_prefix("<?xml"));
        name.is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_whitespace() || next == '?'))
    }

    /// Whether an end tag closes the element that is open.
    fn check_name(&self, name_len: usize, start: usize) -> Result<(), PackageError> {
        let name = self.source.get(start + 2..start + 2 + name_len).unwrap_or_default();
        let open = self.open.last().and_then(|open| self.nodes.get(open.at())).map(|open| {
            let from = open.span.start as usize + 1;
            self.source.get(from..from + open.name_len as usize).unwrap_or_default()
        });
        match open {
            Some(open) if open == name => Ok(()),
            Some(open) => Err(self.wrong(start, format!("</{name}> stands where </{open}> is due"))),
            None => Err(self.wrong(start, format!("</{name}> closes nothing"))),
        }
    }

    fn start(&mut self, name_len: usize, start: usize, end: usize) -> Result<(), PackageError> {
        if self.open.len() >= self.limits.depth {
            let what = format!("elements inside each other in the part {}", self.part);
            return Err(PackageError::TooLarge { what, limit: self.limits.depth as u64 });
        }
        if end - start > self.limits.tag_bytes {
            let what = format!("a tag in the part {}", self.part);
            return Err(PackageError::TooLarge { what, limit: self.limits.tag_bytes as u64 });
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.wrong(start, "it has more than one outermost element"));
        }
        let outer = self.open.last().map_or(0, |parent| self.nodes.get(parent.at()).map_or(0, |node| node.scope));
        // Most tags have no attributes at all.
        let has_attributes = end - start > name_len + "</>".len();
        let scope = if has_attributes { self.declare(start, end, outer)? } else { outer };
        let name = self.source.get(start + 1..start + 1 + name_len).unwrap_or_default();
        let prefix_len = name.bytes().position(|byte| byte == b':').map_or(0, |at| at + 1);
        let prefix = name.get(..prefix_len.saturating_sub(1)).unwrap_or_default();
        let Some(ns) = self.resolve(prefix, scope) else {
            return Err(self.wrong(start, format!("the prefix {prefix} is not declared")));
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

    /// Notes the namespaces that a start tag declares, and gives what is in force from there on.
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
        // The last first, so that the chain has them in the order they are written.
        for (prefix, raw) in declared.into_iter().rev() {
            let ns = Ns::of(&super::escape::unescape(raw));
            let count = 1 + in_force(&self.declarations, scope).next().map_or(0, |next| next.count);
            if count > MOST_DECLARED {
                let what = format!("the namespaces in the part {}", self.part);
                return Err(PackageError::TooLarge { what, limit: MOST_DECLARED.into() });
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
        match in_force(&self.declarations, scope)
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

    fn text(&mut self, kind: NodeKind, start: usize, end: usize) -> Result<(), PackageError> {
        if self.open.is_empty() {
            let blank = self.source.get(start..end).unwrap_or_default().trim().is_empty();
            let fine = blank || kind == NodeKind::Aside;
            return if fine { Ok(()) } else { Err(self.wrong(start, "there is text outside the outermost element")) };
        }
        // A reference splits a text into several events; one node is enough.
        let last = self.open.last().and_then(|parent| self.nodes.get(parent.at())?.last);
        if let Some(record) = last.and_then(|last| self.nodes.get_mut(last.at()))
            && kind == NodeKind::Text
            && record.kind == NodeKind::Text
        {
            record.span.end = end as u32;
            record.open_end = end as u32;
            record.close_start = end as u32;
            return Ok(());
        }
        if end > start {
            self.push(kind, Ns::None, start, end, 0, 0);
        }
        Ok(())
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

    fn wrong(&self, at: usize, why: impl Into<String>) -> PackageError {
        PackageError::part(self.part, at, why)
    }
}
