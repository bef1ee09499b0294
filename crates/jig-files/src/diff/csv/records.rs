//! A table of delimited text for comparison: its rows as the table methods read them, with their places in the text.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use jig_text::Charset;
use jig_text::csv::{CsvDialect, CsvOptions, RecordReader, Records, TableLayout, detect_dialect};

/// A table: the header, if there is one, and the rows.
pub(super) struct Table {
    records: Records,
    pub(super) layout: TableLayout,
    /// The records of the table; the first is the header, if there is one. Lines above the table and empty lines are left out.
    rows: Vec<usize>,
    /// Fields that were read: the work that a comparison takes.
    reads: Cell<u64>,
}

/// The dialect of a text.
pub(super) fn dialect(text: &str) -> CsvDialect {
    detect_dialect(text, true, &CsvOptions::default()).dialect
}

impl Table {
    /// Reads all records; `None` if a record is too long.
    pub(super) fn parse(text: String, dialect: CsvDialect) -> Option<Self> {
        let layout = layout(&text, dialect)?;
        let records = Records::split(text, dialect);
        let one_column = layout.names.len() == 1;
        let is_row = |row: &usize| records.line(*row) >= layout.first_line && (one_column || !records.is_blank(*row));
        let rows = (0..records.len()).filter(is_row).collect();
        Some(Self { records, layout, rows, reads: Cell::new(0) })
    }

    /// How many records the table has, with its header.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> &[String] {
        &self.layout.names
    }

    /// The lines above the table, with their line endings.
    pub(super) fn above(&self) -> Range<usize> {
        0..self.rows.first().map_or(0, |_| self.range(0).start)
    }

    /// How many empty lines are below the first record and not part of the table.
    pub(super) fn empty_lines(&self) -> usize {
        let from = self.rows.first().copied().unwrap_or_default();
        self.records.len().saturating_sub(from).saturating_sub(self.rows.len())
    }

    pub(super) fn text(&self) -> &str {
        self.records.text()
    }

    /// The text, to be read with another dialect.
    pub(super) fn into_text(self) -> String {
        self.records.into_text()
    }

    fn record(&self, at: usize) -> usize {
        self.rows.get(at).copied().unwrap_or(usize::MAX)
    }

    /// The place of a record in the text, with its line ending.
    pub(super) fn range(&self, at: usize) -> Range<usize> {
        self.records.range(self.record(at)).unwrap_or_default()
    }

    /// A record as it is in the file, without its line ending.
    pub(super) fn line(&self, at: usize) -> &str {
        self.records.raw(self.record(at)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// How many fields a record has.
    pub(super) fn width(&self, at: usize) -> usize {
        self.records.width(self.record(at))
    }

    /// How many fields there are in total.
    pub(super) fn cells(&self) -> usize {
        (0..self.len()).map(|at| self.width(at)).sum()
    }

    /// The place of a field in the text, with its quotes; `None` beyond the last one of its record.
    pub(super) fn field_range(&self, at: usize, column: usize) -> Option<Range<usize>> {
        self.records.field_range(self.record(at), column)
    }

    /// A value; empty beyond the last field.
    pub(super) fn field(&self, at: usize, column: usize) -> Cow<'_, str> {
        self.reads.set(self.reads.get() + 1);
        self.records.cell(self.record(at), column).map(|cell| cell.text).unwrap_or_default()
    }

    /// How many fields were read so far.
    pub(super) fn reads(&self) -> u64 {
        self.reads.get()
    }
}

/// The layout as the table methods detect it: by the first batch of records.
fn layout(text: &str, dialect: CsvDialect) -> Option<TableLayout> {
    let source = jig_text::TextReader::new(text.as_bytes(), Charset::UTF_8);
    let first = RecordReader::new(source, dialect).next_batch().ok()?.unwrap_or_default();
    Some(TableLayout::detect(&first, None))
}
