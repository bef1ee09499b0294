//! Where a table's rows come from: a delimited file, or a caller that has rows of its own.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use jig_text::DetectedEncoding;
use jig_worker::table_params::ReadOptions;

use crate::csv::Marks;
use crate::csv::encoding::{self, Text};
use crate::csv::rows::{How, Rows};
use crate::csv::scan::{Oddities, Scanner};
use crate::csv::sniff::{self, Known};
use crate::error::TableError;

/// How much of a file is looked at to tell its encoding and marks.
const HEAD: usize = 256 << 10;
/// How much of that is tried with each set of marks.
const SAMPLE: usize = 64 << 10;
/// Rows of a caller that are taken at a time.
const RUN_ROWS: usize = 8_192;
/// And bytes.
const RUN_BYTES: usize = 8 << 20;

/// What the options say of delimiter and quote character.
fn known(options: &ReadOptions) -> Result<Known, TableError> {
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
    Ok(Known { delimiter, quote })
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

/// Marks and encoding of a delimited file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dialect {
    pub(crate) marks: Marks,
    pub(crate) confidence: f64,
    pub(crate) found: DetectedEncoding,
    /// Whether the caller said what stands around fields.
    pub(crate) quote_said: bool,
}

/// A stream of records.
pub(crate) enum Stream<'a> {
    Text(Box<Scanner<'a>>),
    Rows { source: &'a mut dyn RowSource, row: Vec<SheetCell> },
}

impl Source<'_> {
    /// Tells a delimited file's encoding and marks. `thorough` reads all of it for the encoding.
    pub(crate) fn dialect(&mut self, options: &ReadOptions, thorough: bool) -> Result<Option<Dialect>, TableError> {
        let Self::Delimited(file) = self else { return Ok(None) };
        let known = known(options)?;
        let most = if thorough { usize::MAX } else { HEAD };
        let (head, whole) = head(file, most)?;
        let mut found = jig_text::detect(&head, whole);
        if let Some(label) = &options.encoding {
            let named = encoding::named(label)?;
            let mark = if named == found.charset { found.mark } else { 0 };
            found = DetectedEncoding { charset: named, mark, confidence: 1.0, ascii: false };
        }
        let mut sample = String::new();
        let start = head.get(found.mark..).unwrap_or_default();
        let cut = start.get(..start.len().min(SAMPLE)).unwrap_or_default();
        let mut text = Text::new(std::io::Cursor::new(cut), found.charset);
        text.rest(&mut sample)?;
        let whole = whole && cut.len() == start.len();
        let known = Known { delimiter: known.delimiter.or_else(|| said(&sample)), ..known };
        let sniffed = sniff::sniff(&sample, whole, known);
        Ok(Some(Dialect {
            marks: sniffed.marks,
            confidence: sniffed.confidence,
            found,
            quote_said: known.quote.is_some(),
        }))
    }

    /// What the caller knows of the rows that it gave.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Delimited(_) => Vec::new(),
            Self::Rows(source) => source.warnings(),
        }
    }

    /// The records from the first on.
    pub(crate) fn stream(&mut self, dialect: Option<Dialect>) -> Result<Stream<'_>, TableError> {
        match (self, dialect) {
            (Self::Rows(source), _) => {
                source.rewind().map_err(TableError::Unreadable)?;
                Ok(Stream::Rows { source: &mut **source, row: Vec::new() })
            }
            (Self::Delimited(file), Some(dialect)) => {
                let start = SeekFrom::Start(dialect.found.mark as u64);
                file.seek(start).map_err(TableError::io("the file could not be read"))?;
                let text = Text::new(&*file, dialect.found.charset);
                Ok(Stream::Text(Box::new(Scanner::new(text, dialect.marks))))
            }
            (Self::Delimited(_), None) => Err(TableError::Engine("a file without its marks".to_owned())),
        }
    }
}

impl Stream<'_> {
    /// The next run of records; none at the end.
    pub(crate) fn next_rows(&mut self) -> Result<Option<Rows>, TableError> {
        match self {
            Self::Text(scanner) => scanner.next_rows(),
            Self::Rows { source, row } => next_run(&mut **source, row),
        }
    }

    /// What was odd so far, and how many characters could not be decoded.
    pub(crate) fn oddities(&self) -> (Oddities, u64) {
        match self {
            Self::Text(scanner) => (scanner.oddities, scanner.replaced()),
            Self::Rows { .. } => (Oddities::default(), 0),
        }
    }
}

fn next_run(source: &mut dyn RowSource, row: &mut Vec<SheetCell>) -> Result<Option<Rows>, TableError> {
    let mut rows = Rows::default();
    while rows.len() < RUN_ROWS && rows.text.len() < RUN_BYTES {
        row.clear();
        let Some(line) = source.next_row(row).map_err(TableError::Unreadable)? else { break };
        rows.push(
            line,
            row.iter().map(|cell| match cell {
                SheetCell::Empty => ("", How::Plain),
                SheetCell::Text(text) => (text.as_str(), How::Text),
                SheetCell::Number(text) | SheetCell::Moment(text) => (text.as_str(), How::Plain),
                SheetCell::Boolean(true) => ("true", How::Plain),
                SheetCell::Boolean(false) => ("false", How::Plain),
            }),
        );
    }
    Ok(if rows.len() == 0 { None } else { Some(rows) })
}

/// The delimiter that a spreadsheet program wrote into the first line.
fn said(sample: &str) -> Option<u8> {
    let first = sample.lines().next()?.trim_end();
    let mark = first.strip_prefix("sep=").or_else(|| first.strip_prefix("SEP="))?;
    match mark.as_bytes() {
        [byte] => Some(*byte),
        [] if first.len() == 4 => None,
        _ => None,
    }
}

/// The beginning of a file, at most so many bytes that matter, and whether that is all of it. Only the first part is
/// kept of a long run of ASCII, which tells nothing about the encoding.
fn head(file: &mut File, most: usize) -> Result<(Vec<u8>, bool), TableError> {
    let failed = || TableError::io("the file could not be read");
    file.seek(SeekFrom::Start(0)).map_err(failed())?;
    let mut head = Vec::new();
    let mut piece = vec![0; HEAD];
    loop {
        let count = file.read(&mut piece).map_err(failed())?;
        if count == 0 {
            return Ok((head, true));
        }
        let new = piece.get(..count).unwrap_or_default();
        if head.len() < HEAD || (!new.is_ascii() && head.len() < 16 * HEAD) {
            head.extend_from_slice(new);
        }
        if head.len() >= most {
            return Ok((head, false));
        }
    }
}
