//! Reading a text in pieces: the map of its chunks, ranges of lines, and pages of at most so many tokens.

use std::fmt;
use std::ops::Range;

use super::Text;
use crate::tokens::{count_tokens, cut_by_tokens};

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

/// Lines that exist, both ends included and counted from 1; `0-0` for an empty range.
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

/// The most text of one page, whatever the budget: 64 KiB.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// A place in a text: a line from 1, a byte of it, and the line from 1 at which a reader wanted to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    /// The line.
    pub line: usize,
    /// The byte inside it.
    pub byte: usize,
    /// The first line after the requested ones; none to read to the end.
    pub end: Option<usize>,
}

/// Lines that fit a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePage<'a> {
    /// The lines with their ends, as they are; the first and the last perhaps in part.
    pub text: &'a str,
    /// How many tokens that is.
    pub tokens: usize,
    /// The first line, from 1.
    pub first: usize,
    /// How many lines something of is given.
    pub count: usize,
    /// Where the next page begins, when there is more.
    pub next: Option<LinePlace>,
}

impl LinePlace {
    /// The beginning of a range of lines. Without a number of lines, the range extends to the end.
    pub fn of(start: usize, count: Option<usize>) -> Self {
        let start = start.max(1);
        Self { line: start, byte: 0, end: count.map(|count| start.saturating_add(count)) }
    }

    /// Reads what [`text`](Self::text) wrote, if it was written for the same content.
    pub fn parse(text: &str, content: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (line, byte, end) = (number()?, number()?, number()?);
        let same = parts.next() == Some(content) && parts.next().is_none();
        (same && line > 0).then_some(Self { line, byte, end: Some(end).filter(|end| *end > 0) })
    }

    /// The place as a cursor, bound to some content.
    pub fn text(&self, content: &str) -> String {
        format!("{}.{}.{}.{content}", self.line, self.byte, self.end.unwrap_or(0))
    }
}

impl Text {
    /// A page of lines. None when the place is not in this text.
    ///
    /// # Errors
    /// [`PastEnd`] when the first line does not exist.
    pub fn page(&self, place: LinePlace, most_tokens: usize) -> Result<Option<LinePage<'_>>, PastEnd> {
        let count = place.end.map_or(CHUNK_LINES, |end| end.saturating_sub(place.line));
        let has_more = self.lines(LineRange { start: place.line, count })?.chunk_info.has_more;
        let first = place.line.saturating_sub(1);
        let range = self.start_of(first).saturating_add(place.byte)..self.start_of(first.saturating_add(count));
        if self.content.get(range.clone()).is_none() {
            return Ok(None);
        }
        let (stop, tokens) = self.fitting(first, range.clone(), most_tokens);
        let more = stop < range.end || (place.end.is_none() && has_more);
        let line = self.line_at(stop);
        let next = LinePlace { line: line + 1, byte: stop - self.start_of(line), end: place.end };
        Ok(Some(LinePage {
            text: self.content.get(range.start..stop).unwrap_or_default(),
            tokens,
            first: first + 1,
            count: if stop > range.start { self.line_at(stop - 1) + 1 - first } else { 0 },
            next: more.then_some(next),
        }))
    }

    /// Where whole lines up to the budget end; of a first line that is larger, as much as fits.
    fn fitting(&self, first: usize, range: Range<usize>, most: usize) -> (usize, usize) {
        let piece = |from: usize, to: usize| self.content.get(from..to).unwrap_or_default();
        let (mut stop, mut tokens, mut line) = (range.start, 0, first);
        while stop < range.end {
            line += 1;
            let next = self.start_of(line).min(range.end);
            // Counting tokens is expensive, so a text that is too long in any case is not counted.
            if next - range.start > MOST_BYTES {
                break;
            }
            let more = count_tokens(piece(stop, next));
            if tokens + more > most {
                break;
            }
            (stop, tokens) = (next, tokens + more);
        }
        if stop > range.start {
            return (stop, tokens);
        }
        let room = range.end.min(range.start + MOST_BYTES);
        let room = (range.start..=room).rev().find(|at| self.content.is_char_boundary(*at)).unwrap_or(range.start);
        let cut = cut_by_tokens(piece(range.start, room), most.max(1));
        (range.start + cut.len(), count_tokens(cut))
    }
}
