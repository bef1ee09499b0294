//! What is known of a converted table; kept in the same file.

use duckdb::Connection;
use jig_worker::table_cache::TABLE_FORMAT;
use serde::{Deserialize, Serialize};

use crate::csv::encoding;
use crate::csv::scan::Oddities;
use crate::error::TableError;
use crate::infer::{Column, Kind};
use crate::load::{Plan, Tally};

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
    pub(crate) fn new(plan: &Plan, tally: &Tally) -> Self {
        let columns = plan.columns.iter().enumerate().map(|(index, column)| info(index, column)).collect();
        let dialect = plan.dialect.map(|dialect| DialectInfo {
            delimiter: char::from(dialect.marks.delimiter).to_string(),
            quote_char: dialect.marks.quote.map(|quote| char::from(quote).to_string()).unwrap_or_default(),
            escape_char: dialect.marks.escape.map(|escape| char::from(escape).to_string()).unwrap_or_default(),
            confidence: dialect.confidence,
            encoding_detected: encoding::name(dialect.found.charset),
            encoding_confidence: dialect.found.confidence,
            byte_order_mark: dialect.found.mark > 0,
            newline: newline(&tally.oddities).to_owned(),
            first_line: plan.layout.first_line,
        });
        Self {
            version: TABLE_FORMAT,
            dialect,
            has_header: plan.layout.has_header,
            header_confidence: plan.layout.header_confidence,
            row_count: tally.rows,
            columns,
            warnings: warnings(plan, tally),
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

fn info(index: usize, column: &Column) -> ColumnInfo {
    let sql_type = column.decided.kind.sql();
    ColumnInfo {
        name: column.name.clone(),
        index,
        inferred_type: InferredType::of_sql(&sql_type),
        sql_type,
        format: column.decided.format.clone(),
        examples: column.examples.clone(),
    }
}

fn newline(oddities: &Oddities) -> &'static str {
    match (oddities.lf > 0, oddities.crlf > 0, oddities.cr > 0) {
        (false, false, false) => "none",
        (true, false, false) => "lf",
        (false, true, false) => "crlf",
        (false, false, true) => "cr",
        _ => "mixed",
    }
}

fn warnings(plan: &Plan, tally: &Tally) -> Vec<String> {
    let mut all = Vec::new();
    if plan.columns.is_empty() {
        all.push("there is nothing in it".to_owned());
    }
    if let Some(dialect) = plan.dialect {
        if dialect.found.confidence < 0.9 {
            let name = encoding::name(dialect.found.charset);
            all.push(format!("the encoding is taken for {name}; say `encoding` when letters look wrong"));
        }
        if newline(&tally.oddities) == "mixed" {
            all.push("lines end in different ways".to_owned());
        }
    }
    all.extend(tally.said.iter().cloned());
    all.extend(plan.layout.warnings.iter().cloned());
    let width = plan.layout.names.len();
    all.extend(
        tally.short.words("row").map(|rows| format!("{rows} shorter than {width} fields; what is missing is null")),
    );
    if let (Some(rows), Some(extra)) = (tally.long.words("row"), plan.columns.get(width)) {
        all.push(format!("{rows} longer than {width} fields; the rest is in column `{}`", extra.name));
    }
    all.extend(tally.blank.words("empty line").map(|lines| format!("{lines} left out")));
    all.extend(odd_quotes(&tally.oddities, plan.dialect.is_some_and(|dialect| dialect.quote_said)));
    all.extend(
        tally
            .undecoded
            .words("row")
            .map(|rows| format!("{rows} with bytes that are no characters; they read as \u{fffd}")),
    );
    for (index, column) in plan.columns.iter().enumerate() {
        let name = &column.name;
        all.extend(column.decided.warning.as_ref().map(|words| format!("column `{name}`: {words}")));
        let count = |list: &[u64]| list.get(index).copied().filter(|count| *count > 0);
        if let (Some(count), true) = (count(&tally.nothing), column.decided.kind != Kind::Text) {
            all.push(format!("column `{name}`: {count} words like NA or - are read as null"));
        }
        if let Some(count) = count(&tally.nul) {
            let values = crate::layout::count(usize::try_from(count).unwrap_or(usize::MAX), "value");
            all.push(format!("column `{name}`: {values} with zero bytes"));
        }
    }
    cap(all)
}

fn odd_quotes(oddities: &Oddities, said: bool) -> Vec<String> {
    let mut all = Vec::new();
    let (plain, line) = oddities.plain_quotes;
    if plain > 0 && !said {
        let fields = crate::layout::count(usize::try_from(plain).unwrap_or(usize::MAX), "field");
        all.push(format!(
            "{fields} with a quote in front that does not close (first in line {line}); quotes are read as text"
        ));
    }
    let (open, line) = oddities.open_quotes;
    if open > 0 {
        all.push(format!(
            "a quote is never closed ({open} in all, first in line {line}); it is taken as part of its field"
        ));
    }
    let (stray, line) = oddities.stray_quotes;
    if stray > 0 {
        all.push(format!("quotes inside quotes are not doubled ({stray} in all, first in line {line}); they are kept"));
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
