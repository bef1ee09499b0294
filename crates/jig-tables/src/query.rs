//! Opens tables for queries, and answers a query with a window on its rows.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use duckdb::types::ValueRef;
use duckdb::{Connection, Row};
use jig_file_api::table::ReadOptions;
use jig_worker::QueryLimits;
use serde::Serialize;
use serde_json::{Number, Value};

use crate::csv_table::{self, CsvScan};
use crate::deadline::{QueryTimer, TimerThread};
use crate::engine::{self, interrupted, query_error, quoted, view, with_stack};
use crate::error::TableError;
use crate::guard::{self, Allowed};
use crate::limits::{MAX_REPLY_BYTES, MAX_REPLY_ROWS};
use crate::meta::{ColumnInfo, InferredType, Meta};

/// The name of the row numbers from 0, as the engine of the original client has them.
const ROW_NUMBER: &str = "rowid";

/// Whether a query may ask for the numbers of rows.
pub(crate) fn mentions_row_numbers(query: &str) -> bool {
    query.to_ascii_lowercase().contains(ROW_NUMBER)
}

/// The reply to `TabularQuery`: a window on the rows of a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Their types as the protocol names them.
    pub column_types: Vec<InferredType>,
    /// Their types in SQL. A value that a JSON number cannot hold exactly is text.
    pub sql_types: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// How many rows these are.
    pub row_count: u64,
    /// How many rows the query has in total; `None` if counting them took too long.
    pub total_row_count: Option<u64>,
    /// How many rows were requested.
    pub window_rows: u64,
    /// How many rows were skipped.
    pub window_offset: u64,
    /// Whether there are more rows after these.
    pub has_more: bool,
    /// How long it took.
    pub query_elapsed_ms: u64,
    /// Whether the file itself was read and not its converted table.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_directly: bool,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// Tables under their names, ready for queries.
pub struct Reader {
    pub(crate) connection: Connection,
    timers: TimerThread,
    pub(crate) names: Vec<String>,
    metas: Vec<Meta>,
    pub(crate) limits: QueryLimits,
    cancel: Option<Arc<AtomicBool>>,
    /// The file itself, if it is not converted.
    scan: Option<Arc<CsvScan>>,
    /// Whether the views have the row numbers now.
    numbered: AtomicBool,
    /// The last query.
    last: Mutex<Option<(String, Arc<PreparedQuery>)>>,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("names", &self.names).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A query that passed the guard.
pub(crate) struct PreparedQuery {
    /// The query as a table with the columns `c0`, `c1`, ….
    pub(crate) table: String,
    pub(crate) columns: Vec<ResultColumn>,
    pub(crate) allowed: Allowed,
}

impl Reader {
    /// Opens converted tables, each under a name for SQL.
    pub fn open(tables: &[(&str, &Path)], limits: QueryLimits) -> Result<Self, TableError> {
        for (index, (name, _)) in tables.iter().enumerate() {
            check_name(name)?;
            if tables.iter().take(index).any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                let why = format!("two tables have the name `{name}`");
                return Err(TableError::InvalidParameter { name: "tables", why });
            }
        }
        let (connection, metas) = engine::open(tables, limits)?;
        let names = tables.iter().map(|(name, _)| (*name).to_owned()).collect();
        Self::new(connection, names, metas, limits)
    }

    /// Opens a delimited file without conversion. It serves only [`query`](Self::query), and only until
    /// [`is_broken`](Self::is_broken) reports that a value does not fit the types that its start suggests.
    pub fn direct(
        name: &str,
        file: File,
        options: &ReadOptions,
        limits: QueryLimits,
        cancel: Option<Arc<AtomicBool>>,
    ) -> Result<Self, TableError> {
        check_name(name)?;
        let (connection, meta, scan) = csv_table::open(name, file, options, limits, cancel.clone())?;
        let reader = Self::new(connection, vec![name.to_owned()], vec![meta], limits)?;
        Ok(Self { cancel, scan: Some(scan), ..reader })
    }

    fn new(
        connection: Connection,
        names: Vec<String>,
        metas: Vec<Meta>,
        limits: QueryLimits,
    ) -> Result<Self, TableError> {
        Ok(Self {
            timers: TimerThread::new(&connection)?,
            connection,
            names,
            metas,
            limits: limits.clamped(),
            cancel: None,
            scan: None,
            numbered: AtomicBool::new(false),
            last: Mutex::default(),
        })
    }

    /// Whether an unconverted file must be converted after all.
    pub fn is_broken(&self) -> bool {
        self.scan.as_ref().is_some_and(|scan| scan.is_broken())
    }

    /// Interrupts queries when this becomes true.
    #[must_use]
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// The limits of its queries.
    pub fn limits(&self) -> QueryLimits {
        self.limits
    }

    /// What is known about the first table without a query.
    pub fn meta(&self) -> Result<&Meta, TableError> {
        self.metas.first().ok_or_else(|| TableError::internal("a reader without tables"))
    }

    /// The warnings of all tables, with their names if there are several.
    pub fn warnings(&self) -> Vec<String> {
        if let Some(scan) = &self.scan {
            return scan.meta().warnings;
        }
        let several = self.metas.len() > 1;
        let named = self.names.iter().zip(&self.metas);
        let all = named.flat_map(|(name, meta)| meta.warnings.iter().map(move |warning| (name, warning)));
        all.map(|(name, text)| if several { format!("table `{name}`: {text}") } else { text.clone() }).collect()
    }

    pub(crate) fn timer(&self) -> QueryTimer {
        if self.timers.take_fired() {
            // If the interrupted query had just ended, the interrupt hits the next one: this one, whose result is unused.
            let _ = self.connection.execute_batch("SELECT 1");
        }
        self.timers.set(self.limits.timeout_ms, self.cancel.as_ref())
    }

    /// The columns with these names, or all.
    pub(crate) fn chosen(&self, names: Option<&[String]>) -> Result<Vec<&ColumnInfo>, TableError> {
        let all = &self.meta()?.columns;
        let Some(names) = names else { return Ok(all.iter().collect()) };
        names.iter().map(|name| find_column(all, name)).collect()
    }

    /// A window on the rows of a query.
    pub fn query(&self, query: &str, window_rows: u64, window_offset: u64) -> Result<QueryAnswer, TableError> {
        if window_rows == 0 || window_rows > MAX_REPLY_ROWS {
            let why = format!("must be between 1 and {MAX_REPLY_ROWS} (got {window_rows})");
            return Err(TableError::InvalidParameter { name: "window_rows", why });
        }
        with_stack(|| self.answer(query, window_rows, window_offset))
    }

    fn answer(&self, query: &str, window_rows: u64, window_offset: u64) -> Result<QueryAnswer, TableError> {
        let timer = self.timer();
        let prepared = self.prepare_or_reuse(query, &timer)?;
        let (mut rows, cut) = self.window(&prepared, window_rows, window_offset, &timer)?;
        let row_count = rows.len().min(usize::try_from(window_rows).unwrap_or(usize::MAX)) as u64;
        let has_more = rows.len() as u64 > row_count || cut;
        let mut warnings = Vec::new();
        if cut {
            let next = window_offset + row_count;
            warnings.push(format!("only {row_count} rows fit into one reply; continue at window_offset {next}"));
        }
        // A window that is not full shows the total; only for a full one, or one beyond the end, rows are counted.
        let known = !has_more && (row_count > 0 || window_offset == 0);
        let total = if known { Some(window_offset + row_count) } else { self.count(&prepared, &timer, &mut warnings)? };
        // An unconverted file reports its defects only once it was read.
        warnings.splice(0..0, self.warnings());
        rows.truncate(usize::try_from(row_count).unwrap_or(usize::MAX));
        Ok(QueryAnswer {
            columns: prepared.columns.iter().map(|column| column.name.clone()).collect(),
            column_types: prepared.columns.iter().map(ResultColumn::inferred_type).collect(),
            sql_types: prepared.columns.iter().map(|column| column.sql_type.clone()).collect(),
            rows,
            row_count,
            total_row_count: total,
            window_rows,
            window_offset,
            has_more,
            query_elapsed_ms: timer.elapsed_ms(),
            read_directly: self.scan.is_some(),
            warnings,
        })
    }

    /// Windows on one query usually follow each other, so the last query is not checked again.
    fn prepare_or_reuse(&self, query: &str, timer: &QueryTimer) -> Result<Arc<PreparedQuery>, TableError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = last.as_ref().filter(|(known, _)| known == query) {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new(self.prepare(query, timer)?);
        *last = Some((query.to_owned(), Arc::clone(&prepared)));
        Ok(prepared)
    }

    /// Checks a query and determines its columns.
    pub(crate) fn prepare(&self, query: &str, timer: &QueryTimer) -> Result<PreparedQuery, TableError> {
        self.check(query, timer).map_err(|error| {
            // The checks are queries of their own, which the timer interrupts like any other.
            if timer.fired() { interrupted(timer, self.limits) } else { error }
        })
    }

    fn check(&self, query: &str, timer: &QueryTimer) -> Result<PreparedQuery, TableError> {
        self.show_row_numbers(mentions_row_numbers(query))?;
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let allowed = guard::check(&self.connection, query, &names)?;
        let plain = query.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        // Inside another query it must mean the same as alone.
        let check = |inner: &str| guard::check(&self.connection, &format!("SELECT * FROM ({inner}\n)"), &names);
        let inner = match check(plain) {
            Ok(_) => plain.to_owned(),
            // A comment after the last semicolon, for example: the parser's own rendering of the query has none.
            Err(_) => {
                let rendered = self.rendered(query)?;
                check(&rendered)?;
                rendered
            }
        };
        let columns = self.columns(&inner, timer)?;
        let list: Vec<String> = (0..columns.len()).map(|index| format!("c{index}")).collect();
        let table = format!("({inner}\n) AS q({})", list.join(", "));
        Ok(PreparedQuery { table, columns, allowed })
    }

    /// Adds the row numbers to the views, or removes them. Not every query has them, since they would be a column of
    /// `SELECT *`. A table with a column of that name keeps its own.
    fn show_row_numbers(&self, shown: bool) -> Result<(), TableError> {
        let shown = shown && self.scan.is_none();
        if self.numbered.swap(shown, Ordering::Relaxed) == shown {
            return Ok(());
        }
        for (index, (name, meta)) in self.names.iter().zip(&self.metas).enumerate() {
            let own = meta.columns.iter().any(|column| column.name.eq_ignore_ascii_case(ROW_NUMBER));
            let number = (shown && !own).then_some(ROW_NUMBER);
            self.connection.execute_batch(&view(name, index, meta, number))?;
        }
        Ok(())
    }

    fn rendered(&self, query: &str) -> Result<String, TableError> {
        let sql = "SELECT json_deserialize_sql(json_serialize_sql(?::VARCHAR))";
        Ok(self.connection.query_row(sql, [query], |row| row.get(0))?)
    }

    fn columns(&self, inner: &str, timer: &QueryTimer) -> Result<Vec<ResultColumn>, TableError> {
        let failed = |error: duckdb::Error| query_error(error, timer, self.limits);
        // A subquery would rename columns that have the same name; but a DESCRIBE of a DESCRIBE needs one.
        let described = self.connection.prepare(&format!("DESCRIBE {inner}"));
        let wrapped = || self.connection.prepare(&format!("DESCRIBE SELECT * FROM ({inner}\n)"));
        let mut statement = described.or_else(|_| wrapped()).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut columns = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            columns.push(ResultColumn { name: row.get(0).map_err(failed)?, sql_type: row.get(1).map_err(failed)? });
        }
        Ok(columns)
    }

    /// The rows of the window, one more if there is one, and whether the size limit cut the window.
    fn window(
        &self,
        prepared: &PreparedQuery,
        rows: u64,
        offset: u64,
        timer: &QueryTimer,
    ) -> Result<(Vec<Vec<Value>>, bool), TableError> {
        let columns = prepared.columns.iter().enumerate();
        let columns: Vec<String> = columns.map(|(index, column)| column.exact(&format!("c{index}"))).collect();
        let list = columns.join(", ");
        let sql = format!("SELECT {list} FROM {} LIMIT {} OFFSET {offset}", prepared.table, rows + 1);
        self.collect(&sql, &prepared.columns, timer)
    }

    /// The rows of a statement of Jig's own, and whether the size limit of a reply cut them.
    pub(crate) fn collect(
        &self,
        sql: &str,
        columns: &[ResultColumn],
        timer: &QueryTimer,
    ) -> Result<(Vec<Vec<Value>>, bool), TableError> {
        let failed = |error: duckdb::Error| query_error(error, timer, self.limits);
        // A repeated query is planned already: the tables that it reads do not change.
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut found = statement.query([]).map_err(failed)?;
        let (mut rows, mut bytes) = (Vec::new(), 0usize);
        while let Some(row) = found.next().map_err(failed)? {
            let row = json_row(row, columns)?;
            bytes += row.iter().map(|value| value.as_str().map_or(8, |text| text.len() + 3)).sum::<usize>();
            if bytes > MAX_REPLY_BYTES && !rows.is_empty() {
                return Ok((rows, true));
            }
            rows.push(row);
        }
        Ok((rows, false))
    }

    fn count(
        &self,
        prepared: &PreparedQuery,
        timer: &QueryTimer,
        warnings: &mut Vec<String>,
    ) -> Result<Option<u64>, TableError> {
        let sql = format!("SELECT count(*) FROM {}", prepared.table);
        let counted = self.connection.query_row(&sql, [], |row| row.get::<_, i64>(0));
        match counted {
            Ok(count) => Ok(u64::try_from(count).ok()),
            Err(_) if timer.fired() && !timer.was_cancelled() => {
                warnings.push("total_row_count is unknown: counting all rows took too long".to_owned());
                Ok(None)
            }
            Err(error) => Err(query_error(error, timer, self.limits)),
        }
    }
}

fn find_column<'a>(columns: &'a [ColumnInfo], name: &str) -> Result<&'a ColumnInfo, TableError> {
    let exact = columns.iter().find(|column| column.name == name);
    let similar = |name: &str| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
    exact.or_else(|| similar(name)).or_else(|| similar(name.trim())).ok_or_else(|| {
        let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
        let why = format!("unknown column `{name}`; the columns are {}", jig_text::csv::first_few(&names));
        TableError::InvalidParameter { name: "columns", why }
    })
}

/// Names of tables need no quotes in SQL.
fn check_name(name: &str) -> Result<(), TableError> {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if first && name.len() <= 64 && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    let why = format!("invalid table name `{name}`: use at most 64 letters, digits and `_`, and no digit at the start");
    Err(TableError::InvalidParameter { name: "tables", why })
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Its type in SQL.
    pub sql_type: String,
}

impl ResultColumn {
    /// Its type as the protocol names it.
    pub fn inferred_type(&self) -> InferredType {
        InferredType::of_sql(&self.sql_type)
    }

    /// The SQL expression that gives its value without rounding.
    pub(crate) fn exact(&self, from: &str) -> String {
        match self.sql_type.as_str() {
            "BOOLEAN" | "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "DOUBLE" | "VARCHAR" => quoted(from),
            "FLOAT" => format!("CAST({} AS DOUBLE)", quoted(from)),
            _ => format!("CAST({} AS VARCHAR)", quoted(from)),
        }
    }
}

fn json_row(row: &Row<'_>, columns: &[ResultColumn]) -> Result<Vec<Value>, TableError> {
    columns.iter().enumerate().map(|(index, column)| json_value(row, index, column)).collect()
}

fn json_value(row: &Row<'_>, index: usize, column: &ResultColumn) -> Result<Value, TableError> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => Value::Null,
        ValueRef::Boolean(value) => value.into(),
        ValueRef::TinyInt(value) => value.into(),
        ValueRef::SmallInt(value) => value.into(),
        ValueRef::Int(value) => value.into(),
        ValueRef::BigInt(value) => integer(i128::from(value)),
        ValueRef::Double(value) => {
            Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), Value::Number)
        }
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            match column.inferred_type() {
                InferredType::Integer => text.parse().map_or_else(|_| text.into_owned().into(), integer),
                InferredType::Float => decimal(&text),
                _ => text.into_owned().into(),
            }
        }
        _ => return Err(TableError::internal(format!("a value of {} has an unexpected type", column.sql_type))),
    })
}

/// An integer: a JSON number if every reader parses it exactly, else text.
fn integer(value: i128) -> Value {
    const MAX_EXACT: i128 = 1 << 53;
    match i64::try_from(value) {
        Ok(small) if (-MAX_EXACT..=MAX_EXACT).contains(&value) => small.into(),
        _ => value.to_string().into(),
    }
}

/// A number: a JSON number if a double is the same number, else text.
pub(crate) fn decimal(text: &str) -> Value {
    if let Ok(whole) = text.parse() {
        return integer(whole);
    }
    if fits_double(text) { double(text) } else { text.into() }
}

/// A number that is a double already.
pub(crate) fn double(text: &str) -> Value {
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| text.into(), Value::Number)
}

/// Whether a double prints all significant digits of this number.
pub fn fits_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    if !number.is_finite() {
        return false;
    }
    // A double holds any 15 digits.
    if text.len() <= 15 {
        return true;
    }
    let digits = significant_digits(text);
    digits.len() <= 15 || digits == significant_digits(&format!("{number:e}"))
}

/// The digits of a number without the zeros around them, which only show its magnitude.
fn significant_digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_double_cannot_hold_is_text() {
        assert_eq!(integer(1 << 53), Value::from(9_007_199_254_740_992_i64));
        assert_eq!(integer((1 << 53) + 1), Value::from("9007199254740993"));
        assert_eq!(decimal("12.50"), Value::from(12.5));
        assert_eq!(decimal("0.1"), Value::from(0.1));
        assert_eq!(decimal("1234567890123456.78"), Value::from("1234567890123456.78"));
        assert_eq!(decimal("9007199254740993.00"), Value::from("9007199254740993.00"));
        assert_eq!(decimal("10000000000000000000000"), Value::from("10000000000000000000000"));
    }

    #[test]
    fn zeros_around_a_number_are_not_significant() {
        assert_eq!(decimal("0.2500000000000000"), Value::from(0.25));
        assert_eq!(decimal("-123456789.5000000000"), Value::from(-123_456_789.5));
        assert_eq!(decimal("0.3333333333333333"), Value::from(1.0 / 3.0));
        assert_eq!(decimal("1.2345678901234567e+20"), Value::from(1.234_567_890_123_456_7e20));
        assert_eq!(decimal("0.33333333333333333333"), Value::from("0.33333333333333333333"));
        assert!(!fits_double("nan") && !fits_double("inf") && !fits_double("x"));
    }
}
