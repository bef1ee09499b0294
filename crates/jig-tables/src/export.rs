//! The rows of a query, one by one: into a csv file, a new workbook, or a sheet.

use std::fs::File;
use std::io::{BufWriter, Seek as _, Write};

use duckdb::arrow::array::{Array, StringArray};
use duckdb::arrow::record_batch::RecordBatch;

use jig_file_api::table::{ExportFormat, TableExport};
use jig_files::engine::FileError;
use jig_text::csv::{CsvValue, CsvWriter, CsvWriterOptions, Newline};
use jig_worker::unwritable;
use serde::Serialize;

use crate::deadline::QueryTimer;
use crate::engine::{interrupted, query_error, quoted, with_stack};
use crate::error::TableError;
use crate::meta::InferredType;
use crate::query::{Reader, ResultColumn};
use crate::workbook_writer::WorkbookWriter;

/// The warning about a query without ORDER BY whose rows are written. The worker protocol specifies its text.
pub(crate) const NO_ORDER: &str = "query_has_no_order_by; output order may vary";

/// The reply to `TabularExport`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportAnswer {
    /// The file that was written.
    pub target_path: String,
    /// Its format: `csv` or `xlsx`.
    pub format: &'static str,
    /// How many rows it has, without the header.
    pub row_count: u64,
    /// How many columns it has.
    pub column_count: usize,
    /// The sheet of a workbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A value of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellValue<'a> {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number with all its digits.
    Number(&'a str),
    /// A date, a time or both, in ISO form.
    DateTime(&'a str),
    /// Text.
    Text(&'a str),
}

/// A row of a result.
pub type ResultRow<'a> = [CellValue<'a>];

/// Takes the rows of a result: `begin` first and once, then `row` for each row, in order. An error of the sink ends the
/// query and is returned as it is.
pub trait RowSink {
    /// Takes the columns.
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError>;
    /// Takes a row.
    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError>;
}

/// Writes the rows of an export to a file, which is emptied first. After an error the file is of no use.
pub(crate) fn export(reader: &Reader, request: &TableExport, file: &File) -> Result<ExportAnswer, ExportError> {
    let path = &request.target_path;
    let mut file = file.try_clone().map_err(|error| unwritable(path, &error))?;
    // An earlier attempt may have written something.
    file.set_len(0).and_then(|()| file.rewind()).map_err(|error| unwritable(path, &error))?;
    let query = request.query.as_deref();
    match &request.format {
        ExportFormat::Xlsx { sheet } => {
            let mut writer = WorkbookWriter::new(file, sheet)?;
            let (row_count, mut warnings) = reader.each_row(query, &mut writer)?;
            let column_count = writer.width();
            warnings.extend(writer.finish()?);
            let (target_path, sheet) = (path.clone(), Some(sheet.clone()));
            Ok(ExportAnswer { target_path, format: "xlsx", row_count, column_count, sheet, warnings })
        }
        &ExportFormat::Csv { delimiter, byte_order_mark, crlf, escape_formulas } => {
            let newline = if crlf { Newline::CrLf } else { Newline::Lf };
            let options = CsvWriterOptions { delimiter, byte_order_mark, newline, escape_formulas };
            let mut writer = BufWriter::with_capacity(1 << 20, file);
            let (row_count, column_count, warnings) = reader.export_csv(query, options, &mut writer)?;
            writer.flush().map_err(|error| unwritable(path, &error))?;
            let target_path = path.clone();
            Ok(ExportAnswer { target_path, format: "csv", row_count, column_count, sheet: None, warnings })
        }
    }
}

/// Why an export failed: because of its tables, or because of its file.
#[derive(Debug)]
pub(crate) enum ExportError {
    Table(TableError),
    File(FileError),
}

impl From<TableError> for ExportError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<FileError> for ExportError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl Reader {
    /// Gives all rows of a query, or of the first table, to a sink. Returns their number, and what a reader should know.
    pub fn each_row(&self, query: Option<&str>, sink: &mut dyn RowSink) -> Result<(u64, Vec<String>), TableError> {
        with_stack(|| self.give_rows(query, sink))
    }

    /// Writes all rows of a query, or of the first table, as csv. Returns the number of rows and of columns, and what a
    /// reader should know.
    pub fn export_csv(
        &self,
        query: Option<&str>,
        options: CsvWriterOptions,
        target: &mut dyn Write,
    ) -> Result<(u64, usize, Vec<String>), TableError> {
        let mut csv = CsvSink { writer: CsvWriter::new(target, options), width: 0 };
        let (rows, warnings) = self.each_row(query, &mut csv)?;
        Ok((rows, csv.width, warnings))
    }

    fn give_rows(&self, query: Option<&str>, sink: &mut dyn RowSink) -> Result<(u64, Vec<String>), TableError> {
        let timer = self.timer();
        let mut warnings = self.warnings();
        let entire = format!("SELECT * FROM {}", quoted(self.names.first().map_or("data", String::as_str)));
        let prepared = self.prepare(query.unwrap_or(&entire), &timer)?;
        if query.is_some() && !prepared.allowed.ordered {
            warnings.push(NO_ORDER.to_owned());
        }
        sink.begin(&prepared.columns)?;
        // DuckDB's text of a value has all its digits, and its conversion is faster than ours.
        let list: Vec<String> = (0..prepared.columns.len()).map(|index| format!("CAST(c{index} AS VARCHAR)")).collect();
        let sql = format!("SELECT {} FROM {}", list.join(", "), prepared.table);
        let rows = self.stream(&sql, &prepared.columns, sink, &timer)?;
        Ok((rows, warnings))
    }

    fn stream(
        &self,
        sql: &str,
        columns: &[ResultColumn],
        sink: &mut dyn RowSink,
        timer: &QueryTimer,
    ) -> Result<u64, TableError> {
        let failed = |error: duckdb::Error| query_error(error, timer, self.limits);
        let types: Vec<InferredType> = columns.iter().map(ResultColumn::inferred_type).collect();
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let mut count = 0;
        // Only starts the query. The iterator that it returns panics if a later batch fails; `step` returns the error.
        drop(statement.stream_arrow([]).map_err(failed)?);
        while let Some(batch) = statement.step().map_err(failed)? {
            let batch = RecordBatch::from(&batch);
            if timer.fired() {
                return Err(interrupted(timer, self.limits));
            }
            give_batch(&batch, &types, sink)?;
            count += batch.num_rows() as u64;
        }
        Ok(count)
    }
}

/// Gives the rows of a batch of texts to a sink.
fn give_batch(batch: &RecordBatch, types: &[InferredType], sink: &mut dyn RowSink) -> Result<(), TableError> {
    let texts: Option<Vec<&StringArray>> =
        batch.columns().iter().map(|column| column.as_any().downcast_ref()).collect();
    let texts = texts.ok_or_else(|| TableError::internal("a column of an export is not text"))?;
    let mut row = Vec::with_capacity(types.len());
    for index in 0..batch.num_rows() {
        row.clear();
        row.extend(texts.iter().zip(types).map(|(texts, inferred_type)| {
            if texts.is_null(index) { CellValue::Null } else { CellValue::of(texts.value(index), *inferred_type) }
        }));
        sink.row(&row)?;
    }
    Ok(())
}

impl<'a> CellValue<'a> {
    fn of(text: &'a str, inferred_type: InferredType) -> Self {
        match inferred_type {
            InferredType::Boolean => Self::Boolean(text == "true"),
            InferredType::Integer | InferredType::Float => Self::Number(text),
            InferredType::Date => Self::DateTime(text),
            InferredType::String => Self::Text(text),
        }
    }
}

/// Writes rows as csv.
struct CsvSink<'a> {
    writer: CsvWriter<&'a mut dyn Write>,
    width: usize,
}

impl RowSink for CsvSink<'_> {
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError> {
        self.width = columns.len();
        self.write(columns.iter().map(|column| CsvValue::Text(&column.name)))
    }

    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError> {
        self.write(row.iter().map(|value| match value {
            CellValue::Null => CsvValue::Missing,
            CellValue::Boolean(true) => CsvValue::Plain("true"),
            CellValue::Boolean(false) => CsvValue::Plain("false"),
            CellValue::Number(text) | CellValue::DateTime(text) => CsvValue::Plain(text),
            CellValue::Text(text) => CsvValue::Text(text),
        }))
    }
}

impl CsvSink<'_> {
    fn write<'v>(&mut self, values: impl Iterator<Item = CsvValue<'v>>) -> Result<(), TableError> {
        self.writer.write_record(values).map_err(TableError::io("the export could not be written"))
    }
}
