//! Converts a Parquet file, which DuckDB reads. It is the only format whose parser is not Jig's, so the instance that
//! reads it has access to no other file, and what the file claims about its size is checked before it is inflated.

mod fd_path;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use duckdb::Connection;
use jig_file_api::table::TableFormat;
use jig_text::csv::clip;
use jig_worker::table_cache::TABLE_FORMAT;

use crate::deadline::{Deadline, QueryTimer, TimerThread};
use crate::engine::{self, ROW, TABLE, literal, query_error, quoted};
use crate::error::{TableError, without_paths};
use crate::limits::{MAX_PARQUET_BYTES, MAX_PARQUET_ROWS};
use crate::meta::{ColumnInfo, InferredType, Meta};

/// The first and last bytes of a Parquet file.
const MAGIC: &[u8; 4] = b"PAR1";
/// The last bytes of a file with an encrypted footer.
const ENCRYPTED_MAGIC: &[u8; 4] = b"PARE";
/// Rows from which examples of values are taken.
const EXAMPLE_ROWS: usize = 50;
/// How many examples a column has.
const EXAMPLES: usize = 3;

/// Converts a Parquet file into a new database file.
pub(crate) fn convert(file: &File, target: &Path, deadline: &Deadline) -> Result<Meta, TableError> {
    deadline.check()?;
    check_magic(file)?;
    let path = fd_path::of(file).ok_or(TableError::Unsupported { format: TableFormat::Parquet })?;
    let connection = engine::create(target, 0, Some(&path))?;
    let timers = TimerThread::new(&connection)?;
    let (millis, cancel) = deadline.remaining();
    let timer = timers.set(millis, cancel);
    let conversion = Conversion { connection: &connection, timer: &timer, deadline, path: &path };
    let meta = conversion.run();
    // Before the connection, which the thread interrupts.
    drop(timer);
    drop(timers);
    let meta = meta?;
    meta.write(&connection)?;
    connection.execute_batch("CHECKPOINT")?;
    let _ = connection.close();
    Ok(meta)
}

fn check_magic(mut file: &File) -> Result<(), TableError> {
    let failed = TableError::io("the file could not be read");
    let (mut first, mut last) = ([0; 4], [0; 4]);
    let read = file.seek(SeekFrom::End(0)).and_then(|length| {
        if length < 12 {
            return Ok(());
        }
        file.rewind()?;
        file.read_exact(&mut first)?;
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut last)
    });
    read.map_err(failed)?;
    match (&first, &last) {
        (MAGIC, MAGIC) => Ok(()),
        (_, ENCRYPTED_MAGIC) => Err(invalid("it is encrypted")),
        (MAGIC, _) => Err(invalid("its end is missing")),
        _ => Err(invalid("it does not start with PAR1")),
    }
}

fn invalid(why: &str) -> TableError {
    TableError::Parquet { why: why.to_owned() }
}

struct Conversion<'a> {
    connection: &'a Connection,
    timer: &'a QueryTimer,
    deadline: &'a Deadline,
    path: &'a str,
}

impl Conversion<'_> {
    fn run(&self) -> Result<Meta, TableError> {
        self.check_size()?;
        let (mut columns, warnings) = self.columns()?;
        let list: Vec<String> = columns.iter().map(|column| format!(", {}", column.select())).collect();
        let source = self.source();
        // A window without a frame numbers the rows as they come, which is the order of the file.
        self.execute(&format!(
            "CREATE TABLE {TABLE} AS SELECT row_number() OVER () AS {ROW}{} FROM {source}",
            list.concat()
        ))?;
        let count = self.connection.query_row(&format!("SELECT count(*) FROM {TABLE}"), [], |row| row.get::<_, i64>(0));
        let row_count = u64::try_from(count?).unwrap_or(0);
        self.add_examples(&mut columns)?;
        Ok(Meta {
            version: TABLE_FORMAT,
            dialect: None,
            has_header: true,
            header_confidence: 1.0,
            row_count,
            columns: columns.into_iter().map(|column| column.info).collect(),
            warnings,
        })
    }

    fn source(&self) -> String {
        format!("read_parquet({}, hive_partitioning = false)", literal(self.path))
    }

    /// Refuses a file that claims more rows or bytes than a table may have: a few kilobytes can inflate to any size.
    fn check_size(&self) -> Result<(), TableError> {
        let path = literal(self.path);
        let rows = self.number(&format!("SELECT sum(num_rows)::DOUBLE FROM parquet_file_metadata({path})"))?;
        if rows > MAX_PARQUET_ROWS as f64 {
            return Err(too_large(format!("{MAX_PARQUET_ROWS} rows")));
        }
        let sql = format!("SELECT coalesce(sum(total_uncompressed_size), 0)::DOUBLE FROM parquet_metadata({path})");
        if self.number(&sql)? > MAX_PARQUET_BYTES as f64 {
            return Err(too_large(format!("{} GiB when inflated", MAX_PARQUET_BYTES >> 30)));
        }
        Ok(())
    }

    fn columns(&self) -> Result<(Vec<ParquetColumn>, Vec<String>), TableError> {
        let describe = format!("DESCRIBE SELECT * FROM {}", self.source());
        let mut statement = self.connection.prepare(&describe).map_err(|error| self.failed(error))?;
        let mut rows = statement.query([]).map_err(|error| self.failed(error))?;
        let (mut columns, mut warnings) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            let (name, stored): (String, String) = (row.get(0)?, row.get(1)?);
            let sql_type = match stored.as_str() {
                "TIMESTAMP WITH TIME ZONE" => {
                    warnings.push(format!("column `{name}`: times are converted to UTC"));
                    "TIMESTAMP".to_owned()
                }
                // An alias that needs an extension to be read back.
                "JSON" => "VARCHAR".to_owned(),
                _ => stored.clone(),
            };
            let info = ColumnInfo {
                name,
                index: columns.len(),
                inferred_type: InferredType::of_sql(&sql_type),
                sql_type,
                format: (stored == "TIMESTAMP WITH TIME ZONE").then(|| "UTC".to_owned()),
                examples: Vec::new(),
            };
            columns.push(ParquetColumn { info, stored });
        }
        Ok((columns, warnings))
    }

    fn add_examples(&self, columns: &mut [ParquetColumn]) -> Result<(), TableError> {
        if columns.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = columns.iter().map(|column| format!("c{}::VARCHAR", column.info.index)).collect();
        let sql = format!("SELECT {} FROM {TABLE} WHERE {ROW} <= {EXAMPLE_ROWS} ORDER BY {ROW}", list.join(", "));
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in columns.iter_mut() {
                let value: Option<String> = row.get(column.info.index)?;
                let Some(value) = value.map(|value| clip(&value)) else { continue };
                let examples = &mut column.info.examples;
                if examples.len() < EXAMPLES && !examples.contains(&value) {
                    examples.push(value);
                }
            }
        }
        Ok(())
    }

    fn number(&self, sql: &str) -> Result<f64, TableError> {
        let number = self.connection.query_row(sql, [], |row| row.get::<_, Option<f64>>(0));
        number.map(|number| number.unwrap_or(0.0)).map_err(|error| self.failed(error))
    }

    fn execute(&self, sql: &str) -> Result<(), TableError> {
        self.connection.execute_batch(sql).map_err(|error| self.failed(error))
    }

    /// A message without the path, which says nothing to a reader.
    fn without_path(&self, message: &str) -> String {
        let quoted = [format!(" in file '{}'", self.path), format!(" file '{}'", self.path), self.path.to_owned()];
        let short = quoted.iter().fold(message.to_owned(), |text, path| text.replace(path.as_str(), ""));
        without_paths(short.trim())
    }

    /// The error of a statement that reads the file: its limits are those of the conversion, and everything else is about
    /// the file, unless DuckDB reports a fault of its own or a full disk.
    fn failed(&self, error: duckdb::Error) -> TableError {
        if let Err(ended) = self.deadline.check() {
            return ended;
        }
        let message = without_paths(&error.to_string());
        let limits = jig_worker::QueryLimits::default();
        match query_error(error, self.timer, limits) {
            TableError::Query { message } => TableError::Parquet { why: self.without_path(&message) },
            TableError::DamagedTable { reason } if !is_full_disk(&reason) => {
                TableError::Parquet { why: self.without_path(&reason) }
            }
            TableError::OutOfMemory { .. } => TableError::TooLarge {
                what: "a row group of the file",
                limit: format!("{} MB when inflated", engine::CONVERT_MB),
                hint: "write the file with smaller row groups",
            },
            TableError::DamagedTable { .. } => {
                let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
                TableError::Io { action: "the cache of tables could not be written", source }
            }
            TableError::TimedOut { .. } => TableError::internal(message),
            other => other,
        }
    }
}

fn is_full_disk(message: &str) -> bool {
    message.starts_with("no space left")
}

fn too_large(limit: String) -> TableError {
    TableError::TooLarge { what: "the Parquet file", limit, hint: "split it into several files" }
}

/// A column with its type in the file.
struct ParquetColumn {
    info: ColumnInfo,
    stored: String,
}

impl ParquetColumn {
    /// The expression that converts it.
    fn select(&self) -> String {
        let (name, index) = (quoted(&self.info.name), self.info.index);
        match self.stored.as_str() {
            // A cast would use the time zone of the machine.
            "TIMESTAMP WITH TIME ZONE" => format!("make_timestamp(epoch_us({name})) AS c{index}"),
            "JSON" => format!("{name}::VARCHAR AS c{index}"),
            _ => format!("{name} AS c{index}"),
        }
    }
}
