//! The engine, locked down: no files but the tables', no network, no extensions, no settings.

mod timer;

use std::path::Path;

use duckdb::{Config, Connection};
use jig_worker::QueryLimits;
use jig_worker::table_cache::TABLE_FORMAT;

pub(crate) use timer::{QueryTimer, TimerThread};

use crate::error::{TableError, without_paths};
use crate::load::{ROW, TABLE};
use crate::meta::Meta;

/// Memory for a conversion, which needs little: the engine writes as it goes.
const CONVERT_MB: u64 = 400;

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

/// The engine goes down into a query as deep as it is nested, up to a bound of its own. No thread of a caller need have
/// the room for that.
const STACK: usize = 128 << 20;

/// Does work on a query where there is room for any depth.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::grow(STACK, work)
}

/// Tables with more columns lie in small blocks: while a table is written, each column has a block in memory.
const WIDE: usize = 500;
const SMALL_BLOCK: &str = "16384";

/// The version of the DuckDB library that this program runs with.
pub fn duckdb_version() -> String {
    let version = Connection::open_in_memory().and_then(|it| it.query_row("SELECT version()", [], |row| row.get(0)));
    version.unwrap_or_else(|_| "unknown".to_owned())
}

/// Starts an instance and drops it, so that everything that DuckDB reads once per process is read.
pub fn warm_up() {
    let _ = memory(QueryLimits::default());
}

/// Makes a database file to put a table of so many columns into.
pub(crate) fn create(path: &Path, columns: usize) -> Result<Connection, TableError> {
    let config = config(CONVERT_MB, 2).and_then(|config| config.with("preserve_insertion_order", "true"));
    let small =
        |config: Config| if columns > WIDE { config.with("default_block_size", SMALL_BLOCK) } else { Ok(config) };
    let config = config.and_then(small);
    let connection = config.and_then(|config| Connection::open_with_flags(path, config)).map_err(TableError::engine)?;
    connection.execute_batch("SET enable_external_access = false").map_err(TableError::engine)?;
    Ok(connection)
}

/// Opens tables for queries, each under its name, and locks the rest.
pub(crate) fn open(tables: &[(&str, &Path)], limits: QueryLimits) -> Result<(Connection, Vec<Meta>), TableError> {
    let connection = memory(limits)?;
    let mut metas = Vec::new();
    for (index, (name, path)) in tables.iter().enumerate() {
        let path = path.to_str().ok_or_else(|| TableError::Engine("a path that is no text".to_owned()))?;
        let sql = format!("ATTACH {} AS db{index} (READ_ONLY)", literal(path));
        connection.execute_batch(&sql).map_err(|error| damaged(&error))?;
        let meta = read_meta(&connection, index)?;
        connection.execute_batch(&view(name, index, &meta, None)).map_err(TableError::engine)?;
        metas.push(meta);
    }
    lock(&connection)?;
    Ok((connection, metas))
}

/// An engine without any table.
pub(crate) fn memory(limits: QueryLimits) -> Result<Connection, TableError> {
    let limits = limits.clamped();
    let config = config(limits.memory_mb, limits.threads).map_err(TableError::engine)?;
    let connection = Connection::open_in_memory_with_flags(config).map_err(TableError::engine)?;
    // A statement that is kept holds its last rows: only the last query is.
    connection.set_prepared_statement_cache_capacity(1);
    Ok(connection)
}

/// Takes everything away that a query does not need.
pub(crate) fn lock(connection: &Connection) -> Result<(), TableError> {
    // Models write lambdas with an arrow.
    let sql =
        "SET lambda_syntax = 'ENABLE_SINGLE_ARROW'; SET enable_external_access = false; SET lock_configuration = true;";
    connection.execute_batch(sql).map_err(TableError::engine)
}

fn damaged(error: &duckdb::Error) -> TableError {
    TableError::Damaged(without_paths(&error.to_string()))
}

/// Whether the engine says that a file is not what it wrote. Queries reach no other file.
fn is_damage(words: &str) -> bool {
    ["IO Error", "Serialization Error", "Data Corruption Error"].iter().any(|kind| words.starts_with(kind))
}

fn read_meta(connection: &Connection, index: usize) -> Result<Meta, TableError> {
    let sql = format!("SELECT json FROM db{index}.main.meta");
    let json: String = connection.query_row(&sql, [], |row| row.get(0)).map_err(|error| damaged(&error))?;
    let meta: Meta = serde_json::from_str(&json).map_err(|error| TableError::Damaged(error.to_string()))?;
    if meta.version == TABLE_FORMAT {
        Ok(meta)
    } else {
        Err(TableError::Damaged("it is of another version".to_owned()))
    }
}

/// A table under its own names, with the numbers of rows from 0 if a name for them is given.
pub(crate) fn view(name: &str, index: usize, meta: &Meta, row_number: Option<&str>) -> String {
    let mut columns: Vec<String> =
        meta.columns.iter().map(|column| format!("c{} AS {}", column.index, quoted(&column.name))).collect();
    columns.extend(row_number.map(|number| format!("{ROW} - 1 AS {}", quoted(number))));
    let columns = if columns.is_empty() { format!("{ROW} AS nothing") } else { columns.join(", ") };
    format!("CREATE OR REPLACE VIEW {} AS SELECT {columns} FROM db{index}.main.{TABLE}", quoted(name))
}

/// A name in SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in SQL.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The engine's error in words for the caller, without anything of the machine.
pub(crate) fn told(error: &duckdb::Error, timer: &QueryTimer, limits: QueryLimits) -> TableError {
    let limits = limits.clamped();
    let words = error.to_string();
    if timer.fired() {
        return if timer.was_cancelled() {
            TableError::Cancelled
        } else {
            TableError::TimedOut { millis: limits.timeout_ms }
        };
    }
    if words.contains("Out of Memory") {
        // Its own limit the engine tells with how much of it is used.
        let own = words.contains(" used)");
        return if own {
            TableError::OutOfMemory { megabytes: limits.memory_mb }
        } else {
            TableError::OutOfProcessMemory
        };
    }
    if is_damage(&words) {
        return TableError::Damaged(without_paths(&words));
    }
    let first = words.split("\n\nLINE ").next().unwrap_or(&words).trim();
    TableError::Query(format!("the query failed: {}", first.replace("\n", " ")))
}
