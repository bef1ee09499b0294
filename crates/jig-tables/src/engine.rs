//! DuckDB instances without access to anything but their tables: no files, no network, no extensions, no settings.
//!
//! A converted table is a database file with two tables: `t` has the row number `r` and the columns `c0`, `c1`, …; `meta`
//! has what is known about it as JSON. Queries see a view with the columns' own names.

use std::path::Path;

use duckdb::{Config, Connection};
use jig_worker::QueryLimits;
use jig_worker::table_cache::TABLE_FORMAT;

use crate::deadline::QueryTimer;
use crate::error::{TableError, without_paths};
use crate::meta::Meta;

/// The table in a converted file.
pub(crate) const TABLE: &str = "t";
/// Its column of row numbers, from 1.
pub(crate) const ROW: &str = "r";

/// Memory for a conversion, which needs little: DuckDB writes row groups as they are complete.
pub(crate) const CONVERT_MB: u64 = 400;
/// Tables with more columns get small blocks: while a table is written, each column has a block in memory.
const WIDE_COLUMNS: usize = 500;
const SMALL_BLOCK: &str = "16384";
/// DuckDB's recursion is as deep as a query is nested, up to its own limit, for which a usual stack is too small.
const STACK: usize = 128 << 20;

fn config(memory_mb: u64, threads: u64) -> Result<Config, duckdb::Error> {
    Config::default()
        .max_memory(&format!("{memory_mb}MB"))?
        .threads(i64::try_from(threads).unwrap_or(2))?
        .enable_autoload_extension(false)?
        .with("autoinstall_known_extensions", "false")?
        .with("allow_community_extensions", "false")?
        .with("allow_unsigned_extensions", "false")?
        .with("temp_directory", "")
}

/// Runs work on a query with enough stack for any depth that DuckDB allows.
pub(crate) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::grow(STACK, work)
}

/// The version of the DuckDB library that this program runs with.
pub fn duckdb_version() -> String {
    let version = Connection::open_in_memory().and_then(|it| it.query_row("SELECT version()", [], |row| row.get(0)));
    version.unwrap_or_else(|_| "unknown".to_owned())
}

/// Starts an instance and drops it, so that DuckDB reads what it needs to know about the machine before confinement.
pub fn warm_up() {
    let _ = memory(QueryLimits::default());
}

/// Creates a database file for a table with this many columns. The connection has access to no other file but `source`,
/// which its SQL can then read.
pub(crate) fn create(path: &Path, columns: usize, source: Option<&str>) -> Result<Connection, TableError> {
    let mut config = config(CONVERT_MB, 2)?.with("preserve_insertion_order", "true")?;
    if columns > WIDE_COLUMNS {
        config = config.with("default_block_size", SMALL_BLOCK)?;
    }
    let connection = Connection::open_with_flags(path, config)?;
    if let Some(source) = source {
        connection.execute_batch(&format!("SET allowed_paths = [{}]", literal(source)))?;
    }
    connection.execute_batch("SET enable_external_access = false")?;
    Ok(connection)
}

/// Opens converted tables for queries, each under its name, and locks the instance.
pub(crate) fn open(tables: &[(&str, &Path)], limits: QueryLimits) -> Result<(Connection, Vec<Meta>), TableError> {
    let connection = memory(limits)?;
    let mut metas = Vec::new();
    for (index, (name, path)) in tables.iter().enumerate() {
        let path = path.to_str().ok_or_else(|| TableError::internal("the path of a converted table is not UTF-8"))?;
        let sql = format!("ATTACH {} AS db{index} (READ_ONLY)", literal(path));
        connection.execute_batch(&sql).map_err(|error| damaged(&error))?;
        let meta = read_meta(&connection, index)?;
        connection.execute_batch(&view(name, index, &meta, None))?;
        metas.push(meta);
    }
    lock(&connection)?;
    Ok((connection, metas))
}

/// An instance in memory, without tables.
pub(crate) fn memory(limits: QueryLimits) -> Result<Connection, TableError> {
    let limits = limits.clamped();
    let connection = Connection::open_in_memory_with_flags(config(limits.memory_mb, limits.threads)?)?;
    // A cached statement holds its last rows in memory, so only the last query is cached.
    connection.set_prepared_statement_cache_capacity(1);
    Ok(connection)
}

/// Removes access to files and settings for good.
pub(crate) fn lock(connection: &Connection) -> Result<(), TableError> {
    // Models write lambdas with an arrow, which newer versions of DuckDB refuse by default.
    let sql =
        "SET lambda_syntax = 'ENABLE_SINGLE_ARROW'; SET enable_external_access = false; SET lock_configuration = true;";
    Ok(connection.execute_batch(sql)?)
}

fn damaged(error: &duckdb::Error) -> TableError {
    TableError::DamagedTable { reason: without_paths(&error.to_string()) }
}

fn read_meta(connection: &Connection, index: usize) -> Result<Meta, TableError> {
    let sql = format!("SELECT json FROM db{index}.main.meta");
    let json: String = connection.query_row(&sql, [], |row| row.get(0)).map_err(|error| damaged(&error))?;
    let meta: Meta =
        serde_json::from_str(&json).map_err(|error| TableError::DamagedTable { reason: error.to_string() })?;
    if meta.version == TABLE_FORMAT {
        Ok(meta)
    } else {
        let reason = format!("its format is {}, not {TABLE_FORMAT}", meta.version);
        Err(TableError::DamagedTable { reason })
    }
}

/// The statement that shows a table under its own names, with row numbers from 0 if a name for them is given.
pub(crate) fn view(name: &str, index: usize, meta: &Meta, row_number: Option<&str>) -> String {
    let mut columns: Vec<String> =
        meta.columns.iter().map(|column| format!("c{} AS {}", column.index, quoted(&column.name))).collect();
    columns.extend(row_number.map(|number| format!("{ROW} - 1 AS {}", quoted(number))));
    // A view needs a column; that of an empty file is never in a reply, because its table has no rows.
    let columns = if columns.is_empty() { format!("{ROW} AS nothing") } else { columns.join(", ") };
    format!("CREATE OR REPLACE VIEW {} AS SELECT {columns} FROM db{index}.main.{TABLE}", quoted(name))
}

/// A quoted identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The kinds of failures of a query that callers must distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// DuckDB's memory limit is reached.
    MemoryLimit,
    /// The system has no more memory for the process.
    ProcessMemory,
    /// The file of a table is not what DuckDB wrote. Queries read no other files.
    DamagedTable,
    /// A fault in DuckDB, after which the instance is unusable.
    Internal,
    /// Everything else: the query is wrong.
    Query,
}

impl Failure {
    /// Classifies by the prefix of the message. DuckDB's C API has an error type for results, but the `duckdb` crate
    /// discards it: its errors for prepare, execute and fetch all have the code `Unknown`. The prefix is the name of that
    /// type (`Exception::ExceptionTypeToString`), so nothing is derived from the rest of the message, with one exception:
    /// both kinds of missing memory have the same type, and only DuckDB's own limit reports how much is used.
    fn of(message: &str) -> Self {
        let message = without_wrapper(message);
        let kind = message.split(':').next().unwrap_or_default();
        match kind {
            "Out of Memory Error" if message.contains(" used)") => Self::MemoryLimit,
            "Out of Memory Error" => Self::ProcessMemory,
            "IO Error" | "Serialization Error" | "Data Corruption Error" => Self::DamagedTable,
            "INTERNAL Error" | "FATAL Error" => Self::Internal,
            _ => Self::Query,
        }
    }
}

/// The message of an error that ended a streamed result, which DuckDB wraps if it was found before the first rows.
fn without_wrapper(message: &str) -> &str {
    let wrapped = message
        .strip_prefix("Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result");
    wrapped.and_then(|rest| rest.trim_start().strip_prefix("Error: ")).unwrap_or(message)
}

/// The error of a query, without anything about the host.
pub(crate) fn query_error(error: duckdb::Error, timer: &QueryTimer, limits: QueryLimits) -> TableError {
    let limits = limits.clamped();
    if timer.fired() {
        return interrupted(timer, limits);
    }
    let message = without_wrapper(&error.to_string()).to_owned();
    match Failure::of(&message) {
        Failure::MemoryLimit => TableError::OutOfMemory { megabytes: limits.memory_mb },
        Failure::ProcessMemory => TableError::OutOfProcessMemory,
        Failure::DamagedTable => TableError::DamagedTable { reason: without_paths(&message) },
        Failure::Internal => TableError::Engine { source: error },
        Failure::Query => {
            // The rest shows the position in a statement that contains the caller's query.
            let first = message.split("\n\nLINE ").next().unwrap_or(&message).trim();
            TableError::Query { message: first.replace('\n', " ") }
        }
    }
}

/// The error of a query that its timer interrupted.
pub(crate) fn interrupted(timer: &QueryTimer, limits: QueryLimits) -> TableError {
    if timer.was_cancelled() { TableError::Cancelled } else { TableError::TimedOut { millis: limits.timeout_ms } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(connection: &Connection, sql: &str) -> Failure {
        Failure::of(&connection.execute_batch(sql).unwrap_err().to_string())
    }

    #[test]
    fn failures_are_classified_as_the_linked_engine_reports_them() {
        let connection = memory(QueryLimits { memory_mb: 64, ..QueryLimits::default() }).unwrap();
        assert_eq!(failure(&connection, "SELECT nothing FROM nowhere"), Failure::Query);
        assert_eq!(failure(&connection, "SELECT 'a'::INTEGER"), Failure::Query);
        let sort = "CREATE TABLE s AS SELECT md5(range::VARCHAR) AS b FROM range(20000000) ORDER BY b";
        assert_eq!(failure(&connection, sort), Failure::MemoryLimit);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("torn.duckdb");
        std::fs::write(&file, vec![0xa5; 20_000]).unwrap();
        let attach = format!("ATTACH {} AS torn (READ_ONLY)", literal(file.to_str().unwrap()));
        assert_eq!(failure(&connection, &attach), Failure::DamagedTable);
    }

    /// These cannot be caused on purpose in a test.
    #[test]
    fn failures_of_the_machine_and_of_the_engine_are_known_by_their_type() {
        let failed = "Out of Memory Error: Failed to allocate block of 262144 bytes (bad allocation)";
        assert_eq!(Failure::of(failed), Failure::ProcessMemory);
        assert_eq!(Failure::of("INTERNAL Error: Attempted to access index 1"), Failure::Internal);
        assert_eq!(Failure::of("FATAL Error: database has been invalidated"), Failure::Internal);
        assert_eq!(Failure::of("Serialization Error: Failed to deserialize"), Failure::DamagedTable);
        let wrapped =
            "Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: ";
        assert_eq!(Failure::of(&format!("{wrapped}IO Error: Corrupt database file")), Failure::DamagedTable);
        assert_eq!(Failure::of(&format!("{wrapped}Conversion Error: Could not convert")), Failure::Query);
        // The caller's text in a message decides nothing.
        assert_eq!(Failure::of("Binder Error: column \"IO Error\" not found"), Failure::Query);
    }

    #[test]
    fn a_conversion_reads_no_other_file_than_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let (source, other) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        for file in [&source, &other] {
            std::fs::write(file, "x").unwrap();
        }
        let connection = create(&folder.path().join("t.duckdb"), 1, source.to_str()).unwrap();
        let read = |path: &Path| {
            connection.execute_batch(&format!("SELECT * FROM read_text({})", literal(path.to_str().unwrap())))
        };
        assert!(read(&source).is_ok());
        assert!(read(&other).unwrap_err().to_string().contains("Permission Error"));
    }
}
