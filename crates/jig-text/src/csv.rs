//! Delimited text: its dialect, its records, and the names and types of its columns.
//!
//! [`CsvFile`] detects encoding and dialect: each likely dialect splits a sample, and the one with the most uniform records
//! wins. `records` and `reader` split the text, `schema` finds header and names, `columns` the types.

mod columns;
mod reader;
mod records;
mod schema;
mod write;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use crate::encoding::{Charset, DetectedEncoding, TextReader, detect_encoding};
use crate::value::looks_typed;

use reader::{split_complete, split_start};

pub use columns::{Column, ColumnFormat, ColumnProfile, ColumnType, NumberStyle, clip};
pub use reader::{CsvDefects, FieldSelection, Occurrences, RecordReader};
pub use records::{Cell, Quoting, RecordColumn, Records};
pub use schema::{
    MAX_COLUMNS, SampleScope, SchemaBuilder, TableLayout, TableSchema, first_few, has_extra_fields, quantity,
    unique_name,
};
pub use write::{CsvValue, CsvWriter, CsvWriterOptions, Newline};

/// How fields are separated and quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvDialect {
    /// The character between fields.
    pub delimiter: u8,
    /// The character around quoted fields; `None` if quotes have no meaning.
    pub quote: Option<u8>,
    /// The character before a quote inside quotes, if quotes are not doubled instead.
    pub escape: Option<u8>,
    /// Whether spaces are allowed between a delimiter and the opening quote.
    pub space_before_quote: bool,
}

/// What the caller knows about a delimited text. The rest is detected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The encoding.
    pub charset: Option<Charset>,
    /// The delimiter, an ASCII character.
    pub delimiter: Option<u8>,
    /// The quote character, an ASCII character; `Some(None)` if quotes have no meaning.
    pub quote: Option<Option<u8>>,
    /// Whether the first record contains the names of the columns.
    pub has_header: Option<bool>,
}

/// The encoding and dialect of a delimited text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CsvFormat {
    /// The encoding.
    pub encoding: DetectedEncoding,
    /// The dialect.
    pub dialect: CsvDialect,
    /// How certain the dialect is, from 0 to 1.
    pub confidence: f64,
}

/// Why a delimited text could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// The underlying reader failed.
    #[error("the file could not be read: {source}")]
    Read {
        /// Its error.
        #[from]
        source: io::Error,
    },
    /// A record has no end within the size limit.
    #[error("line {line} is longer than {limit_mib} MiB")]
    RecordTooLong {
        /// The line at which the record starts, from 1.
        line: u64,
        /// The limit in MiB.
        limit_mib: usize,
    },
}

/// How much of a file is examined to detect its encoding. Decoded, it is at least the sample of the dialect.
const HEAD_BYTES: usize = 256 << 10;
/// How much of it at most, if all of the file is read for it. ASCII after the first part counts for nothing.
const MAX_HEAD_BYTES: usize = 16 * HEAD_BYTES;

/// How much of a file is read to detect its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectionScope {
    /// The first 256 KiB.
    Start,
    /// All of it: for a file whose start is ASCII and that has other bytes later.
    All,
}

/// A delimited file with its detected format.
///
/// ```
/// use std::io::Cursor;
///
/// use jig_text::csv::{ColumnType, CsvFile, CsvOptions, SampleScope};
///
/// let bytes = b"day;city;amount\n2024-01-31;K\xf6ln;1.234,50\n2024-02-01;Z\xfcrich;12,00\n";
/// let mut file = CsvFile::open(Cursor::new(bytes), &CsvOptions::default())?;
/// assert_eq!(file.format().encoding.charset.name(), "windows-1252");
/// assert_eq!(file.format().dialect.delimiter, b';');
///
/// let schema = file.schema(SampleScope::All)?;
/// assert_eq!(schema.layout.names, ["day", "city", "amount"]);
/// assert_eq!(schema.columns[2].format.column_type, ColumnType::Decimal { precision: 18, scale: 2 });
/// # Ok::<(), jig_text::csv::CsvError>(())
/// ```
#[derive(Debug)]
pub struct CsvFile<R> {
    source: R,
    options: CsvOptions,
    format: CsvFormat,
}

impl<R: Read + Seek> CsvFile<R> {
    /// Detects the format of a file by its start.
    ///
    /// # Errors
    /// [`CsvError::Read`] if the file cannot be read.
    pub fn open(source: R, options: &CsvOptions) -> Result<Self, CsvError> {
        Self::open_with(source, options, DetectionScope::Start)
    }

    /// Detects the format of a file.
    ///
    /// # Errors
    /// [`CsvError::Read`] if the file cannot be read.
    pub fn open_with(mut source: R, options: &CsvOptions, scope: DetectionScope) -> Result<Self, CsvError> {
        let (head, complete) = read_head(&mut source, scope)?;
        let mut encoding = detect_encoding(&head, complete);
        if let Some(charset) = options.charset {
            let bom_len = if charset == encoding.charset { encoding.bom_len } else { 0 };
            encoding = DetectedEncoding { charset, bom_len, confidence: 1.0, ascii: false };
        }
        let start = head.get(encoding.bom_len..).unwrap_or_default();
        let sampled = start.get(..start.len().min(HEAD_BYTES)).unwrap_or_default();
        let mut sample = String::new();
        TextReader::new(Cursor::new(sampled), encoding.charset).read_to_end(&mut sample)?;
        let detected = detect_dialect(&sample, complete && sampled.len() == start.len(), options);
        let format = CsvFormat { encoding, dialect: detected.dialect, confidence: detected.confidence };
        Ok(Self { source, options: *options, format })
    }

    /// The encoding and dialect.
    #[must_use]
    pub fn format(&self) -> &CsvFormat {
        &self.format
    }

    /// Derives the layout and the types of the columns.
    ///
    /// # Errors
    /// [`CsvError`] if the file cannot be read or a record is too long.
    pub fn schema(&mut self, scope: SampleScope) -> Result<TableSchema, CsvError>
    where
        R: Send,
    {
        let has_header = self.options.has_header;
        let mut reader = self.records()?;
        let first = reader.next_batch()?.unwrap_or_default();
        let mut builder = SchemaBuilder::new(&first, has_header, scope);
        builder.add(&first);
        while builder.needs_more()
            && let Some(batch) = reader.next_batch()?
        {
            builder.add(&batch);
        }
        Ok(builder.finish())
    }

    /// The records from the first one on, also those above the table.
    ///
    /// # Errors
    /// [`CsvError::Read`] if the file cannot be read.
    pub fn records(&mut self) -> Result<RecordReader<'_>, CsvError>
    where
        R: Send,
    {
        self.source.seek(SeekFrom::Start(self.format.encoding.bom_len as u64))?;
        Ok(self.format.read(&mut self.source))
    }
}

impl CsvFormat {
    /// Reads records from bytes in this format that start after any byte order mark.
    #[must_use]
    pub fn read<'a>(&self, source: impl Read + Send + 'a) -> RecordReader<'a> {
        RecordReader::new(TextReader::new(source, self.encoding.charset), self.dialect)
    }
}

/// The start of a file, and whether that is all of it. Beyond [`HEAD_BYTES`] only pieces with other bytes than ASCII are
/// included, because ASCII shows nothing about the encoding.
fn read_head(source: &mut (impl Read + Seek), scope: DetectionScope) -> Result<(Vec<u8>, bool), CsvError> {
    source.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    let mut piece = vec![0; HEAD_BYTES];
    loop {
        let count = source.read(&mut piece)?;
        if count == 0 {
            return Ok((head, true));
        }
        let new = piece.get(..count).unwrap_or_default();
        if head.len() < HEAD_BYTES || (!new.is_ascii() && head.len() < MAX_HEAD_BYTES) {
            head.extend_from_slice(new);
        }
        if scope == DetectionScope::Start && head.len() >= HEAD_BYTES {
            return Ok((head, false));
        }
    }
}

/// How much of a text is split with each dialect.
const SAMPLE_BYTES: usize = 64 << 10;
/// Delimiters, and a penalty for those that also occur in values.
const DELIMITERS: [(u8, f64); 9] = [
    (b',', 0.0),
    (b'\t', 0.0),
    (b';', 0.01),
    (b'|', 0.02),
    (0x1f, 0.02),
    (0x01, 0.02),
    (b'^', 0.1),
    (b'~', 0.1),
    (b':', 0.3),
];
/// The score of a single column: above very uneven records, below even ones.
const ONE_COLUMN: f64 = 0.62;

/// The result of [`detect_dialect`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedDialect {
    /// The dialect.
    pub dialect: CsvDialect,
    /// How certain this is, from 0 to 1.
    pub confidence: f64,
}

/// Detects the dialect of a text by its start, of which at most 64 KiB are examined. `complete` states that this is the
/// entire text. What the options specify is not detected; a first line `sep=;` specifies the delimiter too.
///
/// ```
/// use jig_text::csv::{CsvOptions, detect_dialect};
///
/// let text = "day;amount\n2024-01-31;1,50\n2024-02-01;12,00\n";
/// assert_eq!(detect_dialect(text, true, &CsvOptions::default()).dialect.delimiter, b';');
/// ```
#[must_use]
pub fn detect_dialect(text: &str, complete: bool, options: &CsvOptions) -> DetectedDialect {
    let end = text.floor_char_boundary(SAMPLE_BYTES);
    let sample = text.get(..end).unwrap_or(text);
    let complete = complete && end == text.len();
    let known = CsvOptions { delimiter: options.delimiter.or_else(|| sep_line(sample)), ..*options };
    let mut tries: Vec<(f64, f64, CsvDialect)> = Vec::new();
    for dialect in candidates(sample, &known) {
        let (score, evenness) = score(sample, complete, dialect);
        let penalty = DELIMITERS.iter().find(|(delimiter, _)| *delimiter == dialect.delimiter).map_or(0.0, |one| one.1);
        tries.push((score - penalty, evenness, dialect));
    }
    // The first of equals wins: candidates are in the order of how common they are.
    let best = tries.iter().copied().reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best });
    let Some((top, evenness, dialect)) = best else {
        let delimiter = known.delimiter.unwrap_or(b',');
        let dialect = CsvDialect { delimiter, quote: None, escape: None, space_before_quote: false };
        return DetectedDialect { dialect, confidence: 0.5 };
    };
    let others = tries.iter().filter(|one| one.2.delimiter != dialect.delimiter).map(|one| one.0);
    let second = others.fold(0.0, f64::max);
    let lead = (top - second).clamp(0.0, 0.5);
    let confidence = if known.delimiter.is_some() { 1.0 } else { (evenness * (0.5 + lead)).clamp(0.0, 1.0) };
    DetectedDialect { dialect, confidence: (confidence * 100.0).round() / 100.0 }
}

/// The delimiter in a first line such as `sep=;`, which Excel writes and reads.
fn sep_line(sample: &str) -> Option<u8> {
    let first = sample.lines().next()?.trim_end_matches('\r');
    let delimiter = first.strip_prefix("sep=").or_else(|| first.strip_prefix("SEP="))?;
    match delimiter.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    }
}

fn candidates(sample: &str, known: &CsvOptions) -> Vec<CsvDialect> {
    let delimiters: Vec<u8> = match known.delimiter {
        Some(delimiter) => vec![delimiter],
        None => {
            DELIMITERS.iter().map(|one| one.0).filter(|one| *one == b',' || sample.as_bytes().contains(one)).collect()
        }
    };
    let quotes: Vec<Option<u8>> = match known.quote {
        Some(quote) => vec![quote],
        None => {
            let used = [b'"', b'\''].into_iter().filter(|quote| starts_fields(sample, *quote, &delimiters));
            used.map(Some).chain([None]).collect()
        }
    };
    let mut all = Vec::new();
    for delimiter in delimiters {
        for quote in &quotes {
            let plain = CsvDialect { delimiter, quote: *quote, escape: None, space_before_quote: false };
            let Some(quote) = quote.map(char::from) else {
                all.push(plain);
                continue;
            };
            let space_before_quote = sample.contains(&format!("{} {quote}", char::from(delimiter)));
            all.push(CsvDialect { space_before_quote, ..plain });
            if sample.contains(&format!("\\{quote}")) {
                all.push(CsvDialect { space_before_quote, escape: Some(b'\\'), ..plain });
            }
        }
    }
    all
}

/// Whether a quote is at a place where a field may start.
fn starts_fields(sample: &str, quote: u8, delimiters: &[u8]) -> bool {
    let bytes = sample.as_bytes();
    memchr::memchr_iter(quote, bytes).any(|at| match at.checked_sub(1).and_then(|before| bytes.get(before)) {
        None | Some(b'\n' | b'\r' | b' ') => true,
        Some(before) => delimiters.contains(before),
    })
}

fn split_sample(sample: &str, complete: bool, dialect: CsvDialect) -> (Records, CsvDefects) {
    let split = if complete { split_complete } else { split_start };
    split(sample.to_owned(), dialect)
}

/// The score of a dialect, and the share of records with the most frequent number of fields.
fn score(sample: &str, complete: bool, dialect: CsvDialect) -> (f64, f64) {
    let (records, defects) = split_sample(sample, complete, dialect);
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0usize;
    for row in (0..records.len()).filter(|row| !records.is_blank(*row)) {
        *widths.entry(records.width(row)).or_default() += 1;
        count += 1;
    }
    let Some((width, even)) = widths.into_iter().max_by_key(|(width, count)| (*count, *width)) else {
        return (0.0, 0.0);
    };
    let evenness = even as f64 / count.max(1) as f64;
    let bad_quotes = defects.undoubled_quotes.count + defects.unclosed_quotes.count;
    let penalty = if bad_quotes > 0 { 0.1 + 0.3 * (bad_quotes as f64 / count as f64).min(1.0) } else { 0.0 };
    let penalty = penalty + unused_quotes(&records, dialect);
    if width == 1 {
        return (ONE_COLUMN - penalty, 0.5);
    }
    let typed = typed_share(&records, width);
    (evenness + 0.3 * typed + 0.01 * width.min(10) as f64 - penalty, evenness)
}

/// The penalty for fields that still have quotes at both ends.
fn unused_quotes(records: &Records, dialect: CsvDialect) -> f64 {
    let has_quotes = |quote: char, text: &str| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let mut plain = 0usize;
    let mut wrapped = 0usize;
    for field in records.fields.iter().take(2_000).filter(|field| field.quoting == Quoting::Plain) {
        let text = records.text.get(field.start as usize..field.end as usize).unwrap_or_default().trim();
        plain += 1;
        wrapped += usize::from(has_quotes('"', text) || (dialect.quote.is_none() && has_quotes('\'', text)));
    }
    if wrapped == 0 { 0.0 } else { 0.05 + wrapped as f64 / plain as f64 }
}

/// The share of fields that are empty, numbers, dates, times or booleans.
fn typed_share(records: &Records, width: usize) -> f64 {
    let (mut all, mut typed) = (0usize, 0usize);
    for row in (0..records.len()).filter(|row| records.width(*row) == width).take(200) {
        for column in 0..width.min(50) {
            let Some(cell) = records.cell(row, column) else { continue };
            all += 1;
            typed += usize::from(cell.text.trim().is_empty() || looks_typed(&cell.text));
        }
    }
    typed as f64 / all.max(1) as f64
}
