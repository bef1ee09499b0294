//! Reads records from a stream of text in batches of a few megabytes.
//!
//! There are two ways to split a batch, with the same result: `common` for text whose lines end in LF or CRLF, which
//! finds delimiters, quotes and line feeds with SIMD, and [`RecordReader::split_any`] for all other text. csv-core decides
//! byte by byte and has no notion of a quote that is never closed; with it the first query on a large file would be slower
//! than DuckDB's (`cargo xtask bench tables`).

mod common;
mod simd;

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::records::{Field, Quoting, Record, Records};
use super::{CsvDialect, CsvError};
use crate::encoding::TextReader;
use crate::lines::LineEnding;

/// Quoting much text is split at a time.
const BATCH_BYTES: usize = 4 << 20;
/// The longest quoted field. A quote that is not closed by then has no meaning.
const MAX_FIELD_BYTES: usize = 16 << 20;
/// The longest record.
const MAX_RECORD_BYTES: usize = 64 << 20;
/// After this many quotes that are never closed, quotes have no meaning. Each one costs a search to the end.
const MAX_OPEN_QUOTES: u32 = 16;

/// Quoting often something occurred, and the line of the first occurrence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Quoting often.
    pub count: u64,
    /// The line of the first occurrence, from 1.
    pub first_line: u64,
}

impl Occurrences {
    fn add(&mut self, count: u64, line: u64) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += count;
    }
}

/// What is irregular about a delimited text, and how its records end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvDefects {
    /// Quotes that are never closed.
    pub unclosed_quotes: Occurrences,
    /// Fields that start with a quote although quotes have no meaning.
    pub literal_quotes: Occurrences,
    /// Quotes inside a quoted field that are not doubled.
    pub undoubled_quotes: Occurrences,
    /// Records that end in LF.
    pub lf: u64,
    /// Records that end in CRLF.
    pub crlf: u64,
    /// Records that end in CR.
    pub cr: u64,
}

impl CsvDefects {
    /// Quoting records end. Line endings inside quotes do not count.
    #[must_use]
    pub const fn line_ending(&self) -> LineEnding {
        match (self.lf > 0, self.crlf > 0, self.cr > 0) {
            (false, false, false) => LineEnding::None,
            (true, false, false) => LineEnding::Lf,
            (false, true, false) => LineEnding::Crlf,
            (false, false, true) => LineEnding::Cr,
            _ => LineEnding::Mixed,
        }
    }
}

/// Which fields are stored: all by default, or those of some columns. Fields of the first column are always stored, because
/// they show whether a line is empty, and so are fields beyond the last column, because they show that a record is too long.
#[derive(Debug, Clone, Default)]
pub struct FieldSelection {
    /// For each column the index of its field among the stored fields of a record.
    indices: Arc<[Option<u32>]>,
    count: usize,
}

impl FieldSelection {
    /// Selects some columns of a table with `width` columns.
    #[must_use]
    pub fn of(columns: &[usize], width: usize) -> Self {
        let mut count = 0;
        let index = |column: usize| {
            let index = (column == 0 || columns.contains(&column)).then_some(count);
            count += u32::from(index.is_some());
            index
        };
        let indices = (0..width).map(index).collect();
        Self { indices, count: count as usize }
    }

    #[inline]
    fn contains(&self, column: usize) -> bool {
        self.indices.get(column).is_none_or(Option::is_some)
    }

    #[inline]
    pub(super) fn index(&self, column: usize) -> Option<usize> {
        match self.indices.get(column) {
            Some(index) => index.map(|index| index as usize),
            None => Some(column - self.indices.len() + self.count),
        }
    }
}

/// Reads records from text.
///
/// ```
/// use jig_text::csv::{CsvDialect, RecordReader};
/// use jig_text::{Charset, TextReader};
///
/// let dialect = CsvDialect { delimiter: b',', quote: Some(b'"'), escape: None, space_before_quote: false };
/// let text = TextReader::new("id,name\n1,\"Doe, Jane\"\n".as_bytes(), Charset::UTF_8);
/// let mut reader = RecordReader::new(text, dialect);
/// while let Some(records) = reader.next_batch()? {
///     assert_eq!((records.len(), records.width(1)), (2, 2));
///     assert_eq!(records.cell(1, 1).unwrap().text, "Doe, Jane");
/// }
/// # Ok::<(), jig_text::csv::CsvError>(())
/// ```
pub struct RecordReader<'a> {
    source: TextReader<'a>,
    dialect: CsvDialect,
    selection: FieldSelection,
    batch_bytes: usize,
    rest: String,
    line: u64,
    ended: bool,
    open: u32,
    /// Line and defects before the current record, if it changed them already. Restored if the record is incomplete, because
    /// it is read again with the next batch.
    before: Option<(u64, CsvDefects)>,
    /// The number of fields and records in the last batch, to reserve memory for the next one.
    last: (usize, usize),
    defects: CsvDefects,
}

/// The result of splitting off a field.
enum Step {
    /// The field ends here: at a delimiter, a line ending or the end of the text.
    Done(usize),
    /// The end of the field is not in this batch.
    More,
}

/// Splits a complete text.
pub(super) fn split_complete(text: String, dialect: CsvDialect) -> (Records, CsvDefects) {
    let mut reader = RecordReader::new(TextReader::empty(), dialect);
    reader.ended = true;
    reader.split_text(text)
}

/// Splits the start of a text. The last record, which may be incomplete, is left out unless it is the only one.
pub(super) fn split_start(text: String, dialect: CsvDialect) -> (Records, CsvDefects) {
    let mut reader = RecordReader::new(TextReader::empty(), dialect);
    let (records, defects) = reader.split_text(text);
    if !records.is_empty() {
        return (records, defects);
    }
    split_complete(records.text, dialect)
}

impl<'a> RecordReader<'a> {
    /// Reads the records of a text.
    #[must_use]
    pub fn new(source: TextReader<'a>, dialect: CsvDialect) -> Self {
        Self {
            source,
            dialect,
            selection: FieldSelection::default(),
            batch_bytes: BATCH_BYTES,
            rest: String::new(),
            line: 1,
            ended: false,
            open: 0,
            before: None,
            last: (0, 0),
            defects: CsvDefects::default(),
        }
    }

    /// Sets the size of batches in bytes, and which fields are stored.
    #[must_use]
    pub fn in_batches(mut self, bytes: usize, selection: FieldSelection) -> Self {
        (self.batch_bytes, self.selection) = (bytes, selection);
        self
    }

    /// What is irregular about the text so far.
    #[must_use]
    pub fn defects(&self) -> CsvDefects {
        self.defects
    }

    /// Quoting many pieces of the text contained invalid bytes so far.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.source.replaced()
    }

    /// The next batch of records; `None` at the end.
    ///
    /// # Errors
    /// [`CsvError`] if the text cannot be read or a record is too long.
    pub fn next_batch(&mut self) -> Result<Option<Records>, CsvError> {
        let mut records = Records::default();
        records.fields.reserve(self.last.0);
        records.records.reserve(self.last.1);
        Ok(self.read_batch(&mut records)?.then_some(records))
    }

    /// Replaces a batch by the next one and reuses its memory. Returns false at the end.
    ///
    /// # Errors
    /// [`CsvError`] if the text cannot be read or a record is too long.
    pub fn read_batch(&mut self, records: &mut Records) -> Result<bool, CsvError> {
        (records.dialect, records.selection) = (Some(self.dialect), self.selection.clone());
        let mut wanted = self.batch_bytes;
        loop {
            let rest = std::mem::take(&mut self.rest);
            self.ended = !self.source.read_next(&mut records.text, &rest, wanted)?;
            records.fields.clear();
            records.records.clear();
            if records.text.is_empty() && self.ended {
                return Ok(false);
            }
            let end = self.split(records);
            self.last = (records.fields.len() * 9 / 8, records.records.len() * 9 / 8);
            self.rest = rest;
            self.rest.clear();
            self.rest.push_str(records.text.get(end..).unwrap_or_default());
            if !records.records.is_empty() {
                records.text.truncate(end);
                return Ok(true);
            }
            if records.text.len() > MAX_RECORD_BYTES || self.ended {
                return Err(CsvError::RecordTooLong { line: self.line, limit_mib: MAX_RECORD_BYTES >> 20 });
            }
            wanted = (records.text.len() * 2).max(self.batch_bytes);
        }
    }

    /// Splits a text of which nothing was read before.
    fn split_text(&mut self, text: String) -> (Records, CsvDefects) {
        let mut records = Records { text, dialect: Some(self.dialect), ..Records::default() };
        if u32::try_from(records.text.len()).is_ok() {
            self.split(&mut records);
        }
        (records, self.defects)
    }

    /// Splits a text into records. Returns the start of the first incomplete one.
    fn split(&mut self, records: &mut Records) -> usize {
        let text = std::mem::take(&mut records.text);
        let bytes = text.as_bytes();
        let end = if Self::has_common_line_endings(bytes) {
            self.split_common(bytes, records)
        } else {
            self.split_any(bytes, records)
        };
        records.text = text;
        end
    }

    /// Splits a text with any line endings.
    fn split_any(&mut self, bytes: &[u8], records: &mut Records) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let (first, line) = (records.fields.len() as u32, self.line);
            let (mut start, mut column) = (at, 0_usize);
            let next = loop {
                let Step::Done(end) = self.field(bytes, start, column, records) else { break None };
                column += 1;
                match bytes.get(end) {
                    Some(byte) if *byte == self.dialect.delimiter => start = end + 1,
                    _ => break self.line_end(bytes, end),
                }
            };
            let Some(next) = next else {
                self.discard_record(first, records);
                break;
            };
            self.before = None;
            records.records.push(Record { first, start: at as u32, width: column as u32, line });
            at = next;
        }
        at
    }

    /// Adds the field that starts here.
    fn field(&mut self, bytes: &[u8], start: usize, column: usize, records: &mut Records) -> Step {
        if let Some(step) = self.opened(bytes, start, column, records) {
            return step;
        }
        let tail = bytes.get(start..).unwrap_or_default();
        let end = match memchr3(self.dialect.delimiter, b'\n', b'\r', tail) {
            None if !self.ended => return Step::More,
            found => found.map_or(bytes.len(), |length| start + length),
        };
        if records.selection.contains(column) {
            records.fields.push(Field { start: start as u32, end: end as u32, quoting: Quoting::Plain });
        }
        Step::Done(end)
    }

    /// Removes the fields of an incomplete record.
    fn discard_record(&mut self, first: u32, records: &mut Records) {
        records.fields.truncate(first as usize);
        if let Some(before) = self.before.take() {
            (self.line, self.defects) = before;
        }
    }

    /// The quote character; also looked for if quotes have no meaning, to report them.
    fn quote(&self) -> u8 {
        self.dialect.quote.unwrap_or(b'"')
    }

    /// Adds a field that starts with a quote. `None` if it does not, or if the quote has no meaning.
    fn opened(&mut self, bytes: &[u8], start: usize, column: usize, records: &mut Records) -> Option<Step> {
        let at = self.opening(bytes, start);
        if bytes.get(at) != Some(&self.quote()) || self.open >= MAX_OPEN_QUOTES {
            return None;
        }
        self.before.get_or_insert((self.line, self.defects));
        let Some(quote) = self.dialect.quote else {
            self.defects.literal_quotes.add(1, self.line);
            return None;
        };
        let step = self.quoted(bytes, at, quote, column, records);
        if step.is_none() {
            self.open += 1;
            self.defects.unclosed_quotes.add(1, self.line);
        }
        step
    }

    /// Where the next record starts if this one ends here. `None` if that is not in this batch.
    #[inline]
    fn line_end(&mut self, bytes: &[u8], end: usize) -> Option<usize> {
        let next = match (bytes.get(end), bytes.get(end + 1)) {
            (None, _) => return self.ended.then_some(end),
            (Some(b'\r'), None) if !self.ended => return None,
            (Some(b'\r'), Some(b'\n')) => {
                self.defects.crlf += 1;
                end + 2
            }
            (Some(b'\r'), _) => {
                self.defects.cr += 1;
                end + 1
            }
            (Some(_), _) => {
                self.defects.lf += 1;
                end + 1
            }
        };
        self.line += 1;
        Some(next)
    }

    /// Where the opening quote of a field would be: after spaces, if the dialect allows them.
    fn opening(&self, bytes: &[u8], start: usize) -> usize {
        let mut at = start;
        while self.dialect.space_before_quote && self.dialect.quote.is_some() && bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// Adds a quoted field. `None` if the quote is never closed, so that it is part of an unquoted field.
    fn quoted(&mut self, bytes: &[u8], open: usize, quote: u8, column: usize, records: &mut Records) -> Option<Step> {
        let mut at = open + 1;
        let (mut quoting, mut strays) = (Quoting::Quoted, 0);
        loop {
            let tail = bytes.get(at..).unwrap_or_default();
            let found = match self.dialect.escape {
                Some(escape) => memchr2(quote, escape, tail),
                None => memchr(quote, tail),
            };
            let Some(found) = found else {
                let hopeless = self.ended || bytes.len() - open > MAX_FIELD_BYTES;
                return if hopeless { None } else { Some(Step::More) };
            };
            at += found;
            if at - open > MAX_FIELD_BYTES {
                return None;
            }
            let next = bytes.get(at + 1).copied();
            if self.dialect.escape == bytes.get(at).copied() {
                (quoting, at) = (Quoting::Escaped, at + 2);
                continue;
            }
            match next {
                None if !self.ended => return Some(Step::More),
                None => break,
                Some(next) if next == quote && self.dialect.escape.is_none() => {
                    (quoting, at) = (Quoting::Escaped, at + 2);
                }
                Some(next) if next == self.dialect.delimiter || next == b'\n' || next == b'\r' => break,
                Some(_) => (strays, at) = (strays + 1, at + 1),
            }
        }
        let inside = bytes.get(open + 1..at)?;
        if strays > 0 {
            self.defects.undoubled_quotes.add(strays, self.line);
        }
        self.line += line_ends(inside);
        if records.selection.contains(column) {
            records.fields.push(Field { start: (open + 1) as u32, end: at as u32, quoting });
        }
        Some(Step::Done(at + 1))
    }
}

/// Quoting many line endings a quoted field contains.
fn line_ends(text: &[u8]) -> u64 {
    let feeds = memchr_iter(b'\n', text).count();
    let alone = memchr_iter(b'\r', text).filter(|at| text.get(at + 1) != Some(&b'\n')).count();
    (feeds + alone) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a way of splitting makes of a text: fields, records with their lines, where it stopped, what it counted.
    type SplitText = (Vec<(u32, u32, Quoting)>, Vec<(u32, u32, u32, u64)>, usize, u64, u32, CsvDefects);

    fn split(text: &str, quote: Option<u8>, ended: bool, usual: bool) -> SplitText {
        let dialect =
            CsvDialect { delimiter: b',', quote, escape: None, space_before_quote: text.len().is_multiple_of(2) };
        let mut scanner = RecordReader::new(TextReader::new(std::io::empty(), crate::Charset::UTF_8), dialect);
        scanner.ended = ended;
        let mut records = Records::default();
        let bytes = text.as_bytes();
        let end =
            if usual { scanner.split_common(bytes, &mut records) } else { scanner.split_any(bytes, &mut records) };
        let fields = records.fields.iter().map(|field| (field.start, field.end, field.quoting)).collect();
        let records =
            records.records.iter().map(|record| (record.first, record.start, record.width, record.line)).collect();
        (fields, records, end, scanner.line, scanner.open, scanner.defects)
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
        let dialect = CsvDialect { delimiter: b',', quote: Some(b'"'), escape: None, space_before_quote: false };
        let records = |text: &str, kept: FieldSelection| {
            let scanner = RecordReader::new(TextReader::new(text.as_bytes(), crate::Charset::UTF_8), dialect);
            scanner.in_batches(1 << 10, kept).next_batch().unwrap().unwrap_or_default()
        };
        for text in texts() {
            let (all, some) = (records(&text, FieldSelection::default()), records(&text, FieldSelection::of(&[2], 4)));
            assert_eq!(all.len(), some.len());
            for row in 0..all.len() {
                let told = |records: &Records| {
                    (records.width(row), records.line(row), records.is_blank(row), records.raw(row).map(str::to_owned))
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
