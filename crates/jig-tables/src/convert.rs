//! Converts a table into a file of its own in DuckDB's format, which queries then read.
//!
//! Types are inferred from the start of the source. If a later value does not fit them, the table is filled again with
//! types from all of it. One thread splits text into records, one turns them into arrays, and writers append those.

use std::collections::HashSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use duckdb::Connection;
use duckdb::arrow::record_batch::RecordBatch;

use jig_file_api::table::ReadOptions;
use jig_text::csv::{ColumnFormat, ColumnType, Records, SampleScope};

use crate::batch::{BatchShape, ConversionReport, batch};
use crate::deadline::Deadline;
use crate::engine::{self, ROW, TABLE};
use crate::error::TableError;
use crate::meta::{Meta, sql_type};
use crate::parquet;
use crate::source::{RecordStream, Source, TablePlan};

/// Batches that may wait between two threads.
const WAITING_BATCHES: usize = 2;

/// Converts a table into a new database file. An error leaves no file.
pub(crate) fn convert(
    source: &mut Source<'_>,
    options: &ReadOptions,
    target: &Path,
    deadline: &Deadline,
) -> Result<Meta, TableError> {
    let converted = match source {
        Source::Parquet(file) => parquet::convert(file, target, deadline),
        _ => convert_records(source, options, target, deadline),
    };
    if converted.is_err() {
        let _ = std::fs::remove_file(target);
    }
    converted
}

fn convert_records(
    source: &mut Source<'_>,
    options: &ReadOptions,
    target: &Path,
    deadline: &Deadline,
) -> Result<Meta, TableError> {
    let plan = TablePlan::new(source, options, SampleScope::Start, deadline)?;
    if let Some(meta) = fill(source, &plan, target, deadline)? {
        return Ok(meta);
    }
    let mut plan = TablePlan::new(source, options, SampleScope::All, deadline)?;
    if let Some(meta) = fill(source, &plan, target, deadline)? {
        return Ok(meta);
    }
    // All values were examined, so this is a fault of the inference; but a table of text columns can hold anything.
    plan.schema.has_extra_column = true;
    for column in &mut plan.schema.columns {
        column.format = ColumnFormat::text();
    }
    fill(source, &plan, target, deadline)?.ok_or_else(|| TableError::internal("a table of text columns was not filled"))
}

/// Fills a new database file by a plan; `None` if a record does not fit the plan.
fn fill(
    source: &mut Source<'_>,
    plan: &TablePlan,
    target: &Path,
    deadline: &Deadline,
) -> Result<Option<Meta>, TableError> {
    let _ = std::fs::remove_file(target);
    let connection = engine::create(target, plan.schema.columns.len(), None)?;
    let filled = fill_table(source, plan, &connection, deadline)?;
    let meta = match filled {
        None => None,
        Some(mut report) => {
            report.source_warnings = source.warnings();
            let meta = Meta::new(plan, &report);
            meta.write(&connection)?;
            connection.execute_batch("CHECKPOINT")?;
            Some(meta)
        }
    };
    // A file that is not closed properly is found damaged when it is opened, and converted again.
    let _ = connection.close();
    Ok(meta)
}

fn fill_table(
    source: &mut Source<'_>,
    plan: &TablePlan,
    connection: &Connection,
    deadline: &Deadline,
) -> Result<Option<ConversionReport>, TableError> {
    connection.execute_batch(&create_table(plan, &compressions(source, plan)?))?;
    let mut stream = source.stream(plan.format)?;
    let mut report = ConversionReport::new(plan.schema.columns.len());
    let (records_in, records_out) = sync_channel(WAITING_BATCHES);
    let (arrays_in, arrays_out) = sync_channel(WAITING_BATCHES);
    let fits = std::thread::scope(|scope| {
        // Each thread owns its end of a channel, so that the next one notices when there is no more.
        let splitter = scope.spawn(|| {
            let records = records_in;
            split(&mut stream, &records, deadline)
        });
        let converter = scope.spawn(|| {
            let arrays = arrays_in;
            convert_batches(plan, &mut report, records_out, &arrays)
        });
        let appended = append(connection, &arrays_out, deadline);
        // A converter that is about to send must notice that no one receives.
        drop(arrays_out);
        let panicked = |_| TableError::internal("a thread of the conversion panicked");
        let split = splitter.join().map_err(panicked)?;
        let converted = converter.join().map_err(panicked)?;
        appended?;
        split?;
        converted
    })?;
    (report.defects, report.replaced) = stream.defects();
    Ok(fits.then_some(report))
}

fn create_table(plan: &TablePlan, compressions: &[Compression]) -> String {
    let mut sql = format!("CREATE TABLE {TABLE} ({ROW} BIGINT");
    for (index, (column, compression)) in plan.schema.columns.iter().zip(compressions).enumerate() {
        sql.push_str(&format!(", c{index} {}{}", sql_type(column.format.column_type), compression.sql()));
    }
    sql.push(')');
    sql
}

fn split(stream: &mut RecordStream<'_>, records: &SyncSender<Records>, deadline: &Deadline) -> Result<(), TableError> {
    while let Some(next) = stream.next_batch()? {
        deadline.check()?;
        if records.send(next).is_err() {
            break;
        }
    }
    Ok(())
}

/// Turns records into arrays. Returns false if a record does not fit the plan.
fn convert_batches(
    plan: &TablePlan,
    report: &mut ConversionReport,
    records: Receiver<Records>,
    arrays: &SyncSender<RecordBatch>,
) -> Result<bool, TableError> {
    let shape = BatchShape::complete(plan);
    for records in records {
        let Some(batch) = batch(plan, report, &records, &shape)? else { return Ok(false) };
        if batch.num_rows() > 0 && arrays.send(batch).is_err() {
            break;
        }
    }
    Ok(true)
}

/// Records of which the compression of text columns is derived.
const SAMPLE_RECORDS: usize = 10_000;
/// With fewer records, compression costs and gains nothing.
const MIN_SAMPLE: usize = 1_000;
/// Longer texts, on average, are compressed for the space they save.
const SHORT_TEXT_BYTES: usize = 128;

/// How the values of a column are stored. DuckDB chooses by size alone; where that makes queries slow, we choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    /// As DuckDB chooses.
    Automatic,
    /// None. Short texts that hardly repeat shrink by half at most, and a search in them takes twice the time if each must
    /// be decompressed first.
    Uncompressed,
}

impl Compression {
    const fn sql(self) -> &'static str {
        match self {
            Self::Automatic => "",
            Self::Uncompressed => " USING COMPRESSION uncompressed",
        }
    }
}

/// The compression of each column, derived from the start of a table.
fn compressions(source: &mut Source<'_>, plan: &TablePlan) -> Result<Vec<Compression>, TableError> {
    let first = source.stream(plan.format)?.next_batch()?.unwrap_or_default();
    let sample: Vec<usize> = plan.schema.layout.rows(&first).take(SAMPLE_RECORDS).collect();
    let columns = plan.schema.columns.iter().enumerate();
    Ok(columns
        .map(|(index, column)| match column.format.column_type {
            ColumnType::Text if is_short_and_distinct(&first, &sample, index) => Compression::Uncompressed,
            _ => Compression::Automatic,
        })
        .collect())
}

fn is_short_and_distinct(records: &Records, sample: &[usize], column: usize) -> bool {
    let column = records.column(column);
    let texts: Vec<&str> = sample.iter().filter_map(|row| Some(column.raw(*row)?.0)).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let distinct = || texts.iter().collect::<HashSet<_>>().len() * 2 > texts.len();
    texts.len() >= MIN_SAMPLE && bytes <= texts.len() * SHORT_TEXT_BYTES && distinct()
}

/// Rows that DuckDB compresses together.
const ROW_GROUP: usize = 122_880;
/// Rows of one transaction. Each one costs a flush to disk.
const TRANSACTION_ROWS: usize = 2 * ROW_GROUP;
/// The most bytes of arrays in a transaction. Wide tables reach this first; their row groups are then completed by the
/// next transaction, which is slower but takes no more memory.
const TRANSACTION_BYTES: usize = 64 << 20;
/// Connections that append. More would need more memory than a conversion has.
const WRITERS: usize = 2;

/// Appends all arrays to the table, by several connections at once.
///
/// Most of a conversion is DuckDB's work: choosing a compression for each column and compressing it. It does so row group
/// by row group, in the thread that appends. So rows are handed out in multiples of a row group, each multiple is one
/// transaction, and transactions are committed in the order of the file: the table has its rows in that order, and every
/// row group is written once, while a transaction that ends inside one would have it rewritten by the next.
fn append(connection: &Connection, arrays: &Receiver<RecordBatch>, deadline: &Deadline) -> Result<(), TableError> {
    let order = CommitOrder::default();
    let writers: Result<Vec<Connection>, _> = (0..WRITERS).map(|_| connection.try_clone()).collect();
    std::thread::scope(|scope| {
        let (senders, threads): (Vec<_>, Vec<_>) = writers?
            .into_iter()
            .map(|writer| {
                let (sender, transactions) = sync_channel(1);
                let order = &order;
                (sender, scope.spawn(move || write(&writer, &transactions, order)))
            })
            .unzip();
        let handed_out = hand_out(arrays, &senders, deadline);
        // The writers end when there is no more to receive.
        drop(senders);
        let panicked = |_| Err(WriteFailure::Error(TableError::internal("a writer of the table panicked")));
        let failures = threads.into_iter().filter_map(|thread| thread.join().unwrap_or_else(panicked).err());
        // A writer that was stopped by another has no reason of its own.
        let reason =
            failures.filter_map(|failure| if let WriteFailure::Error(error) = failure { Some(error) } else { None });
        handed_out.and(reason.last().map_or(Ok(()), Err))
    })
}

/// The rows of one transaction.
struct Transaction {
    number: u64,
    arrays: Vec<RecordBatch>,
}

/// Collects transactions and sends them to the writers in turn.
fn hand_out(
    arrays: &Receiver<RecordBatch>,
    writers: &[SyncSender<Transaction>],
    deadline: &Deadline,
) -> Result<(), TableError> {
    let mut next = writers.iter().cycle();
    let mut transaction = Transaction { number: 0, arrays: Vec::new() };
    let (mut rows, mut bytes) = (0, 0);
    // False if the writer has ended; it reports the reason.
    let mut send = |transaction: Transaction| next.next().is_some_and(|writer| writer.send(transaction).is_ok());
    for mut batch in arrays {
        deadline.check()?;
        while batch.num_rows() > 0 {
            let taken = batch.num_rows().min(TRANSACTION_ROWS - rows);
            let part = batch.slice(0, taken);
            batch = batch.slice(taken, batch.num_rows() - taken);
            rows += taken;
            bytes += part.get_array_memory_size();
            transaction.arrays.push(part);
            if rows == TRANSACTION_ROWS || bytes >= TRANSACTION_BYTES {
                let following = Transaction { number: transaction.number + 1, arrays: Vec::new() };
                if !send(std::mem::replace(&mut transaction, following)) {
                    return Ok(());
                }
                (rows, bytes) = (0, 0);
            }
        }
    }
    if !transaction.arrays.is_empty() {
        send(transaction);
    }
    Ok(())
}

/// Why a writer ended early.
enum WriteFailure {
    Error(TableError),
    /// Another writer failed.
    Stopped,
}

impl From<duckdb::Error> for WriteFailure {
    fn from(error: duckdb::Error) -> Self {
        Self::Error(error.into())
    }
}

fn write(
    connection: &Connection,
    transactions: &Receiver<Transaction>,
    order: &CommitOrder,
) -> Result<(), WriteFailure> {
    let stop = StopOthers(order);
    transactions.iter().try_for_each(|transaction| write_transaction(connection, transaction, order))?;
    std::mem::forget(stop);
    Ok(())
}

fn write_transaction(
    connection: &Connection,
    transaction: Transaction,
    order: &CommitOrder,
) -> Result<(), WriteFailure> {
    connection.execute_batch("BEGIN TRANSACTION")?;
    let mut appender = connection.appender(TABLE)?;
    for batch in transaction.arrays {
        appender.append_record_batch(batch)?;
    }
    appender.flush()?;
    drop(appender);
    order.wait_for(transaction.number)?;
    connection.execute_batch("COMMIT")?;
    order.advance();
    Ok(())
}

/// Stops the other writers when one ends early, by an error or a panic: they would wait for its commit forever.
struct StopOthers<'a>(&'a CommitOrder);

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Which transaction is committed next; `None` once a writer has failed.
struct CommitOrder {
    next: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Default for CommitOrder {
    fn default() -> Self {
        Self { next: Mutex::new(Some(0)), changed: Condvar::new() }
    }
}

impl CommitOrder {
    fn wait_for(&self, number: u64) -> Result<(), WriteFailure> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_while(next, |next| next.is_some_and(|next| next != number));
        match *waited.unwrap_or_else(PoisonError::into_inner) {
            Some(_) => Ok(()),
            None => Err(WriteFailure::Stopped),
        }
    }

    fn advance(&self) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = next.map(|number| number + 1);
        self.changed.notify_all();
    }

    fn stop(&self) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn compressions_of(rows: usize) -> Vec<Compression> {
        let mut file = tempfile::tempfile().unwrap();
        writeln!(file, "id,city,note,essay").unwrap();
        for row in 0..rows {
            let (city, essay) = (["Oslo", "Lima"][row % 2], "many words ".repeat(20));
            writeln!(file, "{row},{city},note {row},{essay}{row}").unwrap();
        }
        let mut source = Source::Delimited(file);
        let options = ReadOptions::default();
        let plan = TablePlan::new(&mut source, &options, SampleScope::Start, &Deadline::default()).unwrap();
        compressions(&mut source, &plan).unwrap()
    }

    #[test]
    fn short_texts_that_hardly_repeat_are_not_compressed() {
        let [automatic, uncompressed] = [Compression::Automatic, Compression::Uncompressed];
        assert_eq!(compressions_of(5_000), [automatic, automatic, uncompressed, automatic]);
        assert_eq!(compressions_of(100), [automatic; 4]);
    }
}
