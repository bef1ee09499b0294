//! Where the rows of a table come from, and the plan of how they are read: format, names and types.
//!
//! Everything becomes [`Records`] of `jig-text`, so that delimited files, sheets and JSON Lines share one inference of types.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use jig_file_api::table::ReadOptions;
use jig_text::Charset;
use jig_text::csv::{
    CsvDefects, CsvFile, CsvFormat, CsvOptions, DetectionScope, Quoting, RecordReader, Records, SampleScope,
    SchemaBuilder, TableLayout, TableSchema,
};

use crate::deadline::Deadline;
use crate::error::TableError;

/// Rows that are taken from a [`RowSource`] at a time.
const BATCH_ROWS: usize = 8_192;
/// About how many bytes of them.
const BATCH_BYTES: usize = 8 << 20;

/// A cell with its type by the source.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceCell {
    /// No value.
    Empty,
    /// Text, whatever it looks like.
    Text(String),
    /// A number, with a decimal point and without thousands separators.
    Number(String),
    /// True or false.
    Boolean(bool),
    /// A date, a time or both, in ISO form.
    DateTime(String),
}

/// Rows of typed cells: a sheet, a part of one, or JSON objects.
///
/// An implementation gives the same rows after each `rewind`, because a table may be read more than once: to infer its
/// types, and to fill it.
pub trait RowSource: Send {
    /// Goes back to the first row.
    fn rewind(&mut self) -> Result<(), TableError>;

    /// Appends the next row's cells to `row`, which is empty, and returns the row's number in its file; `None` at the end.
    fn next_row(&mut self, row: &mut Vec<SourceCell>) -> Result<Option<u64>, TableError>;

    /// The names of the columns, if the rows do not contain them.
    fn names(&self) -> Option<Vec<String>> {
        None
    }

    /// What a reader should know about the rows that were given since the last `rewind`.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The source of a table.
pub enum Source<'a> {
    /// A delimited file, open at any position.
    Delimited(File),
    /// Rows of typed cells.
    Rows(&'a mut dyn RowSource),
    /// A Parquet file.
    Parquet(File),
}

/// How a table is read.
#[derive(Debug)]
pub(crate) struct TablePlan {
    /// The encoding and dialect of a delimited file; `None` for other sources.
    pub(crate) format: Option<CsvFormat>,
    /// Whether the caller specified the quote character.
    pub(crate) quote_is_given: bool,
    /// The layout, names and types.
    pub(crate) schema: TableSchema,
}

impl TablePlan {
    /// Makes the plan of a table from its start or from all of it.
    pub(crate) fn new(
        source: &mut Source<'_>,
        options: &ReadOptions,
        scope: SampleScope,
        deadline: &Deadline,
    ) -> Result<Self, TableError> {
        deadline.check()?;
        let detection = match scope {
            SampleScope::Start => DetectionScope::Start,
            SampleScope::All => DetectionScope::All,
        };
        let format = source.detect_format(options, detection)?;
        let names = source.names();
        let mut stream = source.stream(format)?;
        let first = stream.next_batch()?.unwrap_or_default();
        let layout = match names {
            Some(names) => {
                TableLayout { first_line: 0, has_header: true, header_confidence: 1.0, names, warnings: Vec::new() }
            }
            None => TableLayout::detect(&first, options.has_header),
        };
        let mut schema = SchemaBuilder::with_layout(layout, scope);
        schema.add(&first);
        drop(first);
        while schema.needs_more()
            && let Some(batch) = stream.next_batch()?
        {
            deadline.check()?;
            schema.add(&batch);
        }
        Ok(Self { format, quote_is_given: options.quote.is_some(), schema: schema.finish() })
    }
}

/// The options for `jig-text`, which takes only ASCII characters as delimiter and quote.
fn csv_options(options: &ReadOptions) -> Result<CsvOptions, TableError> {
    let invalid = |name: &'static str, why: String| TableError::InvalidParameter { name, why };
    let ascii = |c: char, name: &'static str| {
        u8::try_from(c)
            .ok()
            .filter(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0))
            .ok_or_else(|| invalid(name, format!("must be one ASCII character other than a line ending (got `{c}`)")))
    };
    let delimiter = options.delimiter.map(|c| ascii(c, "delimiter")).transpose()?;
    let quote = match options.quote.as_deref() {
        None => None,
        Some("") => Some(None),
        Some(text) => {
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(c), None) => Some(Some(ascii(c, "quote")?)),
                _ => {
                    let why = format!("must be one character, or empty if quotes have no meaning (got `{text}`)");
                    return Err(invalid("quote", why));
                }
            }
        }
    };
    if delimiter.is_some() && quote.flatten() == delimiter {
        return Err(invalid("quote", "must differ from the delimiter".to_owned()));
    }
    let charset = match options.encoding.as_deref() {
        None => None,
        Some(label) => {
            Some(Charset::named(label).ok_or_else(|| invalid("encoding", format!("unknown encoding `{label}`")))?)
        }
    };
    Ok(CsvOptions { charset, delimiter, quote, has_header: options.has_header })
}

impl Source<'_> {
    /// Detects the encoding and dialect of a delimited file; `None` for other sources.
    fn detect_format(&self, options: &ReadOptions, scope: DetectionScope) -> Result<Option<CsvFormat>, TableError> {
        let Self::Delimited(file) = self else { return Ok(None) };
        Ok(Some(*CsvFile::open_with(file, &csv_options(options)?, scope)?.format()))
    }

    fn names(&self) -> Option<Vec<String>> {
        if let Self::Rows(source) = self { source.names() } else { None }
    }

    /// What the source reports about the rows that it gave.
    pub(crate) fn warnings(&self) -> Vec<String> {
        if let Self::Rows(source) = self { source.warnings() } else { Vec::new() }
    }

    /// The records from the first on.
    pub(crate) fn stream(&mut self, format: Option<CsvFormat>) -> Result<RecordStream<'_>, TableError> {
        match (self, format) {
            (Self::Rows(source), _) => {
                source.rewind()?;
                Ok(RecordStream::Rows { source: &mut **source, row: Vec::new() })
            }
            (Self::Delimited(file), Some(format)) => {
                let start = SeekFrom::Start(format.encoding.bom_len as u64);
                file.seek(start).map_err(TableError::io("the file could not be read"))?;
                Ok(RecordStream::Delimited(Box::new(format.read(&*file))))
            }
            (Self::Delimited(_), None) => Err(TableError::internal("a delimited file without a format")),
            (Self::Parquet(_), _) => Err(TableError::internal("a Parquet file has no records")),
        }
    }
}

/// The records of a source, batch by batch.
pub(crate) enum RecordStream<'a> {
    Delimited(Box<RecordReader<'a>>),
    Rows { source: &'a mut dyn RowSource, row: Vec<SourceCell> },
}

impl RecordStream<'_> {
    /// The next batch of records; `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Records>, TableError> {
        match self {
            Self::Delimited(reader) => Ok(reader.next_batch()?),
            Self::Rows { source, row } => next_rows(&mut **source, row),
        }
    }

    /// The defects of the text so far, and how many pieces of it contained invalid bytes.
    pub(crate) fn defects(&self) -> (CsvDefects, u64) {
        match self {
            Self::Delimited(reader) => (reader.defects(), reader.replaced()),
            Self::Rows { .. } => (CsvDefects::default(), 0),
        }
    }
}

fn next_rows(source: &mut dyn RowSource, row: &mut Vec<SourceCell>) -> Result<Option<Records>, TableError> {
    let mut records = Records::default();
    while records.len() < BATCH_ROWS && records.text().len() < BATCH_BYTES {
        row.clear();
        let Some(line) = source.next_row(row)? else { break };
        records.push(
            line,
            row.iter().map(|cell| match cell {
                SourceCell::Empty => ("", Quoting::Plain),
                SourceCell::Text(text) => (text.as_str(), Quoting::Text),
                SourceCell::Number(text) | SourceCell::DateTime(text) => (text.as_str(), Quoting::Plain),
                SourceCell::Boolean(true) => ("true", Quoting::Plain),
                SourceCell::Boolean(false) => ("false", Quoting::Plain),
            }),
        );
    }
    Ok(if records.is_empty() { None } else { Some(records) })
}
