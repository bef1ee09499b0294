//! Queries, and windows on their rows.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::Reader;
use super::answer::QueryAnswer;
use super::cells::{Shown, json_row};
use crate::engine::{QueryTimer, quoted, told, view, with_room};
use crate::error::TableError;
use crate::guard::{self, Allowed};

/// The most rows of an answer.
const MOST_ROWS: u64 = 10_000;
/// About the most bytes of an answer's rows.
const MOST_BYTES: usize = 4 << 20;

/// The name under which the engine of the original client numbers rows, from 0.
const ROW_NUMBER: &str = "rowid";

/// Whether a query may ask for the numbers of rows.
pub(crate) fn mentions_row_numbers(query: &str) -> bool {
    query.to_ascii_lowercase().contains(ROW_NUMBER)
}

/// A query that may be carried out.
pub(super) struct Ready {
    /// The query as a table with the columns `c0`, `c1`, ….
    pub(super) table: String,
    pub(super) columns: Vec<Shown>,
    pub(super) allowed: Allowed,
}

impl Reader {
    /// A window on the rows of a query.
    pub fn query(&self, query: &str, window_rows: u64, window_offset: u64) -> Result<QueryAnswer, TableError> {
        if window_rows == 0 || window_rows > MOST_ROWS {
            return Err(TableError::Invalid(format!("window_rows: from 1 to {MOST_ROWS} rows can be asked for")));
        }
        with_room(|| self.answer(query, window_rows, window_offset))
    }

    fn answer(&self, query: &str, window_rows: u64, window_offset: u64) -> Result<QueryAnswer, TableError> {
        let timer = self.timer();
        let ready = self.prepared(query, &timer)?;
        let (rows, cut) = self.window(&ready, window_rows, window_offset, &timer)?;
        let row_count = rows.len().min(usize::try_from(window_rows).unwrap_or(usize::MAX)) as u64;
        let more = rows.len() as u64 > row_count || cut;
        let mut warnings = Vec::new();
        if cut {
            warnings.push(format!(
                "only {row_count} rows fit into one answer; go on at window_offset {}",
                window_offset + row_count
            ));
        }
        // A window that is not full knows the end; only a full one, or one beyond the end, must count.
        let known = !more && (row_count > 0 || window_offset == 0);
        let total = if known { Some(window_offset + row_count) } else { self.count(&ready, &timer, &mut warnings)? };
        // A file that is read where it lies tells by then what is odd about it.
        warnings.splice(0..0, self.warnings());
        let mut rows = rows;
        rows.truncate(usize::try_from(row_count).unwrap_or(usize::MAX));
        Ok(QueryAnswer {
            columns: ready.columns.iter().map(|column| column.name.clone()).collect(),
            column_types: ready.columns.iter().map(Shown::inferred).collect(),
            sql_types: ready.columns.iter().map(|column| column.sql_type.clone()).collect(),
            rows,
            row_count,
            total_row_count: total,
            window_rows,
            window_offset,
            has_more: more,
            query_elapsed_ms: timer.elapsed_ms(),
            read_directly: self.scan.is_some(),
            warnings,
        })
    }

    /// A query that is checked already when it is the one asked last: windows on one query follow each other, and the
    /// tables do not change meanwhile.
    fn prepared(&self, query: &str, timer: &QueryTimer) -> Result<Arc<Ready>, TableError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ready)) = last.as_ref().filter(|(known, _)| known == query) {
            return Ok(Arc::clone(ready));
        }
        let ready = Arc::new(self.ready(query, timer)?);
        *last = Some((query.to_owned(), Arc::clone(&ready)));
        Ok(ready)
    }

    /// Checks a query and learns its columns.
    pub(super) fn ready(&self, query: &str, timer: &QueryTimer) -> Result<Ready, TableError> {
        self.checked(query, timer).map_err(|error| {
            // The checks are queries of their own, and are stopped like any other.
            if timer.fired() { told(&duckdb::Error::QueryReturnedNoRows, timer, self.limits) } else { error }
        })
    }

    fn checked(&self, query: &str, timer: &QueryTimer) -> Result<Ready, TableError> {
        self.show_row_numbers(mentions_row_numbers(query))?;
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let allowed = guard::check(&self.connection, query, &names)?;
        let plain = query.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        // As a part of another query it must be what it is alone.
        let check = |inner: &str| guard::check(&self.connection, &format!("SELECT * FROM ({inner}\n)"), &names);
        let inner = match check(plain) {
            Ok(_) => plain.to_owned(),
            // A remark after the last semicolon: the parser's own writing of the query has none.
            Err(_) => {
                let written = self.written(query)?;
                check(&written)?;
                written
            }
        };
        let columns = self.columns(&inner, timer)?;
        let list: Vec<String> = (0..columns.len()).map(|index| format!("c{index}")).collect();
        let table = format!("({inner}\n) AS q({})", list.join(", "));
        Ok(Ready { table, columns, allowed })
    }

    /// Adds the numbers of rows to the tables, or takes them away again. They are not there for every query, since they
    /// would be a column of `SELECT *`. A table with a column of that name keeps its own.
    fn show_row_numbers(&self, shown: bool) -> Result<(), TableError> {
        let shown = shown && self.scan.is_none();
        if self.numbered.swap(shown, Ordering::Relaxed) == shown {
            return Ok(());
        }
        for (index, (name, meta)) in self.names.iter().zip(&self.metas).enumerate() {
            let own = meta.columns.iter().any(|column| column.name.eq_ignore_ascii_case(ROW_NUMBER));
            let number = (shown && !own).then_some(ROW_NUMBER);
            self.connection.execute_batch(&view(name, index, meta, number)).map_err(TableError::engine)?;
        }
        Ok(())
    }

    fn written(&self, query: &str) -> Result<String, TableError> {
        let sql = "SELECT json_deserialize_sql(json_serialize_sql(?::VARCHAR))";
        self.connection.query_row(sql, [query], |row| row.get(0)).map_err(TableError::engine)
    }

    fn columns(&self, inner: &str, timer: &QueryTimer) -> Result<Vec<Shown>, TableError> {
        let failed = |error: duckdb::Error| told(&error, timer, self.limits);
        // A table of the query would have other names where two columns are called alike; a DESCRIBE of a DESCRIBE
        // needs one.
        let described = self.connection.prepare(&format!("DESCRIBE {inner}"));
        let wrapped = || self.connection.prepare(&format!("DESCRIBE SELECT * FROM ({inner}\n)"));
        let mut statement = described.or_else(|_| wrapped()).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut columns = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            columns.push(Shown { name: row.get(0).map_err(failed)?, sql_type: row.get(1).map_err(failed)? });
        }
        Ok(columns)
    }

    /// The window's rows and one more when there is one; and whether the window was cut by its size.
    fn window(
        &self,
        ready: &Ready,
        rows: u64,
        offset: u64,
        timer: &QueryTimer,
    ) -> Result<(Vec<Vec<serde_json::Value>>, bool), TableError> {
        let list = select(&ready.columns);
        let sql = format!("SELECT {list} FROM {} LIMIT {} OFFSET {offset}", ready.table, rows + 1);
        self.collect(&sql, &ready.columns, timer)
    }

    /// The rows of one of our own queries, as far as they fit into an answer.
    pub(super) fn collect(
        &self,
        sql: &str,
        columns: &[Shown],
        timer: &QueryTimer,
    ) -> Result<(Vec<Vec<serde_json::Value>>, bool), TableError> {
        let failed = |error: duckdb::Error| told(&error, timer, self.limits);
        // A query that is asked again is planned already. The tables it reads do not change.
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut found = statement.query([]).map_err(failed)?;
        let (mut rows, mut bytes) = (Vec::new(), 0usize);
        while let Some(row) = found.next().map_err(failed)? {
            let row = json_row(row, columns)?;
            bytes += row.iter().map(size).sum::<usize>();
            if bytes > MOST_BYTES && !rows.is_empty() {
                return Ok((rows, true));
            }
            rows.push(row);
        }
        Ok((rows, false))
    }

    fn count(&self, ready: &Ready, timer: &QueryTimer, warnings: &mut Vec<String>) -> Result<Option<u64>, TableError> {
        let sql = format!("SELECT count(*) FROM {}", ready.table);
        let counted = self.connection.query_row(&sql, [], |row| row.get::<_, i64>(0));
        match counted {
            Ok(count) => Ok(u64::try_from(count).ok()),
            Err(_) if timer.fired() && !timer.was_cancelled() => {
                warnings.push("counting all rows took too long; total_row_count is not known".to_owned());
                Ok(None)
            }
            Err(error) => Err(told(&error, timer, self.limits)),
        }
    }
}

/// The columns of a result in forms that need no rounding.
pub(super) fn select(columns: &[Shown]) -> String {
    let columns = columns.iter().enumerate().map(|(index, column)| column.select(&format!("c{index}")));
    columns.collect::<Vec<_>>().join(", ")
}

fn size(value: &serde_json::Value) -> usize {
    value.as_str().map_or(8, |text| text.len() + 3)
}

/// The SQL of a whole table.
pub(super) fn whole(name: &str) -> String {
    format!("SELECT * FROM {}", quoted(name))
}
