//! The engine's way to a scan: a function that gives rows.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use duckdb::arrow::record_batch::RecordBatch;
use duckdb::core::{DataChunkHandle, LogicalTypeHandle, LogicalTypeId};
use duckdb::vtab::{
    BindInfo, InitInfo, TableFunctionInfo, VTab, record_batch_to_duckdb_data_chunk, to_duckdb_logical_type,
};

use super::scan::{Running, Scan};
use crate::error::TableError;
use crate::load::data_type;

/// Its name in SQL. A query of a caller cannot call it: the guard lets through only functions it knows.
pub(super) const NAME: &str = "jig_rows";
/// Records that the engine takes at a time.
const CHUNK: usize = 2_048;
/// Threads of the engine that may take rows; it has as many as a query may use.
const MOST_THREADS: u64 = 64;

pub(super) struct RowsFunction;

/// One use of the function in one question: which columns are needed, and how far it has come.
pub(super) struct Started {
    columns: Vec<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    batch: Option<(RecordBatch, usize)>,
}

impl State {
    /// As many of the next rows as the engine takes; none at the end.
    fn next(&mut self, start: impl FnOnce() -> Running) -> Result<Option<RecordBatch>, TableError> {
        let running = self.running.get_or_insert_with(start);
        if self.batch.as_ref().is_none_or(|(batch, at)| *at >= batch.num_rows()) {
            self.batch = running.next()?.map(|batch| (batch, 0));
        }
        let Some((batch, at)) = &mut self.batch else { return Ok(None) };
        let piece = batch.slice(*at, CHUNK.min(batch.num_rows() - *at));
        *at += piece.num_rows();
        Ok(Some(piece))
    }
}

impl VTab for RowsFunction {
    type InitData = Started;
    type BindData = Arc<Scan>;

    fn bind(bind: &BindInfo) -> Result<Self::BindData, Box<dyn Error>> {
        let scan = Scan::find(bind.get_parameter(0).to_int64()).ok_or("the table is gone")?;
        for (index, column) in scan.plan.schema.columns.iter().enumerate() {
            bind.add_result_column(
                &format!("c{index}"),
                to_duckdb_logical_type(&data_type(column.format.column_type))?,
            );
        }
        Ok(scan)
    }

    fn init(init: &InitInfo) -> Result<Self::InitData, Box<dyn Error>> {
        let columns = init.get_column_indices().into_iter().map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        // Where the order of rows counts, the engine takes them on one thread whatever is said here.
        init.set_max_threads(MOST_THREADS);
        Ok(Started { columns: columns.collect(), state: Mutex::default() })
    }

    fn func(func: &TableFunctionInfo<Self>, output: &mut DataChunkHandle) -> Result<(), Box<dyn Error>> {
        let started = func.get_init_data();
        let piece = {
            let mut state = started.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.next(|| func.get_bind_data().start(&started.columns)).map_err(|error| error.to_string())?
        };
        match piece {
            None => output.set_len(0),
            // A count of rows needs no column.
            Some(piece) if piece.num_columns() == 0 => output.set_len(piece.num_rows()),
            Some(piece) => record_batch_to_duckdb_data_chunk(&piece, output)?,
        }
        Ok(())
    }

    fn supports_pushdown() -> bool {
        true
    }

    fn parameters() -> Option<Vec<LogicalTypeHandle>> {
        Some(vec![LogicalTypeId::Bigint.into()])
    }
}
