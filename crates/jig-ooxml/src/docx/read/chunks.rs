//! The text of a range of blocks, and its division into chunks.

use std::ops::Range;

use crate::docx::render::{BlockKind, Rendered, RenderedBlock};

/// A chunk has at most so many characters.
pub(in crate::docx) const CHUNK_CHARS: usize = 4_000;

/// How much of each chunk is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::docx) enum ChunkContent {
    /// Its text and counts.
    Text,
    /// Its counts; the text stays empty.
    Counts,
}

/// A part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::docx) struct Chunk {
    pub(in crate::docx) text: String,
    pub(in crate::docx) chars: usize,
    /// The indexes of the first and last paragraph in it.
    pub(in crate::docx) paragraphs: Option<(usize, usize)>,
    /// The indexes of the first and last table in it.
    pub(in crate::docx) tables: Option<(usize, usize)>,
}

impl Chunk {
    /// `4-9` for paragraphs 4 to 9, or `table 1` if it has only tables.
    pub(super) fn range(&self) -> String {
        match (self.paragraphs, self.tables) {
            (Some(paragraphs), _) => range_text(paragraphs),
            (None, Some(tables)) => format!("table {}", range_text(tables)),
            (None, None) => String::new(),
        }
    }
}

/// `4-9`, or `4` alone.
pub(in crate::docx) fn range_text((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// The text of blocks: one line each, with an empty line around tables and headings.
pub(in crate::docx) fn text(rendered: &Rendered, blocks: Range<usize>) -> String {
    let bytes = visible_blocks(rendered, blocks.clone()).map(|block| block.text.len() + 2).sum();
    let mut out = String::with_capacity(bytes);
    let mut before = None;
    for block in visible_blocks(rendered, blocks) {
        out.push_str(between(before, block));
        out.push_str(&block.text);
        before = Some(block);
    }
    out
}

/// How many characters the text of blocks has.
pub(in crate::docx) fn count(rendered: &Rendered, blocks: Range<usize>) -> usize {
    let mut before = None;
    let mut chars = 0;
    for block in visible_blocks(rendered, blocks) {
        chars += between(before, block).len() + block.text.chars().count();
        before = Some(block);
    }
    chars
}

/// The text of blocks in chunks. A block that fits into a chunk is not divided; a longer one is divided between lines, and
/// only a line that is too long itself is cut.
pub(in crate::docx) fn chunks(rendered: &Rendered, blocks: Range<usize>, content: ChunkContent) -> Vec<Chunk> {
    let mut builder = ChunkBuilder { done: Vec::new(), open: None, last: None, content };
    for block in visible_blocks(rendered, blocks) {
        let chars = block.text.chars().count();
        if chars <= CHUNK_CHARS {
            builder.add(block, &block.text, chars);
            continue;
        }
        for line in block.text.split('\n') {
            for (piece, chars) in cut(line) {
                builder.add(block, piece, chars);
            }
        }
    }
    builder.close();
    builder.done
}

fn visible_blocks(rendered: &Rendered, blocks: Range<usize>) -> impl Iterator<Item = &RenderedBlock> {
    rendered.blocks.get(blocks).unwrap_or_default().iter().filter(|block| !block.text.is_empty())
}

/// The separator between a block and the one before it.
fn between(before: Option<&RenderedBlock>, block: &RenderedBlock) -> &'static str {
    let apart = |block: &RenderedBlock| {
        matches!(block.kind, BlockKind::Table { .. } | BlockKind::Paragraph { heading: true, .. })
    };
    match before {
        None => "",
        Some(before) if before.runs_on && matches!(block.kind, BlockKind::Paragraph { heading: false, .. }) => "",
        Some(before) if apart(block) || matches!(before.kind, BlockKind::Table { .. }) => "\n\n",
        Some(_) => "\n",
    }
}

/// A line in pieces that fit.
fn cut(line: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(CHUNK_CHARS).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((piece, piece.chars().count()))
    })
}

struct ChunkBuilder<'r> {
    done: Vec<Chunk>,
    open: Option<Chunk>,
    last: Option<&'r RenderedBlock>,
    content: ChunkContent,
}

impl<'r> ChunkBuilder<'r> {
    fn add(&mut self, block: &'r RenderedBlock, text: &str, chars: usize) {
        let same = self.last.is_some_and(|last| std::ptr::eq(last, block));
        let gap = if same { "\n" } else { between(self.last, block) };
        if self.open.as_ref().is_some_and(|open| open.chars + gap.len() + chars > CHUNK_CHARS) {
            self.close();
        }
        let gap = if self.open.is_some() { gap } else { "" };
        let open = self.open.get_or_insert_default();
        if self.content == ChunkContent::Text {
            open.text.push_str(gap);
            open.text.push_str(text);
        }
        open.chars += gap.len() + chars;
        open.extend_to(block.kind);
        self.last = Some(block);
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }
}

impl Chunk {
    /// Extends the range of its paragraphs or tables to a block.
    fn extend_to(&mut self, block: BlockKind) {
        let (range, index) = match block {
            BlockKind::Paragraph { index, .. } => (&mut self.paragraphs, index),
            BlockKind::Table { index, .. } => (&mut self.tables, index),
            BlockKind::Empty => return,
        };
        *range = Some((range.map_or(index, |(first, _)| first), index));
    }
}
