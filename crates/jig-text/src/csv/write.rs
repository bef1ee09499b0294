//! Writes delimited text.

use std::io::{self, Write};

/// The line ending of written records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Newline {
    /// LF.
    #[default]
    Lf,
    /// CRLF.
    CrLf,
}

/// How delimited text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvWriterOptions {
    /// The character between fields, in ASCII.
    pub delimiter: u8,
    /// Whether a byte order mark precedes the text, for programs that do not recognize UTF-8 without it.
    pub byte_order_mark: bool,
    /// The line ending.
    pub newline: Newline,
    /// Whether text that a spreadsheet program would run as a formula gets an apostrophe in front.
    pub escape_formulas: bool,
}

impl Default for CsvWriterOptions {
    fn default() -> Self {
        Self { delimiter: b',', byte_order_mark: false, newline: Newline::Lf, escape_formulas: false }
    }
}

/// A value to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvValue<'a> {
    /// A missing value: an empty field without quotes.
    Missing,
    /// A number, date or other text without special characters, written as it is.
    Plain(&'a str),
    /// Text, quoted if necessary. An empty text is quoted, because it is not a missing value.
    Text(&'a str),
}

/// Writes records to a file or another stream, in UTF-8.
///
/// ```
/// use jig_text::csv::{CsvValue, CsvWriter, CsvWriterOptions};
///
/// let mut writer = CsvWriter::new(Vec::new(), CsvWriterOptions::default());
/// writer.write_record([CsvValue::Text("Doe, Jane"), CsvValue::Plain("12.50"), CsvValue::Missing])?;
/// assert_eq!(writer.into_inner(), b"\"Doe, Jane\",12.50,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct CsvWriter<W> {
    target: W,
    options: CsvWriterOptions,
    line: Vec<u8>,
}

impl<W: Write> CsvWriter<W> {
    /// Writes to this target.
    pub fn new(target: W, options: CsvWriterOptions) -> Self {
        let mut line = Vec::new();
        if options.byte_order_mark {
            line.extend_from_slice("\u{feff}".as_bytes());
        }
        Self { target, options, line }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// What the target returned.
    pub fn write_record<'a>(&mut self, values: impl IntoIterator<Item = CsvValue<'a>>) -> io::Result<()> {
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.line.push(self.options.delimiter);
            }
            match value {
                CsvValue::Missing => {}
                CsvValue::Plain(text) => self.line.extend_from_slice(text.as_bytes()),
                CsvValue::Text(text) => self.text(text),
            }
        }
        let newline: &[u8] = match self.options.newline {
            Newline::Lf => b"\n",
            Newline::CrLf => b"\r\n",
        };
        self.line.extend_from_slice(newline);
        self.target.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    /// The target.
    pub fn into_inner(self) -> W {
        self.target
    }

    fn text(&mut self, text: &str) {
        let formula = self.options.escape_formulas && is_formula(text);
        let delimiter = char::from(self.options.delimiter);
        let quote = text.is_empty() || text.contains(['"', '\n', '\r', delimiter]) || text != text.trim();
        if quote {
            self.line.push(b'"');
        }
        if formula {
            self.line.push(b'\'');
        }
        for byte in text.bytes() {
            if byte == b'"' {
                self.line.push(b'"');
            }
            self.line.push(byte);
        }
        if quote {
            self.line.push(b'"');
        }
    }
}

/// Whether a spreadsheet program would run a text as a formula. A sign before nothing but digits is a number, such as a
/// telephone number, and a sign alone is a dash.
fn is_formula(text: &str) -> bool {
    match text.strip_prefix(['+', '-']) {
        Some(rest) => !rest.chars().all(|c| c.is_ascii_digit() || [' ', '.', ',', '%'].contains(&c)),
        None => text.starts_with(['=', '@', '\t', '\r', '＝', '＋', '－', '＠']),
    }
}
