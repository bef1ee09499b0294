//! The position of new blocks: from the fields of an op to a position in the markup.

use jig_file_api::ops::docx::Position;

use super::{Body, DocumentEdit};
use crate::edit::{EditError, OpInput};
use crate::error::DocumentIssue;
use crate::xml::{Node, Ns};

/// A position between blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap<'t> {
    /// The byte before which new markup is inserted.
    pub(super) at: usize,
    /// How many blocks of the body precede it.
    pub(super) position: usize,
    /// The block before it.
    pub(super) before: Option<Node<'t>>,
    /// The block after it.
    pub(super) behind: Option<Node<'t>>,
    /// The position in words, for the receipt.
    pub(super) words: &'static str,
}

impl DocumentEdit<'_> {
    /// The position that an op names; by default the end of the document. More than one is an error.
    pub(super) fn find_gap<'t>(
        &mut self,
        position: &Position,
        body: &Body<'t>,
        input: &OpInput,
    ) -> Result<Gap<'t>, EditError> {
        let given = [
            ("after_heading", position.after_heading.is_some()),
            ("after_index", position.after_index.is_some()),
            ("before_index", position.before_index.is_some()),
            ("section", position.section.is_some()),
        ];
        let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if let [first, second, ..] = given.as_slice() {
            return Err(input.error(second, DocumentIssue::TwoPositions { other: (*first).to_owned() }));
        }
        if let Some(heading) = &position.after_heading {
            let section = self.find_section(body, heading, &input.at("after_heading"))?;
            let section = body.sections().get(section).filter(|section| section.level > 0);
            let section = section.ok_or_else(|| {
                let headings = body.sections().iter().map(|s| s.heading.clone()).filter(|h| !h.is_empty()).take(5);
                input.error("after_heading", DocumentIssue::SectionWithoutHeading).suggest(headings)
            })?;
            return Ok(body.behind(section.blocks.start, "behind the heading"));
        }
        if let Some(index) = position.after_index {
            return Ok(body.behind(body.paragraph(index, input, "after_index")?, "behind the paragraph"));
        }
        if let Some(index) = position.before_index {
            return Ok(body.before(body.paragraph(index, input, "before_index")?, "before the paragraph"));
        }
        if let Some(section) = &position.section {
            let section = self.find_section(body, section, &input.at("section"))?;
            let blocks = body.sections().get(section).map(|section| section.blocks.clone()).unwrap_or_default();
            return Ok(match blocks.end.checked_sub(1).filter(|_| !blocks.is_empty()) {
                Some(last) => body.behind(last, "at the end of the section"),
                None => body.end(),
            });
        }
        Ok(body.end())
    }
}

impl<'t> Body<'t> {
    /// The position among the blocks of a paragraph with an index.
    pub(super) fn paragraph(&self, index: usize, input: &OpInput, field: &str) -> Result<usize, EditError> {
        let found = self.blocks.iter().position(|block| block.paragraph().is_some_and(|found| found.index == index));
        found.ok_or_else(|| {
            let count = self.blocks.iter().filter(|block| block.paragraph().is_some()).count();
            input.error(field, DocumentIssue::NoParagraph { index, count })
        })
    }

    fn node_at(&self, position: Option<usize>) -> Option<Node<'t>> {
        self.blocks.get(position?).map(|block| block.node())
    }

    /// After a block, and after its wrapper if it is the last block in there.
    pub(super) fn behind(&self, position: usize, words: &'static str) -> Gap<'t> {
        let at = match self.node_at(Some(position)) {
            Some(node) => self.wrapper(node, |blocks| blocks.end == position + 1).range().end,
            None => return self.end(),
        };
        Gap {
            at,
            position: position + 1,
            before: self.node_at(Some(position)),
            behind: self.node_at(Some(position + 1)),
            words,
        }
    }

    /// Before a block, and before its wrapper if it is the first block in there.
    pub(super) fn before(&self, position: usize, words: &'static str) -> Gap<'t> {
        let at = match self.node_at(Some(position)) {
            Some(node) => self.wrapper(node, |blocks| blocks.start == position).range().start,
            None => return self.end(),
        };
        Gap { at, position, before: self.node_at(position.checked_sub(1)), behind: self.node_at(Some(position)), words }
    }

    /// The end of the document, before the properties of its last section.
    pub(super) fn end(&self) -> Gap<'t> {
        let last = self.node.elements().last().filter(|last| last.is(Ns::W, "sectPr"));
        let at = last.map_or(self.node.inner_range().end, |node| node.range().start);
        let before = self.blocks.last().map(|block| block.node());
        Gap { at, position: self.blocks.len(), before, behind: None, words: "at the end" }
    }

    /// The outermost element around a block, below the body, whose blocks satisfy a condition.
    pub(super) fn wrapper(&self, node: Node<'t>, holds: impl Fn(std::ops::Range<usize>) -> bool) -> Node<'t> {
        let mut found = node;
        for around in node.ancestors().take_while(|around| *around != self.node) {
            let range = around.range();
            let start = self.blocks.partition_point(|block| block.node().range().start < range.start);
            let end = self.blocks.partition_point(|block| block.node().range().start < range.end);
            if !holds(start..end) {
                break;
            }
            found = around;
        }
        found
    }
}
