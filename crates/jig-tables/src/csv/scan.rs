//! Records from a stream of text, a few megabytes at a time, in any shape the text may have.

mod usual;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::Marks;
use super::encoding::Text;
use super::rows::{Field, How, Kept, Record, Rows};
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    kept: Kept,
    run: usize,
    rest: String,
    line: u64,
    ended: bool,
    open: u32,
    /// What was counted before the record that is under way, when something of it was counted already.
    before: Option<(u64, Oddities)>,
    /// Fields and records of the last run: the next one has about as many.
    last: (usize, usize),
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
        Self {
            source,
            marks,
            kept: Kept::default(),
            run: RUN,
            rest: String::new(),
            line: 1,
            ended: false,
            open: 0,
            before: None,
            last: (0, 0),
            oddities: Oddities::default(),
        }
    }

    /// The same, in runs of about so many bytes, with some fields of records only.
    pub(crate) fn in_runs(mut self, run: usize, kept: Kept) -> Self {
        (self.run, self.kept) = (run, kept);
        self
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
        let mut rows = Rows::default();
        rows.fields.reserve(self.last.0);
        rows.records.reserve(self.last.1);
        Ok(self.next_into(&mut rows)?.then_some(rows))
    }

    /// Puts the next run of records in place of an old one, whose room is used again; false at the end.
    pub(crate) fn next_into(&mut self, rows: &mut Rows) -> Result<bool, TableError> {
        (rows.marks, rows.kept) = (Some(self.marks), self.kept.clone());
        let mut wanted = self.run;
        loop {
            let rest = std::mem::take(&mut self.rest);
            self.ended = !self.source.next(&mut rows.text, &rest, wanted)?;
            rows.fields.clear();
            rows.records.clear();
            if rows.text.is_empty() && self.ended {
                return Ok(false);
            }
            let end = self.split(rows);
            self.last = (rows.fields.len() * 9 / 8, rows.records.len() * 9 / 8);
            self.rest = rest;
            self.rest.clear();
            self.rest.push_str(rows.text.get(end..).unwrap_or_default());
            if !rows.records.is_empty() {
                rows.text.truncate(end);
                return Ok(true);
            }
            if rows.text.len() > MOST_RECORD || self.ended {
                let words = format!("line {} is longer than {} MiB", self.line, MOST_RECORD >> 20);
                return Err(TableError::TooLarge(words));
            }
            wanted = (rows.text.len() * 2).max(self.run);
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

    /// Finds the records of a text whose lines end in any way.
    fn split_any(&mut self, bytes: &[u8], rows: &mut Rows) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let (first, line) = (rows.fields.len() as u32, self.line);
            let (mut start, mut column) = (at, 0_usize);
            let next = loop {
                let Step::Done(end) = self.field(bytes, start, column, rows) else { break None };
                column += 1;
                match bytes.get(end) {
                    Some(byte) if *byte == self.marks.delimiter => start = end + 1,
                    _ => break self.line_end(bytes, end),
                }
            };
            let Some(next) = next else {
                self.take_back(first, rows);
                break;
            };
            self.before = None;
            rows.records.push(Record { first, start: at as u32, width: column as u32, line });
            at = next;
        }
        at
    }

    /// Adds the field that begins here and gives where it ends: at a delimiter, a line end or the end of all.
    fn field(&mut self, bytes: &[u8], start: usize, column: usize, rows: &mut Rows) -> Step {
        if let Some(step) = self.opened(bytes, start, column, rows) {
            return step;
        }
        let tail = bytes.get(start..).unwrap_or_default();
        let end = match memchr3(self.marks.delimiter, b'\n', b'\r', tail) {
            None if !self.ended => return Step::More,
            found => found.map_or(bytes.len(), |length| start + length),
        };
        if rows.kept.keeps(column) {
            rows.fields.push(Field { start: start as u32, end: end as u32, how: How::Plain });
        }
        Step::Done(end)
    }

    /// Takes back what there is of a record that is not complete.
    fn take_back(&mut self, first: u32, rows: &mut Rows) {
        rows.fields.truncate(first as usize);
        if let Some(before) = self.before.take() {
            (self.line, self.oddities) = before;
        }
    }

    /// What opens a quoted field, or would if anything did.
    fn quote(&self) -> u8 {
        self.marks.quote.unwrap_or(b'"')
    }

    /// A field that may begin with a quote; none when it is one without.
    fn opened(&mut self, bytes: &[u8], start: usize, column: usize, rows: &mut Rows) -> Option<Step> {
        let at = self.opening(bytes, start);
        if bytes.get(at) != Some(&self.quote()) || self.open >= MOST_OPEN {
            return None;
        }
        self.before.get_or_insert((self.line, self.oddities));
        let Some(quote) = self.marks.quote else {
            self.note_plain_quote();
            return None;
        };
        let step = self.quoted(bytes, at, quote, column, rows);
        if step.is_none() {
            self.note_open();
        }
        step
    }

    /// Where the next record begins, when this one ends here.
    #[inline]
    fn line_end(&mut self, bytes: &[u8], end: usize) -> Option<usize> {
        let next = match (bytes.get(end), bytes.get(end + 1)) {
            (None, _) => return self.ended.then_some(end),
            (Some(b'\r'), None) if !self.ended => return None,
            (Some(b'\r'), Some(b'\n')) => {
                self.oddities.crlf += 1;
                end + 2
            }
            (Some(b'\r'), _) => {
                self.oddities.cr += 1;
                end + 1
            }
            (Some(_), _) => {
                self.oddities.lf += 1;
                end + 1
            }
        };
        self.line += 1;
        Some(next)
    }

    /// Where a field's quote would be: spaces may stand before it.
    fn opening(&self, bytes: &[u8], start: usize) -> usize {
        let mut at = start;
        while self.marks.spaced && self.marks.quote.is_some() && bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
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
    fn quoted(&mut self, bytes: &[u8], open: usize, quote: u8, column: usize, rows: &mut Rows) -> Option<Step> {
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
        if rows.kept.keeps(column) {
            rows.fields.push(Field { start: (open + 1) as u32, end: at as u32, how });
        }
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
    type Made = (Vec<(u32, u32, How)>, Vec<(u32, u32, u32, u64)>, usize, u64, u32, Oddities);

    fn split(text: &str, quote: Option<u8>, ended: bool, usual: bool) -> Made {
        let marks = Marks { delimiter: b',', quote, escape: None, spaced: text.len().is_multiple_of(2) };
        let mut scanner = Scanner::new(Text::new(std::io::empty(), jig_text::Charset::UTF_8), marks);
        scanner.ended = ended;
        let mut rows = Rows::default();
        let bytes = text.as_bytes();
        let end = if usual { scanner.split_usual(bytes, &mut rows) } else { scanner.split_any(bytes, &mut rows) };
        let fields = rows.fields.iter().map(|field| (field.start, field.end, field.how)).collect();
        let records =
            rows.records.iter().map(|record| (record.first, record.start, record.width, record.line)).collect();
        (fields, records, end, scanner.line, scanner.open, scanner.oddities)
    }

    /// Texts with all that records are made of.
    fn texts() -> impl Iterator<Item = String> {
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
        (0..60_000_usize).map(move |seed| {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut text = String::new();
            for _ in 0..seed % 14 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) % pieces.len()]);
            }
            text
        })
    }

    #[test]
    fn usual_text_is_split_as_any_other() {
        for text in texts() {
            for (quote, ended) in [(Some(b'"'), false), (Some(b'"'), true), (None, false), (None, true)] {
                let [usual, any] = [true, false].map(|usual| split(&text, quote, ended, usual));
                assert_eq!(usual, any, "{text:?} {quote:?} {ended}");
            }
        }
    }

    #[test]
    fn fields_that_are_kept_are_those_of_the_whole() {
        let marks = Marks { delimiter: b',', quote: Some(b'"'), escape: None, spaced: false };
        let rows = |text: &str, kept: Kept| {
            let scanner = Scanner::new(Text::new(text.as_bytes(), jig_text::Charset::UTF_8), marks);
            scanner.in_runs(1 << 10, kept).next_rows().unwrap().unwrap_or_default()
        };
        for text in texts() {
            let (all, some) = (rows(&text, Kept::default()), rows(&text, Kept::some(&[2], 4)));
            assert_eq!(all.len(), some.len());
            for row in 0..all.len() {
                let told = |rows: &Rows| {
                    (rows.width(row), rows.line(row), rows.is_blank(row), rows.whole(row).map(str::to_owned))
                };
                assert_eq!(told(&all), told(&some), "{text:?}");
                for column in [0, 2, 4, 5, 6] {
                    assert_eq!(all.cell(row, column), some.cell(row, column), "{text:?} {column}");
                }
                assert_eq!(some.cell(row, 1), None);
                assert_eq!(all.rest(row, 4), some.rest(row, 4), "{text:?}");
            }
        }
    }
}
