//! The records of a delimited text as ranges of it, cut once into fields, so that any field is reached in one step.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use jig_text::is_header;

/// Records that are looked at for a header.
const HEADER_ROWS: usize = 200;

/// A table: each record with its line end.
pub(super) struct Table<'t> {
    pub(super) text: &'t str,
    pub(super) records: Vec<Range<usize>>,
    /// Where each field begins, record by record.
    fields: Vec<u32>,
    /// The place in `fields` of each record's first one, and of the end.
    first: Vec<u32>,
    /// Fields that were read: the work that a comparison takes.
    reads: Cell<u64>,
}

/// The delimiter that cuts the first records into the same number of fields, two at least.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let width = |delimiter: u8| {
        let table = Table::head(text, delimiter, 20)?;
        let widths: Vec<usize> = (0..table.records.len()).map(|at| table.width(at)).collect();
        let first = *widths.first()?;
        (first > 1 && widths.iter().filter(|width| **width == first).count() * 10 >= widths.len() * 9).then_some(first)
    };
    let found = [b',', b';', b'\t', b'|'].into_iter().filter_map(|delimiter| Some((width(delimiter)?, delimiter)));
    found.max_by_key(|(width, delimiter)| (*width, *delimiter == b',')).map(|(_, delimiter)| delimiter)
}

impl<'t> Table<'t> {
    /// Reads all records; none when a quote is never closed or the text is too long to be compared so.
    pub(super) fn parse(text: &'t str, delimiter: u8) -> Option<Self> {
        Self::head(text, delimiter, usize::MAX)
    }

    fn head(text: &'t str, delimiter: u8, most: usize) -> Option<Self> {
        let place = |at: usize| u32::try_from(at).ok();
        place(text.len())?;
        let bytes = text.as_bytes();
        let mut table = Self { text, records: Vec::new(), fields: vec![0], first: vec![0], reads: Cell::new(0) };
        let (mut start, mut quoted, mut begins) = (0, false, true);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' if quoted && bytes.get(at + 1) == Some(&b'"') => at += 1,
                b'"' if quoted => quoted = false,
                b'"' if begins => quoted = true,
                b'\n' | b'\r' if !quoted => {
                    if *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                        at += 1;
                    }
                    table.end(start..at + 1)?;
                    start = at + 1;
                    if table.records.len() >= most {
                        return Some(table);
                    }
                }
                byte if *byte == delimiter && !quoted => table.fields.push(place(at + 1)?),
                _ => {}
            }
            let ends = |byte: &u8| matches!(byte, b'\n' | b'\r') || *byte == delimiter;
            begins = !quoted && bytes.get(at).is_some_and(ends);
            at += 1;
        }
        if quoted {
            return None;
        }
        if start < bytes.len() {
            table.end(start..bytes.len())?;
        }
        // Empty lines at the end are no rows.
        let blank = |range: &Range<usize>| text.get(range.clone()).is_some_and(|line| line.trim().is_empty());
        while table.records.last().is_some_and(blank) {
            table.records.pop();
        }
        Some(table)
    }

    /// Closes a record; the next one begins behind it.
    fn end(&mut self, record: Range<usize>) -> Option<()> {
        let next = u32::try_from(record.end).ok()?;
        self.first.push(u32::try_from(self.fields.len()).ok()?);
        self.fields.push(next);
        self.records.push(record);
        Some(())
    }

    /// Where a record is, its line end included.
    pub(super) fn range(&self, at: usize) -> Range<usize> {
        self.records.get(at).cloned().unwrap_or(0..0)
    }

    /// A record as it is written, without its line end.
    pub(super) fn line(&self, at: usize) -> &'t str {
        self.text.get(self.range(at)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// How many fields a record has.
    pub(super) fn width(&self, at: usize) -> usize {
        let place = |at: usize| self.first.get(at).copied().unwrap_or(0) as usize;
        if at < self.records.len() { place(at + 1) - place(at) } else { 0 }
    }

    /// How many fields there are in all.
    pub(super) fn cells(&self) -> usize {
        self.first.get(self.records.len()).map_or(0, |end| *end as usize)
    }

    /// Where a field is in the text; none beyond the last one of its record.
    pub(super) fn field_range(&self, at: usize, column: usize) -> Option<Range<usize>> {
        if column >= self.width(at) {
            return None;
        }
        let place = *self.first.get(at)? as usize + column;
        let start = *self.fields.get(place)? as usize;
        let end = if column + 1 == self.width(at) {
            self.range(at).start + self.line(at).len()
        } else {
            *self.fields.get(place + 1)? as usize - 1
        };
        Some(start..end.max(start))
    }

    /// One value; empty beyond the last field.
    pub(super) fn field(&self, at: usize, column: usize) -> Cow<'t, str> {
        self.reads.set(self.reads.get() + 1);
        let range = self.field_range(at, column);
        range.and_then(|range| self.text.get(range)).map(unquoted).unwrap_or_default()
    }

    /// The values of a record.
    pub(super) fn values(&self, at: usize) -> Vec<Cow<'t, str>> {
        (0..self.width(at)).map(|column| self.field(at, column)).collect()
    }

    /// How many fields were read so far.
    pub(super) fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Whether the first record names columns, each once.
    pub(super) fn has_header(&self) -> bool {
        if self.records.is_empty() {
            return false;
        }
        let names = self.values(0);
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let body: Vec<Vec<Cow<'_, str>>> = (1..self.records.len().min(HEADER_ROWS)).map(|at| self.values(at)).collect();
        names.iter().all(|name| !name.trim().is_empty()) && sorted.len() == names.len() && is_header(&names, &body)
    }
}

fn unquoted(raw: &str) -> Cow<'_, str> {
    match raw.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) if inside.contains("\"\"") => Cow::Owned(inside.replace("\"\"", "\"")),
        Some(inside) => Cow::Borrowed(inside),
        None => Cow::Borrowed(raw),
    }
}
