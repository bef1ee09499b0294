//! Where a table's rows come from: a delimited file, or a caller that has rows of its own.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use jig_text::Charset;
use jig_text::csv::{CsvDefects, CsvFile, CsvFormat, CsvOptions, DetectionScope, Quoting, RecordReader, Records};
use jig_worker::table_params::ReadOptions;

use crate::error::TableError;

/// Rows of a caller that are taken at a time.
const BATCH_ROWS: usize = 8_192;
/// And bytes.
const BATCH_BYTES: usize = 8 << 20;

/// Checks what the options specify about a delimited file.
fn csv_options(options: &ReadOptions) -> Result<CsvOptions, TableError> {
    let ascii = |c: char, what: &str| {
        u8::try_from(c).ok().filter(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0)).ok_or_else(|| {
            TableError::Invalid(format!("{what}: one ASCII character is needed, not a line end; got `{c}`"))
        })
    };
    let delimiter = options.delimiter.map(|c| ascii(c, "delimiter")).transpose()?;
    let quote = match options.quote.as_deref() {
        None => None,
        Some("") => Some(None),
        Some(text) => {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Some(Some(ascii(c, "quote")?)),
                _ => {
                    return Err(TableError::Invalid(
                        "quote: one character is needed, or an empty text for none".to_owned(),
                    ));
                }
            }
        }
    };
    if delimiter.is_some() && quote.flatten() == delimiter {
        return Err(TableError::Invalid("quote: it must differ from the delimiter".to_owned()));
    }
    let charset = match options.encoding.as_deref() {
        None => None,
        Some(label) => Some(
            Charset::named(label)
                .ok_or_else(|| TableError::Invalid(format!("encoding: there is no encoding `{label}`")))?,
        ),
    };
    Ok(CsvOptions { charset, delimiter, quote, has_header: options.has_header })
}

/// A value of a sheet, as its format tells.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetCell {
    /// Nothing.
    Empty,
    /// Text, whatever it looks like.
    Text(String),
    /// A number, written with a point and without thousands.
    Number(String),
    /// A truth value.
    Boolean(bool),
    /// A date, a time or both, in ISO form.
    Moment(String),
}

/// Rows that a caller has: a sheet, or a part of one.
///
/// An implementation gives the same rows after each `rewind`, because a table may be read more than once: to learn its
/// types, and to fill it.
pub trait RowSource: Send {
    /// Goes back to the first row.
    fn rewind(&mut self) -> Result<(), String>;

    /// Puts the next row's cells into `row`, which is empty, and gives the row's number in its sheet; none at the end.
    fn next_row(&mut self, row: &mut Vec<SheetCell>) -> Result<Option<u64>, String>;

    /// What a reader should know of the rows that were given since the last `rewind`.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A table's origin.
pub enum Source<'a> {
    /// A delimited file, open at any place.
    Delimited(File),
    /// Rows of a caller.
    Rows(&'a mut dyn RowSource),
}

/// A stream of records.
pub(crate) enum Stream<'a> {
    Text(Box<RecordReader<'a>>),
    Rows { source: &'a mut dyn RowSource, row: Vec<SheetCell> },
}

impl Source<'_> {
    /// Detects the encoding and dialect of a delimited file; `None` for rows of a caller.
    pub(crate) fn format(&self, options: &ReadOptions, scope: DetectionScope) -> Result<Option<CsvFormat>, TableError> {
        let Self::Delimited(file) = self else { return Ok(None) };
        Ok(Some(*CsvFile::open_with(file, &csv_options(options)?, scope)?.format()))
    }

    /// What the caller reports about the rows that it gave.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Delimited(_) => Vec::new(),
            Self::Rows(source) => source.warnings(),
        }
    }

    /// The records from the first on.
    pub(crate) fn stream(&mut self, format: Option<CsvFormat>) -> Result<Stream<'_>, TableError> {
        match (self, format) {
            (Self::Rows(source), _) => {
                source.rewind().map_err(TableError::Unreadable)?;
                Ok(Stream::Rows { source: &mut **source, row: Vec::new() })
            }
            (Self::Delimited(file), Some(format)) => {
                let start = SeekFrom::Start(format.encoding.bom_len as u64);
                file.seek(start).map_err(TableError::io("the file could not be read"))?;
                Ok(Stream::Text(Box::new(format.read(&*file))))
            }
            (Self::Delimited(_), None) => Err(TableError::Engine("a file without a dialect".to_owned())),
        }
    }
}

impl Stream<'_> {
    /// The next batch of records; `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Records>, TableError> {
        match self {
            Self::Text(reader) => Ok(reader.next_batch()?),
            Self::Rows { source, row } => next_batch(&mut **source, row),
        }
    }

    /// What is irregular about the text so far, and how many pieces of it contained invalid bytes.
    pub(crate) fn defects(&self) -> (CsvDefects, u64) {
        match self {
            Self::Text(reader) => (reader.defects(), reader.replaced()),
            Self::Rows { .. } => (CsvDefects::default(), 0),
        }
    }
}

fn next_batch(source: &mut dyn RowSource, row: &mut Vec<SheetCell>) -> Result<Option<Records>, TableError> {
    let mut records = Records::default();
    while records.len() < BATCH_ROWS && records.text().len() < BATCH_BYTES {
        row.clear();
        let Some(line) = source.next_row(row).map_err(TableError::Unreadable)? else { break };
        records.push(
            line,
            row.iter().map(|cell| match cell {
                SheetCell::Empty => ("", Quoting::Plain),
                SheetCell::Text(text) => (text.as_str(), Quoting::Text),
                SheetCell::Number(text) | SheetCell::Moment(text) => (text.as_str(), Quoting::Plain),
                SheetCell::Boolean(true) => ("true", Quoting::Plain),
                SheetCell::Boolean(false) => ("false", Quoting::Plain),
            }),
        );
    }
    Ok(if records.is_empty() { None } else { Some(records) })
}
