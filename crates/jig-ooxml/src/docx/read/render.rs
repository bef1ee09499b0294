//! The whole document as text, block by block. Every read but that of runs is made from this.

mod paragraph;
mod table;

use std::collections::HashMap;

use super::notes::{self, Comments, Notes};
use super::outside::{self, Related};
use super::source::Source;
use crate::docx::blocks::{self, Block};
use crate::docx::inline::{Mark, View};
use crate::docx::numbering::Counters;
use crate::docx::sections::{self, Section};
use crate::error::Error;
use crate::xml::{Node, XmlPart};

/// How tracked changes are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) view: View,
    /// Whether deleted text is shown, with its marks, in the final view too.
    pub(super) deleted: bool,
}

impl Options {
    /// Whether something with these tracked changes is shown.
    pub(super) fn shows(self, mark: Mark<'_>) -> bool {
        mark.is_in(self.view) || (self.deleted && self.view == View::Final)
    }
}

/// A document's text.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) blocks: Vec<RenderedBlock>,
    pub(super) sections: Vec<Section>,
    /// Footnotes and endnotes in the order of their references: label and text.
    pub(super) notes: Vec<(String, String)>,
    /// Headers and footers that pages show: a name such as `Header (first page)`, and the text.
    pub(super) margins: Vec<Margin>,
    pub(super) warnings: Vec<String>,
}

/// A header or footer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Margin {
    pub(super) kind: &'static str,
    /// Which pages show it: `default`, `first` or `even`.
    pub(super) pages: String,
    pub(super) part: String,
    pub(super) text: String,
}

/// A block's text with what it holds.
#[derive(Debug, Default)]
pub(super) struct RenderedBlock {
    pub(super) text: String,
    pub(super) what: BlockKind,
    pub(super) pictures: Vec<PictureRef>,
    /// Positions in the list of notes, as often as they are referred to.
    pub(super) notes: Vec<usize>,
    /// Whether a tracked change takes its end away in this view: the next paragraph goes on in its line.
    pub(super) runs_on: bool,
}

/// What a block is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum BlockKind {
    #[default]
    Empty,
    Paragraph {
        index: usize,
        heading: bool,
    },
    Table {
        index: usize,
        rows: usize,
        columns: usize,
    },
}

/// What may stand before the text of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// The signs of a heading of this level, 0 for none, and the label of a list.
    Heading(u8),
    /// Nothing: the paragraph goes on in the line of the one before.
    None,
}

/// A picture as results tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureRef {
    pub(super) rel_id: String,
    pub(super) alt_text: Option<String>,
}

/// Puts the text of a document together.
pub(super) fn render(source: &Source, options: Options) -> Result<Rendered, Error> {
    let tree = source.document.tree(&source.limits)?;
    let body = blocks::body(&tree, &source.document.name)?;
    let found = blocks::blocks(body);
    let sections = sections::sections_in(&found, &source.beside().styles, options.view);
    let headings: HashMap<usize, u8> =
        sections.iter().filter(|section| section.level > 0).map(|s| (s.blocks.start, s.level)).collect();
    let comments = Comments::read(source)?;
    let mut renderer = Renderer::new(source, options, &comments);
    let mut rendered = Vec::with_capacity(found.len());
    for (at, block) in found.iter().enumerate() {
        let heading = headings.get(&at).copied().unwrap_or(0);
        let block = renderer.block(*block, heading, rendered.last());
        rendered.push(block);
    }
    let notes = renderer.finish_notes()?;
    let margins = outside::margins(source, &found, body, options, &comments)?;
    let warnings = outside::embedded(body, &source.names.relationships);
    Ok(Rendered { blocks: rendered, sections, notes, margins, warnings })
}

/// What rendering carries along from block to block.
pub(super) struct Renderer<'s> {
    source: &'s Source,
    options: Options,
    counters: Counters<'s>,
    notes: Notes,
    comments: &'s Comments,
    related: Related,
    /// What the block in hand holds.
    current: RenderedBlock,
}

impl<'s> Renderer<'s> {
    pub(super) fn new(source: &'s Source, options: Options, comments: &'s Comments) -> Self {
        Self {
            source,
            options,
            counters: Counters::new(&source.beside().numbering),
            notes: Notes::default(),
            comments,
            related: Related::default(),
            current: RenderedBlock::default(),
        }
    }

    /// A block of the body, after the one before it.
    fn block(&mut self, block: Block<'_>, heading: u8, before: Option<&RenderedBlock>) -> RenderedBlock {
        self.current = RenderedBlock::default();
        let (text, what, runs_on) = match block {
            Block::Paragraph(paragraph) => {
                let what = BlockKind::Paragraph { index: paragraph.index, heading: heading > 0 };
                let follows = heading == 0 && before.is_some_and(|before| before.runs_on);
                let text = self.paragraph(paragraph, if follows { Lead::None } else { Lead::Heading(heading) });
                let runs_on = !text.is_empty() && !paragraph.end_mark().is_in(self.options.view);
                (text, what, runs_on)
            }
            Block::Table(table) => {
                let (text, what) = self.table(table);
                (text, what, false)
            }
        };
        RenderedBlock { text, what, runs_on, ..std::mem::take(&mut self.current) }
    }

    /// Blocks that stand somewhere else than in the body, one on each line; empty ones are left out.
    pub(super) fn inner_blocks(&mut self, container: Node<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for block in blocks::blocks(container) {
            let line = match block {
                Block::Paragraph(paragraph) => self.paragraph(paragraph, Lead::Heading(0)),
                Block::Table(table) if self.options.shows(table.mark) => self.flat_table(table.node),
                Block::Table(_) => continue,
            };
            if !line.trim().is_empty() {
                lines.push(line);
            }
        }
        lines
    }

    /// The texts of all notes that were referred to. Notes may refer to further ones.
    fn finish_notes(&mut self) -> Result<Vec<(String, String)>, Error> {
        let source = self.source;
        let tree = |part: &'s Option<XmlPart>| part.as_ref().map(|part| part.tree(&source.limits)).transpose();
        let (foot, end) = (tree(&source.beside().footnotes)?, tree(&source.beside().endnotes)?);
        let (foot, end) = (notes::by_id(foot.as_ref()), notes::by_id(end.as_ref()));
        let mut texts = Vec::new();
        while let Some(note) = self.notes.met(texts.len()) {
            let node = if note.end { end.get(&note.id) } else { foot.get(&note.id) };
            let text = node.map(|node| self.inner_blocks(*node).join(" ")).unwrap_or_default();
            texts.push((note.label, text.trim().to_owned()));
        }
        Ok(texts)
    }
}
