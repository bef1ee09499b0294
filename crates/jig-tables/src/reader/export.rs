//! The rows of a query, one by one: into csv, or to a caller that writes them elsewhere.

use std::io::Write;

use duckdb::arrow::array::{Array, StringArray};
use duckdb::arrow::record_batch::RecordBatch;

use jig_text::csv::{CsvValue, CsvWriter, CsvWriterOptions};

use super::Reader;
use super::cells::Shown;
use super::query::whole;
use crate::engine::{QueryTimer, told, with_room};
use crate::error::TableError;
use crate::meta::InferredType;

/// Told when a query without an order is written somewhere.
pub(crate) const NO_ORDER: &str = "query_has_no_order_by; output order may vary";

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Its type in the protocol's words.
    pub inferred_type: InferredType,
    /// Its type in SQL.
    pub sql_type: String,
}

/// A value of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Boolean(bool),
    /// A number, exactly as its digits.
    Number(&'a str),
    /// A date, a time or both, in ISO form.
    Moment(&'a str),
    /// Text.
    Text(&'a str),
}

/// A row of a result.
pub type ResultRow<'a> = [Value<'a>];

/// Takes the rows of a result.
///
/// `begin` comes first and once; `row` for each row, in order. An error of the sink ends the query and is told as it is.
pub trait RowSink {
    /// Learns the columns.
    fn begin(&mut self, columns: &[ResultColumn]) -> Result<(), TableError>;
    /// Takes a row.
    fn row(&mut self, row: &ResultRow<'_>) -> Result<(), TableError>;
}

impl Reader {
    /// Gives all rows of a query, or of the table, to a sink. Gives their number, and what a reader should know.
    pub fn each_row(&self, query: Option<&str>, sink: &mut dyn RowSink) -> Result<(u64, Vec<String>), TableError> {
        with_room(|| self.give(query, sink))
    }

    fn give(&self, query: Option<&str>, sink: &mut dyn RowSink) -> Result<(u64, Vec<String>), TableError> {
        let timer = self.timer();
        let mut warnings = self.warnings();
        let table = whole(self.names.first().map_or("data", String::as_str));
        let ready = self.ready(query.unwrap_or(&table), &timer)?;
        if query.is_some() && !ready.allowed.ordered {
            warnings.push(NO_ORDER.to_owned());
        }
        let columns: Vec<ResultColumn> = ready.columns.iter().map(result_column).collect();
        sink.begin(&columns)?;
        // The engine writes every value as text, which is exact and fast.
        let list: Vec<String> = (0..columns.len()).map(|index| format!("CAST(c{index} AS VARCHAR)")).collect();
        let sql = format!("SELECT {} FROM {}", list.join(", "), ready.table);
        let rows = self.stream(&sql, &columns, sink, &timer)?;
        Ok((rows, warnings))
    }

    fn stream(
        &self,
        sql: &str,
        columns: &[ResultColumn],
        sink: &mut dyn RowSink,
        timer: &QueryTimer,
    ) -> Result<u64, TableError> {
        let failed = |error: duckdb::Error| told(&error, timer, self.limits);
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let mut count = 0;
        // Only starts the query. The iterator that it returns panics when a later batch fails; `step` reports it.
        drop(statement.stream_arrow([]).map_err(failed)?);
        while let Some(batch) = statement.step().map_err(failed)? {
            let batch = RecordBatch::from(&batch);
            if timer.fired() {
                return Err(told(&duckdb::Error::QueryReturnedNoRows, timer, self.limits));
            }
            each(&batch, columns, sink)?;
            count += batch.num_rows() as u64;
        }
        Ok(count)
    }

    /// Writes all rows of a query, or of the table, as csv. Gives their number and that of the columns, and what a
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
}

fn result_column(column: &Shown) -> ResultColumn {
    ResultColumn { name: column.name.clone(), inferred_type: column.inferred(), sql_type: column.sql_type.clone() }
}

/// Gives the rows of a batch of texts to a sink.
fn each(batch: &RecordBatch, columns: &[ResultColumn], sink: &mut dyn RowSink) -> Result<(), TableError> {
    let texts: Option<Vec<&StringArray>> =
        batch.columns().iter().map(|column| column.as_any().downcast_ref()).collect();
    let texts = texts.ok_or_else(|| TableError::Engine("a result that is not text".to_owned()))?;
    let mut row = Vec::with_capacity(columns.len());
    for index in 0..batch.num_rows() {
        row.clear();
        row.extend(texts.iter().zip(columns).map(|(texts, column)| {
            if texts.is_null(index) { Value::Null } else { Value::of(texts.value(index), column.inferred_type) }
        }));
        sink.row(&row)?;
    }
    Ok(())
}

impl<'a> Value<'a> {
    fn of(text: &'a str, inferred_type: InferredType) -> Self {
        match inferred_type {
            InferredType::Boolean => Self::Boolean(text == "true"),
            InferredType::Integer | InferredType::Float => Self::Number(text),
            InferredType::Date => Self::Moment(text),
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
            Value::Null => CsvValue::Missing,
            Value::Boolean(true) => CsvValue::Plain("true"),
            Value::Boolean(false) => CsvValue::Plain("false"),
            Value::Number(text) | Value::Moment(text) => CsvValue::Plain(text),
            Value::Text(text) => CsvValue::Text(text),
        }))
    }
}

impl CsvSink<'_> {
    fn write<'v>(&mut self, values: impl Iterator<Item = CsvValue<'v>>) -> Result<(), TableError> {
        self.writer.write_record(values).map_err(TableError::io("the export could not be written"))
    }
}
