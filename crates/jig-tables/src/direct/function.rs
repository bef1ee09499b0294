//! The engine's way to a scan: a function that gives rows.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use duckdb::arrow::record_batch::RecordBatch;
use duckdb::core::{DataChunkHandle, LogicalTypeHandle, LogicalTypeId};
use duckdb::vtab::{
    BindInfo, InitInfo, TableFunctionInfo, VTab, record_batch_to_duckdb_data_chunk, to_duckdb_logical_type,
};

use super::scan::{Running, Scan};
use crate::load::data_type;

/// Its name in SQL. A query of a caller cannot call it: the guard lets through only functions it knows.
pub(super) const NAME: &str = "jig_rows";
/// Rows that the engine takes at a time.
const CHUNK: usize = 2_048;

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

impl VTab for RowsFunction {
    type InitData = Started;
    type BindData = Arc<Scan>;

    fn bind(bind: &BindInfo) -> Result<Self::BindData, Box<dyn Error>> {
        let scan = Scan::find(bind.get_parameter(0).to_int64()).ok_or("the table is gone")?;
        for (index, column) in scan.plan.columns.iter().enumerate() {
            bind.add_result_column(&format!("c{index}"), to_duckdb_logical_type(&data_type(column.decided.kind))?);
        }
        Ok(scan)
    }

    fn init(init: &InitInfo) -> Result<Self::InitData, Box<dyn Error>> {
        let columns = init.get_column_indices().into_iter().map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        Ok(Started { columns: columns.collect(), state: Mutex::default() })
    }

    fn func(func: &TableFunctionInfo<Self>, output: &mut DataChunkHandle) -> Result<(), Box<dyn Error>> {
        let started = func.get_init_data();
        let mut state = started.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { running, batch } = &mut *state;
        let running = running.get_or_insert_with(|| func.get_bind_data().start(&started.columns));
        if batch.as_ref().is_none_or(|(batch, at)| *at >= batch.num_rows()) {
            *batch = running.next().map_err(|error| error.to_string())?.map(|batch| (batch, 0));
        }
        let Some((batch, at)) = batch else {
            output.set_len(0);
            return Ok(());
        };
        let piece = batch.slice(*at, CHUNK.min(batch.num_rows() - *at));
        *at += piece.num_rows();
        // A count of rows needs no column.
        if piece.num_columns() == 0 {
            output.set_len(piece.num_rows());
            return Ok(());
        }
        record_batch_to_duckdb_data_chunk(&piece, output)
    }

    fn supports_pushdown() -> bool {
        true
    }

    fn parameters() -> Option<Vec<LogicalTypeHandle>> {
        Some(vec![LogicalTypeId::Bigint.into()])
    }
}
