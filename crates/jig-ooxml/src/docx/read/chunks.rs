//! The text of a run of blocks, and its division into chunks.

use std::ops::Range;

use super::render::{BlockKind, Rendered, RenderedBlock};

/// A chunk has at most so many characters.
pub(super) const CHUNK_CHARS: usize = 4_000;

/// What is wanted of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Their texts too.
    Text,
    /// How large they are and what they hold; their texts stay empty.
    Counts,
}

/// A part of a section's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) text: String,
    pub(super) chars: usize,
    /// The paragraphs it holds something of, by their indexes.
    pub(super) paragraphs: Option<(usize, usize)>,
    /// The tables it holds something of.
    pub(super) tables: Option<(usize, usize)>,
}

impl Chunk {
    /// `4-9` for paragraphs 4 to 9; tables alone are named as such.
    pub(super) fn range(&self) -> String {
        match (self.paragraphs, self.tables) {
            (Some(paragraphs), _) => written(paragraphs),
            (None, Some(tables)) => format!("table {}", written(tables)),
            (None, None) => String::new(),
        }
    }
}

/// `4-9`, or `4` alone.
pub(super) fn written((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// The text of blocks: one line each, tables and headings set apart by an empty line.
pub(super) fn text(rendered: &Rendered, blocks: Range<usize>) -> String {
    let bytes = shown(rendered, blocks.clone()).map(|block| block.text.len() + 2).sum();
    let mut out = String::with_capacity(bytes);
    let mut before = None;
    for block in shown(rendered, blocks) {
        out.push_str(between(before, block));
        out.push_str(&block.text);
        before = Some(block);
    }
    out
}

/// How many characters the text of blocks has.
pub(super) fn count(rendered: &Rendered, blocks: Range<usize>) -> usize {
    let mut before = None;
    let mut chars = 0;
    for block in shown(rendered, blocks) {
        chars += between(before, block).len() + block.text.chars().count();
        before = Some(block);
    }
    chars
}

/// The text of blocks in chunks: blocks stay whole where they fit into one, else they are divided
/// between lines, and only a line that is too long itself is cut.
pub(super) fn chunks(rendered: &Rendered, blocks: Range<usize>, keep: Keep) -> Vec<Chunk> {
    let mut making = Making { done: Vec::new(), open: None, last: None, keep };
    for block in shown(rendered, blocks) {
        let chars = block.text.chars().count();
        if chars <= CHUNK_CHARS {
            making.add(block, &block.text, chars);
            continue;
        }
        for line in block.text.split('\n') {
            for (piece, chars) in cut(line) {
                making.add(block, piece, chars);
            }
        }
    }
    making.close();
    making.done
}

fn shown(rendered: &Rendered, blocks: Range<usize>) -> impl Iterator<Item = &RenderedBlock> {
    rendered.blocks.get(blocks).unwrap_or_default().iter().filter(|block| !block.text.is_empty())
}

/// What stands between a block and the one before it.
fn between(before: Option<&RenderedBlock>, block: &RenderedBlock) -> &'static str {
    let apart = |block: &RenderedBlock| {
        matches!(block.what, BlockKind::Table { .. } | BlockKind::Paragraph { heading: true, .. })
    };
    match before {
        None => "",
        Some(before) if before.runs_on && matches!(block.what, BlockKind::Paragraph { heading: false, .. }) => "",
        Some(before) if apart(block) || matches!(before.what, BlockKind::Table { .. }) => "\n\n",
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

struct Making<'r> {
    done: Vec<Chunk>,
    open: Option<Chunk>,
    last: Option<&'r RenderedBlock>,
    keep: Keep,
}

impl<'r> Making<'r> {
    fn add(&mut self, block: &'r RenderedBlock, text: &str, chars: usize) {
        let same = self.last.is_some_and(|last| std::ptr::eq(last, block));
        let gap = if same { "\n" } else { between(self.last, block) };
        if self.open.as_ref().is_some_and(|open| open.chars + gap.len() + chars > CHUNK_CHARS) {
            self.close();
        }
        let new = || Chunk { text: String::new(), chars: 0, paragraphs: None, tables: None };
        let gap = if self.open.is_some() { gap } else { "" };
        let open = self.open.get_or_insert_with(new);
        if self.keep == Keep::Text {
            open.text.push_str(gap);
            open.text.push_str(text);
        }
        open.chars += gap.len() + chars;
        open.hold(block.what);
        self.last = Some(block);
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }
}

impl Chunk {
    fn hold(&mut self, what: BlockKind) {
        let (range, index) = match what {
            BlockKind::Paragraph { index, .. } => (&mut self.paragraphs, index),
            BlockKind::Table { index, .. } => (&mut self.tables, index),
            BlockKind::Empty => return,
        };
        *range = Some((range.map_or(index, |(first, _)| first), index));
    }
}
