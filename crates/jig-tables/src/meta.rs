//! What is known about a table without querying it. It is stored in the same file as the converted table.

use duckdb::Connection;
use jig_text::csv::{Column, ColumnType, CsvDefects, Occurrences, quantity};
use jig_text::{Charset, LineEnding};
use jig_worker::table_cache::TABLE_FORMAT;
use serde::{Deserialize, Serialize};

use crate::batch::ConversionReport;
use crate::error::TableError;
use crate::source::TablePlan;

/// The type of a column as the protocol names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InferredType {
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Float,
    /// True and false.
    Boolean,
    /// Dates, times, and both together.
    Date,
    /// Anything else.
    String,
}

impl InferredType {
    /// The name for one of DuckDB's types.
    pub(crate) fn of_sql(sql: &str) -> Self {
        let sql = sql.to_ascii_uppercase();
        let integers = [
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "HUGEINT",
            "UTINYINT",
            "USMALLINT",
            "UINTEGER",
            "UBIGINT",
            "UHUGEINT",
        ];
        if integers.contains(&sql.as_str()) || (sql.starts_with("DECIMAL") && sql.ends_with(",0)")) {
            Self::Integer
        } else if sql.starts_with("DECIMAL") || matches!(sql.as_str(), "DOUBLE" | "FLOAT" | "REAL") {
            Self::Float
        } else if sql == "BOOLEAN" {
            Self::Boolean
        } else if (sql.starts_with("DATE") || sql.starts_with("TIME")) && !sql.ends_with(']') {
            Self::Date
        } else {
            Self::String
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnInfo {
    /// Its name in SQL.
    pub name: String,
    /// Its position, from 0.
    pub index: usize,
    /// Its type as the protocol names it.
    pub inferred_type: InferredType,
    /// Its type in SQL.
    pub sql_type: String,
    /// The notation of its values, if it is not the plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Some of its values, as they are in the file.
    pub examples: Vec<String>,
}

/// The dialect and encoding of a delimited file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialectInfo {
    /// The delimiter.
    pub delimiter: String,
    /// The quote character; empty if quotes have no meaning.
    pub quote_char: String,
    /// The character before a quote inside quotes, if quotes are not doubled; else empty.
    pub escape_char: String,
    /// How certain this is, from 0 to 1.
    pub confidence: f64,
    /// The encoding.
    pub encoding_detected: String,
    /// How certain this is, from 0 to 1.
    pub encoding_confidence: f64,
    /// Whether the file starts with a byte order mark.
    pub byte_order_mark: bool,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub newline: String,
    /// The first line of the table, from 1.
    pub first_line: u64,
}

/// What is known about a table without querying it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub(crate) version: u32,
    /// The dialect of a delimited file; `None` for other sources.
    pub dialect: Option<DialectInfo>,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// How certain this is, from 0 to 1.
    pub header_confidence: f64,
    /// How many rows it has.
    pub row_count: u64,
    /// The columns.
    pub columns: Vec<ColumnInfo>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl Meta {
    pub(crate) fn new(plan: &TablePlan, report: &ConversionReport) -> Self {
        let columns = plan.schema.columns.iter().enumerate().map(|(index, column)| info(index, column)).collect();
        let dialect = plan.format.map(|format| DialectInfo {
            delimiter: char::from(format.dialect.delimiter).to_string(),
            quote_char: format.dialect.quote.map(|quote| char::from(quote).to_string()).unwrap_or_default(),
            escape_char: format.dialect.escape.map(|escape| char::from(escape).to_string()).unwrap_or_default(),
            confidence: format.confidence,
            encoding_detected: encoding_name(format.encoding.charset),
            encoding_confidence: format.encoding.confidence,
            byte_order_mark: format.encoding.bom_len > 0,
            newline: report.defects.line_ending().as_str().to_owned(),
            first_line: plan.schema.layout.first_line,
        });
        Self {
            version: TABLE_FORMAT,
            dialect,
            has_header: plan.schema.layout.has_header,
            header_confidence: plan.schema.layout.header_confidence,
            row_count: report.rows,
            columns,
            warnings: warnings(plan, report),
        }
    }

    pub(crate) fn write(&self, connection: &Connection) -> Result<(), TableError> {
        let json = serde_json::to_string(self).map_err(|error| TableError::internal(error.to_string()))?;
        connection
            .execute_batch("CREATE TABLE meta (json VARCHAR)")
            .and_then(|()| connection.execute("INSERT INTO meta VALUES (?)", [json]))?;
        Ok(())
    }
}

/// The type of a column in SQL.
pub(crate) fn sql_type(column_type: ColumnType) -> String {
    match column_type {
        ColumnType::Integer => "BIGINT".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
        ColumnType::Double => "DOUBLE".to_owned(),
        ColumnType::Boolean(_) => "BOOLEAN".to_owned(),
        ColumnType::Date(_) => "DATE".to_owned(),
        ColumnType::Time => "TIME".to_owned(),
        ColumnType::DateTime { .. } => "TIMESTAMP".to_owned(),
        _ => "VARCHAR".to_owned(),
    }
}

fn info(index: usize, column: &Column) -> ColumnInfo {
    let sql_type = sql_type(column.format.column_type);
    ColumnInfo {
        name: column.name.clone(),
        index,
        inferred_type: InferredType::of_sql(&sql_type),
        sql_type,
        format: column.format.notation.clone(),
        examples: column.examples.clone(),
    }
}

/// The name of an encoding in replies.
fn encoding_name(charset: Charset) -> String {
    charset.name().to_ascii_lowercase()
}

fn warnings(plan: &TablePlan, report: &ConversionReport) -> Vec<String> {
    let mut all = Vec::new();
    if plan.schema.columns.is_empty() {
        all.push("the file is empty".to_owned());
    }
    if let Some(format) = plan.format {
        if format.encoding.confidence < 0.9 {
            let name = encoding_name(format.encoding.charset);
            all.push(format!("the encoding is probably {name}; set `encoding` if characters look wrong"));
        }
        if report.defects.line_ending() == LineEnding::Mixed {
            all.push("lines have different line endings".to_owned());
        }
    }
    all.extend(report.source_warnings.iter().cloned());
    all.extend(plan.schema.layout.warnings.iter().cloned());
    let width = plan.schema.layout.names.len();
    all.extend(
        report.short.summary("row").map(|rows| format!("{rows} shorter than {width} fields; missing fields are null")),
    );
    if let (Some(rows), Some(extra)) = (report.long.summary("row"), plan.schema.columns.get(width)) {
        all.push(format!("{rows} longer than {width} fields; the rest is in column `{}`", extra.name));
    }
    all.extend(report.blank.summary("empty line").map(|lines| format!("{lines} skipped")));
    all.extend(quote_warnings(&report.defects, plan.quote_is_given));
    all.extend(
        report.undecoded.summary("row").map(|rows| format!("{rows} with invalid bytes, which are read as \u{fffd}")),
    );
    for (index, column) in plan.schema.columns.iter().enumerate() {
        let name = &column.name;
        all.extend(column.format.warning.as_ref().map(|words| format!("column `{name}`: {words}")));
        let count = |list: &[u64]| list.get(index).copied().filter(|count| *count > 0);
        if let (Some(count), true) = (count(&report.nulls), column.format.column_type != ColumnType::Text) {
            all.push(format!("column `{name}`: {count} words such as NA or - are read as null"));
        }
        if let Some(count) = count(&report.zero_bytes) {
            let values = quantity(usize::try_from(count).unwrap_or(usize::MAX), "value");
            all.push(format!("column `{name}`: {values} with zero bytes"));
        }
    }
    cap(all)
}

fn quote_warnings(defects: &CsvDefects, quote_is_given: bool) -> Vec<String> {
    let mut all = Vec::new();
    let quotes = |count: u64| quantity(usize::try_from(count).unwrap_or(usize::MAX), "quote");
    let Occurrences { count, first_line: line } = defects.literal_quotes;
    if count > 0 && !quote_is_given {
        let fields = quantity(usize::try_from(count).unwrap_or(usize::MAX), "field");
        all.push(format!(
            "{fields} with an unclosed quote at the start (first in line {line}); quotes are read as text"
        ));
    }
    let Occurrences { count, first_line: line } = defects.unclosed_quotes;
    if count > 0 {
        all.push(format!("{} without an end (first in line {line}); read as text", quotes(count)));
    }
    let Occurrences { count, first_line: line } = defects.undoubled_quotes;
    if count > 0 {
        all.push(format!("{} inside quotes that are not doubled (first in line {line}); read as text", quotes(count)));
    }
    all
}

/// Limits the warnings about a table with thousands of columns.
fn cap(mut all: Vec<String>) -> Vec<String> {
    const MAX_WARNINGS: usize = 50;
    if all.len() > MAX_WARNINGS {
        let more = all.len() - MAX_WARNINGS;
        all.truncate(MAX_WARNINGS);
        all.push(format!("{more} more warnings are omitted"));
    }
    all
}
