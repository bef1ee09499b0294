//! Reading a text in pieces: the map that tells which lines there are, and line ranges.

use std::fmt;

use super::Text;

/// Lines in one chunk of the map.
pub const CHUNK_LINES: usize = 200;

/// The map of a text: its size and the chunks to read it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMap {
    /// Lines in the file.
    pub line_count: usize,
    /// Characters in the file, line endings included.
    pub char_count: usize,
    /// Ranges of [`CHUNK_LINES`] lines that cover the file.
    pub chunks: Vec<ChunkLines>,
}

/// One chunk of a [`TextMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLines {
    /// Counted from zero.
    pub index: usize,
    /// The lines it covers.
    pub lines: LineSpan,
}

/// A request for lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line, counted from 1; 0 means the same as 1.
    pub start: usize,
    /// How many lines at most.
    pub count: usize,
}

/// Lines that exist, both ends included and counted from 1; `0-0` is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSpan {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

/// The answer to a [`LineRange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextChunk<'a> {
    /// The lines with their endings, as they are in the file.
    pub text: &'a str,
    /// Where the lines are in the file.
    pub chunk_info: ChunkInfo,
}

/// Where a piece of a text is in the whole, so that a reader knows what it has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkInfo {
    /// The chunk of the map in which the piece starts, counted from zero.
    pub chunk_index: usize,
    /// Chunks in the map.
    pub total_chunks: usize,
    /// Whether lines follow after this piece.
    pub has_more: bool,
    /// The lines in this piece.
    pub range: LineSpan,
}

/// Lines were asked for that start after the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {start} is past the end: the text has {line_count} lines")]
pub struct PastEnd {
    /// The first line asked for.
    pub start: usize,
    /// Lines in the text.
    pub line_count: usize,
}

impl LineRange {
    /// The lines of a chunk of the map.
    #[must_use]
    pub const fn chunk(index: usize) -> Self {
        Self { start: index.saturating_mul(CHUNK_LINES).saturating_add(1), count: CHUNK_LINES }
    }
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl Text {
    /// The map of the text.
    #[must_use]
    pub fn map(&self) -> TextMap {
        let line_count = self.line_count();
        let chunk = |index| ChunkLines {
            index,
            lines: LineSpan { first: index * CHUNK_LINES + 1, last: line_count.min((index + 1) * CHUNK_LINES) },
        };
        TextMap {
            line_count,
            char_count: self.content().chars().count(),
            chunks: (0..line_count.div_ceil(CHUNK_LINES)).map(chunk).collect(),
        }
    }

    /// The lines of a range, as many as there are. An empty text has one empty chunk.
    ///
    /// # Errors
    /// [`PastEnd`] when not even the first line exists.
    pub fn lines(&self, range: LineRange) -> Result<TextChunk<'_>, PastEnd> {
        let line_count = self.line_count();
        let first = range.start.saturating_sub(1);
        if first > 0 && first >= line_count {
            return Err(PastEnd { start: range.start, line_count });
        }
        let end = first.saturating_add(range.count).min(line_count);
        let span = |first, last| LineSpan { first, last };
        let chunk_info = ChunkInfo {
            chunk_index: first / CHUNK_LINES,
            total_chunks: line_count.div_ceil(CHUNK_LINES).max(1),
            has_more: end < line_count,
            range: if first < end { span(first + 1, end) } else { span(0, 0) },
        };
        Ok(TextChunk { text: self.raw_lines(first, end), chunk_info })
    }
}
