//! Records from a stream of text, a few megabytes at a time, in any shape the text may have.

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::Marks;
use super::encoding::Text;
use super::rows::{Field, How, Record, Rows};
use crate::error::TableError;

/// How much text is taken at a time.
const RUN: usize = 4 << 20;
/// The longest quoted field. A quote that is not closed by then was no quote.
const MOST_FIELD: usize = 16 << 20;
/// The longest record.
const MOST_RECORD: usize = 64 << 20;
/// After so many quotes that are never closed, quotes mean nothing.
const MOST_OPEN: u32 = 16;

/// What was odd about the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Oddities {
    /// Quotes that are never closed, and the line of the first.
    pub(crate) open_quotes: (u64, u64),
    /// Fields that begin with a quote where quotes mean nothing, and the line of the first.
    pub(crate) plain_quotes: (u64, u64),
    /// Quotes inside a quoted field that are not doubled, and the line of the first.
    pub(crate) stray_quotes: (u64, u64),
    /// Kinds of line ends.
    pub(crate) lf: u64,
    pub(crate) crlf: u64,
    pub(crate) cr: u64,
}

/// Reads records.
pub(crate) struct Scanner<'a> {
    source: Text<'a>,
    marks: Marks,
    rest: String,
    line: u64,
    ended: bool,
    open: u32,
    pub(crate) oddities: Oddities,
}

/// What became of a field or record.
enum Step {
    /// It ends here; the next begins there.
    Done(usize),
    /// There is not enough text to tell.
    More,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(source: Text<'a>, marks: Marks) -> Self {
        let oddities = Oddities::default();
        Self { source, marks, rest: String::new(), line: 1, ended: false, open: 0, oddities }
    }

    /// The records of a text that goes on after it is cut: the one that the cut goes through is left out, unless it is
    /// the only one.
    pub(crate) fn sample(text: &str, marks: Marks, source: Text<'a>) -> (Rows, Oddities) {
        let mut scanner = Self::new(source, marks);
        let mut rows = Rows { text: text.to_owned(), marks: Some(marks), ..Rows::default() };
        scanner.split(&mut rows);
        if rows.records.is_empty() {
            scanner.ended = true;
            scanner.split(&mut rows);
        }
        (rows, scanner.oddities)
    }

    /// How many characters could not be decoded so far.
    pub(crate) fn replaced(&self) -> u64 {
        self.source.replaced
    }

    /// The next run of records; none at the end.
    pub(crate) fn next_rows(&mut self) -> Result<Option<Rows>, TableError> {
        let mut wanted = RUN;
        loop {
            while !self.ended && self.rest.len() < wanted {
                self.ended = !self.source.fill(&mut self.rest)?;
            }
            if self.rest.is_empty() {
                return Ok(None);
            }
            let mut rows = Rows { text: std::mem::take(&mut self.rest), marks: Some(self.marks), ..Rows::default() };
            let end = self.split(&mut rows);
            self.rest = rows.text.get(end..).unwrap_or_default().to_owned();
            if !rows.records.is_empty() {
                return Ok(Some(rows));
            }
            if rows.text.len() > MOST_RECORD || self.ended {
                let words = format!("line {} is longer than {} MiB", self.line, MOST_RECORD >> 20);
                return Err(TableError::TooLarge(words));
            }
            wanted = (rows.text.len() * 2).max(RUN);
        }
    }

    /// Finds the records of a text and gives where the first incomplete one begins.
    fn split(&mut self, rows: &mut Rows) -> usize {
        let text = std::mem::take(&mut rows.text);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (fields, line, oddities) = (rows.fields.len(), self.line, self.oddities.clone());
            rows.records.push(Record { first: fields as u32, line });
            match self.record(bytes, at, rows) {
                Step::Done(next) => at = next,
                Step::More => {
                    rows.fields.truncate(fields);
                    rows.records.pop();
                    (self.line, self.oddities) = (line, oddities);
                    break;
                }
            }
        }
        rows.text = text;
        at
    }

    fn record(&mut self, bytes: &[u8], start: usize, rows: &mut Rows) -> Step {
        let mut at = start;
        loop {
            let Step::Done(end) = self.field(bytes, at, rows) else { return Step::More };
            match bytes.get(end) {
                Some(byte) if *byte == self.marks.delimiter => at = end + 1,
                Some(b'\r') => {
                    if end + 1 == bytes.len() && !self.ended {
                        return Step::More;
                    }
                    self.line += 1;
                    let pair = bytes.get(end + 1) == Some(&b'\n');
                    *(if pair { &mut self.oddities.crlf } else { &mut self.oddities.cr }) += 1;
                    return Step::Done(end + 1 + usize::from(pair));
                }
                Some(_) => {
                    self.line += 1;
                    self.oddities.lf += 1;
                    return Step::Done(end + 1);
                }
                None if self.ended => return Step::Done(end),
                None => return Step::More,
            }
        }
    }

    /// Adds the field that begins here and gives where it ends: at a delimiter, a line end or the end of all.
    fn field(&mut self, bytes: &[u8], start: usize, rows: &mut Rows) -> Step {
        if let Some(quote) = self.marks.quote {
            let mut at = start;
            while self.marks.spaced && bytes.get(at) == Some(&b' ') {
                at += 1;
            }
            if bytes.get(at) == Some(&quote) && self.open < MOST_OPEN {
                match self.quoted(bytes, at, quote, rows) {
                    Some(step) => return step,
                    None => self.note_open(),
                }
            }
        } else if bytes.get(start) == Some(&b'"') {
            let (count, first) = self.oddities.plain_quotes;
            self.oddities.plain_quotes = (count + 1, if count == 0 { self.line } else { first });
        }
        let tail = bytes.get(start..).unwrap_or_default();
        match memchr3(self.marks.delimiter, b'\n', b'\r', tail) {
            Some(length) => {
                rows.fields.push(Field { start: start as u32, end: (start + length) as u32, how: How::Plain });
                Step::Done(start + length)
            }
            None if self.ended => {
                rows.fields.push(Field { start: start as u32, end: bytes.len() as u32, how: How::Plain });
                Step::Done(bytes.len())
            }
            None => Step::More,
        }
    }

    fn note_open(&mut self) {
        self.open += 1;
        let (count, first) = self.oddities.open_quotes;
        self.oddities.open_quotes = (count + 1, if count == 0 { self.line } else { first });
    }

    /// A field in quotes. None when the quote is never closed, so that it is none.
    fn quoted(&mut self, bytes: &[u8], open: usize, quote: u8, rows: &mut Rows) -> Option<Step> {
        let mut at = open + 1;
        let (mut how, mut strays) = (How::Quoted, 0);
        loop {
            let tail = bytes.get(at..).unwrap_or_default();
            let found = match self.marks.escape {
                Some(escape) => memchr2(quote, escape, tail),
                None => memchr(quote, tail),
            };
            let Some(found) = found else {
                let hopeless = self.ended || bytes.len() - open > MOST_FIELD;
                return if hopeless { None } else { Some(Step::More) };
            };
            at += found;
            if at - open > MOST_FIELD {
                return None;
            }
            let next = bytes.get(at + 1).copied();
            if self.marks.escape == bytes.get(at).copied() {
                (how, at) = (How::Escaped, at + 2);
                continue;
            }
            match next {
                None if !self.ended => return Some(Step::More),
                None => break,
                Some(next) if next == quote && self.marks.escape.is_none() => (how, at) = (How::Escaped, at + 2),
                Some(next) if next == self.marks.delimiter || next == b'\n' || next == b'\r' => break,
                Some(_) => (strays, at) = (strays + 1, at + 1),
            }
        }
        let inside = bytes.get(open + 1..at)?;
        if strays > 0 {
            let (count, first) = self.oddities.stray_quotes;
            self.oddities.stray_quotes = (count + strays, if count == 0 { self.line } else { first });
        }
        self.line += line_ends(inside);
        rows.fields.push(Field { start: (open + 1) as u32, end: at as u32, how });
        Some(Step::Done(at + 1))
    }
}

/// How many line ends there are in a quoted field.
fn line_ends(text: &[u8]) -> u64 {
    let feeds = memchr_iter(b'\n', text).count();
    let alone = memchr_iter(b'\r', text).filter(|at| text.get(at + 1) != Some(&b'\n')).count();
    (feeds + alone) as u64
}
