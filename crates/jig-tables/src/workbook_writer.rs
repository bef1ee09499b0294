//! A new workbook with one sheet, written as a stream: its memory does not grow with its rows.
//!
//! Why not `rust_xlsxwriter`: it holds all cells in memory, or in its low-memory mode writes each sheet to a temporary file
//! and then copies it into the package. A confined process can write only the target, and an export of a million rows must
//! fit into the memory of a query. This writer needs one style sheet, one sheet and inline strings, and puts every number
//! into the file with the digits that the query returned, without a detour through a double.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use jig_files::engine::FileError;
use jig_text::value::{DateOrder, parse_date, parse_time};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::error::TableError;
use crate::export::{CellValue, ResultRow, RowSink};
use crate::limits::{MAX_CELL_CHARACTERS, MAX_SHEET_BYTES, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS};
use crate::query::{ResultColumn, fits_double};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const BOOK_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// The cell formats by index: 0 plain, 1 header, 2 date, 3 date with time, 4 time.
const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFEDEDED"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="21" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#;

/// 1970-01-01 in days since 1899-12-30.
const UNIX_EPOCH: i64 = 25_569;
/// 1900-03-01.
const FIRST_RIGHT_DAY: i64 = 61;
/// 9999-12-31.
const LAST_DAY: i64 = 2_958_465;

/// Writes rows into a new workbook.
pub(crate) struct WorkbookWriter {
    zip: ZipWriter<BufWriter<File>>,
    columns: Vec<ResultColumn>,
    row: u64,
    bytes: u64,
    line: String,
    losses: CellLosses,
}

/// Counts of values that a workbook cannot hold as they are.
#[derive(Debug, Default)]
pub(crate) struct CellLosses {
    long_numbers: u64,
    old_dates: u64,
    cut_texts: u64,
    control: u64,
}

impl CellLosses {
    /// One warning for each kind of loss.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let counts = [
            (
                self.long_numbers,
                "has more digits than a cell can hold",
                "have more digits than a cell can hold",
                "number",
            ),
            (self.old_dates, "is before 1900-03-01", "are before 1900-03-01", "date"),
        ];
        let mut all = Vec::new();
        for (count, one, several, noun) in counts {
            match count {
                0 => {}
                1 => all.push(format!("1 {noun} {one} and was written as text")),
                _ => all.push(format!("{count} {noun}s {several} and were written as text")),
            }
        }
        if self.cut_texts > 0 {
            all.push(format!("{} cut after {MAX_CELL_CHARACTERS} characters", texts(self.cut_texts)));
        }
        if self.control > 0 {
            all.push(format!(
                "{} written without control characters, which a workbook cannot hold",
                texts(self.control)
            ));
        }
        all
    }
}

fn texts(count: u64) -> String {
    if count == 1 { "1 text was".to_owned() } else { format!("{count} texts were") }
}

impl WorkbookWriter {
    pub(crate) fn new(file: File, sheet: &str) -> Result<Self, FileError> {
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
        Ok(Self { zip, columns: Vec::new(), row: 0, bytes: 0, line: String::new(), losses: CellLosses::default() })
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Completes the file. Returns what a reader should know.
    pub(crate) fn finish(mut self) -> Result<Vec<String>, FileError> {
        self.zip.write_all(b"</sheetData></worksheet>").map_err(unwritable)?;
        let mut file = self.zip.finish().map_err(unwritable)?;
        file.flush().map_err(unwritable)?;
        Ok(self.losses.warnings())
    }

    fn begin_row(&mut self) -> Result<(), TableError> {
        self.row += 1;
        if self.row > MAX_SHEET_ROWS {
            return Err(too_large(format!("{MAX_SHEET_ROWS} rows")));
        }
        self.line.clear();
        self.line.push_str(&format!("<row r=\"{}\">", self.row));
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), TableError> {
        self.line.push_str("</row>");
        self.bytes += self.line.len() as u64;
        if self.bytes > MAX_SHEET_BYTES {
            return Err(too_large(format!("{} GB", MAX_SHEET_BYTES >> 30)));
        }
        self.zip.write_all(self.line.as_bytes()).map_err(TableError::io("the export could not be written"))
    }

    fn text(&mut self, text: &str, style: &str) {
        let clean = clip(text, &mut self.losses);
        self.line.push_str(&format!(
            "<c{style} t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
            escape(&clean)
        ));
    }
}

impl RowSink for WorkbookWriter {
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError> {
        if columns.len() > MAX_SHEET_COLUMNS {
            return Err(too_large(format!("{MAX_SHEET_COLUMNS} columns")));
        }
        self.columns = columns.to_vec();
        self.line = format!(
            r#"{HEAD}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>"#
        );
        self.zip.write_all(self.line.as_bytes()).map_err(TableError::io("the export could not be written"))?;
        self.begin_row()?;
        for column in columns {
            self.text(&column.name, " s=\"1\"");
        }
        self.end_row()
    }

    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError> {
        self.begin_row()?;
        for value in row {
            match cell_content(*value, &mut self.losses) {
                CellContent::Empty => self.line.push_str("<c/>"),
                CellContent::Boolean(value) => {
                    self.line.push_str(&format!("<c t=\"b\"><v>{}</v></c>", u8::from(value)));
                }
                CellContent::Number(text) => self.line.push_str(&format!("<c><v>{text}</v></c>")),
                CellContent::DateTime { serial, style } => {
                    self.line.push_str(&format!("<c s=\"{style}\"><v>{serial}</v></c>"));
                }
                CellContent::Text(text) => self.text(text, ""),
            }
        }
        self.end_row()
    }
}

/// A value as a cell stores it.
pub(crate) enum CellContent<'a> {
    Empty,
    Boolean(bool),
    Number(&'a str),
    DateTime { serial: f64, style: u8 },
    Text(&'a str),
}

/// The content of a cell for a value. Numbers that a cell would round are text.
pub(crate) fn cell_content<'a>(value: CellValue<'a>, losses: &mut CellLosses) -> CellContent<'a> {
    match value {
        CellValue::Null => CellContent::Empty,
        CellValue::Boolean(value) => CellContent::Boolean(value),
        CellValue::Number(text) if fits_double(text) => CellContent::Number(plain(text)),
        CellValue::Number(text) => {
            losses.long_numbers += 1;
            CellContent::Text(text)
        }
        CellValue::DateTime(text) => match serial(text) {
            Some((serial, style)) => CellContent::DateTime { serial, style },
            None => {
                losses.old_dates += 1;
                CellContent::Text(text)
            }
        },
        CellValue::Text(text) => CellContent::Text(text),
    }
}

/// A number without the trailing zeros of a DECIMAL column.
fn plain(text: &str) -> &str {
    if text.contains('.') && !text.contains(['e', 'E']) {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Days since 1899-12-30 with the time as a fraction, and the cell format; `None` for a date that Excel shows wrong.
fn serial(text: &str) -> Option<(f64, u8)> {
    let (date, time, style) = match text.split_once(' ') {
        Some((date, time)) => (Some(date), Some(time), 3),
        None if text.contains(':') => (None, Some(text), 4),
        None => (Some(text), None, 2),
    };
    let days = match date {
        None => 0,
        Some(date) => i64::from(parse_date(date, DateOrder::YearFirst)?) + UNIX_EPOCH,
    };
    // Excel treats 1900 as a leap year, so its days before March 1900 are off by one.
    if date.is_some() && !(FIRST_RIGHT_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    // Timestamps with a time zone are in UTC.
    let micros = time.map_or(Some(0), |time| parse_time(time.trim_end_matches("+00")))?;
    Some((days as f64 + micros as f64 / 86_400e6, style))
}

fn clip(text: &str, losses: &mut CellLosses) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')).collect();
    losses.control += u64::from(clean.len() != text.len());
    if clean.encode_utf16().count() <= MAX_CELL_CHARACTERS {
        return clean;
    }
    losses.cut_texts += 1;
    let mut length = 0;
    clean
        .chars()
        .take_while(|c| {
            length += c.len_utf16();
            length <= MAX_CELL_CHARACTERS
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

/// Refuses names that Excel does not allow for a sheet.
fn check_name(name: &str) -> Result<(), FileError> {
    let wrong = name.trim().is_empty()
        || name.encode_utf16().count() > 31
        || name.contains([':', '\\', '/', '?', '*', '[', ']'])
        || name.starts_with('\'')
        || name.ends_with('\'')
        || name.chars().any(char::is_control);
    if !wrong {
        return Ok(());
    }
    let why = r"use 1 to 31 characters without : \ / ? * [ ] and no apostrophe at the start or end";
    Err(FileError::invalid(format!("sheet: invalid sheet name `{name}`: {why}")))
}

fn begin(zip: &mut ZipWriter<BufWriter<File>>, name: &str) -> Result<(), FileError> {
    zip.start_file(name, SimpleFileOptions::default()).map_err(unwritable)
}

fn unwritable(error: impl Into<io::Error>) -> FileError {
    jig_worker::unwritable("the workbook", &error.into())
}

fn too_large(limit: String) -> TableError {
    TableError::TooLarge { what: "the sheet", limit, hint: "export csv, or add a LIMIT" }
}
