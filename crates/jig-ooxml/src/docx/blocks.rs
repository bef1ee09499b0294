//! The blocks of a text in order: paragraphs and tables, whatever wraps them.
//!
//! Indexes are those of results and ops: the index of a paragraph counts all paragraphs of
//! the body that are in no table, and the index of a table all tables that are in no other table. Both count
//! from 0 and include what a tracked change deleted, so that they are the same in every view.

use super::inline::Mark;
use super::word;
use crate::error::{OfficeKind, PackageError, PartFault};
use crate::xml::{Node, Ns, Tree};

/// A paragraph or a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Block<'t> {
    /// `w:p`.
    Paragraph(Paragraph<'t>),
    /// `w:tbl`.
    Table(Table<'t>),
}

impl<'t> Block<'t> {
    /// Its element.
    pub fn node(self) -> Node<'t> {
        match self {
            Self::Paragraph(paragraph) => paragraph.node,
            Self::Table(table) => table.node,
        }
    }

    /// The paragraph, if it is one.
    pub fn paragraph(self) -> Option<Paragraph<'t>> {
        match self {
            Self::Paragraph(paragraph) => Some(paragraph),
            Self::Table(_) => None,
        }
    }

    /// The table, if it is one.
    pub fn table(self) -> Option<Table<'t>> {
        match self {
            Self::Paragraph(_) => None,
            Self::Table(table) => Some(table),
        }
    }
}

/// A paragraph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paragraph<'t> {
    /// `w:p`.
    pub node: Node<'t>,
    /// Its index.
    pub index: usize,
    /// Tracked changes around the whole paragraph.
    pub mark: Mark<'t>,
}

impl<'t> Paragraph<'t> {
    /// `w:pPr`. It can only be the first element, so paragraphs without one are not searched.
    pub fn properties(self) -> Option<Node<'t>> {
        self.node.elements().next().filter(|node| node.is(Ns::W, "pPr"))
    }

    /// The id of its style.
    pub fn style_id(self) -> Option<String> {
        word::child_val(self.properties()?, "pStyle").map(std::borrow::Cow::into_owned)
    }

    /// Tracked changes of the paragraph's end: an inserted or deleted line break.
    pub fn end_mark(self) -> Mark<'t> {
        let run = self.properties().and_then(|properties| properties.child(Ns::W, "rPr"));
        let find = |names: [&str; 2]| names.iter().find_map(|name| run?.child(Ns::W, name));
        Mark {
            inserted: self.mark.inserted.or_else(|| find(["ins", "moveTo"])),
            deleted: self.mark.deleted.or_else(|| find(["del", "moveFrom"])),
        }
    }
}

/// A table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table<'t> {
    /// `w:tbl`.
    pub node: Node<'t>,
    /// Its index.
    pub index: usize,
    /// Tracked changes around the whole table.
    pub mark: Mark<'t>,
}

/// `w:body` of the main part.
pub fn body<'t>(tree: &'t Tree<'t>, part: &str) -> Result<Node<'t>, PackageError> {
    let root = tree.root();
    if !root.is(Ns::W, "document") {
        let found = root.unexpected_root("document");
        return Err(PackageError::WrongKind { expected: OfficeKind::Document, found });
    }
    let missing = || PackageError::part(part, root.range().start, PartFault::MissingElement { element: "body" });
    root.child(Ns::W, "body").ok_or_else(missing)
}

/// The blocks in a body, cell, header, footnote, text box or content control.
/// Content controls, custom XML, tracked changes and alternatives around blocks are entered.
pub fn blocks(container: Node<'_>) -> Vec<Block<'_>> {
    let mut found = BlockWalk::default();
    found.walk(container, Mark::default());
    found.blocks
}

#[derive(Default)]
struct BlockWalk<'t> {
    blocks: Vec<Block<'t>>,
    paragraphs: usize,
    tables: usize,
}

impl<'t> BlockWalk<'t> {
    fn walk(&mut self, container: Node<'t>, mark: Mark<'t>) {
        for node in container.elements() {
            match (node.ns(), node.local()) {
                (Ns::W, "p") => {
                    self.blocks.push(Block::Paragraph(Paragraph { node, index: self.paragraphs, mark }));
                    self.paragraphs += 1;
                }
                (Ns::W, "tbl") => {
                    self.blocks.push(Block::Table(Table { node, index: self.tables, mark }));
                    self.tables += 1;
                }
                (Ns::W, "sdt" | "sdtContent" | "customXml" | "smartTag") => self.walk(node, mark),
                (Ns::W, "ins" | "moveTo") => self.walk(node, mark.inserted_by(node)),
                (Ns::W, "del" | "moveFrom") => self.walk(node, mark.deleted_by(node)),
                (Ns::Mc, "AlternateContent") => {
                    if let Some(branch) = word::branch(node) {
                        self.walk(branch, mark);
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
