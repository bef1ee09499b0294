//! Splits text whose lines end in LF or CRLF, as most do: from one special character to the next, without a branch at the
//! start of each field.

use fearless_simd::{Level, Simd, dispatch};
use memchr::memchr_iter;

use super::simd::Matches;
use super::{Field, Quoting, Record, RecordReader, Records, Step};

/// The record that is being split.
struct CurrentRecord {
    /// Its start and its line.
    at: usize,
    line: u64,
    /// The index of its first stored field.
    first: u32,
    /// Quoting many fields are complete, and the start of the next one.
    width: u32,
    start: usize,
}

impl CurrentRecord {
    #[inline(always)]
    fn new(at: usize, line: u64, records: &Records) -> Self {
        Self { at, line, first: records.fields.len() as u32, width: 0, start: at }
    }

    /// Adds the field that ends here.
    #[inline(always)]
    fn field(&mut self, end: usize, records: &mut Records) {
        if records.selection.contains(self.width as usize) {
            records.fields.push(Field { start: self.start as u32, end: end as u32, quoting: Quoting::Plain });
        }
        self.width += 1;
    }

    #[inline(always)]
    fn done(&self, records: &mut Records) {
        records.records.push(Record { first: self.first, start: self.at as u32, width: self.width, line: self.line });
    }
}

impl RecordReader<'_> {
    /// Whether lines end in LF or CRLF.
    pub(super) fn has_common_line_endings(bytes: &[u8]) -> bool {
        memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n'))
    }

    /// [`split_any`](Self::split_any) for text with these line endings.
    pub(super) fn split_common(&mut self, bytes: &[u8], records: &mut Records) -> usize {
        // Compiled for several instruction sets; the choice is made at run time.
        dispatch!(Level::new(), simd => self.split_with(simd, bytes, records))
    }

    #[inline(always)]
    fn split_with<S: Simd>(&mut self, simd: S, bytes: &[u8], records: &mut Records) -> usize {
        let delimiter = self.dialect.delimiter;
        let mut matches = Matches::new(simd, bytes, [delimiter, b'\n', self.quote()]);
        let mut current = CurrentRecord::new(0, self.line, records);
        // Only the first quote of a field can open it. This is the start of the field whose first quote was handled.
        let mut quote_seen = None;
        while let Some(at) = matches.next() {
            let found = bytes.get(at).copied();
            if found == Some(delimiter) {
                current.field(at, records);
                current.start = at + 1;
            } else if found == Some(b'\n') {
                let pair = at > current.start && bytes.get(at - 1) == Some(&b'\r');
                current.field(at - usize::from(pair), records);
                current = self.next_record(&current, at - usize::from(pair), bytes, records);
            } else if quote_seen.replace(current.start) != Some(current.start)
                && self.may_open(bytes, current.start, at)
            {
                match self.opened(bytes, current.start, current.width as usize, records) {
                    None => {}
                    Some(Step::More) => return self.discard(&current, records),
                    Some(Step::Done(end)) => {
                        current.width += 1;
                        if bytes.get(end) == Some(&delimiter) {
                            current.start = end + 1;
                        } else if end == bytes.len() {
                            current.done(records);
                            self.before = None;
                            return end;
                        } else {
                            current = self.next_record(&current, end, bytes, records);
                        }
                        matches.skip_to(current.start);
                    }
                }
            }
        }
        if !self.ended {
            return self.discard(&current, records);
        }
        if current.at < bytes.len() {
            current.field(bytes.len(), records);
            current.done(records);
        }
        self.before = None;
        bytes.len()
    }

    /// Whether a quote is at the start of its field, where it opens it.
    #[inline(always)]
    fn may_open(&self, bytes: &[u8], start: usize, quote: usize) -> bool {
        let before = bytes.get(start..quote).unwrap_or_default();
        before.is_empty()
            || (self.dialect.space_before_quote
                && self.dialect.quote.is_some()
                && before.iter().all(|byte| *byte == b' '))
    }

    /// Ends a record at its line ending and starts the next one.
    #[inline(always)]
    fn next_record(
        &mut self,
        current: &CurrentRecord,
        end: usize,
        bytes: &[u8],
        records: &mut Records,
    ) -> CurrentRecord {
        current.done(records);
        self.before = None;
        let next = self.line_end(bytes, end).unwrap_or(end);
        CurrentRecord::new(next, self.line, records)
    }

    /// Discards an incomplete record and returns its start.
    fn discard(&mut self, current: &CurrentRecord, records: &mut Records) -> usize {
        self.discard_record(current.first, records);
        current.at
    }
}
