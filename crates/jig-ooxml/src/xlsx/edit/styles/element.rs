//! A small element taken out of the styles part, so that a changed copy of it can be appended.

use std::fmt::Write;

use crate::xml::{Node, NodeKind, escape_attribute, escape_text};

/// An element with everything in it. Names keep their prefixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    name: String,
    attrs: Vec<(String, String)>,
    children: Vec<Child>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Child {
    Element(Element),
    Text(String),
}

impl Element {
    /// An empty element; the name comes with its prefix.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), attrs: Vec::new(), children: Vec::new() }
    }

    /// A copy of a node. White space between elements and comments are left out.
    pub(crate) fn of(node: Node<'_>) -> Self {
        let attrs = node.attributes().map(|a| (a.name.to_owned(), crate::xml::unescape(a.raw).into_owned()));
        let mut element = Self { name: node.qualified().to_owned(), attrs: attrs.collect(), children: Vec::new() };
        for child in node.children() {
            match child.kind() {
                NodeKind::Element => element.children.push(Child::Element(Self::of(child))),
                NodeKind::Text | NodeKind::Cdata if !child.text().trim().is_empty() => {
                    element.children.push(Child::Text(child.text().into_owned()));
                }
                _ => {}
            }
        }
        element
    }

    fn local(&self) -> &str {
        self.name.rsplit(':').next().unwrap_or_default()
    }

    /// An attribute's value.
    pub(crate) fn attr(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A number in an attribute.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.attr(name)?.trim().parse().ok()
    }

    /// Sets an attribute.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.attrs.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.attrs.push((name.to_owned(), value)),
        }
    }

    /// With an attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set(name, value);
        self
    }

    /// Takes an attribute out.
    pub(crate) fn unset(&mut self, name: &str) {
        self.attrs.retain(|(known, _)| known != name);
    }

    /// A child by its name without prefix.
    pub(crate) fn child(&self, local: &str) -> Option<&Self> {
        self.elements().find(|child| child.local() == local)
    }

    /// The child elements.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// Takes all children of a name out.
    pub(crate) fn remove(&mut self, local: &str) {
        self.children.retain(|child| !matches!(child, Child::Element(element) if element.local() == local));
    }

    /// Puts a child in the place of one of the same name, or where the order of names wants it.
    pub(crate) fn put(&mut self, child: Self, order: &[&str]) {
        let place = |local: &str| order.iter().position(|name| *name == local).unwrap_or(order.len());
        let same = |known: &Child| matches!(known, Child::Element(element) if element.local() == child.local());
        if let Some(old) = self.children.iter_mut().find(|known| same(known)) {
            *old = Child::Element(child);
            return;
        }
        let rank = place(child.local());
        let behind = |known: &Child| matches!(known, Child::Element(element) if place(element.local()) > rank);
        let at = self.children.iter().position(behind).unwrap_or(self.children.len());
        self.children.insert(at, Child::Element(child));
    }

    /// Puts the children into the order of the schema, which some writers do not keep.
    pub(crate) fn sort(&mut self, order: &[&str]) {
        self.children.sort_by_key(|child| match child {
            Child::Element(element) => order.iter().position(|name| *name == element.local()).unwrap_or(order.len()),
            Child::Text(_) => order.len(),
        });
    }

    /// A copy for another part: its own elements under that part's prefix, without attributes and
    /// extensions of namespaces that may not be declared there.
    pub(crate) fn reprefixed(&self, prefix: &str) -> Self {
        let children = self.children.iter().filter_map(|child| match child {
            Child::Element(element) if element.local() == "extLst" => None,
            Child::Element(element) => Some(Child::Element(element.reprefixed(prefix))),
            Child::Text(text) => Some(Child::Text(text.clone())),
        });
        Self {
            name: format!("{prefix}{}", self.local()),
            attrs: self.attrs.iter().filter(|(name, _)| !name.contains(':') && name != "xmlns").cloned().collect(),
            children: children.collect(),
        }
    }

    /// The markup.
    pub(crate) fn markup(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.name);
        for (name, value) in &self.attrs {
            let _ = write!(out, " {name}=\"{}\"", escape_attribute(value));
        }
        if self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        for child in &self.children {
            match child {
                Child::Element(element) => element.write(out),
                Child::Text(text) => out.push_str(&escape_text(text)),
            }
        }
        let _ = write!(out, "</{}>", self.name);
    }

    /// A text that is the same for elements that mean the same: attributes and children sorted,
    /// prefixes of names left out.
    pub(crate) fn canonical(&self) -> String {
        let mut attrs: Vec<String> = self
            .attrs
            .iter()
            .filter(|(name, _)| !name.starts_with("xmlns"))
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        attrs.sort();
        let mut children: Vec<String> = self
            .children
            .iter()
            .map(|child| match child {
                Child::Element(element) => element.canonical(),
                Child::Text(text) => format!("{text:?}"),
            })
            .collect();
        children.sort();
        format!("{}({})[{}]", self.local(), attrs.join(","), children.join(";"))
    }
}
