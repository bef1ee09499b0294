//! A run of records: one text and where its fields are.

use std::borrow::Cow;
use std::sync::Arc;

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
    /// Its first field that is kept.
    pub(crate) first: u32,
    /// Where it begins in the text.
    pub(crate) start: u32,
    /// How many fields it has, kept or not.
    pub(crate) width: u32,
    /// Its line in the file, from 1.
    pub(crate) line: u64,
}

/// Which fields of records are kept: those of some columns, or all. Those of the first column always are, because they
/// tell what is an empty line; and those beyond the last column, because they tell that a record is too long.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    /// Where a column's field is among those that are kept; none for a column that is not.
    places: Arc<[Option<u32>]>,
    count: usize,
}

impl Kept {
    /// The fields of these columns of so many.
    pub(crate) fn some(columns: &[usize], of: usize) -> Self {
        let mut count = 0;
        let place = |column: usize| {
            let place = (column == 0 || columns.contains(&column)).then_some(count);
            count += u32::from(place.is_some());
            place
        };
        let places = (0..of).map(place).collect();
        Self { places, count: count as usize }
    }

    #[inline]
    pub(super) fn keeps(&self, column: usize) -> bool {
        self.places.get(column).is_none_or(Option::is_some)
    }

    #[inline]
    fn place(&self, column: usize) -> Option<usize> {
        match self.places.get(column) {
            Some(place) => place.map(|place| place as usize),
            None => Some(column - self.places.len() + self.count),
        }
    }
}

/// Records, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) text: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) records: Vec<Record>,
    pub(crate) marks: Option<Marks>,
    pub(crate) kept: Kept,
}

/// One column of records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'a> {
    rows: &'a Rows,
    place: usize,
}

impl<'a> Column<'a> {
    /// One field; none when the record is shorter.
    #[inline]
    pub(crate) fn cell(&self, row: usize) -> Option<Cell<'a>> {
        let (text, how) = self.written(row)?;
        let text = match (how, self.rows.marks) {
            (How::Escaped, Some(marks)) => Cow::Owned(unescape(text, marks)),
            _ => Cow::Borrowed(text),
        };
        Some(Cell { text, how })
    }

    /// One field as it stands between its delimiters or quotes.
    #[inline]
    pub(crate) fn written(&self, row: usize) -> Option<(&'a str, How)> {
        let field = self.field(row)?;
        Some((self.rows.text.get(field.start as usize..field.end as usize)?, field.how))
    }

    #[inline]
    fn field(&self, row: usize) -> Option<Field> {
        self.rows.fields(row)?.get(self.place).copied()
    }

    /// The eight bytes before the end of a field without quotes, and how many of them are its own. None when it is
    /// longer, and where there are not so many.
    #[inline]
    pub(crate) fn last_eight(&self, row: usize) -> Option<([u8; 8], u32)> {
        let field = self.field(row).filter(|field| field.how == How::Plain)?;
        let length = field.end.wrapping_sub(field.start);
        let eight = *self.rows.text.as_bytes().get(..field.end as usize)?.last_chunk()?;
        (length <= 8).then_some((eight, length))
    }
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
        self.records.get(row).map_or(0, |record| record.width as usize)
    }

    /// The fields of a record that are kept.
    #[inline]
    fn fields(&self, row: usize) -> Option<&[Field]> {
        let first = self.records.get(row)?.first as usize;
        let end = self.records.get(row + 1).map_or(self.fields.len(), |next| next.first as usize);
        self.fields.get(first..end)
    }

    /// One field; none when the record is shorter.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<Cell<'_>> {
        self.column(column).cell(row)
    }

    /// The fields of one column, each by its record.
    pub(crate) fn column(&self, column: usize) -> Column<'_> {
        Column { rows: self, place: self.kept.place(column).unwrap_or(usize::MAX) }
    }

    /// The rest of a record from a field on, as it stands in the file.
    pub(crate) fn rest(&self, row: usize, column: usize) -> Option<&str> {
        let fields = self.fields(row)?;
        let (start, end) = (fields.get(self.kept.place(column)?)?, fields.last()?);
        self.text.get(start.start as usize..end.end as usize)
    }

    /// A record as it stands in the file, with its end of line.
    pub(crate) fn whole(&self, row: usize) -> Option<&str> {
        let start = self.records.get(row)?.start as usize;
        let end = self.records.get(row + 1).map_or(self.text.len(), |next| next.start as usize);
        self.text.get(start..end)
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
        let (first, begin) = (self.fields.len(), self.text.len() as u32);
        for (text, how) in cells {
            let start = self.text.len() as u32;
            self.text.push_str(text);
            self.fields.push(Field { start, end: self.text.len() as u32, how });
        }
        let width = (self.fields.len() - first) as u32;
        self.records.push(Record { first: first as u32, start: begin, width, line });
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
