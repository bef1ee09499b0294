//! The fill itself: one thread splits text into records, one turns them into arrays, and writers put those into the
//! table (`append`).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use duckdb::Connection;
use duckdb::arrow::array::{ArrayRef, Int64Array, StringBuilder};
use duckdb::arrow::datatypes::{DataType, Field, Schema};
use duckdb::arrow::record_batch::{RecordBatch, RecordBatchOptions};

use jig_text::csv::{Records, has_extra_fields};

use super::append::append;
use super::convert::{convert, data_type};
use super::report::ConversionReport;
use super::storage::{self, Storage};
use super::{Deadline, Filled, Plan};
use crate::error::TableError;
use crate::meta::sql_type;
use crate::source::{Source, Stream};

/// The table in its file.
pub(crate) const TABLE: &str = "t";
/// Its column of row numbers, from 1. The others are `c0`, `c1`, ….
pub(crate) const ROW: &str = "r";
/// Runs of records that may wait between two threads.
const WAITING: usize = 2;

/// Fills a table by its plan.
pub(super) fn fill(
    source: &mut Source<'_>,
    plan: &Plan,
    connection: &Connection,
    deadline: &Deadline,
) -> Result<Filled, TableError> {
    connection.execute_batch(&create(plan, &storage::of(source, plan)?)).map_err(TableError::engine)?;
    let mut stream = source.stream(plan.format)?;
    let mut report = ConversionReport::of(plan.schema.columns.len());
    let (rows_in, rows_out) = sync_channel(WAITING);
    let (arrays_in, arrays_out) = sync_channel(WAITING);
    let outcome = std::thread::scope(|scope| {
        // Each thread owns its end of a channel, so that the next one sees when there is no more.
        let splitter = scope.spawn(|| {
            let rows = rows_in;
            split(&mut stream, &rows, deadline)
        });
        let converter = scope.spawn(|| {
            let arrays = arrays_in;
            turn(plan, &mut report, rows_out, &arrays)
        });
        let appended = append(connection, &arrays_out, deadline);
        // A thread that waits to hand on must notice that nobody takes.
        drop(arrays_out);
        let fault = |_| TableError::Engine("a thread of the conversion failed".to_owned());
        let split = splitter.join().map_err(fault)?;
        let turned = converter.join().map_err(fault)?;
        appended?;
        split?;
        turned
    })?;
    (report.defects, report.replaced) = stream.defects();
    Ok(outcome.then_some(report))
}

fn create(plan: &Plan, storage: &[Storage]) -> String {
    let mut sql = format!("CREATE TABLE {TABLE} ({ROW} BIGINT");
    for (index, (column, storage)) in plan.schema.columns.iter().zip(storage).enumerate() {
        sql.push_str(&format!(", c{index} {}{}", sql_type(column.format.column_type), storage.sql()));
    }
    sql.push(')');
    sql
}

fn split(stream: &mut Stream<'_>, rows: &SyncSender<Records>, deadline: &Deadline) -> Result<(), TableError> {
    while let Some(run) = stream.next_batch()? {
        deadline.check()?;
        if rows.send(run).is_err() {
            break;
        }
    }
    Ok(())
}

/// Turns records into arrays. False when one does not fit the plan.
fn turn(
    plan: &Plan,
    report: &mut ConversionReport,
    rows: Receiver<Records>,
    arrays: &SyncSender<RecordBatch>,
) -> Result<bool, TableError> {
    let every: Vec<usize> = (0..plan.schema.columns.len()).collect();
    let shape =
        Shape { schema: Arc::new(schema(plan, &every, Numbers::First)), columns: every, numbers: Numbers::First };
    for run in rows {
        let Some(batch) = batch(plan, report, &run, &shape)? else { return Ok(false) };
        if batch.num_rows() > 0 && arrays.send(batch).is_err() {
            break;
        }
    }
    Ok(true)
}

/// Whether the numbers of rows are a column of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    First,
    None,
}

/// What is made of records: these columns of a plan, in this order.
pub(crate) struct Shape {
    pub(crate) schema: Arc<Schema>,
    pub(crate) columns: Vec<usize>,
    pub(crate) numbers: Numbers,
}

impl Shape {
    /// Some columns and nothing else.
    pub(crate) fn of(plan: &Plan, columns: Vec<usize>) -> Self {
        Self { schema: Arc::new(schema(plan, &columns, Numbers::None)), columns, numbers: Numbers::None }
    }
}

fn schema(plan: &Plan, columns: &[usize], numbers: Numbers) -> Schema {
    let first = (numbers == Numbers::First).then(|| Field::new(ROW, DataType::Int64, false));
    let others = columns.iter().filter_map(|index| Some((index, plan.schema.columns.get(*index)?)));
    let others =
        others.map(|(index, column)| Field::new(format!("c{index}"), data_type(column.format.column_type), true));
    Schema::new(first.into_iter().chain(others).collect::<Vec<_>>())
}

/// Records as arrays; none when one does not fit the plan.
pub(crate) fn batch(
    plan: &Plan,
    report: &mut ConversionReport,
    rows: &Records,
    shape: &Shape,
) -> Result<Option<RecordBatch>, TableError> {
    let width = plan.schema.layout.names.len();
    let wanted: Vec<usize> = plan.schema.layout.rows(rows).collect();
    if !is_even(plan, report, rows, &wanted) {
        return Ok(None);
    }
    let first = report.rows as i64 + 1;
    report.rows += wanted.len() as u64;
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(shape.columns.len() + 1);
    if shape.numbers == Numbers::First {
        arrays.push(Arc::new(Int64Array::from_iter_values(first..first + wanted.len() as i64)));
    }
    for index in shape.columns.iter().copied() {
        let Some(column) = plan.schema.columns.get(index) else { continue };
        if index == width {
            arrays.push(overflow(rows, &wanted, width));
            continue;
        }
        let Ok(converted) = convert(rows, &wanted, index, &column.format) else { return Ok(None) };
        if let (Some(nothing), Some(nul)) = (report.nothing.get_mut(index), report.nul.get_mut(index)) {
            *nothing += converted.nothing;
            *nul += converted.nul;
        }
        arrays.push(converted.array);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(wanted.len()));
    RecordBatch::try_new_with_options(shape.schema.clone(), arrays, &rows).map(Some).map_err(TableError::engine)
}

/// Notes what is uneven. False when a record is longer than the plan allows, or cannot be decoded as it was planned.
fn is_even(plan: &Plan, report: &mut ConversionReport, rows: &Records, wanted: &[usize]) -> bool {
    let width = plan.schema.layout.names.len();
    let undecoded =
        !rows.text().is_ascii() && memchr::memmem::find(rows.text().as_bytes(), "\u{fffd}".as_bytes()).is_some();
    if undecoded && !plan.schema.is_complete && plan.format.is_some_and(|format| format.encoding.ascii) {
        return false;
    }
    for row in wanted {
        let fields = rows.width(*row);
        if fields < width && !(width == 1 && rows.is_blank(*row)) {
            report.short.add(rows.line(*row));
        } else if fields > width && has_extra_fields(rows, *row, width) {
            if !plan.schema.has_extra_column {
                return false;
            }
            report.long.add(rows.line(*row));
        }
        if undecoded && rows.raw(*row).is_some_and(|record| record.contains('\u{fffd}')) {
            report.undecoded.add(rows.line(*row));
        }
    }
    let first = plan.schema.layout.first_line;
    for row in (0..rows.len()).filter(|row| width > 1 && rows.line(*row) > first && rows.is_blank(*row)) {
        report.blank.add(rows.line(row));
    }
    true
}

/// What stands beyond the last column, as it stands in the file.
fn overflow(rows: &Records, wanted: &[usize], width: usize) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for row in wanted {
        let longer = has_extra_fields(rows, *row, width);
        builder.append_option(if longer { rows.rest(*row, width) } else { None });
    }
    Arc::new(builder.finish())
}
