//! A run of records: one text and where its fields are.

use std::borrow::Cow;

use super::Marks;

/// How a field was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Without quotes.
    Plain,
    /// In quotes.
    Quoted,
    /// In quotes, with marks inside that must be taken off.
    Escaped,
    /// A value that its source calls text: never a number or a date.
    Text,
}

/// Where a field is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) how: How,
}

/// Where a record begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// Its first field.
    pub(crate) first: u32,
    /// Its line in the file, from 1.
    pub(crate) line: u64,
}

/// Records, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) text: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) records: Vec<Record>,
    pub(crate) marks: Option<Marks>,
}

/// A field's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) how: How,
}

impl Cell<'_> {
    /// Whether there is nothing there: not even quotes.
    pub(crate) fn is_missing(&self) -> bool {
        self.text.is_empty() && self.how == How::Plain
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// How many fields a record has.
    #[inline]
    pub(crate) fn width(&self, row: usize) -> usize {
        let Some(record) = self.records.get(row) else { return 0 };
        let end = self.records.get(row + 1).map_or(self.fields.len(), |next| next.first as usize);
        end.saturating_sub(record.first as usize)
    }

    /// One field; none when the record is shorter.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<Cell<'_>> {
        let at = self.records.get(row)?.first as usize + column;
        let end = self.records.get(row + 1).map_or(self.fields.len(), |next| next.first as usize);
        let field = *self.fields.get(..end)?.get(at)?;
        let text = self.text.get(field.start as usize..field.end as usize)?;
        let text = match (field.how, self.marks) {
            (How::Escaped, Some(marks)) => Cow::Owned(unescape(text, marks)),
            _ => Cow::Borrowed(text),
        };
        Some(Cell { text, how: field.how })
    }

    /// The rest of a record from a field on, as it stands in the file.
    pub(crate) fn rest(&self, row: usize, column: usize) -> Option<&str> {
        let width = self.width(row);
        let first = self.records.get(row)?.first as usize;
        let start = self.fields.get(first + column)?;
        let end = self.fields.get(first + width.checked_sub(1)?)?;
        self.text.get(start.start as usize..end.end as usize)
    }

    /// The line of a record, from 1.
    pub(crate) fn line(&self, row: usize) -> u64 {
        self.records.get(row).map_or(0, |record| record.line)
    }

    /// Whether a record is an empty line.
    pub(crate) fn is_blank(&self, row: usize) -> bool {
        self.width(row) == 1
            && self.cell(row, 0).is_some_and(|cell| cell.how == How::Plain && cell.text.trim().is_empty())
    }

    /// Adds a record of values that are not delimited text.
    pub(crate) fn push<'a>(&mut self, line: u64, cells: impl Iterator<Item = (&'a str, How)>) {
        let first = self.fields.len() as u32;
        self.records.push(Record { first, line });
        for (text, how) in cells {
            let start = self.text.len() as u32;
            self.text.push_str(text);
            self.fields.push(Field { start, end: self.text.len() as u32, how });
        }
    }
}

/// Takes off what protects quotes inside quotes.
fn unescape(text: &str, marks: Marks) -> String {
    let quote = marks.quote.map(char::from);
    let escape = marks.escape.map(char::from);
    let mut value = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let protects = match escape {
            Some(escape) => c == escape && (next == quote || next == Some(escape)),
            None => Some(c) == quote && next == quote,
        };
        value.push(if protects { rest.next().unwrap_or(c) } else { c });
    }
    value
}
