//! Records of a text whose lines end in one of the usual two ways, as most do: from mark to mark, without a look at
//! each field's beginning.

use fearless_simd::{Level, Simd, dispatch};
use memchr::memchr_iter;

use super::super::hits::Hits;
use super::{Field, How, Record, Rows, Scanner, Step};

/// The record that is under way.
struct Begun {
    /// Where it begins, and on which line.
    at: usize,
    line: u64,
    /// Its first field that is kept.
    first: u32,
    /// How many fields are done, and where the next begins.
    width: u32,
    start: usize,
}

impl Begun {
    #[inline(always)]
    fn new(at: usize, line: u64, rows: &Rows) -> Self {
        Self { at, line, first: rows.fields.len() as u32, width: 0, start: at }
    }

    /// Adds the field that ends here.
    #[inline(always)]
    fn field(&mut self, end: usize, rows: &mut Rows) {
        if rows.kept.keeps(self.width as usize) {
            rows.fields.push(Field { start: self.start as u32, end: end as u32, how: How::Plain });
        }
        self.width += 1;
    }

    #[inline(always)]
    fn done(&self, rows: &mut Rows) {
        rows.records.push(Record { first: self.first, start: self.at as u32, width: self.width, line: self.line });
    }
}

impl Scanner<'_> {
    /// Whether lines end in one of the usual two ways.
    pub(super) fn is_usual(bytes: &[u8]) -> bool {
        memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n'))
    }

    /// [`split_any`](Self::split_any) for a usual text.
    pub(super) fn split_usual(&mut self, bytes: &[u8], rows: &mut Rows) -> usize {
        // Compiled for several kinds of processor; which this one is shows when it runs.
        dispatch!(Level::new(), simd => self.split_by_marks(simd, bytes, rows))
    }

    #[inline(always)]
    fn split_by_marks<S: Simd>(&mut self, simd: S, bytes: &[u8], rows: &mut Rows) -> usize {
        let delimiter = self.marks.delimiter;
        let mut hits = Hits::new(simd, bytes, [delimiter, b'\n', self.quote()]);
        let mut begun = Begun::new(0, self.line, rows);
        // Of the quotes in a field only the first may mean something; this is the field whose first was met last.
        let mut looked_at = None;
        while let Some(hit) = hits.next() {
            let found = bytes.get(hit).copied();
            if found == Some(delimiter) {
                begun.field(hit, rows);
                begun.start = hit + 1;
            } else if found == Some(b'\n') {
                let pair = hit > begun.start && bytes.get(hit - 1) == Some(&b'\r');
                begun.field(hit - usize::from(pair), rows);
                begun = self.next_record(&begun, hit - usize::from(pair), bytes, rows);
            } else if looked_at.replace(begun.start) != Some(begun.start) && self.may_open(bytes, begun.start, hit) {
                match self.opened(bytes, begun.start, begun.width as usize, rows) {
                    None => {}
                    Some(Step::More) => return self.give_back(&begun, rows),
                    Some(Step::Done(end)) => {
                        begun.width += 1;
                        if bytes.get(end) == Some(&delimiter) {
                            begun.start = end + 1;
                        } else if end == bytes.len() {
                            begun.done(rows);
                            self.before = None;
                            return end;
                        } else {
                            begun = self.next_record(&begun, end, bytes, rows);
                        }
                        hits.skip_to(begun.start);
                    }
                }
            }
        }
        if !self.ended {
            return self.give_back(&begun, rows);
        }
        if begun.at < bytes.len() {
            begun.field(bytes.len(), rows);
            begun.done(rows);
        }
        self.before = None;
        bytes.len()
    }

    /// Whether the quote at this place is at the beginning of a field, where it may mean something.
    #[inline(always)]
    fn may_open(&self, bytes: &[u8], start: usize, quote: usize) -> bool {
        let before = bytes.get(start..quote).unwrap_or_default();
        before.is_empty()
            || (self.marks.spaced && self.marks.quote.is_some() && before.iter().all(|byte| *byte == b' '))
    }

    /// Ends a record at its line end and begins the next.
    #[inline(always)]
    fn next_record(&mut self, begun: &Begun, end: usize, bytes: &[u8], rows: &mut Rows) -> Begun {
        begun.done(rows);
        self.before = None;
        let next = self.line_end(bytes, end).unwrap_or(end);
        Begun::new(next, self.line, rows)
    }

    /// Takes back a record that is not complete, and tells where it begins.
    fn give_back(&mut self, begun: &Begun, rows: &mut Rows) -> usize {
        self.take_back(begun.first, rows);
        begun.at
    }
}
