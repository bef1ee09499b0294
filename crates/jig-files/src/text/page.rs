//! Lines in pages of at most so many tokens, each with the place where the next begins.

use std::ops::Range;

use super::Text;
use super::read::{CHUNK_LINES, LineRange, PastEnd};
use crate::tokens::{count_tokens, cut_by_tokens};

/// The most text of one page, whatever the budget: 64 KiB.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// A place in a text: a line from 1, a byte of it, and the line from 1 at which a reader wanted to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    /// The line.
    pub line: usize,
    /// The byte inside it.
    pub byte: usize,
    /// The first line that is not wanted any more; none to go on to the end.
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
    /// The beginning of a range of lines. Without a number of lines it goes on to the end, in pages of a chunk.
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
            // Counting is dear, so what is too long in any case is not counted.
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
