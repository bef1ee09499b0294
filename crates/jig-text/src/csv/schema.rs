//! The schema of a table: its layout and the types of its columns, from a sample or from all records.

use std::collections::HashSet;

use super::columns::{Column, ColumnFormat};
use super::layout::{TableLayout, unique_name};
use super::profile::ColumnProfile;
use super::records::Records;

/// How many records a sample has.
const SAMPLE_RECORDS: usize = 20_000;
/// How many fields it has at most: the sample of a wide table has fewer records.
const SAMPLE_FIELDS: usize = 400_000;
/// How many records it has at least.
const SAMPLE_MIN_RECORDS: usize = 50;

/// Which records determine the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleScope {
    /// The first records.
    Start,
    /// All records.
    All,
}

/// The layout of a table and the types of its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSchema {
    /// Where the table starts, whether it has a header, and the names.
    pub layout: TableLayout,
    /// The columns. If records have values beyond the last name, one more text column holds them.
    pub columns: Vec<Column>,
    /// Whether there is such a column.
    pub has_extra_column: bool,
    /// Whether all records of the table were examined.
    pub is_complete: bool,
}

/// Derives a [`TableSchema`] from batches of records.
#[derive(Debug)]
pub struct SchemaBuilder {
    layout: TableLayout,
    scope: SampleScope,
    batches: usize,
    max_rows: usize,
    rows: usize,
    profiles: Vec<ColumnProfile>,
    has_extra_fields: bool,
    is_complete: bool,
}

impl SchemaBuilder {
    /// Detects the layout by the first batch of a table. The rows of all batches, this one included,
    /// are added by [`add`](Self::add).
    #[must_use]
    pub fn new(first: &Records, has_header: Option<bool>, scope: SampleScope) -> Self {
        Self::with_layout(TableLayout::detect(first, has_header), scope)
    }

    /// Starts with a known layout, for records that do not come from delimited text.
    #[must_use]
    pub fn with_layout(layout: TableLayout, scope: SampleScope) -> Self {
        let width = layout.names.len();
        let max_rows = match scope {
            SampleScope::Start => SAMPLE_RECORDS.min(SAMPLE_FIELDS / width.max(1)).max(SAMPLE_MIN_RECORDS),
            SampleScope::All => usize::MAX,
        };
        let profiles = vec![ColumnProfile::default(); width];
        Self { layout, scope, batches: 0, max_rows, rows: 0, profiles, has_extra_fields: false, is_complete: true }
    }

    /// Whether the next batch changes the schema. A sample is part of the first batch; the second one only shows whether
    /// the first was all.
    #[must_use]
    pub fn needs_more(&self) -> bool {
        self.is_complete
    }

    /// Adds the rows of a batch, as far as they belong to the sample.
    pub fn add(&mut self, records: &Records) {
        if self.scope == SampleScope::Start && self.batches > 0 {
            self.is_complete &= records.is_empty();
            return;
        }
        self.batches += 1;
        let width = self.layout.names.len();
        for row in self.layout.rows(records) {
            if self.rows >= self.max_rows {
                self.is_complete = false;
                return;
            }
            self.rows += 1;
            let line = records.line(row);
            for (column, profile) in self.profiles.iter_mut().enumerate() {
                if let Some(cell) = records.cell(row, column) {
                    profile.add(&cell, self.rows as u64, line);
                }
            }
            self.has_extra_fields |= has_extra_fields(records, row, width);
        }
    }

    /// The schema of the records added so far.
    #[must_use]
    pub fn finish(self) -> TableSchema {
        let mut used: HashSet<String> = self.layout.names.iter().map(|name| name.to_lowercase()).collect();
        let named = self.layout.names.iter().zip(self.profiles);
        let mut columns: Vec<Column> = named
            .map(|(name, profile)| Column {
                name: name.clone(),
                format: profile.column_format(),
                examples: profile.examples,
            })
            .collect();
        if self.has_extra_fields {
            let name = unique_name("extra", &mut used);
            columns.push(Column { name, format: ColumnFormat::text(), examples: Vec::new() });
        }
        let has_extra_column = self.has_extra_fields;
        TableSchema { layout: self.layout, columns, has_extra_column, is_complete: self.is_complete }
    }
}

/// Whether a record has values beyond the last column of a table.
#[must_use]
pub fn has_extra_fields(records: &Records, row: usize, width: usize) -> bool {
    (width..records.width(row)).any(|column| records.cell(row, column).is_some_and(|cell| !cell.is_missing()))
}
