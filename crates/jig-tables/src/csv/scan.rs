//! Records from a stream of text, a few megabytes at a time, in any shape the text may have.

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::Marks;
use super::encoding::Text;
use super::hits::Hits;
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
    /// Fields and records of the last run: the next one has about as many.
    before: (usize, usize),
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
        Self { source, marks, rest: String::new(), line: 1, ended: false, open: 0, before: (0, 0), oddities }
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
        // What grows step by step is copied at each.
        self.rest.reserve(RUN + RUN / 4);
        loop {
            while !self.ended && self.rest.len() < wanted {
                self.ended = !self.source.fill(&mut self.rest)?;
            }
            if self.rest.is_empty() {
                return Ok(None);
            }
            let mut rows = Rows {
                text: std::mem::take(&mut self.rest),
                fields: Vec::with_capacity(self.before.0),
                records: Vec::with_capacity(self.before.1),
                marks: Some(self.marks),
            };
            let end = self.split(&mut rows);
            self.before = (rows.fields.len() * 9 / 8, rows.records.len() * 9 / 8);
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
        let end = if Self::is_usual(bytes) { self.split_usual(bytes, rows) } else { self.split_any(bytes, rows) };
        rows.text = text;
        end
    }

    fn split_any(&mut self, bytes: &[u8], rows: &mut Rows) -> usize {
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
        at
    }

    /// Whether lines end in one of the usual two ways. Most texts are so, and are split from mark to mark.
    fn is_usual(bytes: &[u8]) -> bool {
        memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n'))
    }

    /// [`split_any`](Self::split_any) for a usual text.
    fn split_usual(&mut self, bytes: &[u8], rows: &mut Rows) -> usize {
        let mut hits = Hits::new(bytes, self.marks.delimiter, b'\n');
        let (mut start, mut at) = (0, 0);
        let mut record = Record { first: rows.fields.len() as u32, line: self.line };
        // What was counted before the record, when something of it was counted already.
        let mut before: Option<(u64, Oddities)> = None;
        while at < bytes.len() {
            let open = self.opening(bytes, start);
            let first = bytes.get(open).copied();
            let quote = self.marks.quote.filter(|quote| first == Some(*quote) && self.open < MOST_OPEN);
            let mut end = None;
            if let Some(quote) = quote {
                before.get_or_insert_with(|| (self.line, self.oddities.clone()));
                match self.quoted(bytes, open, quote, rows) {
                    Some(Step::Done(there)) => end = Some(there),
                    Some(Step::More) => break,
                    None => self.note_open(),
                }
            } else if self.marks.quote.is_none() && first == Some(b'"') {
                before.get_or_insert_with(|| (self.line, self.oddities.clone()));
                self.note_plain_quote();
            }
            let end = match end {
                Some(end) => end,
                None => match hits.next(start) {
                    None if !self.ended => break,
                    found => {
                        let end = found.unwrap_or(bytes.len());
                        let pair = bytes.get(end) == Some(&b'\n') && end > start && bytes.get(end - 1) == Some(&b'\r');
                        let end = end - usize::from(pair);
                        rows.fields.push(Field { start: start as u32, end: end as u32, how: How::Plain });
                        end
                    }
                },
            };
            match bytes.get(end) {
                Some(byte) if *byte == self.marks.delimiter => {
                    start = end + 1;
                    continue;
                }
                Some(b'\r') => (self.oddities.crlf, start) = (self.oddities.crlf + 1, end + 2),
                Some(_) => (self.oddities.lf, start) = (self.oddities.lf + 1, end + 1),
                None if self.ended => start = end,
                None => break,
            }
            self.line += u64::from(end < bytes.len());
            rows.records.push(record);
            record = Record { first: rows.fields.len() as u32, line: self.line };
            (at, before) = (start, None);
        }
        rows.fields.truncate(record.first as usize);
        if let Some((line, oddities)) = before {
            (self.line, self.oddities) = (line, oddities);
        }
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

    /// Where a field's quote would be: spaces may stand before it.
    fn opening(&self, bytes: &[u8], start: usize) -> usize {
        let mut at = start;
        while self.marks.spaced && self.marks.quote.is_some() && bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// Adds the field that begins here and gives where it ends: at a delimiter, a line end or the end of all.
    fn field(&mut self, bytes: &[u8], start: usize, rows: &mut Rows) -> Step {
        if let Some(quote) = self.marks.quote {
            let at = self.opening(bytes, start);
            if bytes.get(at) == Some(&quote) && self.open < MOST_OPEN {
                match self.quoted(bytes, at, quote, rows) {
                    Some(step) => return step,
                    None => self.note_open(),
                }
            }
        } else if bytes.get(start) == Some(&b'"') {
            self.note_plain_quote();
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

    fn note_plain_quote(&mut self) {
        let (count, first) = self.oddities.plain_quotes;
        self.oddities.plain_quotes = (count + 1, if count == 0 { self.line } else { first });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a way of splitting makes of a text: fields, records with their lines, where it stopped, what it counted.
    type Made = (Vec<(u32, u32, How)>, Vec<(u32, u64)>, usize, u64, u32, Oddities);

    fn split(text: &str, quote: Option<u8>, ended: bool, usual: bool) -> Made {
        let marks = Marks { delimiter: b',', quote, escape: None, spaced: text.len().is_multiple_of(2) };
        let mut scanner = Scanner::new(Text::new(std::io::empty(), encoding_rs::UTF_8), marks);
        scanner.ended = ended;
        let mut rows = Rows::default();
        let bytes = text.as_bytes();
        let end = if usual { scanner.split_usual(bytes, &mut rows) } else { scanner.split_any(bytes, &mut rows) };
        let fields = rows.fields.iter().map(|field| (field.start, field.end, field.how)).collect();
        let records = rows.records.iter().map(|record| (record.first, record.line)).collect();
        (fields, records, end, scanner.line, scanner.open, scanner.oddities)
    }

    #[test]
    fn usual_text_is_split_as_any_other() {
        let pieces = [
            "",
            "a",
            "é",
            ",",
            ",,",
            "\n",
            "\r\n",
            "12.5",
            "long enough to fill words",
            "\n\n",
            "\"",
            "\"\"",
            ",\"x,\ny\",",
            "\"a\"b\"",
            "\"\"\"",
            "\n\"q\"\n",
            " ",
            "  \"s\"",
        ];
        for seed in 0..60_000_usize {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut text = String::new();
            for _ in 0..seed % 14 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) % pieces.len()]);
            }
            for (quote, ended) in [(Some(b'"'), false), (Some(b'"'), true), (None, false), (None, true)] {
                let [usual, any] = [true, false].map(|usual| split(&text, quote, ended, usual));
                assert_eq!(usual, any, "{text:?} {quote:?} {ended}");
            }
        }
    }
}
