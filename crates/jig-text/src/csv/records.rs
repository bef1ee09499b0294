//! A batch of records: one text and the positions of the fields in it.

use std::borrow::Cow;
use std::ops::Range;

use super::CsvDialect;
use super::reader::FieldSelection;

/// How a field was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// Without quotes.
    Plain,
    /// In quotes.
    Quoted,
    /// In quotes, with quotes or escape characters inside that must be removed.
    Escaped,
    /// Text by its source, such as a cell of a sheet: never a number or a date.
    Text,
}

/// The position of a field, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoting: Quoting,
}

/// The position of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// The index of its first stored field.
    pub(super) first: u32,
    /// Its start in the text.
    pub(super) start: u32,
    /// How many fields it has, stored or not.
    pub(super) width: u32,
    /// Its line in the file, from 1.
    pub(super) line: u64,
}

/// A batch of records in the order of the file. [`RecordReader`](super::RecordReader) fills it.
#[derive(Debug, Default)]
pub struct Records {
    pub(super) text: String,
    pub(super) fields: Vec<Field>,
    pub(super) records: Vec<Record>,
    pub(super) dialect: Option<CsvDialect>,
    pub(super) selection: FieldSelection,
}

/// The fields of one column.
#[derive(Debug, Clone, Copy)]
pub struct RecordColumn<'a> {
    records: &'a Records,
    index: usize,
}

impl<'a> RecordColumn<'a> {
    /// The value of a record; `None` if the record is shorter.
    #[inline]
    #[must_use]
    pub fn cell(&self, row: usize) -> Option<Cell<'a>> {
        let (text, quoting) = self.raw(row)?;
        let text = match (quoting, self.records.dialect) {
            (Quoting::Escaped, Some(dialect)) => Cow::Owned(unescape(text, dialect)),
            _ => Cow::Borrowed(text),
        };
        Some(Cell { text, quoting })
    }

    /// A field as it is in the file, without its quotes; `None` if the record is shorter.
    #[inline]
    #[must_use]
    pub fn raw(&self, row: usize) -> Option<(&'a str, Quoting)> {
        let field = self.field(row)?;
        Some((self.records.text.get(field.start as usize..field.end as usize)?, field.quoting))
    }

    #[inline]
    fn field(&self, row: usize) -> Option<Field> {
        self.records.fields(row)?.get(self.index).copied()
    }

    /// The eight bytes before the end of an unquoted field, and how many of them belong to it, for
    /// [`parse_eight_bytes`](crate::value::parse_eight_bytes). `None` if the field is longer, or near the start of the text.
    #[inline]
    #[must_use]
    pub fn last_eight(&self, row: usize) -> Option<([u8; 8], u32)> {
        let field = self.field(row).filter(|field| field.quoting == Quoting::Plain)?;
        let length = field.end.wrapping_sub(field.start);
        let eight = *self.records.text.as_bytes().get(..field.end as usize)?.last_chunk()?;
        (length <= 8).then_some((eight, length))
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The value without quotes and escape characters.
    pub text: Cow<'a, str>,
    /// How it is written.
    pub quoting: Quoting,
}

impl Cell<'_> {
    /// Whether the field is empty and not quoted.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.text.is_empty() && self.quoting == Quoting::Plain
    }
}

impl Records {
    /// Splits a complete text into records, from [`text`](Self::text) on.
    ///
    /// ```
    /// use jig_text::csv::{CsvDialect, Records};
    ///
    /// let dialect = CsvDialect { delimiter: b';', quote: Some(b'"'), escape: None, space_before_quote: false };
    /// let records = Records::split("a;\"b \"\"c\"\"\"\n".to_owned(), dialect);
    /// assert_eq!(records.cell(0, 1).unwrap().text, "b \"c\"");
    /// assert_eq!(records.field_range(0, 1), Some(2..11));
    /// ```
    ///
    /// Positions have 32 bits: a text of 4 GiB or more has no records.
    #[must_use]
    pub fn split(text: String, dialect: CsvDialect) -> Self {
        super::reader::split_complete(text, dialect).0
    }

    /// The text that contains the records.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text that contains the records.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many fields a record has.
    #[inline]
    #[must_use]
    pub fn width(&self, row: usize) -> usize {
        self.records.get(row).map_or(0, |record| record.width as usize)
    }

    /// The stored fields of a record.
    #[inline]
    fn fields(&self, row: usize) -> Option<&[Field]> {
        let first = self.records.get(row)?.first as usize;
        let end = self.records.get(row + 1).map_or(self.fields.len(), |next| next.first as usize);
        self.fields.get(first..end)
    }

    /// The value of a field; `None` if the record is shorter.
    #[inline]
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Option<Cell<'_>> {
        self.column(column).cell(row)
    }

    /// The fields of one column.
    #[must_use]
    pub fn column(&self, column: usize) -> RecordColumn<'_> {
        RecordColumn { records: self, index: self.selection.index(column).unwrap_or(usize::MAX) }
    }

    /// The rest of a record from a column on, as it is in the file, without the quotes at both ends.
    #[must_use]
    pub fn rest(&self, row: usize, column: usize) -> Option<&str> {
        let fields = self.fields(row)?;
        let (start, end) = (fields.get(self.selection.index(column)?)?, fields.last()?);
        self.text.get(start.start as usize..end.end as usize)
    }

    /// A record as it is in the file, with its line ending.
    #[must_use]
    pub fn raw(&self, row: usize) -> Option<&str> {
        self.text.get(self.range(row)?)
    }

    /// The position of a record in the text, with its line ending.
    #[must_use]
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        let start = self.records.get(row)?.start as usize;
        let end = self.records.get(row + 1).map_or(self.text.len(), |next| next.start as usize);
        Some(start..end)
    }

    /// The position of a field in the text, with its quotes and the spaces before them. `None` if the record is shorter.
    #[must_use]
    pub fn field_range(&self, row: usize, column: usize) -> Option<Range<usize>> {
        // What follows a field is a delimiter; a closing quote is the last byte of its field.
        let end = |field: &Field| field.end as usize + usize::from(field.quoting != Quoting::Plain);
        let fields = self.fields(row)?;
        let field = fields.get(self.selection.index(column)?)?;
        let start = match column.checked_sub(1) {
            None => self.records.get(row)?.start as usize,
            Some(before) => end(fields.get(self.selection.index(before)?)?) + 1,
        };
        Some(start..end(field))
    }

    /// The line at which a record starts, from 1.
    #[must_use]
    pub fn line(&self, row: usize) -> u64 {
        self.records.get(row).map_or(0, |record| record.line)
    }

    /// Whether a record is an empty line.
    #[must_use]
    pub fn is_blank(&self, row: usize) -> bool {
        self.width(row) == 1
            && self.cell(row, 0).is_some_and(|cell| cell.quoting == Quoting::Plain && cell.text.trim().is_empty())
    }

    /// Appends a record of values that do not come from delimited text.
    pub fn push<'a>(&mut self, line: u64, cells: impl Iterator<Item = (&'a str, Quoting)>) {
        let (first, begin) = (self.fields.len(), self.text.len() as u32);
        for (text, quoting) in cells {
            let start = self.text.len() as u32;
            self.text.push_str(text);
            self.fields.push(Field { start, end: self.text.len() as u32, quoting });
        }
        let width = (self.fields.len() - first) as u32;
        self.records.push(Record { first: first as u32, start: begin, width, line });
    }
}

/// Removes doubled quotes or escape characters.
fn unescape(text: &str, dialect: CsvDialect) -> String {
    let quote = dialect.quote.map(char::from);
    let escape = dialect.escape.map(char::from);
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
