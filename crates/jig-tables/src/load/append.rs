//! Writes arrays to the table, by several connections at once.
//!
//! Most of a conversion is the engine's work: choosing a compression for each column and compressing it. It does so row
//! group by row group, in the thread that appends. So rows are handed out in multiples of a row group, each multiple is
//! one transaction, and transactions are committed in the order of the file: the table has its rows in that order, and
//! every row group is written once, where a transaction that ends inside one has it rewritten by the next.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use duckdb::Connection;
use duckdb::arrow::record_batch::RecordBatch;

use super::Deadline;
use super::fill::TABLE;
use crate::error::TableError;

/// Records that the engine compresses together.
const ROW_GROUP: usize = 122_880;
/// Records of one transaction. Each one costs a flush to disk.
const TRANSACTION_ROWS: usize = 2 * ROW_GROUP;
/// Arrays that a transaction holds at most. Wide tables reach this first; their row groups are then completed by the
/// next transaction, which is slower but takes no more memory.
const TRANSACTION_BYTES: usize = 64 << 20;
/// Connections that append. More would need more memory than a conversion has.
const WRITERS: usize = 2;

/// Puts all arrays into the table.
pub(super) fn append(
    connection: &Connection,
    arrays: &Receiver<RecordBatch>,
    deadline: &Deadline,
) -> Result<(), TableError> {
    let turn = Turn::default();
    let writers: Result<Vec<Connection>, _> = (0..WRITERS).map(|_| connection.try_clone()).collect();
    std::thread::scope(|scope| {
        let (senders, threads): (Vec<_>, Vec<_>) = writers
            .map_err(TableError::engine)?
            .into_iter()
            .map(|writer| {
                let (sender, transactions) = sync_channel(1);
                let turn = &turn;
                (sender, scope.spawn(move || write(&writer, &transactions, turn)))
            })
            .unzip();
        let handed_out = hand_out(arrays, &senders, deadline);
        // The writers end when there is no more to take.
        drop(senders);
        let failed = |_| Err(Failure::Engine(TableError::Engine("a writer of the table failed".to_owned())));
        let failures = threads.into_iter().filter_map(|thread| thread.join().unwrap_or_else(failed).err());
        // A writer that was stopped by another has no reason of its own.
        let reason =
            failures.filter_map(|failure| if let Failure::Engine(error) = failure { Some(error) } else { None });
        handed_out.and(reason.last().map_or(Ok(()), Err))
    })
}

/// The rows of one transaction.
struct Transaction {
    number: u64,
    arrays: Vec<RecordBatch>,
}

/// Collects transactions and gives them to the writers in turn.
fn hand_out(
    arrays: &Receiver<RecordBatch>,
    writers: &[SyncSender<Transaction>],
    deadline: &Deadline,
) -> Result<(), TableError> {
    let mut next = writers.iter().cycle();
    let mut transaction = Transaction { number: 0, arrays: Vec::new() };
    let (mut rows, mut bytes) = (0, 0);
    // False when the writer is gone: it reports the reason.
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
enum Failure {
    Engine(TableError),
    /// Another writer failed.
    Stopped,
}

impl From<duckdb::Error> for Failure {
    fn from(error: duckdb::Error) -> Self {
        Self::Engine(TableError::engine(error))
    }
}

fn write(connection: &Connection, transactions: &Receiver<Transaction>, turn: &Turn) -> Result<(), Failure> {
    let stop = StopOthers(turn);
    transactions.iter().try_for_each(|transaction| write_one(connection, transaction, turn))?;
    std::mem::forget(stop);
    Ok(())
}

fn write_one(connection: &Connection, transaction: Transaction, turn: &Turn) -> Result<(), Failure> {
    connection.execute_batch("BEGIN TRANSACTION")?;
    let mut appender = connection.appender(TABLE)?;
    for batch in transaction.arrays {
        appender.append_record_batch(batch)?;
    }
    appender.flush()?;
    drop(appender);
    turn.wait_for(transaction.number)?;
    connection.execute_batch("COMMIT")?;
    turn.next();
    Ok(())
}

/// Stops the other writers when one ends early, by an error or a panic: they would wait for its turn for ever.
struct StopOthers<'a>(&'a Turn);

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Which transaction is to be committed now; none once a writer has failed.
struct Turn {
    number: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Default for Turn {
    fn default() -> Self {
        Self { number: Mutex::new(Some(0)), changed: Condvar::new() }
    }
}

impl Turn {
    fn wait_for(&self, number: u64) -> Result<(), Failure> {
        let current = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_while(current, |current| current.is_some_and(|current| current != number));
        match *waited.unwrap_or_else(PoisonError::into_inner) {
            Some(_) => Ok(()),
            None => Err(Failure::Stopped),
        }
    }

    fn next(&self) {
        let mut current = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        *current = current.map(|number| number + 1);
        self.changed.notify_all();
    }

    fn stop(&self) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.changed.notify_all();
    }
}
