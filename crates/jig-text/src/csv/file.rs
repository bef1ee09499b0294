//! A delimited file: detects its encoding and dialect, and reads its records and schema.

use std::io::{Cursor, Read, Seek, SeekFrom};

use super::dialect::detect_dialect;
use super::reader::RecordReader;
use super::schema::{SampleScope, SchemaBuilder, TableSchema};
use super::{CsvError, CsvFormat, CsvOptions};
use crate::encoding::{DetectedEncoding, TextReader, detect_encoding};

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
