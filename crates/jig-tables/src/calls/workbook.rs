//! A new workbook of one sheet, written as a stream: its memory does not grow with its rows.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::{CellValue, ResultColumn, ResultRow, RowSink, TableError, fits_double};
use zip::write::{SimpleFileOptions, ZipWriter};

use jig_files::engine::FileError;

/// The most rows of a sheet, with the header.
const MOST_ROWS: u64 = 1_048_576;
const MOST_COLUMNS: usize = 16_384;
/// The most bytes of a sheet: larger ones need a form of zip entry that not all programs open.
const MOST_BYTES: u64 = 0xF000_0000;
/// The most characters of a cell.
const MOST_TEXT: usize = 32_767;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const BOOK_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// Formats by number: 0 plain, 1 header, 2 date, 3 date with time, 4 time.
const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFEDEDED"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="21" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#;

/// Writes rows into a new workbook.
pub(super) struct Writer {
    zip: ZipWriter<BufWriter<File>>,
    columns: Vec<ResultColumn>,
    row: u64,
    bytes: u64,
    line: String,
    notes: Notes,
}

/// What could not be written as it is.
#[derive(Debug, Default)]
pub(super) struct Notes {
    long_numbers: u64,
    old_dates: u64,
    cut_texts: u64,
    control: u64,
}

impl Notes {
    pub(super) fn words(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut say = |count: u64, words: &str| {
            if count > 0 {
                all.push(format!("{count} {words}"));
            }
        };
        say(self.long_numbers, "numbers have more digits than a cell keeps and are written as text");
        say(self.old_dates, "dates before 1900-03-01 are written as text");
        say(self.cut_texts, "texts are longer than 32,767 characters and are cut");
        say(self.control, "texts lost control characters that a workbook cannot hold");
        all
    }
}

impl Writer {
    pub(super) fn new(file: File, sheet: &str) -> Result<Self, FileError> {
        check_name(sheet)?;
        let mut zip = ZipWriter::new(BufWriter::with_capacity(1 << 20, file));
        let book = format!(
            r#"<workbook xmlns="{MAIN}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><bookViews><workbookView/></bookViews><sheets><sheet name="{}" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
            escape(sheet)
        );
        let parts = [
            ("[Content_Types].xml", TYPES),
            ("_rels/.rels", RELATIONS),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", BOOK_RELATIONS),
            ("xl/styles.xml", STYLES),
        ];
        for (name, text) in parts {
            begin(&mut zip, name)?;
            zip.write_all(HEAD.as_bytes()).and_then(|()| zip.write_all(text.as_bytes())).map_err(unwritable)?;
        }
        begin(&mut zip, "xl/worksheets/sheet1.xml")?;
        Ok(Self { zip, columns: Vec::new(), row: 0, bytes: 0, line: String::new(), notes: Notes::default() })
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Ends the file; gives what a reader should know.
    pub(super) fn finish(mut self) -> Result<Vec<String>, FileError> {
        self.zip.write_all(b"</sheetData></worksheet>").map_err(unwritable)?;
        let mut file = self.zip.finish().map_err(unwritable)?;
        file.flush().map_err(unwritable)?;
        Ok(self.notes.words())
    }

    fn begin_row(&mut self) -> Result<(), TableError> {
        self.row += 1;
        if self.row > MOST_ROWS {
            let words = format!("a sheet holds {MOST_ROWS} rows and the query has more; export csv, or add a LIMIT");
            return Err(TableError::TooLarge(words));
        }
        self.line.clear();
        self.line.push_str(&format!("<row r=\"{}\">", self.row));
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), TableError> {
        self.line.push_str("</row>");
        self.bytes += self.line.len() as u64;
        if self.bytes > MOST_BYTES {
            let words = "the rows make a sheet of more than 4 GB, which few programs open; export csv, or add a LIMIT";
            return Err(TableError::TooLarge(words.to_owned()));
        }
        self.zip
            .write_all(self.line.as_bytes())
            .map_err(|source| TableError::Io { what: "the export could not be written", source })
    }

    fn text(&mut self, text: &str, style: &str) {
        let clean = clip(text, &mut self.notes);
        self.line.push_str(&format!(
            "<c{style} t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
            escape(&clean)
        ));
    }
}

impl RowSink for Writer {
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError> {
        if columns.len() > MOST_COLUMNS {
            let words = format!("a sheet holds {MOST_COLUMNS} columns; the query has {}", columns.len());
            return Err(TableError::TooLarge(words));
        }
        self.columns = columns.to_vec();
        self.line = format!(
            r#"{HEAD}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>"#
        );
        self.zip
            .write_all(self.line.as_bytes())
            .map_err(|source| TableError::Io { what: "the export could not be written", source })?;
        self.begin_row()?;
        for column in columns {
            self.text(&column.name, " s=\"1\"");
        }
        self.end_row()
    }

    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError> {
        self.begin_row()?;
        for value in row {
            match typed(*value, &mut self.notes) {
                Typed::Nothing => self.line.push_str("<c/>"),
                Typed::Boolean(value) => self.line.push_str(&format!("<c t=\"b\"><v>{}</v></c>", u8::from(value))),
                Typed::Number(text) => self.line.push_str(&format!("<c><v>{text}</v></c>")),
                Typed::Moment { serial, style } => self.line.push_str(&format!("<c s=\"{style}\"><v>{serial}</v></c>")),
                Typed::Text(text) => self.text(text, ""),
            }
        }
        self.end_row()
    }
}

/// A value as a cell holds it.
pub(super) enum Typed<'a> {
    Nothing,
    Boolean(bool),
    Number(&'a str),
    Moment { serial: f64, style: u8 },
    Text(&'a str),
}

/// What a value becomes in a cell. Numbers that a cell would round stay text.
pub(super) fn typed<'a>(value: CellValue<'a>, notes: &mut Notes) -> Typed<'a> {
    match value {
        CellValue::Null => Typed::Nothing,
        CellValue::Boolean(value) => Typed::Boolean(value),
        CellValue::Number(text) if fits_double(text) => Typed::Number(plain(text)),
        CellValue::Number(text) => {
            notes.long_numbers += 1;
            Typed::Text(text)
        }
        CellValue::Moment(text) => match moment(text) {
            Some((serial, style)) => Typed::Moment { serial, style },
            None => {
                notes.old_dates += 1;
                Typed::Text(text)
            }
        },
        CellValue::Text(text) => Typed::Text(text),
    }
}

/// A number without the zeros that a column of decimals puts behind its fraction.
fn plain(text: &str) -> &str {
    if text.contains('.') && !text.contains(['e', 'E']) {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Days since 1899-12-30 with the time as a fraction, and the format for it; none for what Excel cannot show right.
fn moment(text: &str) -> Option<(f64, u8)> {
    let (date, time) = match (text.split_once(' '), text.contains(':')) {
        (Some((date, time)), _) => (Some(date), Some(time)),
        (None, true) => (None, Some(text)),
        (None, false) => (Some(text), None),
    };
    let days = match date {
        None => 0.0,
        Some(date) => days(date)?,
    };
    let fraction = match time {
        None => 0.0,
        Some(time) => {
            let mut parts = time.split(':');
            let hour: f64 = parts.next()?.parse().ok()?;
            let minute: f64 = parts.next()?.parse().ok()?;
            let second: f64 = parts.next().unwrap_or("0").trim_end_matches("+00").parse().ok()?;
            (hour * 3600.0 + minute * 60.0 + second) / 86_400.0
        }
    };
    let style = match (date, time) {
        (Some(_), Some(_)) => 3,
        (None, _) => 4,
        (Some(_), None) => 2,
    };
    Some((days + fraction, style))
}

fn days(date: &str) -> Option<f64> {
    let mut parts = date.split('-');
    let (year, month, day): (i64, i64, i64) =
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468 + 25_569;
    // Excel takes 1900 for a leap year: before March 1900 its days are off by one.
    (days >= 61 && year <= 9999).then_some(days as f64)
}

fn clip(text: &str, notes: &mut Notes) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')).collect();
    notes.control += u64::from(clean.len() != text.len());
    if clean.encode_utf16().count() <= MOST_TEXT {
        return clean;
    }
    notes.cut_texts += 1;
    let mut length = 0;
    clean
        .chars()
        .take_while(|c| {
            length += c.len_utf16();
            length <= MOST_TEXT
        })
        .collect()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\r' => escaped.push_str("&#13;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// What Excel allows as the name of a sheet.
fn check_name(name: &str) -> Result<(), FileError> {
    let wrong = name.trim().is_empty()
        || name.encode_utf16().count() > 31
        || name.contains([':', '\\', '/', '?', '*', '[', ']'])
        || name.starts_with('\'')
        || name.ends_with('\'')
        || name.chars().any(char::is_control);
    if wrong { Err(FileError::invalid(format!("sheet: `{name}` cannot be the name of a sheet"))) } else { Ok(()) }
}

fn begin(zip: &mut ZipWriter<BufWriter<File>>, name: &str) -> Result<(), FileError> {
    zip.start_file(name, SimpleFileOptions::default()).map_err(unwritable)
}

fn unwritable(error: impl Into<io::Error>) -> FileError {
    jig_worker::unwritable("the workbook", &error.into())
}
