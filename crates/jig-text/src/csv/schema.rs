//! The schema of a table: where it starts, whether its first record is a header, the names of its columns and their types,
//! from a sample or from all records.

use std::collections::{BTreeMap, HashSet};

use super::columns::{Column, ColumnFormat, ColumnProfile, ColumnType};
use super::records::Records;
use crate::value::{is_null_word, looks_typed};

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

/// The most records above a table that are skipped.
const MAX_PREAMBLE: usize = 50;
/// The most columns of a table. Further fields of a record are text in one more column: the time that SQL engines need for
/// a query grows with the square of the columns.
pub const MAX_COLUMNS: usize = 4_096;

/// The layout of a table, detected by its start.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLayout {
    /// The line of the first record of the table, which is the header if there is one.
    pub first_line: u64,
    /// Whether the first record contains the names of the columns.
    pub has_header: bool,
    /// How certain this is, from 0 to 1.
    pub header_confidence: f64,
    /// The names of the columns: those of the header, made unique without regard to case, or `column_1`, `column_2`, ….
    pub names: Vec<String>,
    /// What a reader of the table should know.
    pub warnings: Vec<String>,
}

impl TableLayout {
    /// Detects the layout by the first records of a file. `has_header` is not detected if it is known.
    ///
    /// ```
    /// use jig_text::csv::{CsvOptions, Records, TableLayout, detect_dialect};
    ///
    /// let text = "Quarterly report\nregion,2023,2024\nNorth,10,20\nSouth,30,40\n";
    /// let dialect = detect_dialect(text, true, &CsvOptions::default()).dialect;
    /// let layout = TableLayout::detect(&Records::split(text.to_owned(), dialect), None);
    /// assert_eq!((layout.first_line, layout.has_header), (2, true));
    /// assert_eq!(layout.names, ["region", "2023", "2024"]);
    /// ```
    #[must_use]
    pub fn detect(records: &Records, has_header: Option<bool>) -> Self {
        detect(records, has_header)
    }

    /// The line of the first row, below the header.
    #[must_use]
    pub fn first_row_line(&self) -> u64 {
        self.first_line + u64::from(self.has_header)
    }

    /// The indices of the records that are rows of the table: below the header, and not empty lines. In a table with one
    /// column an empty line is a missing value.
    pub fn rows<'a>(&self, records: &'a Records) -> impl Iterator<Item = usize> + 'a {
        let (first, one_column) = (self.first_row_line(), self.names.len() == 1);
        (0..records.len()).filter(move |row| records.line(*row) >= first && (one_column || !records.is_blank(*row)))
    }
}

fn detect(records: &Records, has_header: Option<bool>) -> TableLayout {
    let mut warnings = Vec::new();
    let width = usual_width(records);
    let first = preamble(records, width, &mut warnings);
    let Some(first) = first else {
        return TableLayout { first_line: 1, has_header: false, header_confidence: 1.0, names: Vec::new(), warnings };
    };
    let (is_header, header_confidence) = match has_header {
        Some(known) => (known, 1.0),
        None => header(records, first, width),
    };
    let width = trailing(records, first, width.max(if is_header { records.width(first) } else { 0 }), &mut warnings);
    if width > MAX_COLUMNS {
        warnings.push(format!(
            "there are {width} columns; the first {MAX_COLUMNS} are columns here, and the rest of each row is in one more, without their names"
        ));
    }
    let width = width.min(MAX_COLUMNS);
    if has_header.is_none() && header_confidence < 0.7 {
        let what = if is_header { "the first row is probably a header" } else { "the file probably has no header" };
        warnings.push(format!("{what}; set `has_header` if this is wrong"));
    }
    let names = names(records, is_header.then_some(first), width, &mut warnings);
    TableLayout { first_line: records.line(first), has_header: is_header, header_confidence, names, warnings }
}

/// The width that most records have; of equals the larger.
fn usual_width(records: &Records) -> usize {
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for row in (0..records.len()).filter(|row| !records.is_blank(*row)) {
        *widths.entry(records.width(row)).or_default() += 1;
    }
    widths.into_iter().max_by_key(|(width, count)| (*count, *width)).map_or(0, |(width, _)| width)
}

/// The first record of the table: below empty lines, comments and titles.
fn preamble(records: &Records, width: usize, warnings: &mut Vec<String>) -> Option<usize> {
    let filled: Vec<usize> = (0..records.len()).filter(|row| !records.is_blank(*row)).collect();
    let begins = |row: usize, prefix: &str| {
        let start = |text: &str| text.trim_start().get(..prefix.len()).is_some_and(|s| s.eq_ignore_ascii_case(prefix));
        records.cell(row, 0).is_some_and(|cell| start(&cell.text))
    };
    let is_above = |row: usize| {
        let narrow = width > 1 && (records.width(row) == 1 || records.width(row) * 2 < width);
        let comment = begins(row, "#") && (records.width(row) < width || width == 1);
        narrow || comment || begins(row, "sep=")
    };
    let above = filled.iter().take(MAX_PREAMBLE).take_while(|row| is_above(**row)).count();
    // If all records look like that, they are the table.
    let above = if above == filled.len() { 0 } else { above };
    if let (true, Some(from), Some(to)) = (above > 0, filled.first(), filled.get(above - usize::from(above > 0))) {
        let lines = match (records.line(*from), records.line(*to)) {
            (from, to) if from == to => format!("line {from}"),
            (from, to) => format!("lines {from}–{to}"),
        };
        warnings.push(format!("skipped {lines} before the table"));
    }
    filled.get(above).copied()
}

/// Whether the first record is a header, and how certain that is.
fn header(records: &Records, first: usize, width: usize) -> (bool, f64) {
    let cell = |column: usize| records.cell(first, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
    let body: Vec<usize> = (first + 1..records.len()).filter(|row| !records.is_blank(*row)).collect();
    let columns = records.width(first).max(width).min(256);
    if body.is_empty() {
        let named = (0..columns).all(|column| !cell(column).is_empty() && !looks_typed(&cell(column)));
        return (named, 0.7);
    }
    let (mut speaks_for, mut against) = (0usize, 0usize);
    for column in 0..columns {
        let mut profile = ColumnProfile::default();
        for row in body.iter().take(1_000) {
            if let Some(cell) = records.cell(*row, column) {
                profile.add(&cell, 0, 0);
            }
        }
        let typed = profile.column_format().column_type != ColumnType::Text || profile.is_mostly_typed();
        let name = cell(column);
        if !typed || name.is_empty() || is_null_word(&name) {
            continue;
        }
        let named = !looks_typed(&name) || (is_year(&name) && !profile.holds_years());
        if named { speaks_for += 1 } else { against += 1 }
    }
    match (speaks_for, against) {
        (0, 0) => header_of_texts(records, first, &body, columns),
        (0, _) => (false, 0.9),
        (_, 0) => (true, 0.95),
        _ => (true, 0.8),
    }
}

/// Whether a name is a year: columns may be named 2023 and 2024.
fn is_year(name: &str) -> bool {
    name.len() == 4 && name.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// In a table of text, a header has names that are unique and differ from all values below them.
fn header_of_texts(records: &Records, first: usize, body: &[usize], columns: usize) -> (bool, f64) {
    let mut seen = HashSet::new();
    let mut words = 0usize;
    for column in 0..columns {
        let name = records.cell(first, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
        let text = |row: &usize| records.cell(*row, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
        let below = |row: &usize| text(row) == name;
        let trailing = name.is_empty() && column + 1 == columns && columns > 1;
        // A number above text is a name, as in `district,2018`; above numbers it is a value.
        let typed = looks_typed(&name);
        let one_of_them = typed && body.iter().any(|row| looks_typed(&text(row)));
        words += usize::from(!typed);
        if !trailing && (name.is_empty() || one_of_them || !seen.insert(name.to_lowercase()) || body.iter().any(below))
        {
            return (false, 0.6);
        }
    }
    (words > 0, 0.6)
}

/// Removes a last column that is always empty: each line ends with a delimiter.
fn trailing(records: &Records, first: usize, width: usize, warnings: &mut Vec<String>) -> usize {
    if width < 2 || records.len() - first < 2 {
        return width;
    }
    let empty = |row: usize| records.cell(row, width - 1).is_none_or(|cell| cell.is_missing());
    let there = (first..records.len()).any(|row| records.width(row) >= width);
    if there && (first..records.len()).all(empty) && records.width(first) >= width {
        warnings.push("each line ends with a delimiter; the empty column after it is left out".to_owned());
        return width - 1;
    }
    width
}

fn names(records: &Records, header: Option<usize>, width: usize, warnings: &mut Vec<String>) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(width);
    let (mut empty, mut twice) = (Vec::new(), Vec::new());
    for column in 0..width {
        let given = header.and_then(|row| records.cell(row, column)).map(|cell| clean(&cell.text)).unwrap_or_default();
        let wanted = if given.is_empty() { format!("column_{}", column + 1) } else { given.clone() };
        let name = unique_name(&wanted, &mut used);
        if header.is_some() && given.is_empty() {
            empty.push(name.clone());
        } else if name != wanted {
            twice.push(format!("`{wanted}` → `{name}`"));
        }
        names.push(name);
    }
    if !empty.is_empty() {
        warnings.push(format!("{} without a name: {}", quantity(empty.len(), "column"), first_few(&empty)));
    }
    if !twice.is_empty() {
        warnings.push(format!("{} twice and renamed: {}", quantity(twice.len(), "name"), first_few(&twice)));
    }
    names
}

/// Makes a name unique by a number at its end, and adds it to the used ones. Names are compared without regard to case, as
/// in SQL.
#[must_use]
pub fn unique_name(wanted: &str, used: &mut HashSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !used.insert(name.to_lowercase()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

/// A name without line breaks, repeated spaces and NUL, at most 200 characters long.
fn clean(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| *c != '\0').take(200).collect()
}

/// A number with its noun: `3 columns`.
#[must_use]
pub fn quantity(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// The first few items of a list, and how many more there are.
#[must_use]
pub fn first_few(list: &[String]) -> String {
    const FEW: usize = 5;
    let shown = list.iter().take(FEW).map(String::as_str).collect::<Vec<_>>().join(", ");
    if list.len() > FEW { format!("{shown} and {} more", list.len() - FEW) } else { shown }
}
