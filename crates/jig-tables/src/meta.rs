//! What is known of a converted table; kept in the same file.

use duckdb::Connection;
use jig_text::csv::{Column, ColumnType, CsvDefects, Occurrences, quantity};
use jig_text::{Charset, LineEnding};
use jig_worker::table_cache::TABLE_FORMAT;
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::load::{ConversionReport, Plan};

/// A type in the protocol's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InferredType {
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Float,
    /// Truth values.
    Boolean,
    /// Dates, times, and both together.
    Date,
    /// Anything else.
    String,
}

impl InferredType {
    /// The word for one of the engine's types.
    pub(crate) fn of_sql(sql: &str) -> Self {
        let sql = sql.to_ascii_uppercase();
        let whole = [
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
        if whole.contains(&sql.as_str()) || (sql.starts_with("DECIMAL") && sql.ends_with(",0)")) {
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
    /// Its place, from 0.
    pub index: usize,
    /// Its type in the protocol's words.
    pub inferred_type: InferredType,
    /// Its type in SQL.
    pub sql_type: String,
    /// How its values are written, when that is not plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Some of its values, as they stand in the file.
    pub examples: Vec<String>,
}

/// The marks of a delimited file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialectInfo {
    /// The mark between fields.
    pub delimiter: String,
    /// The mark around fields; empty for none.
    pub quote_char: String,
    /// The mark before a quote inside quotes, where quotes are not doubled; empty for none.
    pub escape_char: String,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// The encoding.
    pub encoding_detected: String,
    /// How sure that is, from 0 to 1.
    pub encoding_confidence: f64,
    /// Whether a byte order mark stands in front.
    pub byte_order_mark: bool,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub newline: String,
    /// The line at which the table begins, from 1.
    pub first_line: u64,
}

/// All that is known of a table without asking it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub(crate) version: u32,
    /// The marks; none for a sheet.
    pub dialect: Option<DialectInfo>,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// How sure that is, from 0 to 1.
    pub header_confidence: f64,
    /// How many rows there are.
    pub row_count: u64,
    /// The columns.
    pub columns: Vec<ColumnInfo>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl Meta {
    pub(crate) fn new(plan: &Plan, report: &ConversionReport) -> Self {
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
        let json = serde_json::to_string(self).map_err(TableError::engine)?;
        connection
            .execute_batch("CREATE TABLE meta (json VARCHAR)")
            .and_then(|()| connection.execute("INSERT INTO meta VALUES (?)", [json]))
            .map_err(TableError::engine)?;
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

/// The name of an encoding in answers.
fn encoding_name(charset: Charset) -> String {
    charset.name().to_ascii_lowercase()
}

fn warnings(plan: &Plan, report: &ConversionReport) -> Vec<String> {
    let mut all = Vec::new();
    if plan.schema.columns.is_empty() {
        all.push("there is nothing in it".to_owned());
    }
    if let Some(format) = plan.format {
        if format.encoding.confidence < 0.9 {
            let name = encoding_name(format.encoding.charset);
            all.push(format!("the encoding is taken for {name}; say `encoding` when letters look wrong"));
        }
        if report.defects.line_ending() == LineEnding::Mixed {
            all.push("lines end in different ways".to_owned());
        }
    }
    all.extend(report.said.iter().cloned());
    all.extend(plan.schema.layout.warnings.iter().cloned());
    let width = plan.schema.layout.names.len();
    all.extend(
        report.short.words("row").map(|rows| format!("{rows} shorter than {width} fields; what is missing is null")),
    );
    if let (Some(rows), Some(extra)) = (report.long.words("row"), plan.schema.columns.get(width)) {
        all.push(format!("{rows} longer than {width} fields; the rest is in column `{}`", extra.name));
    }
    all.extend(report.blank.words("empty line").map(|lines| format!("{lines} left out")));
    all.extend(odd_quotes(&report.defects, plan.quote_is_given));
    all.extend(
        report
            .undecoded
            .words("row")
            .map(|rows| format!("{rows} with bytes that are no characters; they read as \u{fffd}")),
    );
    for (index, column) in plan.schema.columns.iter().enumerate() {
        let name = &column.name;
        all.extend(column.format.warning.as_ref().map(|words| format!("column `{name}`: {words}")));
        let count = |list: &[u64]| list.get(index).copied().filter(|count| *count > 0);
        if let (Some(count), true) = (count(&report.nothing), column.format.column_type != ColumnType::Text) {
            all.push(format!("column `{name}`: {count} words like NA or - are read as null"));
        }
        if let Some(count) = count(&report.nul) {
            let values = quantity(usize::try_from(count).unwrap_or(usize::MAX), "value");
            all.push(format!("column `{name}`: {values} with zero bytes"));
        }
    }
    cap(all)
}

fn odd_quotes(defects: &CsvDefects, quote_is_given: bool) -> Vec<String> {
    let mut all = Vec::new();
    let Occurrences { count, first_line: line } = defects.literal_quotes;
    if count > 0 && !quote_is_given {
        let fields = quantity(usize::try_from(count).unwrap_or(usize::MAX), "field");
        all.push(format!(
            "{fields} with a quote in front that does not close (first in line {line}); quotes are read as text"
        ));
    }
    let Occurrences { count, first_line: line } = defects.unclosed_quotes;
    if count > 0 {
        all.push(format!(
            "a quote is never closed ({count} in all, first in line {line}); it is taken as part of its field"
        ));
    }
    let Occurrences { count, first_line: line } = defects.undoubled_quotes;
    if count > 0 {
        all.push(format!("quotes inside quotes are not doubled ({count} in all, first in line {line}); they are kept"));
    }
    all
}

/// A table of thousands of columns must not drown its answer in warnings.
fn cap(mut all: Vec<String>) -> Vec<String> {
    const MOST: usize = 50;
    if all.len() > MOST {
        let more = all.len() - MOST;
        all.truncate(MOST);
        all.push(format!("{more} more warnings are left out"));
    }
    all
}
